//! Which projects does a TypeScript server know by the documents that it was given?
//!
//! It reads a whole project when the first of its files is opened, and forgets it when none is open any more. In between,
//! opening another one that the same configuration names tells it nothing: what it said before still holds.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::configuration::is_own;
use crate::definition::Definition;

/// Open files of each configuration, of one process.
#[derive(Debug, Default)]
pub(crate) struct KnownProjects {
    /// Of all documents. After a change of any file, configurations may name other files than before.
    epoch: u64,
    open: HashMap<PathBuf, HashSet<PathBuf>>,
}

/// Whether a server knows the projects of open files and no others.
pub(crate) fn knows_open_projects(definition: &Definition) -> bool {
    definition.is("typescript-native") || definition.is("typescript-language-server")
}

impl KnownProjects {
    /// A file is opened: whether the server may learn something about others by that.
    pub(crate) fn opens(&mut self, root: &Path, file: &Path, epoch: u64) -> bool {
        if self.epoch != epoch {
            (self.epoch, self.open) = (epoch, HashMap::new());
        }
        // One that belongs to no project for certain is a project of its own, or brings one along.
        match nearest(root, file).filter(|configuration| is_own(configuration, file)) {
            Some(configuration) => {
                let open = self.open.entry(configuration).or_default();
                let is_first = open.is_empty();
                open.insert(file.to_path_buf());
                is_first
            }
            None => true,
        }
    }

    /// A file is closed.
    pub(crate) fn closes(&mut self, file: &Path) {
        self.open.values_mut().for_each(|open| {
            open.remove(file);
        });
    }
}

/// The configuration that the server takes for a file's own.
fn nearest(root: &Path, file: &Path) -> Option<PathBuf> {
    let mut folders = file.ancestors().skip(1).take_while(|folder| folder.starts_with(root));
    folders.find_map(configuration_in).filter(|found| found.ends_with("tsconfig.json"))
}

/// The configuration by which a folder is the root of a TypeScript or JavaScript project.
pub fn configuration_in(folder: &Path) -> Option<PathBuf> {
    ["tsconfig.json", "jsconfig.json"].map(|name| folder.join(name)).into_iter().find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use orienteer_testkit::tree;

    #[test]
    fn only_the_first_file_of_a_project_is_news() {
        let tree = tree(
            "//- /tsconfig.json\n{ \"include\": [\"src\"] }\n//- /p/tsconfig.json\n{}\n//- /j/jsconfig.json\n{}\n",
        );
        let mut known = KnownProjects::default();
        let opens = |known: &mut KnownProjects, file: &str, epoch: u64| {
            tree.write(file, "");
            known.opens(tree.root(), &tree.root().join(file), epoch)
        };
        let mut news = |file: &str| opens(&mut known, file, 1);
        assert!(news("src/a.ts"));
        assert!(!news("src/b.ts") && !news("src/a.ts"));
        assert!(news("p/a.ts") && !news("p/b.ts"), "another project");
        assert!(news("test/a.ts") && news("test/b.ts"), "each its own: no configuration names them");
        assert!(news("j/a.js") && news("j/a.ts"));
        known.closes(&tree.root().join("src/a.ts"));
        assert!(!opens(&mut known, "src/c.ts", 1));
        for file in ["src/b.ts", "src/c.ts"] {
            known.closes(&tree.root().join(file));
        }
        assert!(opens(&mut known, "src/d.ts", 1), "the server has forgotten it");
        assert!(!opens(&mut known, "p/c.ts", 1));
        assert!(opens(&mut known, "p/d.ts", 2), "something changed");
    }

    #[test]
    fn servers_of_typescript_know_the_projects_of_open_files() {
        let catalog = crate::catalog::built_in().unwrap();
        let knowing = catalog.iter().filter(|definition| knows_open_projects(definition));
        let ids: Vec<&str> = knowing.map(|definition| definition.id.as_str()).collect();
        assert_eq!(ids, ["typescript-native", "typescript-language-server"]);
    }
}

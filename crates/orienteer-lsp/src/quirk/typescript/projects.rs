//! Which projects does a TypeScript server know by the documents that it was given?
//!
//! It reads a whole project when the first of its files is opened. Opening another one that the same configuration names tells
//! it nothing: what it said before still holds.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::configuration::is_own;
use crate::definition::Definition;

/// Of one process.
#[derive(Debug, Default)]
pub(crate) struct KnownProjects(HashSet<PathBuf>);

impl KnownProjects {
    /// Whether the server may learn something about other files when this one is opened.
    pub(crate) fn is_news(&mut self, definition: &Definition, root: &Path, file: &Path) -> bool {
        if !definition.is("typescript-native") && !definition.is("typescript-language-server") {
            return true;
        }
        // One that belongs to no project for certain is a project of its own, or brings one along.
        match nearest(root, file).filter(|configuration| is_own(configuration, file)) {
            Some(configuration) => self.0.insert(configuration),
            None => true,
        }
    }
}

/// The configuration that the server takes for a file's own.
fn nearest(root: &Path, file: &Path) -> Option<PathBuf> {
    let folders = file.ancestors().skip(1).take_while(|folder| folder.starts_with(root));
    let names = folders.flat_map(|folder| ["tsconfig.json", "jsconfig.json"].map(|name| folder.join(name)));
    let found = names.into_iter().find(|path| path.is_file())?;
    found.ends_with("tsconfig.json").then_some(found)
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
        let catalog = crate::catalog::built_in().unwrap();
        let definition = |id: &str| catalog.iter().find(|definition| definition.id == id).unwrap().clone();
        for id in ["typescript-native", "typescript-language-server"] {
            let mut known = KnownProjects::default();
            let mut news = |file: &str| {
                tree.write(file, "");
                known.is_news(&definition(id), tree.root(), &tree.root().join(file))
            };
            assert!(news("src/a.ts"));
            assert!(!news("src/b.ts") && !news("src/a.ts"));
            assert!(news("p/a.ts") && !news("p/b.ts"), "another project");
            assert!(news("test/a.ts") && news("test/b.ts"), "each its own: no configuration names them");
            assert!(news("j/a.js") && news("j/a.ts"));
        }
        let mut known = KnownProjects::default();
        for _ in 0..2 {
            let file = tree.root().join("src/a.ts");
            assert!(known.is_news(&definition("clangd"), tree.root(), &file), "another server");
        }
    }
}

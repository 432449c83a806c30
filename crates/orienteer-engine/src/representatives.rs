//! Which files make every project known that has a word?
//!
//! Some servers know only the projects of open files. One file of each is enough, if it belongs to the project: what a build
//! has written beside the sources does not, and a server that is given such a file searches a second world with every
//! question.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use orienteer_lsp::typescript_configuration_in;

/// A file that stands for all with the word in its project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Representative {
    pub(crate) of: Belonging,
    pub(crate) file: PathBuf,
}

/// To which project a file belongs, by what can be told without asking: the nearest configuration, and the folder below it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Belonging {
    /// The folder with the configuration; of a file that has none, the file itself.
    project: PathBuf,
    part: Option<OsString>,
}

impl Belonging {
    pub(crate) fn of_itself(file: &Path) -> Self {
        Self { project: file.to_path_buf(), part: None }
    }
}

/// The configurations above files, looked up once per folder.
#[derive(Debug)]
pub(crate) struct Configurations<'a> {
    root: &'a Path,
    folders: HashMap<PathBuf, Option<PathBuf>>,
}

impl<'a> Configurations<'a> {
    pub(crate) fn new(root: &'a Path) -> Self {
        Self { root, folders: HashMap::new() }
    }

    pub(crate) fn belonging(&mut self, file: &Path) -> Belonging {
        let Some(project) = self.above(file) else {
            return Belonging::of_itself(file);
        };
        let mut below = file.strip_prefix(&project).unwrap_or(file).components();
        let first = below.next().map(|part| part.as_os_str().to_owned());
        let part = first.filter(|_| below.next().is_some());
        Belonging { project, part }
    }

    /// The nearest folder with a TypeScript configuration.
    fn above(&mut self, path: &Path) -> Option<PathBuf> {
        let folder = path.parent()?;
        if let Some(known) = self.folders.get(folder) {
            return known.clone();
        }
        let found = if typescript_configuration_in(folder).is_some() {
            Some(folder.to_path_buf())
        } else if folder == self.root {
            None
        } else {
            self.above(folder)
        };
        self.folders.insert(folder.to_path_buf(), found.clone());
        found
    }
}

/// One file for each project: out of the part that has most of them, which is the one that the configuration means if it does
/// not mean all. The first `most` projects in the order of their paths: each loose file is one, and nobody opens thousands.
pub(crate) fn representatives(files: Vec<PathBuf>, root: &Path, most: usize) -> Vec<Representative> {
    let mut configurations = Configurations::new(root);
    let mut parts: BTreeMap<Belonging, (usize, PathBuf)> = BTreeMap::new();
    for file in files {
        if !file.starts_with(root) || is_output(&file) {
            continue;
        }
        let part = parts.entry(configurations.belonging(&file)).or_insert_with(|| (0, file));
        part.0 += 1;
    }
    let mut projects: BTreeMap<PathBuf, (usize, Representative)> = BTreeMap::new();
    for (of, (count, file)) in parts {
        let largest = projects.get(&of.project).map_or(0, |(count, _)| *count);
        if count > largest {
            projects.insert(of.project.clone(), (count, Representative { of, file }));
        }
    }
    projects.into_values().map(|(_, representative)| representative).take(most).collect()
}

/// Every file for itself, up to `most`: that is how a server has them which knows of no project.
pub(crate) fn themselves(files: Vec<PathBuf>, root: &Path, most: usize) -> Vec<Representative> {
    let inside = files.into_iter().filter(|file| file.starts_with(root)).take(most);
    inside.map(|file| Representative { of: Belonging::of_itself(&file), file }).collect()
}

/// Whether a build has written it: a program and its declarations lie side by side, or it has a map of its sources.
fn is_output(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(OsStr::to_str) else { return false };
    let beside = |name: String| path.with_file_name(name).is_file();
    let twins: &[(&str, &str)] = &[
        (".d.ts", ".js"),
        (".d.mts", ".mjs"),
        (".d.cts", ".cjs"),
        (".js", ".d.ts"),
        (".mjs", ".d.mts"),
        (".cjs", ".d.cts"),
    ];
    let twin = twins.iter().find_map(|(own, other)| Some(format!("{}{other}", name.strip_suffix(own)?)));
    twin.is_some_and(|twin| beside(twin) || beside(format!("{name}.map")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[&str]) -> (tempfile::TempDir, PathBuf, Vec<PathBuf>) {
        let tree = tempfile::tempdir().unwrap();
        let root = tree.path().canonicalize().unwrap();
        for file in files {
            let path = root.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let code = files.iter().filter(|file| !file.ends_with(".json") && !file.ends_with(".map"));
        let code = code.map(|file| root.join(file)).collect();
        (tree, root, code)
    }

    fn chosen(files: &[&str]) -> Vec<String> {
        let (_tree, root, code) = tree(files);
        let chosen = representatives(code, &root, 4);
        chosen.iter().map(|one| one.file.strip_prefix(&root).unwrap().display().to_string()).collect()
    }

    #[test]
    fn each_project_has_one_and_loose_files_are_their_own() {
        let files = ["a/tsconfig.json", "a/x.ts", "a/y.ts", "b/jsconfig.json", "b/z.js", "c/l.ts", "c/m.ts"];
        assert_eq!(chosen(&files), ["a/x.ts", "b/z.js", "c/l.ts", "c/m.ts"]);
        assert_eq!(chosen(&["a.js", "b.js", "c.js", "d.js", "e.js"]), ["a.js", "b.js", "c.js", "d.js"]);
    }

    #[test]
    fn the_part_with_most_files_stands_for_the_project() {
        let files = ["tsconfig.json", "docs/a.ts", "src/a.ts", "src/deep/b.ts", "test/a.ts"];
        assert_eq!(chosen(&files), ["src/a.ts"]);
    }

    #[test]
    fn what_a_build_wrote_stands_for_nothing() {
        let files = [
            "tsconfig.json",
            "dist/a.d.ts",
            "dist/a.js",
            "dist/b.js",
            "dist/b.js.map",
            "dist/c.d.ts",
            "dist/c.d.ts.map",
            "src/a.ts",
        ];
        assert_eq!(chosen(&files), ["src/a.ts"]);
        assert_eq!(chosen(&files[..7]), [""; 0]);
        // Written by people: declarations alone, a program alone.
        assert_eq!(chosen(&["tsconfig.json", "types/a.d.ts"]), ["types/a.d.ts"]);
        assert_eq!(chosen(&["jsconfig.json", "lib/a.js"]), ["lib/a.js"]);
    }

    #[test]
    fn files_of_one_part_belong_together() {
        let files = [
            "tsconfig.json",
            "src/a.ts",
            "src/b/c.ts",
            "test/a.ts",
            "top.ts",
            "p/tsconfig.json",
            "p/src/a.ts",
        ];
        let (_tree, root, _) = tree(&files);
        let mut configurations = Configurations::new(&root);
        let mut of = |file: &str| configurations.belonging(&root.join(file));
        assert_eq!(of("src/a.ts"), of("src/b/c.ts"));
        assert_ne!(of("src/a.ts"), of("test/a.ts"));
        assert_ne!(of("src/a.ts"), of("p/src/a.ts"));
        assert_eq!(of("top.ts"), Belonging { project: root.clone(), part: None });
    }
}

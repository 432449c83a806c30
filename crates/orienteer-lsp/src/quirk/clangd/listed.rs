//! Does anybody tell clangd which files there are, and how they are compiled?

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use crate::definition::Definition;

/// What is missing where nobody does.
pub(crate) const OPENED_ONLY: &str = "only open files are known, since no compile_commands.json lists the others; make one in the \
    project's folder or in `build` with `cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON`, Meson or `bear -- make`";

/// An empty list is as good as none.
const EMPTY: u64 = 8;

/// Where a server looks for the list of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Listed {
    /// It needs none.
    Anyway,
    /// In a folder that the user gave it.
    In(PathBuf),
    /// Above each file of a project; what lies elsewhere belongs to those who use it.
    Above(PathBuf),
}

impl Listed {
    /// For a server of these arguments, with what it reads from its environment.
    pub(crate) fn of<'a>(
        definition: &'a Definition,
        root: &Path,
        args: impl Iterator<Item = &'a String>,
        flags: Option<&'a str>,
    ) -> Self {
        if !definition.is("clangd") {
            return Self::Anyway;
        }
        let flags = flags.unwrap_or_default().split_whitespace();
        let words: Vec<&str> = flags.chain(args.map(String::as_str)).collect();
        let given = words.iter().enumerate().rev().find_map(|(at, word)| {
            let value = word.trim_start_matches('-').strip_prefix("compile-commands-dir")?;
            if value.is_empty() { words.get(at + 1).copied() } else { value.strip_prefix('=') }
        });
        let option = definition.initialization_options.get("compilationDatabasePath");
        // What is no folder it passes by.
        let folder = given.or(option.and_then(|path| path.as_str())).map(|folder| root.join(folder));
        folder.filter(|folder| folder.is_dir()).map_or_else(|| Self::Above(root.to_path_buf()), Self::In)
    }

    /// Whether no list belongs to a file or a folder.
    pub(crate) fn lacks(&self, place: &Path) -> bool {
        match self {
            Self::Anyway => false,
            Self::In(folder) => !is_list(&folder.join("compile_commands.json")),
            Self::Above(root) => lacks_above(if place.starts_with(root) { place } else { root }),
        }
    }
}

/// The nearest of what clangd takes for a list counts.
fn lacks_above(place: &Path) -> bool {
    for folder in place.ancestors() {
        if is_list(&folder.join("compile_commands.json"))
            || is_list(&folder.join("build/compile_commands.json"))
        {
            return false;
        }
        if let Ok(text) = std::fs::read_to_string(folder.join(".clangd"))
            && let Some(database) = text.lines().find_map(database)
        {
            return database == "None" || !is_list(&folder.join(database).join("compile_commands.json"));
        }
        // Its flags are for files that it does not name.
        if folder.join("compile_flags.txt").is_file() {
            return true;
        }
    }
    true
}

/// One that was not written to the end is none.
fn is_list(path: &Path) -> bool {
    let ends = || -> std::io::Result<bool> {
        let mut list = std::fs::File::open(path)?;
        let length = list.metadata()?.len();
        if length <= EMPTY {
            return Ok(false);
        }
        let mut end = Vec::new();
        list.seek(SeekFrom::Start(length.saturating_sub(64)))?;
        list.take(64).read_to_end(&mut end)?;
        Ok(end.trim_ascii_end().ends_with(b"]"))
    };
    ends().unwrap_or(false)
}

/// Where its configuration says that the list is, in a line of it. `Ancestors` is what holds without one.
fn database(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let (before, named) = line.split_once("CompilationDatabase:")?;
    let named = named.split([',', '}']).next()?.split(" #").next()?.trim().trim_matches(['"', '\'']);
    (!before.contains('#') && named != "Ancestors" && !named.is_empty()).then_some(named)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalog::built_in;

    fn write(folder: &Path, path: &str, text: &str) {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    const LIST: &str = "[{ \"file\": \"a.c\" }]";

    #[test]
    fn the_nearest_list_counts() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| write(folder.path(), path, text);
        let file = folder.path().join("lib/src/a.c");
        let lacks = |place: &Path| Listed::Above(folder.path().to_path_buf()).lacks(place);
        write("lib/src/a.c", "");
        assert!(lacks(&file) && lacks(&folder.path().join("lib")));
        write("lib/build/compile_commands.json", "[\n]\n");
        assert!(lacks(&file), "it is empty");
        write("lib/build/compile_commands.json", "[{ \"file\": \"a.c\", \"directory\": ");
        assert!(lacks(&file), "it is not whole");
        write("lib/build/compile_commands.json", LIST);
        assert!(!lacks(&file) && lacks(folder.path()));
        write("lib/src/compile_flags.txt", "-Wall");
        assert!(lacks(&file));
        write("out/compile_commands.json", LIST);
        for (configuration, expected) in [
            ("CompileFlags:\n  CompilationDatabase: ../../out # there\n", false),
            ("CompileFlags: { CompilationDatabase: \"../../out\", Add: [-Wall] }\n", false),
            ("CompileFlags:\n  CompilationDatabase: ../../not_yet\n", true),
            ("CompileFlags:\n  CompilationDatabase: None\n", true),
            ("CompileFlags:\n  CompilationDatabase: 'None' # none\n", true),
        ] {
            write("lib/src/.clangd", configuration);
            assert_eq!(lacks(&file), expected, "{configuration}");
        }
        std::fs::remove_file(folder.path().join("lib/src/compile_flags.txt")).unwrap();
        write("lib/src/.clangd", "# CompilationDatabase: None\nCompilationDatabase: Ancestors\n");
        assert!(!lacks(&file));
    }

    #[test]
    fn what_the_user_gives_counts() {
        let named =
            |id: &str| built_in().unwrap().into_iter().find(|definition| definition.id == id).unwrap();
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "out/compile_commands.json", LIST);
        std::fs::create_dir(folder.path().join("empty")).unwrap();
        let lacks = |definition: &Definition, args: &[&str], flags: Option<&str>| {
            let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
            let listed = Listed::of(definition, folder.path(), args.iter(), flags);
            listed.lacks(&folder.path().join("a.c"))
        };
        let mut clangd = named("clangd");
        assert!(lacks(&clangd, &["--background-index"], Some("--log=error")));
        assert!(!lacks(&clangd, &["--compile-commands-dir=out"], None));
        assert!(!lacks(&clangd, &["-compile-commands-dir", "out"], None));
        assert!(!lacks(&clangd, &[], Some("--log=error --compile-commands-dir=out")));
        assert!(lacks(&clangd, &["--compile-commands-dir=empty"], None));
        assert!(lacks(&clangd, &["--compile-commands-dir=nowhere"], None));
        clangd.initialization_options = json!({ "compilationDatabasePath": "out" });
        assert!(!lacks(&clangd, &[], None));
        assert!(!lacks(&named("gopls"), &[], None));
    }
}

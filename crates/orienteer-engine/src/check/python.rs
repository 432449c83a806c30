//! Which Python project does a path belong to, and what do its files say about how it is checked?
//!
//! Only looked at: no program of the project runs for it.

use std::path::{Path, PathBuf};

use orienteer_base::Roots;

use super::json::{self, Fields, Json};

/// What shows a project. The first row that is found anywhere above a path counts, as pyright itself has it: its own
/// configuration before whatever else a packager left there.
const MARKERS: [&[&str]; 2] = [
    &["pyrightconfig.json", "pyproject.toml"],
    &["setup.py", "setup.cfg", "requirements.txt", "Pipfile", "environment.yml", "environment.yaml"],
];

/// Where environments are made in a project.
const ENVIRONMENTS: [&str; 2] = [".venv", "venv"];

/// Folders of installed things: what lies in them belongs to the project around them.
const INSTALLED: [&str; 4] = ["site-packages", ".venv", "venv", "node_modules"];

/// Settings are written by hand; a larger file is something else.
const LARGEST: u64 = 1 << 20;

/// Python before this is left to pyright: the types of the standard library that come with it are newer.
const OLDEST_MINOR: u32 = 8;

/// A project and what its files say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PythonProject {
    pub root: PathBuf,
    /// The environment in the project, with an interpreter in it.
    pub venv: Option<PathBuf>,
    pub pyright_config: Option<PathBuf>,
    pub pyproject: Option<PathBuf>,
    /// The oldest Python that the project says it runs with.
    pub python_version: Option<String>,
    /// pyright's own configuration names a version, an environment, or where environments are.
    pub configures_version: bool,
    pub configures_venv: bool,
    pub configures_venv_path: bool,
}

/// The folder of the project that a canonical path belongs to; its own folder where nothing shows one. Nothing above an
/// allowed root is looked at, and neither are the user's home folder and what is above it: whatever lies there, it is no
/// project.
pub fn python_root(path: &Path, roots: &Roots, home: Option<&Path>) -> PathBuf {
    let own = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
    let inside =
        |folder: &&Path| roots.contains(folder) && !home.is_some_and(|home| home.starts_with(folder));
    let all: Vec<&Path> = own.ancestors().take_while(inside).collect();
    let installed = |folder: &&Path| {
        folder.file_name().is_some_and(|name| INSTALLED.iter().any(|installed| name == *installed))
    };
    let outside = all.iter().rposition(installed).map_or(0, |at| at + 1);
    let folders = all.get(outside..).unwrap_or_default();
    let has = |folder: &&&Path, names: &[&str]| names.iter().any(|name| folder.join(name).is_file());
    let found = MARKERS.iter().find_map(|names| folders.iter().find(|folder| has(folder, names)));
    found.map_or(own, |folder| folder).to_owned()
}

impl PythonProject {
    /// Reads the files of a project. What cannot be read says nothing: pyright tells what is wrong with it.
    pub fn read(root: &Path) -> Self {
        let existing = |name: &str| Some(root.join(name)).filter(|path| path.is_file());
        let (pyright_config, pyproject) = (existing("pyrightconfig.json"), existing("pyproject.toml"));
        let table = pyproject.as_deref().and_then(read).and_then(|text| text.parse::<toml::Table>().ok());
        let own = pyright_config.as_deref().and_then(read).and_then(|text| json::parse_lenient(&text));
        let says = |key: &str| match (&own, &table) {
            // pyright reads one of the two, this one first.
            _ if pyright_config.is_some() => own.as_ref().is_some_and(|own| own.text(key).is_some()),
            (_, Some(table)) => pyright_table(table).is_some_and(|own| own.contains_key(key)),
            _ => false,
        };
        // What another file settles is settled; that file is not read here.
        let elsewhere = says("extends");
        let says = |key: &str| elsewhere || says(key);
        Self {
            root: root.to_owned(),
            venv: ENVIRONMENTS.iter().map(|name| root.join(name)).find(|folder| has_interpreter(folder)),
            configures_version: says("pythonVersion"),
            configures_venv: says("venv"),
            configures_venv_path: says("venvPath"),
            python_version: table.as_ref().and_then(oldest),
            pyright_config,
            pyproject,
        }
    }
}

fn pyright_table(table: &toml::Table) -> Option<&toml::Table> {
    table.get("tool")?.get("pyright")?.as_table()
}

fn has_interpreter(folder: &Path) -> bool {
    ["bin/python", "bin/python3", "Scripts/python.exe"].iter().any(|place| folder.join(place).is_file())
}

fn read(path: &Path) -> Option<String> {
    let small = path.metadata().is_ok_and(|data| data.is_file() && data.len() <= LARGEST);
    small.then(|| std::fs::read_to_string(path).ok()).flatten()
}

/// The lower bound of `requires-python`.
fn oldest(table: &toml::Table) -> Option<String> {
    let written = table.get("project")?.get("requires-python")?.as_str()?;
    let bounds = written.split(',').filter_map(|part| {
        let part = part.trim();
        let version = [">=", "~=", "=="].iter().find_map(|operator| part.strip_prefix(operator))?;
        let mut numbers = version.trim().split('.');
        let (major, minor) = (numbers.next()?.parse::<u32>().ok()?, numbers.next()?.parse::<u32>().ok()?);
        Some((major, minor))
    });
    let (major, minor) = bounds.max()?;
    (major == 3 && minor >= OLDEST_MINOR).then(|| format!("{major}.{minor}"))
}

/// What pyright writes about itself, for `--version`: the second word of `pyright 1.1.414`.
pub(super) fn version(said: &str) -> Option<String> {
    let line = said.lines().find(|line| line.starts_with("pyright "))?;
    line.split_whitespace().nth(1).map(str::to_owned)
}

/// A severity as a word, or as the number that it has in the protocol of language servers.
pub(super) fn severity(row: &Json) -> Option<&str> {
    match row.get("severity")?.as_u64() {
        Some(1) => Some("error"),
        Some(2) => Some("warning"),
        Some(3) => Some("information"),
        Some(_) => Some("hint"),
        None => row.text("severity"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use orienteer_testkit::tree;

    #[test]
    fn the_nearest_configuration_shows_the_project() {
        let tree = tree(
            "//- /pyproject.toml\n//- /app/src/a.py\n//- /app/setup.py\n//- /lib/pyrightconfig.json\n{}\n//- /lib/deep/b.py\n\
             //- /.venv/lib/site-packages/x/pyproject.toml\n//- /.venv/lib/site-packages/x/y.py\n",
        );
        let roots = Roots::new(tree.root(), &[]).unwrap();
        let root = |path: &str| {
            let found = python_root(&tree.root().join(path), &roots, None);
            found.strip_prefix(tree.root()).unwrap().display().to_string()
        };
        assert_eq!(root("app/src/a.py"), "", "its own configuration counts more than a setup.py");
        assert_eq!(root("lib/deep/b.py"), "lib");
        assert_eq!(root("lib/deep"), "lib");
        assert_eq!(
            root(".venv/lib/site-packages/x/y.py"),
            "",
            "what is installed belongs to the project around it"
        );
        // Nothing above what may be read is looked at.
        let inner = Roots::new(&tree.root().join("app/src"), &[]).unwrap();
        let found = python_root(&tree.root().join("app/src/a.py"), &inner, None);
        assert_eq!(found, tree.root().join("app/src"), "no configuration: the folder of the file");
        let home = python_root(&tree.root().join("app/src/a.py"), &roots, Some(tree.root()));
        assert_eq!(home, tree.root().join("app"), "what lies in the home folder shows no project");
    }

    #[test]
    fn files_say_what_they_say_and_no_more() {
        let tree = tree(
            "//- /a/pyproject.toml\n[project]\nrequires-python = \">=3.9, <4\"\n[tool.pyright]\npythonVersion = \"3.12\"\n\
             //- /b/pyproject.toml\n[project]\nrequires-python = \"~=3.11.2\"\n//- /b/pyrightconfig.json\n// ours\n{ \"venv\": \".venv\", }\n\
             //- /b/venv/bin/python\n//- /c/pyproject.toml\nnot = = toml\n//- /c/pyrightconfig.json\n{ broken\n\
             //- /d/pyproject.toml\n[project]\nrequires-python = \">=2.7\"\n",
        );
        let read = |name: &str| PythonProject::read(&tree.root().join(name));
        let a = read("a");
        assert_eq!(
            (a.python_version.as_deref(), a.configures_version, a.configures_venv),
            (Some("3.9"), true, false)
        );
        let b = read("b");
        assert_eq!(
            (b.python_version.as_deref(), b.configures_venv, b.configures_venv_path),
            (Some("3.11"), true, false)
        );
        assert_eq!(b.venv, Some(tree.root().join("b/venv")));
        assert!(b.pyright_config.is_some() && b.pyproject.is_some());
        let c = read("c");
        assert_eq!((c.python_version, c.configures_version, c.venv), (None, false, None));
        assert_eq!(read("d").python_version, None, "too old to be checked with today's types");
        assert_eq!(
            read("nothing"),
            PythonProject { root: tree.root().join("nothing"), ..PythonProject::default() }
        );
    }

    #[test]
    fn severities_are_words_or_numbers() {
        let severity = |text: &str| super::severity(&json::parse(text).unwrap()).map(str::to_owned);
        assert_eq!(severity(r#"{"severity": 1}"#).as_deref(), Some("error"));
        assert_eq!(severity(r#"{"severity": 2}"#).as_deref(), Some("warning"));
        assert_eq!(severity(r#"{"severity": 3}"#).as_deref(), Some("information"));
        assert_eq!(severity(r#"{"severity": "warning"}"#).as_deref(), Some("warning"));
        assert_eq!(severity(r#"{"severity": true}"#), None);
    }

    #[test]
    fn a_version_is_found_behind_what_a_wrapper_prints() {
        assert_eq!(version("pyright 1.1.414\n").as_deref(), Some("1.1.414"));
        assert_eq!(version("WARNING: there is a newer one\npyright 1.1.350\n").as_deref(), Some("1.1.350"));
        assert_eq!(version("command not found"), None);
    }
}

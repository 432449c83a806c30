//! Which projects are asked about?
//!
//! For Cargo the folder that holds a package's manifest (its workspace is Cargo's to tell), for TypeScript every
//! nearest `tsconfig.json` with those it refers to, for Python the nearest folder with a project file. Ignored
//! folders, `node_modules`, caches and virtual environments hold no projects of the user's.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use orienteer_base::question::{EntryType, FindQuery};
use orienteer_base::{Cancel, Problem, RootedPath, Roots};

use super::json::{self, Fields};

/// More of one kind in one call are named, not checked.
const MOST: usize = 16;
/// Files with a name that are looked at.
const LISTED: usize = 20_000;
const MANIFEST: &str = "Cargo.toml";
const TSCONFIG: &str = "tsconfig.json";
const PYTHON: [&str; 3] = ["pyrightconfig.json", "pyproject.toml", "setup.py"];
/// What says that a folder is a cache or a virtual environment.
const FOREIGN: [&str; 2] = ["CACHEDIR.TAG", "pyvenv.cfg"];

/// Canonical paths, in order.
#[derive(Debug, Default)]
pub(super) struct Projects {
    pub(super) cargo: CargoProjects,
    /// Configuration files.
    pub(super) typescript: Vec<PathBuf>,
    /// Files that somebody asked about one by one: a configuration may leave them out.
    pub(super) named_typescript: Vec<PathBuf>,
    /// Folders.
    pub(super) python: Vec<PathBuf>,
    pub(super) left_out: Vec<String>,
}

#[derive(Debug, Default)]
pub(super) struct CargoProjects {
    /// Folders with manifests.
    pub(super) folders: Vec<PathBuf>,
    /// Manifests below those: members of their workspaces, or packages of their own.
    pub(super) nested: Vec<PathBuf>,
}

pub(super) fn find(roots: &Roots, scope: &[RootedPath], cancel: &Cancel) -> Result<Projects, Problem> {
    let mut finder = Finder { roots, cancel, sets: Sets::default(), left_out: Vec::new() };
    for path in scope {
        cancel.check()?;
        if path.absolute().is_dir() { finder.folder(path)? } else { finder.file(path) }
    }
    Ok(finder.finish())
}

#[derive(Debug, Default)]
struct Sets {
    cargo: BTreeSet<PathBuf>,
    nested: BTreeSet<PathBuf>,
    typescript: BTreeSet<PathBuf>,
    named_typescript: Vec<PathBuf>,
    python: BTreeSet<PathBuf>,
}

struct Finder<'a> {
    roots: &'a Roots,
    cancel: &'a Cancel,
    sets: Sets,
    left_out: Vec<String>,
}

impl Finder<'_> {
    fn file(&mut self, path: &RootedPath) {
        let file = path.absolute();
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let none = match extension {
            _ if name == MANIFEST => self.take_cargo(file),
            "rs" => self.take_cargo(file),
            "json" if name.starts_with("tsconfig") => {
                self.sets.typescript.insert(file.to_owned());
                None
            }
            "ts" | "tsx" | "mts" | "cts" | "js" | "jsx" | "mjs" | "cjs" => {
                match self.above(file, &[TSCONFIG]) {
                    Some(folder) => {
                        self.sets.typescript.insert(folder.join(TSCONFIG));
                        self.sets.named_typescript.push(file.to_owned());
                        None
                    }
                    None => Some("no `tsconfig.json` in its folder or above"),
                }
            }
            _ if extension == "py" || extension == "pyi" || PYTHON.contains(&name) => {
                // Without a project file the widest folder that may be read is the project.
                let widest = || file.ancestors().filter(|folder| self.roots.contains(folder)).last();
                let root = self.above(file, &PYTHON).or_else(|| widest().map(Path::to_owned));
                self.sets.python.extend(root);
                None
            }
            _ => Some("no compiler is known for this kind of file"),
        };
        self.left_out.extend(none.map(|reason| format!("{}: {reason}", path.shown())));
    }

    fn take_cargo(&mut self, file: &Path) -> Option<&'static str> {
        let folder = self.above(file, &[MANIFEST]);
        let none = folder.is_none().then_some("no `Cargo.toml` in its folder or above");
        self.sets.cargo.extend(folder);
        none
    }

    /// The nearest folder from `path` upwards, inside the roots, that has one of these files.
    fn above(&self, path: &Path, names: &[&str]) -> Option<PathBuf> {
        let inside = path.ancestors().take_while(|folder| self.roots.contains(folder));
        inside
            .into_iter()
            .find(|folder| names.iter().any(|name| folder.join(name).is_file()))
            .map(Path::to_owned)
    }

    fn folder(&mut self, scope: &RootedPath) -> Result<(), Problem> {
        let folder = scope.absolute();
        let mut markers = self.list(scope, &[MANIFEST, TSCONFIG, PYTHON[0], PYTHON[1], PYTHON[2]])?;
        let python = self.list(scope, &["*.py", "*.pyi"])?;
        let typescript = self.list(scope, &["*.ts", "*.tsx", "*.mts", "*.cts"])?;
        let rust = self.list(scope, &["*.rs"])?;
        markers.sort();
        let named = |names: &[&str]| -> Vec<PathBuf> {
            let wanted = |path: &&PathBuf| names.iter().any(|name| path.ends_with(name));
            markers.iter().filter(wanted).cloned().collect()
        };

        let manifests = named(&[MANIFEST]);
        let is_rust = !rust.is_empty() || !manifests.is_empty();
        let mut outermost: Vec<PathBuf> =
            self.above(folder, &[MANIFEST]).filter(|_| is_rust).into_iter().collect();
        for manifest in manifests {
            let Some(parent) = manifest.parent() else { continue };
            if outermost.iter().any(|outer| parent != outer && parent.starts_with(outer)) {
                self.sets.nested.insert(manifest);
            } else {
                outermost.push(parent.to_owned());
            }
        }
        self.sets.cargo.extend(outermost);

        let configurations = named(&[TSCONFIG]);
        let uncovered = |files: &[PathBuf], roots: &[PathBuf]| {
            files.iter().any(|file| !roots.iter().any(|root| file.starts_with(root)))
        };
        let folders: Vec<PathBuf> =
            configurations.iter().filter_map(|file| Some(file.parent()?.to_owned())).collect();
        if uncovered(&typescript, &folders) {
            match self.above(folder, &[TSCONFIG]) {
                Some(above) => drop(self.sets.typescript.insert(above.join(TSCONFIG))),
                None => self.left_out.push(format!(
                    "{}: TypeScript files with no `tsconfig.json` in their folder or above",
                    scope.shown()
                )),
            }
        }
        self.sets.typescript.extend(configurations);

        if !python.is_empty() {
            let with_files = |root: &PathBuf| python.iter().any(|file| file.starts_with(root));
            let mut roots: Vec<PathBuf> = named(&PYTHON)
                .iter()
                .filter_map(|file| Some(file.parent()?.to_owned()))
                .filter(with_files)
                .collect();
            if uncovered(&python, &roots) {
                roots.push(self.above(folder, &PYTHON).unwrap_or_else(|| folder.to_owned()));
            }
            self.sets.python.extend(roots);
        }
        Ok(())
    }

    /// The files below a folder with such names, as the walk of every other tool finds them.
    fn list(&mut self, scope: &RootedPath, names: &[&str]) -> Result<Vec<PathBuf>, Problem> {
        let query = FindQuery {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            entry_type: Some(EntryType::File),
            exclude_dirs: vec!["node_modules".to_owned()],
            files_per_page: LISTED,
            ..FindQuery::everything(scope.clone())
        };
        let listing = orienteer_search::find_files(self.roots, &query, self.cancel)?.value;
        if listing.total_count > LISTED as u64 && names.contains(&MANIFEST) {
            let more = listing.total_count - LISTED as u64;
            self.left_out.push(format!("{}: {more} more project files", scope.shown()));
        }
        let paths = listing.entries.iter().filter_map(|entry| self.roots.resolve(&entry.path).ok());
        let mut foreign = Foreign::default();
        Ok(paths
            .map(|path| path.absolute().to_owned())
            .filter(|path| !foreign.holds(scope.absolute(), path))
            .collect())
    }

    fn finish(mut self) -> Projects {
        let sets = std::mem::take(&mut self.sets);
        let (mut typescript, mut seen) = (BTreeSet::new(), BTreeSet::new());
        for file in sets.typescript {
            self.refer(file, &mut typescript, &mut seen);
        }
        let folders = self.cap("cargo", sets.cargo);
        let cargo = CargoProjects { folders, nested: sets.nested.into_iter().collect() };
        let typescript = self.cap("tsc", typescript);
        let python = self.cap("pyright", sets.python);
        let named_typescript = sets.named_typescript;
        Projects { cargo, typescript, named_typescript, python, left_out: self.left_out }
    }

    /// Takes a configuration and those it refers to. One that has no files of its own is not run: `tsc` says
    /// nothing about it, which would look like a project without mistakes.
    fn refer(&mut self, file: PathBuf, into: &mut BTreeSet<PathBuf>, seen: &mut BTreeSet<PathBuf>) {
        if !seen.insert(file.clone()) {
            return;
        }
        let small = file.metadata().is_ok_and(|data| data.len() <= 1 << 20);
        let json = small.then(|| std::fs::read_to_string(&file).ok()).flatten();
        let Some(json) = json.and_then(|text| json::parse_lenient(&text)) else {
            // What is wrong with it is `tsc`'s to say.
            into.insert(file);
            return;
        };
        let references = json.list("references");
        let is_empty =
            json.get("files").is_some() && json.list("files").is_empty() && json.get("include").is_none();
        if references.is_empty() || !is_empty {
            into.insert(file.clone());
        }
        for written in references.iter().filter_map(|reference| reference.text("path")) {
            let path = file.parent().unwrap_or(&file).join(written);
            let path = if path.is_dir() { path.join(TSCONFIG) } else { path };
            match std::fs::canonicalize(&path) {
                Ok(path) if self.roots.contains(&path) => self.refer(path, into, seen),
                _ => {
                    let shown = self.roots.show(&file);
                    self.left_out
                        .push(format!("{shown}: refers to `{written}`, which is not in the allowed roots"));
                }
            }
        }
    }

    /// The first of them, outermost first; the others are named.
    fn cap(&mut self, checker: &str, found: BTreeSet<PathBuf>) -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> = found.into_iter().collect();
        found.sort_by_key(|path| path.components().count());
        for path in found.drain(MOST.min(found.len())..) {
            self.left_out
                .push(format!("{}: more than {MOST} projects for {checker}", self.roots.show(&path)));
        }
        found
    }
}

/// Remembers which folders are caches or virtual environments.
#[derive(Debug, Default)]
struct Foreign {
    known: std::collections::HashMap<PathBuf, bool>,
}

impl Foreign {
    /// Whether `path` lies in such a folder below `scope`. The scope itself was asked for.
    fn holds(&mut self, scope: &Path, path: &Path) -> bool {
        let Some(folder) = path.parent().filter(|folder| *folder != scope && folder.starts_with(scope))
        else {
            return false;
        };
        if let Some(known) = self.known.get(folder) {
            return *known;
        }
        let is_foreign = FOREIGN.iter().any(|name| folder.join(name).exists()) || self.holds(scope, folder);
        self.known.insert(folder.to_owned(), is_foreign);
        is_foreign
    }
}

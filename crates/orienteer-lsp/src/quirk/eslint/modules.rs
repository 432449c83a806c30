//! Which files is a configuration of ESLint made of?
//!
//! It is code, and a process keeps the modules that it has loaded as they were. Every string of a module that leads to a file
//! counts, so that more may be found than is loaded, and nothing is run for it.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Modules of all configurations of a project, and how long one may be.
const MOST: usize = 512;
const LONGEST: u64 = 1 << 20;

/// What a path in an import may leave out.
const ENDINGS: &[&str] =
    &["", ".js", ".cjs", ".mjs", ".ts", ".json", "/index.js", "/index.cjs", "/index.mjs"];

/// The configurations and what they lead to: files by a relative path, and packages of the project that `node_modules` links
/// to. What is installed there is seen by the mark that its installer leaves.
pub(crate) fn of(configurations: Vec<PathBuf>, root: &Path) -> Vec<PathBuf> {
    let mut known: HashSet<PathBuf> = configurations.iter().cloned().collect();
    let mut packages = Packages::default();
    let mut files = configurations;
    let mut at = 0;
    while let Some(file) = files.get(at).cloned() {
        for named in named_by(&file, root, &mut packages) {
            if files.len() < MOST && known.insert(named.clone()) {
                files.push(named);
            }
        }
        at += 1;
    }
    if files.len() >= MOST {
        tracing::warn!(
            "the configuration of ESLint is made of more than {MOST} files: a change to others is not seen"
        );
    }
    files
}

/// Packages by a name and the folder it is used in, and those whose sources were listed: a name stands in many modules.
#[derive(Default)]
struct Packages {
    linked: HashMap<(PathBuf, String), Option<PathBuf>>,
    listed: HashSet<PathBuf>,
}

impl Packages {
    /// The sources of a package of the project, the first time that it is named.
    fn sources(&mut self, name: String, from: &Path, root: &Path) -> Vec<PathBuf> {
        let linked = self.linked.entry((from.to_path_buf(), name));
        let folder = linked.or_insert_with_key(|(from, name)| linked_to(name, from, root)).clone();
        match folder {
            Some(folder) if self.listed.insert(folder.clone()) => sources(&folder),
            _ => Vec::new(),
        }
    }
}

fn named_by(module: &Path, root: &Path, packages: &mut Packages) -> Vec<PathBuf> {
    let is_short = |metadata: std::fs::Metadata| metadata.is_file() && metadata.len() <= LONGEST;
    if !std::fs::metadata(module).is_ok_and(is_short) {
        return Vec::new();
    }
    let text = std::fs::read_to_string(module).unwrap_or_default();
    let folder = module.parent().unwrap_or(module);
    let mut found = Vec::new();
    for part in text.split(['"', '\'', '`']).skip(1) {
        if part.starts_with("./") || part.starts_with("../") {
            found.extend(file_at(&folder.join(part)));
        } else if let Some(name) = package_name(part) {
            found.extend(packages.sources(name, folder, root));
        }
    }
    found
}

fn file_at(path: &Path) -> Option<PathBuf> {
    let mut ways = ENDINGS.iter().map(|ending| {
        let mut way = path.as_os_str().to_owned();
        way.push(ending);
        PathBuf::from(way)
    });
    std::fs::canonicalize(ways.find(|way| way.is_file())?).ok()
}

/// `name` or `@scope/name`, without what is named inside of it.
fn package_name(part: &str) -> Option<String> {
    let is_name = |name: &str| {
        !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '@'))
    };
    let mut names = part.split('/');
    let first = names.next().filter(|first| is_name(first) && first.len() < 200)?;
    if !first.starts_with('@') {
        return Some(first.to_owned());
    }
    let second = names.next().filter(|second| is_name(second) && second.len() < 200)?;
    Some(format!("{first}/{second}"))
}

/// The folder of the project that a package is a link to.
fn linked_to(name: &str, from: &Path, root: &Path) -> Option<PathBuf> {
    let above = from.ancestors().take_while(|folder| folder.starts_with(root));
    let link = above.map(|folder| folder.join("node_modules").join(name)).find(|path| path.exists())?;
    let real = std::fs::canonicalize(link).ok()?;
    let inside = real.strip_prefix(root).ok()?;
    let is_installed = inside.components().any(|part| part.as_os_str() == "node_modules");
    (!is_installed && real.is_dir() && real != root).then_some(real)
}

/// The sources of a package.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let Ok(kind) = entry.file_type() else { continue };
            let is_source = path.extension().is_some_and(|extension| {
                ["js", "cjs", "mjs", "ts", "cts", "mts", "json"].iter().any(|known| extension == *known)
            });
            if kind.is_dir() && name != "node_modules" && !name.to_string_lossy().starts_with('.') {
                folders.push(path);
            } else if kind.is_file() && is_source {
                found.push(path);
            }
            if found.len() >= MOST || folders.len() >= MOST {
                return found;
            }
        }
    }
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn files_and_packages_of_the_project() {
        let tree = orienteer_testkit::tree(
            "//- /eslint.config.js\nimport a from './tools/a';\nimport b from \"plugin\";\nconst c = './none';\n\
             import own from '@acme/rules/flat';\n\
             //- /tools/a.js\nexport * from \"../tools/rules/index.js\";\nimport '../eslint.config.js';\n\
             //- /tools/rules/index.js\nexport const rule = require(`./data`);\n//- /tools/rules/data.json\n{}\n\
             //- /packages/a/eslint.config.js\nimport '../a/own';\n//- /packages/a/own.mjs\n\
             //- /packages/rules/package.json\n{}\n//- /packages/rules/src/flat.ts\n\
             //- /packages/rules/node_modules/x/x.js\n//- /packages/rules/notes.md\n\
             //- /node_modules/plugin/index.js\nimport '@acme/rules';\n",
        );
        std::fs::create_dir_all(tree.root().join("node_modules/@acme")).unwrap();
        let link = tree.root().join("node_modules/@acme/rules");
        std::os::unix::fs::symlink("../../packages/rules", link).unwrap();
        let configurations =
            ["eslint.config.js", "packages/a/eslint.config.js"].map(|name| tree.root().join(name));
        let files = of(configurations.to_vec(), tree.root());
        let mut shown: Vec<_> =
            files.iter().map(|file| file.strip_prefix(tree.root()).unwrap().to_str().unwrap()).collect();
        shown.sort_unstable();
        let expected = [
            "eslint.config.js",
            "packages/a/eslint.config.js",
            "packages/a/own.mjs",
            "packages/rules/package.json",
            "packages/rules/src/flat.ts",
            "tools/a.js",
            "tools/rules/data.json",
            "tools/rules/index.js",
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn names_of_packages() {
        assert_eq!(package_name("@acme/rules/flat").as_deref(), Some("@acme/rules"));
        assert_eq!(package_name("globals").as_deref(), Some("globals"));
        for odd in ["", "@acme", "a b", "/etc", "..\\x"] {
            assert_eq!(package_name(odd), None, "{odd}");
        }
    }
}

//! Has somebody installed or removed what the project depends on?
//!
//! Folders of dependencies are ignored by version control and too large to watch. What installs into them leaves a
//! mark: the list of what is installed, or the folder itself. A server that was started before looks at what was
//! there then; it is started again. The same holds for a configuration that is code and was run by then.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::definition::Definition;

/// Written by npm, Yarn and pnpm when they are done.
const NODE: &[&str] = &[".package-lock.json", ".yarn-state.yml", ".modules.yaml"];

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Sentinels(Vec<(PathBuf, Option<SystemTime>)>);

impl Sentinels {
    /// What is to be looked at for a server of a project, as it is now.
    pub(crate) fn of(definition: &Definition, root: &Path, workspace: &Path) -> Self {
        let mut folders = vec![root];
        if workspace != root {
            folders.push(workspace);
        }
        let takes = |extension: &str| definition.extensions.contains_key(extension);
        let mut paths = Vec::new();
        for folder in folders {
            if takes("ts") || takes("js") || takes("vue") || takes("svelte") {
                paths.extend(NODE.iter().map(|name| folder.join("node_modules").join(name)));
            }
            if takes("py") {
                for name in [".venv", "venv"] {
                    paths.push(folder.join(name).join("pyvenv.cfg"));
                    paths.extend(site_packages(&folder.join(name)));
                }
            }
        }
        Self::default().and(paths)
    }

    /// The same with these files.
    pub(crate) fn and(mut self, paths: Vec<PathBuf>) -> Self {
        self.0.extend(paths.into_iter().map(|path| (modified(&path), path)).map(|(at, path)| (path, at)));
        self
    }

    /// Whether any of it is not what it was.
    pub(crate) fn moved(&self) -> bool {
        self.0.iter().any(|(path, at)| modified(path) != *at)
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}

/// Installing a package makes an entry in this folder.
fn site_packages(environment: &Path) -> Vec<PathBuf> {
    let Ok(versions) = std::fs::read_dir(environment.join("lib")) else { return Vec::new() };
    versions
        .flatten()
        .map(|version| version.path().join("site-packages"))
        .filter(|path| path.is_dir())
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::catalog;

    fn definition(id: &str) -> Definition {
        catalog::built_in().unwrap().into_iter().find(|definition| definition.id == id).unwrap()
    }

    #[test]
    fn installing_is_seen_and_editing_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let sentinels = Sentinels::of(&definition("typescript-native"), root, root);
        std::fs::write(root.join("a.ts"), "").unwrap();
        assert!(!sentinels.moved());
        std::fs::create_dir(root.join("node_modules")).unwrap();
        std::fs::create_dir(root.join("node_modules/.cache")).unwrap();
        assert!(!sentinels.moved(), "a cache is not an installation");
        std::fs::write(root.join("node_modules/.package-lock.json"), "{}").unwrap();
        assert!(sentinels.moved());
    }

    #[test]
    fn a_package_in_a_virtual_environment_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let packages = root.join(".venv/lib/python3.11/site-packages");
        std::fs::create_dir_all(&packages).unwrap();
        let sentinels = Sentinels::of(&definition("pyright"), root, root);
        assert!(!sentinels.moved());
        std::thread::sleep(std::time::Duration::from_millis(20));
        std::fs::create_dir(packages.join("requests")).unwrap();
        assert!(sentinels.moved());
        assert!(!Sentinels::of(&definition("clangd"), root, root).moved());
    }
}

//! Allow-list of toolchain and package folders: of which files outside the roots may be shown what they say?
//!
//! The folders are data, in `libraries.toml`.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use orienteer_process::Environment;

const TABLE: &str = include_str!("../libraries.toml");

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    never: Vec<String>,
    /// For people, by toolchain.
    folders: BTreeMap<String, Vec<String>>,
}

/// See the module.
#[derive(Debug)]
pub struct Libraries {
    folders: GlobSet,
    never: GlobSet,
}

impl Libraries {
    /// The folders of this machine and this user. Looks at the disk.
    pub fn new(environment: &Environment) -> Self {
        let table = toml::from_str(TABLE).unwrap_or(Table { never: Vec::new(), folders: BTreeMap::new() });
        let folders = table.folders.into_values().flatten();
        let folders = folders.filter_map(|written| glob(&written, environment));
        Self {
            folders: set(folders.flat_map(|glob| [format!("{glob}/**"), glob])),
            never: set(table.never.into_iter()),
        }
    }

    /// Whether what the file at a canonical path says may be shown although it lies outside the roots.
    pub fn hold(&self, path: &Path) -> bool {
        self.folders.is_match(path) && !self.never.is_match(path)
    }
}

/// What cannot be read is left out: less is shown then.
fn set(globs: impl Iterator<Item = String>) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        match GlobBuilder::new(&glob).literal_separator(true).backslash_escape(!cfg!(windows)).build() {
            Ok(glob) => _ = set.add(glob),
            Err(error) => tracing::warn!(%error, "a folder of libraries is not known"),
        }
    }
    set.build().unwrap_or_default()
}

/// A folder as a glob for canonical paths; `None` where there is none.
fn glob(written: &str, environment: &Environment) -> Option<String> {
    if written.starts_with("**/") {
        return Some(written.to_owned());
    }
    let (first, rest) = written.split_once('/').unwrap_or((written, ""));
    let home = || environment.get("HOME").or_else(|| environment.get("USERPROFILE")).map(PathBuf::from);
    let base = match first.as_bytes().first() {
        None => PathBuf::from("/"),
        Some(b'~') => home()?,
        Some(b'$') => PathBuf::from(environment.get(&first[1..]).filter(|value| !value.is_empty())?),
        Some(b'@') => beside(&first[1..], environment)?,
        Some(_) => return None,
    };
    let mut known = base;
    let mut names = rest.split('/').filter(|name| !name.is_empty()).peekable();
    while let Some(name) = names.next_if(|name| !name.contains('*')) {
        known.push(name);
    }
    // Links on the way are none in the paths that are compared.
    let known = std::fs::canonicalize(known).ok()?;
    let around_home = home().is_some_and(|home| {
        home.starts_with(&known) || std::fs::canonicalize(home).is_ok_and(|home| home.starts_with(&known))
    });
    let names: Vec<&str> = names.collect();
    let is_root = !known.components().any(|part| matches!(part, Component::Normal(_)));
    if names.is_empty() && (is_root || around_home) {
        return None;
    }
    let known = globset::escape(known.to_str()?);
    Some(std::iter::once(known.as_str()).chain(names).collect::<Vec<_>>().join("/"))
}

/// The folder in which a program was installed.
fn beside(program: &str, environment: &Environment) -> Option<PathBuf> {
    let found = environment.which(program, Path::new("/")).into_iter().next()?;
    let real = std::fs::canonicalize(found).ok()?;
    let folder = real.parent()?;
    Some(if folder.file_name()? == "bin" { folder.parent()? } else { folder }.to_owned())
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn the_table_is_read_and_every_folder_in_it_is_written_as_it_says() {
        let table: Table = toml::from_str(TABLE).unwrap();
        for written in table.folders.values().flatten() {
            let known = ["/", "~/", "$", "@", "**/"];
            assert!(known.iter().any(|start| written.starts_with(start)), "{written}");
            assert!(!written.ends_with('/') && written != "~", "{written}");
        }
        let globs = table.never.into_iter();
        assert_eq!(set(globs.clone()).len(), globs.count());
    }

    #[test]
    fn toolchains_and_packages_are_shown_and_nothing_else_that_a_project_could_name() {
        let temp = tempfile::tempdir().unwrap();
        let base = temp.path().canonicalize().unwrap();
        let home = base.join("home");
        let made = |path: &str| {
            let path = base.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            path
        };
        let tool = made("tools/go-9/bin/go");
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir_all(base.join("path")).unwrap();
        symlink(&tool, base.join("path/go")).unwrap();
        let shown = [
            made("home/.cargo/registry/src/index/serde-1.0.0/src/lib.rs"),
            made("home/.rustup/toolchains/stable/lib/rustlib/src/rust/library/core/src/lib.rs"),
            made("cargo/registry/src/index/a/src/lib.rs"),
            made("tools/go-9/src/fmt/print.go"),
            made("home/.opam/5.1/lib/base/list.ml"),
            made("anywhere/node_modules/typescript/lib/lib.es5.d.ts"),
            made("venv/lib/python3.12/site-packages/botocore/credentials.py"),
            made("home/.pyenv/versions/3.12/lib/python3.12/os.py"),
        ];
        let hidden = [
            made("home/.cargo/credentials.toml"),
            made("home/.ssh/config"),
            made("home/notes.h"),
            made("home/.config/app/settings.json"),
            made("etc/passwd"),
            made("tools/go-9/VERSION"),
            made("anywhere/node_modules/package/.env"),
            made("anywhere/node_modules/package/key.pem"),
            made("home/.cargo/registry/src/index/serde-1.0.0/.ssh/config"),
            made("other/src/main.rs"),
        ];
        let environment = Environment::from_pairs([
            ("HOME", home.display().to_string()),
            ("CARGO_HOME", base.join("cargo").display().to_string()),
            ("PATH", base.join("path").display().to_string()),
            // Whoever has everything in one folder does not mean that all of it may be shown.
            ("GOROOT", "/".to_owned()),
            ("JAVA_HOME", base.display().to_string()),
        ]);
        let libraries = Libraries::new(&environment);
        for path in shown {
            assert!(libraries.hold(&path), "{}", path.display());
        }
        for path in hidden {
            assert!(!libraries.hold(&path), "{}", path.display());
        }
        for path in ["/etc/passwd", "/etc/shadow", "/proc/self/environ", "/usr/lib/app/.env", "/"] {
            assert!(!libraries.hold(Path::new(path)), "{path}");
        }
        if Path::new("/usr/include").is_dir() {
            assert!(libraries.hold(Path::new("/usr/include/stdio.h")));
        }
    }
}

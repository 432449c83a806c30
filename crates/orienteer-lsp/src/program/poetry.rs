//! Which environment did Poetry make for a project?
//!
//! Poetry calls it `<name>-<hash of the project's folder>-py3.11` in one folder for all projects.

use std::path::{Path, PathBuf};

use orienteer_process::Environment;

use super::python::{interpreter, text_at};

/// How much of a project's name Poetry keeps.
const NAME_CHARS: usize = 42;

/// The environment, when it can only be one. Two checkouts of a project have two hashes with one name, and nothing that
/// we could read tells which is which.
pub(super) fn environment(project_root: &Path, environment: &Environment) -> Option<PathBuf> {
    let prefix = format!("{}-", name(project_root)?);
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for folder in folders(environment) {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for entry in entries.flatten() {
            let file_name = entry.file_name().to_string_lossy().into_owned();
            let hash = file_name
                .strip_prefix(&prefix)
                .and_then(|rest| rest.rsplit_once("-py"))
                .map(|(hash, _)| hash);
            if let Some(hash) = hash.filter(|hash| hash.len() == 8)
                && interpreter(&entry.path()).is_some()
            {
                found.push((hash.to_owned(), entry.path()));
            }
        }
    }
    let hash = found.first()?.0.clone();
    if found.iter().any(|(other, _)| *other != hash) {
        return None;
    }
    // One project with several versions of Python: the one that was used last.
    let changed = |path: &PathBuf| path.metadata().and_then(|data| data.modified()).ok();
    found.into_iter().map(|(_, path)| path).max_by_key(changed)
}

/// The name as Poetry writes it; `None` when it is not a project of Poetry's.
fn name(project_root: &Path) -> Option<String> {
    let text = orienteer_base::settings_file::read_settings(&project_root.join("pyproject.toml"))?;
    let table: toml::Table = text.parse().ok()?;
    let poetry = table.get("tool").and_then(|tool| tool.get("poetry"));
    if poetry.is_none() && !project_root.join("poetry.lock").is_file() {
        return None;
    }
    let name = poetry
        .and_then(|poetry| poetry.get("name")?.as_str())
        .or_else(|| text_at(&table, ["project", "name"]))?;
    let plain = |letter: char| if " $`!*@\"\\\r\n\t".contains(letter) { '_' } else { letter };
    Some(name.to_lowercase().chars().map(plain).take(NAME_CHARS).collect())
}

/// Where Poetry keeps its environments, on any system.
fn folders(environment: &Environment) -> Vec<PathBuf> {
    let folder = |name: &str| environment.get(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let below = |name: &str, path: &str| folder(name).map(|folder| folder.join(path));
    [
        folder("POETRY_VIRTUALENVS_PATH"),
        below("POETRY_CACHE_DIR", "virtualenvs"),
        below("XDG_CACHE_HOME", "pypoetry/virtualenvs"),
        below("HOME", ".cache/pypoetry/virtualenvs"),
        below("HOME", "Library/Caches/pypoetry/virtualenvs"),
        below("LOCALAPPDATA", "pypoetry/Cache/virtualenvs"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use orienteer_testkit::{Tree, tree};

    fn make(folder: &Path) {
        std::fs::create_dir_all(folder.join("bin")).unwrap();
        std::fs::write(folder.join("bin/python"), "").unwrap();
    }

    fn found(tree: &Tree) -> Option<String> {
        let environment_ = Environment::default().with("HOME", tree.beside("home"));
        environment(tree.root(), &environment_)
            .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
    }

    #[test]
    fn by_the_name_of_the_project() {
        let tree = tree("//- /pyproject.toml\n[tool.poetry]\nname = \"My Shop\"\n");
        let all = tree.beside("home").join(".cache/pypoetry/virtualenvs");
        for other in ["my_shop-extra-AbCd1234-py3.11", "other-AbCd1234-py3.11", "my_shop-short-py3.11"] {
            make(&all.join(other));
        }
        std::fs::create_dir_all(all.join("my_shop-AbCd1234-py3.9")).unwrap();
        assert_eq!(found(&tree), None, "none with an interpreter");
        make(&all.join("my_shop-AbCd1234-py3.11"));
        assert_eq!(found(&tree).as_deref(), Some("my_shop-AbCd1234-py3.11"));
        make(&all.join("my_shop-ZZZZ1234-py3.11"));
        assert_eq!(found(&tree), None, "two checkouts cannot be told apart");
    }

    #[test]
    fn other_projects_have_no_environment_of_poetry() {
        let tree = tree("//- /pyproject.toml\n[project]\nname = \"shop\"\n");
        make(&tree.beside("home").join(".cache/pypoetry/virtualenvs/shop-AbCd1234-py3.11"));
        assert_eq!(found(&tree), None);
        tree.write("poetry.lock", "");
        assert!(found(&tree).is_some());
    }
}

//! Which Python environment belongs to a project?
//!
//! Found by looking only: neither Python, Poetry, uv nor conda is run.

use std::path::{Path, PathBuf};

use orienteer_base::Roots;
use orienteer_base::settings_file::read_settings;
use orienteer_process::Environment;

use super::poetry;
use super::trust::Trusted;
use crate::definition::Definition;

/// Whether the user has said which Python it is.
pub(super) fn is_given(definition: &Definition) -> bool {
    [&definition.settings, &definition.initialization_options].into_iter().any(|options| {
        let python = &options["python"];
        let of_python = ["pythonPath", "venvPath", "venv", "defaultInterpreterPath"]
            .iter()
            .any(|key| !python[*key].is_null());
        of_python || !options["ty"]["configuration"]["environment"]["python"].is_null()
    })
}

/// The folder of the environment, if there is one that may be used: the servers run its interpreter.
pub(super) fn environment(
    project_root: &Path,
    roots: &Roots,
    environment: &Environment,
    trusted: &Trusted,
) -> Option<PathBuf> {
    let usable = |folder: &PathBuf| interpreter(folder).is_some_and(|python| trusted.allows(&python));
    active(project_root, roots, environment)
        .filter(usable)
        .or_else(|| in_project(project_root, roots).into_iter().find(usable))
        .or_else(|| poetry::environment(project_root, environment).filter(usable))
        .or_else(|| conda(project_root, roots, environment).filter(usable))
}

/// The libraries of the project's environment, for a server that must not run its interpreter: they are only read.
pub(super) fn libraries(project_root: &Path, roots: &Roots) -> Vec<PathBuf> {
    let Some(folder) =
        in_project(project_root, roots).into_iter().find(|folder| interpreter(folder).is_some())
    else {
        return Vec::new();
    };
    let versions = std::fs::read_dir(folder.join("lib")).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = versions.map(|version| version.path().join("site-packages")).collect();
    found.push(folder.join("Lib").join("site-packages"));
    found.retain(|path| path.is_dir());
    found.sort();
    found
}

/// The interpreter of an environment; `None` when the folder is none.
pub(super) fn interpreter(folder: &Path) -> Option<PathBuf> {
    let places = ["bin/python", "bin/python3", "Scripts/python.exe", "python.exe"];
    places.iter().map(|place| folder.join(place)).find(|path| path.is_file())
}

/// The active environment, where it has to do with this project. We may have been started from a shell in which
/// another project's is active.
fn active(project_root: &Path, roots: &Roots, environment: &Environment) -> Option<PathBuf> {
    let folder = PathBuf::from(environment.get("VIRTUAL_ENV")?);
    let around = folder.parent()?;
    let related = folder.starts_with(roots.workspace())
        || folder.starts_with(project_root)
        || project_root.starts_with(around)
        || roots.workspace().starts_with(around);
    (folder.is_absolute() && related).then_some(folder)
}

/// Where `python -m venv`, uv and Poetry with `in-project` put it.
fn in_project(project_root: &Path, roots: &Roots) -> Vec<PathBuf> {
    let folders = [project_root, roots.workspace()];
    folders.iter().flat_map(|folder| [".venv", "venv"].map(|name| folder.join(name))).collect()
}

/// The environment that `environment.yml` names, else the active one.
fn conda(project_root: &Path, roots: &Roots, environment: &Environment) -> Option<PathBuf> {
    let active = || environment.get("CONDA_PREFIX").map(PathBuf::from).filter(|folder| folder.is_absolute());
    named_by_file(project_root, roots, environment).or_else(active)
}

fn named_by_file(project_root: &Path, roots: &Roots, environment: &Environment) -> Option<PathBuf> {
    let home = PathBuf::from(environment.get("HOME").or_else(|| environment.get("USERPROFILE"))?);
    let files = [project_root, roots.workspace()]
        .into_iter()
        .flat_map(|folder| ["environment.yml", "environment.yaml"].map(|name| folder.join(name)));
    let text = files.filter_map(|file| read_settings(&file)).next()?;
    let name = text.lines().find_map(|line| line.strip_prefix("name:"))?;
    let name = name.split('#').next()?.trim().trim_matches(['"', '\'']);
    // The name comes from the project and must not lead anywhere else.
    if name.is_empty() || Path::new(name).file_name()? != name {
        return None;
    }
    let installations = ["miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", ".conda"];
    let mut folders = installations.iter().map(|place| home.join(place).join("envs").join(name));
    folders.find(|folder| interpreter(folder).is_some())
}

/// A value at a path of keys, for the files of other tools.
pub(super) fn text_at<'t>(table: &'t toml::Table, keys: [&str; 2]) -> Option<&'t str> {
    table.get(keys[0])?.get(keys[1])?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{CatalogOptions, ServerSpec, built_in, merge};
    use orienteer_testkit::{Tree, tree};

    fn everything() -> Trusted {
        Trusted::everything_for_tests()
    }

    fn found(tree: &Tree, project: &str, variables: &[(&str, PathBuf)]) -> Option<PathBuf> {
        let roots = Roots::new(tree.root(), &[]).unwrap();
        let variables =
            Environment::from_pairs(variables.iter().map(|(name, value)| (*name, value.as_os_str())));
        environment(&tree.root().join(project), &roots, &variables, &everything())
    }

    fn make(folder: &Path) -> PathBuf {
        std::fs::create_dir_all(folder.join("bin")).unwrap();
        std::fs::write(folder.join("bin/python"), "").unwrap();
        folder.to_path_buf()
    }

    #[test]
    fn the_usual_names_in_the_project_and_then_in_the_workspace() {
        let tree = tree("//- /app/pyproject.toml\n");
        assert_eq!(found(&tree, "app", &[]), None);
        let outer = make(&tree.root().join(".venv"));
        assert_eq!(found(&tree, "app", &[]), Some(outer));
        std::fs::create_dir_all(tree.root().join("app/.venv")).unwrap();
        let plain = make(&tree.root().join("app/venv"));
        assert_eq!(found(&tree, "app", &[]), Some(plain), "an empty .venv is no environment");
        let dotted = make(&tree.root().join("app/.venv"));
        assert_eq!(found(&tree, "app", &[]), Some(dotted));
    }

    #[test]
    fn the_active_one_counts_only_where_it_belongs_to_the_project() {
        let tree = tree("//- /app/pyproject.toml\n");
        let inside = make(&tree.root().join("app/.venv"));
        let foreign = make(&tree.beside("elsewhere").join("env"));
        assert_eq!(found(&tree, "app", &[("VIRTUAL_ENV", foreign)]), Some(inside));
        let named = make(&tree.root().join("app/envs/dev"));
        assert_eq!(found(&tree, "app", &[("VIRTUAL_ENV", named.clone())]), Some(named));
        let above = make(&tree.root().parent().unwrap().join("env"));
        assert_eq!(
            found(&tree, "app", &[("VIRTUAL_ENV", above.clone())]),
            Some(above),
            "beside the workspace"
        );
        assert_eq!(found(&tree, "app", &[("VIRTUAL_ENV", "app/.venv".into())]), found(&tree, "app", &[]));
    }

    #[test]
    fn conda_by_the_name_in_the_file_then_by_what_is_active() {
        let tree = tree("//- /environment.yml\nchannels: [x]\nname: \"shop\" # ours\n");
        let home = tree.beside("home");
        let base = make(&home.join("miniconda3"));
        let variables = [("HOME", home.clone()), ("CONDA_PREFIX", base.clone())];
        assert_eq!(found(&tree, "", &variables), Some(base));
        let shop = make(&home.join("anaconda3/envs/shop"));
        assert_eq!(found(&tree, "", &variables), Some(shop));
        tree.write("environment.yml", "name: ../../../evil\n");
        make(&home.join("evil"));
        assert_eq!(found(&tree, "", &[("HOME", home)]), None);
    }

    #[test]
    fn what_is_not_allowed_is_not_used() {
        let tree = tree("//- /x.py\n");
        make(&tree.root().join(".venv"));
        let roots = Roots::new(tree.root(), &[]).unwrap();
        let none = Trusted::nothing_for_tests(&roots);
        assert_eq!(environment(tree.root(), &roots, &Environment::default(), &none), None);
    }

    #[test]
    fn a_user_s_python_is_left_alone() {
        let given = |settings: &str| {
            let spec =
                ServerSpec { id: "pyright".into(), settings: Some(settings.into()), ..ServerSpec::default() };
            is_given(&merge(built_in().unwrap(), &[spec], &CatalogOptions::default())[0])
        };
        assert!(given(r#"{"python":{"pythonPath":"/x"}}"#));
        assert!(given(r#"{"python":{"venvPath":"/x"}}"#));
        assert!(!given(r#"{"python":{"analysis":{}}}"#));
        assert!(!built_in().unwrap().iter().any(is_given));
    }
}

//! What does a server have to be told about this project?

use std::path::Path;

use orienteer_base::Roots;
use orienteer_process::Environment;
use serde_json::{Value, json};

use super::trust::LocalPrograms;
use super::{Found, Restricted, here, python, typescript};
use crate::catalog::deep_merge;
use crate::definition::Definition;
use crate::uri;

/// The definition's options with what was found out about the project.
#[derive(Debug, Clone, PartialEq)]
pub struct Adapted {
    pub initialization_options: Value,
    pub settings: Value,
    /// Variables besides those of the definition, which win.
    pub env: Vec<(String, String)>,
}

/// Adds what only the project knows: its TypeScript, its virtual environment, whether its configuration may be run.
/// What the user has set stays as it is.
pub fn adapt(
    definition: &Definition,
    project_root: &Path,
    roots: &Roots,
    environment: &Environment,
    found: &Found,
    allow_local: LocalPrograms,
) -> Adapted {
    let allow_local = here(allow_local, project_root, roots);
    let mut adapted = Adapted {
        initialization_options: definition.initialization_options.clone(),
        settings: definition.settings.clone(),
        env: Vec::new(),
    };
    match definition.kind.as_str() {
        "rust-analyzer" if found.restricted.is_some() => {
            deep_merge(&mut adapted.initialization_options, Restricted::options());
        }
        _ if definition.runs_tsserver() => {
            let options = &mut adapted.initialization_options;
            if !options["tsserver"]["path"].is_string() {
                let path =
                    typescript::tsserver(&found.path, project_root, roots, environment, &found.trusted);
                if let Some(path) = path.as_deref().and_then(Path::to_str) {
                    deep_merge(options, json!({ "tsserver": { "path": path } }));
                }
            }
            let allows = |path: &Path| found.trusted.allows(path);
            let plugin = typescript::plugin(definition, project_root, roots, environment, allows);
            if let Some(plugin) = plugin.filter(|_| options["plugins"].is_null()) {
                deep_merge(options, json!({ "plugins": [plugin] }));
            }
        }
        // It loads `svelte.config.js` and the project's compiler into itself.
        "svelte" if definition.initialization_options["isTrusted"].is_null() => {
            let is_trusted = allow_local == LocalPrograms::Always;
            deep_merge(&mut adapted.initialization_options, json!({ "isTrusted": is_trusted }));
        }
        "pyright" | "basedpyright" | "ty" if !python::is_given(definition) => {
            let found = python::environment(project_root, roots, environment, &found.trusted);
            let settings = match found {
                Some(folder) => python_settings(&definition.kind, &folder),
                None if definition.kind == "ty" => None,
                None => library_settings(&python::libraries(project_root, roots)),
            };
            if let Some(settings) = settings {
                deep_merge(&mut adapted.settings, settings);
            }
        }
        // It looks for configurations between a file and this folder, and for ESLint where the file is.
        "eslint" => {
            let folder = json!({ "uri": uri::from_path(project_root), "name": "root" });
            let settings = json!({ "workspaceFolder": folder, "nodePath": null });
            adapted.settings = over(settings, &definition.settings);
        }
        // It looks for a `.venv` by itself, without running it, and for what is active.
        "zuban" => {
            let folder = python::environment(project_root, roots, environment, &found.trusted);
            if let Some(folder) = folder.as_deref().and_then(Path::to_str) {
                adapted.env.push(("VIRTUAL_ENV".to_owned(), folder.to_owned()));
            }
        }
        "pyrefly" if !python::is_given(definition) => {
            let folder = python::environment(project_root, roots, environment, &found.trusted);
            if let Some(python) = folder.as_deref().and_then(python::interpreter) {
                deep_merge(&mut adapted.settings, json!({ "python": { "pythonPath": python.to_str() } }));
            }
        }
        "jedi-language-server" => {
            let (interpreter, paths) = jedi_paths(project_root, roots, environment, found);
            let options = json!({ "workspace": { "environmentPath": interpreter, "extraPaths": paths } });
            adapted.initialization_options = over(options, &definition.initialization_options);
        }
        "pylsp" => {
            let (interpreter, paths) = jedi_paths(project_root, roots, environment, found);
            let jedi = json!({ "environment": interpreter, "extra_paths": paths });
            let mut plugins = json!({ "jedi": jedi });
            if allow_local != LocalPrograms::Always {
                // These run what a project's configuration names.
                for plugin in [
                    "flake8",
                    "pylint",
                    "pylsp_mypy",
                    "pylsp_rope",
                    "rope_autoimport",
                    "rope_completion",
                    "rope_rename",
                ] {
                    plugins[plugin] = json!({ "enabled": false });
                }
            }
            adapted.settings = over(json!({ "pylsp": { "plugins": plugins } }), &definition.settings);
        }
        _ => {}
    }
    adapted
}

/// What the user has set, over what was found out.
fn over(mut found: Value, given: &Value) -> Value {
    if given.is_object() {
        deep_merge(&mut found, given.clone());
    }
    found
}

/// The interpreter that jedi may run, and where else it looks for modules: by itself it does not see the packages below
/// `src`, nor those of an environment that it must not run.
fn jedi_paths(
    project_root: &Path,
    roots: &Roots,
    environment: &Environment,
    found: &Found,
) -> (Option<String>, Vec<String>) {
    let folder = python::environment(project_root, roots, environment, &found.trusted);
    let interpreter = folder.as_deref().and_then(python::interpreter);
    let mut paths = vec![project_root.join("src")];
    paths.retain(|path| path.is_dir());
    if interpreter.is_none() {
        paths.extend(python::libraries(project_root, roots));
    }
    let text = |path: &Path| path.to_str().map(str::to_owned);
    (interpreter.as_deref().and_then(text), paths.iter().filter_map(|path| text(path)).collect())
}

/// What is imported is found all the same, without running anything of the project.
fn library_settings(libraries: &[std::path::PathBuf]) -> Option<Value> {
    let paths: Vec<&str> = libraries.iter().filter_map(|path| path.to_str()).collect();
    let analysis = json!({ "analysis": { "extraPaths": paths } });
    (!paths.is_empty()).then(|| json!({ "python": analysis, "basedpyright": analysis }))
}

fn python_settings(kind: &str, folder: &Path) -> Option<Value> {
    if kind == "ty" {
        return Some(json!({ "ty": { "configuration": { "environment": { "python": folder.to_str()? } } } }));
    }
    let interpreter = python::interpreter(folder)?;
    let mut settings = json!({ "python": { "pythonPath": interpreter.to_str()? } });
    if let (Some(parent), Some(name)) = (folder.parent().and_then(Path::to_str), folder.file_name()) {
        deep_merge(&mut settings, json!({ "python": { "venvPath": parent, "venv": name.to_str()? } }));
    }
    Some(settings)
}

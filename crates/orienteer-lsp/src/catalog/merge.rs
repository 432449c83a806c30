//! How do the user's blocks change the built-in servers?

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use orienteer_base::language::Language;
use serde_json::Value;

use super::block::unknown;
use super::user::ServerSpec;
use crate::definition::{Candidate, Definition};

/// What the configuration says about servers besides the blocks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CatalogOptions {
    /// Ids of servers, or words for languages; without case.
    pub disabled: Vec<String>,
    /// Server id to the program to start.
    pub paths: BTreeMap<String, String>,
}

/// The servers of a session, in order of preference.
///
/// A block with the id or the kind of a built-in server takes that server's place, with the fields it gives changed.
/// Any other block is a server of its own. The user's servers come first, in the order they were written.
pub fn merge(built_in: Vec<Definition>, user: &[ServerSpec], options: &CatalogOptions) -> Vec<Definition> {
    let mut catalog: Vec<Definition> = Vec::new();
    for spec in user {
        catalog.push(laid_over(base(&built_in, spec), spec));
    }
    let replaced = |definition: &Definition| {
        user.iter().any(|spec| base_index(std::slice::from_ref(definition), spec).is_some())
    };
    catalog.extend(built_in.iter().filter(|definition| !replaced(definition)).cloned());
    for definition in &mut catalog {
        if let Some(path) =
            options.paths.iter().find(|(id, _)| same(id, &definition.id)).map(|(_, path)| path)
        {
            definition.candidates = at_path(definition, path);
            definition.from_user = true;
        }
    }
    for word in &options.disabled {
        disable(&mut catalog, word);
    }
    catalog
}

/// People write `rust_analyzer` and `Rust-Analyzer`.
fn same(left: &str, right: &str) -> bool {
    let plain = |word: &str| word.trim().to_lowercase().replace('_', "-");
    plain(left) == plain(right)
}

fn base_index(built_in: &[Definition], spec: &ServerSpec) -> Option<usize> {
    let by_id = built_in.iter().position(|definition| same(&definition.id, &spec.id));
    by_id.or_else(|| {
        let kind = spec.kind.as_deref()?;
        built_in.iter().position(|definition| same(&definition.kind, kind))
    })
}

/// Whether a block changes a built-in server, so that it need not say how to start it.
pub fn changes_built_in(built_in: &[Definition], spec: &ServerSpec) -> bool {
    base_index(built_in, spec).is_some()
}

fn base(built_in: &[Definition], spec: &ServerSpec) -> Definition {
    let found = base_index(built_in, spec).and_then(|at| built_in.get(at)).cloned();
    let mut base = found.unwrap_or_else(|| {
        let mut plain = unknown(&spec.id);
        plain.kind = spec.kind.clone().unwrap_or_else(|| spec.id.clone());
        plain
    });
    base.id = spec.id.clone();
    base
}

fn laid_over(mut definition: Definition, spec: &ServerSpec) -> Definition {
    let is_new = definition.candidates.is_empty();
    definition.from_user = true;
    if !spec.command.is_empty() {
        // Another program need not have the needs of the one that it stands for.
        definition.requires.clear();
        definition.candidates = at_path(&definition, &spec.command);
    }
    if !spec.args.is_empty() {
        definition.candidates.iter_mut().for_each(|candidate| candidate.args.clone_from(&spec.args));
    }
    if !spec.extensions.is_empty() {
        definition.extensions = extensions(&definition, spec);
        definition.file_names.clear();
    } else if let Some(id) = &spec.language_id {
        definition.extensions.values_mut().for_each(|language| language.clone_from(id));
    }
    if is_new {
        definition.language = language_of(&definition);
    }
    if !spec.root_markers.is_empty() {
        definition.root_markers.clone_from(&spec.root_markers);
    }
    if !spec.workspace_folders.is_empty() {
        definition.workspace_folders.clone_from(&spec.workspace_folders);
    }
    if !spec.requires.is_empty() {
        let hint = |program: &String| format!("install `{program}` so that it is found in PATH");
        definition.requires = spec.requires.iter().map(|program| (program.clone(), hint(program))).collect();
    }
    definition.root_dir = spec.root_dir.clone().or(definition.root_dir);
    definition.cwd = spec.cwd.clone().or(definition.cwd);
    definition.adapter = spec.adapter.clone().or(definition.adapter);
    definition.install_hint = spec.install_hint.clone().or(definition.install_hint);
    definition.env.extend(spec.env.clone());
    let milliseconds = |given: Option<u64>, otherwise| given.map_or(otherwise, Duration::from_millis);
    definition.initialize_timeout = milliseconds(spec.initialize_timeout_ms, definition.initialize_timeout);
    definition.request_timeout = milliseconds(spec.request_timeout_ms, definition.request_timeout);
    let overrides = spec.request_timeout_overrides_ms.iter();
    definition
        .request_timeouts
        .extend(overrides.map(|(method, ms)| (method.clone(), Duration::from_millis(*ms))));
    definition.idle_timeout = spec.idle_timeout_seconds.map(Duration::from_secs).or(definition.idle_timeout);
    lay_json(&mut definition.initialization_options, spec.initialization_options.as_deref(), &spec.id);
    lay_json(&mut definition.settings, spec.settings.as_deref(), &spec.id);
    definition
}

/// A program of the user's choice, started with the arguments of the known one that it most likely is. It is not
/// probed: the user has said what it is. Where the known one is probed for arguments that only some versions take, it is, and
/// the last way is the one that all take.
fn at_path(definition: &Definition, program: &str) -> Vec<Candidate> {
    let stem = |program: &str| {
        Path::new(program).file_stem().map(|stem| stem.to_string_lossy().to_lowercase()).unwrap_or_default()
    };
    let known = definition.candidates.iter().find(|candidate| stem(&candidate.program) == stem(program));
    let like = known.or(definition.candidates.first()).map(|known| stem(&known.program)).unwrap_or_default();
    let mut ways: Vec<Candidate> =
        definition.candidates.iter().filter(|known| stem(&known.program) == like).cloned().collect();
    for way in &mut ways {
        program.clone_into(&mut way.program);
        way.local.clear();
    }
    let any_takes = ways.last().is_some_and(|last| last.probe.is_empty());
    if ways.len() < 2 || !any_takes {
        let (args, trusted_only) =
            ways.into_iter().next().map(|way| (way.args, way.trusted_only)).unwrap_or_default();
        let program = program.to_owned();
        return vec![Candidate { program, args, trusted_only, ..Candidate::default() }];
    }
    ways
}

fn extensions(definition: &Definition, spec: &ServerSpec) -> BTreeMap<String, String> {
    let written = spec.extensions.iter().map(|extension| extension.trim_start_matches('.').to_lowercase());
    written
        .map(|extension| {
            let language = spec
                .language_id
                .clone()
                .or_else(|| definition.extensions.get(&extension).cloned())
                .or_else(|| Language::by_extension(&extension).map(|language| language.id.to_owned()))
                .unwrap_or_else(|| extension.clone());
            (extension, language)
        })
        .collect()
}

/// A word for people: the language of the first extension that we know.
fn language_of(definition: &Definition) -> String {
    let known = definition.extensions.keys().find_map(|extension| Language::by_extension(extension));
    let fallback = || definition.extensions.values().next().cloned();
    known.map(|language| language.name.to_owned()).or_else(fallback).unwrap_or_else(|| definition.id.clone())
}

fn lay_json(under: &mut Value, written: Option<&str>, id: &str) {
    let Some(written) = written else { return };
    match serde_json::from_str::<Value>(written) {
        Ok(over) => deep_merge(under, over),
        // The configuration has turned what the user wrote into JSON, so this says that we did something wrong.
        Err(error) => tracing::warn!(server = id, %error, "options that are not JSON were left out"),
    }
}

/// Objects are merged key by key; anything else is replaced.
pub(crate) fn deep_merge(under: &mut Value, over: Value) {
    match (under, over) {
        (Value::Object(under), Value::Object(over)) => {
            for (key, value) in over {
                deep_merge(under.entry(key).or_insert(Value::Null), value);
            }
        }
        (under, over) => *under = over,
    }
}

/// A word for a server or its language takes the server away; a word for one of several languages takes only that
/// language's files from it.
fn disable(catalog: &mut Vec<Definition>, word: &str) {
    let alias = Language::by_word(word);
    let is_language =
        |name: &str| same(name, word) || alias.is_some_and(|language| same(language.name, name));
    catalog.retain_mut(|definition| {
        if same(&definition.id, word) || same(&definition.kind, word) || is_language(&definition.language) {
            return false;
        }
        let named = |id: &str| same(id, word) || alias.is_some_and(|language| same(language.id, id));
        definition.file_names.retain(|_, id| !named(id));
        definition.extensions.retain(|extension, id| {
            let of_alias = alias.is_some_and(|language| language.extensions.contains(&extension.as_str()));
            !named(id) && !of_alias
        });
        !definition.extensions.is_empty() || !definition.file_names.is_empty()
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{built_in, owners};
    use crate::definition::{Hidden, Readiness};
    use serde_json::json;

    fn merged(user: &[ServerSpec]) -> Vec<Definition> {
        merge(built_in().unwrap(), user, &CatalogOptions::default())
    }

    fn without(words: &[&str]) -> Vec<Definition> {
        let disabled = words.iter().map(|word| (*word).to_owned()).collect();
        merge(built_in().unwrap(), &[], &CatalogOptions { disabled, ..CatalogOptions::default() })
    }

    fn first_owner(catalog: &[Definition], path: &str) -> Option<String> {
        owners(catalog, Path::new(path)).first().map(|definition| definition.id.clone())
    }

    #[test]
    fn a_block_changes_what_it_gives_and_nothing_else() {
        let spec = ServerSpec {
            id: "rust-analyzer".into(),
            command: "/opt/ra/rust-analyzer".into(),
            extensions: vec![".rs".into()],
            initialization_options: Some(r#"{"cargo":{"features":"all"},"checkOnSave":true}"#.into()),
            env: BTreeMap::from([("CARGO_HOME".into(), Hidden("/c".into()))]),
            request_timeout_overrides_ms: BTreeMap::from([("textDocument/references".into(), 90_000)]),
            ..ServerSpec::default()
        };
        let catalog = merged(&[spec]);
        assert_eq!(catalog.iter().filter(|definition| definition.kind == "rust-analyzer").count(), 1);
        let rust = &catalog[0];
        assert_eq!(rust.candidates.len(), 1);
        assert_eq!(rust.candidates[0].program, "/opt/ra/rust-analyzer");
        assert!(rust.candidates[0].probe.is_empty() && rust.requires.is_empty() && rust.from_user);
        let mut options = built_in().unwrap()[0].initialization_options.clone();
        options["cargo"] = json!({ "features": "all" });
        options["checkOnSave"] = json!(true);
        assert_eq!(rust.initialization_options, options);
        assert_eq!(rust.ready_project, Readiness::Status);
        assert_eq!(rust.extensions, BTreeMap::from([("rs".to_owned(), "rust".to_owned())]));
        assert!(rust.env.contains_key("RUSTUP_AUTO_INSTALL") && rust.env.contains_key("CARGO_HOME"));
        assert_eq!(rust.request_timeouts["textDocument/references"], Duration::from_secs(90));
        assert_eq!(rust.root_markers, built_in().unwrap()[0].root_markers);
    }

    #[test]
    fn a_kind_brings_the_behaviour_of_the_server_it_names() {
        let spec = |id: &str, folder: &str| ServerSpec {
            id: id.into(),
            kind: Some("rust_analyzer".into()),
            command: "rust-analyzer".into(),
            root_dir: Some(folder.into()),
            ..ServerSpec::default()
        };
        let catalog = merged(&[spec("front", "front"), spec("back", "back")]);
        let rust: Vec<&str> = catalog
            .iter()
            .filter(|definition| definition.kind == "rust-analyzer")
            .map(|definition| definition.id.as_str())
            .collect();
        assert_eq!(rust, ["front", "back"], "the built-in one is replaced");
        assert_eq!(catalog[1].root_dir.as_deref(), Some("back"));
        assert_eq!(catalog[0].ready_file, Readiness::Status);
    }

    #[test]
    fn an_unknown_id_is_a_server_of_its_own() {
        let spec = ServerSpec {
            id: "mine".into(),
            command: "mine-ls".into(),
            args: vec!["--stdio".into()],
            extensions: vec!["jl".into(), ".QQ".into()],
            requires: vec!["julia".into()],
            ..ServerSpec::default()
        };
        let catalog = merged(&[spec]);
        let mine = &catalog[0];
        assert_eq!((mine.id.as_str(), mine.kind.as_str(), mine.language.as_str()), ("mine", "mine", "Julia"));
        assert_eq!(mine.extensions["jl"], "julia");
        assert_eq!(mine.extensions["qq"], "qq");
        assert_eq!(mine.candidates[0].args, ["--stdio"]);
        assert!(mine.requires[0].1.contains("`julia`"));
        assert_eq!(catalog.len(), built_in().unwrap().len() + 1);
    }

    #[test]
    fn users_come_first_in_their_own_order() {
        let spec = |id: &str| ServerSpec { id: id.into(), ..ServerSpec::default() };
        let catalog = merged(&[spec("ty"), spec("basedpyright"), spec("ruff")]);
        let ids: Vec<String> =
            owners(&catalog, Path::new("x.py")).into_iter().map(|definition| definition.id).collect();
        let others = ["pyright", "pyrefly", "zuban", "jedi-language-server", "pylsp"];
        assert_eq!(ids, [&["ty", "basedpyright"], &others[..], &["ruff"]].concat());
        assert_eq!(catalog[0].candidates[0].args, ["server"], "no command given: the known one stays");
    }

    #[test]
    fn a_command_without_arguments_gets_those_of_the_program_it_is() {
        let spec = ServerSpec {
            id: "pyright".into(),
            command: "/x/pyright-langserver".into(),
            ..ServerSpec::default()
        };
        assert_eq!(merged(&[spec])[0].candidates[0].args, ["--stdio"]);
        let paths = BTreeMap::from([("Kotlin".to_owned(), "/k/kotlin-language-server".to_owned())]);
        let options = CatalogOptions { paths, ..CatalogOptions::default() };
        let catalog = merge(built_in().unwrap(), &[], &options);
        let kotlin = catalog.iter().find(|definition| definition.id == "kotlin").unwrap();
        assert_eq!(kotlin.candidates.len(), 1);
        assert!(
            kotlin.candidates[0].args.is_empty(),
            "the arguments of the second candidate, not of the first"
        );
        assert!(kotlin.from_user);
    }

    #[test]
    fn a_program_that_may_be_too_old_for_the_arguments_is_asked_first() {
        let ways = |command: &str, args: &[&str]| {
            let args = args.iter().map(|arg| (*arg).to_owned()).collect();
            let spec =
                ServerSpec { id: "clangd".into(), command: command.into(), args, ..ServerSpec::default() };
            merged(&[spec]).swap_remove(0).candidates
        };
        let candidates = ways("/old/clangd", &[]);
        assert!(candidates.iter().all(|candidate| candidate.program == "/old/clangd"));
        let args: Vec<usize> = candidates.iter().map(|candidate| candidate.args.len()).collect();
        let probed: Vec<bool> = candidates.iter().map(|candidate| !candidate.probe.is_empty()).collect();
        assert_eq!((args, probed), (vec![3, 2, 1], vec![true, true, false]));
        assert!(ways("/x/clangd-15", &[])[0].args.contains(&"--limit-references=0".to_owned()));
        assert_eq!(ways("/x/clangd-15", &[]).len(), 1);
    }

    #[test]
    fn disabled_words_name_servers_or_languages() {
        assert_eq!(
            first_owner(&without(&["TypeScript_Native"]), "a.ts").as_deref(),
            Some("typescript-language-server")
        );
        assert_eq!(first_owner(&without(&["PYTHON"]), "a.py"), None);
        assert_eq!(first_owner(&without(&["c++"]), "a.cpp"), None);
        assert_eq!(first_owner(&without(&["c++"]), "a.c").as_deref(), Some("clangd"));
        let no_script = without(&["javascript"]);
        assert_eq!(first_owner(&no_script, "a.js"), None);
        assert_eq!(first_owner(&no_script, "a.jsx"), None);
        assert_eq!(first_owner(&no_script, "a.ts").as_deref(), Some("typescript-native"));
        assert_eq!(without(&["nothing like it"]).len(), built_in().unwrap().len());
    }

    #[test]
    fn options_that_are_not_json_change_nothing() {
        let spec = ServerSpec { id: "gopls".into(), settings: Some("{".into()), ..ServerSpec::default() };
        assert_eq!(merged(&[spec])[0].settings, json!({}));
    }
}

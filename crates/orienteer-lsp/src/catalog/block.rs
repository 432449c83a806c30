//! How is a block of `servers.toml` written?

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::CatalogError;
use crate::definition::{
    Candidate, Definition, Hidden, Mute, Readiness, Reporting, RootChoice, TypeScriptPlugin,
};
use crate::searches::Searches;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listing {
    server: Vec<Block>,
}

/// Documents that are open at one time: many servers go on checking all of them.
pub(super) const MOST_OPEN: usize = 128;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Block {
    id: String,
    kind: Option<String>,
    language: String,
    candidates: Vec<CandidateBlock>,
    extensions: BTreeMap<String, String>,
    #[serde(default)]
    file_names: BTreeMap<String, String>,
    root_markers: Vec<String>,
    #[serde(default)]
    root_choice: Choice,
    #[serde(default)]
    requires: Vec<Requirement>,
    install_hint: Option<String>,
    #[serde(default)]
    ready_file: Ready,
    #[serde(default)]
    ready_project: Ready,
    #[serde(default)]
    ready_messages: Vec<String>,
    #[serde(default)]
    opens_text_hits: bool,
    #[serde(default)]
    lists_files: bool,
    #[serde(default)]
    watches_nothing: bool,
    #[serde(default)]
    opens_late: bool,
    #[serde(default)]
    complaints: Vec<String>,
    finds: Option<String>,
    mute: Option<Mute>,
    searches: Option<Searches>,
    keeps_open: Option<usize>,
    #[serde(default)]
    tells_declaration: bool,
    most_symbols: Option<usize>,
    most_uses: Option<usize>,
    part_of_name: Option<String>,
    #[serde(default)]
    dependency_symbols: Value,
    #[serde(default)]
    restarts_for: Vec<String>,
    #[serde(default)]
    counts_characters: bool,
    #[serde(default)]
    lacks: Vec<String>,
    typescript_plugin: Option<TypeScriptPlugin>,
    #[serde(default)]
    reporting: Report,
    settle_ms: Option<u64>,
    #[serde(default)]
    initialization_options: Value,
    #[serde(default)]
    settings: Map<String, Value>,
    #[serde(default)]
    environment: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    memory_limit_mb: Option<u64>,
    initialize_timeout_ms: Option<u64>,
    request_timeout_ms: Option<u64>,
    #[serde(default)]
    request_timeouts_ms: BTreeMap<String, u64>,
    idle_timeout_ms: Option<u64>,
    #[serde(default)]
    live_tested: bool,
    #[serde(default)]
    optional: bool,
    #[serde(default)]
    trusted_only: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CandidateBlock {
    program: String,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    local: Vec<String>,
    #[serde(default)]
    probe: Vec<String>,
    #[serde(default)]
    probe_contains: Vec<String>,
    #[serde(default)]
    probe_lacks: Vec<String>,
    #[serde(default)]
    trusted_only: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Requirement {
    program: String,
    hint: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "snake_case")]
enum Choice {
    #[default]
    Nearest,
    Outermost,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "snake_case")]
enum Ready {
    #[default]
    Immediate,
    Status,
    Progress,
    Message,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "snake_case")]
enum Report {
    #[default]
    Auto,
    Unversioned,
    Saved,
    Flycheck,
    Never,
}

/// A server about which nothing is known but its name: what a user's block is laid over when no built-in one fits.
pub(super) fn unknown(id: &str) -> Definition {
    Definition {
        id: id.to_owned(),
        kind: id.to_owned(),
        language: id.to_owned(),
        candidates: Vec::new(),
        extensions: BTreeMap::new(),
        file_names: BTreeMap::new(),
        root_markers: vec![".git".to_owned(), ".".to_owned()],
        root_choice: RootChoice::Nearest,
        requires: Vec::new(),
        install_hint: None,
        ready_file: Readiness::Immediate,
        // Most servers that load a project say so, and one that never does counts as ready soon.
        ready_project: Readiness::Progress,
        ready_messages: Vec::new(),
        opens_text_hits: false,
        lists_files: false,
        watches_nothing: false,
        opens_late: false,
        complaints: Vec::new(),
        finds: None,
        mute: None,
        searches: None,
        keeps_open: MOST_OPEN,
        tells_declaration: false,
        most_symbols: None,
        most_uses: None,
        part_of_name: None,
        dependency_symbols: Value::Null,
        restarts_for: Vec::new(),
        counts_characters: false,
        lacks: Vec::new(),
        typescript_plugin: None,
        reporting: Reporting::Auto,
        settle: Duration::from_millis(300),
        initialization_options: Value::Null,
        settings: Value::Object(Map::new()),
        environment: Vec::new(),
        env: BTreeMap::new(),
        memory_limit_mb: None,
        initialize_timeout: Duration::from_secs(30),
        request_timeout: Duration::from_secs(30),
        request_timeouts: BTreeMap::new(),
        idle_timeout: None,
        root_dir: None,
        cwd: None,
        workspace_folders: Vec::new(),
        adapter: None,
        live_tested: false,
        from_user: false,
        optional: false,
        trusted_only: false,
    }
}

pub(super) fn parse(text: &str) -> Result<Vec<Definition>, CatalogError> {
    let listing: Listing = toml::from_str(text)?;
    listing.server.into_iter().map(definition).collect()
}

fn definition(block: Block) -> Result<Definition, CatalogError> {
    if block.candidates.is_empty() || block.id.is_empty() {
        return Err(CatalogError::Block { id: block.id, problem: "has no program".to_owned() });
    }
    let plain = unknown(&block.id);
    let or = |given: Option<u64>, otherwise: Duration| given.map_or(otherwise, Duration::from_millis);
    Ok(Definition {
        kind: block.kind.unwrap_or(block.id),
        language: block.language,
        candidates: block.candidates.into_iter().map(candidate).collect(),
        extensions: block.extensions,
        file_names: block.file_names,
        root_markers: block.root_markers,
        root_choice: match block.root_choice {
            Choice::Nearest => RootChoice::Nearest,
            Choice::Outermost => RootChoice::Outermost,
        },
        requires: block.requires.into_iter().map(|one| (one.program, one.hint)).collect(),
        install_hint: block.install_hint,
        ready_file: readiness(block.ready_file),
        ready_project: readiness(block.ready_project),
        ready_messages: block.ready_messages,
        opens_text_hits: block.opens_text_hits,
        lists_files: block.lists_files,
        watches_nothing: block.watches_nothing,
        opens_late: block.opens_late,
        complaints: block.complaints,
        finds: block.finds,
        mute: block.mute,
        searches: block.searches,
        keeps_open: block.keeps_open.unwrap_or(MOST_OPEN),
        tells_declaration: block.tells_declaration,
        most_symbols: block.most_symbols,
        most_uses: block.most_uses,
        part_of_name: block.part_of_name,
        dependency_symbols: block.dependency_symbols,
        restarts_for: block.restarts_for,
        counts_characters: block.counts_characters,
        lacks: block.lacks,
        typescript_plugin: block.typescript_plugin,
        reporting: match block.reporting {
            Report::Auto => Reporting::Auto,
            Report::Unversioned => Reporting::Unversioned,
            Report::Saved => Reporting::Saved,
            Report::Flycheck => Reporting::Flycheck,
            Report::Never => Reporting::Never,
        },
        settle: or(block.settle_ms, plain.settle),
        initialization_options: block.initialization_options,
        settings: Value::Object(block.settings),
        environment: block.environment,
        env: block.env.into_iter().map(|(name, value)| (name, Hidden(value))).collect(),
        memory_limit_mb: block.memory_limit_mb,
        initialize_timeout: or(block.initialize_timeout_ms, plain.initialize_timeout),
        request_timeout: or(block.request_timeout_ms, plain.request_timeout),
        request_timeouts: block
            .request_timeouts_ms
            .into_iter()
            .map(|(method, ms)| (method, Duration::from_millis(ms)))
            .collect(),
        idle_timeout: block.idle_timeout_ms.map(Duration::from_millis),
        live_tested: block.live_tested,
        optional: block.optional,
        trusted_only: block.trusted_only,
        ..plain
    })
}

fn candidate(block: CandidateBlock) -> Candidate {
    Candidate {
        program: block.program,
        args: block.args,
        local: block.local,
        probe: block.probe,
        probe_contains: block.probe_contains,
        probe_lacks: block.probe_lacks,
        trusted_only: block.trusted_only,
    }
}

fn readiness(ready: Ready) -> Readiness {
    match ready {
        Ready::Immediate => Readiness::Immediate,
        Ready::Status => Readiness::Status,
        Ready::Progress => Readiness::Progress,
        Ready::Message => Readiness::Message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: &str = r#"
        [[server]]
        id = "x"
        language = "X"
        extensions = { x = "x" }
        root_markers = ["x.toml"]
        candidates = [{ program = "xls" }]
    "#;

    #[test]
    fn what_is_left_out_has_a_sane_value() {
        let x = parse(LEAST).unwrap().remove(0);
        assert_eq!((x.id.as_str(), x.kind.as_str()), ("x", "x"));
        assert_eq!(x.initialization_options, Value::Null);
        assert_eq!(x.settings, serde_json::json!({}));
        assert!(!x.live_tested && !x.optional && !x.from_user);
        assert_eq!(x.ready_file, Readiness::Immediate);
    }

    #[test]
    fn unknown_fields_and_values_are_refused() {
        for wrong in ["colour = 1", "ready_file = \"soon\"", "reporting = \"loud\"", "settings = 1"] {
            let text = LEAST.replace("language = \"X\"", &format!("language = \"X\"\n{wrong}"));
            assert!(parse(&text).is_err(), "{wrong}");
        }
        let none = LEAST.replace("{ program = \"xls\" }", "");
        assert!(parse(&none).unwrap_err().to_string().contains("`x` has no program"));
        let more = LEAST.replace("program = \"xls\"", "program = \"xls\", colour = 1");
        assert!(parse(&more).is_err());
    }
}

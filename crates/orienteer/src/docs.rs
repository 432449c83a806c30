//! Pages that are generated from the code, so that they cannot say anything else than it does.

use orienteer_engine::catalog;
use serde_json::{Map, Value};

use crate::config::keys::{KEYS, Key, Kind};
use crate::tool::{Effect, Entry, Toolset};

/// `docs/servers.md`.
pub fn servers() -> Result<String, catalog::CatalogError> {
    let mut page = String::from(
        "# Language servers\n\nGenerated from `crates/orienteer-lsp/servers.toml` by `cargo xtask docs`; a test compares \
         the two. The first installed server that takes a file has it; those marked optional start only when a \
         `[[servers]]` block names them (docs/config.md). *tested* means that a test of ours starts the real thing; the \
         others are configured from their documentation and labelled untested.\n\n",
    );
    page.push_str(&catalog::docs::markdown(&catalog::built_in()?));
    Ok(page)
}

/// `docs/tools.md`.
pub fn tools(list: &[Entry]) -> String {
    let mut page = String::from(
        "# Tools\n\nGenerated from the tool list by `cargo xtask docs`; a test compares the two. Every tool also \
         takes `max_total_chars` (from 2000): the answer, echo and errors included, is never longer.\n",
    );
    for set in Toolset::ALL {
        for entry in list.iter().filter(|entry| entry.toolset == *set) {
            page.push_str(&tool(entry));
        }
    }
    page
}

fn tool(entry: &Entry) -> String {
    let mut notes = vec![format!("toolset `{}`", entry.toolset.as_str())];
    if entry.default {
        notes.push("in the default set".to_owned());
    }
    notes.push(match entry.effect {
        Effect::Read => "reads only".to_owned(),
        Effect::Write => "writes files".to_owned(),
        Effect::Control => "controls servers or caches".to_owned(),
        Effect::Asked => "writes files when asked to".to_owned(),
    });
    if entry.paged {
        notes.push("paged with `cursor`".to_owned());
    }
    let fields: Vec<String> = entry.output.iter().map(|(name, kind)| format!("`{name}` ({kind})")).collect();
    let mut page = format!("\n## {}\n\n{}\n\n{}.\n\n", entry.name, entry.description, notes.join(", "));
    page.push_str("| argument | type | default | meaning |\n| --- | --- | --- | --- |\n");
    for argument in arguments(&(entry.input_schema)()) {
        let Argument { name, kind, default, meaning } = argument;
        // The page says at its top what holds for every tool; a default of its own is said here.
        let general = name == "cursor" || (name == "max_total_chars" && default.is_empty());
        if !general {
            page.push_str(&format!("| `{name}` | {} | {default} | {meaning} |\n", kind.replace('|', "\\|")));
        }
    }
    page.push_str(&format!("\nReturns {}.\n", fields.join(", ")));
    if entry.name == "search" {
        page.push_str(&query_box());
    }
    page
}

/// How a query is written, and which filters there are.
fn query_box() -> String {
    let mut page = String::from(
        "\nWords are soft: a result with more of them is better, and none is needed. `+word` must be there, `-word` must \
         not, `\"some words\"` must stand there like this, `/regex/i` must match. In a pasted message quotes are no marks: \
         one name or value in quotes among three and more plain words counts like them, and several words in quotes do \
         where nothing has them; the answer says so, and `+\"…\"` must be there. A filter is written `name:value` in the \
         query, `-name:value` to leave out, or as `filters: { \"name\": value }` with one value or a list. One of the \
         values of a filter is enough. A filter that is not known for a language is said to be so, never answered with \
         an empty list.\n\n| filter | also | meaning |\n| --- | --- | --- |\n",
    );
    for (name, also, about) in orienteer_engine::index::filters() {
        page.push_str(&format!("| `{name}` | {} | {about} |\n", also.join(", ")));
    }
    page
}

/// One argument of a tool, in words.
#[derive(Debug)]
pub struct Argument {
    pub name: String,
    pub kind: String,
    /// The default, or `required`.
    pub default: String,
    pub meaning: String,
}

/// The arguments of a tool, from its input schema.
pub fn arguments(schema: &Map<String, Value>) -> Vec<Argument> {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    properties
        .map(|(name, property)| Argument {
            kind: kind(property),
            default: match property.get("default") {
                Some(value) => format!("`{value}`"),
                None if required.contains(&name.as_str()) => "required".to_owned(),
                None => String::new(),
            },
            meaning: property.get("description").and_then(Value::as_str).unwrap_or_default().to_owned(),
            name: name.clone(),
        })
        .collect()
}

/// A type with its bounds.
pub fn kind(property: &Value) -> String {
    if let Some(legal) = property.get("enum").and_then(Value::as_array) {
        return legal.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" | ");
    }
    let name = property.get("type").and_then(Value::as_str).unwrap_or("any");
    let number = |key: &str| property.get(key).map(Value::to_string);
    let (least, most) = match name {
        "array" => (number("minItems"), number("maxItems")),
        _ => (number("minimum"), number("maximum")),
    };
    match (name, least, most) {
        ("array", None, None) => {
            format!("list of {}", property.get("items").map(kind).unwrap_or_else(|| "any".to_owned()))
        }
        (name, None, None) => name.to_owned(),
        (name, Some(least), None) => format!("{name}, from {least}"),
        (name, None, Some(most)) => format!("{name}, to {most}"),
        (name, Some(least), Some(most)) => format!("{name}, {least} to {most}"),
    }
}

/// `docs/config.md`.
pub fn config() -> String {
    let mut page = String::from(
        "# Configuration\n\nGenerated from the table of keys by `cargo xtask docs`; a test compares the two.\n\n\
         Later wins: built-in defaults, the user's file (`~/.config/orienteer/config.toml` on Linux, or the file \
         that `ORIENTEER_CONFIG` names), the project's `.orienteer/config.toml`, environment variables, flags. \
         `orienteer doctor` and `get_current_config` show where each value came from. Unknown keys are errors that \
         name the nearest legal one.\n\nKeys marked *trust* widen what may be read, run or shown. In a project's \
         file they, and `[[servers]]` and `[[hosts]]` blocks, count only after `orienteer trust`, which remembers the \
         file as it is now: a changed file has to be trusted again, and so has one that appears in a project that was \
         trusted without any.\n\n\
         | key | variable | type | default | meaning |\n| --- | --- | --- | --- | --- |\n",
    );
    for key in KEYS {
        page.push_str(&row(key));
    }
    page.push_str(
        "\nIn variables and flags, lists are separated by commas, lists of paths as `PATH` is, and tables are \
         written `tool=milliseconds,…`.\n\n## Language servers\n\n```toml\n[[servers]]\nid = \"rust-analyzer\"\n\
         command = \"rust-analyzer\"\nextensions = [\"rs\"]\n```\n\nFields: `id`, `kind`, `command`, `args`, \
         `extensions`, `language_id`, `root_markers`, `root_dir`, `cwd`, `env`, `workspace_folders`, `adapter`, \
         `initialize_timeout_ms`, `request_timeout_ms`, `request_timeout_overrides_ms`, `idle_timeout_seconds`, \
         `initialization_options`, `settings`, `install_hint`, `requires`. A block with the id of a built-in server \
         (docs/servers.md) changes what it gives: `id = \"eslint\"` and nothing else has ESLint \
         asked, too, in trusted projects with an `eslint.config.*` (not with the older `.eslintrc`). Linters (ruff, \
         eslint) start only when they are named, and add what they find to what the server of a file finds. Another id adds a server and needs `command` and `extensions`. Only the primary language of \
         a file is served.\n\n\
         ## Forges\n\n```toml\n[[hosts]]\nhost = \"git.example.org\"\nprovider = \"forgejo\"\n\
         token_variable = \"FORGE_TOKEN\"\n```\n\nFields: `host` (with its port where it has one), `provider` (github, \
         gitlab or forgejo), `api_url` when the API is not at the usual place, and `token` or `token_variable`. Other tokens \
         are taken, in this order, from `GH_TOKEN` or `GITHUB_TOKEN` (github.com), `GH_ENTERPRISE_TOKEN` with `GH_HOST`, \
         `GITLAB_TOKEN` (gitlab.com or `GITLAB_HOST`), the programs `gh` and `glab`, and `.netrc`. A token is sent to its own \
         host and port only, over HTTPS or to this machine. What each forge can answer: docs/remote.md.\n",
    );
    page
}

fn row(key: &Key) -> String {
    let kind = match key.kind {
        Kind::Bool => "true or false".to_owned(),
        Kind::Int { min, max } => format!("{min} to {max}"),
        Kind::Text => "string".to_owned(),
        Kind::Path => "path".to_owned(),
        Kind::Choice(legal) => legal.join(", "),
        Kind::List => "list of strings".to_owned(),
        Kind::PathList => "list of paths".to_owned(),
        Kind::Millis => "table of tool = milliseconds".to_owned(),
        Kind::Paths => "table of name = path".to_owned(),
    };
    let default = if key.default.is_empty() { String::new() } else { format!("`{}`", key.default) };
    let marks = [key.needs_trust.then_some("*trust*"), key.secret.then_some("*never shown*")];
    let marks: Vec<&str> = marks.into_iter().flatten().collect();
    let marks = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) };
    format!("| `{}` | `{}` | {kind} | {default} | {}{marks} |\n", key.name, key.variable(), key.doc)
}

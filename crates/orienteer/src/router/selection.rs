//! Which tools are offered: toolsets, allow and exclude lists, read-only. Decided once, at the start: the
//! list never changes as a side effect of a call.

use orienteer_base::nearest::nearest;

use crate::config::Config;
use crate::config::layers::{ConfigError, left_out};
use crate::tool::{Effect, Entry, Toolset};

/// Whether a known tool may be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Offered,
    /// Outside the chosen tools.
    NotEnabled,
    /// It writes or controls, and the session is read-only.
    ReadOnly,
}

/// Checks the words of the configuration against the tools there are. What a project's file has wrong is left out.
pub fn check(config: &mut Config, tools: &[Entry]) -> Result<(), ConfigError> {
    let sets: Vec<&str> = Toolset::ALL.iter().map(|set| set.as_str()).chain(["all", "default"]).collect();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
    let Config { layers, toolsets, allow, exclude, warnings, .. } = config;
    for (key, noun, words, legal) in [
        ("mcp.toolsets", "toolset", toolsets, &sets),
        ("tools.allow", "tool", allow, &names),
        ("tools.exclude", "tool", exclude, &names),
    ] {
        let wrong = words.extract_if(.., |word| !legal.contains(&word.as_str()));
        for word in wrong {
            let error = unknown(key, noun, &word, legal);
            if !layers.leave_out(key, &word) {
                return Err(error);
            }
            warnings.push(left_out(&format!("the project's file: {error}")));
        }
    }
    Ok(())
}

fn unknown(key: &str, noun: &str, word: &str, legal: &[&str]) -> ConfigError {
    let close = nearest(word, legal.iter().copied(), 1);
    let hint = close.first().map(|close| format!("; did you mean `{close}`?")).unwrap_or_default();
    ConfigError::new(format!(
        "`{key}` names `{word}`, which is no {noun}{hint} (there are {})",
        legal.join(", ")
    ))
}

/// All tools of a dialect are offered, but nothing is changed in a session that may not.
pub fn allowed(config: &Config, tool: &Entry) -> Standing {
    if config.read_only && may_write(tool) { Standing::ReadOnly } else { Standing::Offered }
}

/// What writes only where a call asks for it stays, and refuses by itself.
fn may_write(tool: &Entry) -> bool {
    !matches!(tool.effect, Effect::Read | Effect::Asked)
}

/// Exclude wins; then an allow list is exactly what is offered; then toolsets; then the default set.
pub fn standing(config: &Config, tool: &Entry) -> Standing {
    let named = |list: &[String], word: &str| list.iter().any(|entry| entry == word);
    if named(&config.exclude, tool.name) {
        return Standing::NotEnabled;
    }
    let chosen = if !config.allow.is_empty() {
        named(&config.allow, tool.name)
    } else if config.toolsets.is_empty() {
        tool.default
    } else {
        named(&config.toolsets, "all")
            || named(&config.toolsets, tool.toolset.as_str())
            || (tool.default && named(&config.toolsets, "default"))
    };
    match (chosen, config.read_only && may_write(tool)) {
        (_, true) => Standing::ReadOnly,
        (true, false) => Standing::Offered,
        (false, false) => Standing::NotEnabled,
    }
}

//! Which limits may a file set that comes with a repository?
//!
//! Whoever wrote the repository may ask for less than the user allows, and for more only when the user trusts the file.
//! What is wrong in it is told and passed over: a repository must not be able to keep the program from starting.

use std::time::Duration;

use orienteer_base::answer::Warning;

use super::keys::{self, Key};
use super::layers::{Layers, Origin};
use super::value::Value;

/// A limit as such a file has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// Ours.
    pub key: &'static str,
    /// As it would stand in a variable. Of a table of tools, one row.
    pub text: String,
    /// The file and its own name for the key.
    pub place: String,
    pub trusted: bool,
}

/// Lays limits over everything else that was said and gives what a person would want to know. What the user said in a
/// variable or a flag about the same key is nearer and stays.
pub(super) fn lay(
    layers: &mut Layers,
    limits: &[Limit],
    patience: &dyn Fn(&str) -> Option<Duration>,
) -> Vec<Warning> {
    let without = layers.clone();
    let mut warnings = Vec::new();
    for limit in limits {
        let Some(key) = keys::find(limit.key) else { continue };
        let told = match Value::from_text(key, &limit.text) {
            Ok(Value::Int(wanted)) => one(&without, limit, wanted)
                .map(|()| layers.put(key.name, Value::Int(wanted), limit.origin())),
            Ok(Value::Millis(rows)) => rows.into_iter().try_for_each(|(tool, wanted)| {
                time(&without, limit, &tool, wanted, patience)?;
                let mut times = times(layers);
                times.insert(tool, wanted);
                layers.put(key.name, Value::Millis(times), limit.origin());
                Ok(())
            }),
            Ok(_) => Ok(()),
            Err(error) => {
                let message = format!("{} {error}; it is passed over", limit.place);
                Err(Passed::Wrong(Warning::new("invalid_setting", message)))
            }
        };
        match told {
            Ok(()) | Err(Passed::Nearer) => {}
            Err(Passed::Wrong(warning)) => warnings.push(warning),
            Err(Passed::Raised { wanted, most }) => {
                layers.withheld.push(limit.place.clone());
                let message = format!(
                    "{} asks for {wanted}, and {most} is the limit: a repository may ask for less; more counts only \
                     after `orienteer trust`",
                    limit.place
                );
                warnings.push(Warning::new("untrusted_setting", message));
            }
        }
    }
    warnings
}

/// Lays a limit of our own file in a project that the user has not trusted: it counts where it asks for no more than
/// holds `without` the file. Says whether the key is such a limit; others are not touched.
pub(super) fn lower(
    layers: &mut Layers,
    without: &Layers,
    key: &Key,
    value: &Value,
    origin: &Origin,
) -> bool {
    match (key.name, value) {
        ("mcp.queue_max" | "mcp.max_buffer_bytes" | "mcp.tool_timeout_ms", Value::Int(wanted)) => {
            if without.int(key.name).is_some_and(|most| *wanted > most) {
                layers.withheld.push(key.name.to_owned());
            } else {
                layers.put(key.name, value.clone(), origin.clone());
            }
        }
        ("mcp.tool_timeouts", Value::Millis(rows)) => {
            let (known, usual) = (times(without), without.int("mcp.tool_timeout_ms"));
            // The user's own times stay: without its row a tool would have the usual one, which may be longer.
            let mut lowered = times(layers);
            let mut raised = Vec::new();
            for (tool, wanted) in rows {
                let most = known.get(tool).copied().or(usual);
                if most.is_some_and(|most| *wanted > most) {
                    raised.push(tool.as_str());
                } else {
                    lowered.insert(tool.clone(), *wanted);
                }
            }
            if !raised.is_empty() {
                layers.withheld.push(format!("{} ({})", key.name, raised.join(", ")));
            }
            if raised.len() < rows.len() {
                layers.put(key.name, Value::Millis(lowered), origin.clone());
            }
        }
        _ => return false,
    }
    true
}

/// Why a limit does not count.
enum Passed {
    /// The user said it in a variable or a flag.
    Nearer,
    Wrong(Warning),
    Raised {
        wanted: u64,
        most: u64,
    },
}

impl Limit {
    fn origin(&self) -> Origin {
        Origin::Foreign(self.place.clone())
    }

    fn within(&self, wanted: u64, most: Option<u64>) -> Result<(), Passed> {
        match most.filter(|most| !self.trusted && wanted > *most) {
            Some(most) => Err(Passed::Raised { wanted, most }),
            None => Ok(()),
        }
    }
}

/// Whether the user said it where it counts more than any file.
fn is_nearer(layers: &Layers, key: &str) -> bool {
    let nearer =
        |origin: &Origin| matches!(origin, Origin::Foreign(_) | Origin::Environment(_) | Origin::Flag(_));
    layers.origin(key).is_some_and(nearer)
}

fn one(without: &Layers, limit: &Limit, wanted: u64) -> Result<(), Passed> {
    if is_nearer(without, limit.key) {
        return Err(Passed::Nearer);
    }
    limit.within(wanted, without.int(limit.key))
}

/// A time for one tool is nearer than one for all, so it is compared with what the tool would have otherwise.
fn time(
    without: &Layers,
    limit: &Limit,
    tool: &str,
    wanted: u64,
    patience: &dyn Fn(&str) -> Option<Duration>,
) -> Result<(), Passed> {
    let own = times(without).get(tool).copied();
    if own.is_some() && is_nearer(without, limit.key) {
        return Err(Passed::Nearer);
    }
    let usual = || {
        let patience = patience(tool).filter(|_| !without.explicit("mcp.tool_timeout_ms"));
        let patience = patience.and_then(|patience| u64::try_from(patience.as_millis()).ok());
        patience.or(without.int("mcp.tool_timeout_ms"))
    };
    limit.within(wanted, own.or_else(usual))
}

fn times(layers: &Layers) -> std::collections::BTreeMap<String, u64> {
    match layers.get("mcp.tool_timeouts") {
        Some(Value::Millis(times)) => times.clone(),
        _ => Default::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(key: &'static str, text: &str, trusted: bool) -> Limit {
        Limit { key, text: text.to_owned(), place: format!("file {key}"), trusted }
    }

    fn laid(layers: &mut Layers, limits: &[Limit]) -> Vec<&'static str> {
        let patience = |tool: &str| (tool == "slow").then(|| Duration::from_secs(600));
        lay(layers, limits, &patience).into_iter().map(|warning| warning.kind).collect()
    }

    #[test]
    fn a_file_may_ask_for_less_and_for_more_when_it_is_trusted() {
        let mut layers = Layers::built_in().unwrap();
        let less = [limit("mcp.queue_max", "3", false), limit("mcp.max_buffer_bytes", "8388609", false)];
        assert_eq!(laid(&mut layers, &less), ["untrusted_setting"]);
        assert_eq!(
            (layers.int("mcp.queue_max"), layers.int("mcp.max_buffer_bytes")),
            (Some(3), Some(8_388_608))
        );
        assert_eq!(layers.withheld, ["file mcp.max_buffer_bytes"]);
        let more = [limit("mcp.max_buffer_bytes", "8388609", true)];
        assert_eq!(laid(&mut layers, &more), [""; 0]);
        assert_eq!(layers.int("mcp.max_buffer_bytes"), Some(8_388_609));
    }

    #[test]
    fn a_time_for_a_tool_is_compared_with_what_the_tool_has_otherwise() {
        let mut layers = Layers::built_in().unwrap();
        let times_of = |layers: &Layers| times(layers).into_iter().collect::<Vec<_>>();
        let rows = ["slow=600001", "slow=600000", "quick=120001", "quick=5"];
        let rows = rows.map(|row| limit("mcp.tool_timeouts", row, false));
        assert_eq!(laid(&mut layers, &rows), ["untrusted_setting", "untrusted_setting"]);
        assert_eq!(times_of(&layers), [("quick".to_owned(), 5), ("slow".to_owned(), 600_000)]);
        let mut layers = Layers::built_in().unwrap();
        layers.flag("--time", "mcp.tool_timeout_ms", "1000").unwrap();
        let rows =
            [limit("mcp.tool_timeouts", "slow=1001", false), limit("mcp.tool_timeout_ms", "10", false)];
        assert_eq!(laid(&mut layers, &rows), ["untrusted_setting"], "the user said a second for all");
        assert_eq!(layers.int("mcp.tool_timeout_ms"), Some(1_000), "a flag is nearer than the file");
    }

    #[test]
    fn what_is_wrong_is_told_and_passed_over() {
        let mut layers = Layers::built_in().unwrap();
        for (key, text) in [
            ("mcp.queue_max", "0"),
            ("mcp.queue_max", "many"),
            ("mcp.tool_timeout_ms", "-1"),
            ("mcp.tool_timeouts", "search=soon"),
        ] {
            assert_eq!(laid(&mut layers, &[limit(key, text, true)]), ["invalid_setting"], "{key} {text}");
            assert!(!layers.explicit(key), "{key} {text}");
        }
    }
}

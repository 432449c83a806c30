//! Which code takes in what others send, and which does harm with it?
//!
//! A small file of rules names calls, fields and types for each language: sources (a request's input, arguments, the
//! environment, the network) and sinks (running programs, SQL, writing files, …). Users lay files of the same shape over
//! ours.
//!
//! What is looked at is one function: its own calls, reads, writes and parameters. A *flow* is a function that has both a
//! source and a sink of a common group. It says that both stand there, not that a value gets from one to the other; and
//! what passes through another function is not seen.
//!
//! | module | question it answers |
//! | --- | --- |
//! | `risk/read` | What does a file of rules say, and on which line is it wrong? |
//! | `risk/names` | Does a call mean this name, given what the file imports? |

mod names;
mod read;

use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

use orienteer_syntax::facts::{Facts, Import};
use serde::{Deserialize, Serialize};

pub use read::RuleError;

use crate::query::names::{is_word, segments};
use names::NamePattern;

const BUILT_IN: &str = include_str!("risk/rules.toml");

/// What a tag says about a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Source,
    Sink,
    /// Both, of a common group.
    Flow,
}

impl Role {
    pub const ALL: &[Self] = &[Self::Source, Self::Sink, Self::Flow];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Sink => "sink",
            Self::Flow => "flow",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|role| role.as_str() == word)
    }
}

/// How bad it is if the worst comes true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Low,
    Medium,
    High,
    Critical,
}

impl Severity {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

/// What was found in one function.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Tag {
    pub role: Role,
    /// `exec`, `sql`, `request`, …; of a flow, that of its sink.
    pub tag: String,
    pub severity: Severity,
    /// The rule that found it; of a flow, that of its sink.
    pub rule: String,
    /// What stands in the code: the call, field or type. Of a flow, `source → sink`.
    pub evidence: String,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// By which another file replaces it.
    pub id: String,
    /// Never [`Role::Flow`]: flows follow from the others.
    pub role: Role,
    pub tag: String,
    pub severity: Severity,
    /// Sources and sinks with a common group make a flow.
    pub groups: Vec<String>,
    /// Ids of languages.
    pub languages: Vec<&'static str>,
    /// The file must import one of these, or the name must say it itself. Empty: no matter.
    imports: Vec<NamePattern>,
    calls: Vec<NamePattern>,
    reads: Vec<NamePattern>,
    writes: Vec<NamePattern>,
    parameters: Vec<NamePattern>,
    /// Takes the rule of the same id away.
    off: bool,
}

/// Rules, ready to be asked.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    rules: Vec<Rule>,
    by_language: HashMap<&'static str, Lookup>,
}

/// Where a name may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Call,
    Read,
    Write,
    Parameter,
}

/// The names of one language by their last part, so that a call costs one look.
#[derive(Debug, Clone, Default)]
struct Lookup {
    by_last: HashMap<String, Vec<(usize, Place, usize)>>,
    /// Names whose last part has a wildcard.
    wild: Vec<(usize, Place, usize)>,
}

impl Rules {
    /// The rules that come with us.
    pub fn builtin() -> &'static Self {
        static RULES: OnceLock<Rules> = OnceLock::new();
        // The file is part of the program, and a test reads it; without it there would be no tags.
        RULES.get_or_init(|| Self::parse(BUILT_IN).unwrap_or_default())
    }

    /// Reads a file of rules.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        Ok(Self::of(read::read(text)?))
    }

    /// Both; where ids are the same, the rule of `other` counts, and one that is `off` takes the rule away.
    #[must_use]
    pub fn merged(&self, other: &Self) -> Self {
        let mut rules = self.rules.clone();
        for rule in &other.rules {
            match rules.iter_mut().find(|known| known.id == rule.id) {
                Some(known) => *known = rule.clone(),
                None => rules.push(rule.clone()),
            }
        }
        Self::of(rules)
    }

    fn of(rules: Vec<Rule>) -> Self {
        let mut by_language: HashMap<&'static str, Lookup> = HashMap::new();
        for (at, rule) in rules.iter().enumerate().filter(|(_, rule)| !rule.off) {
            for language in &rule.languages {
                let lookup = by_language.entry(language).or_default();
                for place in [Place::Call, Place::Read, Place::Write, Place::Parameter] {
                    for (number, pattern) in rule.patterns(place).iter().enumerate() {
                        match pattern.last() {
                            Some(last) => {
                                lookup.by_last.entry(last.to_owned()).or_default().push((at, place, number))
                            }
                            None => lookup.wild.push((at, place, number)),
                        }
                    }
                }
            }
        }
        Self { rules, by_language }
    }

    pub fn len(&self) -> usize {
        self.rules.iter().filter(|rule| !rule.off).count()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Rules in the order of their files.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(|rule| !rule.off)
    }

    /// The tags that rules give, each once, in order.
    pub fn tag_names(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|rule| rule.tag.as_str()).collect::<BTreeSet<_>>().into_iter()
    }

    /// The tags of one function, the worst first, each rule once. Languages without rules have none.
    pub fn tags(&self, language_id: &str, facts: &Facts, imports: &[Import]) -> Vec<Tag> {
        let Some(lookup) = self.by_language.get(language_id) else { return Vec::new() };
        let mut found: Vec<(usize, &str)> = Vec::new();
        let types = facts.parameters.iter().filter_map(|parameter| parameter.type_name.as_deref());
        let parameters = types.chain(facts.parameters.iter().map(|parameter| parameter.name.as_str()));
        let names = facts.calls.iter().map(|name| (Place::Call, name.as_str()));
        let reads = facts.reads.iter().chain(&facts.uses).map(|name| (Place::Read, name.as_str()));
        let writes = facts.writes.iter().map(|name| (Place::Write, name.as_str()));
        let all = names.chain(reads).chain(writes).chain(parameters.map(|name| (Place::Parameter, name)));
        for (place, name) in all {
            self.look(lookup, place, name, imports, &mut found);
        }
        self.told(&found)
    }

    fn look<'n>(
        &self,
        lookup: &Lookup,
        place: Place,
        name: &'n str,
        imports: &[Import],
        found: &mut Vec<(usize, &'n str)>,
    ) {
        // Most names are one word, for which nothing has to be made.
        let (one, several);
        let parts: &[&str] = if is_word(name) {
            one = [name];
            &one
        } else {
            several = segments(name);
            &several
        };
        // A call is known by its last part; a field that is read may be followed by others (`process.env.HOME`).
        let anywhere = matches!(place, Place::Read | Place::Parameter);
        let lasts = if anywhere { parts } else { parts.last().map_or(&[][..], std::slice::from_ref) };
        let known = lasts.iter().filter_map(|last| lookup.by_last.get(*last)).flatten();
        for (rule, at, number) in known.chain(&lookup.wild) {
            let (Some(rule_of), true) = (self.rules.get(*rule), *at == place) else { continue };
            let Some(pattern) = rule_of.patterns(place).get(*number) else { continue };
            if found.iter().all(|(known, _)| known != rule)
                && pattern.matches(parts, anywhere, imports)
                && rule_of.imported(parts, imports)
            {
                found.push((*rule, name));
            }
        }
    }

    fn told(&self, found: &[(usize, &str)]) -> Vec<Tag> {
        let rules: Vec<(&Rule, &str)> =
            found.iter().filter_map(|(rule, name)| Some((self.rules.get(*rule)?, *name))).collect();
        let mut tags: Vec<Tag> =
            rules.iter().map(|(rule, name)| rule.tag(rule.role, (*name).to_owned())).collect();
        for (sink, sunk) in rules.iter().filter(|(rule, _)| rule.role == Role::Sink) {
            let common = |source: &Rule| source.groups.iter().any(|group| sink.groups.contains(group));
            let from = rules.iter().find(|(rule, _)| rule.role == Role::Source && common(rule));
            if let Some((_, source)) = from {
                tags.push(sink.tag(Role::Flow, format!("{source} → {sunk}")));
            }
        }
        tags.sort_by(|a, b| {
            b.severity.cmp(&a.severity).then_with(|| b.role.cmp(&a.role)).then_with(|| a.cmp(b))
        });
        tags
    }
}

impl Rule {
    fn patterns(&self, place: Place) -> &[NamePattern] {
        match place {
            Place::Call => &self.calls,
            Place::Read => &self.reads,
            Place::Write => &self.writes,
            Place::Parameter => &self.parameters,
        }
    }

    /// Whether the file imports what the rule is about, or the name itself says where it comes from.
    fn imported(&self, parts: &[&str], imports: &[Import]) -> bool {
        self.imports.is_empty()
            || self
                .imports
                .iter()
                .any(|wanted| wanted.is_in(parts) || imports.iter().any(|import| wanted.names_import(import)))
    }

    fn tag(&self, role: Role, evidence: String) -> Tag {
        Tag { role, tag: self.tag.clone(), severity: self.severity, rule: self.id.clone(), evidence }
    }
}

#[cfg(test)]
mod tests;

//! What does a file of rules say, and on which line is it wrong?

use orienteer_base::Language;
use orienteer_base::language::LANGUAGES;
use orienteer_base::nearest::nearest;
use serde::Deserialize;
use toml::Spanned;

use super::names::NamePattern;
use super::{Role, Rule, Severity};

/// A file of rules is small; something else was named.
const MOST_BYTES: usize = 1 << 20;
const MOST_RULES: usize = 2_000;
const MOST_NAMES: usize = 500;

/// Why a file of rules cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    #[error("line {line} of the risk rules: {message}")]
    Line { line: usize, message: String },
    #[error(
        "the risk rules are too large ({size} {unit}, at most {most}); split what does not belong there off"
    )]
    TooLarge { size: usize, unit: &'static str, most: usize },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    rule: Vec<Spanned<Block>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Block {
    id: Spanned<String>,
    #[serde(default)]
    role: Option<Spanned<String>>,
    #[serde(default)]
    tag: Option<Spanned<String>>,
    #[serde(default)]
    severity: Option<Severity>,
    #[serde(default)]
    groups: Option<Vec<String>>,
    #[serde(default)]
    languages: Vec<Spanned<String>>,
    #[serde(default)]
    imports: Vec<Spanned<String>>,
    #[serde(default)]
    calls: Vec<Spanned<String>>,
    #[serde(default)]
    reads: Vec<Spanned<String>>,
    #[serde(default)]
    writes: Vec<Spanned<String>>,
    #[serde(default)]
    parameters: Vec<Spanned<String>>,
    #[serde(default)]
    off: bool,
    /// For people.
    #[serde(default)]
    #[expect(dead_code, reason = "people read it in the file")]
    about: Option<String>,
}

pub(super) fn read(text: &str) -> Result<Vec<Rule>, RuleError> {
    if text.len() > MOST_BYTES {
        return Err(RuleError::TooLarge { size: text.len(), unit: "bytes", most: MOST_BYTES });
    }
    let file: File = toml::from_str(text).map_err(|error| RuleError::Line {
        line: line(text, error.span().map_or(0, |span| span.start)),
        message: error.message().to_owned(),
    })?;
    if file.rule.len() > MOST_RULES {
        return Err(RuleError::TooLarge { size: file.rule.len(), unit: "rules", most: MOST_RULES });
    }
    let mut rules: Vec<Rule> = Vec::with_capacity(file.rule.len());
    for block in file.rule {
        let start = block.span().start;
        let id = block.get_ref().id.clone();
        let rule = rule(block.into_inner(), start).map_err(|wrong| wrong.at(text))?;
        if rules.iter().any(|known| known.id == rule.id) {
            let message = format!("there are two rules `{}`; give one of them another `id`", rule.id);
            return Err(Wrong { at: id.span().start, message }.at(text));
        }
        rules.push(rule);
    }
    Ok(rules)
}

/// What is wrong, and at which byte.
struct Wrong {
    at: usize,
    message: String,
}

impl Wrong {
    fn at(self, text: &str) -> RuleError {
        RuleError::Line { line: line(text, self.at), message: self.message }
    }
}

fn line(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count()
}

fn rule(block: Block, start: usize) -> Result<Rule, Wrong> {
    let id = word(&block.id, "id")?;
    let missing = |what: &str| Wrong { at: start, message: format!("the rule `{id}` has no `{what}`") };
    let role = match &block.role {
        _ if block.off => Role::Source,
        None => return Err(missing("role (source or sink)")),
        Some(role) => match Role::parse(role.get_ref()) {
            Some(role @ (Role::Source | Role::Sink)) => role,
            _ => {
                let message = format!("`{}` is no role; write source or sink", role.get_ref());
                return Err(Wrong { at: role.span().start, message });
            }
        },
    };
    let tag = match &block.tag {
        _ if block.off => String::new(),
        None => return Err(missing("tag")),
        Some(tag) => word(tag, "tag")?,
    };
    if !block.off && Role::parse(&tag).is_some() {
        return Err(Wrong { at: start, message: format!("`{tag}` is a role; give the tag another name") });
    }
    let languages = block.languages.iter().map(language).collect::<Result<Vec<_>, _>>()?;
    let rule = Rule {
        role,
        tag,
        severity: block.severity.unwrap_or(Severity::Medium),
        groups: block.groups.unwrap_or_else(|| vec!["remote".to_owned(), "local".to_owned()]),
        languages,
        imports: names(&block.imports)?,
        calls: names(&block.calls)?,
        reads: names(&block.reads)?,
        writes: names(&block.writes)?,
        parameters: names(&block.parameters)?,
        off: block.off,
        id: id.clone(),
    };
    if !rule.off && rule.languages.is_empty() {
        return Err(missing("languages"));
    }
    let empty =
        [&rule.calls, &rule.reads, &rule.writes, &rule.parameters].iter().all(|names| names.is_empty());
    if !rule.off && empty {
        return Err(missing("calls, reads, writes or parameters"));
    }
    Ok(rule)
}

/// A name that can be written in a filter.
fn word(text: &Spanned<String>, what: &str) -> Result<String, Wrong> {
    let word = text.get_ref();
    let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-');
    if !word.is_empty() && word.len() <= 64 && word.chars().all(legal) {
        return Ok(word.clone());
    }
    let message = format!("`{word}` is no {what}; write small letters, digits, `_` and `-`, at most 64");
    Err(Wrong { at: text.span().start, message })
}

fn language(text: &Spanned<String>) -> Result<&'static str, Wrong> {
    Language::by_word(text.get_ref()).map(|language| language.id).ok_or_else(|| {
        let ids: Vec<&str> = LANGUAGES.iter().map(|language| language.id).collect();
        let meant = match nearest(text.get_ref(), ids.iter().copied(), 3).join(" or ") {
            near if near.is_empty() => String::new(),
            near => format!(" (did you mean {near}?)"),
        };
        let message =
            format!("`{}` is no language{meant}; the languages are {}", text.get_ref(), ids.join(", "));
        Wrong { at: text.span().start, message }
    })
}

fn names(list: &[Spanned<String>]) -> Result<Vec<NamePattern>, Wrong> {
    if let Some(excess) = list.get(MOST_NAMES) {
        let message = format!("more than {MOST_NAMES} names; make two rules of it");
        return Err(Wrong { at: excess.span().start, message });
    }
    let one = |text: &Spanned<String>| {
        NamePattern::new(text.get_ref()).filter(|_| text.get_ref().len() <= 200).ok_or_else(|| {
            let message = format!(
                "`{}` is no name; write for example os.system, with * for any letters",
                text.get_ref()
            );
            Wrong { at: text.span().start, message }
        })
    };
    list.iter().map(one).collect()
}

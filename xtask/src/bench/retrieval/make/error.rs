//! Messages that a program shows, as somebody would paste them: with values where the source has placeholders.

use std::sync::LazyLock;

use regex::Regex;

use super::super::corpus::hash;
use super::super::sentence::words;
use super::super::tree::Tree;
use super::{Candidate, Ground, SEED};

const LEAST_WORDS: usize = 4;
const MOST_WORDS: usize = 30;

/// What is put in place of names and of numbers.
const NAMES: [&str; 8] =
    ["example", "config.json", "user_id", "main", "localhost", "alpha", "report-7", "None"];
const NUMBERS: [&str; 5] = ["3", "42", "404", "1024", "65536"];

/// How far before a message its statement is looked for.
const BEFORE: usize = 160;

static SPEAKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = "throw|raise|error|err|errorf|failf|panic|bail|ensure|fail|failed|warn|warning|warnf|log|logger|logging|debug|info|fatal|assert|expect|exception|reject|trace|print|fprintf|printf|unreachable|message|msg|notef|infof|helpf";
    Regex::new(&format!(
        r"(?i)(?:^|[^a-z]|_)(?:{words})(?:[^a-z]|$)|(?-i:[a-z](?:Error|Exception|Warning)\b)"
    ))
    .ok()
});

/// Placeholders of all the languages: `{}`, `{name!r}`, `${a.b}`, `{{name}}`, `%s`, `%(name)s`, `%-10.3lu`.
static PLACES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\$\{[^}]*\}|\{\{[^}]*\}\}|\{[^{}\n]*\}|%(?:\([^)]*\))?[-+ #0]*[\d*]*(?:\.[\d*]+)?(?:hh|h|ll|l|z|j|t|q)?([diouxXeEfgGcrsvp@])")
        .ok()
});

pub(super) fn candidates(ground: &Ground<'_>) -> anyhow::Result<Vec<Candidate>> {
    let mut all = Vec::new();
    for (number, file) in ground.corpus.files.iter().enumerate() {
        let Some(language) = file.language else { continue };
        let tree = Tree::of(&file.text, language)?;
        for at in 0..tree.nodes.len() {
            if !is_text(&tree, at) || tree.nodes[at].parent.is_some_and(|up| joins(&tree, up)) {
                continue;
            }
            let range = tree.nodes[at].range.clone();
            // The innermost function around it.
            let answer = ground.of_file[number].clone().rfind(|&one| {
                let definition = &ground.definitions[one];
                definition.is_function()
                    && definition.range.start <= range.start
                    && range.end <= definition.range.end
            });
            let Some(answer) = answer.filter(|&one| ground.definitions[one].is_sought()) else { continue };
            if !speaks(&file.text, ground.definitions[answer].range.start, &tree, at) || is_detail(&tree, at)
            {
                continue;
            }
            let mut raw = Vec::new();
            gather(&file.text, &tree, at, &mut raw);
            if let Some(text) = pasted(&raw, &format!("{}:{}", file.path, range.start))
                && occurs_once(ground, &raw)
            {
                all.push(Candidate { text, answer });
            }
        }
    }
    Ok(all)
}

/// A part of a message.
#[derive(Debug)]
enum Part {
    /// As written between the quotes.
    Literal(String),
    /// Something that is put in.
    Value,
}

fn is_text(tree: &Tree, at: usize) -> bool {
    let kind = &*tree.nodes[at].kind;
    matches!(kind, "string" | "string_literal" | "raw_string_literal" | "template_string") || joins(tree, at)
}

/// Whether a node puts texts together.
fn joins(tree: &Tree, at: usize) -> bool {
    match &*tree.nodes[at].kind {
        "concatenated_string" => true,
        "binary_expression" => tree.children(at).any(|child| &*tree.nodes[child].kind == "+"),
        _ => false,
    }
}

/// Whether a string is in a statement that throws, logs or prints.
fn speaks(text: &str, floor: usize, tree: &Tree, at: usize) -> bool {
    let begin = tree.nodes[at].range.start;
    let thrown = tree
        .ancestors(at)
        .take(6)
        .any(|up| matches!(&*tree.nodes[up].kind, "throw_statement" | "raise_statement"));
    let mut from = begin.saturating_sub(BEFORE).max(floor.min(begin));
    while !text.is_char_boundary(from) {
        from += 1;
    }
    // Back to where the statement began.
    let before = &text[from..begin];
    let before = &before[before.rfind([';', '{', '}']).map_or(0, |at| at + 1)..];
    thrown || SPEAKS.as_ref().is_some_and(|rule| rule.is_match(before))
}

/// In a call of JavaScript the message comes first; later strings are filled into one that stands elsewhere.
fn is_detail(tree: &Tree, at: usize) -> bool {
    let Some(parent) = tree.nodes[at].parent.filter(|&up| &*tree.nodes[up].kind == "arguments") else {
        return false;
    };
    let first = tree.children(parent).find(|&child| tree.nodes[child].named);
    let call = tree.nodes[parent].parent.map(|up| tree.nodes[up].kind.clone());
    first != Some(at) && matches!(call.as_deref(), Some("call_expression" | "new_expression"))
}

/// The parts of a message in order. Only sums and strings are looked into.
fn gather(text: &str, tree: &Tree, at: usize, parts: &mut Vec<Part>) {
    let node = &tree.nodes[at];
    match &*node.kind {
        _ if joins(tree, at) => {
            for child in tree.children(at).filter(|&child| tree.nodes[child].named) {
                gather(text, tree, child, parts);
            }
        }
        "string" | "string_literal" | "raw_string_literal" | "template_string" => {
            let literal = inner(&text[node.range.clone()]);
            // A template inside a template is a value that would have to be made first.
            let nested = &*node.kind == "template_string" && literal.contains('`');
            parts.push(if nested { Part::Value } else { Part::Literal(literal) });
        }
        _ => parts.push(Part::Value),
    }
}

/// What stands between the quotes.
fn inner(literal: &str) -> String {
    let bare = literal.trim_start_matches(|c: char| c.is_ascii_alphabetic() || matches!(c, '@' | '#'));
    let quote = bare.chars().next().unwrap_or('"');
    let bare = bare.trim_end_matches('#');
    let wide = quote.to_string().repeat(3);
    let within = |mark: &str| bare.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
    within(&wide).or_else(|| within(&quote.to_string())).unwrap_or(bare).to_owned()
}

/// The message as it would be shown, on one line.
fn pasted(parts: &[Part], place: &str) -> Option<String> {
    let mut count = 0;
    let mut value = |number: bool| {
        count += 1;
        let dice = usize::try_from(hash(&[SEED, place, &format!("{count}")]) >> 8).unwrap_or_default();
        if number { NUMBERS[dice % NUMBERS.len()] } else { NAMES[dice % NAMES.len()] }
    };
    let literal: usize = parts
        .iter()
        .map(|part| match part {
            Part::Literal(text) => {
                words(&PLACES.as_ref().map_or_else(|| text.into(), |rule| rule.replace_all(text, " ")))
                    .count()
            }
            Part::Value => 0,
        })
        .sum();
    let mut all = String::new();
    for part in parts {
        match part {
            Part::Literal(text) => {
                let rule = PLACES.as_ref()?;
                all += &rule.replace_all(text, |found: &regex::Captures<'_>| {
                    let numeric = found
                        .get(1)
                        .is_some_and(|kind| !matches!(kind.as_str(), "s" | "r" | "v" | "@" | "c"));
                    value(numeric)
                });
            }
            Part::Value => all += value(false),
        }
    }
    let all = all.replace("\\\"", "\"").replace("\\'", "'").replace("\\t", " ").replace("\\r", "");
    let first = all.replace("\\n", "\n");
    let line =
        first.trim().lines().next()?.trim_end_matches('\\').split_whitespace().collect::<Vec<_>>().join(" ");
    let natural =
        line.contains(' ') && !line.contains(['\\', '<', '=']) && line.chars().any(char::is_alphabetic);
    let counted = words(&line).count();
    (natural && literal >= LEAST_WORDS && (LEAST_WORDS..=MOST_WORDS).contains(&counted)).then_some(line)
}

/// Whether the longest literal part is written at one place only.
fn occurs_once(ground: &Ground<'_>, parts: &[Part]) -> bool {
    let literals = parts.iter().filter_map(|part| match part {
        Part::Literal(text) => Some(text.as_str()),
        Part::Value => None,
    });
    let Some(longest) = literals.max_by_key(|text| text.len()) else { return false };
    ground.corpus.files.iter().map(|file| file.text.matches(longest).take(2).count()).sum::<usize>() == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_speak_are_known() {
        let rule = SPEAKS.as_ref().unwrap();
        for text in [
            "return Err(proto_err!(",
            "panic!(",
            "  failf(data, ",
            "warnf(config, ",
            "LOGGER.debug(",
            "x = ValueError(",
            "Log.e(TAG, ",
        ] {
            assert!(rule.is_match(text), "{text}");
        }
        for text in ["let terror = open(", "blog.write("] {
            assert!(!rule.is_match(text), "{text}");
        }
        assert!(PLACES.is_some());
    }

    #[test]
    fn placeholders_of_every_language_become_values() {
        for text in [
            "could not open {} at all {x!r}",
            "could not open %s at all %-3lu",
            "could not open ${a.b} at all {{x}}",
        ] {
            let shown = pasted(&[Part::Literal(text.to_owned())], "here").unwrap();
            assert!(shown.starts_with("could not open ") && !shown.contains(['%', '{', '$']), "{shown}");
            assert_eq!(shown, pasted(&[Part::Literal(text.to_owned())], "here").unwrap());
        }
        let sum = [
            Part::Literal("cannot read the file ".to_owned()),
            Part::Value,
            Part::Literal(" now".to_owned()),
        ];
        assert!(pasted(&sum, "x").unwrap().ends_with(" now"));
        assert_eq!(inner("'\"a\" is bad'"), "\"a\" is bad");
        assert_eq!(inner("f\"\"\"it's\"\"\""), "it's");
        assert_eq!(inner("r#\"raw\"#"), "raw");
        assert_eq!(pasted(&[Part::Literal("only %s %s %s %s".to_owned())], "x"), None);
    }
}

//! A YAML file as a tree that knows its lines.
//!
//! Built from the parser's events one by one: nothing is expanded, so that aliases cannot grow, and nothing recurses, so
//! that depth cannot break anything. Aliases and tags are kept as what they are; whoever reads a value refuses them.

use saphyr_parser::{Event, Parser, ScalarStyle};

/// Larger files are no settings.
const LARGEST: usize = 256 << 10;
/// Deeper ones neither.
const DEEPEST: usize = 64;

/// A value and where it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    /// From 1.
    pub(super) line: usize,
    pub(super) value: Value,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// Nothing at all, `~` or `null`.
    Nothing,
    /// The text, and whether it was in quotes: `"300"` is no number.
    Text(String, bool),
    List(Vec<Node>),
    /// In the order it is written; keys that are no text are not kept.
    Map(Vec<(Key, Node)>),
    /// An alias or a tag, by what it is called.
    Special(&'static str),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) line: usize,
    pub(super) name: String,
}

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) line: usize,
    pub(super) message: String,
}

impl Fault {
    pub(super) fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

/// What is being filled.
enum Open {
    List(usize, Vec<Node>),
    /// The key that waits for its value comes last; `None` for one that is no text.
    Map(usize, Vec<(Key, Node)>, Option<Option<Key>>),
    /// Written with a tag or an anchor that matters only to who reads it.
    Special(&'static str, Box<Open>),
}

/// The first document of a file; `None` for an empty one.
pub(super) fn parse(text: &str) -> Result<Option<Node>, Fault> {
    if text.len() > LARGEST {
        return Err(Fault::new(1, format!("the file is larger than {} KiB", LARGEST >> 10)));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut open: Vec<Open> = Vec::new();
    let mut root = None;
    for event in Parser::new_from_str(text) {
        let (event, span) =
            event.map_err(|error| Fault::new(error.marker().line().max(1), error.info().to_owned()))?;
        let line = span.start.line().max(1);
        let done = match event {
            Event::Alias(_) => Some(Node { line, value: Value::Special("an alias") }),
            Event::Scalar(text, style, _, tag) => Some(scalar(&text, style, tag.is_some(), line)),
            Event::SequenceStart(_, tag) => {
                deepen(&mut open, Open::List(line, Vec::new()), tag.is_some(), line)?;
                None
            }
            Event::MappingStart(_, tag) => {
                deepen(&mut open, Open::Map(line, Vec::new(), None), tag.is_some(), line)?;
                None
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop().map(close),
            Event::DocumentEnd => break,
            _ => None,
        };
        let Some(node) = done else { continue };
        match open.last_mut() {
            None => root = Some(node),
            Some(parent) => put(parent, node)?,
        }
    }
    Ok(root)
}

fn scalar(text: &str, style: ScalarStyle, tagged: bool, line: usize) -> Node {
    let plain = matches!(style, ScalarStyle::Plain);
    let value = match text {
        _ if tagged => Value::Special("a tag"),
        "" | "~" | "null" | "Null" | "NULL" if plain => Value::Nothing,
        text => Value::Text(text.to_owned(), !plain),
    };
    Node { line, value }
}

fn deepen(open: &mut Vec<Open>, one: Open, tagged: bool, line: usize) -> Result<(), Fault> {
    if open.len() >= DEEPEST {
        return Err(Fault::new(line, format!("it is nested more than {DEEPEST} levels deep")));
    }
    open.push(if tagged { Open::Special("a tag", Box::new(one)) } else { one });
    Ok(())
}

fn close(open: Open) -> Node {
    match open {
        Open::List(line, items) => Node { line, value: Value::List(items) },
        Open::Map(line, entries, _) => Node { line, value: Value::Map(entries) },
        Open::Special(what, inner) => Node { value: Value::Special(what), ..close(*inner) },
    }
}

/// Nobody writes so many by hand.
const MOST_ENTRIES: usize = 1_000;

fn put(parent: &mut Open, node: Node) -> Result<(), Fault> {
    match parent {
        Open::List(_, items) => items.push(node),
        Open::Map(_, entries, waiting) => match waiting.take() {
            None => {
                *waiting = Some(match node.value {
                    Value::Text(name, _) => Some(Key { line: node.line, name }),
                    _ => None,
                });
            }
            Some(Some(key)) => {
                if entries.len() >= MOST_ENTRIES {
                    return Err(Fault::new(
                        key.line,
                        format!("there are more than {MOST_ENTRIES} keys side by side"),
                    ));
                }
                if entries.iter().any(|(known, _)| known.name == key.name) {
                    let name: String = key.name.chars().take(60).collect();
                    return Err(Fault::new(key.line, format!("`{name}` is there twice")));
                }
                entries.push((key, node));
            }
            Some(None) => {}
        },
        Open::Special(_, inner) => put(inner, node)?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(text: &str) -> Vec<(Key, Node)> {
        match parse(text).unwrap().unwrap().value {
            Value::Map(entries) => entries,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_crowd_of_keys_is_refused_with_its_line() {
        let many: String = (0..1_001).map(|number| format!("k{number}: x\n")).collect();
        assert_eq!(parse(&many).unwrap_err().line, 1_001);
        let enough: String = (0..1_000).map(|number| format!("k{number}: x\n")).collect();
        assert_eq!(map(&enough).len(), 1_000);
    }

    #[test]
    fn values_know_their_lines() {
        let entries = map("a: 1\r\nb:\r\n  - \"2\"\r\n  - x\r\nc: ~\r\n");
        let lines: Vec<_> = entries.iter().map(|(key, node)| (key.line, node.line)).collect();
        assert_eq!(lines, [(1, 1), (3 - 1, 3), (5, 5)]);
        assert_eq!(entries[0].1.value, Value::Text("1".into(), false));
        let Value::List(items) = &entries[1].1.value else { panic!() };
        assert_eq!(items[0].value, Value::Text("2".into(), true));
        assert_eq!(entries[2].1.value, Value::Nothing);
    }

    #[test]
    fn aliases_stay_aliases() {
        let bomb = "a: &a [x, x, x]\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b]\nd: [*c, *c, *c]\n";
        let Value::List(items) = &map(bomb)[3].1.value else { panic!() };
        assert!(items.iter().all(|item| item.value == Value::Special("an alias")));
        assert_eq!(map("a: !!python/object x")[0].1.value, Value::Special("a tag"));
        assert_eq!(map("a: !x {b: 1}")[0].1.value, Value::Special("a tag"));
    }

    #[test]
    fn broken_and_monstrous_files_are_refused_with_a_line() {
        assert_eq!(parse("a: 1\nb: [1, 2\n").unwrap_err().line, 3);
        assert!(parse("a: 1\na: 2\n").unwrap_err().message.contains("`a` is there twice"));
        let deep = format!("{}x{}", "[".repeat(200), "]".repeat(200));
        assert!(parse(&deep).is_err());
        let deep: String = (0..100).map(|level| format!("{}k:\n", " ".repeat(level))).collect();
        assert!(parse(&deep).unwrap_err().message.contains("levels deep"));
        assert!(parse(&"#".repeat(LARGEST + 1)).unwrap_err().message.contains("256 KiB"));
        assert_eq!(parse(""), Ok(None));
        assert_eq!(parse("# nothing\n"), Ok(None));
        assert_eq!(map("\u{feff}a: 1\n")[0].0.name, "a", "some editors begin files so");
        assert!(parse("\u{0}\u{1}").is_err() || parse("\u{0}\u{1}").is_ok(), "and nothing panics");
    }

    #[test]
    fn only_the_first_document_counts() {
        assert_eq!(map("a: 1\n---\nb: 2\n").len(), 1);
    }
}

//! One question with its one right answer, and the files in which they are fixed.

use std::fs;

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::packages::{Set, data};

/// What kind of question it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Class {
    Doc,
    Identifier,
    Acronym,
    Substring,
    Path,
    Error,
}

impl Class {
    pub(super) const ALL: [Self; 6] =
        [Self::Doc, Self::Identifier, Self::Acronym, Self::Substring, Self::Path, Self::Error];

    pub(super) fn id(self) -> &'static str {
        match self {
            Self::Doc => "doc",
            Self::Identifier => "identifier",
            Self::Acronym => "acronym",
            Self::Substring => "substring",
            Self::Path => "path",
            Self::Error => "error",
        }
    }

    /// How many of them a set has.
    pub(super) fn wanted(self) -> usize {
        if self == Self::Doc { 400 } else { 120 }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Query {
    pub(super) class: Class,
    pub(super) text: String,
    pub(super) file: String,
    pub(super) name: String,
    /// Of the name.
    pub(super) line: usize,
    /// First and last of the whole definition.
    pub(super) lines: (usize, usize),
}

/// Writes the questions of a set where there are none yet. Questions that are there stay: they were fixed before
/// anybody tuned, and the same rules must make the same ones.
pub(super) fn fix(set: Set, queries: &[Query]) -> anyhow::Result<()> {
    let text: String = queries
        .iter()
        .map(|query| {
            let row = json!({
                "class": query.class.id(),
                "query": query.text,
                "file": query.file,
                "name": query.name,
                "line": query.line,
                "from": query.lines.0,
                "to": query.lines.1,
            });
            format!("{row}\n")
        })
        .collect();
    let path = data().join(format!("{}.jsonl", set.id()));
    let Ok(there) = fs::read_to_string(&path) else { return Ok(fs::write(path, text)?) };
    let other = there.lines().zip(text.lines()).filter(|(a, b)| a != b).count();
    ensure!(
        there == text,
        "the rules make other questions than those of {} ({other} of {} differ): outlines or packages have \
         changed. The old ones stay; remove the file to make new ones, and ask the peer again",
        path.display(),
        queries.len()
    );
    Ok(())
}

pub(super) fn read(set: Set) -> anyhow::Result<Vec<Query>> {
    let name = format!("{}.jsonl", set.id());
    let text = fs::read_to_string(data().join(&name))
        .with_context(|| format!("{name}: `cargo xtask bench retrieval queries` makes it"))?;
    text.lines().map(|line| one(line).with_context(|| format!("{name}: {line}"))).collect()
}

fn one(line: &str) -> anyhow::Result<Query> {
    let row: Value = serde_json::from_str(line)?;
    let text = |key: &str| row[key].as_str().map(str::to_owned).with_context(|| format!("no `{key}`"));
    let number = |key: &str| {
        let number = row[key].as_u64().and_then(|number| usize::try_from(number).ok());
        number.with_context(|| format!("no `{key}`"))
    };
    let class = text("class")?;
    Ok(Query {
        class: Class::ALL.into_iter().find(|known| known.id() == class).context("an unknown class")?,
        text: text("query")?,
        file: text("file")?,
        name: text("name")?,
        line: number("line")?,
        lines: (number("from")?, number("to")?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sets_have_enough_of_every_class_and_no_question_twice() {
        for set in Set::ALL {
            let queries = read(set).unwrap();
            for class in Class::ALL {
                let least = if class == Class::Doc { 300 } else { 100 };
                let count = queries.iter().filter(|query| query.class == class).count();
                assert!(count >= least, "{} {}: {count}", set.id(), class.id());
            }
            let mut texts: Vec<&str> = queries.iter().map(|query| query.text.as_str()).collect();
            texts.sort_unstable();
            let count = texts.len();
            texts.dedup();
            assert_eq!(texts.len(), count);
        }
    }
}

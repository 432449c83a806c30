//! SQLite's own full text search, as one gets it without thinking: FTS5, `unicode61`, `bm25()`, words joined by OR.

use anyhow::Context;
use rusqlite::Connection;

use super::corpus::Corpus;
use super::definitions::Definition;
use super::judge::{Answer, Hit};

/// What one row of the table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// The baseline.
    File,
    /// Every definition by itself, with its path and name path. More than a plain use of FTS5; it shows how much of
    /// an answer comes from cutting files into definitions alone.
    Definition,
}

pub(super) struct Table {
    connection: Connection,
    unit: Unit,
}

impl Table {
    pub(super) fn fill(corpus: &Corpus, definitions: &[Definition], unit: Unit) -> anyhow::Result<Self> {
        let mut connection = Connection::open_in_memory()?;
        connection.execute_batch(
            "CREATE VIRTUAL TABLE texts USING fts5(path, name, body, first UNINDEXED, last UNINDEXED, tokenize = 'unicode61')",
        )?;
        let transaction = connection.transaction()?;
        {
            let mut insert = transaction.prepare("INSERT INTO texts VALUES (?, ?, ?, ?, ?)")?;
            match unit {
                Unit::File => {
                    for file in &corpus.files {
                        insert.execute((&file.path, "", &file.text, 0, 0))?;
                    }
                }
                Unit::Definition => {
                    for definition in definitions {
                        let file = &corpus.files[definition.file];
                        insert.execute((
                            &file.path,
                            &definition.name_path,
                            &file.text[definition.range.clone()],
                            definition.start_line as i64,
                            definition.end_line as i64,
                        ))?;
                    }
                }
            }
        }
        transaction.commit()?;
        Ok(Self { connection, unit })
    }

    pub(super) fn ask(&self, question: &str) -> anyhow::Result<Answer> {
        // What the tokenizer splits in one word becomes a phrase, which is what was asked for.
        let words: Vec<String> = question
            .split_whitespace()
            .filter(|word| word.contains(char::is_alphanumeric))
            .map(|word| format!("\"{}\"", word.replace('"', "\"\"")))
            .collect();
        let mut find = self.connection.prepare_cached(
            "SELECT path, first, last FROM texts WHERE texts MATCH ? ORDER BY bm25(texts), rowid LIMIT ?",
        )?;
        let rows = find.query_map((words.join(" OR "), super::RESULTS as i64), |row| {
            let line = |at: usize| Ok::<_, rusqlite::Error>(row.get::<_, u32>(at)? as usize);
            Ok(Hit { file: row.get(0)?, name: None, lines: (line(1)?, line(2)?) })
        })?;
        let hits: Vec<Hit> = rows.collect::<Result<_, _>>().with_context(|| question.to_owned())?;
        let mut answer = Answer::of_hits(hits);
        if self.unit == Unit::File {
            answer.hits.clear();
        }
        Ok(answer)
    }
}

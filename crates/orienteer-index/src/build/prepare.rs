//! What does the index keep of this file?

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use orienteer_base::{Cancel, Language, Stopped};
use orienteer_syntax::facts::{Examined, Facts, Import, Piece, Visibility, examine_in, plain_pieces};
use orienteer_syntax::{Arena, Limits, ParseError, Symbol};

use super::classify::{self, Class};
use super::content::{self, Loaded};
use super::lines::Lines;
use super::records;
use crate::analyse;
use crate::risk::Rules;
use crate::store::{
    Collector, Column, FileFlags, FileRecord, Mode, PieceRecord, Relation, RelativePath, SymbolRecord,
};

/// Of a longer documentation the beginning counts.
const DOC: usize = 4 << 10;
/// Characters of its first line.
const DOC_LINE: usize = 200;
/// Data of this size has keys that nobody looks for by name.
const LARGE_DATA: usize = 256 << 10;

/// Makes records of files, one after the other. One for each thread.
#[derive(Debug)]
pub(super) struct Preparer {
    collector: Collector,
    arena: Arena,
    limits: Limits,
    rules: Arc<Rules>,
    path_words: Vec<String>,
}

impl Preparer {
    pub(super) fn new(limits: Limits, rules: Arc<Rules>) -> Self {
        Self { collector: Collector::new(), arena: Arena::default(), limits, rules, path_words: Vec::new() }
    }

    /// The record of a file.
    pub(super) fn prepare(
        &mut self,
        path: &RelativePath,
        loaded: &Loaded,
        cancel: &Cancel,
    ) -> Result<FileRecord, Stopped> {
        cancel.check()?;
        let shown = path.shown();
        let large = loaded.stamp.size > content::LARGE || !loaded.whole;
        let bytes = if large { content::beginning(&loaded.bytes) } else { loaded.bytes.as_slice() };
        let text = content::text_of(bytes);
        let language = language(&shown, text.as_deref());
        let class = classify::by_path(&shown, language);
        let flags = class
            .flags
            .when(FileFlags::TOO_LARGE, large)
            .when(FileFlags::YOUNG, loaded.young)
            .when(FileFlags::BINARY, text.is_none());
        let mut record = FileRecord {
            path: path.clone(),
            language,
            mode: class.mode,
            flags,
            stamp: loaded.stamp,
            hash: beginning_of(&loaded.hash),
            lines: 0,
            trigrams: None,
            pieces: Vec::new(),
            symbols: Vec::new(),
            comments: Vec::new(),
            terms: Default::default(),
        };
        self.path_words.clear();
        analyse::words(&shown, &mut |word| self.path_words.push(word.to_owned()));
        let filled = self.fill(&mut record, text.as_deref().unwrap_or_default(), class, large, cancel);
        if filled.is_err() {
            self.collector.reset();
        }
        filled?;
        Ok(record)
    }

    fn fill(
        &mut self,
        record: &mut FileRecord,
        text: &str,
        class: Class,
        large: bool,
        cancel: &Cancel,
    ) -> Result<(), Stopped> {
        let lines = Lines::new(text);
        record.lines = number(lines.count(text));
        record.flags = record.flags.with(classify::by_text(text, record.lines as usize, class.mode));
        let examined = match record.language {
            Some(language) if !large && is_worth_parsing(record, class, text) => {
                self.examine(record, text, language, cancel)?
            }
            _ => None,
        };
        let mut examined = examined.unwrap_or_default();
        let ranges: Vec<Range<usize>> = examined.pieces.iter().map(|piece| piece.range.clone()).collect();
        if !tiles(&ranges, text) {
            examined.pieces = plain_pieces(text);
            // A file without text is still found by its path.
            if examined.pieces.is_empty() {
                examined.pieces.push(Piece { range: 0..text.len(), symbol: None });
            }
        }
        self.words(text, &examined, cancel)?;
        let line_of = |offset: usize| lines.of(offset);
        record.pieces = examined
            .pieces
            .iter()
            .map(|piece| PieceRecord {
                range: range(&piece.range),
                lines: line_range(&piece.range, line_of),
                symbol: piece.symbol.map(number),
            })
            .collect();
        record.comments = examined.comments.iter().map(range).collect();
        self.facts(record, examined, line_of, text);
        record.terms = self.collector.finish();
        Ok(())
    }

    fn examine(
        &mut self,
        record: &mut FileRecord,
        text: &str,
        language: &'static Language,
        cancel: &Cancel,
    ) -> Result<Option<Examined>, Stopped> {
        match examine_in(&mut self.arena, text, language, &self.limits, cancel) {
            Ok(examined) => {
                record.flags = record
                    .flags
                    .when(FileFlags::HAS_ERRORS, examined.outline.has_errors)
                    .when(FileFlags::TRUNCATED, examined.outline.truncated);
                Ok(Some(examined))
            }
            Err(ParseError::Stopped(stopped)) => Err(stopped),
            Err(ParseError::NoGrammar { .. }) => Ok(None),
            Err(_) => {
                record.flags = record.flags.with(FileFlags::TRUNCATED);
                Ok(None)
            }
        }
    }

    /// The words of each piece, by column.
    fn words(&mut self, text: &str, examined: &Examined, cancel: &Cancel) -> Result<(), Stopped> {
        let collector = &mut self.collector;
        let mut comments = examined.comments.as_slice();
        let mut last_symbol = None;
        for piece in &examined.pieces {
            cancel.check()?;
            for word in &self.path_words {
                collector.word(Column::Path, word);
            }
            let symbol = piece.symbol.and_then(|at| examined.outline.symbols.get(at));
            let facts = piece.symbol.and_then(|at| examined.facts.get(at));
            if let Some(symbol) = symbol {
                analyse::words(&symbol.name_path, &mut |word| collector.word(Column::Symbol, word));
                // The first piece of a symbol says what it is; those that follow only hold more of it.
                if piece.symbol != last_symbol {
                    analyse::words(&symbol.signature, &mut |word| collector.word(Column::Signature, word));
                    let doc = facts.and_then(|facts| facts.doc.as_deref()).unwrap_or_default();
                    analyse::words(cut(doc, DOC), &mut |word| collector.word(Column::Doc, word));
                }
            }
            last_symbol = piece.symbol;
            let mut at = piece.range.start;
            while let Some((comment, rest)) = comments.split_first() {
                if comment.start >= piece.range.end {
                    break;
                }
                let own = comment.start.max(at)..comment.end.min(piece.range.end);
                analyse::words(slice(text, at..own.start), &mut |word| collector.word(Column::Body, word));
                if !documents(comment, symbol, facts) {
                    analyse::words(slice(text, own.clone()), &mut |word| {
                        collector.word(Column::Comment, word)
                    });
                }
                at = own.end;
                if comment.end > piece.range.end {
                    break;
                }
                comments = rest;
            }
            analyse::words(slice(text, at..piece.range.end), &mut |word| collector.word(Column::Body, word));
            collector.end_piece();
        }
        Ok(())
    }

    /// Symbols, and what they and the file are found by.
    fn facts(
        &mut self,
        record: &mut FileRecord,
        examined: Examined,
        line_of: impl Fn(usize) -> usize,
        text: &str,
    ) {
        let Examined { outline, mut facts, outside, imports, mut exports, .. } = examined;
        exports.sort_unstable();
        facts.resize_with(outline.symbols.len(), Facts::default);
        // Numbers of a term come in order, and what stands outside of every definition has the first.
        self.symbol_facts(&outside, 0);
        self.risks(record.language, &outside, &imports, 0);
        for (at, (symbol, facts)) in outline.symbols.into_iter().zip(facts).enumerate() {
            let number = number(at) + 1;
            self.symbol_facts(&facts, number);
            self.risks(record.language, &facts, &imports, number);
            let symbol = symbol_record(symbol, facts, &exports, &line_of);
            self.collector.symbol(number, &symbol);
            record.symbols.push(symbol);
        }
        self.file_facts(&imports, &exports);
        if record.mode == Mode::Records || record.mode == Mode::Prose {
            records::metadata(text, record.language, &mut |pair| {
                self.collector.fact(Relation::Meta, pair, 0)
            });
        }
    }

    fn risks(&mut self, language: Option<&Language>, facts: &Facts, imports: &[Import], number: u32) {
        let Some(language) = language else { return };
        for tag in self.rules.tags(language.id, facts, imports) {
            let role = tag.role.as_str();
            self.collector.fact(Relation::Risk, role, number);
            self.collector.fact(Relation::Risk, &tag.tag, number);
            self.collector.fact(Relation::Risk, &format!("{role}:{}", tag.tag), number);
        }
    }

    fn symbol_facts(&mut self, facts: &Facts, number: u32) {
        for (relation, names) in [
            (Relation::Calls, &facts.calls),
            (Relation::Uses, &facts.uses),
            (Relation::Throws, &facts.throws),
            (Relation::Reads, &facts.reads),
            (Relation::Writes, &facts.writes),
            (Relation::Extends, &facts.extends),
            (Relation::Decorator, &facts.decorators),
        ] {
            for name in names {
                self.collector.fact(relation, name, number);
            }
        }
        for parameter in &facts.parameters {
            self.collector.fact(Relation::Parameter, &parameter.name, number);
            if let Some(type_name) = &parameter.type_name {
                self.collector.fact(Relation::ParameterType, type_name, number);
            }
        }
    }

    fn file_facts(&mut self, imports: &[Import], exports: &[String]) {
        for import in imports {
            self.collector.fact(Relation::Imports, &import.module, 0);
            for name in &import.names {
                self.collector.fact(Relation::ImportedName, name, 0);
            }
        }
        for name in exports {
            self.collector.fact(Relation::Exports, name, 0);
        }
    }
}

/// By the name of the file, or by its first line.
fn language(shown: &str, text: Option<&str>) -> Option<&'static Language> {
    Language::by_path(Path::new(shown)).or_else(|| {
        let line = text?.lines().next()?;
        Language::by_first_line(cut(line, 200))
    })
}

/// Machine-made texts have no outline that somebody would look at, and take longest to parse.
fn is_worth_parsing(record: &FileRecord, class: Class, text: &str) -> bool {
    !record.flags.has(FileFlags::MINIFIED)
        && !record.flags.has(FileFlags::BINARY)
        && !class.is_lock_file
        && (class.mode == Mode::Code || text.len() <= LARGE_DATA)
}

/// Whether a comment is what documents a symbol: its words are in the documentation already.
fn documents(comment: &Range<usize>, symbol: Option<&Symbol>, facts: Option<&Facts>) -> bool {
    let documented = facts.is_some_and(|facts| facts.doc.is_some());
    documented && symbol.is_some_and(|symbol| comment.end <= symbol.name_range.start)
}

fn symbol_record(
    symbol: Symbol,
    facts: Facts,
    exports: &[String],
    line_of: &impl Fn(usize) -> usize,
) -> SymbolRecord {
    let listed = exports.binary_search(&symbol.name).is_ok() && symbol.parent.is_none();
    let public = exports.is_empty() && facts.visibility == Some(Visibility::Public);
    SymbolRecord {
        is_exported: listed || public,
        range: range(&symbol.range),
        name_range: range(&symbol.name_range),
        lines: line_range(&symbol.range, line_of),
        parent: symbol.parent.map(number),
        doc: without_key(first_line(facts.doc.as_deref().unwrap_or_default())),
        return_type: facts.return_type.unwrap_or_default(),
        visibility: facts.visibility,
        is_async: facts.is_async,
        is_generator: facts.is_generator,
        branches: facts.branches,
        loops: facts.loops,
        name: symbol.name,
        name_path: symbol.name_path,
        kind: symbol.kind,
        signature: without_key(symbol.signature),
    }
}

fn first_line(doc: &str) -> String {
    let line = doc.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let Some((at, next)) = line.char_indices().nth(DOC_LINE) else { return line.to_owned() };
    let shown = &line[..at];
    // Half of a secret looks like any other text to whoever hides them, and a secret is a word of ASCII.
    let shown =
        if next.is_ascii_graphic() { shown.trim_end_matches(|c: char| c.is_ascii_graphic()) } else { shown };
    format!("{shown}…")
}

/// A private key is not kept, whatever is shown: what comes behind its first fence is left out.
fn without_key(mut text: String) -> String {
    let fence = text.find("PRIVATE KEY");
    let end = fence.and_then(|at| Some(at + text[at..].find("-----")? + "-----".len()));
    if let Some(end) = end.filter(|end| *end < text.len()) {
        text.truncate(end);
        text.push('…');
    }
    text
}

fn line_range(range: &Range<usize>, line_of: impl Fn(usize) -> usize) -> Range<u32> {
    let first = line_of(range.start);
    let last = line_of(range.end.saturating_sub(1).max(range.start));
    number(first)..number(last + 1)
}

fn range(range: &Range<usize>) -> Range<u32> {
    number(range.start)..number(range.end)
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

pub(super) fn beginning_of(hash: &[u8; 32]) -> [u8; 16] {
    let mut beginning = [0; 16];
    beginning.copy_from_slice(&hash[..16]);
    beginning
}

/// Whether ranges cover a text once and in order.
fn tiles(pieces: &[Range<usize>], text: &str) -> bool {
    let mut at = 0;
    pieces.iter().all(|piece| {
        let follows = piece.start == at && piece.end >= at && text.is_char_boundary(piece.end);
        at = piece.end;
        follows
    }) && at == text.len()
        && !pieces.is_empty()
}

fn slice(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

fn cut(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_and_overlaps_are_noticed() {
        assert!(tiles(&[0..1, 1..3], "abc"));
        assert!(!tiles(&[0..1, 2..3], "abc"));
        assert!(!tiles(&[0..2, 1..3], "abc"));
        assert!(!tiles(&[0..1, 1..2], "abc"));
        assert!(!tiles(&[0..1, 1..2], "é"));
        assert!(!tiles(&[], ""));
    }

    #[test]
    fn the_first_line_of_a_documentation_is_the_first_that_says_something() {
        assert_eq!(first_line("\n  Reads a file.  \nMore."), "Reads a file.");
        assert_eq!(first_line(""), "");
        assert_eq!(first_line(&"é".repeat(500)).chars().count(), DOC_LINE + 1);
        assert_eq!(first_line(&"a ".repeat(500)), format!("{}…", "a ".repeat(DOC_LINE / 2)));
        let long = format!("{} key {} more", "a".repeat(DOC_LINE - 10), "s3cr3t".repeat(7));
        assert_eq!(first_line(&long), format!("{} key …", "a".repeat(DOC_LINE - 10)), "no half of a word");
    }
}

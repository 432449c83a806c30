//! How is something found pointed at?

use std::time::{Duration, UNIX_EPOCH};

use orienteer_base::search::{HitBlame, HitLine, SearchHit, SearchMode};
use orienteer_base::{Position, Source};
use orienteer_index::find::{Blame, Hit, HitSymbol, SnippetLine};
use orienteer_search::words::is_word_char;

use crate::scenery::unknown_id;

/// What is found where no symbol is.
fn kind_without_symbol(mode: SearchMode) -> &'static str {
    match mode {
        SearchMode::Code => "text",
        SearchMode::Prose => "section",
        SearchMode::Comments => "comment",
        SearchMode::Config => "config",
        SearchMode::Records => "record",
    }
}

/// A hit of the index as every tool understands it.
pub(super) fn row(hit: Hit) -> SearchHit {
    let file_path = hit.path.shown();
    let mode = hit.mode;
    let symbol_id = match &hit.symbol {
        Some(symbol) => id(&file_path, symbol),
        None => place_id(&file_path, &hit.snippet, Position::new(hit.line.max(1), hit.column.max(1))),
    };
    let kind = hit.symbol.as_ref().map_or(kind_without_symbol(mode), |symbol| symbol.kind.as_str());
    let (name, name_path, signature, doc) = match hit.symbol {
        Some(HitSymbol { name, name_path, signature, doc, .. }) => {
            (Some(name), Some(name_path), Some(signature), Some(doc))
        }
        None => (None, None, None, None),
    };
    let said = |text: Option<String>| text.filter(|text| !text.is_empty());
    let snippet = hit.snippet.into_iter();
    SearchHit {
        symbol_id,
        mode,
        kind,
        name,
        name_path,
        file_path,
        line: hit.lines.0,
        end_line: hit.lines.1,
        language: hit.language.map(|language| language.id),
        signature: said(signature),
        doc: said(doc),
        snippet: snippet
            .map(|SnippetLine { number, text, matched }| HitLine { number, text, matched })
            .collect(),
        score: hit.score,
        why: hit.why,
        stale: hit.stale,
        blame: hit.blame.map(blame),
        source: Source::Index,
    }
}

fn blame(blame: Blame) -> HitBlame {
    let Blame { commit, author, time, changed, .. } = blame;
    let said = |text: String| Some(text).filter(|text| !text.is_empty());
    let at = u64::try_from(time).ok().filter(|_| !commit.is_empty());
    HitBlame {
        commit: said(commit),
        author: said(author),
        time: at.map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds)),
        changed,
    }
}

/// The same id that other tools give to the symbol.
fn id(shown: &str, symbol: &HitSymbol) -> String {
    match symbol.nth {
        0 | 1 => format!("{shown}#{}", symbol.name_path),
        nth => format!("{shown}#{}~{nth}", symbol.name_path),
    }
}

/// The id of a place: the word that stands there proves later that it still does.
fn place_id(shown: &str, snippet: &[SnippetLine], at: Position) -> String {
    let line = snippet.iter().find(|line| line.number == at.line).map(|line| line.text.as_str());
    unknown_id(shown, &line.map(|line| word_at(line, at.column)).unwrap_or_default(), at)
}

/// The identifier around a column of a line.
pub(super) fn word_at(line: &str, column: u32) -> String {
    let chars: Vec<char> = line.chars().collect();
    let is_word = |index: usize| chars.get(index).copied().is_some_and(is_word_char);
    let at = column as usize - 1;
    let inside = if is_word(at) { Some(at) } else { at.checked_sub(1).filter(|before| is_word(*before)) };
    let Some(inside) = inside else { return String::new() };
    let start = (0..=inside).rev().take_while(|index| is_word(*index)).last().unwrap_or(inside);
    chars[start..].iter().take_while(|c| is_word_char(**c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_around_a_column_is_found() {
        let line = "let größe = max(a, b);";
        assert_eq!(word_at(line, 5), "größe");
        assert_eq!(word_at(line, 9), "größe");
        assert_eq!(word_at(line, 10), "größe", "a cursor behind a word belongs to it");
        assert_eq!(word_at(line, 11), "");
        assert_eq!(word_at(line, 400), "");
        assert_eq!(word_at("", 1), "");
    }
}

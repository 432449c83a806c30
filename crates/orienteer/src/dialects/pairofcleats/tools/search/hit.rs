//! One result, compact or full.

use std::path::Path;

use orienteer_base::answer::Warning;
use orienteer_base::question::{Part, ReadQuery};
use orienteer_base::search::{HitBlame, SearchHit};
use orienteer_base::{Conceal, ErrorKind, Problem};
use serde_json::{Map, Value, json};

use crate::render::text::time;
use crate::tool::Ctx;
use crate::tools::keys;

/// More of a result's own text is not looked at for where it ends.
const MOST_CHARS: usize = 1 << 20;

/// Characters of a line around a result.
const MOST_OF_A_LINE: usize = 400;

/// Characters of a headline.
const HEADLINE: usize = 160;

pub(super) async fn row(
    hit: &SearchHit,
    ranking: &str,
    full: bool,
    context: usize,
    ctx: &Ctx,
) -> Result<(Value, Option<Warning>), Problem> {
    let around = Around::of(hit, context, ctx).await?;
    let mut row = Map::new();
    let mut put = |name: &str, value: Value| row.insert(name.to_owned(), value);
    put("id", json!(number(&hit.symbol_id)));
    put("file", json!(hit.file_path));
    put("start", json!(around.as_ref().map(|around| around.start)));
    put("end", json!(around.as_ref().and_then(|around| around.end)));
    put("startLine", json!(hit.line));
    put("endLine", json!(hit.end_line));
    put("ext", json!(extension(&hit.file_path)));
    put("kind", json!(hit.kind));
    put("name", json!(hit.name));
    put("headline", json!(headline(hit)));
    put("score", json!((hit.score * 10_000.0).round() / 10_000.0));
    put("scoreType", json!(score_type(ranking)));
    let lines = hit.snippet.iter().map(|line| format!("{}: {}", line.number, line.text));
    put("snippet", json!(lines.collect::<Vec<_>>().join("\n")));
    put("stableId", json!(hit.symbol_id));
    if context > 0 {
        put("preContext", json!(around.as_ref().map(|around| &around.before)));
        put("postContext", json!(around.as_ref().and_then(|around| around.after.as_ref())));
    }
    if hit.stale {
        put("stale", json!(true));
    }
    if full {
        put("mode", json!(hit.mode));
        put("language", json!(hit.language));
        put("namePath", json!(hit.name_path));
        put("signature", json!(hit.signature));
        put("doc", json!(hit.doc));
        let parts = hit.why.iter().map(|(part, score)| ((*part).to_owned(), json!(score)));
        put("scoreBreakdown", Value::Object(parts.collect()));
        put("lastChange", json!(hit.blame.as_ref().map(last_change)));
        put("source", json!(hit.source));
    }
    Ok((Value::Object(row), around.and_then(|around| around.hidden)))
}

fn last_change(blame: &HitBlame) -> Value {
    let HitBlame { commit, author, time: at, changed } = blame;
    json!({ "author": author, "time": at.map(time), "commit": commit, "uncommitted": changed })
}

/// A number for clients that key results by one: the same for the same result in every answer, and exact in JSON.
fn number(id: &str) -> u64 {
    let hash = blake3::hash(id.as_bytes());
    hash.as_bytes().iter().take(6).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// With its dot, as `path.extname` of Node gives it.
fn extension(file: &str) -> String {
    Path::new(file).extension().map(|end| format!(".{}", end.to_string_lossy())).unwrap_or_default()
}

/// One line that says what it is.
fn headline(hit: &SearchHit) -> String {
    let lines = [hit.doc.as_deref(), hit.signature.as_deref(), hit.name_path.as_deref()];
    let shown = hit.snippet.iter().find(|line| line.matched).or(hit.snippet.first());
    let lines = lines.into_iter().flatten().chain(shown.map(|line| line.text.as_str()));
    let first = lines.flat_map(str::lines).map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    first.chars().take(HEADLINE).collect()
}

/// Words, names and, with a model, meanings make one score; a list of filters alone has none.
fn score_type(ranking: &str) -> &'static str {
    if ranking == "path" { "none" } else { "blend" }
}

/// Where a result begins and ends in its file, in characters from 0, and the lines around it.
#[derive(Debug, Default)]
struct Around {
    start: usize,
    /// Behind its last character; `None` where the result is too long to look for its end.
    end: Option<usize>,
    before: Vec<String>,
    /// `None` where the result is too long to look behind it.
    after: Option<Vec<String>>,
    /// Lines of a private key were hidden.
    hidden: Option<Warning>,
}

impl Around {
    /// `None` where there is no such file any more, or none at all.
    async fn of(hit: &SearchHit, context: usize, ctx: &Ctx) -> Result<Option<Self>, Problem> {
        let Ok(file) = ctx.session.resolve(&hit.file_path) else { return Ok(None) };
        let (first, last) = (hit.line.max(1) as usize, hit.end_line.max(hit.line).max(1) as usize);
        let from = first.saturating_sub(context).max(1);
        let part = Part::Lines { start: from, end: last.saturating_add(context) };
        let query = ReadQuery { file, part, max_chars: MOST_CHARS, conceal: Conceal::default() };
        let text = match ctx.session.read_file(query, &ctx.cancel).await {
            Ok(answer) => answer.value,
            Err(problem) if problem.kind == ErrorKind::Cancelled => return Err(problem),
            Err(_) => return Ok(None),
        };
        let whole = text.next_char_offset.is_none();
        let mut around = Self::cut(&text.content, text.char_offset, (from, first, last), whole);
        around.hide(&hit.file_path, from, last + 1, ctx).await?;
        let lines = around.before.iter_mut().chain(around.after.iter_mut().flatten());
        lines.for_each(|line| *line = line.chars().take(MOST_OF_A_LINE).collect());
        Ok(Some(around))
    }

    /// `text` begins on line `from`, `offset` characters into its file, and may be cut.
    fn cut(text: &str, offset: usize, (from, first, last): (usize, usize, usize), whole: bool) -> Self {
        let mut around = Self { start: offset, end: Some(offset), ..Self::default() };
        let (mut at, mut after) = (offset, Vec::new());
        for (number, line) in (from..).zip(text.split_inclusive('\n')) {
            let bare = || line.trim_end_matches(['\r', '\n']).to_owned();
            if number == first {
                around.start = at;
            }
            at += line.chars().count();
            match number {
                number if number < first => around.before.push(bare()),
                number if number <= last => around.end = Some(at),
                _ => after.push(bare()),
            }
        }
        if whole {
            around.after = Some(after);
        } else {
            around.end = around.end.filter(|end| *end < at);
        }
        around
    }

    /// The lines of a private key give themselves away only in their file.
    async fn hide(&mut self, file: &str, first: usize, behind: usize, ctx: &Ctx) -> Result<(), Problem> {
        for (lines, number) in [(Some(&mut self.before), first), (self.after.as_mut(), behind)] {
            let Some(lines) = lines.filter(|lines| !lines.is_empty()) else { continue };
            let mut joined = lines.join("\n");
            if let Some(warning) = keys::hide_in_text(ctx, file, &mut joined, number).await? {
                *lines = joined.split('\n').map(str::to_owned).collect();
                self.hidden = Some(warning);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_characters_and_lines_around_are_without_their_ends() {
        let text = "zwölf\r\nfn a() {\r\n}\r\nlast\r\n";
        let around = Around::cut(text, 100, (4, 5, 6), true);
        let lines = |text: &str| vec![text.to_owned()];
        assert_eq!((around.start, around.end), (107, Some(120)));
        assert_eq!((around.before, around.after), (lines("zwölf"), Some(lines("last"))));
        let alone = Around::cut("fn a() {\n}", 0, (1, 1, 2), true);
        assert_eq!((alone.start, alone.end, alone.before.len()), (0, Some(10), 0));
        let long = Around::cut("fn a() {\nx", 0, (1, 1, 9), false);
        assert_eq!((long.end, long.after), (None, None), "what is cut has no known end");
        assert_eq!(Around::cut("", 7, (3, 3, 4), true).start, 7);
    }

    #[test]
    fn numbers_are_the_same_for_the_same_result_and_exact_in_json() {
        assert_eq!(number("src/a.rs#run"), number("src/a.rs#run"));
        assert_ne!(number("src/a.rs#run"), number("src/a.rs#stop"));
        assert!(number("x") < 1 << 48);
        assert_eq!((extension("a/b.test.ts"), extension("Makefile")), (".ts".to_owned(), String::new()));
    }
}

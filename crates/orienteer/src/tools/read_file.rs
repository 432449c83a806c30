//! `read_file`: a file, or a part of it, exactly as it stands.

use orienteer_base::listing::FileText;
use orienteer_base::question::{Part, ReadQuery};
use orienteer_base::{Completeness, Conceal, Problem};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::keys;
use super::part::{PartArgs, TO_THE_END};
use crate::render::{Body, Hider, Kept, Reply, Row, invisible};
use crate::tool::{Ctx, Tool, Toolset};

pub(super) struct ReadFile;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    file_path: String,
    #[serde(flatten)]
    part: PartArgs,
    /// content keeps characters that do not show.
    #[serde(default)]
    raw: bool,
}

impl Tool for ReadFile {
    const NAME: &'static str = "read_file";
    const TITLE: &'static str = "Read a file";
    const DESCRIPTION: &'static str = "Read a file exactly: whole, start_line+end_line, match_string with context, or char_offset+char_length. Long files continue with cursor.";
    const TOOLSET: Toolset = Toolset::Local;
    const DEFAULT: bool = true;
    const PAGED: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] = &[
        ("file_path", "string"),
        ("content", "string"),
        ("start_line", "integer"),
        ("end_line", "integer"),
        ("total_lines", "integer"),
        ("size", "integer"),
        ("encoding", "string"),
        ("matches", "array"),
    ];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let field = |error: orienteer_base::PathError| Problem::from(error).field("file_path");
        let file =
            ctx.session.resolve(&args.file_path).and_then(|path| path.require_file()).map_err(field)?;
        let part = args.part.part()?;
        if matches!(part, Part::Matching { .. }) {
            return excerpts(
                ReadQuery { file, part, max_chars: ctx.budget.max_total_chars, conceal: Conceal::default() },
                &ctx,
            )
            .await;
        }
        // A cursor is the character to go on from, up to the same end.
        let from: Option<usize> = ctx.position()?;
        let rest = match (from, &part) {
            (None, _) => part.clone(),
            (Some(offset), Part::Chars { offset: start, length }) => {
                Part::Chars { offset, length: start.saturating_add(*length).saturating_sub(offset) }
            }
            (Some(offset), _) => Part::Chars { offset, length: TO_THE_END },
        };
        let query = ReadQuery {
            file,
            part: rest,
            max_chars: ctx.budget.max_total_chars,
            conceal: Conceal::default(),
        };
        let mut answer = ctx.session.read_file(query, &ctx.cancel).await?;
        if let (Some(_), Part::Lines { end, .. }) = (from, &part)
            && stop_after(&mut answer.value, *end)
        {
            answer.completeness = Completeness::Complete;
        }
        let mut reply = Reply::of(&answer);
        let mut text = answer.value;
        let original = text.content.clone();
        let router = ctx.router.clone();
        let raw = args.raw;
        let hidden = keys::hide_in_text(&ctx, &text.file_path, &mut text.content, text.start_line).await?;
        reply.warnings.extend(hidden);
        reply.field("file_path", text.file_path.clone()).field("start_line", text.start_line);
        reply.field("end_line", text.end_line).field("total_lines", text.total_lines);
        reply.field("size", text.size).field("encoding", text.encoding);
        reply.total = Some(text.total_lines as u64);
        if text.lossy {
            reply.field("lossy", true);
        }
        if matches!(part, Part::Chars { .. }) {
            reply.field("char_offset", text.char_offset).field("total_chars", text.total_chars);
        }
        let (offset, next) = (text.char_offset, text.next_char_offset);
        if text.content.is_empty() {
            reply.tail.push(format!("{} is empty here ({} lines in all)", text.file_path, text.total_lines));
        }
        let (content, first_line) = (text.content, text.start_line);
        reply.body = Body::Text { field: "content", text: content, first_line, numbers: Vec::new(), raw };
        reply.resume = Some(Box::new(move |kept| {
            if kept.all {
                next.map(|next| json!(next))
            } else {
                Some(json!(offset + reached(&original, kept, router.hider(), raw)))
            }
        }));
        Ok(reply)
    }
}

/// The characters of the file's own text that were shown. Whole lines are exact. A line that is longer than a
/// page and has something hidden or written out is cut only where both parts are shown as the whole is, so that no page
/// begins in the middle of a secret; the next page may repeat a little.
fn reached(original: &str, kept: Kept, hider: Option<&Hider>, raw: bool) -> usize {
    /// `\u{10ffff}`
    const LONGEST_ESCAPE: usize = 10;
    let whole: usize = original.split_inclusive('\n').take(kept.lines).map(|line| line.chars().count()).sum();
    let own: Vec<char> = original.split_inclusive('\n').nth(kept.lines).unwrap_or_default().chars().collect();
    let plain = kept.tail.min(own.len());
    let show = |part: &[char]| {
        let text: String = part.iter().collect();
        let text = hider.map_or(text.clone(), |hider| hider.plain(&text));
        if raw { text } else { invisible::shown(&text).into_owned() }
    };
    let told = show(&own);
    if kept.tail == 0 || told.chars().eq(own.iter().copied()) {
        return whole + plain;
    }
    let guess = own.len().saturating_mul(kept.tail) / told.chars().count().max(1);
    let safe = |at: usize| {
        let (first, second) = (show(&own[..at]), show(&own[at..]));
        first.chars().count() <= kept.tail && format!("{first}{second}") == told
    };
    let tries = (0..80).map(|step| guess.min(own.len()).saturating_sub(step * 61)).take_while(|at| *at > 0);
    whole + tries.into_iter().find(|at| safe(*at)).unwrap_or((plain / LONGEST_ESCAPE).max(1))
}

/// Cuts a text behind its line `last`; says whether it reached that far.
fn stop_after(text: &mut FileText, last: usize) -> bool {
    let wanted = (last + 1).saturating_sub(text.start_line);
    let end = text.content.match_indices('\n').nth(wanted.saturating_sub(1)).map(|(at, _)| at + 1);
    if let Some(end) = end {
        text.content.truncate(end);
        text.end_line = last;
        text.next_char_offset = None;
    }
    end.is_some()
}

/// The places in a file that match, each with its surroundings.
async fn excerpts(query: ReadQuery, ctx: &Ctx) -> Result<Reply, Problem> {
    let seen: usize = ctx.position()?;
    let mut query = query;
    if let Part::Matching { skip, .. } = &mut query.part {
        *skip = seen;
    }
    let answer = ctx.session.read_file(query, &ctx.cancel).await?;
    let mut reply = Reply::of(&answer);
    let text = answer.value;
    let mut found = text.matches.unwrap_or_default();
    reply.warnings.extend(keys::hide_in_excerpts(ctx, &text.file_path, &mut found).await?);
    let path = text.file_path;
    reply.field("file_path", path.clone()).field("content", "").field("start_line", 1);
    reply.field("end_line", 0).field("total_lines", text.total_lines);
    reply.field("size", text.size).field("encoding", text.encoding);
    reply.total = Some(text.total_matches as u64);
    reply.head.push(match found.len() {
        0 => format!("No line of {path} matches ({} lines).", text.total_lines),
        _ => format!("{path}: {} matching lines", text.total_matches),
    });
    let rows: Vec<Row> = found
        .iter()
        .map(|excerpt| {
            let mut lines: Vec<String> = Vec::new();
            let first = excerpt.line - excerpt.before.len();
            for (at, line) in excerpt.before.iter().enumerate() {
                lines.push(format!("{}-  {line}", first + at));
            }
            lines.push(format!("{}:{}  {}", excerpt.line, excerpt.column, excerpt.content));
            for (at, line) in excerpt.after.iter().enumerate() {
                lines.push(format!("{}-  {line}", excerpt.line + 1 + at));
            }
            let value: Value = json!({
                "line": excerpt.line,
                "column": excerpt.column,
                "content": excerpt.content,
                "before": excerpt.before,
                "after": excerpt.after,
            });
            Row::new(value, lines.join("\n"))
        })
        .collect();
    let rows_len = rows.len();
    reply.body = Body::Rows { field: "matches", rows };
    let (shown, total) = (rows_len, text.total_matches);
    reply.resume = Some(Box::new(move |kept| {
        let reached = seen + if kept.all { shown } else { kept.rows };
        (reached < total).then(|| json!(reached))
    }));
    Ok(reply)
}

//! `search`: what fits best, by words, names and filters.

use std::time::Duration;

use orienteer_base::answer::Warning;
use orienteer_base::ask::Window;
use orienteer_base::search::{HitBlame, SearchHit, SearchHits, SearchMode};
use orienteer_base::{Answer, ErrorKind, Problem, Source};
use orienteer_engine::index::SearchQuery;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{keys, page};
use crate::render::text::{count, time, visible};
use crate::render::{Body, Reply, Row};
use crate::tool::{Ctx, Tool, Toolset};

/// Lines of a hit that are shown as text.
const FEW_LINES: usize = 3;

pub(super) struct Search;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// Words, +must, -not, "phrase", /regex/, path:, lang:, kind:, symbol:, ext:, other filters.
    query: String,
    #[serde(default = "usual_modes")]
    modes: Vec<Mode>,
    /// One list for each mode instead of one over all.
    #[serde(default)]
    apart: bool,
    /// E.g. {"lang": "rust", "calls": ["open"]}.
    filters: Option<Map<String, Value>>,
    #[serde(default)]
    output: Output,
    /// Parts of the scores.
    #[serde(default)]
    explain: bool,
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 100))]
    max_results: usize,
    /// For an index that is being built.
    #[serde(default = "fifteen_seconds")]
    #[schemars(range(max = 600_000))]
    wait_ms: u64,
}

/// Where the next page begins. Pages of what was found as text are not those of the index.
#[derive(Deserialize)]
#[serde(untagged)]
enum Place {
    Index(usize),
    Text { text: usize },
}

impl Default for Place {
    fn default() -> Self {
        Self::Index(0)
    }
}

#[derive(Clone, Copy, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    Code,
    Prose,
    Comments,
    Config,
    Records,
}

#[derive(Clone, Copy, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Output {
    #[default]
    Compact,
    Full,
}

fn usual_modes() -> Vec<Mode> {
    vec![Mode::Code, Mode::Prose, Mode::Comments]
}

fn ten() -> usize {
    10
}

fn fifteen_seconds() -> u64 {
    15_000
}

impl Tool for Search {
    const NAME: &'static str = "search";
    const TITLE: &'static str = "Search the index";
    const DESCRIPTION: &'static str = "Ranked search over code, docs, comments and config by plain words or a question. Use when you do not know the exact name. Each result has a symbol_id that other tools accept.";
    const TOOLSET: Toolset = Toolset::Index;
    const DEFAULT: bool = true;
    const PAGED: bool = true;
    const OWN_MAX_RESULTS: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] = &[("results", "array"), ("ranking", "string")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let (skip, as_text) = match ctx.position()? {
            Place::Index(skip) => (skip, false),
            Place::Text { text } => (text, true),
        };
        let window = Window { skip, limit: args.max_results };
        let written = args.filters.map_or(Value::Null, Value::Object);
        let full = args.output == Output::Full;
        let query = SearchQuery {
            text: args.query,
            filters: ctx.session.search_filters(&written)?,
            modes: modes(&args.modes),
            words_alone: false,
            full,
            explain: args.explain,
            window,
            as_text,
            wait: ctx.wait(Some(args.wait_ms)).unwrap_or(Duration::ZERO),
        };
        if args.apart {
            return apart(query, &args.modes, &ctx).await;
        }
        let mut answer = ctx.session.search(query, &ctx.cancel).await?;
        let hidden = keys::hide_in_hits(&ctx, &mut answer.value.hits).await?;
        let mut reply = Reply::of(&answer);
        reply.warnings.extend(hidden);
        let found = &answer.value;
        reply.head.push(match (found.hits.len(), found.total) {
            (0, 0) => "Nothing found.".to_owned(),
            (0, total) => format!("{} in all; none on this page.", count(total as u64, "result")),
            (_, total) => count(total as u64, "result"),
        });
        reply.warnings.extend(stale(&found.hits));
        let rows = found.hits.iter().map(|hit| row(hit, answer.source, full)).collect();
        reply.body = Body::Rows { field: "results", rows };
        reply.field("ranking", found.ranking);
        // What was found as text is all there was looked at, whether or not there is more.
        let is_text = answer.source == Source::Text;
        let total = (is_text || !found.more).then_some(found.total);
        page::resume_at(&mut reply, window, found.hits.len(), total, move |skip| {
            if is_text { json!({ "text": skip }) } else { json!(skip) }
        });
        reply.total = Some(found.total as u64);
        Ok(reply)
    }
}

fn stale(hits: &[SearchHit]) -> Option<Warning> {
    let message = "files of some results have changed and could not be read again: lines may be off";
    hits.iter().any(|hit| hit.stale).then(|| Warning::new("stale_results", message))
}

/// The first page of each mode, one behind the other.
async fn apart(query: SearchQuery, wanted: &[Mode], ctx: &Ctx) -> Result<Reply, Problem> {
    let wanted = if wanted.is_empty() { usual_modes() } else { wanted.to_vec() };
    let (mut all, mut totals, mut refused) = (None::<Answer<SearchHits>>, Map::new(), Vec::new());
    for (at, mode) in wanted.iter().enumerate().filter(|(at, mode)| !wanted[..*at].contains(mode)) {
        // The first of them waits for the index.
        let wait = if at == 0 { query.wait } else { Duration::ZERO };
        let one = SearchQuery { modes: modes(&[*mode]), wait, ..query.clone() };
        let mut answer = match ctx.session.search(one, &ctx.cancel).await {
            Ok(answer) => answer,
            // Prose has no calls; that says nothing about code.
            Err(problem) if problem.kind == ErrorKind::Unsupported => {
                refused.push(problem);
                continue;
            }
            Err(problem) => return Err(problem),
        };
        totals.insert(mode.as_str().to_owned(), json!(answer.value.total));
        match &mut all {
            None => all = Some(answer),
            Some(all) => {
                all.completeness = all.completeness.and(answer.completeness);
                answer.warnings.retain(|warning| !all.warnings.contains(warning));
                all.warnings.append(&mut answer.warnings);
                all.value.hits.append(&mut answer.value.hits);
                all.value.total += answer.value.total;
            }
        }
    }
    let Some(mut answer) = all else {
        return Err(refused.into_iter().next().unwrap_or_else(|| {
            Problem::invalid("modes", "empty_list", "`modes` is empty; leave it out or name one")
        }));
    };
    let said = refused.into_iter().map(|problem| Warning::new("unsupported_filter", problem.message));
    answer.warnings.extend(said);
    let hidden = keys::hide_in_hits(ctx, &mut answer.value.hits).await?;
    let mut reply = Reply::of(&answer);
    reply.warnings.extend(hidden);
    let found = &answer.value;
    reply.warnings.extend(stale(&found.hits));
    let each = totals.iter().map(|(mode, total)| format!("{mode} {total}")).collect::<Vec<_>>();
    reply.head.push(format!("{}; ask for one mode to page through it", each.join(", ")));
    let rows = found.hits.iter().map(|hit| row(hit, answer.source, query.full)).collect();
    reply.body = Body::Rows { field: "results", rows };
    reply.field("ranking", found.ranking).field("totals", Value::Object(totals));
    reply.total = Some(found.total as u64);
    Ok(reply)
}

impl Mode {
    fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Prose => "prose",
            Self::Comments => "comments",
            Self::Config => "config",
            Self::Records => "records",
        }
    }
}

/// What is looked at: settings belong to the code.
fn modes(wanted: &[Mode]) -> Vec<SearchMode> {
    let wanted = if wanted.is_empty() { usual_modes() } else { wanted.to_vec() };
    let mut modes = Vec::new();
    for mode in wanted {
        modes.extend(match mode {
            Mode::Code => &[SearchMode::Code, SearchMode::Config][..],
            Mode::Prose => &[SearchMode::Prose],
            Mode::Comments => &[SearchMode::Comments],
            Mode::Config => &[SearchMode::Config],
            Mode::Records => &[SearchMode::Records],
        });
    }
    modes
}

fn row(hit: &SearchHit, usual: Source, full: bool) -> Row {
    let mut value = Map::new();
    let mut put = |name: &str, entry: Value| value.insert(name.to_owned(), entry);
    put("symbol_id", json!(hit.symbol_id));
    put("mode", json!(hit.mode));
    put("kind", json!(hit.kind));
    put("name", json!(hit.name));
    put("name_path", json!(hit.name_path));
    put("file_path", json!(hit.file_path));
    put("line", json!(hit.line));
    put("end_line", json!(hit.end_line));
    put("language", json!(hit.language));
    if let Some(signature) = &hit.signature {
        put("signature", json!(signature));
    }
    if let Some(doc) = hit.doc.as_ref().filter(|_| full) {
        put("doc", json!(doc));
    }
    let lines: Vec<String> =
        hit.snippet.iter().map(|line| format!("{}: {}", line.number, line.text)).collect();
    put("snippet", json!(lines.join("\n")));
    put("score", json!((hit.score * 10_000.0).round() / 10_000.0));
    if !hit.why.is_empty() {
        let parts = hit.why.iter().map(|(part, score)| ((*part).to_owned(), json!(score)));
        put("why", Value::Object(parts.collect()));
    }
    if let Some(HitBlame { commit, author, time: at, changed }) = &hit.blame {
        let said =
            json!({ "author": author, "time": at.map(time), "commit": commit, "uncommitted": changed });
        put("last_change", said);
    }
    if hit.stale {
        put("stale", json!(true));
    }
    if hit.source != usual {
        put("source", json!(hit.source));
    }
    Row { value, line: line(hit, full), parts: None }
}

/// `path:line  kind name  signature`, and below it the lines that matched.
fn line(hit: &SearchHit, full: bool) -> String {
    let mut text = format!("{}:{}  {}", visible(&hit.file_path), hit.line, hit.kind);
    if let Some(name) = &hit.name_path {
        text.push_str(&format!(" {}", visible(name)));
    }
    let signature: Vec<&str> =
        hit.signature.iter().flat_map(|signature| signature.split_whitespace()).collect();
    let signature = signature.join(" ");
    if !signature.is_empty() {
        text.push_str(&format!("  {}", visible(&signature)));
    }
    for doc in hit.doc.iter().filter(|_| full).flat_map(|doc| doc.lines()) {
        text.push_str(&format!("\n    # {}", visible(doc)));
    }
    let most = if full { usize::MAX } else { FEW_LINES };
    // What the line above says already need not be said again.
    let said = |text: &str| {
        let text = text.trim();
        let rest = text.strip_prefix(signature.as_str()).filter(|_| !signature.is_empty());
        let repeats = signature.contains(text) || rest.is_some_and(|rest| rest.trim().len() <= 2);
        text.is_empty() || (!full && repeats)
    };
    for shown in hit.snippet.iter().filter(|line| (full || line.matched) && !said(&line.text)).take(most) {
        text.push_str(&format!("\n    {}| {}", shown.number, shown.text));
    }
    for (part, score) in &hit.why {
        text.push_str(&format!("\n    {score:>8.4}  {part}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use orienteer_base::search::HitLine;

    use super::*;

    fn hit() -> SearchHit {
        let line = |number, text: &str, matched| HitLine { number, text: text.to_owned(), matched };
        SearchHit {
            symbol_id: "src/a.rs#Server/run".to_owned(),
            mode: SearchMode::Code,
            kind: "method",
            name: Some("run".to_owned()),
            name_path: Some("Server/run".to_owned()),
            file_path: "src/a.rs".to_owned(),
            line: 7,
            end_line: 20,
            language: Some("rust"),
            signature: Some("fn run(\n    &self)".to_owned()),
            doc: Some("Runs it.".to_owned()),
            snippet: vec![
                line(7, "    fn run(", true),
                line(9, "    retry();", true),
                line(10, "    }", false),
            ],
            score: 0.123_456,
            why: Vec::new(),
            stale: false,
            blame: None,
            source: Source::Index,
        }
    }

    #[test]
    fn a_line_is_useful_alone() {
        assert_eq!(line(&hit(), false), "src/a.rs:7  method Server/run  fn run( &self)\n    9|     retry();",);
        let full = line(&hit(), true);
        assert!(full.contains("\n    # Runs it.") && full.contains("\n    10|     }"), "{full}");
    }

    #[test]
    fn a_result_has_the_contracts_fields() {
        let names =
            |hit: &SearchHit| row(hit, Source::Index, false).value.keys().cloned().collect::<Vec<_>>();
        let expected =
            "symbol_id mode kind name name_path file_path line end_line language signature snippet score";
        assert_eq!(names(&hit()).join(" "), expected);
        let explained = SearchHit { why: vec![("words", 0.1)], source: Source::Text, ..hit() };
        assert_eq!(names(&explained).join(" "), format!("{expected} why source"));
        assert_eq!(row(&hit(), Source::Index, false).value["score"], json!(0.1235));
    }

    #[test]
    fn settings_belong_to_the_code() {
        assert_eq!(modes(&[Mode::Code]), [SearchMode::Code, SearchMode::Config]);
        assert_eq!(modes(&[]), modes(&usual_modes()));
    }
}

//! `triage_list`: security findings and where they stand.

use orienteer_base::Problem;
use orienteer_base::triage::{Findings, Format, ListQuery, Severity, Standing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::triage::Word;
use super::{page, triage};
use crate::render::text::count;
use crate::render::{Body, List, Reply, Row};
use crate::tool::{Ctx, Tool, Toolset};

pub(super) struct TriageList;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// One finding with its history: its id, or that of a vulnerability.
    finding: Option<String>,
    /// `open` has those whose decision has run out, too.
    #[serde(default)]
    state: State,
    /// Part of a name.
    package: Option<String>,
    #[serde(default)]
    severities: Vec<Word<Severity>>,
    service: Option<String>,
    source: Option<Word<Format>>,
    /// Words that must stand in it.
    query: Option<String>,
    #[serde(default = "fifty")]
    #[schemars(range(min = 1, max = 1000))]
    max_results: usize,
}

#[derive(Clone, Copy, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum State {
    #[default]
    Open,
    Expired,
    Decided,
    Closed,
    All,
}

fn fifty() -> usize {
    50
}

impl Tool for TriageList {
    const NAME: &'static str = "triage_list";
    const TITLE: &'static str = "List security findings";
    const DESCRIPTION: &'static str = "Security findings that were taken in, worst first, with what was decided about each. Filters by state, package, severity, service. With `finding`: one with its history.";
    const TOOLSET: Toolset = Toolset::Triage;
    const PAGED: bool = true;
    const OWN_MAX_RESULTS: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] =
        &[("findings", "array"), ("counts", "object"), ("stored", "integer"), ("decisions", "array")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        if let Some(finding) = &args.finding {
            return one(finding, &ctx).await;
        }
        let window = page::window(&ctx, args.max_results)?;
        let query = ListQuery {
            standings: match args.state {
                State::Open => vec![Standing::Open, Standing::Expired],
                State::Expired => vec![Standing::Expired],
                State::Decided => vec![Standing::Decided],
                State::Closed => vec![Standing::Closed],
                State::All => Vec::new(),
            },
            package: args.package,
            severities: args.severities.iter().map(|word| word.0).collect(),
            service: args.service,
            source: args.source.map(|word| word.0),
            text: args.query,
            window,
        };
        let answer = ctx.session.triage_list(query, &ctx.cancel).await?;
        let mut reply = Reply::of(&answer);
        let found = &answer.value;
        reply.field("counts", counts(found)).field("stored", found.stored);
        reply.head.push(head(found));
        let rows = found.rows.iter().map(|row| Row::new(Value::Object(triage::row(row)), triage::line(row)));
        reply.body = Body::Rows { field: "findings", rows: rows.collect() };
        page::resume(&mut reply, window, found.rows.len(), Some(found.total));
        Ok(reply)
    }
}

/// One finding.
async fn one(finding: &str, ctx: &Ctx) -> Result<Reply, Problem> {
    let answer = ctx.session.triage_show(finding, &ctx.cancel).await?;
    let mut reply = Reply::of(&answer);
    let shown = &answer.value;
    let mut value = triage::row(&shown.finding);
    value.insert("record".to_owned(), triage::whole(&shown.finding.finding));
    value.insert("json_path".to_owned(), json!(shown.json_path));
    value.insert("markdown_path".to_owned(), json!(shown.markdown_path));
    value.insert("has_raw".to_owned(), json!(shown.has_raw));
    let mut line = triage::line(&shown.finding);
    let known = &shown.finding.finding.vulnerability;
    let about: Vec<&str> =
        known.description.lines().map(str::trim).filter(|line| !line.is_empty()).take(6).collect();
    for text in about {
        line.push_str(&format!("\n    | {}", text.chars().take(300).collect::<String>()));
    }
    line.push_str(&format!("\n    record: {}", shown.markdown_path));
    let decisions: Vec<(Value, String)> =
        shown.history.iter().map(|one| (triage::decision(one), triage::decision_line(one))).collect();
    let title = format!("Decisions: {}, oldest first", decisions.len());
    reply.lists.push(List { field: "decisions", title, items: decisions, part: 4 });
    reply.body = Body::Rows { field: "findings", rows: vec![Row::new(Value::Object(value), line)] };
    reply.total = Some(1);
    Ok(reply)
}

fn head(found: &Findings) -> String {
    let counts = &found.counts;
    let said = [
        (counts.open, "open"),
        (counts.expired, "open again"),
        (counts.decided, "decided"),
        (counts.closed, "closed at their source"),
    ];
    let said: Vec<String> =
        said.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    match (found.stored, said.is_empty()) {
        (0, _) => "No finding was taken in for this workspace; triage_ingest does that.".to_owned(),
        (stored, true) => format!("None of {} fits.", count(stored as u64, "finding")),
        (_, false) => format!("{} listed ({})", count(found.total as u64, "finding"), said.join(", ")),
    }
}

fn counts(found: &Findings) -> Value {
    let counts = &found.counts;
    json!({ "open": counts.open, "expired": counts.expired, "decided": counts.decided, "closed": counts.closed })
}

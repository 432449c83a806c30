//! `triage_context_pack`: a finding with what the repository says about it.

use orienteer_base::Problem;
use orienteer_base::triage::{ContextPack, Evidence, PackOutput, PackQuery, Searched};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::triage;
use crate::render::text::visible;
use crate::render::{Body, List, Reply, Row};
use crate::tool::{Ctx, Effect, Tool, Toolset};

pub(super) struct TriageContextPack;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// Its id.
    finding: String,
    /// Write JSON and Markdown beside the records, too.
    #[serde(default)]
    write: bool,
    /// Write them there instead: a file or a folder of the workspace.
    output_path: Option<String>,
    /// For a language server that is not ready.
    #[schemars(range(max = 600_000))]
    wait_ms: Option<u64>,
}

impl Tool for TriageContextPack {
    const NAME: &'static str = "triage_context_pack";
    const TITLE: &'static str = "Evidence about a finding";
    const DESCRIPTION: &'static str = "One finding, its decisions, and evidence from this repository: manifest and lock lines, imports, uses of affected symbols, tests. The verdict is called, imported, present, not_found (only when every search was complete) or unknown.";
    const TOOLSET: Toolset = Toolset::Triage;
    const EFFECT: Effect = Effect::Asked;
    const PAGED: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] = &[
        ("verdict", "string"),
        ("rests_on", "string"),
        ("finding", "object"),
        ("evidence", "array"),
        ("searches", "array"),
        ("missing", "array"),
        ("decisions", "array"),
        ("written", "array"),
    ];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let output = match args.output_path {
            Some(path) if path.trim().is_empty() || path.contains('\0') => {
                return Err(Problem::invalid("output_path", "invalid_path", "`output_path` is no path"));
            }
            Some(path) => PackOutput::Path(path),
            None if args.write => PackOutput::Store,
            None => PackOutput::Nowhere,
        };
        let skip: usize = ctx.position()?;
        let query = PackQuery { finding: args.finding, output, wait: ctx.wait(args.wait_ms) };
        let answer = ctx.session.triage_context_pack(query, &ctx.cancel).await?;
        let mut reply = Reply::of(&answer);
        fill(&mut reply, &answer.value, skip);
        Ok(reply)
    }
}

fn fill(reply: &mut Reply, pack: &ContextPack, skip: usize) {
    reply.field("verdict", pack.verdict.as_str()).field("rests_on", pack.rests_on.as_str());
    reply.field("finding", Value::Object(triage::summary(&pack.finding)));
    reply.head.push(format!("{}: {}", pack.verdict.as_str(), pack.rests_on));
    reply.head.push(triage::line(&pack.finding));
    let missing = pack.missing.iter().map(|one| (json!(one), visible(one).into_owned())).collect();
    reply.lists.push(List {
        field: "missing",
        title: "Not looked at to the end:".to_owned(),
        items: missing,
        part: 6,
    });
    let searches = pack.searches.iter().map(|one| (json!(one), search_line(one))).collect();
    reply.lists.push(List { field: "searches", title: "Searches:".to_owned(), items: searches, part: 5 });
    let decisions: Vec<(Value, String)> =
        pack.history.iter().map(|one| (triage::decision(one), triage::decision_line(one))).collect();
    let title = "Decisions, oldest first:".to_owned();
    reply.lists.push(List { field: "decisions", title, items: decisions, part: 8 });
    let record = vec![(triage::whole(&pack.finding.finding), String::new())];
    reply.lists.push(List { field: "record", title: String::new(), items: record, part: 5 });
    let written = pack.written.iter().map(|one| (json!(one), visible(one).into_owned())).collect();
    reply.lists.push(List { field: "written", title: "Written:".to_owned(), items: written, part: 10 });
    let total = pack.evidence.len();
    reply.field("evidence_count", total);
    let rows: Vec<Row> = pack.evidence.iter().skip(skip).map(row).collect();
    let shown = rows.len();
    reply.body = Body::Rows { field: "evidence", rows };
    reply.total = Some(total as u64);
    reply.resume = Some(Box::new(move |kept| {
        let reached = if kept.all { shown } else { kept.rows };
        (reached > 0 && skip + reached < total).then(|| json!(skip + reached))
    }));
}

fn row(evidence: &Evidence) -> Row {
    let mut line = format!("{}:{}:{}", visible(&evidence.file_path), evidence.line, evidence.column);
    line.push_str(&format!("  {}  {}", evidence.kind.as_str(), evidence.snippet.trim()));
    if let Some(symbol) = &evidence.symbol {
        line.push_str(&format!("  [{}]", visible(symbol)));
    }
    let mut said = vec![evidence.provenance.as_str().to_owned()];
    said.extend(evidence.version.as_ref().map(|version| format!("version {version}")));
    said.extend(evidence.in_test.then(|| "in a test".to_owned()));
    said.extend(evidence.note.clone());
    line.push_str(&format!("  ({})", visible(&said.join("; "))));
    Row::new(json!(evidence), line)
}

fn search_line(search: &Searched) -> String {
    let whole = if search.completeness.is_complete() { "complete" } else { "not complete" };
    let note = search.note.as_deref().map(|note| format!("; {note}")).unwrap_or_default();
    let line = format!("{}: {}: {} found, {whole}{note}", search.what, search.looked_for, search.found);
    visible(&line).into_owned()
}

#[cfg(test)]
mod tests {
    use orienteer_base::triage::{
        EvidenceKind, Finding, Format, ListedFinding, Provenance, Standing, Verdict, Vulnerability,
    };
    use orienteer_base::{Completeness, Reason};

    use super::*;
    use crate::tools::testing::rendered;

    fn pack(evidence: u32) -> ContextPack {
        let finding = Finding {
            id: "osv-0123456789abcdef".to_owned(),
            key: "K".to_owned(),
            vulnerability: Vulnerability {
                ids: vec!["CVE-2020-1".to_owned()],
                title: "t".repeat(400),
                description: "d".repeat(9_000),
                ..Vulnerability::default()
            },
            ..Finding::new(Format::Osv)
        };
        let one = |line: u32| Evidence {
            kind: EvidenceKind::Call,
            file_path: "src/a.py".to_owned(),
            line,
            column: 5,
            snippet: "yaml.load(x)".to_owned(),
            provenance: Provenance::Lsp,
            package: Some("PyYAML".to_owned()),
            affected: Some("yaml.load".to_owned()),
            symbol: Some("read".to_owned()),
            version: None,
            in_test: false,
            note: None,
        };
        ContextPack {
            finding: ListedFinding {
                finding,
                standing: Standing::Open,
                decision: None,
                changed_since_decision: false,
                first_seen: None,
                updated: None,
            },
            history: Vec::new(),
            verdict: Verdict::Called,
            rests_on: "1 use".to_owned(),
            evidence: (1..=evidence).map(one).collect(),
            searches: vec![Searched {
                what: "calls",
                looked_for: "uses of yaml.load".to_owned(),
                looked_in: "*.py".to_owned(),
                found: 1,
                provenance: Provenance::Lsp,
                completeness: Completeness::partial(Reason::Heuristic),
                note: None,
            }],
            missing: vec!["calls".to_owned()],
            written: Vec::new(),
            made_at: "2030-01-01T00:00:00Z".to_owned(),
        }
    }

    #[test]
    fn the_verdict_is_told_whatever_room_there_is() {
        for cap in [2_000, 5_000, 120_000] {
            let mut reply = Reply::default();
            fill(&mut reply, &pack(500), 0);
            let outcome = rendered(reply, cap);
            assert!(outcome.chars() <= cap && !outcome.is_error, "{cap}: {:?}", outcome.structured);
            assert_eq!(outcome.structured["verdict"], "called");
            assert!(!outcome.structured["evidence"].as_array().unwrap().is_empty());
            assert_eq!(outcome.structured["evidence_count"], 500);
        }
    }

    #[test]
    fn evidence_goes_on_behind_the_cursor() {
        let mut reply = Reply::default();
        fill(&mut reply, &pack(3), 2);
        let outcome = rendered(reply, 120_000);
        assert_eq!(outcome.structured["evidence"].as_array().unwrap().len(), 1);
        assert!(outcome.text.contains("src/a.py:3:5  call  yaml.load(x)  [read]  (lsp)"), "{}", outcome.text);
    }
}

//! `triage_ingest`: what a scanner found becomes records.

use std::collections::BTreeMap;

use orienteer_base::answer::Warning;
use orienteer_base::triage::{IngestQuery, Ingested};
use orienteer_base::{Answer, Completeness, Problem, Reason};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::triage::SourceWord;
use crate::render::text::{count, visible};
use crate::render::{List, Reply};
use crate::tool::{Ctx, Effect, Tool, Toolset};

pub(super) struct TriageIngest;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// JSON or JSON Lines.
    input_path: String,
    #[serde(default)]
    source: SourceWord,
    /// For all findings: service, environment, team, owner, repo, others.
    #[serde(default)]
    meta: BTreeMap<String, String>,
    /// Keep each item as it came, too.
    #[serde(default)]
    keep_raw: bool,
    #[serde(default)]
    dry_run: bool,
}

impl Tool for TriageIngest {
    const NAME: &'static str = "triage_ingest";
    const TITLE: &'static str = "Take in security findings";
    const DESCRIPTION: &'static str = "Read a report of a scanner (Dependabot, AWS Inspector, SARIF, OSV, npm, cargo or pip audit, or the generic shape) into records. Good items are kept, bad ones named with their index. Again updates; decisions stay.";
    const TOOLSET: Toolset = Toolset::Triage;
    const EFFECT: Effect = Effect::Control;
    const OUTPUT: &'static [(&'static str, &'static str)] = &[
        ("total", "integer"),
        ("written", "integer"),
        ("updated", "integer"),
        ("unchanged", "integer"),
        ("duplicates", "integer"),
        ("errors", "integer"),
        ("details", "array"),
        ("ids", "array"),
        ("notes", "array"),
    ];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let file = ctx.session.resolve(&args.input_path).and_then(orienteer_base::RootedPath::require_file);
        let query = IngestQuery {
            file: file.map_err(|error| Problem::from(error).field("input_path"))?,
            source: args.source.format(),
            meta: args.meta,
            keep_raw: args.keep_raw,
            dry_run: args.dry_run,
        };
        let done = ctx.session.triage_ingest(query, &ctx.cancel).await?;
        Ok(reply(&done))
    }
}

fn reply(done: &Ingested) -> Reply {
    let mut reply = Reply::default();
    if done.partial {
        let part = Answer::new((), Completeness::partial(Reason::NotChecked), orienteer_base::Source::Text);
        let message = "there may be more findings than were taken in; `notes` says why";
        reply = Reply::of(&part.warn(Warning::new("partial_input", message)));
    }
    for (name, number) in [
        ("total", done.total),
        ("written", done.written),
        ("updated", done.updated),
        ("unchanged", done.unchanged),
        ("duplicates", done.duplicates),
        ("errors", done.errors),
        ("with_warnings", done.with_warnings),
        ("id_count", done.ids.len()),
    ] {
        reply.field(name, number);
    }
    let formats: Map<String, Value> =
        done.formats.iter().map(|(format, count)| (format.as_str().to_owned(), json!(count))).collect();
    reply.field("sources", formats).field("dry_run", done.dry_run).field("folder", done.folder.as_str());
    reply.head.push(head(done));
    let details: Vec<(Value, String)> = done
        .details
        .iter()
        .map(|one| {
            let at = one.index.map_or("the file".to_owned(), |index| format!("item {index}"));
            (json!({ "index": one.index, "reason": one.reason }), format!("{at}: {}", visible(&one.reason)))
        })
        .collect();
    let title = format!("Not taken in: {}", count(done.errors as u64, "item"));
    reply.lists.push(List { field: "details", title, items: details, part: 4 });
    let notes = done.notes.iter().map(|note| (json!(note), visible(note).into_owned())).collect();
    reply.lists.push(List { field: "notes", title: "Worth knowing:".to_owned(), items: notes, part: 8 });
    let ids = done.ids.iter().map(|id| (json!(id), String::new())).collect();
    reply.lists.push(List { field: "ids", title: String::new(), items: ids, part: 5 });
    reply
}

fn head(done: &Ingested) -> String {
    let mut said = vec![count(done.total as u64, "item")];
    for (number, what) in [
        (done.written, if done.dry_run { "would be written" } else { "written" }),
        (done.updated, if done.dry_run { "would be updated" } else { "updated" }),
        (done.unchanged, "unchanged"),
        (done.duplicates, "said more than once"),
        (done.errors, "not taken in"),
    ] {
        if number > 0 {
            said.push(format!("{number} {what}"));
        }
    }
    said.join(", ")
}

#[cfg(test)]
mod tests {
    use orienteer_base::triage::ItemError;

    use super::*;
    use crate::tools::testing::rendered;

    #[test]
    fn a_part_of_the_findings_is_not_told_as_all_of_them() {
        let whole = rendered(reply(&Ingested::default()), 20_000);
        assert!(whole.structured.get("completeness").is_none(), "{}", whole.text);
        let done =
            Ingested { partial: true, notes: vec!["there are more pages".to_owned()], ..Ingested::default() };
        let part = rendered(reply(&done), 20_000);
        assert_eq!(part.structured["completeness"]["state"], "partial");
        assert_eq!(part.structured["warnings"][0]["kind"], "partial_input");
        assert!(part.text.contains("there are more pages"), "{}", part.text);
    }

    #[test]
    fn counts_are_told_whatever_room_there_is() {
        let done = Ingested {
            total: 50_000,
            written: 49_900,
            errors: 100,
            ids: (0..49_900).map(|at| format!("osv-{at:016x}")).collect(),
            details: (0..100)
                .map(|at| ItemError { index: Some(at), reason: "it is no object".repeat(20) })
                .collect(),
            ..Ingested::default()
        };
        for cap in [2_000, 20_000] {
            let outcome = rendered(reply(&done), cap);
            assert!(outcome.chars() <= cap && !outcome.is_error, "{cap}: {}", outcome.text);
            assert_eq!(outcome.structured["total"], 50_000);
            assert_eq!(outcome.structured["id_count"], 49_900);
            assert_eq!(outcome.structured["errors"], 100);
        }
        let outcome = rendered(reply(&done), 20_000);
        assert_eq!(outcome.structured["details"][0]["index"], 0);
        assert_eq!(outcome.structured["ids"][0], "osv-0000000000000000");
    }
}

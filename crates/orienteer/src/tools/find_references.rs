//! `find_references`: every use of a symbol, and the places that only look like one.

use orienteer_base::Problem;
use orienteer_base::ask::ReferencesQuery;
use orienteer_base::code::{Reference, References};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::place::SnippetArgs;
use super::target::TargetArgs;
use super::{keys, page, place};
use crate::render::text::count;
use crate::render::{Body, List, Reply, Row};
use crate::tool::{Ctx, Tool, Toolset};

/// The lists beside the references are for orientation; their counts tell how many there are.
const MOST_FILES: usize = 200;
const MOST_UNCONFIRMED: usize = 20;

pub(super) struct FindReferences;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    #[serde(flatten)]
    target: TargetArgs,
    #[serde(default = "yes")]
    include_declaration: bool,
    /// List text hits that no reference explains.
    #[serde(default = "yes")]
    cross_check: bool,
    #[serde(default = "two_hundred")]
    #[schemars(range(min = 1, max = 5000))]
    max_results: usize,
    #[serde(default)]
    include_snippet: bool,
    #[serde(flatten)]
    snippet: SnippetArgs,
    /// For a server that is not ready.
    #[schemars(range(max = 600_000))]
    wait_ms: Option<u64>,
}

fn yes() -> bool {
    true
}

fn two_hundred() -> usize {
    200
}

impl Tool for FindReferences {
    const NAME: &'static str = "find_references";
    const TITLE: &'static str = "Find references";
    const DESCRIPTION: &'static str =
        "All uses of a symbol, by meaning, with the enclosing symbol and counts per file.";
    const TOOLSET: Toolset = Toolset::Navigate;
    const DEFAULT: bool = true;
    const PAGED: bool = true;
    const OWN_MAX_RESULTS: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] =
        &[("references", "array"), ("total_count", "integer"), ("files", "array"), ("unconfirmed", "array")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let window = page::window(&ctx, args.max_results)?;
        let query = ReferencesQuery {
            target: args.target.target(&ctx)?,
            include_declaration: args.include_declaration,
            cross_check: args.cross_check,
            snippet: args.snippet.spec(args.include_snippet),
            window,
            wait: ctx.wait(args.wait_ms),
        };
        let mut answer = ctx.session.references(query, &ctx.cancel).await?;
        let References { rows, unconfirmed, .. } = &mut answer.value;
        let places = rows.iter_mut().map(|row| &mut row.place).chain(unconfirmed).collect();
        let hidden = keys::hide_in_places(&ctx, places).await?;
        let mut reply = Reply::of(&answer);
        reply.warnings.extend(hidden);
        fill(&mut reply, &answer.value);
        page::resume(&mut reply, window, answer.value.rows.len(), Some(answer.value.total_count));
        Ok(reply)
    }
}

fn fill(reply: &mut Reply, found: &References) {
    reply.head.push(match found.total_count {
        0 => "No references found.".to_owned(),
        total => {
            format!("{} in {}", count(total as u64, "reference"), count(found.files.len() as u64, "file"))
        }
    });
    reply.field("total_count", found.total_count).field("file_count", found.files.len());
    // Absent when nobody looked: none would be a finding.
    if let Some(total) = found.unconfirmed_total {
        reply.field("unconfirmed_count", total);
    }
    reply.body = Body::Rows { field: "references", rows: found.rows.iter().map(row).collect() };
    let files = found.files.iter().take(MOST_FILES).map(|file| (json!(file), String::new()));
    reply.lists.push(List { field: "files", title: String::new(), items: files.collect(), part: 8 });
    let unconfirmed = found
        .unconfirmed
        .iter()
        .take(MOST_UNCONFIRMED)
        .map(|place| (Value::Object(place::location(place)), place::line(place)));
    let title = format!(
        "Unconfirmed: {} where the word stands as text and no reference explains it",
        match found.unconfirmed_total {
            Some(total) => count(total as u64, "place"),
            None => "places".to_owned(),
        }
    );
    reply.lists.push(List { field: "unconfirmed", title, items: unconfirmed.collect(), part: 6 });
}

fn row(reference: &Reference) -> Row {
    let mut value = place::location(&reference.place);
    value.insert("is_declaration".to_owned(), json!(reference.is_declaration));
    Row::new(Value::Object(value), place::line(&reference.place))
}

#[cfg(test)]
mod tests {
    use orienteer_base::code::FileCount;

    use super::super::place::tests::place;
    use super::*;
    use crate::tools::testing::rendered;

    fn many(count: u32) -> References {
        let rows = (1..=count)
            .map(|line| Reference { place: place("src/a.rs", line, "f();"), is_declaration: line == 1 })
            .collect();
        References {
            rows,
            total_count: count as usize,
            files: (0..500)
                .map(|at| FileCount { file_path: format!("src/{at}/{}.rs", "d".repeat(30)), count: 1 })
                .collect(),
            unconfirmed: (1..=40).map(|line| place("docs/a.md", line, "about `f`")).collect(),
            unconfirmed_total: Some(134),
        }
    }

    fn reply(found: &References) -> Reply {
        let mut reply = Reply::default();
        fill(&mut reply, found);
        reply
    }

    #[test]
    fn lists_beside_the_references_leave_room_for_them() {
        for cap in [2_000, 3_000, 10_000, 120_000] {
            let outcome = rendered(reply(&many(300)), cap);
            assert!(outcome.chars() <= cap, "{} > {cap}", outcome.chars());
            assert!(!outcome.is_error, "{cap}: {:?}", outcome.structured);
            assert!(!outcome.structured["references"].as_array().unwrap().is_empty(), "{cap}");
            assert_eq!(outcome.structured["total_count"], 300);
            assert_eq!(outcome.structured["file_count"], 500);
            assert_eq!(outcome.structured["unconfirmed_count"], 134);
        }
        let outcome = rendered(reply(&many(3)), 120_000);
        assert_eq!(outcome.structured["files"].as_array().unwrap().len(), MOST_FILES);
        assert_eq!(outcome.structured["unconfirmed"].as_array().unwrap().len(), MOST_UNCONFIRMED);
    }

    #[test]
    fn the_text_is_one_line_per_reference() {
        let mut found = many(2);
        found.files.truncate(1);
        found.unconfirmed.truncate(1);
        found.unconfirmed_total = Some(1);
        let outcome = rendered(reply(&found), 120_000);
        assert_eq!(
            outcome.text,
            "2 references in 1 file\nsrc/a.rs:1:5  f();\nsrc/a.rs:2:5  f();\n\
             Unconfirmed: 1 place where the word stands as text and no reference explains it\n\
             docs/a.md:1:5  about `f`"
        );
        assert_eq!(outcome.structured["references"][0]["is_declaration"], true);
        found.unconfirmed_total = None;
        found.unconfirmed.clear();
        let outcome = rendered(reply(&found), 120_000);
        assert!(!outcome.structured.contains_key("unconfirmed_count"), "nobody looked");
        assert!(!outcome.text.contains("Unconfirmed"));
    }
}

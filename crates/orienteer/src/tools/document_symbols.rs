//! `document_symbols`: the outline of a file or a folder.

use std::sync::Arc;

use orienteer_base::ask::{OutlineQuery, Window};
use orienteer_base::code::Symbols;
use orienteer_base::{Answer, Problem};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{symbols, target};
use crate::render::text::{count, visible};
use crate::render::{Body, Reply};
use crate::tool::{Ctx, Tool, Toolset};

pub(super) struct DocumentSymbols;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// File or folder.
    file_path: String,
    #[serde(default = "two")]
    #[schemars(range(min = 1, max = 10))]
    depth: u32,
    #[serde(default)]
    kinds: Vec<String>,
    #[serde(default = "five_hundred")]
    #[schemars(range(min = 1, max = 5000))]
    max_results: usize,
    /// For a server that is not ready.
    #[schemars(range(max = 600_000))]
    wait_ms: Option<u64>,
}

fn two() -> u32 {
    2
}

fn five_hundred() -> usize {
    500
}

impl Tool for DocumentSymbols {
    const NAME: &'static str = "document_symbols";
    const TITLE: &'static str = "Outline";
    const DESCRIPTION: &'static str = "Outline of a file or folder: nested symbols with kinds, lines and signatures. Cheaper than reading it.";
    const TOOLSET: Toolset = Toolset::Navigate;
    const DEFAULT: bool = true;
    const PAGED: bool = true;
    const OWN_MAX_RESULTS: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] = &[("symbols", "array")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let path =
            ctx.session.resolve(&args.file_path).map_err(|error| Problem::from(error).field("file_path"))?;
        let shown = path.shown().to_owned();
        let seen: usize = ctx.position()?;
        // Results are symbols, children counted, and a page may end between two children. The whole outline is
        // made in any case, to count it; the page is cut out of it here.
        let query = OutlineQuery {
            path,
            depth: args.depth,
            kinds: target::kinds(&args.kinds)?,
            window: Window { skip: 0, limit: usize::MAX },
            wait: ctx.wait(args.wait_ms),
        };
        let answer = ctx.session.outline(query, &ctx.cancel).await?;
        Ok(outline(answer, &shown, seen, args.max_results))
    }
}

fn outline(answer: Answer<Symbols>, shown: &str, seen: usize, limit: usize) -> Reply {
    let mut reply = Reply::of(&answer);
    let usual = answer.source;
    let Symbols { rows, total } = answer.value;
    let there: usize = rows.iter().map(symbols::weight).sum();
    let page = symbols::page(rows, seen, limit);
    let weights = Arc::new(symbols::Weights::of(&page));
    reply.head.push(match (page.is_empty(), total) {
        (true, _) => format!("No symbols in {}.", visible(shown)),
        (false, Some(total)) => format!("{}: {}", visible(shown), count(total as u64, "symbol")),
        (false, None) => format!("{}: more symbols than were counted", visible(shown)),
    });
    reply.total = total.map(|total| total as u64);
    reply.body = Body::Rows {
        field: "symbols",
        rows: page.into_iter().map(|symbol| symbols::row(symbol, usual)).collect(),
    };
    let rows = weights.clone();
    reply.weigh = Some(Box::new(move |kept| rows.kept(kept)));
    reply.resume = Some(Box::new(move |kept| {
        let reached = weights.kept(kept);
        (reached > 0 && seen + reached < there).then(|| json!(seen + reached))
    }));
    reply
}

#[cfg(test)]
mod tests {
    use orienteer_base::{Completeness, Source};

    use super::super::symbols::tests::{symbol, tree};
    use super::*;
    use crate::render::cursor;
    use crate::tools::testing::{FINGERPRINT, rendered};

    fn answer(rows: Vec<orienteer_base::code::SymbolRow>) -> Answer<Symbols> {
        let total = Some(rows.iter().map(symbols::weight).sum());
        Answer::new(Symbols { rows, total }, Completeness::Complete, Source::Lsp)
    }

    #[test]
    fn the_text_is_an_outline() {
        let outcome = rendered(outline(answer(tree()), "src/a.rs", 0, 500), 10_000);
        let first: Vec<&str> = outcome.text.lines().take(3).collect();
        assert_eq!(first[0], "src/a.rs: 6 symbols");
        assert_eq!(first[2], "  :2:1  method a  def a( self)");
        assert_eq!(outcome.structured["returned_results"], 6);
        assert_eq!(outcome.structured["symbols"][0]["children"][1]["children"][0]["name"], "c");
        assert_eq!(outcome.structured["truncated"], false);
    }

    #[test]
    fn following_cursors_shows_every_symbol_once() {
        let wide: Vec<_> = (1..60).map(|line| symbol(&format!("Wide/m{line}"), line, Vec::new())).collect();
        let all = [tree(), vec![symbol("Wide", 20, wide)], tree()].concat();
        let total: usize = all.iter().map(symbols::weight).sum();
        for (cap, limit) in [(3_000, 500), (5_000, 7), (50_000, 11)] {
            let (mut seen, mut ids) = (0, Vec::new());
            loop {
                let outcome = rendered(outline(answer(all.clone()), "src", seen, limit), cap);
                assert!(!outcome.is_error && outcome.chars() <= cap, "{:?}", outcome.structured);
                collect(&outcome.structured["symbols"], &mut ids);
                assert_eq!(outcome.structured["total_estimate"], total);
                let Some(next) = outcome.structured.get("cursor") else { break };
                let position = cursor::decode(next.as_str().unwrap(), FINGERPRINT).unwrap();
                seen = usize::try_from(position.as_u64().unwrap()).unwrap();
                assert_eq!(ids.len(), seen, "{cap} {limit}");
            }
            assert_eq!(ids.len(), total, "{cap} {limit}");
        }
    }

    fn collect(rows: &serde_json::Value, ids: &mut Vec<String>) {
        for row in rows.as_array().into_iter().flatten() {
            ids.push(row["symbol_id"].to_string());
            collect(&row["children"], ids);
        }
    }
}

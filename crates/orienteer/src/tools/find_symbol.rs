//! `find_symbol`: symbols of the whole workspace by name.

use orienteer_base::ask::{NameMatch, SymbolQuery};
use orienteer_base::nearest::nearest;
use orienteer_base::{Language, Problem, language::LANGUAGES};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{page, symbols, target};
use crate::render::text::count;
use crate::render::{Body, Reply};
use crate::tool::{Ctx, Tool, Toolset};

pub(super) struct FindSymbol;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// name or Type::method
    query: String,
    #[serde(default, rename = "match")]
    name_match: MatchArg,
    /// E.g. class, function, method.
    #[serde(default)]
    kinds: Vec<String>,
    path: Option<String>,
    language: Option<String>,
    #[serde(default)]
    include_dependencies: bool,
    #[serde(default = "fifty")]
    #[schemars(range(min = 1, max = 1000))]
    max_results: usize,
    /// For a server that is not ready.
    #[schemars(range(max = 600_000))]
    wait_ms: Option<u64>,
}

fn fifty() -> usize {
    50
}

#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum MatchArg {
    Exact,
    Prefix,
    #[default]
    Fuzzy,
}

impl Tool for FindSymbol {
    const NAME: &'static str = "find_symbol";
    const TITLE: &'static str = "Find symbols";
    const DESCRIPTION: &'static str =
        "Symbols of the workspace by name. Each has a symbol_id that other tools accept.";
    const TOOLSET: Toolset = Toolset::Navigate;
    const DEFAULT: bool = true;
    const PAGED: bool = true;
    const OWN_MAX_RESULTS: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] = &[("symbols", "array")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        if args.query.trim().is_empty() {
            return Err(Problem::invalid(
                "query",
                "empty_query",
                "`query` is empty; give a name or a part of one",
            ));
        }
        let scope = match &args.path {
            Some(path) => {
                Some(ctx.session.resolve(path).map_err(|error| Problem::from(error).field("path"))?)
            }
            None => None,
        };
        let window = page::window(&ctx, args.max_results)?;
        let query = SymbolQuery {
            query: args.query,
            name_match: match args.name_match {
                MatchArg::Exact => NameMatch::Exact,
                MatchArg::Prefix => NameMatch::Prefix,
                MatchArg::Fuzzy => NameMatch::Fuzzy,
            },
            kinds: target::kinds(&args.kinds)?,
            scope,
            language: args.language.as_deref().map(language).transpose()?,
            include_dependencies: args.include_dependencies,
            window,
            wait: ctx.wait(args.wait_ms),
        };
        let answer = ctx.session.find_symbols(query, &ctx.cancel).await?;
        let mut reply = Reply::of(&answer);
        let (usual, found) = (answer.source, answer.value);
        reply.head.push(match (found.rows.len(), found.total) {
            (0, _) => "No symbol found.".to_owned(),
            (_, Some(total)) => count(total as u64, "symbol"),
            (shown, None) => format!("{shown} symbols; the server did not list all"),
        });
        let shown = found.rows.len();
        let rows = found.rows.into_iter().map(|symbol| symbols::row(symbol, usual)).collect();
        reply.body = Body::Rows { field: "symbols", rows };
        page::resume(&mut reply, window, shown, found.total);
        Ok(reply)
    }
}

/// A language by its id, name or another word for it.
fn language(word: &str) -> Result<&'static Language, Problem> {
    Language::by_word(word).ok_or_else(|| {
        let word: String = word.chars().take(80).collect();
        let ids = || LANGUAGES.iter().map(|language| language.id);
        let close: Vec<String> = nearest(&word, ids(), 3).into_iter().map(str::to_owned).collect();
        let legal: Vec<&str> = ids().collect();
        let message = format!("`language` is `{word}`; legal values are {}", legal.join(", "));
        Problem::invalid("language", "unknown_language", message).candidates(close)
    })
}

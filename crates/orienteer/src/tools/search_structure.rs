//! `search_structure`: code of a shape.

use orienteer_base::listing::FileMatches;
use orienteer_base::question::{After, Detail, Strictness, StructureQuery};
use orienteer_base::{Conceal, ErrorKind, Language, Problem};
use orienteer_engine::syntax;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{keys, matches};
use crate::render::Reply;
use crate::tool::{Ctx, Tool, Toolset};

pub(super) struct SearchStructure;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// Code with $NAME for one node and $$$NAMES for several, e.g. `$X.unwrap()`.
    pattern: String,
    language: String,
    /// File or folder; default: workspace root.
    path: Option<String>,
    #[serde(default)]
    include: Vec<String>,
    #[serde(default)]
    exclude: Vec<String>,
    #[serde(default)]
    strictness: StrictnessArg,
    #[serde(default)]
    #[schemars(range(max = 50))]
    context_lines: usize,
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 5000))]
    max_results: usize,
}

fn hundred() -> usize {
    100
}

#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum StrictnessArg {
    Cst,
    #[default]
    Smart,
    Ast,
    Relaxed,
    Signature,
}

#[derive(Default, Serialize, Deserialize)]
struct Position {
    p: Option<String>,
    m: u64,
}

impl Tool for SearchStructure {
    const NAME: &'static str = "search_structure";
    const TITLE: &'static str = "Search by structure";
    const DESCRIPTION: &'static str = "Find code by syntax, not text: an ast-grep pattern in the language itself, with captures. Layout and comments do not matter.";
    const TOOLSET: Toolset = Toolset::Local;
    const PAGED: bool = true;
    const OWN_MAX_RESULTS: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] = &[("files", "array"), ("stats", "object")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let before: Position = ctx.position()?;
        let scope = matches::scope(&ctx, args.path.as_deref())?;
        let query = StructureQuery {
            pattern: args.pattern,
            language: language(&args.language)?,
            scope,
            selection: matches::selection(Vec::new(), args.include, args.exclude, false, false),
            strictness: match args.strictness {
                StrictnessArg::Cst => Strictness::Cst,
                StrictnessArg::Smart => Strictness::Smart,
                StrictnessArg::Ast => Strictness::Ast,
                StrictnessArg::Relaxed => Strictness::Relaxed,
                StrictnessArg::Signature => Strictness::Signature,
            },
            context_lines: args.context_lines,
            max_results: args.max_results,
            after: After { path: before.p.clone(), modified_ns: None, matches: before.m },
            conceal: Conceal::default(),
        };
        let mut answer = ctx.session.search_structure(query, &ctx.cancel).await?;
        let hidden = keys::hide_in_matches(&ctx, &mut answer.value).await?;
        let mut reply = Reply::of(&answer);
        reply.warnings.extend(hidden);
        let (begun, count) = (before.p.clone(), before.m);
        let seen = move |file: &FileMatches| {
            if begun.as_deref() == Some(file.file_path.as_str()) { count } else { 0 }
        };
        matches::fill(&mut reply, &answer.value, Detail::Matches, false, seen);
        reply.total = Some(answer.value.stats.total_matches);
        reply.resume = Some(Box::new(move |kept| {
            let page = &answer.value;
            if kept.all && page.remaining == 0 {
                return None;
            }
            // The position names the file it is in and how many of its matches were seen.
            let at = if kept.parts > 0 || kept.rows == 0 { kept.rows } else { kept.rows - 1 };
            let file = page.files.get(at)?;
            let shown = if at == kept.rows { kept.parts } else { file.matches.len() };
            let begun = if before.p.as_deref() == Some(file.file_path.as_str()) { before.m } else { 0 };
            Some(json!(Position { p: Some(file.file_path.clone()), m: begun + shown as u64 }))
        }));
        Ok(reply)
    }
}

/// A language that has a grammar.
fn language(word: &str) -> Result<&'static Language, Problem> {
    let supported = syntax::supported();
    let ids = || supported.iter().map(|language| language.id.to_owned()).collect::<Vec<_>>();
    match Language::by_word(word) {
        Some(language) if supported.contains(&language) => Ok(language),
        Some(language) => Err(Problem::new(
            ErrorKind::Unsupported,
            format!(
                "there is no grammar for {}; legal values of `language` are {}",
                language.name,
                ids().join(", ")
            ),
        )
        .field("language")
        .detail("no_grammar")
        .candidates(ids())),
        None => {
            let word: String = word.chars().take(80).collect();
            let message = format!("`language` is `{word}`; legal values are {}", ids().join(", "));
            Err(Problem::invalid("language", "unknown_language", message).candidates(ids()))
        }
    }
}

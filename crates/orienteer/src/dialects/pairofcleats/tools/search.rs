//! `search`: what fits best, by words, names and filters; one list for each sort of text.

mod filters;
mod hit;
mod lists;
mod written_by;

use orienteer_base::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::super::repo::Repo;
use crate::dialect::DialectTool;
use crate::tool::Ctx;

pub(super) struct Search;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Args {
    /// Repository; default: that of the current folder.
    repo_path: Option<String>,
    /// Words or a question; also +must, -not, "phrase", /regex/.
    query: String,
    /// Which lists are filled; both: code and prose.
    #[serde(default)]
    mode: Mode,
    /// There is one; which, stands in the answer.
    #[serde(default)]
    #[allow(dead_code, reason = "all values mean the same")]
    backend: Backend,
    #[serde(default)]
    output: Output,
    /// Compare meanings too; default: where a model is configured.
    ann: Option<bool>,
    /// Results of each list.
    #[serde(default = "five")]
    #[schemars(range(min = 1, max = 100))]
    top: usize,
    /// Lines before and behind each result.
    #[serde(default)]
    #[schemars(range(max = 50))]
    context: usize,
    #[serde(flatten)]
    filters: filters::Written,
}

#[derive(Clone, Copy, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    #[default]
    All,
    Both,
    Code,
    Prose,
    ExtractedProse,
    Records,
}

#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Backend {
    #[default]
    Auto,
    Memory,
    Sqlite,
    SqliteFts,
    Lmdb,
}

#[derive(Clone, Copy, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Output {
    #[default]
    Compact,
    Full,
}

fn five() -> usize {
    5
}

impl DialectTool for Search {
    const NAME: &'static str = "search";
    const TITLE: &'static str = "Search";
    const DESCRIPTION: &'static str = "Ranked search over code, prose, comments and triage records by plain words, a \
                                       question or filters. Builds the index when there is none.";
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Map<String, Value>, Problem> {
        let repo = Repo::of(&ctx, args.repo_path.as_deref()).await?;
        lists::find(args, &repo).await
    }
}

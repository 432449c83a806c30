//! `index_status`: what is indexed, and how true it is.

use orienteer_base::Problem;
use orienteer_base::search::{IndexState, IndexStatus, Share};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::render::Reply;
use crate::render::text::{bytes, count, time};
use crate::tool::{Ctx, Tool, Toolset};

/// Languages and kinds that are named in the text.
const NAMED: usize = 8;

pub(super) struct Status;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// Look at every page of it.
    #[serde(default)]
    verify: bool,
}

impl Tool for Status {
    const NAME: &'static str = "index_status";
    const TITLE: &'static str = "Index status";
    const DESCRIPTION: &'static str =
        "What is indexed: counts per kind and language, sizes, commit, stale files, health.";
    const TOOLSET: Toolset = Toolset::Index;
    const OUTPUT: &'static [(&'static str, &'static str)] = &[
        ("state", "string"),
        ("files", "integer"),
        ("symbols", "integer"),
        ("chunks", "integer"),
        ("languages", "object"),
        ("bytes", "integer"),
        ("health", "string"),
    ];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let status = ctx.session.index_status(args.verify, &ctx.cancel).await?;
        let mut reply = Reply::about_ourselves();
        fill(&mut reply, &status);
        reply.head = lines(&status);
        Ok(reply)
    }
}

fn fill(reply: &mut Reply, status: &IndexStatus) {
    reply.field("state", status.state.as_str());
    if let Some(doing) = &status.doing {
        reply.field("progress", doing.as_str());
    }
    reply.field("files", status.files).field("symbols", status.symbols).field("chunks", status.chunks);
    reply.field("languages", shares(&status.languages)).field("modes", shares(&status.modes));
    reply.field("kinds", numbers(&status.kinds)).field("marked", numbers(&status.marked));
    reply.field("bytes", status.bytes).field("text_bytes", status.text_bytes);
    reply.field("parts", numbers(&status.parts));
    reply.field("commit", json!(status.commit)).field("branch", json!(status.branch));
    reply.field("stale_files", json!(status.stale_files));
    reply.field("changed_since_commit", json!(status.changed_since_commit));
    reply.field("built_at", json!(status.built_at.map(time)));
    reply.field("skipped_count", status.skipped);
    reply.field("generation", status.generation);
    reply.field("folder", status.folder.as_str());
    reply.field("model", json!(status.model));
    reply.field("unwatched_files", status.unwatched_files);
    if let Some(reason) = &status.unwatched {
        reply.field("unwatched", reason.as_str());
    }
    reply.field("health", status.health.as_str());
}

fn shares(shares: &[Share]) -> Value {
    Value::Object(shares.iter().map(|share| (share.name.clone(), json!(share))).collect())
}

fn numbers(numbers: &[(&'static str, u64)]) -> Value {
    let pairs = numbers.iter().map(|(name, number)| ((*name).to_owned(), json!(number)));
    Value::Object(pairs.collect::<Map<_, _>>())
}

/// The same for people, a few lines.
pub(crate) fn lines(status: &IndexStatus) -> Vec<String> {
    let mut lines = vec![match status.state {
        IndexState::None => "There is no index of this workspace yet; the first search builds it.".to_owned(),
        IndexState::Building if status.files == 0 => "The index is being built.".to_owned(),
        _ => format!(
            "{}, {}, {}; {} on disk for {} of text",
            count(status.files, "file"),
            count(status.symbols, "symbol"),
            count(status.chunks, "chunk"),
            bytes(status.bytes),
            bytes(status.text_bytes),
        ),
    }];
    if let Some(doing) = &status.doing {
        lines.push(doing.clone());
    }
    if status.files > 0 {
        let named = |names: Vec<String>| names.join(", ");
        let languages = status.languages.iter().take(NAMED);
        lines.push(named(languages.map(|share| format!("{} {}", share.name, share.files)).collect()));
        let kinds = status.kinds.iter().take(NAMED);
        lines.push(named(kinds.map(|(kind, number)| format!("{kind} {number}")).collect()));
        let at = status.built_at.map_or_else(|| "at an unknown time".to_owned(), time);
        let commit = status.commit.as_deref().map(|commit| commit.get(..12).unwrap_or(commit));
        let from = commit.map(|commit| format!(" at commit {commit}")).unwrap_or_default();
        let branch = status.branch.as_deref().map(|branch| format!(" ({branch})")).unwrap_or_default();
        let stale = match status.stale_files {
            Some(0) => "nothing stale".to_owned(),
            Some(number) => count(number, "stale file"),
            None => "stale files not counted".to_owned(),
        };
        lines.push(format!("built {at}{from}{branch}; {stale}; generation {}", status.generation));
    }
    lines.push(format!("health: {}", status.health));
    lines.push(format!("folder: {}", status.folder));
    lines
}

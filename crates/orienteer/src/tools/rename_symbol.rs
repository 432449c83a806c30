//! `rename_symbol`: another name, everywhere it is meant.

use std::collections::BTreeMap;

use orienteer_base::edit::RenameQuery;
use orienteer_base::{Digest, Problem};
use schemars::JsonSchema;
use serde::Deserialize;

use super::plan;
use super::target::TargetArgs;
use crate::render::Reply;
use crate::tool::{Ctx, Effect, Tool, Toolset};

pub(super) struct RenameSymbol;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    #[serde(flatten)]
    target: TargetArgs,
    new_name: String,
    /// false: write at once.
    #[serde(default = "yes")]
    dry_run: bool,
    /// By path, as you saw them.
    #[serde(default)]
    expected_before_sha256: BTreeMap<String, String>,
    #[schemars(range(max = 600_000))]
    wait_ms: Option<u64>,
}

fn yes() -> bool {
    true
}

impl Tool for RenameSymbol {
    const NAME: &'static str = "rename_symbol";
    const TITLE: &'static str = "Rename a symbol";
    const DESCRIPTION: &'static str = "Rename a symbol in all files, by meaning. Returns a plan with diffs for apply_edits, and places where the old name stays as text.";
    const TOOLSET: Toolset = Toolset::Edit;
    const DEFAULT: bool = true;
    const EFFECT: Effect = Effect::Write;
    const OUTPUT: &'static [(&'static str, &'static str)] = plan::OUTPUT;
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let query = RenameQuery {
            expected: digests(args.expected_before_sha256)?,
            target: args.target.target(&ctx)?,
            new_name: args.new_name,
            carry: plan::carry(args.dry_run),
            wait: ctx.wait(args.wait_ms),
        };
        let answer = ctx.session.rename(query, &ctx.cancel).await?;
        plan::reply(&ctx, answer).await
    }
}

fn digests(written: BTreeMap<String, String>) -> Result<BTreeMap<String, Digest>, Problem> {
    let read = |(path, written): (String, String)| match Digest::parse(&written) {
        Some(digest) => Ok((path, digest)),
        None => {
            let path: String = path.chars().take(200).collect();
            let message =
                format!("`expected_before_sha256` of `{path}` is not a SHA-256 in 64 hexadecimal digits");
            Err(Problem::invalid("expected_before_sha256", "illegal_value", message))
        }
    };
    written.into_iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_read_and_wrong_ones_name_their_file() {
        let one = |text: &str| digests(BTreeMap::from([("src/a.rs".to_owned(), text.to_owned())]));
        assert!(one(&"a".repeat(64)).is_ok());
        let problem = one("abc").unwrap_err();
        assert_eq!((problem.field, problem.detail), (Some("expected_before_sha256"), Some("illegal_value")));
        assert!(problem.message.contains("src/a.rs"));
    }
}

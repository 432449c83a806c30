//! `format_code`: code as its language is usually written.

use orienteer_base::edit::FormatQuery;
use orienteer_base::{Problem, RootedPath};
use schemars::JsonSchema;
use serde::Deserialize;

use super::plan;
use crate::render::Reply;
use crate::tool::{Ctx, Effect, Tool, Toolset};

pub(super) struct FormatCode;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    #[schemars(length(min = 1, max = 200))]
    file_paths: Vec<String>,
    /// With end_line: only these lines of one file.
    #[schemars(range(min = 1))]
    start_line: Option<u32>,
    #[schemars(range(min = 1))]
    end_line: Option<u32>,
    /// false: write at once.
    #[serde(default = "yes")]
    dry_run: bool,
    #[schemars(range(max = 600_000))]
    wait_ms: Option<u64>,
}

fn yes() -> bool {
    true
}

impl Tool for FormatCode {
    const NAME: &'static str = "format_code";
    const TITLE: &'static str = "Format code";
    const DESCRIPTION: &'static str = "Format files, or some lines of one, with the language server or else the language's own formatter; says which. Files with syntax errors are left alone. Returns a plan with diffs for apply_edits.";
    const TOOLSET: Toolset = Toolset::Edit;
    const EFFECT: Effect = Effect::Write;
    const OUTPUT: &'static [(&'static str, &'static str)] = plan::OUTPUT;
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let files = args.file_paths.iter().map(|path| {
            let resolved = ctx.session.resolve(path).and_then(RootedPath::require_file);
            resolved.map_err(|error| Problem::from(error).field("file_paths"))
        });
        let query = FormatQuery {
            files: files.collect::<Result<_, _>>()?,
            lines: lines(args.start_line, args.end_line)?,
            carry: plan::carry(args.dry_run),
            wait: ctx.wait(args.wait_ms),
        };
        let answer = ctx.session.format(query, &ctx.cancel).await?;
        plan::reply(&ctx, answer).await
    }
}

/// Both or none: half of a range could mean two things.
fn lines(start: Option<u32>, end: Option<u32>) -> Result<Option<(u32, u32)>, Problem> {
    match (start, end) {
        (None, None) => Ok(None),
        (Some(start), Some(end)) => Ok(Some((start, end))),
        (Some(_), None) => {
            Err(Problem::invalid("end_line", "half_a_range", "`start_line` needs `end_line` beside it"))
        }
        (None, Some(_)) => {
            Err(Problem::invalid("start_line", "half_a_range", "`end_line` needs `start_line` beside it"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_two_ends() {
        assert_eq!(lines(None, None), Ok(None));
        assert_eq!(lines(Some(1), Some(2)), Ok(Some((1, 2))));
        assert_eq!(lines(Some(1), None).unwrap_err().field, Some("end_line"));
        assert_eq!(lines(None, Some(1)).unwrap_err().field, Some("start_line"));
    }
}

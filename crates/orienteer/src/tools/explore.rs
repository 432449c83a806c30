//! `explore`: everything worth knowing about some symbols in one round trip.

mod render;

use orienteer_base::Problem;
use orienteer_base::ask::{ExploreQuery, Section};
use orienteer_base::code::{Explored, Place};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::target::TargetArgs;
use super::{hierarchy, keys};
use crate::render::{Body, Reply, Row};
use crate::tool::{Ctx, Tool, Toolset};

pub(super) struct Explore;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    #[schemars(length(min = 1, max = 5))]
    targets: Vec<TargetArgs>,
    /// Default: all.
    #[serde(default)]
    sections: Vec<SectionArg>,
    /// For a server that is not ready.
    #[schemars(range(max = 600_000))]
    wait_ms: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SectionArg {
    Body,
    Hover,
    References,
    Callers,
    Callees,
    Implementations,
    Tests,
}

impl SectionArg {
    const ALL: &[Self] = &[
        Self::Body,
        Self::Hover,
        Self::References,
        Self::Callers,
        Self::Callees,
        Self::Implementations,
        Self::Tests,
    ];

    fn section(self) -> Section {
        match self {
            Self::Body => Section::Body,
            Self::Hover => Section::Hover,
            Self::References => Section::References,
            Self::Callers => Section::Callers,
            Self::Callees => Section::Callees,
            Self::Implementations => Section::Implementations,
            Self::Tests => Section::Tests,
        }
    }
}

impl Tool for Explore {
    const NAME: &'static str = "explore";
    const TITLE: &'static str = "Explore symbols";
    const DESCRIPTION: &'static str = "Understand 1-5 symbols in one call: definition, body, docs, references, callers, callees, implementations, tests. Prefer it to several single calls.";
    const TOOLSET: Toolset = Toolset::Navigate;
    const DEFAULT: bool = true;
    const USUAL_CHARS: Option<usize> = Some(24_000);
    const OUTPUT: &'static [(&'static str, &'static str)] = &[("symbols", "array")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let sections = wanted(&args.sections);
        let share = share(ctx.budget.max_total_chars, args.targets.len());
        let alone = args.targets.len() == 1;
        let targets: Vec<_> = args.targets.into_iter().map(|target| target.target(&ctx)).collect();
        let query = ExploreQuery {
            targets: targets.iter().filter_map(|target| target.as_ref().ok()).cloned().collect(),
            sections: sections.clone(),
            max_body_chars: body_chars(share, &sections),
            wait: ctx.wait(args.wait_ms),
        };
        if query.targets.is_empty() {
            // Nothing is left to ask: the first problem says why.
            let problem = targets.into_iter().find_map(Result::err);
            return Err(
                problem.unwrap_or_else(|| Problem::invalid("targets", "incomplete_target", "no target"))
            );
        }
        let mut answer = ctx.session.explore(query, &ctx.cancel).await?;
        let mut answered = std::mem::take(&mut answer.value).into_iter();
        let mut results: Vec<Result<Explored, Problem>> = targets
            .into_iter()
            .map(|target| target.and_then(|_| answered.next().unwrap_or_else(|| Err(unanswered()))))
            .collect();
        if alone && let Some(Err(_)) = results.first() {
            return Err(results.remove(0).err().unwrap_or_else(unanswered));
        }
        let places = results.iter_mut().flatten().flat_map(places).collect();
        let hidden = keys::hide_in_places(&ctx, places).await?;
        let mut reply = Reply::of(&answer);
        reply.warnings.extend(hidden);
        let most = most_rows(share);
        let rows = results.iter().enumerate().map(|(index, result)| {
            let (value, line) = match result {
                Ok(explored) => render::symbol(index, explored, &sections, most),
                Err(problem) => render::failed(index, problem),
            };
            Row::new(value, line)
        });
        reply.body = Body::Shares { field: "symbols", rows: rows.collect() };
        Ok(reply)
    }
}

fn unanswered() -> Problem {
    Problem::new(orienteer_base::ErrorKind::InternalError, "this target was not answered")
}

/// The sections in the order they are shown, each once.
fn wanted(asked: &[SectionArg]) -> Vec<Section> {
    let wanted = SectionArg::ALL.iter().filter(|section| asked.is_empty() || asked.contains(section));
    wanted.map(|section| section.section()).collect()
}

/// What one target may take of the answer: the envelope and the echo have their part.
fn share(cap: usize, targets: usize) -> usize {
    cap.saturating_sub(cap / 8 + 800) / targets.max(1)
}

/// A body is sent as text and as structure, and JSON writes its line ends longer.
fn body_chars(share: usize, sections: &[Section]) -> usize {
    if sections == [Section::Body] { share * 2 / 5 } else { share / 5 }
}

/// Rows of each list of a symbol, so that four lists leave room for the rest.
fn most_rows(share: usize) -> usize {
    (share / 2_500).clamp(1, 20)
}

fn places(explored: &mut Explored) -> Vec<&mut Place> {
    let Explored { definition, callers, callees, implementations, tests, .. } = explored;
    std::iter::once(definition)
        .chain(callers.iter_mut().chain(callees).flat_map(hierarchy::item_places))
        .chain(implementations)
        .chain(tests)
        .collect()
}

#[cfg(test)]
mod tests;

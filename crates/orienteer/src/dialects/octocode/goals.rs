//! Why a client asks: fields that every query has and that change nothing about the answer.

use schemars::JsonSchema;
use serde::Deserialize;

/// Of tools that ask other machines.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "they are for whoever reads along")]
pub(super) struct Goals {
    /// Overall research objective
    main_research_goal: String,
    /// Goal for this specific query
    research_goal: String,
    /// Why this approach helps reach the goal
    reasoning: String,
}

/// Of tools that look at this machine only. Agents write the same fields everywhere, so all three are taken.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "they are for whoever reads along")]
pub(super) struct LocalGoals {
    /// Overall research objective
    main_research_goal: Option<String>,
    /// Goal of the search
    research_goal: Option<String>,
    /// Why this approach helps
    reasoning: Option<String>,
}

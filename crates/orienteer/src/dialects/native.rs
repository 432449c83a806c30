//! Orienteer's own contract.

use orienteer_base::Budget;
use serde_json::{Map, Value};

use crate::dialect::{Dialect, Envelope, Foreign, Rendering};
use crate::error::Failure;
use crate::render::{self, Outcome, Reply};
use crate::tool::Entry;
use crate::tools::TOOLS;

pub static NATIVE: Dialect = Dialect {
    name: "native",
    tools: TOOLS,
    envelope: &Native,
    instructions: None,
    settings: |_, _| Ok(Foreign::default()),
};

struct Native;

impl Envelope for Native {
    fn success(&self, entry: &Entry, reply: Reply, with: &Rendering<'_>) -> Outcome {
        render::success(entry.name, with.input, reply, with.limits, with.fingerprint)
    }

    fn failure(
        &self,
        entry: &Entry,
        arguments: &Map<String, Value>,
        failure: &Failure,
        budget: Budget,
    ) -> Outcome {
        render::failure(entry.name, arguments, failure, budget)
    }

    fn structured(&self) -> bool {
        true
    }
}

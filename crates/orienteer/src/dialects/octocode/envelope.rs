//! How octocode wraps its answers: `results` as text, and `status: "error"` where a whole call fails.

use orienteer_base::Budget;
use serde_json::{Map, Value, json};

use super::asked::Asked;
use super::errors;
use crate::dialect::{self, Envelope, Rendering};
use crate::error::Failure;
use crate::render::{Outcome, Reply};
use crate::tool::Entry;

pub(super) struct Octocode;

impl Envelope for Octocode {
    fn success(&self, _entry: &Entry, mut reply: Reply, _with: &Rendering<'_>) -> Outcome {
        // The contract has no place for warnings but the hints.
        let warnings: Vec<String> = reply.warnings.iter().map(|warning| warning.message.clone()).collect();
        let failed = match reply.fields.get_mut("results") {
            Some(Value::Array(rows)) => {
                let hints = rows.first_mut().and_then(|row| row["hints"].as_array_mut());
                hints.into_iter().for_each(|hints| hints.extend(warnings.iter().map(|text| json!(text))));
                rows.iter().all(|row| row["status"] == "error")
            }
            _ => false,
        };
        dialect::written(reply.fields, failed)
    }

    fn failure(
        &self,
        entry: &Entry,
        arguments: &Map<String, Value>,
        failure: &Failure,
        _budget: Budget,
    ) -> Outcome {
        let first = arguments.get("queries").and_then(|queries| queries.get(0)).and_then(Value::as_object);
        let asked = Asked::new(entry.name, first.cloned().unwrap_or_default());
        dialect::written(errors::told(&failure.problem, &asked), true)
    }
}

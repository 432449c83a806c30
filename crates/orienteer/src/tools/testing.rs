//! What tests of several tools need: a reply as it would go out.

use orienteer_base::Budget;
use serde_json::Map;

use crate::render::{Limits, Outcome, Reply, success};

pub(crate) const FINGERPRINT: &str = "12345678";

pub(crate) fn rendered(reply: Reply, cap: usize) -> Outcome {
    let limits = Limits { budget: Budget::new(cap), max_results: usize::MAX };
    success("tool", &Map::new(), reply, limits, FINGERPRINT)
}

//! How is told what was done to an index, or would be?

use orienteer_base::search::{Artifact, IndexWork};
use serde_json::{Map, Value, json};

use crate::render::text::time;

/// What a call has to say about one piece of work.
pub(super) fn payload(repo: &str, work: &IndexWork, notes: &[String]) -> Map<String, Value> {
    let mut payload = Map::new();
    let mut put = |name: &str, value: Value| payload.insert(name.to_owned(), value);
    put("repoPath", json!(repo));
    put("status", json!(work.done));
    put("dryRun", json!(work.dry_run));
    for (name, number) in &work.counts {
        put(&camel(name), json!(number));
    }
    if let Some(before) = work.bytes_before {
        put("bytesBefore", json!(before));
    }
    if let Some(after) = work.bytes_after {
        put("bytesAfter", json!(after));
    }
    if let Some(why) = &work.healed {
        put("healed", json!(why));
    }
    put("artifacts", work.artifacts.iter().map(artifact).collect());
    let skipped = work.skipped.iter().map(|one| json!({ "path": one.path, "reason": one.reason }));
    put("skipped", skipped.collect());
    put("skippedCount", json!(work.skipped_count));
    put("elapsedMs", json!(u64::try_from(work.elapsed.as_millis()).unwrap_or(u64::MAX)));
    put("notes", json!(notes));
    payload
}

pub(super) fn artifact(artifact: &Artifact) -> Value {
    let Artifact { kind, path, bytes, modified } = artifact;
    json!({ "kind": kind, "path": path, "bytes": bytes, "modified": modified.map(time) })
}

/// `read_bytes` as `readBytes`.
pub(super) fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    camel
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_as_the_contract_writes_them() {
        assert_eq!(
            ["files", "read_bytes", "a_b_c", "", "_"].map(camel),
            ["files", "readBytes", "aBC", "", ""]
        );
    }
}

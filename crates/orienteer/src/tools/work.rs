//! How work on the index is told: what was done, or would be.

use orienteer_base::search::{Artifact, IndexWork};
use serde_json::{Value, json};

use crate::render::text::{bytes, count, time, visible};
use crate::render::{Body, Reply, Row};

/// Files that are named in the text.
const NAMED: usize = 10;

/// What all of it returns.
pub(super) const OUTPUT: &[(&str, &str)] = &[
    ("done", "string"),
    ("bytes_before", "integer"),
    ("bytes_after", "integer"),
    ("skipped", "array"),
    ("elapsed_ms", "integer"),
    ("artifacts", "array"),
];

pub(super) fn reply(work: &IndexWork) -> Reply {
    let mut reply = Reply::about_ourselves();
    reply.field("done", work.done).field("dry_run", work.dry_run);
    for (name, number) in &work.counts {
        reply.field(name, *number);
    }
    if let Some(before) = work.bytes_before {
        reply.field("bytes_before", before);
    }
    if let Some(after) = work.bytes_after {
        reply.field("bytes_after", after);
    }
    if let Some(why) = &work.healed {
        reply.field("healed", why.as_str());
    }
    let skipped: Vec<Value> =
        work.skipped.iter().map(|one| json!({ "path": one.path, "reason": one.reason })).collect();
    reply.field("skipped", skipped).field("skipped_count", work.skipped_count);
    reply.field("elapsed_ms", u64::try_from(work.elapsed.as_millis()).unwrap_or(u64::MAX));
    reply.head = lines(work);
    reply.body = Body::Rows { field: "artifacts", rows: work.artifacts.iter().map(row).collect() };
    reply.total = Some(work.artifacts.len() as u64);
    reply
}

/// The same for people.
pub(crate) fn lines(work: &IndexWork) -> Vec<String> {
    let mut said = vec![work.done.to_owned()];
    if work.dry_run {
        said.push("dry run, nothing was changed".to_owned());
    }
    said.extend(work.counts.iter().map(|(name, number)| format!("{} {number}", name.replace('_', " "))));
    said.push(match (work.bytes_before, work.bytes_after) {
        (Some(before), Some(after)) if before != after => format!("{} → {}", bytes(before), bytes(after)),
        (_, Some(after)) => bytes(after),
        (Some(before), None) => format!("{} before", bytes(before)),
        (None, None) => String::new(),
    });
    said.push(format!("{} ms", work.elapsed.as_millis()));
    said.retain(|part| !part.is_empty());
    let mut lines = vec![said.join(", ")];
    lines.extend(work.healed.iter().map(|why| format!("the index that was there could not be used: {why}")));
    if work.skipped_count > 0 {
        lines.push(format!("{} could not be indexed:", count(work.skipped_count, "path")));
        let named = work.skipped.iter().take(NAMED);
        lines.extend(named.map(|one| format!("  {}: {}", visible(&one.path), one.reason)));
    }
    lines
}

fn row(artifact: &Artifact) -> Row {
    let Artifact { kind, path, bytes: size, modified } = artifact;
    let value = json!({ "kind": kind, "path": path, "bytes": size, "modified": modified.map(time) });
    let when = modified.map(|at| format!("  {}", time(at))).unwrap_or_default();
    Row::new(value, format!("{}  {kind}  {}{when}", visible(path), bytes(*size)))
}

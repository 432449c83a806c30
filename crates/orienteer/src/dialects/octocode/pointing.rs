//! Pointing at a symbol by its name and a line, and the places that a language server answers with.

use orienteer_base::answer::Warning;
use orienteer_base::code::Place;
use orienteer_base::{Answer, Completeness, ErrorKind, Problem, Reason, RootedPath, Target};
use orienteer_engine::editor::{EditorPlace, EditorPosition};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::Ctx;
use crate::tools::keys::{self, Stretch};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Pointing {
    /// File URI or path
    uri: String,
    /// Symbol to find
    #[schemars(length(min = 1, max = 255))]
    symbol_name: String,
    /// Line number hint (1-indexed)
    #[schemars(range(min = 1))]
    line_hint: u32,
    /// Nth occurrence on line (0-indexed)
    #[serde(default)]
    #[schemars(range(max = 1000))]
    order_hint: u32,
}

impl Pointing {
    pub(super) fn check(&self) -> Result<(), Problem> {
        if self.symbol_name.trim().is_empty() {
            return Err(Problem::invalid("symbolName", "illegal_value", "`symbolName` is blank"));
        }
        Ok(())
    }

    pub(super) fn target(self, ctx: &Ctx) -> Result<Target, Problem> {
        let file = ctx.session.resolve_uri(&self.uri).and_then(RootedPath::require_file);
        Ok(Target {
            file: Some(file.map_err(|error| Problem::from(error).field("file_path"))?),
            line: Some(self.line_hint),
            symbol_name: Some(self.symbol_name),
            occurrence: Some(self.order_hint + 1),
            ..Target::default()
        })
    }
}

/// An answer that nobody who understands the program gave is none: whoever asks a language server is told that there is
/// no such. So is an empty answer of one that was not ready.
pub(super) fn understood<T>(answer: &Answer<T>, is_empty: bool) -> Result<(), Problem> {
    let said = |kind: &str| answer.warnings.iter().find(|warning| warning.kind == kind);
    if let Some(warning) = said("no_language_server") {
        let (message, hint) = match warning.message.split_once("; install it with: ") {
            Some((message, hint)) => (message, Some(hint)),
            None => (warning.message.as_str(), None),
        };
        let message = message.trim_end_matches("; found by text and grammar instead");
        let mut problem = Problem::new(ErrorKind::ServerUnavailable, message);
        if let Some(hint) = hint {
            problem = problem.fact("install_hint", hint);
        }
        if let Completeness::Partial { retry_after_ms, .. } = answer.completeness {
            problem.retry_after_ms = retry_after_ms;
        }
        return Err(problem);
    }
    if let (true, Completeness::Partial { reason, retry_after_ms }) = (is_empty, answer.completeness) {
        let told = said("server_not_ready").or_else(|| answer.warnings.first());
        let message = told.map_or("the language server is not ready", |told| &told.message);
        let problem = Problem::new(ErrorKind::NotReady, message);
        let wait = retry_after_ms.or((reason == Reason::ServerIndexing).then_some(3_000));
        return Err(Problem { retry_after_ms: wait, ..problem });
    }
    Ok(())
}

/// What has to be known about an answer beside its rows.
pub(super) fn notes<T>(answer: &Answer<T>) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    if let Completeness::Partial { reason, .. } = answer.completeness {
        let why = serde_json::to_value(reason).ok().and_then(|why| why.as_str().map(str::to_owned));
        notes.push(format!("This answer is partial ({}): there may be more", why.unwrap_or_default()));
    }
    notes.extend(answer.warnings.iter().map(|warning| warning.message.clone()));
    notes
}

/// The places as an editor writes them, with nothing secret in the lines around.
pub(super) async fn around(
    ctx: &Ctx,
    places: &[&Place],
    context_lines: u32,
) -> Result<(Vec<EditorPlace>, Option<Warning>), Problem> {
    let asked = places.iter().map(|place| (place.file_path.clone(), place.range)).collect();
    let mut shown = ctx.session.in_editor(asked, context_lines, &ctx.cancel).await?;
    let stretches = shown.iter_mut().zip(places).map(|(shown, place)| {
        let first = shown.line as usize - shown.before.len();
        let own = std::iter::once(&mut shown.content);
        let lines = shown.before.iter_mut().chain(own).chain(&mut shown.after).collect();
        Stretch { file_path: &place.file_path, first: first as u64, lines }
    });
    let hidden = keys::hide_in_stretches(ctx, stretches.collect()).await?;
    Ok((shown, hidden))
}

/// `uri`, `range`, `content`, `contextBefore`, `contextAfter`.
pub(super) fn row(place: &EditorPlace) -> Value {
    json!({
        "uri": place.uri,
        "range": range(place),
        "content": place.content,
        "contextBefore": place.before,
        "contextAfter": place.after,
    })
}

pub(super) fn range(place: &EditorPlace) -> Value {
    let position = |at: EditorPosition| json!({ "line": at.line, "character": at.character });
    json!({ "start": position(place.start), "end": position(place.end) })
}

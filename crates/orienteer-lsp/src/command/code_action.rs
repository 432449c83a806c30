//! `textDocument/codeAction`, `codeAction/resolve` and `workspace/executeCommand`.

use std::path::Path;
use std::time::Instant;

use orienteer_base::Range;
use orienteer_edit::{EditError, Moved};
use serde_json::{Value, json};

use super::check::Finding;
use crate::failure::Failure;
use crate::lease::{Heard, Lease};
use crate::live::{Live, Moment, Patience, Request, Stuck};
use crate::proposal::{self, Attempt};
use crate::quirk::pyright;
use crate::reading::needed;
use crate::ready::Needs;
use crate::workspace_edit::{Gathering, Proposed, Unusable};

const LIST: &str = "textDocument/codeAction";
const RESOLVE: &str = "codeAction/resolve";
const RUN: &str = "workspace/executeCommand";

/// Actions of one answer that are read.
const MOST: usize = 1_000;

/// Something a server offers to do.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    pub title: String,
    /// Such as `quickfix` or `source.organizeImports`.
    pub kind: Option<String>,
    pub preferred: bool,
    /// Why it cannot be done here.
    pub disabled: Option<String>,
    /// As it came: the server wants it back.
    raw: Value,
    /// Which process offered it, about which state of the files.
    generation: u64,
    epoch: u64,
}

impl Lease {
    /// What the server offers to do with a part of a file. It is told which of the findings are about that part.
    pub async fn code_actions(
        &self,
        file: &Path,
        range: Range,
        kinds: &[String],
        findings: &[Finding],
        patience: &Patience,
    ) -> Result<Heard<Vec<Action>>, Failure> {
        let about = findings.iter().filter(|finding| finding.path == file && meet(finding.range, range));
        let diagnostics: Vec<Value> = about.map(Finding::raw).collect();
        let mut context = json!({ "diagnostics": diagnostics, "triggerKind": 1 });
        if !kinds.is_empty() {
            context["only"] = json!(kinds);
        }
        let request = Request {
            method: LIST,
            needs: Needs::Project,
            file: Some(file),
            at: None,
            range: Some(range),
            extra: json!({ "context": context }),
        };
        self.with_live(patience, |live| {
            let request = &request;
            async move {
                let begun = Instant::now();
                let late = || live.late(LIST, begun.elapsed());
                let _turn = match &live.verdicts {
                    Some(verdicts) => Some(verdicts.turn(patience).await.ok_or_else(late)?),
                    None => None,
                };
                let (raw, mut reading, Moment { epoch, .. }) = live.ask_noting(request, patience).await?;
                let value = reading.value(&raw);
                let mut offered = reading.each(&value, |action, _| {
                    let is_titled = action["title"].is_string();
                    needed(is_titled.then(|| action.clone()))
                });
                if !offered.iter().any(|action| action["kind"] == pyright::ORGANIZE) {
                    offered.extend(pyright::organize_imports(&live, file));
                }
                reading.cut(offered.len().saturating_sub(MOST));
                Ok(reading.finish(&live, list(&offered, kinds, live.generation, epoch)))
            }
        })
        .await
    }

    /// What an action would change. It must be from a list about the files as they are now.
    pub async fn carry_out(
        &self,
        file: &Path,
        action: &Action,
        patience: &Patience,
    ) -> Result<Heard<Result<Proposed, EditError>>, Failure> {
        if let Some(why) = &action.disabled {
            let server = self.server_id().to_owned();
            return Err(Failure::Refused { server, method: LIST, code: 0, message: why.clone() });
        }
        self.with_live(patience, |live| async move {
            let live = &live;
            let stale = || EditError::Stale { files: vec![(file.to_path_buf(), Moved::Changed)] };
            let heard = proposal::settled(live, || async move {
                let (state, told) = live.barrier(&[file]).await?;
                let epoch = state.documents.epoch;
                drop(state);
                let mut seen = live.glance();
                seen.synced_files = told.files;
                let gathered = if (live.generation, epoch) == (action.generation, action.epoch) {
                    carry_out(live, action, patience).await?
                } else {
                    Err(stale())
                };
                Ok(Attempt { gathered, seen, epoch })
            });
            heard.await
        })
        .await
    }
}

/// What an action comes to: its edit, or what its command wants to change.
async fn carry_out(
    live: &Live,
    action: &Action,
    patience: &Patience,
) -> Result<Result<Gathering, EditError>, Stuck> {
    // A bare command, as servers offered before there were actions.
    if action.raw["command"].is_string() {
        return run(live, &action.raw, &action.title, patience).await;
    }
    let resolves = live.capabilities.options(LIST)["resolveProvider"] == json!(true);
    let resolved = if action.raw["edit"].is_null() && resolves {
        let pending = live.wire.request(RESOLVE, action.raw.clone());
        live.reply(RESOLVE, pending, patience).await?.value()
    } else {
        Value::Null
    };
    let part = |name: &str| match &resolved[name] {
        Value::Null => &action.raw[name],
        there => there,
    };
    let (edit, command) = (part("edit"), part("command"));
    if edit.is_null() && command.is_object() {
        return run(live, command, &action.title, patience).await;
    }
    if edit.is_null() {
        let message = format!("it does not say what `{}` would change", action.title);
        let server = live.definition.id.clone();
        return Err(Failure::Refused { server, method: RESOLVE, code: 0, message }.into());
    }
    Ok(proposal::gather(live, LIST, |gathering| {
        gathering.workspace_edit(edit)?;
        // It would run on files that do not have the edit yet. As a rule it is about the editor's window.
        if let Some(name) = command["command"].as_str().filter(|name| live.capabilities.runs(name)) {
            gathering.note(&format!("the command `{name}` that belongs to it is left out"));
        }
        Ok(())
    })?)
}

/// Runs a command and keeps what it wants to change.
async fn run(
    live: &Live,
    command: &Value,
    title: &str,
    patience: &Patience,
) -> Result<Result<Gathering, EditError>, Stuck> {
    let name = command["command"].as_str().unwrap_or_default();
    let refused = |message: String| Failure::Refused {
        server: live.definition.id.clone(),
        method: RUN,
        code: 0,
        message,
    };
    if !live.capabilities.runs(name) && !pyright::runs(live, name) {
        let message =
            format!("`{title}` is the command `{name}`, which runs in an editor and not in the server");
        return Err(refused(message).into());
    }
    let mut params = json!({ "command": name });
    if !command["arguments"].is_null() {
        params["arguments"] = command["arguments"].clone();
    }
    let armed = live.capture.arm().await;
    let pending = live.wire.request(RUN, params);
    let reply = live.reply(RUN, pending, patience).await;
    let wanted = armed.taken();
    drop(armed);
    // Some answer with the edit instead of asking for it.
    let answered = reply?.value();
    let is_edit = answered["changes"].is_object() || answered["documentChanges"].is_array();
    if wanted.is_empty() && !is_edit {
        return Err(refused(format!("the command `{name}` changes nothing by itself")).into());
    }
    Ok(proposal::gather(live, RUN, |gathering| {
        wanted.iter().try_for_each(|edit| gathering.workspace_edit(edit))?;
        if wanted.is_empty() { gathering.workspace_edit(&answered) } else { Ok::<_, Unusable>(()) }
    })?)
}

fn list(offered: &[Value], kinds: &[String], generation: u64, epoch: u64) -> Vec<Action> {
    let read = |raw: &Value| {
        let title = raw["title"].as_str()?.to_owned();
        let kind = raw["kind"].as_str().map(str::to_owned);
        let wanted = kinds.is_empty()
            || kind.as_deref().is_some_and(|kind| kinds.iter().any(|wanted| is_below(kind, wanted)));
        wanted.then(|| Action {
            title,
            kind,
            preferred: raw["isPreferred"].as_bool().unwrap_or(false),
            disabled: raw["disabled"].as_object().map(|disabled| {
                let reason = disabled.get("reason").and_then(Value::as_str);
                reason.unwrap_or("the server does not say why").to_owned()
            }),
            raw: raw.clone(),
            generation,
            epoch,
        })
    };
    offered.iter().filter_map(read).take(MOST).collect()
}

/// Whether a kind is another or one of those below it: `refactor` has `refactor.inline`, not `refactoring`.
fn is_below(kind: &str, wanted: &str) -> bool {
    let rest = kind.strip_prefix(wanted);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || wanted.is_empty())
}

/// Whether two ranges have a place in common; the end of one may be the beginning of the other.
fn meet(left: Range, right: Range) -> bool {
    left.start <= right.end && right.start <= left.end
}

#[cfg(test)]
mod tests {
    use orienteer_base::Position;

    use super::*;

    #[test]
    fn kinds_have_kinds_below_them() {
        assert!(is_below("refactor", "refactor") && is_below("refactor.inline", "refactor"));
        assert!(is_below("quickfix", ""));
        assert!(!is_below("refactoring", "refactor") && !is_below("refactor", "refactor.inline"));
    }

    #[test]
    fn ranges_that_touch_meet() {
        let range = |from, to| Range { start: Position::new(1, from), end: Position::new(1, to) };
        assert!(meet(range(1, 5), range(5, 6)) && meet(range(3, 3), range(1, 9)));
        assert!(!meet(range(1, 4), range(5, 6)));
    }

    #[test]
    fn actions_of_a_list() {
        let raw = [
            json!({ "title": "A", "kind": "quickfix.x", "isPreferred": true }),
            json!({ "title": "B", "command": "b" }),
            json!({ "title": "C", "kind": "source", "disabled": { "reason": "not now" } }),
            json!({ "title": "D", "kind": "source", "disabled": {} }),
        ];
        let titles = |kinds: &[&str]| {
            let kinds: Vec<String> = kinds.iter().map(|kind| (*kind).to_owned()).collect();
            list(&raw, &kinds, 1, 2).into_iter().map(|action| action.title).collect::<Vec<_>>()
        };
        assert_eq!(titles(&[]), ["A", "B", "C", "D"]);
        assert_eq!(titles(&["quickfix"]), ["A"]);
        let all = list(&raw, &[], 1, 2);
        assert!(all[0].preferred && all[0].disabled.is_none());
        assert_eq!(all[2].disabled.as_deref(), Some("not now"));
        assert_eq!(all[3].disabled.as_deref(), Some("the server does not say why"));
    }
}

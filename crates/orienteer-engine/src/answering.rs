//! From what a server said to an answer that says how far it can be trusted.

use std::path::Path;
use std::time::Duration;

use orienteer_base::answer::Warning;
use orienteer_base::{Answer, Cancel, Completeness, Freshness, Problem, Reason, Source};
use orienteer_lsp::{Failure, Lease, Patience, Seen};

use crate::Session;
use crate::blocking::{blocking, quick};
use crate::exposure::trust_command;
use crate::failure::{problem, without_server};
use crate::scenery::Scenery;

/// How soon a server that is still loading is worth asking again.
const ASK_AGAIN_MS: u64 = 3_000;

/// How much of an address that is none of a file is shown.
const MOST_OF_A_URI: usize = 200;

impl Session {
    pub(crate) fn patience(&self, wait: Option<Duration>, cancel: &Cancel) -> Patience {
        Patience::new(wait.unwrap_or(self.engine().wait), cancel)
    }

    /// The server for a file.
    pub(crate) async fn lease(&self, file: &Path) -> Result<Lease, Failure> {
        let lease = self.engine().fleet.lease(file).await?;
        match &lease.no_root {
            Some(looked_for) if self.is_exacting() => Err(Failure::NoProject {
                server: lease.server_id().to_owned(),
                language: lease.definition_of_server().language.clone(),
                path: file.display().to_string(),
                looked_for: looked_for.clone(),
            }),
            _ => Ok(lease),
        }
    }

    /// Work on files that blocks: previews, outlines.
    pub(crate) async fn paint<T: Send + 'static>(
        &self,
        cancel: &Cancel,
        work: impl FnOnce(&mut Scenery<'_>) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        blocking(cancel, self.painting(cancel, work)).await
    }

    /// The same for work on one or a few files; `at_hand`: they are in memory.
    pub(crate) async fn sketch<T: Send + 'static>(
        &self,
        cancel: &Cancel,
        at_hand: bool,
        work: impl FnOnce(&mut Scenery<'_>) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        quick(cancel, at_hand, self.painting(cancel, work)).await
    }

    fn painting<T>(
        &self,
        cancel: &Cancel,
        work: impl FnOnce(&mut Scenery<'_>) -> Result<T, Problem> + Send + 'static,
    ) -> impl FnOnce() -> Result<T, Problem> + Send + 'static {
        let (session, flag) = (self.clone(), cancel.clone());
        move || {
            let spec = session.spec();
            let mut scenery = Scenery::new(session.engine(), &spec, &flag);
            work(&mut scenery)
        }
    }
}

/// What surrounds an answer of a server.
pub(crate) fn trust(seen: &Seen) -> Completeness {
    if !seen.ready {
        return Completeness::Partial { reason: Reason::ServerIndexing, retry_after_ms: Some(ASK_AGAIN_MS) };
    }
    if seen.needs_trust.is_some() {
        return Completeness::partial(Reason::NeedsTrust);
    }
    if seen.unreadable > 0 {
        return Completeness::partial(Reason::UnreadableAnswer);
    }
    if seen.cut > 0 {
        return Completeness::partial(Reason::Capped);
    }
    if seen.complaint.is_some() {
        return Completeness::partial(Reason::ServerDegraded);
    }
    if seen.unlisted.is_some() {
        return Completeness::partial(Reason::NotChecked);
    }
    if !seen.not_files.is_empty() {
        return Completeness::partial(Reason::Unreadable);
    }
    Completeness::Complete
}

/// What a server named that is no file, in words.
pub(crate) fn not_files(server: &str, seen: &Seen) -> Option<String> {
    let first: String = seen.not_files.first()?.chars().take(MOST_OF_A_URI).collect();
    let more = match seen.not_files.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!("{server} names what is no file, so that no place in it can be shown: {first}{more}"))
}

/// What of a server's answer could not be read, in words.
pub(crate) fn unreadable(server: &str, count: usize) -> Option<Warning> {
    let parts = match count {
        0 => return None,
        1 => "1 part of its answer".to_owned(),
        count => format!("{count} parts of its answer"),
    };
    let message = format!(
        "{parts} could not be read or is about places that no file has, so something may be missing; if it stays so, restart {server} or try another version of it"
    );
    Some(Warning::new("unreadable_answer", format!("{server}: {message}")))
}

/// What is told of a server that answered more than is kept.
pub(crate) fn cut(server: &str, count: usize) -> Option<Warning> {
    let message = format!("{server} answered {count} more than are kept; ask for less at once");
    (count > 0).then(|| Warning::new("answer_cut", message))
}

/// Everything of an answer but its value.
pub(crate) fn frame(lease: &Lease, seen: &Seen, warnings: Vec<Warning>) -> Answer<()> {
    let mut answer = Answer::new((), trust(seen), Source::Lsp);
    answer.server_id = Some(lease.server_id().to_owned());
    answer.freshness =
        Freshness { generation: seen.generation, synced_files: seen.synced_files, waited_ms: seen.waited_ms };
    answer.warnings = warnings;
    if let Some(looked_for) = &lease.no_root {
        let message = format!(
            "no project was found around the file (looked for {}); the file's folder is used",
            looked_for.join(", ")
        );
        answer.warnings.push(Warning::new("no_project_root", message));
    }
    if !seen.ready {
        let doing = seen.busy_with.as_deref().unwrap_or("it is loading the project");
        let message = format!("{} was not ready: {doing}; ask again for the whole answer", lease.server_id());
        answer.warnings.push(Warning::new("server_not_ready", message));
    }
    if let Some(restriction) = lease.restriction_to_tell() {
        answer.warnings.push(Warning::new("restricted", format!("{restriction}; {}", trust_advice(lease))));
    }
    if let Some(why) = &seen.needs_trust {
        answer.warnings.push(Warning::new("needs_trust", format!("{why}; {}", trust_advice(lease))));
    }
    if let Some(complaint) = seen.complaint.as_ref().filter(|told| seen.needs_trust.as_ref() != Some(told)) {
        let message = format!("{}: {complaint}", lease.server_id());
        answer.warnings.push(Warning::new("server_degraded", message));
    }
    if let Some(why) = &seen.unlisted {
        answer.warnings.push(Warning::new("files_not_listed", format!("{}: {why}", lease.server_id())));
    }
    if let Some(message) = not_files(lease.server_id(), seen) {
        answer.warnings.push(Warning::new("not_a_file", message));
    }
    answer.warnings.extend(unreadable(lease.server_id(), seen.unreadable));
    answer.warnings.extend(cut(lease.server_id(), seen.cut));
    answer
}

/// How a project is trusted.
pub(crate) fn trust_advice(lease: &Lease) -> String {
    format!("`{}` and a new session let it", trust_command(lease.workspace()))
}

/// What surrounds an answer that two servers gave together.
pub(crate) fn of_both(mut first: Answer<()>, second: Answer<()>) -> Answer<()> {
    first.completeness = first.completeness.and(second.completeness);
    first.freshness = first.freshness.and(second.freshness);
    // None of several is the one that answered.
    first.server_id = first.server_id.filter(|id| second.server_id.as_ref() == Some(id));
    first.warnings.extend(second.warnings);
    first
}

/// An answer made by text or grammar because the server gave none.
pub(crate) fn instead<T>(value: T, failure: Failure, warnings: Vec<Warning>) -> Answer<T> {
    let completeness = without_server(&failure);
    let mut answer = Answer::new(value, completeness, Source::Text);
    answer.warnings = warnings;
    let state = problem(failure);
    let mut message = format!("{}; found by text and grammar instead", state.message);
    if let Some((_, hint)) = state.facts.iter().find(|(name, _)| *name == "install_hint")
        && let orienteer_base::Fact::Text(hint) = hint
    {
        message.push_str(&format!("; install it with: {hint}"));
    }
    answer.warnings.push(Warning::new("no_language_server", message));
    answer.instead_of = Some(Box::new(state));
    answer
}

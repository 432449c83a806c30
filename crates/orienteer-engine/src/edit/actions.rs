//! What does a server offer to do here, and what would one of its offers change?
//!
//! An offer is named by the text it is about. When it is taken up the server is asked once more about the same text, so
//! that what it proposes is about the files as they are then.

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use orienteer_base::answer::Warning;
use orienteer_base::edit::{ActionPlace, ActionRow, Actions, ActionsQuery, Planned};
use orienteer_base::error::cut;
use orienteer_base::path::leads_elsewhere;
use orienteer_base::sha256::Sha256;
use orienteer_base::{
    Answer, Cancel, Completeness, Digest, ErrorKind, Position, Problem, Range, Reason, RootedPath,
};
use orienteer_edit::{EditError, Moved};
use orienteer_lsp::command::Action;
use orienteer_lsp::command::check::Finding;
use orienteer_lsp::{Failure, Lease, Patience};

use super::require_whole;
use crate::Session;
use crate::answering::{frame, of_both};
use crate::failure::problem;

/// Offers that can be taken up; the oldest goes first.
const MOST: usize = 1_000;

/// A file that cannot be hashed within this is not changed.
const LARGEST: u64 = 32 << 20;

/// Something a server offered, as far as it takes to find it again.
#[derive(Debug, Clone)]
struct Offer {
    id: String,
    root: PathBuf,
    /// Which server made it.
    server: String,
    place: Place,
    kinds: Vec<String>,
    title: String,
    kind: Option<String>,
    /// Which one, where a server offers several of the same words.
    nth: usize,
}

/// A part of a text.
#[derive(Debug, Clone)]
struct Place {
    file: RootedPath,
    text: Digest,
    range: Range,
}

/// What was offered, in the order of time.
#[derive(Debug, Default)]
pub(crate) struct Offered {
    secret: RandomState,
    offers: Mutex<VecDeque<Offer>>,
}

/// What a server said about a place.
struct Asked {
    lease: Lease,
    actions: Vec<Action>,
    answer: Answer<()>,
    whole: Result<(), Problem>,
}

/// Why not everything that is wrong with a file is known.
enum Pending {
    /// More time would help.
    Late(String),
    PassedOver(String),
}

impl Session {
    /// What servers offer to do at a place; or, by the id of an offer, what it would change.
    pub async fn code_actions(
        &self,
        query: ActionsQuery,
        cancel: &Cancel,
    ) -> Result<Answer<Actions>, Problem> {
        self.may_write()?;
        let patience = self.patience(query.wait, cancel);
        if let Some(id) = &query.action_id {
            return self.take_up(id, &query, &patience, cancel).await;
        }
        let (place, warnings) = self.part_of(&query.place, cancel).await?;
        let mut rows = Vec::new();
        let mut answer: Option<Answer<()>> = None;
        for asked in self.offers_at(&place, &query.kinds, None, &patience, cancel).await? {
            let (root, server) = (self.roots().workspace(), asked.lease.server_id());
            let offered = &self.engine().edits.offered;
            rows.extend(offered.list(root, server, &place, &query.kinds, &asked.actions));
            answer = Some(match answer {
                Some(before) => of_both(before, asked.answer),
                None => asked.answer,
            });
        }
        let mut answer = answer.ok_or_else(|| Problem::new(ErrorKind::InternalError, "nobody was asked"))?;
        answer.warnings.extend(warnings);
        Ok(answer.map(|()| Actions::List(rows)))
    }

    async fn take_up(
        &self,
        id: &str,
        query: &ActionsQuery,
        patience: &Patience,
        cancel: &Cancel,
    ) -> Result<Answer<Actions>, Problem> {
        let offer = self.engine().edits.offered.find(self.roots().workspace(), id)?;
        let file = offer.place.file.absolute().to_path_buf();
        let stale = || {
            let files = vec![(file.clone(), Moved::Changed)];
            EditError::Stale { files }.problem(self.roots()).field("action_id").detail("stale_action")
        };
        if self.text_of(&offer.place.file, cancel).await.ok() != Some(offer.place.text) {
            return Err(stale());
        }
        let gone = || {
            let message =
                format!("`{}` is not offered any more; ask for the actions again", cut(&offer.title));
            Problem::new(ErrorKind::StalePlan, message).field("action_id").detail("stale_action")
        };
        let asked = self.offers_at(&offer.place, &offer.kinds, Some(&offer.server), patience, cancel).await?;
        let asked = asked.into_iter().next().ok_or_else(gone)?;
        asked.whole?;
        let same = |action: &&Action| action.title == offer.title && action.kind == offer.kind;
        let action = asked.actions.iter().filter(same).nth(offer.nth).ok_or_else(gone)?;
        if let Some(why) = &action.disabled {
            let message = format!("`{}` cannot be done here: {}", cut(&offer.title), cut(why));
            return Err(Problem::new(ErrorKind::Unsupported, message)
                .field("action_id")
                .detail("action_disabled"));
        }
        let heard = match asked.lease.carry_out(&file, action, patience).await {
            // What an action lacks to be carried out is told in its own words.
            Err(Failure::Refused { server, code: 0, message, .. }) => {
                return Err(Problem::new(ErrorKind::Unsupported, message)
                    .field("action_id")
                    .detail("action_without_edit")
                    .fact("server_id", server));
            }
            other => other.map_err(problem)?,
        };
        let proposed = heard.value.map_err(|error| error.problem(self.roots()))?;
        let mut answer = frame(&asked.lease, &heard.seen, Vec::new());
        answer.completeness = Completeness::Complete;
        answer
            .warnings
            .extend(proposed.notes.into_iter().map(|note| Warning::new("needs_confirmation", note)));
        let planned: Planned = self.propose(proposed.plan, cut(&offer.title), query.carry, cancel).await?;
        Ok(answer.map(|()| Actions::Planned(Box::new(planned))))
    }

    /// Asks the server of a file, and the linters beside it, about a part of it; or only one of them. One that fails is
    /// told of in the answer of another.
    async fn offers_at(
        &self,
        place: &Place,
        kinds: &[String],
        only: Option<&str>,
        patience: &Patience,
        cancel: &Cancel,
    ) -> Result<Vec<Asked>, Problem> {
        let file = place.file.absolute().to_path_buf();
        let (mut asked, mut failures) = (Vec::new(), Vec::new());
        for lease in self.checkers_of(&file).await {
            let answered = match lease {
                Ok(lease) if only.is_some_and(|only| only != lease.server_id()) => continue,
                Ok(lease) => self.offers_of(lease, place, kinds, patience, cancel).await,
                Err(failure) if only.is_some_and(|only| failure.server_id().is_some_and(|id| id != only)) => {
                    continue;
                }
                Err(failure) => Err(problem(failure)),
            };
            match answered {
                Ok(answered) => asked.push(answered),
                Err(cancelled) if cancelled.kind == ErrorKind::Cancelled => return Err(cancelled),
                Err(failure) => failures.push(failure),
            }
        }
        let Some(first) = asked.first_mut() else {
            return failures.into_iter().next().map_or(Ok(asked), Err);
        };
        for failure in failures.into_iter().filter(|failure| failure.kind != ErrorKind::Unsupported) {
            let missing = Completeness::partial(Reason::ServerUnavailable);
            first.answer.completeness = first.answer.completeness.and(missing);
            first.answer.warnings.push(Warning::new("no_language_server", failure.message));
        }
        Ok(asked)
    }

    async fn offers_of(
        &self,
        lease: Lease,
        place: &Place,
        kinds: &[String],
        patience: &Patience,
        cancel: &Cancel,
    ) -> Result<Asked, Problem> {
        let file = place.file.absolute().to_path_buf();
        if !lease.supports("textDocument/codeAction", patience).await.map_err(problem)? {
            let (server, method) = (lease.server_id().to_owned(), "textDocument/codeAction");
            return Err(problem(Failure::Unsupported { server, method }));
        }
        let (findings, pending) = self.findings_in(&lease, &file, patience, cancel).await?;
        let heard =
            lease.code_actions(&file, place.range, kinds, &findings, patience).await.map_err(problem)?;
        let mut answer = frame(&lease, &heard.seen, Vec::new());
        match pending {
            None => {}
            Some(Pending::Late(why)) => {
                let message =
                    format!("what is wrong with the file is not known yet, so fixes may be missing: {why}");
                answer.warnings.push(Warning::new("diagnostics_pending", message));
                let late = Completeness::Partial { reason: Reason::Timeout, retry_after_ms: Some(2_000) };
                answer.completeness = answer.completeness.and(late);
            }
            Some(Pending::PassedOver(why)) => {
                let message = format!(
                    "{} does not say what is wrong with the file, so fixes may be missing: {why}",
                    lease.server_id()
                );
                answer.warnings.push(Warning::new("not_checked", message));
                answer.completeness = answer.completeness.and(Completeness::partial(Reason::NotChecked));
            }
        }
        Ok(Asked { whole: require_whole(&lease, &heard.seen), actions: heard.value, answer, lease })
    }

    /// What the server finds wrong with a file, and why that may not be all.
    async fn findings_in(
        &self,
        lease: &Lease,
        file: &Path,
        patience: &Patience,
        cancel: &Cancel,
    ) -> Result<(Vec<Finding>, Option<Pending>), Problem> {
        // The list itself needs some of the time, too.
        let left = patience.ready_by.saturating_duration_since(std::time::Instant::now());
        let half = Patience::new((left / 2).max(Duration::from_millis(1)), cancel);
        let checked = match lease.check(&[file.to_path_buf()], &half).await {
            Ok(heard) => heard.value,
            Err(Failure::Cancelled) => return Err(problem(Failure::Cancelled)),
            Err(failure) => return Ok((Vec::new(), Some(Pending::Late(failure.to_string())))),
        };
        let late = || Pending::Late(format!("{} has not finished", lease.server_id()));
        let undone = checked.files.iter().find(|file| !file.done);
        let pending = undone.map(|file| file.passed_over.clone().map_or_else(late, Pending::PassedOver));
        Ok((checked.files.into_iter().flat_map(|file| file.findings).collect(), pending))
    }

    /// The part of a file that is meant.
    async fn part_of(&self, place: &ActionPlace, cancel: &Cancel) -> Result<(Place, Vec<Warning>), Problem> {
        let (file, range, warnings) = match place {
            ActionPlace::Target(target) => {
                let pinned = self.pin(target, cancel).await?;
                let range = Range { start: pinned.position, end: pinned.position };
                (pinned.file, range, pinned.warnings)
            }
            ActionPlace::Range { file, .. } => {
                (file.clone(), self.checked_range(place, cancel).await?, Vec::new())
            }
        };
        let text = self.text_of(&file, cancel).await?;
        Ok((Place { file, text, range }, warnings))
    }

    async fn checked_range(&self, place: &ActionPlace, cancel: &Cancel) -> Result<Range, Problem> {
        let ActionPlace::Range { file, start_line, start_column, end_line, end_column } = place.clone()
        else {
            return Err(Problem::new(ErrorKind::InternalError, "a range was expected"));
        };
        let (session, flag) = (self.clone(), cancel.clone());
        self.sketch(cancel, false, move |_| {
            let text = session.outlined(file.absolute(), &flag)?.text;
            let lines = u32::try_from(text.lines.line_count()).unwrap_or(u32::MAX);
            // A whole file is asked about without knowing how long it is.
            let end_line = if end_line == u32::MAX { lines } else { end_line };
            let length = |field: &'static str, line: u32| {
                let length = text.line(line).map(|line| line.chars().count());
                let missing = || {
                    let message = format!("`{}` has {lines} lines; there is no line {line}", file.shown());
                    Problem::invalid(field, "no_such_line", message)
                };
                length.map(|length| u32::try_from(length).unwrap_or(u32::MAX)).ok_or_else(missing)
            };
            let column = |field: &'static str, line: u32, column: u32, length: u32| {
                if column <= length.saturating_add(1) {
                    return Ok(Position::new(line, column));
                }
                let message = format!(
                    "line {line} of `{}` has {length} characters; there is no column {column}",
                    file.shown()
                );
                Err(Problem::invalid(field, "no_such_column", message))
            };
            let (first, last) = (length("start_line", start_line)?, length("end_line", end_line)?);
            let start = column("start_column", start_line, start_column.unwrap_or(1), first)?;
            let end = column("end_column", end_line, end_column.unwrap_or(last + 1), last)?;
            if end < start {
                let message =
                    "the range ends before it begins: `end_line` and `end_column` come behind the start";
                return Err(Problem::invalid("end_line", "contradiction", message));
            }
            Ok(Range { start, end })
        })
        .await
    }

    /// What names the text of a file.
    async fn text_of(&self, file: &RootedPath, cancel: &Cancel) -> Result<Digest, Problem> {
        let (file, spec, flag) = (file.clone(), self.spec(), cancel.clone());
        self.sketch(cancel, false, move |_| {
            let unreadable = |error: &dyn std::fmt::Display| {
                let message = format!("`{}` cannot be read: {error}", file.shown());
                Problem::new(ErrorKind::NotFound, message).detail("unreadable").field("file_path")
            };
            let mut opened = spec.roots.open(file.absolute()).map_err(|error| {
                if !leads_elsewhere(&error) {
                    return unreadable(&error);
                }
                let message =
                    format!("`{}` is outside the allowed roots: it may be read, not changed", file.shown());
                Problem::new(ErrorKind::PathNotAllowed, message).detail("outside_roots")
            })?;
            Digest::of(&mut opened, LARGEST, &flag).map_err(|error| unreadable(&error))
        })
        .await
    }
}

impl Offered {
    /// Names what a server offers and keeps it.
    fn list(
        &self,
        root: &Path,
        server: &str,
        place: &Place,
        kinds: &[String],
        actions: &[Action],
    ) -> Vec<ActionRow> {
        let mut offers = self.offers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rows: Vec<ActionRow> = Vec::new();
        for action in actions {
            let same = |row: &&ActionRow| row.title == action.title && row.kind == action.kind;
            let nth = rows.iter().filter(same).count();
            let mut offer = Offer {
                id: String::new(),
                root: root.to_path_buf(),
                server: server.to_owned(),
                place: place.clone(),
                kinds: kinds.to_vec(),
                title: action.title.clone(),
                kind: action.kind.clone(),
                nth,
            };
            offer.id = self.name(&offer);
            rows.push(ActionRow {
                action_id: offer.id.clone(),
                title: action.title.clone(),
                kind: action.kind.clone(),
                preferred: action.preferred,
                disabled: action.disabled.clone(),
            });
            offers.retain(|known| known.id != offer.id);
            if offers.len() >= MOST {
                offers.pop_front();
            }
            offers.push_back(offer);
        }
        rows
    }

    /// The same for the same offer about the same text, as long as the process lives.
    fn name(&self, offer: &Offer) -> String {
        let mut sum = Sha256::new();
        let mut add = |bytes: &[u8]| {
            sum.update(&bytes.len().to_le_bytes());
            sum.update(bytes);
        };
        add(&self.secret.hash_one(0_u8).to_le_bytes());
        add(offer.root.as_os_str().as_encoded_bytes());
        add(offer.server.as_bytes());
        add(offer.place.file.absolute().as_os_str().as_encoded_bytes());
        add(&offer.place.text.0);
        let Range { start, end } = offer.place.range;
        for number in [start.line, start.column, end.line, end.column] {
            add(&number.to_le_bytes());
        }
        offer.kinds.iter().for_each(|kind| add(kind.as_bytes()));
        add(offer.title.as_bytes());
        add(offer.kind.as_deref().unwrap_or_default().as_bytes());
        add(&offer.nth.to_le_bytes());
        let digest: String = sum.finish().to_string().chars().take(16).collect();
        format!("action-{digest}")
    }

    fn find(&self, root: &Path, id: &str) -> Result<Offer, Problem> {
        let offers = self.offers.lock().unwrap_or_else(PoisonError::into_inner);
        let found = offers.iter().find(|offer| offer.root == root && offer.id == id).cloned();
        found.ok_or_else(|| {
            let message = format!("no action `{}` was offered; ask for the actions again", cut(id));
            Problem::new(ErrorKind::NotFound, message).field("action_id").detail("no_such_action")
        })
    }
}

//! What is wrong with files: pulled, published and compiled, joined.
//!
//! A file is done when its checker has spoken about the text that is on disk. Silence is `Pending`, never clean.

mod findings;
mod word;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use orienteer_base::Range;
use orienteer_base::code::Severity;
use serde_json::{Value, json};

use crate::definition::Reporting;
use crate::failure::Failure;
use crate::items::Items;
use crate::lease::{Heard, Lease};
use crate::live::{Live, Patience, Request, Seen, Stuck};
use crate::quirk::{self, eslint};
use crate::reading::{Reading, needed};
use crate::ready::Needs;
use findings::Findings;
use word::{Pulled, Word, beside, published, pull};

/// Files that are open and checked at one time.
const TOGETHER: usize = 48;

/// How long a compiler run may take to begin after it was asked for.
const BEGINS_WITHIN: Duration = Duration::from_secs(4);

/// How long a server may take to say what its compiler has found, once that has ended.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How long files that are checked together may take where nobody wants to wait: what is known already is told.
const AT_LEAST: Duration = Duration::from_millis(200);

/// One finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    pub path: PathBuf,
    pub range: Range,
    pub severity: Severity,
    pub code: Option<String>,
    pub message: String,
    pub source: Option<String>,
    pub related: Vec<(PathBuf, Range, String)>,
    /// What the server wants back when it is asked for fixes, as it came.
    raw: Arc<str>,
}

impl Finding {
    /// As the server knows it.
    pub(super) fn raw(&self) -> Value {
        serde_json::from_str(&self.raw).unwrap_or_default()
    }

    /// A compiler said it, which reads the disk.
    fn is_compilers(&self) -> bool {
        matches!(self.source.as_deref(), Some("rustc" | "clippy"))
    }
}

/// What is known of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct FileCheck {
    pub path: PathBuf,
    /// The checkers have spoken about the text that is on disk.
    pub done: bool,
    pub findings: Vec<Finding>,
    /// Why the server did not look at it, in its own words.
    pub passed_over: Option<String>,
    /// Why there is nothing to be found in it: the server's configuration leaves it out.
    pub left_out: Option<String>,
}

impl FileCheck {
    /// What was not told as a whole is not done.
    fn unless_passed_over(mut self) -> Self {
        self.done &= self.passed_over.is_none();
        self
    }

    fn unfinished(file: &Path) -> Self {
        let path = file.to_path_buf();
        Self { path, done: false, findings: Vec::new(), passed_over: None, left_out: None }
    }
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Checked {
    pub files: Vec<FileCheck>,
    /// Findings in files that were not asked about, from a run over the whole project.
    pub elsewhere: Vec<Finding>,
    /// Why those are not all.
    pub lacking_elsewhere: Option<String>,
    /// The compiler run, where the server has one, has finished.
    pub compiled: Option<bool>,
}

/// Whose word is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Voices {
    All,
    /// The server's own, from the texts that it was told: compilers read the disk.
    Native,
}

impl Lease {
    /// Checks files, and the whole project where the server compiles it.
    pub async fn check(&self, files: &[PathBuf], patience: &Patience) -> Result<Heard<Checked>, Failure> {
        self.with_live(patience, |live| async move { check(&live, files, Voices::All, patience).await }).await
    }

    /// The titles of quick fixes for a finding.
    pub async fn fixes(&self, finding: &Finding, patience: &Patience) -> Result<Vec<String>, Failure> {
        let raw = finding.raw();
        let extra = json!({
            "range": raw["range"],
            "context": { "diagnostics": [raw], "only": ["quickfix"], "triggerKind": 1 },
        });
        let request = Request {
            method: "textDocument/codeAction",
            needs: Needs::File,
            file: Some(&finding.path),
            at: None,
            range: None,
            extra,
        };
        let heard = self.ask(&request, patience, |_, raw, reading| {
            let value = reading.value(raw);
            titles(&value, reading)
        });
        let heard = heard.await?;
        Ok(heard.value)
    }
}

fn titles(value: &Value, reading: &mut Reading) -> Vec<String> {
    let fix = |action: &Value| action["kind"].as_str().is_none_or(|kind| kind.starts_with("quickfix"));
    let read = |action: &Value, _: &mut Reading| {
        let title = needed(action["title"].as_str())?;
        Ok(fix(action).then(|| title.to_owned()))
    };
    let mut titles: Vec<String> = reading.each(value, read).into_iter().flatten().collect();
    titles.dedup();
    titles.truncate(10);
    titles
}

/// Why a file has not been looked at as the compiler does.
const NOT_COMPILED: &str =
    "`cargo check` was not run, because it runs the project's build scripts and procedural macros";

pub(crate) async fn check(
    live: &Live,
    files: &[PathBuf],
    voices: Voices,
    patience: &Patience,
) -> Result<Heard<Checked>, Stuck> {
    let begun = Instant::now();
    let mut checked = Checked::default();
    let mut seen = Seen { generation: live.generation, ready: true, ..Seen::default() };
    let first: Vec<&Path> = files.iter().take(TOGETHER).map(PathBuf::as_path).collect();
    let (state, told) = live.barrier(&first).await?;
    drop(state);
    seen.synced_files += told.files;
    let absorbed = live.absorb(patience).await?;
    seen.ready = live.wait_ready(Needs::Project, patience).await? && absorbed;
    seen.waited_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let compiles = live.compiles();
    if compiles && voices == Voices::All {
        checked.compiled = Some(compile(live, patience).await?);
    }
    let mut silent = false;
    let mut reader = Findings::new(live);
    for together in files.chunks(TOGETHER) {
        if silent {
            checked.files.extend(together.iter().map(|file| FileCheck::unfinished(file)));
            continue;
        }
        let paths: Vec<&Path> = together.iter().map(PathBuf::as_path).collect();
        let (state, told) = live.barrier(&paths).await?;
        drop(state);
        seen.synced_files += told.files;
        let patience = &patience.at_least(AT_LEAST);
        let mut several = several(live, together, checked.compiled, voices, &mut reader, patience).await?;
        if compiles && voices == Voices::Native {
            several.iter_mut().for_each(|file| file.findings.retain(|finding| !finding.is_compilers()));
        }
        // Nobody waits for others after a silence that used up the time.
        silent = patience.is_over() && !several.iter().any(|file| file.done);
        checked.files.extend(several);
        patience.cancel.advance(together.len() as u64);
    }
    // It says so beside its first word, which is an empty list.
    for file in &mut checked.files {
        // A failure of before was about another text unless this one has been looked at.
        let why = live.silence.why(&file.path);
        if let Some(why) = why.filter(|_| file.done || live.silence.is_mute()) {
            (file.done, file.passed_over) = (false, Some(why));
        }
    }
    if live.is_restricted && voices == Voices::All {
        for file in checked.files.iter_mut().filter(|file| file.done) {
            leave_out_guesses(&mut file.findings);
            (file.done, file.passed_over) = (false, Some(NOT_COMPILED.to_owned()));
        }
        seen.needs_trust = Some(NOT_COMPILED.to_owned());
    }
    if voices == Voices::All && (compiles || files.is_empty()) {
        let asked = |path: &Path| files.iter().any(|file| file == path);
        for (path, publish) in live.published.all() {
            if !asked(&path) {
                let (findings, why) = reader.read(&path, &publish.items);
                checked.elsewhere.extend(tidy(findings));
                checked.lacking_elsewhere = checked.lacking_elsewhere.take().or(why);
            }
        }
        reader.cut += live.published.forgotten();
    }
    seen.unreadable += reader.unreadable;
    seen.cut += reader.cut;
    seen.complaint =
        live.complaint().or_else(|| checked.files.iter().find_map(|file| file.passed_over.clone()));
    if !seen.ready {
        seen.busy_with = live.ready.activity().map(|activity| activity.to_string());
    }
    Ok(Heard { value: checked, seen })
}

/// Of a file with a macro that was not expanded only what is wrong with its syntax is certain: the rest is about what the
/// macro would have made.
fn leave_out_guesses(findings: &mut Vec<Finding>) {
    let is_unexpanded = |finding: &Finding| {
        finding.code.as_deref() == Some("macro-error") && finding.message.contains("expansion is disabled")
    };
    if findings.iter().any(is_unexpanded) {
        findings.retain(|finding| finding.code.as_deref() == Some("syntax-error"));
    }
}

/// Runs the server's compiler over the project, unless it has seen this state already.
async fn compile(live: &Live, patience: &Patience) -> Result<bool, Stuck> {
    let (state, _) = live.barrier(&[]).await?;
    let epoch = state.documents.epoch;
    let fresh = state.checked_epoch == Some(epoch);
    drop(state);
    if fresh {
        return Ok(true);
    }
    let mut ticks = live.ready.ticks();
    // A run that is going on may have read older files: one that begins from now on has not.
    let (begun_before, _) = live.ready.checks();
    live.wire.notify("rust-analyzer/runFlycheck", json!({ "textDocument": null }));
    let must_begin = Instant::now() + BEGINS_WITHIN;
    loop {
        let (begun, ended) = live.ready.checks();
        // Several projects in one server are compiled one after the other.
        if ended > begun_before && begun == ended {
            break;
        }
        let now = Instant::now();
        if now >= patience.ready_by || (begun == begun_before && now >= must_begin) {
            return Ok(false);
        }
        patience.cancel.say(format!("{}: compiling", live.definition.id));
        let next = patience.ready_by.min(if begun == begun_before { must_begin } else { patience.ready_by });
        tokio::select! {
            _ = ticks.changed() => {}
            () = tokio::time::sleep_until(next.into()) => {}
            () = live.wire.closed().cancelled() => return Err(Stuck::Gone),
        }
    }
    // The last findings come right behind the end of the run: a round trip lets them pass.
    if !fence(live, &patience.at_least(LAST_WORDS)).await? {
        return Ok(false);
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    // It says so here when the compiler could not be started at all.
    if live.ready.remark().is_some_and(|remark| remark.contains("check")) {
        return Ok(false);
    }
    let mut state = live.state.lock().await;
    if state.documents.epoch == epoch {
        state.checked_epoch = Some(epoch);
    }
    Ok(true)
}

/// Sends something small and waits for its answer: whatever the server had to say before is here then, if it answered.
async fn fence(live: &Live, patience: &Patience) -> Result<bool, Stuck> {
    let pending = live.wire.request("workspace/symbol", json!({ "query": "\u{1}" }));
    match live.reply_in_time("workspace/symbol", pending, patience).await {
        Some(Err(Stuck::Gone)) => Err(Stuck::Gone),
        Some(Err(Stuck::Failed(Failure::Cancelled))) => Err(Failure::Cancelled.into()),
        None | Some(Err(Stuck::Failed(Failure::Timeout { .. }))) => Ok(false),
        Some(_) => Ok(true),
    }
}

async fn several(
    live: &Live,
    files: &[PathBuf],
    compiled: Option<bool>,
    voices: Voices,
    reader: &mut Findings<'_>,
    patience: &Patience,
) -> Result<Vec<FileCheck>, Stuck> {
    let pulls =
        live.definition.reporting != Reporting::Never && live.capabilities.has("textDocument/diagnostic");
    let mut checks = Vec::new();
    if pulls {
        // All at once: the server answers them in its own order.
        let asked: Vec<_> = files.iter().map(|file| pull(live, file, patience)).collect();
        for (file, pulled) in files.iter().zip(futures::future::join_all(asked).await) {
            let mut findings = Vec::new();
            let mut done = compiled != Some(false);
            let (mut passed_over, mut left_out) = (None, None);
            match pulled? {
                Pulled::Items(items) if live.verdicts.is_some() && eslint::left_out(&items).is_some() => {
                    left_out = eslint::left_out(&items);
                }
                Pulled::Items(items) => (findings, passed_over) = reader.read(file, &items),
                Pulled::Late => done = false,
                Pulled::PassedOver(why) => {
                    done = false;
                    passed_over = Some(why);
                }
            }
            let compiles = live.compiles();
            let said = match (compiled, voices) {
                (Some(true), _) => live.published.of(file),
                (_, Voices::Native) if compiles => None,
                _ => beside(live, file, patience).await,
            };
            if let Some(publish) = said {
                let (more, why) = reader.read(file, &publish.items);
                findings.extend(more);
                passed_over = passed_over.or(why);
            }
            let check =
                FileCheck { path: file.clone(), done, findings: tidy(findings), passed_over, left_out };
            checks.push(check.unless_passed_over());
        }
        return Ok(checks);
    }
    if live.definition.reporting == Reporting::Saved {
        return saved(live, files, reader, patience).await;
    }
    for file in files {
        let silent = live.definition.reporting == Reporting::Never;
        let items = if silent || quirk::typescript::is_clean(live, file, patience).await? {
            Some(Items::default())
        } else {
            match published(live, file, patience, false).await? {
                Word::Said(items) => Some(items),
                Word::Nothing => None,
                Word::MayBeAsked => match pull(live, file, patience).await? {
                    Pulled::Items(items) => Some(items),
                    Pulled::Late | Pulled::PassedOver(_) => None,
                },
            }
        };
        // What an older version of it publishes does not say whether it has looked at the file.
        let too_old = live.verdicts.is_some().then(|| "it is too old to be asked about a file".to_owned());
        let done = items.is_some() && compiled != Some(false) && too_old.is_none();
        // What was said about an older text is not repeated.
        let (findings, why) = items.map(|items| reader.read(file, &items)).unwrap_or_default();
        let (path, findings, passed_over) = (file.clone(), tidy(findings), too_old.or(why));
        let check = FileCheck { path, done, findings, passed_over, left_out: None };
        checks.push(check.unless_passed_over());
    }
    Ok(checks)
}

/// Asks for the word of a server that speaks when a file is saved, and does everything in the order in which it is told:
/// what it says between two of its answers is about the texts that it was told before.
async fn saved(
    live: &Live,
    files: &[PathBuf],
    reader: &mut Findings<'_>,
    patience: &Patience,
) -> Result<Vec<FileCheck>, Stuck> {
    if !fence(live, patience).await? {
        return Ok(files.iter().map(|file| FileCheck::unfinished(file)).collect());
    }
    let before = live.published.number();
    let mut state = live.state.lock().await;
    for file in files {
        state.documents.save(file, &live.reach());
    }
    drop(state);
    let heard = fence(live, patience).await?;
    let check = |file: &PathBuf| {
        let said = live.published.of(file).filter(|publish| heard && publish.number > before);
        let done = said.is_some();
        let (findings, passed_over) =
            said.map(|publish| reader.read(file, &publish.items)).unwrap_or_default();
        FileCheck { path: file.clone(), done, findings: tidy(findings), passed_over, left_out: None }
            .unless_passed_over()
    };
    Ok(files.iter().map(check).collect())
}

/// In order, each once: pulled and published findings overlap.
fn tidy(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by(|left, right| {
        let key = |finding: &Finding| {
            (
                finding.range,
                finding.severity,
                finding.code.clone(),
                finding.message.clone(),
                finding.source.clone(),
            )
        };
        key(left).cmp(&key(right))
    });
    findings.dedup_by(|left, right| {
        (left.range, left.severity, &left.code, &left.message)
            == (right.range, right.severity, &right.code, &right.message)
    });
    let compiled: HashSet<(Range, Option<String>)> = findings
        .iter()
        .filter(|finding| finding.source.as_deref() == Some("rustc"))
        .map(|finding| (finding.range, finding.code.clone()))
        .collect();
    findings.retain(|finding| match finding.source.as_deref() {
        // The compiler says the same in its own words.
        Some("rust-analyzer") => !compiled.contains(&(finding.range, finding.code.clone())),
        // Each note of a finding comes once more on its own, pointing back.
        Some("rustc") => {
            !(finding.severity == Severity::Hint
                && finding.related.iter().any(|(_, _, message)| message == "original diagnostic"))
        }
        _ => true,
    });
    findings
}

//! When is a server ready, and for which kind of question?
//!
//! A cold server answers quickly and wrongly. Hover, definition and outline need the file; references,
//! implementations, hierarchies and workspace symbols need the project. Each server shows readiness in its own
//! way, which `servers.toml` names; this module watches for it. There are no fixed sleeps: only quiet moments
//! after something that was seen.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::watch;

use crate::definition::{Definition, Readiness};

/// What a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    File,
    Project,
}

/// How long a server that shows progress may take to begin after it was given its first file. One that begins
/// nothing in that time has nothing to do.
const BEGINS_WITHIN: Duration = Duration::from_millis(1_200);

/// How long a server that lists its files may take to list them again after it was told of a new one. One that says
/// nothing in that time does not count the file.
const SAYS_WITHIN: Duration = Duration::from_secs(4);

/// What a server says of a document so long after it was told of it has another cause.
const PROMPT: Duration = Duration::from_secs(5);

/// How long nothing may be going on before a server that shows progress counts as settled: the next piece of
/// work begins right after the last one.
const QUIET: Duration = Duration::from_millis(150);

/// What a server is doing, for people.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Activity {
    pub(crate) title: String,
    pub(crate) percent: Option<u32>,
}

impl std::fmt::Display for Activity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.percent {
            Some(percent) => write!(f, "{} ({percent}%)", self.title),
            None => f.write_str(&self.title),
        }
    }
}

#[derive(Debug, Default)]
struct State {
    /// Work that has begun and not ended.
    running: HashMap<String, Activity>,
    /// Something has begun since the server was started.
    begun: bool,
    /// When the last piece of work ended.
    quiet_since: Option<Instant>,
    /// When the first document was opened.
    opened: Option<Instant>,
    /// What the server said last with `experimental/serverStatus`.
    quiescent: Option<bool>,
    status_message: Option<String>,
    unhealthy: bool,
    /// Not as well as it could be.
    unwell: bool,
    /// What it said in an error message about the project.
    complaint: Option<String>,
    /// One of the messages that mean readiness was logged.
    said: bool,
    /// Since when it is expected again. It is not when the new file is none of its own.
    expected: Option<Instant>,
    /// When it last did or said something by which one can tell that it has taken in something about the project.
    stirred: Option<Instant>,
    /// When it was told of documents, lately.
    told: HashMap<PathBuf, Instant>,
    /// Tokens of compiler runs that have ended, counted.
    checks_begun: u64,
    checks_ended: u64,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Ready {
    file: Readiness,
    project: Readiness,
    messages: Vec<String>,
    complaints: Vec<String>,
    slow_to_look: bool,
    counts_files: bool,
    watches_nothing: bool,
    state: Mutex<State>,
    /// Counts changes of the state.
    ticks: watch::Sender<u64>,
}

impl Ready {
    pub(crate) fn new(definition: &Definition) -> Self {
        Self {
            file: definition.ready_file,
            project: definition.ready_project,
            messages: definition.ready_messages.clone(),
            complaints: definition.complaints.clone(),
            slow_to_look: definition.is("clangd"),
            counts_files: definition.lists_files,
            watches_nothing: definition.watches_nothing,
            state: Mutex::default(),
            ticks: watch::channel(0).0,
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.ticks.send_modify(|tick| *tick += 1);
    }

    /// Ends with the next change of anything this module watches.
    pub(crate) fn ticks(&self) -> watch::Receiver<u64> {
        self.ticks.subscribe()
    }

    pub(crate) fn opened_a_document(&self) {
        if self.lock().opened.is_none() {
            self.change(|state| state.opened = Some(Instant::now()));
        }
    }

    /// It was told the text of a document, or that there is none but the disk's.
    pub(crate) fn was_told(&self, path: &Path) {
        let mut state = self.lock();
        state.told.retain(|_, told| told.elapsed() < PROMPT);
        state.told.insert(path.to_path_buf(), Instant::now());
    }

    /// Work on the project, unless the server says in another way what it does with that.
    fn note_work(&self, state: &mut State) {
        if !matches!(self.project, Readiness::Status | Readiness::Message) {
            state.stirred = Some(Instant::now());
        }
    }

    /// `$/progress`.
    pub(crate) fn progress(&self, params: &Value) {
        let token = match &params["token"] {
            Value::String(token) => token.clone(),
            other => other.to_string(),
        };
        let value = &params["value"];
        let percent = value["percentage"].as_f64().map(|percent| percent.clamp(0.0, 100.0).round() as u32);
        let text = |name: &str| value[name].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        match value["kind"].as_str() {
            Some("begin") => {
                let title = text("title").or_else(|| text("message")).unwrap_or_else(|| token.clone());
                self.change(|state| {
                    state.begun = true;
                    if is_check(&token, &title) {
                        state.checks_begun += 1;
                    } else {
                        self.note_work(state);
                    }
                    state.running.insert(token, Activity { title, percent });
                });
            }
            Some("report") => self.change(|state| {
                if let Some(activity) = state.running.get_mut(&token) {
                    activity.percent = percent.or(activity.percent);
                }
            }),
            Some("end") => self.change(|state| {
                match state.running.remove(&token) {
                    Some(activity) if is_check(&token, &activity.title) => state.checks_ended += 1,
                    Some(_) => self.note_work(state),
                    None => {}
                }
                state.quiet_since = Some(Instant::now());
            }),
            _ => {}
        }
    }

    /// Whether the server has taken in something that it was not told of since then. Some watch the disk themselves, also
    /// folders that nobody else does, and then speak again of documents that they have known for a while.
    pub(crate) fn has_stirred_since(&self, then: Instant) -> bool {
        self.lock().stirred.is_some_and(|stirred| stirred >= then)
    }

    /// `textDocument/publishDiagnostics`. That a server speaks of a document that it was told of means nothing.
    pub(crate) fn published(&self, path: &Path) {
        let mut state = self.lock();
        if !self.watches_nothing && state.told.get(path).is_none_or(|told| told.elapsed() >= PROMPT) {
            state.stirred = Some(Instant::now());
        }
    }

    /// The server asks for everything to be asked again. Some do after each document that they were given.
    pub(crate) fn refreshed(&self) {
        if !self.watches_nothing {
            self.lock().stirred = Some(Instant::now());
        }
    }

    /// `experimental/serverStatus`.
    pub(crate) fn server_status(&self, params: &Value) {
        let quiescent = params["quiescent"].as_bool();
        let message = params["message"].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let unwell = params["health"].as_str().is_some_and(|health| health != "ok");
        let about_std = message.as_deref().is_some_and(|message| message.contains("sysroot"));
        let unhealthy = match params["health"].as_str() {
            Some("error") => true,
            // Without the standard library's sources references inside macros are lost, silently.
            Some("warning") => about_std,
            _ => false,
        };
        self.change(|state| {
            if quiescent.is_some() && quiescent != state.quiescent {
                state.stirred = Some(Instant::now());
            }
            state.quiescent = quiescent.or(state.quiescent);
            state.status_message = message;
            state.unhealthy = unhealthy;
            state.unwell = unwell;
        });
    }

    /// `window/logMessage`.
    pub(crate) fn logged(&self, message: &str) {
        if self.messages.iter().any(|wanted| message.contains(wanted.as_str())) {
            self.change(|state| {
                state.said = true;
                state.stirred = Some(Instant::now());
            });
        }
    }

    /// An error message.
    pub(crate) fn complained(&self, message: &str) {
        if self.complaints.iter().any(|words| message.contains(words.as_str())) {
            self.change(|state| state.complaint = Some(message.to_owned()));
        }
    }

    /// Whether it says each time that it has listed the project's files, and knows new ones only then.
    pub(crate) fn counts_files(&self) -> bool {
        self.counts_files
    }

    /// Whether it looks at a changed file on its own time even when the file is open.
    pub(crate) fn is_slow_to_look(&self) -> bool {
        self.slow_to_look
    }

    /// New files were told: it is ready when it has listed them.
    pub(crate) fn files_were_added(&self) {
        if self.counts_files() {
            self.change(|state| {
                if state.said {
                    state.expected = Some(Instant::now());
                }
                state.said = false;
            });
        }
    }

    /// Compiler runs that began and ended since the start.
    pub(crate) fn checks(&self) -> (u64, u64) {
        let state = self.lock();
        (state.checks_begun, state.checks_ended)
    }

    /// What the server says about itself while it is not well, however mild.
    pub(crate) fn remark(&self) -> Option<String> {
        let state = self.lock();
        state.status_message.clone().filter(|_| state.unwell)
    }

    /// What is wrong with the project in the server's own eyes.
    pub(crate) fn complaint(&self) -> Option<String> {
        let state = self.lock();
        state.complaint.clone().or_else(|| state.unhealthy.then(|| state.status_message.clone()).flatten())
    }

    /// What it is doing; of several things the one that has got least far.
    pub(crate) fn activity(&self) -> Option<Activity> {
        let state = self.lock();
        let running = state.running.iter().filter(|(token, activity)| !is_check(token, &activity.title));
        running.map(|(_, activity)| activity.clone()).min_by_key(|activity| activity.percent.unwrap_or(0))
    }

    /// Ready now, or how long until it is worth looking again without any message from the server.
    pub(crate) fn look(&self, needs: Needs) -> Result<(), Option<Duration>> {
        let strategy = match needs {
            Needs::File => self.file,
            Needs::Project => self.project,
        };
        let state = self.lock();
        match strategy {
            Readiness::Immediate => Ok(()),
            Readiness::Status => {
                if state.quiescent == Some(true) {
                    Ok(())
                } else {
                    Err(None)
                }
            }
            Readiness::Message => match state.expected.map(|since| since.elapsed()) {
                _ if state.said => Ok(()),
                Some(passed) if passed >= SAYS_WITHIN => Ok(()),
                Some(passed) => Err(Some(SAYS_WITHIN - passed)),
                None => Err(None),
            },
            Readiness::Progress => progress_settled(&state),
        }
    }
}

fn progress_settled(state: &State) -> Result<(), Option<Duration>> {
    let busy = state.running.iter().any(|(token, activity)| !is_check(token, &activity.title));
    if busy {
        return Err(None);
    }
    let (since, quiet) = match (state.begun, state.quiet_since, state.opened) {
        (true, Some(since), _) => (since, QUIET),
        (_, _, Some(opened)) => (opened, BEGINS_WITHIN),
        // Nothing was opened yet: nothing can be expected to begin.
        _ => return Err(Some(QUIET)),
    };
    let passed = since.elapsed();
    if passed >= quiet { Ok(()) } else { Err(Some(quiet - passed)) }
}

/// Compiler runs come and go while a server is ready for questions.
fn is_check(token: &str, title: &str) -> bool {
    let mentions =
        |text: &str| text.contains("flycheck") || text.contains("cargo check") || text.contains("clippy");
    mentions(token) || mentions(title)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::catalog;
    use serde_json::json;

    fn ready(project: Readiness) -> Ready {
        let mut definition = catalog::built_in().unwrap().remove(0);
        definition.ready_file = Readiness::Immediate;
        definition.ready_project = project;
        definition.ready_messages = vec!["Found ".to_owned()];
        Ready::new(&definition)
    }

    #[test]
    fn a_status_counts_both_ways() {
        let ready = ready(Readiness::Status);
        assert_eq!((ready.look(Needs::File), ready.look(Needs::Project)), (Ok(()), Err(None)));
        ready.server_status(&json!({ "health": "ok", "quiescent": true }));
        assert_eq!(ready.look(Needs::Project), Ok(()));
        ready.server_status(&json!({ "health": "error", "quiescent": false, "message": "no Cargo.toml" }));
        assert_eq!(ready.look(Needs::Project), Err(None));
        assert_eq!(ready.complaint().as_deref(), Some("no Cargo.toml"));
    }

    #[test]
    fn progress_is_waited_for_to_begin_and_to_end() {
        let ready = ready(Readiness::Progress);
        assert!(matches!(ready.look(Needs::Project), Err(Some(_))), "nothing opened");
        ready.opened_a_document();
        assert!(matches!(ready.look(Needs::Project), Err(Some(_))), "it may still begin");
        ready.progress(
            &json!({ "token": 7, "value": { "kind": "begin", "title": "indexing", "percentage": 0 } }),
        );
        ready.progress(&json!({ "token": 7, "value": { "kind": "report", "percentage": 45.4 } }));
        assert_eq!(ready.look(Needs::Project), Err(None));
        assert_eq!(ready.activity().unwrap().to_string(), "indexing (45%)");
        ready.progress(&json!({ "token": 7, "value": { "kind": "end" } }));
        assert!(matches!(ready.look(Needs::Project), Err(Some(_))), "the next piece may begin at once");
        std::thread::sleep(QUIET);
        assert_eq!(ready.look(Needs::Project), Ok(()));
        assert_eq!(ready.activity(), None);
    }

    #[test]
    fn a_compiler_run_is_not_loading() {
        let ready = ready(Readiness::Progress);
        ready.progress(&json!({ "token": "rustAnalyzer/cargo check/0", "value": { "kind": "begin", "title": "cargo check" } }));
        assert_eq!((ready.activity(), ready.checks()), (None, (1, 0)));
        ready.progress(&json!({ "token": "rustAnalyzer/cargo check/0", "value": { "kind": "end" } }));
        assert_eq!(ready.checks(), (1, 1));
    }

    #[test]
    fn a_server_that_watches_nothing_has_nothing_to_tell_but_that_it_has_listed_its_files() {
        let mut definition = catalog::built_in().unwrap().remove(0);
        definition.ready_messages = vec!["Found ".to_owned()];
        for watches_nothing in [true, false] {
            definition.watches_nothing = watches_nothing;
            let says: [fn(&Ready); 3] = [
                |ready| ready.refreshed(),
                |ready| ready.published(Path::new("/p/a")),
                |ready| ready.logged("Found 12 source files"),
            ];
            let stirs = says.map(|say| {
                let (ready, then) = (Ready::new(&definition), Instant::now());
                say(&ready);
                ready.has_stirred_since(then)
            });
            assert_eq!(stirs, [!watches_nothing, !watches_nothing, true]);
        }
    }

    #[test]
    fn a_logged_line_counts() {
        let ready = ready(Readiness::Message);
        ready.logged("Starting service instance");
        assert_eq!(ready.look(Needs::Project), Err(None));
        ready.logged("Found 12 source files");
        assert_eq!(ready.look(Needs::Project), Ok(()));
    }
}

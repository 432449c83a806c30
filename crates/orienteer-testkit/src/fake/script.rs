//! The script of a fake server: a builder for tests, a file for the process.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::ask::{Ask, Say};
use super::choices::{
    Change, Death, Diagnostics, Encoding, Headers, HoverShape, Ids, Locations, Signal, Stale, When, Writing,
};
use super::json::{Json, json_struct};
use super::rule::{Rule, START};

json_struct! {
    /// What a fake server does. Without any knob it is small, quick and honest.
    pub struct Script {
        /// Not written: it names the files.
        name: String,
        record: String,
        extensions: Vec<String>,
        rules: Vec<Rule>,
        says: Vec<Say>,
        insist: bool,
        ready_ms: u64,
        never_ready: bool,
        signals: Vec<Signal>,
        phases: u64,
        loads_on_open: bool,
        cold_definitions: bool,
        early_stdout: String,
        garbage: String,
        writing: Writing,
        headers: Headers,
        ids: Ids,
        start_stderr: String,
        last_words: String,
        idle_ms: u64,
        idle_death: Death,
        idle_once: bool,
        grandchild: bool,
        ignore_exit: bool,
        ignore_signals: bool,
        change: Change,
        encoding: Encoding,
        without: Vec<String>,
        dynamic: Vec<String>,
        dynamic_ms: u64,
        locations: Locations,
        hover: HoverShape,
        flat_symbols: bool,
        diagnostics: Diagnostics,
        versionless: bool,
        publish_ms: u64,
        stale: Stale,
        bulk_diagnostics: u64,
        undefined_names: bool,
        publish_workspace: bool,
        related_documents: bool,
        offers_edits: bool,
        without_texts: bool,
    }
}

/// Knobs that only set one field.
macro_rules! setters {
    ($($(#[$meta:meta])* $method:ident($($argument:ident: $type:ty),*) => $($field:ident = $value:expr),+;)*) => {
        $($(#[$meta])*
        #[must_use]
        pub fn $method(mut self, $($argument: $type),*) -> Self {
            $(self.$field = $value;)+
            self
        })*
    };
}

impl Script {
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes `NAME.json` into the folder, which gets `NAME.jsonl` (the record) when the server runs.
    pub fn write(&self, folder: &Path) -> PathBuf {
        let name = if self.name.is_empty() { "fake" } else { &self.name };
        let mut script = self.clone();
        script.name.clear();
        script.record = folder.join(format!("{name}.jsonl")).to_string_lossy().into_owned();
        let path = folder.join(format!("{name}.json"));
        std::fs::write(&path, script.to_json().to_string()).expect("the script written");
        path
    }

    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let value: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        Self::from_json(&value)
    }

    /// Any fault; the named ones below are short forms of these.
    #[must_use]
    pub fn rule(mut self, rule: Rule) -> Self {
        self.rules.push(rule);
        self
    }

    setters! {
        /// The name of the script and of its record, for tests with several servers; `fake` otherwise.
        named(name: &str) => name = name.to_owned();
        /// Extensions of the files it reads instead of `fake`.
        extensions(extensions: &[&str]) => extensions = owned(extensions);
        /// Nothing goes on after a request of its own until the client has replied.
        insist_on_replies() => insist = true;
        /// Progress is told in so many begins and ends, with pauses between them; only the last means ready.
        progress_phases(phases: u64) => phases = phases;
        /// Loading begins with the first opened document, not with `initialized`.
        loads_on_open() => loads_on_open = true;
        /// Until ready, a definition is the place that was asked about, as tsserver answers an import.
        cold_definitions() => cold_definitions = true;
        /// Text on stdout before the first frame.
        stdout_before_initialize(text: &str) => early_stdout = text.to_owned();
        /// Text on stdout before every frame, with or without a newline at its end.
        garbage_between_frames(text: &str) => garbage = text.to_owned();
        writing(writing: Writing) => writing = writing;
        headers(headers: Headers) => headers = headers;
        /// The ids of its own requests.
        ids(ids: Ids) => ids = ids;
        /// A line on stderr at the start.
        stderr(text: &str) => start_stderr = text.to_owned();
        /// Text on stderr right before every scripted death.
        last_words(text: &str) => last_words = text.to_owned();
        /// Dies when no message came for so long, in every process.
        exit_when_idle(ms: u64, death: Death) => idle_ms = ms, idle_death = death;
        /// Dies when no message came for so long, in the first process only.
        exit_when_idle_once(ms: u64, death: Death) => idle_ms = ms, idle_death = death, idle_once = true;
        /// Starts `sleep 1000` in its own group and leaves it behind.
        grandchild() => grandchild = true;
        /// Goes on after `exit` and after the end of its input: only a signal ends it.
        ignore_exit() => ignore_exit = true;
        /// Ignores SIGTERM, SIGINT and SIGHUP: only SIGKILL ends it.
        ignore_signals() => ignore_signals = true;
        change(change: Change) => change = change;
        /// The position encoding, if the client offers it; otherwise UTF-16.
        encoding(encoding: Encoding) => encoding = encoding;
        /// Methods that it neither announces nor answers (-32601).
        without(methods: &[&str]) => without = owned(methods);
        /// Methods that it registers so long after `initialized` instead of announcing them.
        dynamic(methods: &[&str], ms: u64) => dynamic = owned(methods), dynamic_ms = ms;
        locations(shape: Locations) => locations = shape;
        hover_shape(shape: HoverShape) => hover = shape;
        /// `SymbolInformation[]` instead of the hierarchy.
        flat_symbols() => flat_symbols = true;
        diagnostics(diagnostics: Diagnostics) => diagnostics = diagnostics;
        /// Publishes carry no version.
        publish_without_version() => versionless = true;
        /// Publishes come so much later.
        publish_late(ms: u64) => publish_ms = ms;
        /// Publishes the diagnostics of the text before, with the version before, on every change.
        stale_publishes(stale: Stale) => stale = stale;
        /// So many warnings more in every report.
        bulk_diagnostics(count: u64) => bulk_diagnostics = count;
        /// A used name without a definition is an error, so that one file's diagnostics depend on others.
        undefined_names_are_errors() => undefined_names = true;
        /// Publishes for files that are not open too, once it is ready and whenever they change.
        publish_workspace() => publish_workspace = true;
        /// Pull reports carry the reports of all other files that have any.
        related_documents() => related_documents = true;
        /// Offers code actions with a command, formatting, and renames with versions. What its command `fake.fix` wants
        /// to change is what the script asks on `workspace/executeCommand`.
        offers_edits() => offers_edits = true;
        /// The record leaves out the texts at every answer: for benchmarks.
        without_texts() => without_texts = true;
    }

    /// The reply to `initialize` takes so long.
    #[must_use]
    pub fn slow_start(self, ms: u64) -> Self {
        self.latency("initialize", ms)
    }

    #[must_use]
    pub fn never_answer_initialize(self) -> Self {
        self.hang("initialize")
    }

    /// Ends before it reads anything.
    #[must_use]
    pub fn exit_at_start(mut self, code: u8, stderr: &str) -> Self {
        self.start_stderr = stderr.to_owned();
        self.rule(Rule::on(START).crash(When::Before, Death::Exit(code)))
    }

    /// Tells that it loads, and never that it is done; what needs the whole project is wrong for ever.
    #[must_use]
    pub fn never_ready(mut self, signal: Signal) -> Self {
        self.never_ready = true;
        self.signals.push(signal);
        self
    }

    /// What needs the whole project is wrong until then. Called again, it adds another signal.
    #[must_use]
    pub fn ready_after(mut self, ms: u64, signal: Signal) -> Self {
        self.signals.push(signal);
        self.silently_ready_after(ms)
    }

    /// The same without any word about it.
    #[must_use]
    pub fn silently_ready_after(mut self, ms: u64) -> Self {
        self.ready_ms = ms;
        self
    }

    /// A request to the client when `method` arrives, before that is answered.
    #[must_use]
    pub fn ask(self, on: &str, ask: Ask) -> Self {
        self.ask_later(on, 0, ask)
    }

    /// A request to the client so long after `method` arrived.
    #[must_use]
    pub fn ask_later(mut self, on: &str, delay_ms: u64, ask: Ask) -> Self {
        let params = Some(ask.params).filter(|params| !params.is_null());
        self.says.push(Say { on: on.to_owned(), delay_ms, request: true, method: ask.method, params });
        self
    }

    /// A notification so long after `on` arrived.
    #[must_use]
    pub fn notify(mut self, on: &str, delay_ms: u64, method: &str, params: Value) -> Self {
        let method = method.to_owned();
        self.says.push(Say { on: on.to_owned(), delay_ms, request: false, method, params: Some(params) });
        self
    }

    /// Dies at every call of the method, in every process.
    #[must_use]
    pub fn crash(self, method: &str, when: When, death: Death) -> Self {
        self.rule(Rule::on(method).crash(when, death))
    }

    /// Dies at the first call of the method, in one process only.
    #[must_use]
    pub fn crash_once(self, method: &str, when: When, death: Death) -> Self {
        self.rule(Rule::on(method).crash(when, death).once())
    }

    #[must_use]
    pub fn hang(self, method: &str) -> Self {
        self.rule(Rule::on(method).hang())
    }

    #[must_use]
    pub fn freeze(self, method: &str) -> Self {
        self.rule(Rule::on(method).freeze())
    }

    /// How long a method takes; `"*"` is every request.
    #[must_use]
    pub fn latency(self, method: &str, ms: u64) -> Self {
        self.rule(Rule::on(method).delay(ms))
    }

    /// Always fails.
    #[must_use]
    pub fn fail(self, method: &str, code: i64, message: &str) -> Self {
        self.rule(Rule::on(method).fail(code, message, Value::Null))
    }

    /// -32601 although it is announced.
    #[must_use]
    pub fn method_not_found(self, method: &str) -> Self {
        self.fail(method, -32601, &format!("Unhandled method {method}"))
    }

    /// -32801 for the first calls, then the answer.
    #[must_use]
    pub fn content_modified(self, method: &str, times: u64) -> Self {
        self.rule(Rule::on(method).times(times).fail(-32801, "content modified", Value::Null))
    }

    /// -32802 with `retriggerRequest` for the first calls, then the answer.
    #[must_use]
    pub fn server_cancelled(self, method: &str, times: u64, retrigger: bool) -> Self {
        let data = json!({ "retriggerRequest": retrigger });
        self.rule(Rule::on(method).times(times).fail(-32802, "server cancelled the request", data))
    }

    /// `result: null`.
    #[must_use]
    pub fn answer_null(self, method: &str) -> Self {
        self.rule(Rule::on(method).answer(Value::Null))
    }

    /// So many bytes on stderr before anything is read.
    #[must_use]
    pub fn stderr_flood(self, bytes: u64) -> Self {
        self.rule(Rule::on(START).flood(bytes))
    }

    /// So much memory from the start on.
    #[must_use]
    pub fn memory_hog(self, mb: u64) -> Self {
        self.rule(Rule::on(START).allocate(mb))
    }

    #[must_use]
    pub fn die_in_shutdown(self, death: Death) -> Self {
        self.crash("shutdown", When::Before, death)
    }

    #[must_use]
    pub fn ignore_shutdown(self) -> Self {
        self.hang("shutdown")
    }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_survives_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let script = Script::new()
            .named("odd")
            .ready_after(5, Signal::Progress(json!(7)))
            .ready_after(5, Signal::LogMessage("Found 3 source files".to_owned()))
            .crash_once("textDocument/hover", When::Middle, Death::Exit(0))
            .answer_null("textDocument/definition")
            .ask("initialized", Ask::workspace_folders())
            .headers(Headers::LineFeedOnly);
        let path = script.write(folder.path());
        assert!(path.ends_with("odd.json"));
        let read = Script::read(&path).unwrap();
        assert_eq!(read.headers, Headers::LineFeedOnly);
        assert_eq!(read.signals, script.signals);
        assert_eq!(read.rules[0].death, Death::Exit(0));
        assert_eq!(read.rules[1].result, Some(Value::Null), "null is an answer, not an absent one");
        assert_eq!(read.says[0].params, None);
        assert!(read.record.ends_with("odd.jsonl"));
    }

    #[test]
    fn an_unknown_knob_is_refused_by_name() {
        let wrong = Script::from_json(&json!({ "slow_start": 5 })).unwrap_err();
        assert!(wrong.contains("slow_start is no knob") && wrong.contains("ready_ms"), "{wrong}");
        let wrong = Script::from_json(&json!({ "writing": "Slow" })).unwrap_err();
        assert!(wrong.contains("writing") && wrong.contains("SingleBytes"), "{wrong}");
    }
}

//! A project, a fake server and a fleet around it, with short ways to ask.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use orienteer_base::ask::Relation;
use orienteer_base::{Cancel, Position, Roots};
use orienteer_lsp::catalog::{CatalogOptions, ServerSpec, merge};
use orienteer_lsp::command::check::{Checked, FileCheck};
use orienteer_lsp::definition::Readiness;
use orienteer_lsp::program::LocalPrograms;
use orienteer_lsp::{Definition, Failure, Fleet, FleetSpec, Heard, Lease, Patience, Spot, Status};
use orienteer_process::{Environment, Launcher};
pub(crate) use orienteer_testkit::fake::PROJECT;
use orienteer_testkit::fake::{Answer, Record, Script, fake_lsp_binary};
use orienteer_testkit::{Tree, tree};

/// Far more than anything here takes on a busy machine.
pub(crate) const LONG: Duration = Duration::from_secs(30);

pub(crate) const DEEP: &str = "deep/ü #1.fake";

/// All references to `square` in the project.
pub(crate) const ALL: [&str; 3] = ["a.fake:2:5", "b.fake:5:10", "deep/ü #1.fake:1:7"];

/// Where `square` stands in `a.fake`.
pub(crate) const SQUARE: Position = Position { line: 2, column: 7 };

pub(crate) struct Stage {
    pub(crate) tree: Tree,
    pub(crate) record: Record,
    pub(crate) fleet: Arc<Fleet>,
}

/// A server of which nothing is known but how it is started; it is ready at once for everything.
pub(crate) fn definition(script: &Path) -> Definition {
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let spec = ServerSpec {
        id: "fake".to_owned(),
        command: text(&fake_lsp_binary()),
        args: vec![text(script)],
        extensions: vec!["fake".to_owned()],
        root_markers: vec![".".to_owned()],
        ..ServerSpec::default()
    };
    let mut definition = merge(Vec::new(), &[spec], &CatalogOptions::default()).remove(0);
    definition.ready_project = Readiness::Immediate;
    definition
}

pub(crate) fn patience(wait: Duration) -> Patience {
    Patience::new(wait, &Cancel::new())
}

pub(crate) fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

impl Stage {
    pub(crate) fn new(script: Script) -> Self {
        Self::with(script, |_| {}, |_| {})
    }

    /// With changes to what is known of the server.
    pub(crate) fn defined(script: Script, change: impl FnOnce(&mut Definition)) -> Self {
        Self::with(script, change, |_| {})
    }

    pub(crate) fn with(
        script: Script,
        change: impl FnOnce(&mut Definition),
        spec: impl FnOnce(&mut FleetSpec),
    ) -> Self {
        Self::of(tree(PROJECT), script, change, spec)
    }

    pub(crate) fn of(
        tree: Tree,
        script: Script,
        change: impl FnOnce(&mut Definition),
        change_spec: impl FnOnce(&mut FleetSpec),
    ) -> Self {
        let script = script.write(&tree.beside("fake"));
        let mut definition = definition(&script);
        change(&mut definition);
        let mut spec = FleetSpec {
            catalog: vec![definition],
            roots: Roots::new(tree.root(), &[]).unwrap(),
            environment: Environment::from_pairs([("PATH", "/usr/local/bin:/usr/bin:/bin")]),
            launcher: Launcher::without_reaper(),
            local_programs: LocalPrograms::Never,
            state_folder: tree.beside("state"),
            idle_timeout: Duration::from_secs(3600),
            max_servers: 8,
            memory_budget_bytes: 64 << 30,
        };
        change_spec(&mut spec);
        Self { record: Record::of(&script), fleet: Fleet::new(spec), tree }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.tree.root().join(name)
    }

    /// What is on disk.
    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) async fn lease(&self, name: &str) -> Lease {
        self.fleet.lease(&self.path(name)).await.unwrap()
    }

    pub(crate) async fn ask_references(&self, wait: Duration) -> Result<Heard<Vec<Spot>>, Failure> {
        let lease = self.fleet.lease(&self.path("a.fake")).await?;
        lease.references(&self.path("a.fake"), SQUARE, true, &patience(wait)).await
    }

    /// The references to `square`.
    pub(crate) async fn references(&self) -> Vec<String> {
        self.places(&self.ask_references(LONG).await.unwrap().value)
    }

    /// The names that a file defines, and how many files the server was told of for it.
    pub(crate) async fn outline(&self, file: &str) -> (Vec<String>, u64) {
        let lease = self.lease(file).await;
        let heard = lease.document_symbols(&self.path(file), &patience(LONG)).await.unwrap();
        assert!(heard.seen.ready && heard.seen.complaint.is_none());
        (heard.value.into_iter().map(|symbol| symbol.name).collect(), heard.seen.synced_files)
    }

    pub(crate) async fn ask_definition(&self) -> Result<Heard<Vec<Spot>>, Failure> {
        let lease = self.fleet.lease(&self.path("a.fake")).await?;
        lease.definition(&self.path("a.fake"), SQUARE, Relation::Definition, &patience(LONG)).await
    }

    /// Where `square` is defined.
    pub(crate) async fn definition(&self) -> Vec<String> {
        self.places(&self.ask_definition().await.unwrap().value)
    }

    pub(crate) async fn check_all(&self, names: &[&str], wait: Duration) -> Heard<Checked> {
        let files: Vec<PathBuf> = names.iter().map(|name| self.path(name)).collect();
        let lease = self.lease(names[0]).await;
        lease.check(&files, &patience(wait)).await.unwrap()
    }

    pub(crate) async fn check(&self, name: &str, wait: Duration) -> FileCheck {
        self.check_all(&[name], wait).await.value.files.remove(0)
    }

    /// As `file:line:column`.
    pub(crate) fn places(&self, spots: &[Spot]) -> Vec<String> {
        spots.iter().map(|spot| self.place(&spot.path, spot.range.start)).collect()
    }

    pub(crate) fn place(&self, path: &Path, at: Position) -> String {
        let name = path.strip_prefix(self.tree.root()).unwrap_or(path);
        format!("{}:{}:{}", name.display(), at.line, at.column)
    }

    /// The one server there is.
    pub(crate) fn state(&self) -> Status {
        let mut states = self.fleet.states(true);
        assert_eq!(states.len(), 1, "{states:?}");
        states.remove(0)
    }

    /// Waits for what happens without a question.
    pub(crate) async fn until(&self, what: &str, mut is_so: impl FnMut(&Self) -> bool) {
        let until = Instant::now() + LONG;
        while !is_so(self) {
            assert!(Instant::now() < until, "{what} did not happen: {:?}", self.fleet.states(false));
            tokio::time::sleep(ms(10)).await;
        }
    }

    /// Nothing is left of any server; none of them was ever told a lie or a wrong thing.
    pub(crate) async fn finish(&self) {
        self.finish_but_for(|_| false).await;
    }

    /// The same, but for answers that are about something else than the disk on purpose.
    pub(crate) async fn finish_but_for(&self, on_purpose: impl Fn(&Answer) -> bool) {
        self.end().await;
        // Whoever goes away does not wait with the next change until the server has heard of it.
        let cancelled = self.record.received("$/cancelRequest");
        let is_cancelled = |answer: &Answer| {
            cancelled.iter().any(|event| event["pid"] == answer.pid && event["params"]["id"] == answer.id)
        };
        let stale: Vec<String> = self
            .record
            .stale_answers()
            .iter()
            // The first answer of all says nothing about files, and what is told next may overtake its note.
            .filter(|answer| answer.method != "initialize" && !is_cancelled(answer) && !on_purpose(answer))
            .map(|answer| format!("{} {}: {:?}", answer.method, answer.id, answer.stale))
            .collect();
        assert_eq!(stale, [""; 0], "answers from something else than the disk");
        assert_eq!(self.record.violations(), [""; 0]);
    }

    /// Nothing is left of any server.
    pub(crate) async fn end(&self) {
        self.fleet.shut_down().await;
        for pid in self.record.pids().into_iter().chain(self.record.grandchildren()) {
            assert_gone(pid).await;
        }
    }
}

/// A process that was just killed may still be in the table for a moment.
pub(crate) async fn assert_gone(pid: u64) {
    let until = Instant::now() + Duration::from_secs(5);
    while is_running(pid) {
        assert!(Instant::now() < until, "process {pid} is still there");
        tokio::time::sleep(ms(10)).await;
    }
}

/// Zombies count as gone: nothing of them runs.
pub(crate) fn is_running(pid: u64) -> bool {
    if !cfg!(target_os = "linux") {
        let mut ps = std::process::Command::new("ps");
        let state = ps.args(["-o", "state=", "-p", &pid.to_string()]).output().unwrap();
        let state = String::from_utf8_lossy(&state.stdout).trim().to_owned();
        return !state.is_empty() && !state.starts_with('Z');
    }
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = status.rsplit(')').next().and_then(|rest| rest.trim_start().chars().next());
    state.is_some_and(|state| state != 'Z')
}

/// SIGKILL from outside.
pub(crate) fn kill(pid: u64) {
    let mut kill = std::process::Command::new("kill");
    assert!(kill.args(["-9", &pid.to_string()]).status().unwrap().success());
}

//! A project, its real server, and short ways to ask.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use orienteer_base::{Cancel, Position, Range, Roots};
use orienteer_edit::{EditError, Overlay, Plan, TextEdit};
use orienteer_lsp::command::check::{FileCheck, Finding};
use orienteer_lsp::command::{Action, FormatOptions, Renameable};
use orienteer_lsp::program::LocalPrograms;
use orienteer_lsp::{Failure, Fleet, FleetSpec, Heard, Lease, Patience, Proposed, Simulated, catalog};
use orienteer_process::{Environment, Launcher};
use orienteer_testkit::{Tree, tools, tree};

/// A cold server on a busy machine takes its time.
const LONG: Duration = Duration::from_secs(120);

pub(crate) const SPACES: FormatOptions = FormatOptions { tab_size: 4, insert_spaces: true };

pub(crate) struct Stage {
    pub(crate) tree: Tree,
    pub(crate) lease: Lease,
    fleet: Arc<Fleet>,
}

pub(crate) fn patience() -> Patience {
    Patience::new(LONG, &Cancel::new())
}

impl Stage {
    /// The server of a file in a project.
    pub(crate) async fn new(fixture: &str, file: &str) -> Self {
        Self::with(tree(fixture), tools::server_path(), file).await
    }

    pub(crate) async fn with(tree: Tree, path: OsString, file: &str) -> Self {
        let fleet = Fleet::new(FleetSpec {
            catalog: catalog::built_in().unwrap(),
            roots: Roots::new(tree.root(), &[]).unwrap(),
            environment: Environment::from_pairs(std::env::vars_os()).with("PATH", path),
            launcher: Launcher::without_reaper(),
            local_programs: LocalPrograms::Always,
            state_folder: tree.beside("state"),
            idle_timeout: Duration::from_secs(3600),
            max_servers: 8,
            memory_budget_bytes: 64 << 30,
        });
        let lease = fleet.lease(&tree.root().join(file)).await.unwrap();
        Self { tree, lease, fleet }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.tree.root().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Opens files, as whoever looks for a name in servers that know only open files does.
    pub(crate) async fn open(&self, names: &[&str]) {
        let files: Vec<PathBuf> = names.iter().map(|name| self.path(name)).collect();
        self.lease.open(&files, &patience()).await.unwrap();
    }

    pub(crate) async fn prepare(&self, name: &str, line: u32, column: u32) -> Renameable {
        let at = Position::new(line, column);
        let heard = self.lease.prepare_rename(&self.path(name), at, &patience()).await.unwrap();
        assert!(heard.seen.ready);
        heard.value
    }

    /// Nothing at this place can be renamed, whether it says so beforehand or when it is asked to.
    pub(crate) async fn assert_refused(&self, name: &str, line: u32, column: u32) {
        match self.prepare(name, line, column).await {
            Renameable::No { .. } => {}
            Renameable::Unknown => {
                let renamed = self.rename(name, line, column, "renamed").await;
                let nothing = match &renamed {
                    Err(Failure::Refused { .. }) => true,
                    Ok(heard) => heard.value.as_ref().is_ok_and(|proposed| proposed.plan.is_empty()),
                    Err(_) => false,
                };
                assert!(nothing, "{name}:{line}:{column}: {renamed:?}");
            }
            yes => panic!("{name}:{line}:{column}: {yes:?}"),
        }
    }

    pub(crate) async fn rename(
        &self,
        name: &str,
        line: u32,
        column: u32,
        new_name: &str,
    ) -> Result<Heard<Result<Proposed, EditError>>, Failure> {
        self.lease.rename(&self.path(name), Position::new(line, column), new_name, &patience()).await
    }

    /// The plan of a rename.
    pub(crate) async fn renamed(&self, name: &str, line: u32, column: u32, new_name: &str) -> Plan {
        let heard = self.rename(name, line, column, new_name).await.unwrap();
        assert!(heard.seen.ready);
        heard.value.unwrap().plan
    }

    /// Files of a plan with the lines that are new in them.
    pub(crate) fn lines(&self, plan: &Plan) -> BTreeMap<String, Vec<String>> {
        let name = |path: &PathBuf| path.strip_prefix(self.tree.root()).unwrap().display().to_string();
        let previews = plan.previews.iter();
        previews
            .map(|preview| {
                let shown = match &preview.new_path {
                    Some(to) => format!("{} → {}", name(&preview.path), name(to)),
                    None => name(&preview.path),
                };
                let added =
                    preview.diff.lines().filter(|line| line.starts_with('+') && !line.starts_with("+++"));
                (shown, added.map(|line| line[1..].trim().to_owned()).collect())
            })
            .collect()
    }

    pub(crate) async fn format(&self, name: &str, lines: Option<(u32, u32)>) -> Result<Plan, Failure> {
        let heard = self.lease.format(&self.path(name), lines, SPACES, &patience()).await?;
        Ok(heard.value.unwrap().plan)
    }

    /// What would be in a file; what is in it where the plan leaves it alone.
    pub(crate) fn after(&self, plan: &Plan, name: &str) -> String {
        let change = plan.changes.iter().find(|change| change.path == self.path(name));
        let after = change.and_then(|change| change.after.as_ref());
        after.map_or_else(|| self.read(name), |after| String::from_utf8(after.content.to_vec()).unwrap())
    }

    pub(crate) async fn check(&self, name: &str) -> Vec<Finding> {
        let mut checked = self.lease.check(&[self.path(name)], &patience()).await.unwrap().value;
        let check = checked.files.remove(0);
        assert!(check.done, "{check:?}");
        check.findings
    }

    /// What is offered at a place, with what is wrong there.
    pub(crate) async fn actions(&self, name: &str, (line, column): (u32, u32), kind: &str) -> Vec<Action> {
        let findings = self.check(name).await;
        let at = Position::new(line, column);
        let range = Range { start: at, end: at };
        let kinds = [kind.to_owned()];
        let heard = self.lease.code_actions(&self.path(name), range, &kinds, &findings, &patience()).await;
        heard.unwrap().value
    }

    /// What the action with this title would change.
    pub(crate) async fn carried(&self, name: &str, actions: &[Action], title: &str) -> Plan {
        let titles: Vec<&str> = actions.iter().map(|action| action.title.as_str()).collect();
        let wanted = actions.iter().find(|action| action.title.contains(title));
        let action = wanted.unwrap_or_else(|| panic!("no {title:?} among {titles:?}"));
        let heard = self.lease.carry_out(&self.path(name), action, &patience()).await.unwrap();
        heard.value.unwrap().plan
    }

    /// A plan in which a file has another text.
    pub(crate) fn plan(&self, files: &[(&str, &str)]) -> Plan {
        let mut overlay = Overlay::new(Roots::new(self.tree.root(), &[]).unwrap());
        for (name, text) in files {
            let length = self.read(name).len();
            overlay.edit(&self.path(name), vec![TextEdit::new(0..length, *text)]).unwrap();
        }
        overlay.finish()
    }

    pub(crate) async fn simulate(&self, plan: &Plan) -> Simulated {
        self.lease.simulate(plan, &patience()).await.unwrap().value
    }

    pub(crate) async fn finish(self) {
        let Self { lease, fleet, .. } = self;
        drop(lease);
        fleet.shut_down().await;
    }
}

/// As `line:column code`.
pub(crate) fn marks(checks: &[FileCheck]) -> Vec<String> {
    let mut marks = Vec::new();
    for check in checks {
        assert!(check.done, "{check:?}");
        marks.extend(check.findings.iter().map(|finding| {
            let (at, code) = (finding.range.start, finding.code.as_deref().unwrap_or("-"));
            format!("{}:{} {code}", at.line, at.column)
        }));
    }
    marks
}

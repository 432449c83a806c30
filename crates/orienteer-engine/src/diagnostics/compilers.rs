//! What compilers say of whole projects, as part of an answer about diagnostics.

use std::time::Duration;

use orienteer_base::answer::{Reason, Warning};
use orienteer_base::ask::{CheckScope, DiagnosticsQuery};
use orienteer_base::{Cancel, ErrorKind, Problem};

use super::{Gathered, Row};
use crate::Session;
use crate::check::{CheckerStatus, CompilerCheck, RanChecker};
use crate::exposure::trust_command;

impl Session {
    pub(super) async fn run_compilers(
        &self,
        query: &DiagnosticsQuery,
        cancel: &Cancel,
    ) -> Result<Gathered, Problem> {
        let engine = self.engine();
        let mut gathered = Gathered::default();
        let scope = match &query.scope {
            CheckScope::Files(paths) => paths.clone(),
            CheckScope::Changed => {
                let changed = self.changed_files(cancel).await?;
                changed.iter().filter_map(|path| self.roots().named(path)).collect()
            }
            CheckScope::Workspace => vec![self.roots().workspace_path()],
        };
        let check = CompilerCheck {
            launcher: &engine.launcher,
            environment: &engine.environment,
            roots: self.roots(),
            timeout: query.wait.unwrap_or(Duration::from_secs(110)),
            allow_local: engine.trusts_project,
        };
        let report = check.run(&scope, cancel).await?;
        if report.ran.is_empty() {
            let message =
                "no compiler was found for these files; known are Cargo, TypeScript and pyright projects";
            return Err(Problem::new(ErrorKind::Unsupported, message).detail("no_compiler").field("mode"));
        }
        let refused = |ran: &&RanChecker| ran.status == CheckerStatus::NeedsTrust;
        if let Some(first) = report.ran.iter().find(refused) {
            let why = format!(
                "`{}` would run code of the project (build scripts, macros or a program that it names), which is not done without trust; \
                 `{}` and a new session let it",
                first.command,
                trust_command(self.roots().workspace())
            );
            if report.ran.iter().all(|ran| refused(&ran)) {
                let problem = Problem::new(ErrorKind::NotEnabled, why).detail("needs_trust").field("mode");
                return Err(problem.fact("command", first.command.clone()));
            }
            gathered.warnings.push(Warning::new("needs_trust", why));
        }
        gathered.unfinished = !report.is_complete();
        let late = |ran: &RanChecker| matches!(ran.status, CheckerStatus::TimedOut { .. });
        let lacking =
            if report.ran.iter().any(|ran| refused(&ran)) { Reason::NeedsTrust } else { Reason::NotChecked };
        gathered.lacking = (!report.ran.iter().any(late)).then_some(lacking);
        gathered.files_checked = report.ran.len();
        for ran in &report.ran {
            let message = match &ran.status {
                CheckerStatus::Finished | CheckerStatus::NeedsTrust => continue,
                CheckerStatus::Failed { exit_code, stderr_tail } => {
                    let code = exit_code.map(|code| format!(" with code {code}")).unwrap_or_default();
                    format!("`{}` in {} failed{code}: {}", ran.command, ran.root, last_line(stderr_tail))
                }
                CheckerStatus::TimedOut { stderr_tail } => {
                    format!("`{}` in {} ran out of time: {}", ran.command, ran.root, last_line(stderr_tail))
                }
                CheckerStatus::NotInstalled { hint, .. } => {
                    format!("{} is not installed, so {} was not checked; {hint}", ran.name, ran.root)
                }
            };
            gathered.warnings.push(Warning::new("checker", message));
        }
        for left in report.left_out.iter().take(5) {
            gathered.warnings.push(Warning::new("not_checked", left.clone()));
        }
        gathered.rows =
            report.diagnostics.into_iter().map(|diagnostic| Row { diagnostic, asked: None }).collect();
        Ok(gathered)
    }
}

fn last_line(text: &str) -> String {
    let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
    line.chars().take(300).collect()
}

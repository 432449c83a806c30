//! What would run in this folder, now and after trust.

use orienteer_base::Cancel;
use orienteer_engine::exposure::trust_command;
use orienteer_engine::process::Environment;

use super::{Check, State};
use crate::cli::trust::exposure_line;
use crate::cli::{block_on, session};
use crate::config::Config;
use crate::render::shown;

pub(super) fn checks(config: &Config, environment: Environment) -> anyhow::Result<Vec<Check>> {
    let session = session(config, environment)?;
    let exposures = block_on(async { session.exposures(&Cancel::new()).await })?;
    let folder = config.roots.workspace().display().to_string();
    let check = |name, message, advice| Check { name, state: State::Fine, message, advice };
    let mut checks = Vec::new();
    if config.trusts_project {
        let advice = format!("`{} --revoke` takes it back", trust_command(config.roots.workspace()));
        checks.push(check("trust", format!("{folder} is trusted: what follows may run"), Some(advice)));
    } else {
        let message = format!("{folder} is not trusted: nothing of what follows runs");
        checks.push(check(
            "trust",
            message,
            Some(format!("`{}` lets it", trust_command(config.roots.workspace()))),
        ));
    }
    for exposure in exposures? {
        checks.push(check("would run", shown(exposure_line(&exposure).trim()).into_owned(), None));
    }
    for server in session.list_servers() {
        let (Ok(program), Some(origin)) = (&server.program, server.origin) else { continue };
        let message = format!("{} ({}): {origin}", program.display(), server.definition.id);
        checks.push(check("runs now", message, None));
    }
    Ok(checks)
}

//! In which folder is a file worked on? In the project that it belongs to, wherever that is.

use std::path::{Path, PathBuf};

use orienteer_base::{ErrorKind, Fact, PathError, Problem, RootedPath};
use orienteer_engine::Session;

use super::FILE;
use crate::elsewhere::Lent;
use crate::tool::Ctx;

/// A file in its project.
#[derive(Debug)]
pub(super) struct Project {
    /// Of the call, with the project's session, in which language servers answer or nobody.
    pub(super) ctx: Ctx,
    pub(super) file: RootedPath,
    /// While it is here the session is not taken away.
    lent: Option<Lent>,
}

impl Project {
    pub(super) async fn of(ctx: Ctx, written: &str) -> Result<Self, Problem> {
        let path = real(&ctx, written).await?;
        let (session, asked) = (ctx.session.clone(), path.clone());
        let home = move || session.home_of(&asked, FILE);
        let home = tokio::task::spawn_blocking(home).await.map_err(|error| stopped(&error))??;
        let lent =
            if home == ctx.session.roots().workspace() { None } else { Some(ctx.session_at(home).await?) };
        let session = lent.as_deref().unwrap_or(&ctx.session).exacting();
        let shown = path.to_str().ok_or_else(|| not_utf8(written))?;
        let file = session.resolve(shown).map_err(|error| Problem::from(error).field("file_path"))?;
        Ok(Self { ctx: Ctx { session, ..ctx }, file, lent })
    }

    /// What of its settings does not count: an answer may rest on their absence.
    pub(super) fn passed_over(&self) -> impl Iterator<Item = String> {
        let config = self.lent.as_ref().map_or_else(|| self.ctx.config(), Lent::config);
        config.warnings.iter().map(|warning| warning.message.clone())
    }

    pub(super) fn session(&self) -> &Session {
        &self.ctx.session
    }

    /// The same problem with more of what is known: what failed may have failed for want of a setting.
    pub(super) fn explain(&self, problem: Problem) -> Problem {
        let problem = self.with_language(problem);
        let passed_over: Vec<String> = self.passed_over().collect();
        if passed_over.is_empty() { problem } else { problem.fact("passed_over", passed_over) }
    }

    /// The language that a problem is about, where only the server is named.
    fn with_language(&self, problem: Problem) -> Problem {
        let fact = |name: &str| problem.facts.iter().find(|(known, _)| *known == name).map(|(_, fact)| fact);
        let (None, Some(Fact::Text(id))) = (fact("language"), fact("server_id")) else { return problem };
        let listed = self.session().list_servers();
        let known = listed.iter().find(|server| server.definition.id == *id);
        match known.map(|server| server.definition.language.clone()) {
            Some(language) => problem.fact("language", language),
            None => problem,
        }
    }
}

/// The path without links. Relative ones are refused: relative to what would be a guess.
async fn real(ctx: &Ctx, written: &str) -> Result<PathBuf, Problem> {
    if written.trim().is_empty() {
        return Err(Problem::from(PathError::Empty).field("file_path"));
    }
    if written.contains('\0') {
        return Err(Problem::from(PathError::NulByte).field("file_path"));
    }
    if !Path::new(written).is_absolute() {
        let shown: String = written.chars().take(200).collect();
        let message = format!("`{shown}` is not an absolute path; give the whole path of the file");
        return Err(Problem::invalid("file_path", "relative_path", message));
    }
    let path = PathBuf::from(written);
    if ctx.session.resolve(written).is_err() {
        ctx.allow(&path).map_err(|problem| problem.field("file_path"))?;
    }
    let real = tokio::task::spawn_blocking(move || std::fs::canonicalize(&path));
    real.await.map_err(|error| stopped(&error))?.map_err(|error| {
        let shown: String = written.chars().take(200).collect();
        let message = format!("`{shown}` cannot be opened: {error}");
        Problem::new(ErrorKind::NotFound, message).detail("no_such_path").field("file_path")
    })
}

fn not_utf8(written: &str) -> Problem {
    let shown: String = written.chars().take(200).collect();
    Problem::invalid("file_path", "not_utf8", format!("`{shown}` leads to a path that is not UTF-8"))
}

fn stopped(error: &tokio::task::JoinError) -> Problem {
    Problem::new(ErrorKind::InternalError, format!("the path could not be looked at: {error}"))
}

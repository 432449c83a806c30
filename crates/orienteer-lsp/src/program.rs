//! Which program is the server, and in which surroundings?
//!
//! A project may bring programs of its own (`node_modules/.bin/tsc`, `.venv/bin/ty`) that fit it better than what is in
//! PATH. They are somebody else's code: [`LocalPrograms`] says when they are run, `program/trust.rs` finds out.

mod adapt;
mod modules;
mod poetry;
mod probe;
mod python;
mod require;
mod rust;
mod trust;
mod typescript;
mod versions;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use orienteer_base::Roots;
use orienteer_process::{Environment, Launcher};

pub use adapt::{Adapted, adapt};
pub(crate) use modules::guarded;
pub(crate) use rust::LACKS as LACKS_WITHOUT_TRUST;
pub use rust::Restricted;
pub use trust::{LocalPrograms, Trusted};

use crate::definition::{Candidate, Definition};
use crate::project::allowed_root;

/// A program that can be started.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    pub path: PathBuf,
    pub args: Vec<String>,
    /// What it said about itself when it was probed.
    pub version: Option<String>,
    /// Which of the project's installed things may be used; asked of git once, while looking for the program.
    pub trusted: Trusted,
    pub origin: Origin,
    /// Nothing of the project runs beside it, where it would run something.
    pub restricted: Option<Restricted>,
}

/// Whose program it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Origin {
    /// What the user has put into PATH, or named.
    #[default]
    Machine,
    /// The project's, where the user trusts the project.
    TrustedProject,
    /// The project's, installed beside what git tracks.
    InstalledInProject,
}

impl Origin {
    fn of(is_local: bool, allow_local: LocalPrograms) -> Self {
        match (is_local, allow_local) {
            (false, _) => Self::Machine,
            (true, LocalPrograms::Always) => Self::TrustedProject,
            (true, _) => Self::InstalledInProject,
        }
    }

    /// In words for a person; `None` where there is nothing to tell.
    pub fn told(self) -> Option<&'static str> {
        match self {
            Self::Machine => None,
            Self::TrustedProject => Some("the project's own, which you trust"),
            Self::InstalledInProject => {
                Some("the project's own, started where git wrote this work tree and does not track it")
            }
        }
    }
}

/// Why there is no program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// Something that it cannot do without.
    Prerequisite {
        program: String,
        hint: String,
        looked_in: Vec<PathBuf>,
        /// It is there, but not new enough: its version and what would do.
        too_old: Option<String>,
    },
    /// It is there and runs code of a project that nobody trusts.
    NotTrusted { program: PathBuf },
    NotInstalled {
        tried: Vec<String>,
        looked_in: Vec<PathBuf>,
        hint: Option<String>,
        /// Programs with the right name that are not it, and why: the first line of what they printed.
        rejected: Vec<(PathBuf, String)>,
    },
}

/// Finds the program of a server: what it requires first, then its candidates in order, the project's own before those
/// in PATH. A candidate with a probe is run once to see what it is.
///
/// # Errors
///
/// See [`Missing`].
pub async fn find(
    definition: &Definition,
    project_root: &Path,
    roots: &Roots,
    environment: &Environment,
    launcher: &Launcher,
    allow_local: LocalPrograms,
    state_folder: &Path,
) -> Result<Found, Missing> {
    let allow_local = here(allow_local, project_root, roots);
    let restricted = restricted(definition, project_root, roots, environment, allow_local, state_folder)?;
    let running = &match &restricted {
        Some(restricted) => restricted.environment(environment),
        None => environment.clone(),
    };
    if !is_trusted(project_root, roots, allow_local)
        && let Some(program) = chosen_by_place(project_root, roots)
    {
        return Err(Missing::NotTrusted { program });
    }
    require::present(definition, project_root, environment)?;
    require::new_enough(definition, project_root, running, launcher).await?;
    let trusted = Trusted::ask(project_root, roots, environment, allow_local).await;
    let (mut rejected, mut refused) = (Vec::new(), None);
    for Hit { candidate, path, is_local } in hits(definition, project_root, roots, environment, allow_local) {
        if is_local && !trusted.allows(&path) {
            rejected.push((
                path,
                "it belongs to the project, whose programs are not run without trust".to_owned(),
            ));
            continue;
        }
        if is_refused(definition, candidate, project_root, roots, allow_local) {
            refused.get_or_insert(path);
            continue;
        }
        let native = typescript::native(definition, &path);
        let path = native.filter(|path| !is_local || trusted.allows(path)).unwrap_or(path);
        let version = match probe::run(definition, candidate, &path, project_root, running, launcher).await {
            Ok(version) => version,
            Err(why) => {
                rejected.push((path, why));
                continue;
            }
        };
        if let Err(why) = typescript::usable(definition, &path, project_root, roots, environment, &trusted) {
            rejected.push((path, why));
            continue;
        }
        let origin = Origin::of(is_local, allow_local);
        return Ok(Found { path, args: candidate.args.clone(), version, trusted, origin, restricted });
    }
    match refused {
        Some(program) => Err(Missing::NotTrusted { program }),
        None => Err(not_installed(definition, project_root, roots, environment, allow_local, rejected)),
    }
}

/// The program that would be tried first, without running anything: for listings. What only a probe or git can tell is
/// not known here.
///
/// # Errors
///
/// See [`Missing`].
pub fn installed(
    definition: &Definition,
    project_root: &Path,
    roots: &Roots,
    environment: &Environment,
    allow_local: LocalPrograms,
) -> Result<(PathBuf, Origin), Missing> {
    let allow_local = here(allow_local, project_root, roots);
    require::present(definition, project_root, environment)?;
    let hits = hits(definition, project_root, roots, environment, allow_local).into_iter();
    let is_refused = |hit: &Hit<'_>| is_refused(definition, hit.candidate, project_root, roots, allow_local);
    let (refused, hits): (Vec<_>, Vec<_>) = hits.partition(is_refused);
    let may_serve = |path: &Path| {
        typescript::may_serve(definition, path)
            && (definition.typescript_plugin.is_none()
                || typescript::plugin(definition, project_root, roots, environment, |_| true).is_some())
    };
    let mut usable = hits.into_iter().filter_map(|Hit { path, is_local, .. }| {
        let path = match typescript::native(definition, &path) {
            Some(native) => native,
            None => Some(path).filter(|path| may_serve(path))?,
        };
        Some((path, Origin::of(is_local, allow_local)))
    });
    usable.next().ok_or_else(|| match refused.into_iter().next() {
        Some(Hit { path: program, .. }) => Missing::NotTrusted { program },
        None => not_installed(definition, project_root, roots, environment, allow_local, Vec::new()),
    })
}

/// How a server is kept from running what a project names, where it would.
fn restricted(
    definition: &Definition,
    project_root: &Path,
    roots: &Roots,
    environment: &Environment,
    allow_local: LocalPrograms,
    state_folder: &Path,
) -> Result<Option<Restricted>, Missing> {
    if !is_restricted(definition, project_root, roots, allow_local) {
        return Ok(None);
    }
    match rust::restrict(project_root, roots, environment, state_folder) {
        Ok(restricted) => Ok(Some(restricted)),
        Err(rust::Refused::Told(program)) => Err(Missing::NotTrusted { program }),
        Err(rust::Refused::Unwritable(error)) => {
            tracing::warn!(%error, folder = %state_folder.display(), "cannot be written to");
            Err(Missing::NotTrusted { program: state_folder.to_path_buf() })
        }
    }
}

/// What holds in a project: outside of the workspace trust counts as none.
fn here(allow_local: LocalPrograms, project_root: &Path, roots: &Roots) -> LocalPrograms {
    match allow_local {
        LocalPrograms::Always if !is_trusted(project_root, roots, allow_local) => LocalPrograms::Untracked,
        other => other,
    }
}

/// Whether a server is started in a way in which it runs nothing of a project.
pub(crate) fn is_restricted(
    definition: &Definition,
    project_root: &Path,
    roots: &Roots,
    allow_local: LocalPrograms,
) -> bool {
    definition.kind == "rust-analyzer" && !is_trusted(project_root, roots, allow_local)
}

/// Trust is given to the workspace, not to other roots.
fn is_trusted(project_root: &Path, roots: &Roots, allow_local: LocalPrograms) -> bool {
    allow_local == LocalPrograms::Always && project_root.starts_with(roots.workspace())
}

/// Whether a program is not started here although it is installed.
fn is_refused(
    definition: &Definition,
    candidate: &Candidate,
    project_root: &Path,
    roots: &Roots,
    allow_local: LocalPrograms,
) -> bool {
    (definition.trusted_only || candidate.trusted_only) && !is_trusted(project_root, roots, allow_local)
}

/// The interpreter of the Python environment that belongs to a project, if it may be run.
pub async fn python(
    project_root: &Path,
    roots: &Roots,
    environment: &Environment,
    allow_local: LocalPrograms,
) -> Option<PathBuf> {
    let trusted =
        Trusted::ask(project_root, roots, environment, here(allow_local, project_root, roots)).await;
    python::interpreter(&python::environment(project_root, roots, environment, &trusted)?)
}

/// The file of a project by which a manager of versions would start a program that lies in it.
pub fn chosen_by_place(project_root: &Path, roots: &Roots) -> Option<PathBuf> {
    versions::by_place(within(project_root, roots))
}

/// A file that may be the program.
struct Hit<'d> {
    candidate: &'d Candidate,
    path: PathBuf,
    /// Found in the project. What the user has put into PATH is the user's, wherever it lies.
    is_local: bool,
}

/// Every file that may be the program, in the order in which they are tried.
fn hits<'d>(
    definition: &'d Definition,
    project_root: &Path,
    roots: &Roots,
    environment: &Environment,
    allow_local: LocalPrograms,
) -> Vec<Hit<'d>> {
    let mut hits = Vec::new();
    if allow_local != LocalPrograms::Never {
        for candidate in &definition.candidates {
            for place in local_places(candidate, project_root, roots) {
                let found = environment.which(&place, project_root).into_iter();
                hits.extend(found.map(|path| Hit { candidate, path, is_local: true }));
            }
        }
    }
    for candidate in &definition.candidates {
        // A relative path is the user's: below the workspace, as everything that is written in the configuration.
        let found = environment.which(&candidate.program, roots.workspace()).into_iter();
        hits.extend(found.map(|path| Hit { candidate, path, is_local: false }));
    }
    // `/bin` is often `/usr/bin`. The name counts too: a proxy is one file that asks how it was called. A local one
    // that is refused may be in PATH as well, and one that does not take some arguments may take others.
    let mut seen = HashSet::new();
    hits.retain(|hit| {
        let real = std::fs::canonicalize(&hit.path).unwrap_or_else(|_| hit.path.clone());
        seen.insert((
            real,
            hit.path.file_name().map(ToOwned::to_owned),
            hit.is_local,
            (&hit.candidate.args, &hit.candidate.probe),
        ))
    });
    hits
}

/// Where a candidate may be in the project: from its root up to the allowed one, the nearest first.
fn local_places(candidate: &Candidate, project_root: &Path, roots: &Roots) -> Vec<PathBuf> {
    let within = within(project_root, roots);
    within.iter().flat_map(|folder| candidate.local.iter().map(|path| folder.join(path))).collect()
}

/// The folders from the project's root up to the allowed root.
fn within<'p>(project_root: &'p Path, roots: &Roots) -> Vec<&'p Path> {
    match allowed_root(project_root, roots) {
        Some(top) => project_root.ancestors().take_while(|folder| folder.starts_with(top)).collect(),
        None => vec![project_root],
    }
}

fn not_installed(
    definition: &Definition,
    project_root: &Path,
    roots: &Roots,
    environment: &Environment,
    allow_local: LocalPrograms,
    rejected: Vec<(PathBuf, String)>,
) -> Missing {
    let mut looked_in: Vec<PathBuf> = Vec::new();
    let local = definition.candidates.iter().filter(|_| allow_local != LocalPrograms::Never);
    let places = local.flat_map(|candidate| local_places(candidate, project_root, roots));
    let folders =
        places.filter_map(|place| place.parent().map(Path::to_path_buf)).filter(|folder| folder.is_dir());
    for folder in folders.chain(environment.search_path()) {
        if !looked_in.contains(&folder) {
            looked_in.push(folder);
        }
    }
    let mut tried: Vec<String> =
        definition.candidates.iter().map(|candidate| candidate.program.clone()).collect();
    tried.dedup();
    Missing::NotInstalled { tried, looked_in, hint: definition.install_hint.clone(), rejected }
}

#[cfg(all(test, unix))]
mod tests;

//! Which folder is to be worked in for a file that may be anywhere?

use std::path::{Path, PathBuf};
use std::sync::Arc;

use orienteer_base::{Problem, Roots};
use orienteer_lsp::project::project_root;
use orienteer_lsp::{Definition, Failure};

use crate::Session;
use crate::failure::problem;

/// The whole root, as languages without projects have it.
const ROOT: &str = ".";

impl Session {
    /// The repository around a file or folder, or else the project that its language server would have. The user's
    /// home folder and what is above it are never it, whatever lies there. A folder that has `settings` below it is a
    /// project, too. Looks at folders, so it blocks.
    pub fn home_of(&self, path: &Path, settings: &str) -> Result<PathBuf, Problem> {
        let folders = self.folders_above(path);
        if let Some(repository) = folders.iter().find(|folder| folder.join(".git").exists()) {
            return Ok(repository.to_path_buf());
        }
        let fleet = &self.engine().fleet;
        let owners = if path.is_dir() { fleet.catalog().cloned().collect() } else { fleet.owners(path) };
        let settled = folders.iter().find(|folder| folder.join(settings).is_file());
        let project = project_of(path, &owners, folders.last().copied());
        // The one that holds the other.
        let both = settled.map(|folder| folder.to_path_buf()).into_iter().chain(project);
        if let Some(home) = both.min_by_key(|folder| folder.components().count()) {
            return Ok(home);
        }
        let alone = owners
            .iter()
            .any(|owner| !owner.optional && owner.root_markers.iter().any(|marker| marker == ROOT));
        match (folders.first(), owners.first()) {
            (_, None) => Err(problem(fleet.no_server(path))),
            (Some(nearest), Some(_)) if alone && !path.is_dir() => Ok(nearest.to_path_buf()),
            (_, Some(owner)) => Err(problem(no_project(path, owner, &owners))),
        }
    }

    /// The folders that may be it, the nearest first.
    fn folders_above<'p>(&self, path: &'p Path) -> Vec<&'p Path> {
        let home = self.engine().environment.get(if cfg!(windows) { "USERPROFILE" } else { "HOME" });
        let home = home.and_then(|home| std::fs::canonicalize(home).ok());
        let nearest = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
        let above = |folder: &&Path| folder.parent().is_some() && home.as_deref() != Some(*folder);
        nearest.ancestors().take_while(above).collect()
    }
}

/// The project that the first server with one has.
fn project_of(path: &Path, owners: &[Arc<Definition>], outermost: Option<&Path>) -> Option<PathBuf> {
    let roots = Roots::new(outermost?, &[]).ok()?;
    let projects = owners.iter().filter_map(|owner| project_root(owner, path, &roots));
    let mut found = projects.filter(|project| project.marker.as_deref().is_some_and(|marker| marker != ROOT));
    found.next().map(|project| project.path)
}

fn no_project(path: &Path, owner: &Definition, owners: &[Arc<Definition>]) -> Failure {
    let mut looked_for: Vec<String> = Vec::new();
    // A folder belongs to nobody in particular: what any server would have counted was looked for.
    let of_any = owners.iter().map(AsRef::as_ref).filter(|_| path.is_dir());
    for definition in std::iter::once(owner).chain(of_any) {
        for marker in definition.root_markers.iter().flat_map(|tier| tier.split('|')) {
            if marker != ROOT && !looked_for.iter().any(|known| known == marker) {
                looked_for.push(marker.to_owned());
            }
        }
    }
    let language = if path.is_dir() { "code".to_owned() } else { owner.language.clone() };
    Failure::NoProject { server: owner.id.clone(), language, path: path.display().to_string(), looked_for }
}

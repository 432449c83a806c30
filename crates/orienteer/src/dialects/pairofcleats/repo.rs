//! Which repository is a call about?

use std::path::{Path, PathBuf};
use std::sync::Arc;

use orienteer_base::Problem;

use super::settings::{FILE, Settings};
use crate::config::Config;
use crate::elsewhere::Lent;
use crate::tool::Ctx;

/// A repository that is worked in, held for as long as this is.
pub(super) struct Repo {
    /// The call, in this repository.
    pub(super) ctx: Ctx,
    lent: Option<Lent>,
}

impl Repo {
    /// The named folder as it is, or the repository that was found at the start.
    pub(super) async fn of(ctx: &Ctx, named: Option<&str>) -> Result<Self, Problem> {
        let here = ctx.session.roots().workspace();
        let Some(named) = named.filter(|named| !named.trim().is_empty()) else {
            return Ok(Self { ctx: ctx.clone(), lent: None });
        };
        let folder = here.join(named);
        if folder.canonicalize().is_ok_and(|folder| folder == here) {
            return Ok(Self { ctx: ctx.clone(), lent: None });
        }
        let refused = |problem: Problem| problem.field("repoPath");
        ctx.allow(&folder).map_err(refused)?;
        if folder.exists() && !folder.is_dir() {
            let message =
                format!("`repoPath` is `{named}`, which is a file; name the folder of a repository");
            return Err(Problem::invalid("repoPath", "not_a_folder", message));
        }
        let lent = ctx.session_at(folder).await.map_err(refused)?;
        Ok(Self { ctx: Ctx { session: (*lent).clone(), ..ctx.clone() }, lent: Some(lent) })
    }

    /// What is in force in it. Limits of a call are those of where the server was started, whatever stands here.
    pub(super) fn config(&self) -> &Config {
        self.lent.as_ref().map_or_else(|| self.ctx.config(), Lent::config)
    }

    /// What PairOfCleats' variables and its own file say.
    pub(super) fn settings(&self) -> Arc<Settings> {
        let own = self.config().dialect_settings.clone();
        own.and_then(|own| own.downcast().ok()).unwrap_or_default()
    }

    /// It is another one than that in which the server was started.
    pub(super) fn is_elsewhere(&self) -> bool {
        self.lent.is_some()
    }

    /// Its folder, as answers show it.
    pub(super) fn shown(&self) -> String {
        self.ctx.session.roots().workspace().display().to_string()
    }
}

/// The nearest folder around this one that is a repository, or has settings of PairOfCleats.
pub(super) fn around(folder: &Path) -> Option<PathBuf> {
    let holds = |folder: &&Path| folder.join(".git").exists() || folder.join(FILE).is_file();
    folder.ancestors().find(holds).map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;
    use orienteer_testkit::tree;

    #[test]
    fn the_nearest_repository_is_found_from_any_folder_in_it() {
        let tree = tree(
            "//- /.git/HEAD\nref: refs/heads/main\n//- /src/deep/a.rs\n//- /inner/.git\ngitdir: ../x\n\
             //- /inner/lib/b.rs\n//- /other/.pairofcleats.json\n{}\n//- /other/c.rs\n",
        );
        let root = tree.root();
        assert_eq!(around(&root.join("src/deep")).as_deref(), Some(root));
        assert_eq!(around(root).as_deref(), Some(root));
        assert_eq!(around(&root.join("inner/lib")), Some(root.join("inner")), "a worktree has a file");
        assert_eq!(around(&root.join("other")), Some(root.join("other")));
    }
}

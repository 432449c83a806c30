//! May a server miss uses because it looks into some of the files only?

use std::path::PathBuf;

use orienteer_base::{Cancel, Problem};
use orienteer_lsp::Lease;
use orienteer_lsp::definition::Searches;

use crate::Session;

impl Session {
    /// Why, in words; `None` where it looks everywhere that matters.
    pub(crate) async fn overlooked(
        &self,
        lease: &Lease,
        word: Option<&str>,
        cancel: &Cancel,
    ) -> Result<Option<String>, Problem> {
        let Some(searches) = lease.definition_of_server().searches else { return Ok(None) };
        let server = lease.server_id().to_owned();
        let Some(word) = word.map(str::to_owned) else { return Ok(None) };
        let Searches { files, holding, shortest } = searches;
        if word.chars().count() < shortest {
            return Ok(Some(format!(
                "{server} looks for names of fewer than {shortest} letters in their own file only"
            )));
        }
        let (session, of) = (self.clone(), server.clone());
        let (all, with) = self
            .paint(cancel, move |_| {
                let fleet = &session.engine().fleet;
                let own = |path: &PathBuf| fleet.owners(path).iter().any(|owner| owner.id == of);
                let count = |files: Vec<PathBuf>| files.iter().filter(|path| own(path)).count();
                let workspace = session.workspace();
                let all = count(workspace.files());
                // Where nobody can tell, it may be in all.
                Ok((all, workspace.files_with(&word).map_or(all, count)))
            })
            .await?;
        Ok(if all > files {
            Some(format!(
                "{server} searches {files} files for a name, and there are {all}: uses in others may be missing"
            ))
        } else if with > holding {
            Some(format!(
                "{server} reads {holding} files with a name, and {with} have this one: uses in others may be missing"
            ))
        } else {
            None
        })
    }
}

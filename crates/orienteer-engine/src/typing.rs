//! What may be written here: signatures and completions.

use orienteer_base::ask::{CompletionQuery, SignatureQuery};
use orienteer_base::code::{Completions, Signatures};
use orienteer_base::{Answer, Cancel, Problem, Target};

use crate::Session;
use crate::answering::frame;
use crate::failure::problem;

impl Session {
    /// The signatures of the call around a place; none outside a call.
    pub async fn signatures(
        &self,
        query: SignatureQuery,
        cancel: &Cancel,
    ) -> Result<Answer<Signatures>, Problem> {
        let target = place(&query.file, query.line, query.column);
        let pinned = self.pin(&target, cancel).await?;
        let patience = self.patience(query.wait, cancel);
        let file = pinned.file.absolute();
        let lease = self.lease(file).await.map_err(problem)?;
        let heard = lease.signature_help(file, pinned.position, &patience).await.map_err(problem)?;
        let answer = frame(&lease, &heard.seen, pinned.warnings);
        Ok(answer.map(|()| heard.value.unwrap_or_default()))
    }

    /// What could be written at a place.
    pub async fn complete(
        &self,
        query: CompletionQuery,
        cancel: &Cancel,
    ) -> Result<Answer<Completions>, Problem> {
        let target = place(&query.file, query.line, query.column);
        let pinned = self.pin(&target, cancel).await?;
        let patience = self.patience(query.wait, cancel);
        let file = pinned.file.absolute();
        let lease = self.lease(file).await.map_err(problem)?;
        let window = (query.window.skip, query.window.limit, query.resolve);
        let trigger = query.trigger_character.as_deref();
        let heard =
            lease.complete(file, pinned.position, trigger, window, &patience).await.map_err(problem)?;
        let answer = frame(&lease, &heard.seen, pinned.warnings);
        let proposal = heard.value;
        Ok(answer.map(|()| Completions {
            items: proposal.items,
            total: proposal.total,
            is_incomplete: proposal.is_incomplete,
        }))
    }
}

fn place(file: &orienteer_base::RootedPath, line: u32, column: u32) -> Target {
    Target { file: Some(file.clone()), line: Some(line), column: Some(column), ..Target::default() }
}

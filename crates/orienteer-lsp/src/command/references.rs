//! `textDocument/references`.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use orienteer_base::Position;
use serde_json::json;

use crate::failure::Failure;
use crate::lease::{Heard, Lease, Spot};
use crate::live::{Patience, Request, Stuck};
use crate::ready::Needs;
use crate::recalled::AskedUses;
use crate::uses::Uses;

impl Lease {
    /// Where the symbol is used. `keep`: whoever asks the same again is given the same, until the server was told of a change
    /// to any file.
    pub async fn uses(
        &self,
        file: &Path,
        at: Position,
        include_declaration: bool,
        keep: bool,
        patience: &Patience,
    ) -> Result<Heard<Arc<Uses>>, Failure> {
        let request = Request {
            method: "textDocument/references",
            needs: Needs::Project,
            file: Some(file),
            at: Some(at),
            range: None,
            extra: json!({ "context": { "includeDeclaration": include_declaration } }),
        };
        let request = &request;
        self.with_live(patience, |live| async move {
            let since = Instant::now();
            let (raw, mut reading, moment) = live.ask_noting(request, patience).await?;
            let mut uses = Uses::read(&live, &raw, &mut reading);
            if live.definition.tells_declaration && !include_declaration {
                let method = "textDocument/definition";
                let declared = Request { method, extra: json!({}), ..request.clone() };
                // Who cannot say where it is declared has told all it knows.
                match live.ask(&declared, patience).await {
                    Ok((raw, mut declared)) => uses.leave_out(&Uses::read(&live, &raw, &mut declared)),
                    Err(Stuck::Failed(_)) => {}
                    Err(stuck) => return Err(stuck),
                }
            }
            let heard = reading.finish(&live, Arc::new(uses));
            if keep {
                let asked = AskedUses { file: file.to_path_buf(), at, include_declaration };
                live.keep_uses(asked, since, moment, &heard).await;
            }
            Ok(heard)
        })
        .await
    }

    /// What the server said when it was asked the same before, if it would say the same again; otherwise how many files it
    /// was told of.
    pub async fn recall_uses(
        &self,
        file: &Path,
        at: Position,
        include_declaration: bool,
        patience: &Patience,
    ) -> Result<Heard<Arc<Uses>>, u64> {
        let asked = &AskedUses { file: file.to_path_buf(), at, include_declaration };
        if !self.server.running().is_some_and(|live| live.has_uses(asked)) {
            return Err(0);
        }
        let recalled = self.with_live(patience, |live| async move { live.recall_uses(asked).await }).await;
        recalled.unwrap_or(Err(0))
    }

    /// The same with all files read.
    pub async fn references(
        &self,
        file: &Path,
        at: Position,
        include_declaration: bool,
        patience: &Patience,
    ) -> Result<Heard<Vec<Spot>>, Failure> {
        let heard = self.uses(file, at, include_declaration, false, patience).await?;
        let (told, mut heard) = (heard.value.len(), heard.map(|uses| uses.spots()));
        heard.seen.unreadable += told - heard.value.len();
        Ok(heard)
    }
}

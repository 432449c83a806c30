//! `textDocument/references`.

use std::path::Path;

use orienteer_base::Position;
use serde_json::json;

use crate::failure::Failure;
use crate::lease::{Heard, Lease, Spot};
use crate::live::{Patience, Request};
use crate::ready::Needs;
use crate::uses::Uses;

impl Lease {
    /// Everywhere the symbol at a place is used.
    pub async fn uses(
        &self,
        file: &Path,
        at: Position,
        include_declaration: bool,
        patience: &Patience,
    ) -> Result<Heard<Uses>, Failure> {
        let request = Request {
            method: "textDocument/references",
            needs: Needs::Project,
            file: Some(file),
            at: Some(at),
            range: None,
            extra: json!({ "context": { "includeDeclaration": include_declaration } }),
        };
        self.ask_raw(&request, patience, Uses::read).await
    }

    /// The same with all files read.
    pub async fn references(
        &self,
        file: &Path,
        at: Position,
        include_declaration: bool,
        patience: &Patience,
    ) -> Result<Heard<Vec<Spot>>, Failure> {
        Ok(self.uses(file, at, include_declaration, patience).await?.map(|uses| uses.spots()))
    }
}

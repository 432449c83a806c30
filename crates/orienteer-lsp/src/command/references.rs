//! `textDocument/references`.

use std::path::Path;

use orienteer_base::Position;
use serde_json::json;

use crate::failure::Failure;
use crate::lease::{Heard, Lease, Spot};
use crate::live::{Patience, Request};
use crate::ready::Needs;

impl Lease {
    /// Everywhere the symbol at a place is used.
    pub async fn references(
        &self,
        file: &Path,
        at: Position,
        include_declaration: bool,
        patience: &Patience,
    ) -> Result<Heard<Vec<Spot>>, Failure> {
        let request = Request {
            method: "textDocument/references",
            needs: Needs::Project,
            file: Some(file),
            at: Some(at),
            extra: json!({ "context": { "includeDeclaration": include_declaration } }),
        };
        self.ask_raw(&request, patience, |live, raw| live.spots(raw)).await
    }
}

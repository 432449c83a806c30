//! `textDocument/definition`, `declaration`, `typeDefinition`, `implementation`.

use std::path::Path;

use orienteer_base::Position;
use orienteer_base::ask::Relation;
use serde_json::json;

use crate::failure::Failure;
use crate::lease::{Heard, Lease, Spot};
use crate::live::{Patience, Request};
use crate::quirk;
use crate::ready::Needs;

impl Lease {
    /// Where what stands at a place is defined, declared, typed or implemented.
    pub async fn definition(
        &self,
        file: &Path,
        at: Position,
        relation: Relation,
        patience: &Patience,
    ) -> Result<Heard<Vec<Spot>>, Failure> {
        // clangd answers the declaration in the header until its index has the source.
        let defined = if self.server.definition.is("clangd") { Needs::Project } else { Needs::File };
        let (method, needs) = match relation {
            Relation::Definition => ("textDocument/definition", defined),
            Relation::Declaration => ("textDocument/declaration", Needs::File),
            Relation::TypeDefinition => ("textDocument/typeDefinition", Needs::File),
            Relation::Implementation => ("textDocument/implementation", Needs::Project),
        };
        let request =
            Request { method, needs, file: Some(file), at: Some(at), range: None, extra: json!({}) };
        self.ask(&request, patience, |live, raw, reading| reading.spots(live, raw)).await
    }

    /// Whether it leads to the declaration where it is asked at a definition.
    pub fn goes_back_and_forth(&self) -> bool {
        self.definition_of_server().is("clangd")
    }

    /// Whether the definition may be somewhere else: what was found of the project only declares it.
    pub fn declares_only(&self, found: &[Spot]) -> bool {
        let declares = |spot: &Spot| {
            let text = self.server.surroundings.texts.read(&spot.path).ok()?;
            let place = |at: Position| text.lines.offset_of(&text.text, at);
            Some(quirk::clangd::is_declaration(&text.text, place(spot.range.start)?..place(spot.range.end)?))
        };
        let own = |spot: &&Spot| spot.path.starts_with(self.root());
        found.iter().filter(own).any(|spot| declares(spot) == Some(true))
    }
}

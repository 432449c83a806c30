//! How is a place in a file written? With its absolute path.

use std::collections::HashMap;

use orienteer_base::Range;
use orienteer_base::code::Place;
use orienteer_engine::Session;
use serde_json::{Map, Value, json};

/// Turns paths as the engine shows them into absolute ones, each once.
#[derive(Debug)]
pub(super) struct Paths<'s> {
    session: &'s Session,
    known: HashMap<String, String>,
}

impl<'s> Paths<'s> {
    pub(super) fn new(session: &'s Session) -> Self {
        Self { session, known: HashMap::new() }
    }

    pub(super) fn absolute(&mut self, shown: &str) -> String {
        if let Some(known) = self.known.get(shown) {
            return known.clone();
        }
        let path = match self.session.resolve(shown) {
            Ok(path) => path.absolute().display().to_string(),
            // Gone meanwhile, or new: it is where it would be.
            Err(_) => self.session.roots().workspace().join(shown).display().to_string(),
        };
        self.known.insert(shown.to_owned(), path.clone());
        path
    }

    /// Path, line and column.
    pub(super) fn point(&mut self, file_path: &str, range: Range) -> Map<String, Value> {
        Map::from_iter([
            ("file_path".to_owned(), json!(self.absolute(file_path))),
            ("line".to_owned(), json!(range.start.line)),
            ("column".to_owned(), json!(range.start.column)),
        ])
    }

    /// The same with the line as it stands.
    pub(super) fn place(&mut self, place: &Place) -> Map<String, Value> {
        let mut value = self.point(&place.file_path, place.range);
        value.insert("preview".to_owned(), json!(place.preview));
        value
    }
}

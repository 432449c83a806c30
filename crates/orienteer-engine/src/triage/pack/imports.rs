//! Where is the package imported?

use std::collections::{BTreeMap, BTreeSet};

use orienteer_base::triage::{Evidence, EvidenceKind, Package, Provenance, Searched};
use orienteer_base::{Cancel, Completeness, Position, Problem, Range, Reason, Source};
use orienteer_triage::module::Imports;

use super::{Gathered, evidence, is_comment};
use crate::Session;
use crate::explore::in_test;

/// Files that are looked at.
const MOST_FILES: usize = 500;
/// Lines that are told.
const MOST: usize = 200;

/// The lines that import, by file as it is shown.
pub(super) type ImportLines = BTreeMap<String, BTreeSet<u32>>;

/// A line that was found, before it is known what surrounds it.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) file_path: String,
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) text: String,
}

impl Session {
    pub(super) async fn look_for_imports(
        &self,
        package: &Package,
        imports: &Imports,
        gathered: &mut Gathered,
        cancel: &Cancel,
    ) -> Result<ImportLines, Problem> {
        let (files, mut completeness) =
            self.own_lines(imports.pattern.clone(), false, imports.files, MOST_FILES, cancel).await?;
        let mut lines = Vec::new();
        let mut by_file = ImportLines::new();
        for file in &files {
            for found in file.matches.iter().filter(|found| !is_comment(&found.content, &file.file_path)) {
                let line = u32::try_from(found.line).unwrap_or(u32::MAX);
                by_file.entry(file.file_path.clone()).or_default().insert(line);
                let indent = found.content.chars().take_while(|c| c.is_whitespace()).count();
                lines.push(Line {
                    file_path: file.file_path.clone(),
                    line,
                    column: u32::try_from(indent + 1).unwrap_or(1),
                    text: found.content.clone(),
                });
            }
        }
        let found = lines.len();
        if found == 0 && !imports.certain {
            completeness = completeness.and(Completeness::partial(Reason::Heuristic));
        }
        let modules = imports.modules.join(", ");
        gathered.searches.push(Searched {
            what: "imports",
            looked_for: format!("lines that import {modules}"),
            looked_in: format!(
                "{} of the workspace, but for what version control ignores and installed packages",
                imports.files.join(", ")
            ),
            found,
            provenance: Provenance::Text,
            completeness,
            note: imports.note.map(str::to_owned),
        });
        lines.truncate(MOST);
        for (line, symbol, test) in self.surrounded(lines, cancel).await? {
            gathered.add(Evidence {
                column: line.column,
                package: Some(package.name.clone()),
                symbol,
                in_test: test,
                ..evidence(
                    EvidenceKind::Import,
                    &line.file_path,
                    line.line,
                    &line.text,
                    Provenance::Text,
                    &self.engine().conceal,
                )
            });
        }
        Ok(by_file)
    }

    /// Lines with what encloses them, and whether that is a test.
    pub(super) async fn surrounded(
        &self,
        lines: Vec<Line>,
        cancel: &Cancel,
    ) -> Result<Vec<(Line, Option<String>, bool)>, Problem> {
        let session = self.clone();
        self.paint(cancel, move |scenery| {
            let mut out = Vec::with_capacity(lines.len());
            for line in lines {
                let at = Position::new(line.line.max(1), line.column.max(1));
                let Ok(path) = session.roots().resolve(&line.file_path) else { continue };
                let place = scenery.place(path.absolute(), Range { start: at, end: at }, None, Source::Text);
                out.push((line, place.symbol.clone(), in_test(&place)));
            }
            Ok(out)
        })
        .await
    }
}

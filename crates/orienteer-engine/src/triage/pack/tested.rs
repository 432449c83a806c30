//! Which tests touch what uses an affected symbol?

use std::time::Duration;

use orienteer_base::ask::{ReferencesQuery, Window};
use orienteer_base::triage::{Evidence, EvidenceKind, Provenance, Searched};
use orienteer_base::{Cancel, Completeness, ErrorKind, Problem, Reason, Source, Target};

use super::{Gathered, evidence};
use crate::Session;
use crate::explore::in_test;

/// Functions whose tests are looked for.
const MOST: usize = 6;
/// Uses of a function that are looked through.
const MOST_USES: usize = 1_000;
/// Tests that are told for each.
const MOST_TESTS: usize = 20;

impl Session {
    /// Tests of the functions in which affected symbols are used.
    pub(super) async fn look_for_tests(
        &self,
        wait: Option<Duration>,
        gathered: &mut Gathered,
        cancel: &Cancel,
    ) -> Result<(), Problem> {
        let mut functions: Vec<(String, String, Option<String>)> = Vec::new();
        for one in gathered.evidence.iter().filter(|one| one.kind == EvidenceKind::Call && !one.in_test) {
            if let Some(symbol) = &one.symbol {
                let function = (one.file_path.clone(), symbol.clone(), one.package.clone());
                if !functions.contains(&function) {
                    functions.push(function);
                }
            }
        }
        let left = functions.len().saturating_sub(MOST);
        for (file_path, symbol, package) in functions.into_iter().take(MOST) {
            let Ok(file) = self.roots().resolve(&file_path) else { continue };
            let query = ReferencesQuery {
                target: Target { file: Some(file), symbol_name: Some(symbol.clone()), ..Target::default() },
                include_declaration: false,
                cross_check: false,
                snippet: None,
                window: Window { skip: 0, limit: MOST_USES },
                wait,
            };
            let mut search = Searched {
                what: "tests",
                looked_for: format!("tests that use {symbol}"),
                looked_in: "the workspace".to_owned(),
                found: 0,
                provenance: Provenance::Lsp,
                completeness: Completeness::Complete,
                note: None,
            };
            match self.references(query, cancel).await {
                Ok(answer) => {
                    let by_server = answer.source == Source::Lsp;
                    search.provenance = if by_server { Provenance::Lsp } else { Provenance::Text };
                    search.completeness = answer.completeness;
                    if answer.value.total_count > MOST_USES {
                        search.completeness = Completeness::partial(Reason::Capped);
                    }
                    let rows = answer.value.rows.into_iter().map(|row| row.place).filter(in_test);
                    for place in rows {
                        search.found += 1;
                        if search.found > MOST_TESTS {
                            continue;
                        }
                        gathered.add(Evidence {
                            column: place.range.start.column,
                            package: package.clone(),
                            symbol: place.symbol.clone(),
                            in_test: true,
                            note: Some(format!("uses {symbol}")),
                            ..evidence(
                                EvidenceKind::Test,
                                &place.file_path,
                                place.range.start.line,
                                &place.preview,
                                search.provenance,
                                &self.engine().conceal,
                            )
                        });
                    }
                }
                Err(problem) if problem.kind == ErrorKind::Cancelled => return Err(problem),
                Err(problem) => {
                    search.completeness = Completeness::partial(Reason::NotChecked);
                    search.note = Some(problem.message);
                }
            }
            gathered.searches.push(search);
        }
        if left > 0 {
            gathered.missing.push(format!("tests of {left} more functions were not looked for"));
        }
        Ok(())
    }
}

//! Everything about a symbol in one answer: five thin questions cost an agent more than one rich one.

use std::time::Duration;

use orienteer_base::ask::{
    CallDirection, CallsQuery, DefinitionQuery, ExploreQuery, HoverQuery, ReferencesQuery, Relation, Section,
    Window,
};
use orienteer_base::code::{Explored, HierarchyItem, Place};
use orienteer_base::{Answer, Cancel, Completeness, ErrorKind, Freshness, Problem, Range, Source, Target};

use crate::Session;
use crate::resolve::Pinned;
use crate::scenery::{row, unknown_id};

/// Rows of each section: all there are, as a rule; how many are shown is decided where the budget is known.
const ROWS: usize = 1_000;

/// Why there is no body of what stands in a file that nobody may look at.
const OUTSIDE: &str = "outside_roots: the file is in no allowed root, toolchain or package folder";

/// References looked through for tests.
const LOOKED_THROUGH: usize = 2_000;

impl Session {
    /// Symbols with their surroundings, each on its own: one that is not found does not hide the others.
    pub async fn explore(
        &self,
        query: ExploreQuery,
        cancel: &Cancel,
    ) -> Result<Answer<Vec<Result<Explored, Problem>>>, Problem> {
        let mut answer = Answer::new(Vec::new(), Completeness::Complete, Source::Lsp);
        // One after the other: they ask the same server, and the order of rows is the order of targets.
        for target in &query.targets {
            match self.explore_one(target, &query, cancel).await {
                Ok(one) => {
                    answer.completeness = answer.completeness.and(one.completeness);
                    answer.freshness = answer.freshness.and(one.freshness);
                    answer.warnings.extend(one.warnings);
                    answer.server_id = answer.server_id.or(one.server_id);
                    if one.source == Source::Text {
                        answer.source = Source::Text;
                    }
                    answer.value.push(Ok(one.value));
                }
                Err(problem) if problem.kind == ErrorKind::Cancelled => return Err(problem),
                Err(problem) => answer.value.push(Err(problem)),
            }
        }
        answer.warnings.dedup();
        Ok(answer)
    }

    async fn explore_one(
        &self,
        target: &Target,
        query: &ExploreQuery,
        cancel: &Cancel,
    ) -> Result<Answer<Explored>, Problem> {
        let wait = query.wait;
        let window = Window { skip: 0, limit: ROWS };
        let defined = self
            .definitions(
                DefinitionQuery {
                    target: target.clone(),
                    relation: Relation::Definition,
                    snippet: None,
                    window,
                    wait,
                },
                cancel,
            )
            .await?;
        let mut answer = defined.clone().map(|_| ());
        let here = match defined.value.rows.as_slice() {
            [] => {
                // The server has no definition: the place itself is what is known.
                let pinned = self.pin(target, cancel).await?;
                self.place_of(&pinned, cancel).await?
            }
            [first, ..] => first.place.clone(),
        };
        if defined.value.rows.len() > 1 {
            let others = defined
                .value
                .rows
                .iter()
                .skip(1)
                .map(|row| format!("{}:{}", row.place.file_path, row.place.range.start.line));
            let message = format!("also defined at {}", others.collect::<Vec<_>>().join(", "));
            answer.warnings.push(orienteer_base::answer::Warning::new("several_definitions", message));
        }
        // From here on everything is asked about the definition.
        // Or about the use, where nobody may look at the definition.
        let at = if here.withheld { target.clone() } else { self.target_at(&here)? };
        let mut explored = self.base(&here, query, cancel).await?;
        let mut trust = (answer.completeness, answer.freshness);
        for section in &query.sections {
            let (name, result) = self.section(*section, &at, &mut explored, wait, cancel).await;
            match result {
                Ok(Some((completeness, freshness))) => {
                    trust = (trust.0.and(completeness), trust.1.and(freshness));
                }
                Ok(None) => {}
                Err(problem) if problem.kind == ErrorKind::Cancelled => return Err(problem),
                Err(problem) => explored.missing.push((name, problem.message)),
            }
        }
        (answer.completeness, answer.freshness) = trust;
        Ok(answer.map(|()| explored))
    }

    fn target_at(&self, place: &Place) -> Result<Target, Problem> {
        let file = self.resolve(&place.file_path)?;
        let (line, column) = (Some(place.range.start.line), Some(place.range.start.column));
        Ok(Target { file: Some(file), line, column, ..Target::default() })
    }

    async fn place_of(&self, pinned: &Pinned, cancel: &Cancel) -> Result<Place, Problem> {
        let (path, at) = (pinned.file.absolute().to_path_buf(), pinned.position);
        let range = Range { start: at, end: at };
        self.paint(cancel, move |scenery| Ok(scenery.place(&path, range, None, Source::Text))).await
    }

    /// The symbol itself and its text.
    async fn base(&self, here: &Place, query: &ExploreQuery, cancel: &Cancel) -> Result<Explored, Problem> {
        let path =
            if here.withheld { None } else { Some(self.resolve(&here.file_path)?.absolute().to_owned()) };
        let (here, most) = (here.clone(), query.max_body_chars);
        let with_body = query.sections.contains(&Section::Body);
        self.paint(cancel, move |scenery| {
            let shown = here.file_path.clone();
            let symbol = path.as_deref().and_then(|path| scenery.symbol_at(path, here.range.start));
            let conceal = scenery.conceal();
            let file = match path.as_deref() {
                Some(path) => scenery.file(path),
                None => None,
            };
            let mut body_line = here.range.start.line;
            let (symbol, body) = match (symbol, file) {
                (Some(symbol), Some(file)) => {
                    body_line = file.text.lines.position(&file.text.text, symbol.range.start).line;
                    let body = with_body
                        .then(|| conceal.beginning(file.text.text[symbol.range.clone()].to_owned(), most));
                    (row(&shown, file, &symbol), body)
                }
                (None, Some(file)) => {
                    // No grammar, or a local: the lines around are what there is to show.
                    let line = here.range.start.line;
                    let lines: Vec<&str> = (line..line + 3).filter_map(|line| file.text.line(line)).collect();
                    (unknown(&here), with_body.then(|| conceal.beginning(lines.join("\n"), most)))
                }
                _ => (unknown(&here), None),
            };
            let hidden = (here.withheld && with_body).then(|| ("body", OUTSIDE.to_owned()));
            Ok(Explored {
                symbol,
                definition: here,
                body,
                body_line,
                hover: None,
                references_total: None,
                references_files: Vec::new(),
                unconfirmed_total: None,
                callers: Vec::new(),
                callees: Vec::new(),
                implementations: Vec::new(),
                tests: Vec::new(),
                missing: hidden.into_iter().collect(),
            })
        })
        .await
    }

    async fn section(
        &self,
        section: Section,
        at: &Target,
        explored: &mut Explored,
        wait: Option<Duration>,
        cancel: &Cancel,
    ) -> (&'static str, Result<Option<(Completeness, Freshness)>, Problem>) {
        match section {
            Section::Body => ("body", Ok(None)),
            Section::Hover => {
                let asked = self.hover(HoverQuery { target: at.clone(), wait }, cancel).await;
                (
                    "hover",
                    asked.map(|answer| {
                        let trust = (answer.completeness, answer.freshness);
                        explored.hover = Some(answer.value);
                        Some(trust)
                    }),
                )
            }
            Section::References | Section::Tests if explored.references_total.is_some() => {
                ("references", Ok(None))
            }
            Section::References | Section::Tests => {
                let query = ReferencesQuery {
                    target: at.clone(),
                    include_declaration: false,
                    cross_check: true,
                    snippet: None,
                    window: Window { skip: 0, limit: LOOKED_THROUGH },
                    wait,
                };
                let name = if section == Section::Tests { "tests" } else { "references" };
                (
                    name,
                    self.references(query, cancel).await.map(|answer| {
                        explored.references_total = Some(answer.value.total_count);
                        explored.references_files = answer.value.files;
                        explored.unconfirmed_total = answer.value.unconfirmed_total;
                        let rows = answer.value.rows.into_iter().map(|row| row.place);
                        explored.tests = rows.filter(in_test).take(ROWS).collect();
                        Some((answer.completeness, answer.freshness))
                    }),
                )
            }
            Section::Callers => {
                let asked = self.called(at, CallDirection::Incoming, wait, cancel).await;
                (
                    "callers",
                    asked.map(|(items, trust)| {
                        explored.callers = items;
                        Some(trust)
                    }),
                )
            }
            Section::Callees => {
                let asked = self.called(at, CallDirection::Outgoing, wait, cancel).await;
                (
                    "callees",
                    asked.map(|(items, trust)| {
                        explored.callees = items;
                        Some(trust)
                    }),
                )
            }
            Section::Implementations => {
                let query = DefinitionQuery {
                    target: at.clone(),
                    relation: Relation::Implementation,
                    snippet: None,
                    window: Window { skip: 0, limit: ROWS },
                    wait,
                };
                let own = explored.definition.clone();
                (
                    "implementations",
                    self.definitions(query, cancel).await.and_then(|answer| {
                        if answer.source == Source::Text {
                            let said = answer.warnings.first().map(|warning| warning.message.clone());
                            let message = said.unwrap_or_else(|| "no language server answered".to_owned());
                            return Err(Problem::new(ErrorKind::Unsupported, message));
                        }
                        let rows = answer.value.rows.into_iter().map(|row| row.place);
                        let same =
                            |place: &Place| place.file_path == own.file_path && place.range == own.range;
                        explored.implementations = rows.filter(|place| !same(place)).collect();
                        Ok(Some((answer.completeness, answer.freshness)))
                    }),
                )
            }
        }
    }

    async fn called(
        &self,
        at: &Target,
        direction: CallDirection,
        wait: Option<Duration>,
        cancel: &Cancel,
    ) -> Result<(Vec<HierarchyItem>, (Completeness, Freshness)), Problem> {
        let window = Window { skip: 0, limit: ROWS };
        let query = CallsQuery { target: at.clone(), direction, depth: 1, snippet: None, window, wait };
        let answer = self.call_hierarchy(query, cancel).await?;
        Ok((answer.value.items, (answer.completeness, answer.freshness)))
    }
}

fn unknown(here: &Place) -> orienteer_base::code::SymbolRow {
    let column = here.range.start.column as usize;
    let name: String = here
        .preview
        .chars()
        .skip(column.saturating_sub(1))
        .take_while(|c| orienteer_search::words::is_word_char(*c))
        .collect();
    orienteer_base::code::SymbolRow {
        symbol_id: unknown_id(&here.file_path, &name, here.range.start),
        name_path: name.clone(),
        name,
        kind: orienteer_base::SymbolKind::Variable,
        file_path: here.file_path.clone(),
        range: here.range,
        end_line: here.range.end.line,
        signature: None,
        doc: None,
        children: Vec::new(),
        source: here.source,
    }
}

/// Whether a use stands in a test, by the conventions of paths and names.
pub(crate) fn in_test(place: &Place) -> bool {
    let path = place.file_path.to_lowercase();
    let folder = path
        .split('/')
        .any(|part| matches!(part, "test" | "tests" | "spec" | "specs" | "__tests__" | "testing"));
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    let file = name.contains(".test.")
        || name.contains(".spec.")
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem.ends_with("_spec")
        || stem == "tests";
    let symbol = place.symbol.as_deref().unwrap_or_default();
    let inside = symbol.split('/').any(|part| {
        let part = part.to_lowercase();
        part == "tests" || part == "test" || part.starts_with("test_") || part.ends_with("_test")
    });
    folder || file || inside
}

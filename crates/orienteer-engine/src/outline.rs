//! What does this file or folder define?

use std::path::PathBuf;

use orienteer_base::ask::OutlineQuery;
use orienteer_base::code::{SymbolRow, Symbols};
use orienteer_base::{Answer, Cancel, Completeness, Problem, Reason, Source, SymbolKind};
use orienteer_lsp::command::Outlined as FromServer;

use crate::Session;
use crate::answering::{frame, instead};
use crate::failure::problem;
use crate::outlines::Outlined;
use crate::scenery::{numbered_id, row, unknown_id};

/// Files of a folder that are outlined in one call.
const MOST_FILES: usize = 5_000;

impl Session {
    /// The symbols of a file from its server, of a folder by grammar.
    pub async fn outline(&self, query: OutlineQuery, cancel: &Cancel) -> Result<Answer<Symbols>, Problem> {
        if query.path.absolute().is_dir() {
            return self.outline_folder(query, cancel).await;
        }
        let file = query.path.absolute().to_path_buf();
        let patience = self.patience(query.wait, cancel);
        let ahead = (!self.engine().outlines.has(&file)).then(|| {
            let file = file.clone();
            self.ahead(move |session, stop| drop(session.outlined(&file, stop)))
        });
        let asked = async {
            let lease = self.lease(&file).await?;
            let heard = lease.document_symbols(&file, &patience).await?;
            Ok((lease, heard))
        };
        let asked = asked.await;
        drop(ahead);
        match asked {
            Ok((lease, heard)) => {
                let answer = frame(&lease, &heard.seen, Vec::new());
                let (path, shown) = (file.clone(), query.path.shown().to_owned());
                let flag = cancel.clone();
                let session = self.clone();
                let rows = self
                    .sketch(cancel, self.has_at_hand(&file), move |_| {
                        let outlined = session.outlined(&path, &flag)?;
                        Ok(nested(&shown, &outlined, &heard.value, ""))
                    })
                    .await?;
                Ok(answer.map(|()| page(rows, &query)))
            }
            Err(failure) if self.is_exacting() => Err(problem(failure)),
            Err(failure) => {
                let (session, flag, path) = (self.clone(), cancel.clone(), query.path.clone());
                let by_grammar = self
                    .paint(cancel, move |_| {
                        let outlined = session.outlined(path.absolute(), &flag)?;
                        let rows = nest(path.shown(), &outlined);
                        Ok(outlined.parsed.then_some((rows, outlined.truncated())))
                    })
                    .await?;
                let no_server = matches!(failure, orienteer_lsp::Failure::NoServer { .. });
                match by_grammar {
                    Some((rows, _)) if self.has_substitute(&failure) => {
                        Ok(instead(page(rows, &query), failure, Vec::new()))
                    }
                    // A language without a server has its grammar, and nothing better is to be had.
                    Some((rows, cut)) if no_server => {
                        let reason = if cut { Reason::Capped } else { Reason::Heuristic };
                        Ok(Answer::new(page(rows, &query), Completeness::partial(reason), Source::Text))
                    }
                    _ => Err(problem(failure)),
                }
            }
        }
    }

    async fn outline_folder(&self, query: OutlineQuery, cancel: &Cancel) -> Result<Answer<Symbols>, Problem> {
        let (session, flag) = (self.clone(), cancel.clone());
        let folder = query.path.absolute().to_path_buf();
        let (rows, cut) = self
            .paint(cancel, move |_| {
                let files: Vec<PathBuf> = session
                    .workspace()
                    .files()
                    .into_iter()
                    .filter(|path| path.starts_with(&folder))
                    .collect();
                let mut rows = Vec::new();
                let mut cut = files.len() > MOST_FILES;
                let files = &files[..files.len().min(MOST_FILES)];
                let known = session.outlines_in_index(files, &flag).unwrap_or_default();
                let mut known = known.into_iter();
                for path in files {
                    flag.check()?;
                    if let Some(indexed) = known.next().flatten() {
                        rows.extend(indexed);
                        continue;
                    }
                    let Ok(outlined) = session.outlined(path, &flag) else { continue };
                    cut |= outlined.truncated();
                    rows.extend(nest(&session.roots().show(path), &outlined));
                    flag.advance(1);
                }
                Ok((rows, cut))
            })
            .await?;
        let source = rows.first().map_or(Source::Text, |row| row.source);
        let reason = if cut { Reason::Capped } else { Reason::Heuristic };
        Ok(Answer::new(page(rows, &query), Completeness::partial(reason), source))
    }
}

/// Rows of a server's outline, with the names and paths that all tools use.
fn nested(shown: &str, outlined: &Outlined, symbols: &[FromServer], above: &str) -> Vec<SymbolRow> {
    symbols.iter().map(|symbol| placed(shown, outlined, symbol, above)).collect()
}

fn placed(shown: &str, outlined: &Outlined, symbol: &FromServer, above: &str) -> SymbolRow {
    let known = outlined.offset(symbol.name_range.start).and_then(|offset| {
        // A key may be quoted: the grammar's name begins behind the quote.
        let quoted = outlined.text.text[offset..].starts_with(['"', '\'']);
        outlined.known_from(offset + usize::from(quoted))
    });
    let name_path = match (known, symbol.container.as_deref().unwrap_or(above)) {
        (Some((known, _)), _) => known.name_path.clone(),
        (None, "") => symbol.name.clone(),
        (None, container) => format!("{container}/{}", symbol.name),
    };
    let known_kind = known.map(|(known, _)| known.kind);
    let signature = match known {
        Some((known, _)) => Some(known.signature.clone()),
        None => symbol.detail.clone(),
    };
    SymbolRow {
        symbol_id: match known {
            Some((known, nth)) => numbered_id(shown, &known.name_path, nth),
            None => unknown_id(shown, &name_path, symbol.name_range.start),
        },
        // A server's name may hold a signature; the grammar's is the name.
        name: known.map_or_else(|| symbol.name.clone(), |(known, _)| known.name.clone()),
        kind: match (symbol.kind, known_kind) {
            // The protocol has no word for a trait, a macro or a type alias.
            (SymbolKind::Module | SymbolKind::Namespace, Some(SymbolKind::Key)) => SymbolKind::Key,
            (
                SymbolKind::Interface
                | SymbolKind::Function
                | SymbolKind::TypeParameter
                | SymbolKind::Class
                | SymbolKind::Variable,
                Some(known),
            ) => known,
            (kind, _) => kind,
        },
        file_path: shown.to_owned(),
        range: symbol.name_range,
        end_line: symbol.range.end.line,
        signature: signature.filter(|signature| !signature.is_empty()),
        doc: None,
        children: nested(shown, outlined, &symbol.children, &name_path),
        name_path,
        source: Source::Lsp,
    }
}

/// The grammar's flat outline as a tree.
fn nest(shown: &str, outlined: &Outlined) -> Vec<SymbolRow> {
    let symbols = &outlined.symbols();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); symbols.len()];
    let mut top = Vec::new();
    for (at, symbol) in symbols.iter().enumerate() {
        match symbol.parent {
            Some(parent) if parent != at && parent < symbols.len() => children[parent].push(at),
            _ => top.push(at),
        }
    }
    fn build(
        shown: &str,
        outlined: &Outlined,
        at: usize,
        children: &[Vec<usize>],
        depth: usize,
    ) -> SymbolRow {
        let mut made = row(shown, outlined, &outlined.symbols()[at]);
        if depth < 64 {
            let inside = children[at].iter();
            made.children = inside.map(|child| build(shown, outlined, *child, children, depth + 1)).collect();
        }
        made
    }
    top.into_iter().map(|at| build(shown, outlined, at, &children, 0)).collect()
}

/// What was asked for: kinds, depth, window. A window counts rows of the outermost level and all below them.
fn page(rows: Vec<SymbolRow>, query: &OutlineQuery) -> Symbols {
    let mut rows = if query.kinds.is_empty() { rows } else { of_kinds(rows, &query.kinds) };
    for row in &mut rows {
        cut(row, query.depth.saturating_sub(1));
    }
    let total = rows.iter().map(count).sum();
    let mut left = query.window.limit;
    let mut shown = Vec::new();
    for row in rows.into_iter().skip(query.window.skip) {
        let size = count(&row);
        if size > left && !shown.is_empty() {
            break;
        }
        left = left.saturating_sub(size);
        shown.push(row);
    }
    Symbols { rows: shown, total: Some(total) }
}

fn count(row: &SymbolRow) -> usize {
    1 + row.children.iter().map(count).sum::<usize>()
}

fn cut(row: &mut SymbolRow, depth: u32) {
    if depth == 0 {
        row.children.clear();
    }
    for child in &mut row.children {
        cut(child, depth - 1);
    }
}

/// Rows of some kinds, taken out of what contains them when that is of another kind.
fn of_kinds(rows: Vec<SymbolRow>, kinds: &[SymbolKind]) -> Vec<SymbolRow> {
    let mut kept = Vec::new();
    for mut row in rows {
        let inside = of_kinds(std::mem::take(&mut row.children), kinds);
        if kinds.contains(&row.kind) {
            row.children = inside;
            kept.push(row);
        } else {
            kept.extend(inside);
        }
    }
    kept
}

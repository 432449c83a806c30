//! Callers that a server does not know, from the references that it does.
//!
//! typescript-language-server looks for callers in the project of the function only; its references cross the borders
//! of projects. What is referenced there and called is a call.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use orienteer_base::{Cancel, Position, SymbolKind};
use orienteer_lsp::command::{CallItem, Called};
use orienteer_lsp::{Failure, Lease, Patience, Seen, Spot};

use crate::Session;
use crate::outlines::Outlined;
use crate::resolve::Pinned;

/// References that are looked at.
const MOST: usize = 500;

impl Session {
    /// Whether the server's own list of callers may lack some.
    pub(crate) fn lacks_callers(lease: &Lease) -> bool {
        lease.definition_of_server().runs_tsserver()
    }

    /// Calls of a function that are not among those already known.
    pub(crate) async fn callers_elsewhere(
        &self,
        lease: &Lease,
        of: &CallItem,
        known: &[Called],
        patience: &Patience,
        cancel: &Cancel,
    ) -> Result<(Vec<Called>, Option<Seen>), Failure> {
        // Nobody calls what stands outside every function, and its place is that of whatever the file begins with.
        if of.kind == SymbolKind::Module {
            return Ok((Vec::new(), None));
        }
        let Some(file) = self.roots().named(&of.spot.path) else { return Ok((Vec::new(), None)) };
        let at = of.spot.range.start;
        let pinned = Pinned { file, position: at, word: Some(of.name.clone()), warnings: Vec::new() };
        self.open_text_hits(lease, &pinned, patience, cancel).await;
        let heard = lease.references(&of.spot.path, at, false, patience).await?;
        let seen: HashSet<(PathBuf, Position)> = known
            .iter()
            .flat_map(|called| &called.sites)
            .map(|site| (site.path.clone(), site.range.start))
            .collect();
        let left =
            heard.value.into_iter().filter(|spot| !seen.contains(&(spot.path.clone(), spot.range.start)));
        let left: Vec<Spot> = left.take(MOST).collect();
        let grouped = self.paint(cancel, move |scenery| {
            let mut callers: BTreeMap<(PathBuf, Option<Position>), Vec<Spot>> = BTreeMap::new();
            for spot in left {
                let Some(file) = scenery.file(&spot.path) else { continue };
                if is_called(file, &spot) {
                    callers.entry((spot.path.clone(), function_around(file, &spot))).or_default().push(spot);
                }
            }
            Ok(callers)
        });
        let Ok(grouped) = grouped.await else { return Err(Failure::Cancelled) };
        let (mut found, mut around) = (Vec::new(), heard.seen);
        for ((path, name), sites) in grouped {
            let (item, seen) = self.item_at(lease, &path, name, patience).await?;
            around = seen.into_iter().fold(around, Seen::and);
            found.push(Called { item, sites });
        }
        Ok((found, Some(around)))
    }

    async fn item_at(
        &self,
        lease: &Lease,
        path: &Path,
        name: Option<Position>,
        patience: &Patience,
    ) -> Result<(CallItem, Option<Seen>), Failure> {
        let (prepared, seen) = match name {
            Some(name) => {
                let heard = lease.prepare_calls(path, name, patience).await?;
                (heard.value.into_iter().next(), Some(heard.seen))
            }
            None => (None, None),
        };
        Ok((prepared.unwrap_or_else(|| CallItem::module(path)), seen))
    }
}

/// Whether what is referenced is called there: followed by its arguments, constructed, or an element.
fn is_called(file: &Outlined, spot: &Spot) -> bool {
    let (Some(start), Some(end)) = (file.offset(spot.range.start), file.offset(spot.range.end)) else {
        return false;
    };
    let text = &file.text.text;
    let after = text[end..].trim_start();
    let before = text[..start].trim_end();
    after.starts_with(['(', '`'])
        || after.starts_with("?.(")
        || before.ends_with("new")
        || before.ends_with('<')
}

/// Where the name of the innermost function around a place stands.
fn function_around(file: &Outlined, spot: &Spot) -> Option<Position> {
    let offset = file.offset(spot.range.start)?;
    let is_function = |kind: SymbolKind| {
        matches!(kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor)
    };
    let around = file.symbols().iter();
    let around = around.filter(|symbol| is_function(symbol.kind) && symbol.range.contains(&offset));
    let innermost = around.min_by_key(|symbol| symbol.range.len())?;
    Some(file.text.lines.position(&file.text.text, innermost.name_range.start))
}

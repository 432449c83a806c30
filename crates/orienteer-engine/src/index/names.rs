//! Which files define a name, and which hold a word?
//!
//! For questions that would otherwise search the whole workspace. Only an index that knows all files as they are is
//! asked. What it does not have is added: hidden files, and files that were too large for it.

use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use orienteer_base::ask::NameMatch;
use orienteer_base::{Cancel, Language, SymbolKind};
use orienteer_index::store::{self, Condition, FileFlags, Plan as Filter, Reader, SymbolHit, SymbolLookup};
use orienteer_index::trigram::Plan;
use orienteer_search::words::occurrences;

use super::fresh::Look;
use crate::Session;

/// Symbols that are looked at.
const MOST_SYMBOLS: usize = 2_000;
/// With so many that are nearer, the store does not try names with letters between.
const NEARER: usize = 5;
/// Hidden and large files that are added.
const MOST_ADDED: usize = 200;
/// Files that are read to see whether a word stands in them.
const MOST_READ: usize = 5_000;
/// So much of a file is looked at at once.
const STRETCH: usize = 1 << 20;
/// More than the bytes of a character that was cut in two, as it is shown.
const NEAR: usize = 16;

/// A question by name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Named<'n> {
    /// The name itself, without what it is in.
    pub(crate) name: &'n str,
    pub(crate) how: NameMatch,
    /// Any when empty.
    pub(crate) kinds: &'n [SymbolKind],
    pub(crate) language: Option<&'static Language>,
    /// In or below this.
    pub(crate) scope: Option<&'n Path>,
}

/// What the index knows of a name.
#[derive(Debug, Default)]
pub(crate) struct Defined {
    /// Files that may define it, in order of path.
    pub(crate) files: Vec<PathBuf>,
    /// The name paths that fit, also those with a letter wrong.
    pub(crate) name_paths: HashSet<String>,
    /// There may be more names that are further from what was asked.
    pub(crate) cut: bool,
}

impl Session {
    /// Where a name like this is defined; `None` where the index cannot tell, or does not know the name. Blocks.
    pub(crate) fn defined_in_index(&self, named: &Named<'_>, cancel: &Cancel) -> Option<Defined> {
        let root = self.roots().workspace();
        let index = self.engine().index(root).filter(|index| index.is_open())?;
        let Ok(Look::Ready(view)) = index.look(&self.watch(), cancel) else { return None };
        if !view.is_true() {
            return None;
        }
        let reader = view.store.read().ok()?;
        let mut plan = Filter::default();
        if let Some(scope) = named.scope {
            let below = scope.strip_prefix(root).ok()?.as_os_str().as_encoded_bytes().to_vec();
            plan.conditions.extend((!below.is_empty()).then(|| Condition::PathPrefix(vec![below])));
        }
        plan.conditions.extend(named.language.map(|language| {
            let both = Language::by_word("tsx").filter(|_| language.id == "typescript");
            Condition::Languages([language].into_iter().chain(both).collect())
        }));
        let ask = SymbolLookup {
            name: named.name.to_owned(),
            loosest: match named.how {
                // Those that differ in case are counted, too, so that it shows whether all were looked at.
                NameMatch::Exact => store::NameMatch::IgnoringCase,
                NameMatch::Prefix => store::NameMatch::Prefix,
                NameMatch::Fuzzy => store::NameMatch::Fuzzy,
            },
            kinds: named.kinds.to_vec(),
            plan: plan.clone(),
            limit: MOST_SYMBOLS,
        };
        let found = reader.symbols(&ask, cancel).ok().filter(|found| !found.is_empty())?;
        let cut = is_cut(&found, named.how);
        // What is asked for exactly or by its beginning is asked for to the last one.
        if cut && named.how != NameMatch::Fuzzy {
            return None;
        }
        let paths = found.iter().filter_map(|hit| reader.path(hit.symbol.file));
        let mut files: Vec<PathBuf> = paths.map(|path| path.absolute(root)).collect();
        files.extend(self.unindexed(&reader, &plan, cancel)?);
        files.sort_unstable();
        files.dedup();
        let name_paths = found.into_iter().map(|hit| hit.symbol.name_path).collect();
        Some(Defined { files, name_paths, cut })
    }

    /// Files with a grammar whose symbols the index does not have; `None` when they are many.
    fn unindexed(&self, reader: &Reader<'_>, plan: &Filter, cancel: &Cancel) -> Option<Vec<PathBuf>> {
        let root = self.roots().workspace();
        let mut plan = plan.clone();
        let lacking = [FileFlags::TOO_LARGE, FileFlags::TRUNCATED].map(Condition::Flags);
        plan.conditions.push(Condition::Any(lacking.to_vec()));
        let large = reader.files_where(&plan, cancel).ok()?;
        let large = large.iter().filter_map(|id| reader.path(id)).map(|path| path.absolute(root));
        let hidden =
            self.watch().files().into_iter().filter(|path| path.strip_prefix(root).is_ok_and(is_hidden));
        let parsed = |path: &PathBuf| Language::by_path(path).is_some();
        let files: Vec<PathBuf> = large.chain(hidden).filter(parsed).take(MOST_ADDED + 1).collect();
        (files.len() <= MOST_ADDED).then_some(files)
    }

    /// The files that hold a word, in order of path; `None` where the index cannot tell, or where it is in too many.
    /// Blocks.
    pub(crate) fn holding_in_index(&self, word: &str, cancel: &Cancel) -> Option<Vec<PathBuf>> {
        let index = self.engine().index(self.roots().workspace()).filter(|index| index.is_open())?;
        let plan = Plan::of_pattern(word, true, false, false);
        if plan.is_everything() {
            return None;
        }
        // What lies apart, in caches that no rule ignores, is in no list.
        if index.stale(&self.watch())?.1 > 0 {
            return None;
        }
        let narrowed = index.narrow(&self.watch(), &plan, cancel).ok()??;
        if narrowed.open.len() > MOST_READ {
            return None;
        }
        let listed = narrowed.list.files();
        let open = narrowed.open.iter().filter_map(|place| listed.get(*place as usize));
        let mut files = Vec::new();
        for path in open {
            cancel.check().ok()?;
            if holds(self, path, word, cancel)? {
                files.push(path.clone());
            }
        }
        Some(files)
    }
}

/// Whether there may be names like this that the store has not told.
fn is_cut(found: &[SymbolHit], how: NameMatch) -> bool {
    // Of each way the store reads half as many as it may tell: those that it took count twice.
    2 * found.len() >= MOST_SYMBOLS || (how == NameMatch::Fuzzy && found.len() >= NEARER)
}

fn is_hidden(relative: &Path) -> bool {
    relative.components().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."))
}

/// Whether a word stands in a file, however large it is; `None` when nobody wants to know any more.
fn holds(session: &Session, path: &Path, word: &str, cancel: &Cancel) -> Option<bool> {
    let Ok(mut file) = session.roots().open(path) else { return Some(false) };
    stretches(&mut file, word, cancel)
}

/// Looks at a text stretch by stretch. Each begins with the end of the one before, so that no word falls between them.
fn stretches(text: &mut impl Read, word: &str, cancel: &Cancel) -> Option<bool> {
    let near = word.len() + NEAR;
    let (mut bytes, mut from) = (Vec::new(), 0);
    loop {
        cancel.check().ok()?;
        let read = text.by_ref().take(STRETCH as u64).read_to_end(&mut bytes).unwrap_or_default();
        let is_last = read < STRETCH;
        let text = String::from_utf8_lossy(&bytes);
        // What stands behind a word at the end is not known yet; it is looked at again with the next stretch.
        let to = if is_last { text.len() } else { text.len().saturating_sub(NEAR) };
        if occurrences(&text, word).any(|place| place.start >= from && place.end <= to) {
            return Some(true);
        }
        if is_last {
            return Some(false);
        }
        drop(text);
        bytes.drain(..bytes.len().saturating_sub(3 * near));
        // What stood before a word at the beginning is not known any more; it was looked at with the last stretch.
        from = near;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_wherever_it_stands_in_a_large_text() {
        let cancel = Cancel::new();
        let find = |text: &str, word: &str| stretches(&mut text.as_bytes(), word, &cancel);
        for at in [0, 1, STRETCH - 20, STRETCH - 5, STRETCH - 1, STRETCH, STRETCH + 3, 3 * STRETCH - 2] {
            let text = format!("{}needle{}", " ".repeat(at), " x".repeat(STRETCH / 3));
            assert_eq!(find(&text, "needle"), Some(true), "{at}");
            assert_eq!(find(&text, "needl"), Some(false), "{at}: a part is not the word");
        }
        let ends = format!("{}needle", " ".repeat(2 * STRETCH - 6));
        assert_eq!(find(&ends, "needle"), Some(true), "at the very end");
        assert_eq!(find("", "needle"), Some(false));
        cancel.cancel();
        assert_eq!(find("needle", "needle"), None);
    }
}

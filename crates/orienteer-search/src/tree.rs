//! What does this folder hold?

use orienteer_base::listing::Listing;
use orienteer_base::question::{EntryType, TreeQuery};
use orienteer_base::{Answer, Cancel, Problem, Roots};

use crate::entries::{Gather, extension};
use crate::names::Names;
use crate::stoppable;
use crate::walk::Walk;

/// Lists a folder to a depth. Counts are over all entries that pass, not only those of the page. Links are
/// listed as links and never followed. Sizes of folders are 0: what a folder itself takes says nothing.
pub fn list_tree(roots: &Roots, query: &TreeQuery, cancel: &Cancel) -> Result<Answer<Listing>, Problem> {
    let (roots, query, flag) = (roots.clone(), query.clone(), cancel.clone());
    stoppable::run(cancel, move || list(&roots, &query, &flag))
}

fn list(roots: &Roots, query: &TreeQuery, cancel: &Cancel) -> Result<Answer<Listing>, Problem> {
    if query.files_only && query.directories_only {
        let message = "`files_only` and `directories_only` together leave nothing; set at most one";
        return Err(Problem::invalid("directories_only", "contradiction", message));
    }
    let pattern = query.pattern.as_deref().map(|pattern| Pattern::new(pattern, roots, query)).transpose()?;
    let extensions: Vec<String> = query
        .extensions
        .iter()
        .map(|extension| extension.trim().trim_start_matches(['*', '.']).to_lowercase())
        .collect();
    let gather = Gather {
        roots,
        folder: &query.folder,
        walk: Walk {
            hidden: query.hidden,
            no_ignore: query.no_ignore,
            max_depth: Some(query.depth.max(1)),
            types: None,
        },
        order: query.order,
        details: query.details,
        skip: query.skip,
        per_page: query.entries_per_page,
        deepest: query.whole.then_some((query.depth.max(1), "list one of them by itself")),
    };
    gather.run(
        cancel,
        |_| false,
        |found, kind, _| {
            (!query.files_only || kind == EntryType::File)
                && (!query.directories_only || kind == EntryType::Directory)
                && (extensions.is_empty()
                    || (kind != EntryType::Directory && extensions.contains(&extension(found.path()))))
                && pattern.as_ref().is_none_or(|pattern| pattern.fits(found.path()))
        },
    )
}

/// A glob, or a word that names must contain, in any case.
enum Pattern {
    Glob(Names),
    Word(String),
}

impl Pattern {
    fn new(pattern: &str, roots: &Roots, query: &TreeQuery) -> Result<Self, Problem> {
        if pattern.contains(['*', '?', '[', '{', '/']) {
            let globs = [pattern.to_owned()];
            Names::new("pattern", &globs, false, roots, &query.folder).map(Self::Glob)
        } else {
            Ok(Self::Word(pattern.to_lowercase()))
        }
    }

    fn fits(&self, path: &std::path::Path) -> bool {
        match self {
            Self::Glob(names) => names.fits(path),
            Self::Word(word) => path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().to_lowercase().contains(word.as_str())),
        }
    }
}

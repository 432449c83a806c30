//! Which files are like this?

use std::fs::Metadata;

use ignore::DirEntry;
use orienteer_base::listing::Listing;
use orienteer_base::question::{EntryType, FindQuery};
use orienteer_base::{Answer, Cancel, Problem, Roots};

use crate::entries::{Gather, mode};
use crate::names::Names;
use crate::stoppable;
use crate::walk::Walk;

/// Finds entries by name, type, depth, time, size and permissions; the folder itself is never one of them.
///
/// Times compare strictly, and so do sizes, which only files have. `executable`, `readable` and `writable`
/// ask whether anybody may (any of the three bits is set), not whether this process could: the answer then
/// is the same for everyone.
pub fn find_files(roots: &Roots, query: &FindQuery, cancel: &Cancel) -> Result<Answer<Listing>, Problem> {
    let (roots, query, flag) = (roots.clone(), query.clone(), cancel.clone());
    stoppable::run(cancel, move || find(&roots, &query, &flag))
}

fn find(roots: &Roots, query: &FindQuery, cancel: &Cancel) -> Result<Answer<Listing>, Problem> {
    if query.min_depth > query.max_depth {
        let message =
            format!("`min_depth` ({}) is greater than `max_depth` ({})", query.min_depth, query.max_depth);
        return Err(Problem::invalid("min_depth", "contradiction", message));
    }
    let names = Names::new("names", &query.names, query.case_sensitive, roots, &query.folder)?;
    let pruned = Names::new("exclude_dirs", &query.exclude_dirs, true, roots, &query.folder)?;
    let gather = Gather {
        roots,
        folder: &query.folder,
        walk: Walk {
            hidden: query.hidden,
            no_ignore: query.no_ignore,
            max_depth: Some(query.max_depth),
            types: None,
        },
        order: query.order,
        details: query.details,
        skip: query.skip,
        per_page: query.files_per_page,
        deepest: Some((query.max_depth, "raise `max_depth`")),
    };
    gather.run(
        cancel,
        |folder| pruned.fits(folder.path()),
        |found, kind, metadata| {
            (query.names.is_empty() || names.fits(found.path())) && fits(query, found, kind, metadata)
        },
    )
}

fn fits(query: &FindQuery, found: &DirEntry, kind: EntryType, metadata: &Metadata) -> bool {
    let permitted = |wanted: Option<bool>, bits: u32, otherwise: bool| {
        wanted.is_none_or(|wanted| mode(metadata).map_or(otherwise, |mode| mode & bits != 0) == wanted)
    };
    let modified = metadata.modified().ok();
    let sized = query.size_greater.is_none() && query.size_less.is_none()
        || (kind == EntryType::File
            && query.size_greater.is_none_or(|bound| metadata.len() > bound)
            && query.size_less.is_none_or(|bound| metadata.len() < bound));
    found.depth() >= query.min_depth
        && query.entry_type.is_none_or(|wanted| wanted == kind)
        && query.modified_after.is_none_or(|bound| modified.is_some_and(|time| time > bound))
        && query.modified_before.is_none_or(|bound| modified.is_some_and(|time| time < bound))
        && sized
        && query.permissions.is_none_or(|wanted| mode(metadata) == Some(wanted & 0o7777))
        && permitted(query.executable, 0o111, false)
        && permitted(query.readable, 0o444, true)
        && permitted(query.writable, 0o222, !metadata.permissions().readonly())
}

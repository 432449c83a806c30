//! What means something similar to the question?

use orienteer_base::Cancel;

use super::Note;
use super::error::{Failed, FindError};
use super::known::Files;
use super::means::Meaning;
use super::narrow::Narrowed;
use super::pool::Pool;
use crate::store::{FileId, FileSet, PieceId, Plan};
use crate::vectors::{Scored, TextLimits, Vector, merge, rank};

/// Pieces that are taken for their meaning.
const MOST: usize = 100;

/// Adds the pieces that are nearest to a text in their meaning. Says whether meanings could be compared.
pub(super) fn gather(
    files: &mut Files<'_>,
    narrowed: &Narrowed,
    meaning: &Meaning<'_>,
    text: &str,
    pool: &mut Pool,
    notes: &mut Vec<Note>,
    cancel: &Cancel,
) -> Result<bool, FindError> {
    let Some(query) = meaning.model.embedder(TextLimits::default()).embed(text) else { return Ok(false) };
    let allowed = if narrowed.plan.is_empty() {
        narrowed.files.clone()
    } else {
        files.reader.files_where(&narrowed.plan, cancel)?
    };
    let firsts: Vec<i64> = narrowed.files.iter().map(|file| file.0).collect();
    let found = match nearest(meaning, &query, &firsts, &allowed, cancel) {
        Ok(found) => found,
        Err(Failed::Stopped(stopped)) => return Err(stopped.into()),
        Err(Failed::Unusable(reason)) => {
            notes.push(Note {
                kind: "no_vectors",
                message: format!("ranked by words alone, because {reason}"),
            });
            return Ok(false);
        }
    };
    let mut near: Vec<(FileId, PieceId, f64)> = Vec::new();
    for scored in found {
        let piece = i64::try_from(scored.id).unwrap_or(i64::MAX);
        if let Some(file) = file_of(&firsts, piece) {
            near.push((file, PieceId(piece), f64::from(scored.score)));
        }
    }
    // Filters on definitions pass some pieces of a file and not others.
    let passing = if narrowed.plan.conditions.is_empty() {
        None
    } else {
        let plan = Plan {
            files: Some(std::sync::Arc::new(FileSet::new(near.iter().map(|(file, ..)| *file)))),
            conditions: narrowed.plan.conditions.clone(),
        };
        let pieces = files.reader.pieces_where(&plan, usize::MAX, cancel)?;
        Some(pieces.into_iter().map(|piece| piece.id).collect::<std::collections::HashSet<_>>())
    };
    near.sort_by_key(|(_, piece, _)| *piece);
    for (file, piece, similarity) in near {
        if passing.as_ref().is_some_and(|passing| !passing.contains(&piece)) {
            continue;
        }
        let Some(known) = files.get(file)? else { continue };
        // What a comment means is not known apart from what it stands in.
        if narrowed.modes.has(known.file.mode) {
            pool.add_meaning(files, file, piece, similarity)?;
        }
    }
    Ok(true)
}

fn nearest(
    meaning: &Meaning<'_>,
    query: &Vector,
    firsts: &[i64],
    allowed: &FileSet,
    cancel: &Cancel,
) -> Result<Vec<Scored>, Failed> {
    let keep = |id: u64| {
        let piece = i64::try_from(id).unwrap_or(i64::MAX);
        file_of(firsts, piece).is_some_and(|file| allowed.has(file))
    };
    let since = meaning.since.iter().filter(|(id, _)| keep(*id)).map(|(id, vector)| (*id, vector));
    let newer = rank(query, since, MOST);
    let found = meaning.vectors.scan(query, MOST, meaning.threads, cancel, keep)?;
    Ok(merge([found, newer], MOST))
}

/// The file that a piece belongs to: files have the numbers of their first pieces. That a piece belongs to a file that
/// is gone shows only when it is looked up.
fn file_of(firsts: &[i64], piece: i64) -> Option<FileId> {
    let after = firsts.partition_point(|first| *first <= piece);
    firsts.get(after.checked_sub(1)?).map(|first| FileId(*first))
}

//! How do many segments become one?
//!
//! Every change adds a small segment. Each word of a question is looked up in all of them, so small ones are put
//! together: eight of about the same size make one, and what was deleted meanwhile falls out.

use orienteer_base::Cancel;
use rusqlite::Connection;

use super::dead::Dead;
use super::fault::Fault;
use super::meta;
use super::posting::{Postings, Tally, is_plain, put_distance, put_tally};
use super::segment::{Segment, SegmentWriter, segments};

/// So many of a level are put together.
const FANOUT: usize = 8;
/// Larger ones wait for a compaction, because a change must not take long.
const LARGEST: u64 = 4 << 20;

/// The level of what a build has made: it is left alone.
pub(super) const BASE: u32 = 0;

/// How large a segment is, in steps of eight.
pub(super) fn level(bytes: u64) -> u32 {
    1 + (bytes >> 15).checked_ilog(FANOUT as u64).map_or(0, |steps| steps + 1)
}

/// Puts together what has become too many, once. `false` when there was nothing to do.
pub(super) fn tidy(connection: &Connection, cancel: &Cancel) -> Result<bool, Fault> {
    let all = segments(connection)?;
    let levels = all.iter().map(|segment| segment.level).max().unwrap_or_default();
    for level in BASE + 1..=levels {
        let same: Vec<Segment> = all.iter().filter(|segment| segment.level == level).copied().collect();
        let bytes: u64 = same.iter().map(|segment| segment.bytes).sum();
        if same.len() >= FANOUT && bytes <= LARGEST {
            let next = meta::next(connection)?;
            let mut dead = Dead::default();
            dead.read(connection, next.piece, next.symbol)?;
            merge(connection, &same, &dead, cancel)?;
            return Ok(true);
        }
    }
    Ok(false)
}

/// Puts segments together into one, in place of them. They come in the order of their pieces.
fn merge(connection: &Connection, old: &[Segment], dead: &Dead, cancel: &Cancel) -> Result<(), Fault> {
    together(connection, connection, old, dead, false, cancel)?;
    for segment in old {
        segment.remove(connection)?;
    }
    Ok(())
}

/// Puts the segments of one file together into the base of another one.
pub(super) fn copy(
    from: &Connection,
    into: &Connection,
    old: &[Segment],
    dead: &Dead,
    cancel: &Cancel,
) -> Result<(), Fault> {
    together(from, into, old, dead, true, cancel)
}

fn together(
    from: &Connection,
    into: &Connection,
    old: &[Segment],
    dead: &Dead,
    base: bool,
    cancel: &Cancel,
) -> Result<(), Fault> {
    let mut cursors: Vec<_> = old.iter().map(Segment::cursor).collect();
    for cursor in &mut cursors {
        cursor.advance(from)?;
    }
    let mut writer = SegmentWriter::new(into)?;
    let mut list = Vec::new();
    let mut found: Vec<(u32, Tally)> = Vec::new();
    let mut terms = 0u64;
    while let Some(term) =
        cursors.iter().filter(|cursor| !cursor.has_ended()).map(|cursor| &cursor.term).min().cloned()
    {
        terms += 1;
        if terms.is_multiple_of(1 << 12) {
            cancel.check()?;
        }
        let is_word = term.first() == Some(&b'w');
        found.clear();
        for cursor in cursors.iter_mut().filter(|cursor| cursor.is_at(&term)) {
            let list = cursor.list(from)?;
            let mut postings = Postings::new(list.postings());
            while let Some(posting) = postings.step() {
                let (number, tally) = posting.ok_or(Fault::Damage("list of a term"))?;
                if !if is_word { dead.has_piece(number) } else { dead.has_symbol(number) } {
                    found.push((number, tally));
                }
            }
            cursor.advance(from)?;
        }
        // Segments that were put together before may reach around others.
        if !found.is_sorted_by_key(|(number, _)| *number) {
            found.sort_unstable_by_key(|(number, _)| *number);
        }
        list.clear();
        let mut last = 0;
        for (number, tally) in &found {
            let plain = is_plain(tally);
            put_distance(&mut list, last, *number, plain);
            if !plain {
                put_tally(&mut list, tally);
            }
            last = *number;
        }
        if !found.is_empty() {
            writer.push(&term, found.len() as u32, &list)?;
        }
    }
    let first = old.iter().map(|segment| segment.piece).min().unwrap_or_default();
    let end = old.iter().map(|segment| segment.piece_end).max().unwrap_or_default();
    writer.finish(base, first, end)
}

//! Private keys in answers that show only a part of a file.
//!
//! The renderer hides what it can recognise in the text it is given. The lines of a private key can only be
//! recognised between its fences, so where an answer shows lines of a file, the whole file is looked at.

use std::collections::BTreeMap;

use orienteer_base::Problem;
use orienteer_base::answer::Warning;
use orienteer_base::code::Place;
use orienteer_base::edit::PlannedFile;
use orienteer_base::listing::{Excerpt, Matches};
use orienteer_base::search::SearchHit;

use crate::render::{Hider, Reply};
use crate::tool::Ctx;

mod pieces;

use pieces::Pieces;

/// Common to the fences of every kind of private key.
const FENCE: &str = "PRIVATE KEY";

type Lines = BTreeMap<u64, String>;

/// Hides what is left of private keys in a reply: folded into signatures, joined, cut, quoted by a server. The files that
/// it names are looked at as wholes, and what stands in their keys is looked for in every text of the reply.
pub(crate) async fn hide(ctx: &Ctx, reply: &mut Reply) -> Result<(), Problem> {
    let Some(hider) = ctx.router.hider().cloned().filter(|_| !reply.own_words) else { return Ok(()) };
    let files = pieces::files(reply);
    if files.is_empty() {
        return Ok(());
    }
    let found = ctx.session.inspect(files, FENCE, &ctx.cancel, move |text| Pieces::of(&hider, text)).await?;
    let mut count = 0;
    for (_, pieces) in found {
        reply.each_text(&mut |text| count += usize::from(pieces.hide(text)));
    }
    if count > 0 && !reply.warnings.iter().any(|warning| warning.kind == "redacted") {
        let message = "parts of private keys were hidden; output.redact_secrets = false shows them";
        reply.warnings.push(Warning::new("redacted", message));
    }
    Ok(())
}

/// Lines to be shown differently, for each of the files.
async fn look(ctx: &Ctx, shown: Vec<String>) -> Result<Vec<(usize, Lines)>, Problem> {
    let Some(hider) = ctx.router.hider().cloned() else { return Ok(Vec::new()) };
    ctx.session.inspect(shown, FENCE, &ctx.cancel, move |text| hider.lines(text)).await
}

fn warning(count: usize) -> Warning {
    Warning::new(
        "redacted",
        format!("{count} lines with secrets were hidden; output.redact_secrets = false shows them"),
    )
}

/// Replaces the lines of `text`, whose first is number `first`. Says how many it replaced.
fn replace(text: &mut String, first: u64, lines: &Lines) -> usize {
    let mut count = 0;
    let replaced: String = (first..)
        .zip(text.split_inclusive('\n'))
        .map(|(number, line)| match lines.get(&number) {
            Some(new) => {
                count += 1;
                let end = line.trim_end_matches(['\r', '\n']).len();
                format!("{new}{}", &line[end..])
            }
            None => line.to_owned(),
        })
        .collect();
    if count > 0 {
        *text = replaced;
    }
    count
}

fn replace_each(texts: &mut [String], first: u64, lines: &Lines) -> usize {
    (first..).zip(texts).map(|(number, text)| replace(text, number, lines)).sum()
}

/// Hides keys in matches and their surroundings.
pub(crate) async fn hide_in_matches(ctx: &Ctx, page: &mut Matches) -> Result<Option<Warning>, Problem> {
    let mut files: Vec<_> = page.files.iter_mut().filter(|file| !file.matches.is_empty()).collect();
    let shown = files.iter().map(|file| file.file_path.clone()).collect();
    let mut count = 0;
    for (at, lines) in look(ctx, shown).await? {
        for found in files.get_mut(at).into_iter().flat_map(|file| &mut file.matches) {
            count += replace(&mut found.content, found.line, &lines);
            let first = found.line - found.before.len() as u64;
            count += replace_each(&mut found.before, first, &lines);
            count += replace_each(&mut found.after, found.end_line + 1, &lines);
            for (_, text) in &mut found.captures {
                // Where a capture begins is not known; what is in a hidden line cannot be shown beside it.
                if lines.range(found.line..=found.end_line).next().is_some() {
                    "[REDACTED]".clone_into(text);
                }
            }
        }
    }
    Ok((count > 0).then(|| warning(count)))
}

/// Hides keys in the places of one file and their surroundings.
pub(crate) async fn hide_in_excerpts(
    ctx: &Ctx,
    file: &str,
    excerpts: &mut [Excerpt],
) -> Result<Option<Warning>, Problem> {
    let mut count = 0;
    for (_, lines) in look(ctx, vec![file.to_owned()]).await? {
        for found in &mut *excerpts {
            let line = found.line as u64;
            count += replace(&mut found.content, line, &lines);
            let first = line - found.before.len() as u64;
            count += replace_each(&mut found.before, first, &lines);
            count += replace_each(&mut found.after, line + 1, &lines);
        }
    }
    Ok((count > 0).then(|| warning(count)))
}

/// Hides keys in the lines of hits. Where signature and documentation stand is not known: those that could hold a hidden
/// line are not shown.
pub(crate) async fn hide_in_hits(ctx: &Ctx, hits: &mut [SearchHit]) -> Result<Option<Warning>, Problem> {
    let mut files: Vec<String> = hits.iter().map(|hit| hit.file_path.clone()).collect();
    files.sort_unstable();
    files.dedup();
    let mut count = 0;
    for (at, lines) in look(ctx, files.clone()).await? {
        for hit in hits.iter_mut().filter(|hit| hit.file_path == files[at]) {
            for line in &mut hit.snippet {
                count += replace(&mut line.text, u64::from(line.number), &lines);
            }
            let (first, last) = (u64::from(hit.line), u64::from(hit.end_line.max(hit.line)));
            let inside = lines.range(first..=last).next().is_some();
            let before = lines.range(..=last).next().is_some();
            for text in
                hit.signature.iter_mut().filter(|_| inside).chain(hit.doc.iter_mut().filter(|_| before))
            {
                "[REDACTED]".clone_into(text);
                count += 1;
            }
        }
    }
    Ok((count > 0).then(|| warning(count)))
}

/// Hides keys in a stretch of a file that begins on line `first`.
pub(crate) async fn hide_in_text(
    ctx: &Ctx,
    file: &str,
    text: &mut String,
    first: usize,
) -> Result<Option<Warning>, Problem> {
    let mut count = 0;
    for (_, lines) in look(ctx, vec![file.to_owned()]).await? {
        count += replace(text, first as u64, &lines);
    }
    Ok((count > 0).then(|| warning(count)))
}

/// Hides keys in lines of a text that is at hand as a whole. `numbers` says which line of it each one is.
pub(crate) fn hide_in_lines(
    hider: &Hider,
    whole: &str,
    text: &mut String,
    numbers: &[Option<usize>],
) -> Option<Warning> {
    if !whole.contains(FENCE) {
        return None;
    }
    let lines = hider.lines(whole);
    let mut count = 0;
    let replaced: String = text
        .split_inclusive('\n')
        .zip(numbers.iter().chain(std::iter::repeat(&None)))
        .map(|(line, number)| {
            let mut line = line.to_owned();
            count += number.map_or(0, |number| replace(&mut line, number as u64, &lines));
            line
        })
        .collect();
    *text = replaced;
    (count > 0).then(|| warning(count))
}

/// Hides keys in diffs: where a part of one reaches into a key, its lines are not shown.
pub(crate) async fn hide_in_diffs(ctx: &Ctx, files: &mut [PlannedFile]) -> Result<Option<Warning>, Problem> {
    let shown = files.iter().map(|file| file.file_path.clone()).collect();
    let mut count = 0;
    for (at, lines) in look(ctx, shown).await? {
        if let Some(file) = files.get_mut(at) {
            count += hide_hunks(&mut file.diff, &lines);
        }
    }
    Ok((count > 0).then(|| warning(count)))
}

fn hide_hunks(diff: &mut String, lines: &Lines) -> usize {
    let mut hidden = false;
    let mut count = 0;
    let replaced = diff.split_inclusive('\n').map(|line| {
        if let Some(old) = line.strip_prefix("@@ -") {
            let numbers = old.split(' ').next().unwrap_or_default();
            let (first, length) = numbers.split_once(',').unwrap_or((numbers, "1"));
            let (first, length) = (first.parse().unwrap_or(0_u64), length.parse().unwrap_or(1_u64));
            hidden = lines.range(first..=first.saturating_add(length)).next().is_some();
            return line.to_owned();
        }
        if !hidden || !line.starts_with([' ', '-', '+']) {
            return line.to_owned();
        }
        count += 1;
        format!("{}[REDACTED]\n", &line[..1])
    });
    *diff = replaced.collect();
    count
}

/// Hides keys in places of any files. Where a snippet begins is not known: one that could show a hidden line
/// is not shown at all.
pub(crate) async fn hide_in_places(
    ctx: &Ctx,
    mut places: Vec<&mut Place>,
) -> Result<Option<Warning>, Problem> {
    const NEAR: u64 = 10;
    let mut files: Vec<String> = places.iter().map(|place| place.file_path.clone()).collect();
    files.sort_unstable();
    files.dedup();
    let mut count = 0;
    for (at, lines) in look(ctx, files.clone()).await? {
        for place in places.iter_mut().filter(|place| place.file_path == files[at]) {
            let (first, last) = (u64::from(place.range.start.line), u64::from(place.range.end.line));
            count += replace(&mut place.preview, first, &lines);
            let near = lines.range(first.saturating_sub(NEAR)..=last + NEAR).next().is_some();
            if near && let Some(snippet) = &mut place.snippet {
                "[REDACTED]".clone_into(snippet);
                count += 1;
            }
        }
    }
    Ok((count > 0).then(|| warning(count)))
}

/// Consecutive lines of a file, the first of them number `first`. An entry may hold several.
pub(crate) struct Stretch<'a> {
    pub(crate) file_path: &'a str,
    pub(crate) first: u64,
    pub(crate) lines: Vec<&'a mut String>,
}

/// Hides keys in lines that are shown apart from their file.
pub(crate) async fn hide_in_stretches(
    ctx: &Ctx,
    mut stretches: Vec<Stretch<'_>>,
) -> Result<Option<Warning>, Problem> {
    let mut files: Vec<String> = stretches.iter().map(|stretch| stretch.file_path.to_owned()).collect();
    files.sort_unstable();
    files.dedup();
    let mut count = 0;
    for (at, lines) in look(ctx, files.clone()).await? {
        for stretch in stretches.iter_mut().filter(|stretch| stretch.file_path == files[at]) {
            let mut number = stretch.first;
            for text in &mut stretch.lines {
                let length = text.matches('\n').count() as u64 + 1;
                count += replace(text, number, &lines);
                number += length;
            }
        }
    }
    Ok((count > 0).then(|| warning(count)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hunk_that_reaches_into_a_key_is_not_shown() {
        let lines = Lines::from([(11, "x".to_owned()), (12, "x".to_owned())]);
        let mut diff =
            "--- a/k\n+++ b/k\n@@ -2,2 +2,2 @@\n a\n-b\n+c\n@@ -9,3 +9,3 @@\n d\n-e\n+f\n".to_owned();
        assert_eq!(hide_hunks(&mut diff, &lines), 3);
        assert_eq!(
            diff,
            "--- a/k\n+++ b/k\n@@ -2,2 +2,2 @@\n a\n-b\n+c\n@@ -9,3 +9,3 @@\n [REDACTED]\n-[REDACTED]\n+[REDACTED]\n"
        );
        assert_eq!(hide_hunks(&mut diff, &Lines::new()), 0);
    }
}

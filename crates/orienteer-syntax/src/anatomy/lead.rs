//! What stands in front of a definition and belongs to it?

use std::ops::Range;

use orienteer_base::Language;

use super::scan::Scan;

/// Comments and attributes of a definition, and where it begins without them.
pub(super) struct Lead {
    pub(super) docs: Vec<Range<usize>>,
    pub(super) attributes: Vec<Range<usize>>,
    pub(super) core_start: usize,
}

/// `range`: the definition as the grammar has it, which begins with some of its attributes in some languages.
pub(super) fn lead(
    text: &str,
    language: &'static Language,
    scan: &Scan,
    range: &Range<usize>,
    name: &Range<usize>,
) -> Lead {
    let mut lead = Lead { docs: Vec::new(), attributes: Vec::new(), core_start: range.start };
    above(text, language, scan, range.start, &mut lead);
    inside(text, scan, range, name, &mut lead);
    lead
}

/// Upwards from the definition.
fn above(text: &str, language: &'static Language, scan: &Scan, start: usize, lead: &mut Lead) {
    let mut at = start;
    loop {
        let comment = ending_before(&scan.comments, at).filter(|range| is_about(text, language, range, at));
        // An attribute belongs to what follows, however far away.
        let attribute = ending_before(&scan.attributes, at).filter(|range| is_blank(text.get(range.end..at)));
        match (comment, attribute) {
            (comment, Some(attribute)) if comment.as_ref().is_none_or(|one| one.start < attribute.start) => {
                at = attribute.start;
                lead.attributes.push(attribute);
            }
            (Some(comment), _) => {
                at = comment.start;
                lead.docs.push(comment);
            }
            _ => break,
        }
    }
    lead.docs.reverse();
    lead.attributes.reverse();
}

/// Attributes at the beginning of the definition itself, and comments between them.
fn inside(text: &str, scan: &Scan, range: &Range<usize>, name: &Range<usize>, lead: &mut Lead) {
    let mut at = range.start;
    let mut comments = Vec::new();
    loop {
        let begins = |one: &&Range<usize>| one.start == at && one.end <= name.start && one.end > one.start;
        let after = if let Some(attribute) = scan.attributes.iter().find(begins) {
            // Comments count once something follows them that is an attribute or the definition itself.
            lead.docs.append(&mut comments);
            lead.attributes.push(attribute.clone());
            attribute.end
        } else if let Some(comment) = scan.comments.iter().find(begins).filter(|_| at > range.start) {
            comments.push(comment.clone());
            comment.end
        } else {
            break;
        };
        let blanks = text.get(after..range.end).map_or(0, |rest| rest.len() - rest.trim_start().len());
        at = after + blanks;
    }
    if at < range.end && at <= name.start {
        lead.docs.append(&mut comments);
        lead.core_start = at;
    }
}

/// The last of some ranges that ends at or before a place.
fn ending_before(ranges: &[Range<usize>], at: usize) -> Option<Range<usize>> {
    let end = ranges.partition_point(|range| range.start < at);
    ranges.get(..end)?.iter().rev().take(4).find(|range| range.end <= at).cloned()
}

fn is_blank(between: Option<&str>) -> bool {
    between.is_some_and(|between| between.bytes().all(|byte| byte.is_ascii_whitespace()))
}

/// Whether a comment is about what follows it at a place.
fn is_about(text: &str, language: &'static Language, comment: &Range<usize>, at: usize) -> bool {
    let (Some(between), Some(written)) = (text.get(comment.end..at), text.get(comment.clone())) else {
        return false;
    };
    if !is_blank(Some(between)) || is_about_something_else(text, language, comment, written) {
        return false;
    }
    let breaks = between.bytes().filter(|byte| *byte == b'\n').count();
    match breaks {
        0 => true,
        1 => begins_line(text, comment.start),
        // The compiler takes documentation for that of the next item, whatever is between.
        _ => {
            language.id == "rust"
                && begins_line(text, comment.start)
                && (written.starts_with("///") || written.starts_with("/**"))
        }
    }
}

/// About the file, the licence, what encloses it or what stands before it.
fn is_about_something_else(
    text: &str,
    language: &'static Language,
    comment: &Range<usize>,
    written: &str,
) -> bool {
    let inner = language.id == "rust" && (written.starts_with("//!") || written.starts_with("/*!"));
    let behind = ["///<", "//!<", "/**<", "/*!<"].iter().any(|mark| written.starts_with(mark));
    let shebang = comment.start == 0 && written.starts_with("#!");
    let first_lines = text.get(..comment.start).is_some_and(|before| before.matches('\n').count() < 2);
    let coding = first_lines && written.starts_with('#') && written.contains("coding");
    let licence = ["SPDX-License-Identifier", "Copyright", "copyright", "(c) "];
    inner || behind || shebang || coding || licence.iter().any(|word| written.contains(word))
}

pub(super) fn begins_line(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default().trim_end_matches([' ', '\t']);
    before.is_empty() || before.ends_with('\n') || before == "\u{feff}"
}

//! How is what an agent wrote indented where it goes?
//!
//! Agents write a definition as it would stand at the left margin, or as they read it, where only the first line begins
//! at the margin. Which of the two it is shows in the other lines, mostly; where the first reading does not fit the
//! grammar, the second one is tried. Lines inside strings are content and stay as they are.

use std::collections::HashSet;
use std::ops::Range;

/// Content without the blank lines around it. Its first line keeps its indentation.
pub(super) fn trimmed(content: &str) -> &str {
    let content = content.trim_end();
    let blank = content.len() - content.trim_start().len();
    let start = content.get(..blank).and_then(|blank| blank.rfind('\n')).map_or(0, |end| end + 1);
    content.get(start..).unwrap_or_default()
}

/// The ways to read content that goes to a place with this indentation, what seems meant first. The first line of each
/// begins with its text; the other lines have all of their indentation.
pub(super) fn readings(content: &str, base: &str, strings: &[Range<usize>]) -> Vec<String> {
    let own = leading(content);
    let bare = content.get(own.len()..).unwrap_or_default();
    let inside = lines_inside(content, strings);
    if !own.is_empty() {
        let shifted = (own != base).then(|| {
            shift(content, &inside, |line| line.strip_prefix(own).map(|rest| format!("{base}{rest}")))
        });
        return match shifted {
            // Some line is indented less than the first: as it was given.
            None | Some(None) => vec![bare.to_owned()],
            Some(Some(shifted)) => vec![shifted, bare.to_owned()],
        };
    }
    let Some(indented) = shift(content, &inside, |line| Some(format!("{base}{line}"))) else {
        return vec![bare.to_owned()];
    };
    if base.is_empty() || indented == content {
        return vec![bare.to_owned()];
    }
    if is_in_place(content, base, &inside) {
        vec![bare.to_owned(), indented]
    } else {
        vec![indented, bare.to_owned()]
    }
}

/// Whether the lines below the first are where they would be at a place with this indentation.
fn is_in_place(content: &str, base: &str, inside: &HashSet<usize>) -> bool {
    let lines = content.lines().enumerate().skip(1);
    let mut lines = lines
        .filter(|(number, line)| !inside.contains(number) && !line.trim().is_empty())
        .map(|(_, line)| line)
        .peekable();
    let first = content.lines().next().unwrap_or_default();
    // What opens a block is followed by something deeper, or by its end.
    if opens(first) && lines.peek().is_some_and(|next| leading(next).len() <= base.len() && !closes(next)) {
        return false;
    }
    lines.all(|line| line.starts_with(base))
}

fn opens(line: &str) -> bool {
    let is_comment = ["//", "/*", "*", "--", "# ", "<!--"].iter().any(|mark| line.starts_with(mark));
    if is_comment {
        return false;
    }
    let code = [" #", " //"].iter().filter_map(|mark| line.find(mark)).min();
    let code = code.and_then(|end| line.get(..end)).unwrap_or(line).trim_end();
    code.ends_with([':', '{', '(', '[', '=', ',', '\\', '>'])
}

fn closes(line: &str) -> bool {
    let written = line.trim_start();
    written.starts_with(['}', ')', ']']) || written.starts_with("end")
}

/// All lines but the first with another indentation; `None` when one of them cannot have it.
fn shift(content: &str, inside: &HashSet<usize>, change: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut out = String::with_capacity(content.len() * 2);
    for (number, line) in content.split_inclusive('\n').enumerate() {
        if number == 0 {
            out.push_str(line.trim_start_matches([' ', '\t']));
        } else if inside.contains(&number) || line.trim().is_empty() {
            out.push_str(line);
        } else {
            out.push_str(&change(line)?);
        }
    }
    Some(out)
}

fn leading(line: &str) -> &str {
    let length = line.len() - line.trim_start_matches([' ', '\t']).len();
    line.get(..length).unwrap_or_default()
}

/// The numbers of lines that begin inside of a string.
fn lines_inside(content: &str, strings: &[Range<usize>]) -> HashSet<usize> {
    let starts = content.match_indices('\n').map(|(at, _)| at + 1).enumerate();
    let inside = |at: usize| strings.iter().any(|string| string.start < at && at < string.end);
    starts.filter(|(_, at)| inside(*at)).map(|(number, _)| number + 1).collect()
}

/// One step of indentation, as most lines of a text have it.
pub(crate) fn unit(text: &str) -> String {
    let (mut tabs, mut spaces) = (0u32, [0u32; 9]);
    let mut before = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()).take(5_000) {
        let own = leading(line);
        if own.starts_with('\t') {
            tabs += 1;
            continue;
        }
        // A deeper line tells the step; a comment's star or a continued line tells nothing.
        let step = own.len().saturating_sub(before);
        if let Some(count) = spaces.get_mut(step).filter(|_| step >= 2) {
            *count += 1;
        }
        before = own.len();
    }
    let (width, count) = spaces.iter().enumerate().rev().max_by_key(|(_, count)| **count).unwrap_or((4, &0));
    match (tabs > spaces.iter().sum(), *count) {
        (true, _) => "\t".to_owned(),
        (false, 0) => "    ".to_owned(),
        (false, _) => " ".repeat(width),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(content: &str, base: &str) -> String {
        readings(content, base, &[]).remove(0)
    }

    #[test]
    fn content_from_the_margin_is_indented_and_content_in_place_is_not() {
        let margin = "fn a() {\n    b();\n}";
        let in_place = "fn a() {\n        b();\n    }";
        assert_eq!(first(margin, "    "), in_place);
        assert_eq!(first(in_place, "    "), in_place);
        assert_eq!(first(margin, ""), margin);
        assert_eq!(first("def a():\n    pass", "    "), "def a():\n        pass");
        assert_eq!(first("def a():\n        pass", "    "), "def a():\n        pass");
        assert_eq!(first("    fn a() {\n    }", "    "), "fn a() {\n    }");
        let commented = "// Why,\n    // and how:\n    fn a() {}";
        assert_eq!(first(commented, "    "), commented);
        assert_eq!(first("  fn a() {\n  }", "\t"), "fn a() {\n\t}");
        assert_eq!(first("a:\n\n  b", "  "), "a:\n\n    b", "a blank line stays empty");
    }

    #[test]
    fn both_readings_are_offered() {
        let decorated = "@a\n    def f():\n        pass";
        assert_eq!(readings(decorated, "    ", &[]).len(), 2);
        assert!(readings(decorated, "    ", &[]).contains(&decorated.to_owned()));
        assert_eq!(readings("    a\n  b", "  ", &[]), ["a\n  b"], "as it was given");
    }

    #[test]
    fn lines_in_strings_stay() {
        let content = "a = `x\ny`\nb";
        assert_eq!(readings(content, "  ", std::slice::from_ref(&(4..9)))[0], "a = `x\ny`\n  b");
    }

    #[test]
    fn blank_lines_around_content_go() {
        assert_eq!(trimmed("\n\n  a\n b\n\n"), "  a\n b");
        assert_eq!(trimmed("a"), "a");
        assert_eq!(trimmed(" \n "), "");
    }

    #[test]
    fn the_step_is_what_most_lines_have() {
        assert_eq!(unit("a\n  b\n    c\n  d\n"), "  ");
        assert_eq!(unit("a\n    b\n        c\n     * d\n"), "    ");
        assert_eq!(unit("a\n\tb\n\t\tc\n"), "\t");
        assert_eq!(unit("a\nb\n"), "    ");
    }
}

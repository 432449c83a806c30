//! What does the pattern mean?

use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use orienteer_base::Problem;
use orienteer_base::question::{Case, TextQuery};

/// The memory of one thread's lazily built automaton. ripgrep allows a gigabyte; less changes only the speed
/// of patterns that few people write, and a service must bound what one question costs.
const AUTOMATON: usize = 64 << 20;

/// A longer pattern is no question; compiling it would take longer than searching.
const LONGEST_PATTERN: usize = 64 << 10;

/// Refuses patterns that are too long to compile.
pub(crate) fn check_length(pattern: &str) -> Result<(), Problem> {
    if pattern.len() <= LONGEST_PATTERN {
        return Ok(());
    }
    let message =
        format!("the pattern has {} bytes, and at most {LONGEST_PATTERN} are compiled", pattern.len());
    Err(Problem::invalid("pattern", "pattern_too_large", message))
}

/// The matcher ripgrep would build for the same options.
pub(super) fn compile(query: &TextQuery) -> Result<RegexMatcher, Problem> {
    check_length(&query.pattern)?;
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .unicode(true)
        .octal(false)
        .fixed_strings(query.fixed_string)
        .word(query.whole_word)
        .dot_matches_new_line(false)
        .dfa_size_limit(AUTOMATON)
        // A NUL ends the search of a file, so a pattern that needs one could never match.
        .ban_byte(Some(0));
    match query.case {
        Case::Smart => builder.case_smart(true),
        Case::Sensitive => builder.case_insensitive(false),
        Case::Insensitive => builder.case_insensitive(true),
    };
    if !query.multiline {
        builder.line_terminator(Some(b'\n'));
    }
    builder.build(&query.pattern).map_err(|error| explain(error.kind(), &error.to_string()))
}

fn explain(kind: &ErrorKind, message: &str) -> Problem {
    let message = tail(message);
    match kind {
        ErrorKind::NotAllowed(_) => Problem::invalid(
            "pattern",
            "invalid_regex",
            format!("{message}; a pattern with a line break needs `multiline`"),
        ),
        ErrorKind::Regex(_) if message.contains("exceeds size limit") => Problem::invalid(
            "pattern",
            "pattern_too_large",
            format!("the pattern is too large: {message}; use fewer or smaller repetitions"),
        ),
        _ => Problem::invalid("pattern", "invalid_regex", format!("the pattern is not valid: {message}")),
    }
}

/// The end of a message that quotes the whole pattern: what is wrong stands last.
pub(crate) fn tail(message: &str) -> String {
    const LONGEST: usize = 600;
    match message.char_indices().nth_back(LONGEST) {
        Some((at, _)) => format!("…{}", &message[at..]),
        None => message.to_owned(),
    }
}

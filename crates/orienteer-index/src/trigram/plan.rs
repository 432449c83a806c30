//! Which trigrams must a match have?

mod shape;
mod western;

use orienteer_base::question::{Case, TextQuery};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;

/// A plan with more trigrams than this takes longer to work out than it saves.
const MOST_TRIGRAMS: usize = 8_192;
/// The most conditions that must all hold; a few are as good as many.
const MOST_CONDITIONS: usize = 128;

/// What every text that matches must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub(super) need: Need,
    /// A match may go over several lines. Otherwise all that is needed stands on one.
    pub(super) across_lines: bool,
}

impl Plan {
    /// What every file has that the search would find something in.
    pub fn of(query: &TextQuery) -> Self {
        // Whole words match in fewer places.
        Self::of_case(&query.pattern, query.fixed_string, query.case, query.multiline)
    }

    pub(super) fn of_case(pattern: &str, fixed: bool, case: Case, across_lines: bool) -> Self {
        let plan = |ignore_case: bool| Self::of_pattern(pattern, fixed, ignore_case, across_lines);
        match case {
            Case::Sensitive => plan(false),
            Case::Insensitive => plan(true),
            // The search decides by the pattern. Neither way finds all that the other does: without case, a class that
            // refuses `A` refuses `a`, too.
            Case::Smart => Self::of_need(Need::any([plan(false).need, plan(true).need]), across_lines),
        }
    }

    /// The same for a pattern alone. Whether letters compare in either case matters beyond ASCII and in classes.
    pub fn of_pattern(pattern: &str, fixed: bool, ignore_case: bool, across_lines: bool) -> Self {
        let pattern = if fixed { regex_syntax::escape(pattern) } else { pattern.to_owned() };
        // What is no pattern is told by the search itself.
        let Some(expression) = parse(&pattern, ignore_case) else { return Self::everything() };
        Self::of_need(shape::Shape::of(&expression).into_need(), across_lines)
    }

    /// What every file has whose text matches, for whoever reads files as the index does: bytes that are no UTF-8 are
    /// letters of windows-1252 there, or were replaced. Matches may go over several lines.
    pub fn of_text(pattern: &str, ignore_case: bool) -> Self {
        let Some(expression) = parse(pattern, ignore_case) else { return Self::everything() };
        if western::asks_replaced(&expression) {
            return Self::everything();
        }
        let need = shape::Shape::of(&expression).into_need();
        let western = match western::western(&expression) {
            Some(expression) => shape::Shape::of(&expression).into_need(),
            None => Need::everything(),
        };
        Self::of_need(Need::any([need, western]), true)
    }

    fn of_need(need: Need, across_lines: bool) -> Self {
        if need.size() > MOST_TRIGRAMS { Self::everything() } else { Self { need, across_lines } }
    }

    pub fn everything() -> Self {
        Self { need: Need::everything(), across_lines: true }
    }

    /// Whether nothing is left out.
    pub fn is_everything(&self) -> bool {
        self.need.is_everything()
    }
}

fn parse(pattern: &str, ignore_case: bool) -> Option<Hir> {
    let mut parser = ParserBuilder::new().utf8(false).multi_line(true).case_insensitive(ignore_case).build();
    // In brackets, as the search has it, so that odd patterns mean the same.
    parser.parse(&format!("(?:{pattern})")).ok()
}

/// What a text must have. `All` of nothing is what every text has, `Any` of nothing what none has.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Need {
    /// Three bytes, the first highest, ASCII letters in lower case.
    Trigram(u32),
    All(Vec<Need>),
    Any(Vec<Need>),
}

impl Need {
    fn everything() -> Self {
        Self::All(Vec::new())
    }

    fn is_everything(&self) -> bool {
        matches!(self, Self::All(needs) if needs.is_empty())
    }

    fn nothing() -> Self {
        Self::Any(Vec::new())
    }

    fn is_nothing(&self) -> bool {
        matches!(self, Self::Any(needs) if needs.is_empty())
    }

    /// Its trigrams, sorted.
    pub(super) fn trigrams(&self) -> Vec<u32> {
        fn collect(need: &Need, all: &mut Vec<u32>) {
            match need {
                Need::Trigram(trigram) => all.push(*trigram),
                Need::All(needs) | Need::Any(needs) => needs.iter().for_each(|need| collect(need, all)),
            }
        }
        let mut all = Vec::new();
        collect(self, &mut all);
        all.sort_unstable();
        all.dedup();
        all
    }

    fn size(&self) -> usize {
        match self {
            Self::Trigram(_) => 1,
            Self::All(needs) | Self::Any(needs) => needs.iter().map(Self::size).sum(),
        }
    }

    /// Adds a condition. Beyond the limit they are dropped, which only adds candidates.
    fn and(&mut self, other: Self) {
        if other.is_everything() || self.is_nothing() {
            return;
        }
        if other.is_nothing() {
            *self = other;
            return;
        }
        if !matches!(self, Self::All(_)) {
            *self = Self::All(vec![std::mem::replace(self, Self::everything())]);
        }
        let Self::All(needs) = self else { return };
        match other {
            Self::All(others) => {
                for other in others {
                    if needs.len() < MOST_CONDITIONS && !needs.contains(&other) {
                        needs.push(other);
                    }
                }
            }
            other if needs.len() < MOST_CONDITIONS && !needs.contains(&other) => needs.push(other),
            _ => {}
        }
        if needs.len() == 1
            && let Some(only) = needs.pop()
        {
            *self = only;
        }
    }

    /// Any one of these.
    fn any(needs: impl IntoIterator<Item = Self>) -> Self {
        let mut kept = Vec::new();
        for need in needs {
            match need {
                need if need.is_everything() => return need,
                Self::Any(others) => kept.extend(others),
                need => kept.push(need),
            }
        }
        kept.sort_unstable();
        kept.dedup();
        match kept.pop() {
            Some(only) if kept.is_empty() => only,
            Some(last) => {
                kept.push(last);
                Self::Any(kept)
            }
            None => Self::nothing(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plan as it is written by hand: trigrams, `&` and `|`.
    fn show(need: &Need) -> String {
        let joined = |needs: &[Need], by: &str| needs.iter().map(show).collect::<Vec<_>>().join(by);
        match need {
            Need::Trigram(trigram) => trigram.to_be_bytes()[1..]
                .iter()
                .flat_map(|byte| byte.escape_ascii())
                .map(char::from)
                .collect(),
            need if need.is_everything() => "everything".to_owned(),
            need if need.is_nothing() => "nothing".to_owned(),
            Need::All(needs) => format!("({})", joined(needs, "&")),
            Need::Any(needs) => format!("({})", joined(needs, "|")),
        }
    }

    fn plan(pattern: &str) -> String {
        show(&Plan::of_pattern(pattern, false, false, false).need)
    }

    #[test]
    fn literals_are_their_trigrams() {
        assert_eq!(plan("abcd"), "(abc&bcd)");
        assert_eq!(plan("ABC"), "abc");
        assert_eq!(plan("ab"), "everything");
        assert_eq!(plan(""), "everything");
        assert_eq!(plan("aé"), r"a\xc3\xa9");
        assert_eq!(show(&Plan::of_pattern("a.c*", true, false, false).need), "(a.c&.c*)");
    }

    #[test]
    fn alternatives_are_any_of_them() {
        assert_eq!(plan("abcd|xyz"), "(xyz|(abc&bcd))");
        assert_eq!(plan("abc|xy"), "everything");
        assert_eq!(plan("(ab|xy)c"), "(abc|xyc)");
        assert_eq!(plan("foo(bar|baz)"), "((foo&oob&oba&bar)|(foo&oob&oba&baz))");
        assert_eq!(plan("[ab]cd"), "(acd|bcd)");
        assert_eq!(plan("(abc|def).*ghi"), "((abc|def)&ghi)");
    }

    #[test]
    fn repeats_keep_what_is_always_there() {
        assert_eq!(plan("abc+d"), "abc");
        assert_eq!(plan("(abc)+"), "abc");
        assert_eq!(plan("(abc)*"), "everything");
        assert_eq!(plan("(abc)?def"), "(def|(abc&bcd&cde&def))");
        assert_eq!(plan("(ab){2}"), "(aba&bab)");
        assert_eq!(plan("(ab){2,}"), "(aba&bab)");
        assert_eq!(plan("x{0}abc"), "abc");
        assert_eq!(plan("abc.*def"), "(abc&def)");
        assert_eq!(plan("abc.def"), "(abc&def)");
    }

    #[test]
    fn what_stands_on_both_sides_of_a_seam_counts() {
        // `a+` is one letter or more: what is before touches an `a`, and so does what is after.
        assert_eq!(plan("xya+zw"), "(xya&azw)");
        assert_eq!(plan("[0-9]+px;"), "(px;&(0px|1px|2px|3px|4px|5px|6px|7px|8px|9px))");
        assert_eq!(plan(r"\w+abc"), "abc");
    }

    #[test]
    fn places_say_nothing() {
        for pattern in ["^abc$", r"\babc\b", r"\Aabc\z", "(?m)^abc", "(?-m)^abc$", r"\b{start}abc"] {
            assert_eq!(plan(pattern), "abc", "{pattern}");
        }
    }

    #[test]
    fn a_line_break_is_in_no_trigram() {
        assert_eq!(plan("abc\ndef"), "(abc&def)");
        assert_eq!(plan("a\nb\nc"), "everything");
        assert_eq!(plan(r"abc\s+def"), "(abc&def)");
    }

    #[test]
    fn letters_in_either_case_are_all_their_forms() {
        assert_eq!(show(&Plan::of_pattern("AbC", false, true, false).need), "abc");
        // The sign of kelvin and the long s are letters, too.
        assert_eq!(
            plan("(?i)xks"),
            r"(xks|(xk\xc5&k\xc5\xbf)|(x\xe2\x84&\xe2\x84\xaa&\x84\xaas)|(x\xe2\x84&\xe2\x84\xaa&\x84\xaa\xc5&\xaa\xc5\xbf))"
        );
        assert_eq!(plan("(?i-u)xks"), "xks");
        assert_eq!(plan("(?i)é."), "everything");
        assert_eq!(plan("(?i)aé"), r"(a\xc3\x89|a\xc3\xa9)");
    }

    #[test]
    fn what_matches_nowhere_is_nothing() {
        assert_eq!(plan("[^\u{0}-\u{10ffff}]abc"), "nothing");
        assert_eq!(plan("([^\u{0}-\u{10ffff}]|abc)d"), "(abc&bcd)");
    }

    #[test]
    fn a_text_may_be_of_another_encoding() {
        let text = |pattern: &str| show(&Plan::of_text(pattern, false).need);
        assert_eq!(text("abcd"), "(abc&bcd)");
        assert_eq!(
            text("größe"),
            r"((gr\xc3&r\xc3\xb6&\xc3\xb6\xc3&\xb6\xc3\x9f&\xc3\x9fe)|(gr\xf6&r\xf6\xdf&\xf6\xdfe))"
        );
        // Only UTF-8 has such letters.
        assert_eq!(text("中a"), plan("中a"));
        assert_eq!(text("abc\u{fffd}"), "everything");
        assert_eq!(text("abc.def"), "(abc&def)");
        assert_eq!(text(r"abc(?-u:\xe9)"), "everything");
    }

    #[test]
    fn a_search_that_decides_about_case_itself_may_do_either() {
        let smart = |pattern: &str| show(&Plan::of_case(pattern, false, Case::Smart, false).need);
        assert_eq!(smart("[a-c&&[^A]]xyz"), "((axy&xyz)|(bxy&xyz)|(cxy&xyz))");
        assert_eq!(smart("[^\u{0}-`b-\u{10ffff}A]xyz"), "(axy&xyz)");
    }

    #[test]
    fn huge_patterns_stay_bounded() {
        let started = std::time::Instant::now();
        let long = "sk".repeat(30_000);
        for pattern in
            [long.clone(), "[ab]".repeat(16_000), format!("{}x", "(?:ab|".repeat(80)) + &")".repeat(80)]
        {
            for ignore_case in [false, true] {
                let plan = Plan::of_pattern(&pattern, false, ignore_case, false).need;
                assert!(plan.size() <= MOST_TRIGRAMS);
            }
        }
        let many: Vec<String> = (0..10_000).map(|n| format!("word{n}")).collect();
        assert!(Plan::of_pattern(&many.join("|"), false, false, false).need.size() <= MOST_TRIGRAMS);
        assert!(Plan::of_pattern("((((abc){9}){9}){9}){9}", false, true, false).need.size() <= MOST_TRIGRAMS);
        assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    }

    #[test]
    fn what_is_no_pattern_leaves_nothing_out() {
        assert_eq!(plan("("), "everything");
        assert_eq!(plan("abc)|(?:def"), "(abc|def)", "the search puts it in brackets, too");
    }
}

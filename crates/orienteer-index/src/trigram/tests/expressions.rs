//! No text that an expression matches is ever lost.

use orienteer_base::question::Case;
use proptest::prelude::*;
use regex::bytes::RegexBuilder;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

use crate::trigram::gather::{Gather, Reading};
use crate::trigram::plan::Need;
use crate::trigram::{Plan, tests::Sample, tests::candidates};

fn holds(need: &Need, trigrams: &[u32]) -> bool {
    match need {
        Need::Trigram(trigram) => trigrams.contains(trigram),
        Need::All(needs) => needs.iter().all(|need| holds(need, trigrams)),
        Need::Any(needs) => needs.iter().any(|need| holds(need, trigrams)),
    }
}

/// Whether a text satisfies a plan whose matches may go over lines.
fn across(plan: &Plan, text: &[u8]) -> bool {
    let mut gather = Gather::new();
    let known = gather.read(text);
    let trigrams: Vec<u32> = known.pieces().flatten().copied().collect();
    known.reading == Reading::Always || holds(&plan.need, &trigrams)
}

/// Whether a text satisfies a plan, worked out without a file.
fn satisfies(plan: &Plan, text: &[u8]) -> bool {
    let mut gather = Gather::new();
    let known = gather.read(text);
    known.reading == Reading::Always || known.pieces().any(|trigrams| holds(&plan.need, trigrams))
}

/// Pieces of expressions, made of few letters so that they meet in texts.
fn expression() -> impl Strategy<Value = String> {
    let letters = prop::sample::select(vec![
        "a", "b", "ab", "abc", "k", "s", "K", "S", "é", "É", "ß", "σ", "x", " ", "_", r"\.", "1", r"\n", "中",
    ]);
    let class = prop::sample::select(vec![
        ".",
        r"\w",
        r"\d",
        r"\s",
        "[ab]",
        "[^a]",
        "[a-f]",
        "[a-zA-Z]",
        r"\pL",
        "[é-ü]",
        "[[:alpha:]]",
        "(?-u:\\xe9)",
        "[ks]",
        "(?s:.)",
        r"(?-u:[\x80-\xff])",
        "[^\\n]",
        "[a-c&&[^A]]",
        "[[^K]&&[j-l]]",
        "[a-cA-C--B]",
        "[ksKS~~[KS]]",
        "[^AB]",
        r"[^\x00-\x60\x62-\x{10ffff}A]",
        r"[\w&&[^\d_a-jl-z]]",
    ]);
    let place = prop::sample::select(vec!["^", "$", r"\b", r"\B", r"\A", r"\z", r"\b{start}", ""]);
    let leaf = prop_oneof![6 => letters, 3 => class, 1 => place].prop_map(str::to_owned);
    leaf.prop_recursive(5, 40, 4, |inner| {
        let repeats = vec!["*", "+", "?", "{2}", "{2,}", "{0,2}", "{3,5}", "{8}", "{9,}", "+?", "{0}"];
        let repeat = prop::sample::select(repeats);
        let flags = prop::sample::select(vec!["", "?:", "?i:", "?s:", "?-u:", "?x:", "?i-u:"]);
        prop_oneof![
            5 => prop::collection::vec(inner.clone(), 1..5).prop_map(|parts| parts.concat()),
            3 => prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| format!("(?:{})", parts.join("|"))),
            3 => (inner.clone(), repeat).prop_map(|(part, repeat)| format!("(?:{part}){repeat}")),
            1 => (flags, inner).prop_map(|(flags, part)| format!("({flags}{part})")),
        ]
    })
}

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides.max(1)
    }
}

/// Something that the expression matches, unless a place in it does not hold.
fn write_match(expression: &Hir, dice: &mut Dice, out: &mut Vec<u8>) {
    match expression.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.extend_from_slice(&literal.0),
        HirKind::Class(Class::Unicode(class)) => {
            let ranges = class.ranges();
            let Some(range) = ranges.get(dice.roll(ranges.len())) else { return };
            let code = range.start() as u32 + dice.roll(range.len().min(300)) as u32;
            out.extend(char::from_u32(code).unwrap_or(range.start()).to_string().bytes());
        }
        HirKind::Class(Class::Bytes(class)) => {
            let ranges = class.ranges();
            let Some(range) = ranges.get(dice.roll(ranges.len())) else { return };
            out.push(range.start() + dice.roll(range.len()) as u8);
        }
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(repetition.min + 3).min(repetition.min + 3);
            let count = repetition.min as usize + dice.roll((most - repetition.min) as usize + 1);
            (0..count.min(12)).for_each(|_| write_match(&repetition.sub, dice, out));
        }
        HirKind::Capture(capture) => write_match(&capture.sub, dice, out),
        HirKind::Concat(parts) => parts.iter().for_each(|part| write_match(part, dice, out)),
        HirKind::Alternation(parts) => write_match(&parts[dice.roll(parts.len())], dice, out),
    }
}

/// Texts that the expression may match.
fn texts(pattern: &str, ignore_case: bool, dice: &mut Dice) -> Vec<Vec<u8>> {
    let parsed = ParserBuilder::new()
        .utf8(false)
        .multi_line(true)
        .case_insensitive(ignore_case)
        .build()
        .parse(pattern);
    let Ok(expression) = parsed else { return Vec::new() };
    let around = ["", " ", "abc\n", "x", "\n\nks", "é", "1 "];
    (0..6)
        .map(|_| {
            let mut text = around[dice.roll(around.len())].as_bytes().to_vec();
            write_match(&expression, dice, &mut text);
            text.extend_from_slice(around[dice.roll(around.len())].as_bytes());
            text
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn no_match_is_lost(
        pattern in expression(),
        ignore_case in any::<bool>(),
        seed in any::<u64>(),
        other in "[abcksKS1 _éÉ\n.]{0,30}",
    ) {
        let mut builder = RegexBuilder::new(&pattern);
        let regex = builder.multi_line(true).case_insensitive(ignore_case).size_limit(1 << 22).build();
        prop_assume!(regex.is_ok());
        let regex = regex.unwrap();
        let plan = Plan::of_pattern(&pattern, false, ignore_case, false);
        // A search that decides about case itself does one or the other.
        let smart = Plan::of_case(&pattern, false, Case::Smart, false);
        let mut texts = texts(&pattern, ignore_case, &mut Dice(seed));
        texts.push(other.into_bytes());
        // Whatever is in it, a search stops at a NUL byte.
        texts.retain(|text| !text.contains(&0));
        for text in texts {
            if regex.is_match(&text) {
                prop_assert!(satisfies(&plan, &text), "{pattern:?} {ignore_case} in {text:?}: {plan:?}");
                prop_assert!(satisfies(&smart, &text), "{pattern:?} {ignore_case} in {text:?}: {smart:?}");
            }
        }
    }

    /// Files that are no UTF-8 are read as windows-1252, or with marks for what is broken.
    #[test]
    fn no_text_is_lost_in_its_encoding(
        pattern in expression(),
        ignore_case in any::<bool>(),
        seed in any::<u64>(),
        broken in any::<bool>(),
    ) {
        let mut builder = regex::RegexBuilder::new(&pattern);
        let regex = builder.multi_line(true).case_insensitive(ignore_case).size_limit(1 << 22).build();
        prop_assume!(regex.is_ok());
        let regex = regex.unwrap();
        let plan = Plan::of_text(&pattern, ignore_case);
        for text in texts(&pattern, ignore_case, &mut Dice(seed)) {
            let Ok(text) = String::from_utf8(text) else { continue };
            let western: Vec<u8> = text.chars().filter_map(|c| u8::try_from(c).ok()).collect();
            let bytes = if broken { [text.as_bytes(), "é\u{ff}".as_bytes(), b"\xff"].concat() } else { western };
            let Some(read) = crate::build::text_of(&bytes) else { continue };
            if regex.is_match(&read) && !bytes.contains(&0) {
                prop_assert!(across(&plan, &bytes), "{pattern:?} {ignore_case} in {read:?}: {plan:?}");
            }
        }
    }

    #[test]
    fn no_literal_is_lost(
        literal in "[abcksKSſéÉ中.*+ \\\\(]{0,12}",
        before in "[abc ]{0,4}",
        ignore_case in any::<bool>(),
        upper in any::<bool>(),
    ) {
        let plan = Plan::of_pattern(&literal, true, ignore_case, false);
        let written = if upper && ignore_case { literal.to_uppercase() } else { literal.clone() };
        let regex = RegexBuilder::new(&regex::escape(&literal)).case_insensitive(ignore_case).build().unwrap();
        let text = format!("{before}{written}{before}");
        let lost = regex.is_match(text.as_bytes()) && !satisfies(&plan, text.as_bytes());
        prop_assert!(!lost, "{literal:?} in {text:?}: {plan:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The same through a file, which must agree with the plan itself.
    #[test]
    fn no_file_is_lost(
        patterns in prop::collection::vec(expression(), 1..12),
        seed in any::<u64>(),
        others in prop::collection::vec("[abcks1 é\n]{0,60}", 0..20),
    ) {
        let mut dice = Dice(seed);
        let mut all: Vec<Vec<u8>> = patterns.iter().flat_map(|pattern| texts(pattern, false, &mut dice)).collect();
        all.extend(others.into_iter().map(String::into_bytes));
        let sample = Sample::new(&all.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let trigrams = sample.open();
        for pattern in &patterns {
            let plan = Plan::of_pattern(pattern, false, false, false);
            let found = candidates(&trigrams, &plan).unwrap();
            for (id, text) in (0..).zip(&all) {
                // Not every condition of a plan is looked at, so there may be more candidates than needed.
                prop_assert!(!satisfies(&plan, text) || found.contains(&id), "{pattern:?} in {text:?}: {plan:?}");
            }
        }
    }
}

/// The property above is worth something only if expressions match and plans leave texts out.
#[test]
fn plans_are_put_to_the_test() {
    let mut dice = Dice(7);
    let (mut matched, mut left_out) = (0, 0);
    for pattern in ["abc+k", "(ab|xk)s", r"\w+_abc", "(?i)ksé", "a.c[ab]{2}k"] {
        let regex = RegexBuilder::new(pattern).multi_line(true).build().unwrap();
        let plan = Plan::of_pattern(pattern, false, false, false);
        for text in texts(pattern, false, &mut dice) {
            matched += usize::from(regex.is_match(&text));
        }
        left_out += usize::from(!satisfies(&plan, b"some other text without any of it"));
    }
    assert!(matched > 20, "{matched}");
    assert_eq!(left_out, 5);
}

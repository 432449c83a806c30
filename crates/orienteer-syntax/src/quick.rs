//! What does the parser do where a text can be read in one way only?
//!
//! The parser is made for texts that can be read in several ways, and nearly all of them cannot. This one reads on with a
//! plain stack there, remembers which token a word was, and leaves everything else to the parser, whose trees it makes: the
//! same ones in six to seven tenths of the time. How, is told in `parser/quick.c`.

use tree_sitter::{Language as Grammar, Tree};

/// Reads texts of one language.
pub(crate) struct Quick {
    raw: raw::Parser,
}

impl Quick {
    /// `None` for a grammar of a version that the parser does not know.
    pub(crate) fn new(grammar: &Grammar) -> Option<Self> {
        raw::Parser::new(grammar).map(|raw| Self { raw })
    }

    /// The tree of a text; `None` when it was stopped. Words of another grammar are not used.
    pub(crate) fn parse(
        &mut self,
        text: &[u8],
        words: Option<&Words>,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<Tree> {
        self.raw.parse(text, words, stop)
    }
}

/// Which tokens the words of a language were, for whoever reads many of its texts.
#[derive(Debug)]
pub(crate) struct Words {
    raw: raw::Words,
}

impl Words {
    /// `None` where there is no memory for it: it can be done without.
    pub(crate) fn new() -> Option<Self> {
        raw::Words::new().map(|raw| Self { raw })
    }
}

#[allow(unsafe_code, reason = "the parser is written in C")]
mod raw {
    use std::ffi::{c_char, c_void};
    use std::ptr::{NonNull, null_mut};

    use tree_sitter::ffi::{
        TSInput, TSInputEncodingUTF8, TSLanguage, TSParseOptions, TSParseState, TSParser, TSPoint, TSTree,
    };
    use tree_sitter::{Language as Grammar, Tree};

    pub(super) struct Parser(NonNull<TSParser>);

    #[derive(Debug)]
    pub(super) struct Words(NonNull<c_void>);

    unsafe extern "C" {
        fn orienteer_quick_new(language: *const TSLanguage) -> *mut TSParser;
        fn orienteer_quick_free(parser: *mut TSParser);
        fn orienteer_quick_parse(
            parser: *mut TSParser,
            words: *mut c_void,
            input: TSInput,
            options: TSParseOptions,
        ) -> *mut TSTree;
        fn orienteer_words_new() -> *mut c_void;
        fn orienteer_words_free(words: *mut c_void);
    }

    type Stop<'a> = &'a mut dyn FnMut() -> bool;

    /// All that is left of the text from a place on.
    unsafe extern "C" fn read(
        text: *mut c_void,
        from: u32,
        _: TSPoint,
        bytes_read: *mut u32,
    ) -> *const c_char {
        // SAFETY: what `parse` gave along, for as long as it runs.
        let text = unsafe { *text.cast::<&[u8]>() };
        let rest = text.get(from as usize..).unwrap_or_default();
        // SAFETY: the parser's own; texts are shorter than four gigabytes.
        unsafe { *bytes_read = rest.len() as u32 };
        rest.as_ptr().cast()
    }

    unsafe extern "C" fn asked(state: *mut TSParseState) -> bool {
        // SAFETY: what `parse` gave along, for as long as it runs.
        let stop = unsafe { &mut *(*state).payload.cast::<Stop<'_>>() };
        stop()
    }

    impl Parser {
        pub(super) fn new(grammar: &Grammar) -> Option<Self> {
            // SAFETY: a grammar; whoever calls keeps it longer than the parser. Grammars that are compiled in are not counted.
            NonNull::new(unsafe { orienteer_quick_new(grammar.clone().into_raw()) }).map(Self)
        }

        pub(super) fn parse(
            &mut self,
            mut text: &[u8],
            words: Option<&super::Words>,
            mut stop: Stop<'_>,
        ) -> Option<Tree> {
            let input = TSInput {
                payload: (&raw mut text).cast(),
                read: Some(read),
                encoding: TSInputEncodingUTF8,
                decode: None,
            };
            let options = TSParseOptions { payload: (&raw mut stop).cast(), progress_callback: Some(asked) };
            let words = words.map_or(null_mut(), |words| words.raw.0.as_ptr());
            // SAFETY: a parser of this module, used by one thread; text, question and words live until it returns, and the
            // words are used by no other thread because they cannot be sent to one.
            let tree = unsafe { orienteer_quick_parse(self.0.as_ptr(), words, input, options) };
            // SAFETY: a tree that nobody else has.
            (!tree.is_null()).then(|| unsafe { Tree::from_raw(tree) })
        }
    }

    impl Drop for Parser {
        fn drop(&mut self) {
            // SAFETY: once, at the end.
            unsafe { orienteer_quick_free(self.0.as_ptr()) };
        }
    }

    impl Words {
        pub(super) fn new() -> Option<Self> {
            // SAFETY: nothing is needed for it.
            NonNull::new(unsafe { orienteer_words_new() }).map(Self)
        }
    }

    impl Drop for Words {
        fn drop(&mut self) {
            // SAFETY: once, at the end.
            unsafe { orienteer_words_free(self.0.as_ptr()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use tree_sitter::{Parser, Point};

    use super::*;
    use crate::grammar::{grammar, supported};

    /// Each is code in some languages and wrong in the others, and trees of both are wanted.
    const TEXTS: [&str; 10] = [
        include_str!("../parser/steps.c"),
        include_str!("../parser/quick/run.h"),
        include_str!("shown/typescript.rs"),
        include_str!("../Cargo.toml"),
        "#!/usr/bin/env python\n@a\nclass B(C):\n    \"\"\"Doc.\"\"\"\n    async def d(self, *e, f: int = 1) -> str:\n        # why\n        if f:\n\n            print\n        return f'{e} {{' if f else [g for g in self]\n\n\nB().d\n",
        "<p class=\"a\">b<br/></p>\n<!-- c -->\n<script>let {a, ...b} = async (c) => { `${d}`; /e/g.f?.(1) }</script>\n",
        "export const a = <T,>(b: T, ...c: any[]) => b\nlet d = (e as F)!.g<H>(i)\nclass J<K> extends L { get m() { return 1 } static async *n() {} }\nfor (const o of p) q: while (r) { type = of\n if (s) continue q\n else t++ }\n",
        "#define A(b) do { b; } while (0)\n#if C\nint d(void)\n#else\nint d(struct e *f)\n#endif\n{ g * h; i(j)(k); A(l) }\nMACRO(m)\nstatic n o[] = {{1, 2}, {.p = q}};\r\n",
        "\u{feff}// é ü 漢字\nfn größe<'a>(ä: &'a str) -> u8 { \"\\u{1F600}😀\"; r#type!{} /* a /* b */ */ }\n",
        "",
    ];

    type Seen = (u16, u16, std::ops::Range<usize>, [Point; 2], [bool; 5], usize, u16, Option<u16>);

    /// All that a tree says of its nodes.
    fn seen(tree: &Tree) -> Vec<Seen> {
        let (mut cursor, mut list) = (tree.walk(), Vec::new());
        loop {
            let node = cursor.node();
            list.push((
                node.kind_id(),
                node.grammar_id(),
                node.byte_range(),
                [node.start_position(), node.end_position()],
                [node.is_named(), node.is_extra(), node.is_missing(), node.is_error(), node.has_error()],
                node.descendant_count(),
                node.parse_state(),
                cursor.field_id().map(Into::into),
            ));
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return list;
                }
            }
        }
    }

    /// Holds trees of ours against those of the parser.
    struct Pair {
        language: &'static str,
        theirs: Parser,
        ours: Quick,
        words: Words,
    }

    impl Pair {
        fn all() -> impl Iterator<Item = Self> {
            supported().into_iter().map(|language| {
                let grammar = grammar(language).unwrap();
                let mut theirs = Parser::new();
                theirs.set_language(&grammar).unwrap();
                let (ours, words) = (Quick::new(&grammar).unwrap(), Words::new().unwrap());
                Self { language: language.id, theirs, ours, words }
            })
        }

        fn of(language: &str) -> Self {
            Self::all().find(|pair| pair.language == language).unwrap()
        }

        /// Whether the text has errors.
        fn agree(&mut self, text: &str) -> bool {
            let theirs = self.theirs.parse(text, None).unwrap();
            let expected = seen(&theirs);
            // The second time with words, the third time with all of them known.
            for words in [None, Some(&self.words), Some(&self.words)] {
                let ours = self.ours.parse(text.as_bytes(), words, &mut || false).unwrap();
                let differs =
                    seen(&ours).into_iter().zip(&expected).position(|(ours, theirs)| ours != *theirs);
                assert_eq!(differs, None, "{} with words {}: {text}", self.language, words.is_some());
                assert_eq!(ours.root_node().descendant_count(), theirs.root_node().descendant_count());
                assert_eq!(ours.included_ranges(), theirs.included_ranges());
            }
            theirs.root_node().has_error()
        }
    }

    #[test]
    fn trees_are_those_of_the_parser_in_every_language() {
        let (mut right, mut wrong) = (0, 0);
        for mut pair in Pair::all() {
            for text in TEXTS {
                if pair.agree(text) { wrong += 1 } else { right += 1 }
            }
        }
        assert!(right > 60 && wrong > 60, "{right} {wrong}");
    }

    /// Texts that somebody has cut pieces out of, twice over, or put them elsewhere.
    #[test]
    fn trees_of_damaged_texts_are_those_of_the_parser() {
        let mut seed = 7_u64;
        let mut number = |most: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % most
        };
        let languages =
            ["bash", "c", "cpp", "css", "go", "html", "javascript", "python", "ruby", "rust", "tsx", "yaml"];
        let mut wrong = 0;
        for language in languages {
            let mut pair = Pair::of(language);
            for text in TEXTS.iter().filter(|text| !text.is_empty()) {
                let text: Vec<char> = text.chars().take(3_000).collect();
                for _ in 0..6 {
                    let (from, to) = (number(text.len()), number(text.len()));
                    let piece: String = text[from..(from + 40).min(text.len())].iter().collect();
                    let (before, after) = text.split_at(to);
                    let skipped = number(30).min(after.len());
                    let damaged =
                        [before.iter().collect(), piece, after[skipped..].iter().collect()].concat();
                    wrong += usize::from(pair.agree(&damaged));
                }
            }
        }
        assert!(wrong > 300, "{wrong}");
    }

    /// A word has its meaning from where it stands, and from what follows it.
    #[test]
    fn known_words_do_not_stand_for_others() {
        let python = [
            "x = b",
            "x = b'c'",
            "x = b.c",
            "print (b)",
            "match x:\n  case b: pass",
            "match = b",
            "x =\\\n b",
        ];
        let script = [
            "of;",
            "for (const of of of) {}",
            "type of = get;",
            "let type = 1",
            "a\r\n\r\nb",
            "a\n  b",
            "get\nset",
            "a$b",
        ];
        for (language, texts, behind) in
            [("python", &python[..], "y = b, b, b\n"), ("typescript", &script, "const of = get, type = of\n")]
        {
            let mut pair = Pair::of(language);
            for text in texts {
                let padded = format!("{text}\n{}", behind.repeat(4));
                assert!(!pair.agree(&padded), "{padded}");
            }
        }
    }

    #[test]
    fn one_that_was_stopped_can_begin_again() {
        let mut pair = Pair::of("c");
        let text = "int a(int b) { return c * d(b); }\n".repeat(400);
        for most in [0, 1, 5, 40] {
            let mut asked = 0;
            let mut stop = || {
                asked += 1;
                asked > most
            };
            assert!(pair.ours.parse(text.as_bytes(), Some(&pair.words), &mut stop).is_none());
        }
        assert!(!pair.agree(&text));
    }

    #[test]
    fn words_of_another_language_are_not_used() {
        let mut pair = Pair::of("rust");
        let text = "fn type_of(of: u8) -> u8 { match of { 0 => of, _ => of } }\n".repeat(3);
        assert!(!pair.agree(&text));
        let mut other = Pair::of("typescript");
        other.words = pair.words;
        other.agree(&text);
    }

    /// Comments belong to no rule, so that a rule may have any number of them.
    #[test]
    fn a_rule_with_many_comments_takes_no_longer_than_they_are() {
        let mut pair = Pair::of("c");
        let comments = "/**/".repeat(150_000);
        let deep = "!".repeat(2 * 64);
        let text = format!("void f() {{ g(a, {comments} ({deep}b), d); }}");
        let begun = Instant::now();
        pair.theirs.parse(&text, None).unwrap();
        let theirs = begun.elapsed();
        // The best of three: something else may be at work.
        let ours = (0..3).map(|_| {
            let begun = Instant::now();
            pair.ours.parse(text.as_bytes(), None, &mut || false).unwrap();
            begun.elapsed()
        });
        let ours = ours.min().unwrap();
        assert!(ours < 8 * theirs, "{ours:?} {theirs:?}");
    }

    /// The parser itself calls itself for each of them, and ends the program.
    #[test]
    fn comments_that_can_be_read_in_two_ways_are_no_deep_calls() {
        let parse = || {
            let text = format!("void f() {{ a; {} b * c; }}", "/**/".repeat(100_000));
            let tree = Pair::of("c").ours.parse(text.as_bytes(), None, &mut || false).unwrap();
            assert!(!tree.root_node().has_error());
            assert!(tree.root_node().descendant_count() > 100_000);
        };
        std::thread::Builder::new().stack_size(512 << 10).spawn(parse).unwrap().join().unwrap();
    }

    #[test]
    fn many_comments_and_deep_nests_are_read_as_the_parser_reads_them() {
        let mut pair = Pair::of("c");
        pair.agree(&format!("int a;\n{}int b(void) {{ c(d) }}\n", "// e\n/* f */ ".repeat(20_000)));
        let mut pair = Pair::of("javascript");
        pair.agree(&format!("a = {}1{};", "[(".repeat(3_000), ")]".repeat(3_000)));
        pair.agree(&"f(".repeat(3_000));
    }
}

//! In which table does the parser look up what comes next?
//!
//! A grammar keeps most of its states as short lists, and the parser searches one for each token and each rule: a tenth of
//! its time. Whoever takes many texts apart has a table with a column for every symbol made instead, of which the parser
//! knows that it is not to be searched: grammars have some of their states written so. It is megabytes large and lives as
//! long as somebody uses it.

use std::collections::HashMap;
use std::mem::ManuallyDrop;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tree_sitter::Language as Grammar;

use crate::quick::Words;

/// Texts of this many bytes together are worth the millisecond or two.
const WORTH: usize = 512 << 10;
/// A larger table would be no gain.
const MOST: usize = 24 << 20;

/// The grammars of whoever takes many texts apart.
#[derive(Debug, Default)]
pub(crate) struct Wides {
    known: HashMap<&'static str, Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// Of the texts so far.
    bytes: usize,
    wide: Option<Arc<Wide>>,
    words: Option<Rc<Words>>,
}

impl Wides {
    /// The grammar to parse a text of this length with, and what is known of its words. It is to be gone before this is.
    pub(crate) fn grammar(
        &mut self,
        language: &'static str,
        grammar: &Grammar,
        bytes: usize,
    ) -> (Grammar, Option<Rc<Words>>) {
        let known = self.known.entry(language).or_default();
        let before = known.bytes;
        known.bytes = before.saturating_add(bytes);
        if before < WORTH && known.bytes >= WORTH {
            known.wide = shared(language, grammar);
            known.words = Words::new().map(Rc::new);
        }
        let wide = known.wide.as_ref().map(|wide| Grammar::clone(&wide.grammar));
        (wide.unwrap_or_else(|| grammar.clone()), known.words.clone())
    }
}

/// The same one for all threads.
fn shared(language: &'static str, grammar: &Grammar) -> Option<Arc<Wide>> {
    static SHARED: Mutex<Vec<(&str, Weak<Wide>)>> = Mutex::new(Vec::new());
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    shared.retain(|(_, wide)| wide.strong_count() > 0);
    if let Some(wide) = shared.iter().find(|(id, _)| *id == language).and_then(|(_, wide)| wide.upgrade()) {
        return Some(wide);
    }
    let wide = Arc::new(Wide::of(grammar)?);
    shared.push((language, Arc::downgrade(&wide)));
    Some(wide)
}

/// A grammar whose states are all rows of one table.
#[derive(Debug)]
struct Wide {
    /// Freed by hand.
    grammar: ManuallyDrop<Grammar>,
}

#[allow(unsafe_code, reason = "a grammar is a structure of C")]
mod raw {
    use tree_sitter::ffi::TSLanguage;

    use super::{Grammar, MOST, ManuallyDrop, Wide};

    unsafe extern "C" {
        fn orienteer_wide_new(grammar: *const TSLanguage, most: usize) -> *mut TSLanguage;
        fn orienteer_wide_free(wide: *mut TSLanguage);
    }

    impl Wide {
        /// `None` for a grammar of another version, or a very large one.
        pub(super) fn of(grammar: &Grammar) -> Option<Self> {
            // SAFETY: a grammar; those that are compiled into the program stay as long as it runs.
            let wide = unsafe { orienteer_wide_new(grammar.clone().into_raw(), MOST) };
            // SAFETY: a grammar like the other one, that lives as long as this does.
            (!wide.is_null()).then(|| Self { grammar: ManuallyDrop::new(unsafe { Grammar::from_raw(wide) }) })
        }
    }

    impl Drop for Wide {
        fn drop(&mut self) {
            // SAFETY: made by the function above, and not used again. Whoever parsed with it had it from `Wides`, and is done.
            unsafe { orienteer_wide_free(ManuallyDrop::take(&mut self.grammar).into_raw().cast_mut()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::{grammar, supported};
    use crate::quick::Quick;

    #[test]
    fn every_grammar_says_the_same_in_every_state() {
        for language in supported() {
            let plain = grammar(language).unwrap();
            let Some(wide) = Wide::of(&plain) else {
                assert_eq!((language.id, plain.abi_version()), ("nix", 13));
                continue;
            };
            assert_eq!(wide.grammar.abi_version(), plain.abi_version());
            assert_eq!(wide.grammar.name(), plain.name());
            for state in 0..u16::try_from(plain.parse_state_count()).unwrap() {
                for kind in 0..u16::try_from(plain.node_kind_count()).unwrap() {
                    let (ours, theirs) =
                        (wide.grammar.next_state(state, kind), plain.next_state(state, kind));
                    assert_eq!(ours, theirs, "{}: {kind} in state {state}", language.id);
                }
            }
        }
    }

    #[test]
    fn trees_are_the_same() {
        for language in supported() {
            let plain = grammar(language).unwrap();
            let Some(wide) = Wide::of(&plain) else { continue };
            for text in
                [include_str!("wide.rs"), include_str!("../parser/wide.c"), "<a b='c'>{d: [1, \"2\"]}</a>\n"]
            {
                let [ours, theirs] = [&*wide.grammar, &plain].map(|grammar| {
                    let mut parser = Quick::new(grammar).unwrap();
                    parser.parse(text.as_bytes(), None, &mut || false).unwrap().root_node().to_sexp()
                });
                assert!(ours == theirs, "{}", language.id);
            }
        }
    }

    /// A table has no order, and the parser takes the first of two rules of the same name.
    #[test]
    fn errors_are_mended_in_the_same_way() {
        let text = "(ss K { m }\n@dec class M { }\nz = @d class { }\n";
        for id in ["typescript", "tsx", "scala"] {
            let plain = grammar(orienteer_base::Language::by_word(id).unwrap()).unwrap();
            let wide = Wide::of(&plain).unwrap();
            let [ours, theirs] = [&*wide.grammar, &plain].map(|grammar| {
                let mut parser = Quick::new(grammar).unwrap();
                parser.parse(text.as_bytes(), None, &mut || false).unwrap().root_node().to_sexp()
            });
            assert_eq!(ours, theirs, "{id}");
            assert!(theirs.contains("ERROR"), "{id}: {theirs}");
        }
    }

    #[test]
    fn it_is_made_when_it_is_worth_it_and_once_for_all() {
        let language = orienteer_base::Language::by_word("go").unwrap();
        let plain = grammar(language).unwrap();
        let (mut one, mut two) = (Wides::default(), Wides::default());
        let (first, none) = one.grammar("go", &plain, WORTH - 1);
        assert!(first == plain && none.is_none());
        let (wide, words) = one.grammar("go", &plain, 1);
        assert_ne!(wide, plain);
        let (again, same) = one.grammar("go", &plain, 1);
        assert!(again == wide && Rc::ptr_eq(&same.unwrap(), words.as_ref().unwrap()));
        let (other, own) = two.grammar("go", &plain, WORTH);
        assert!(other == wide && !Rc::ptr_eq(&own.unwrap(), &words.unwrap()), "words are of one thread");
        let weak = Arc::downgrade(one.known["go"].wide.as_ref().unwrap());
        drop((one, two));
        assert_eq!(weak.strong_count(), 0);
    }
}

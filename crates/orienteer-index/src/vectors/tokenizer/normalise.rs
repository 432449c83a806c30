//! Which form does a text have before it is cut into tokens?

use super::classes;

/// Steps, one after the other.
#[derive(Debug, Default)]
pub(super) struct Normaliser(pub(super) Vec<Step>);

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    Prepend(String),
    Replace { from: String, to: String },
    Lowercase,
    Bert(Bert),
}

/// What BERT does to a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bert {
    pub(super) clean: bool,
    pub(super) separate_ideographs: bool,
    pub(super) strip_accents: bool,
    pub(super) lowercase: bool,
}

impl Normaliser {
    /// Leaves the form in `into`.
    pub(super) fn apply(&self, text: &str, into: &mut String, spare: &mut String) {
        into.clear();
        into.push_str(text);
        for step in &self.0 {
            spare.clear();
            step.apply(into, spare);
            std::mem::swap(into, spare);
        }
    }
}

impl Step {
    fn apply(&self, text: &str, into: &mut String) {
        match self {
            Self::Prepend(_) if text.is_empty() => {}
            Self::Prepend(before) => {
                into.push_str(before);
                into.push_str(text);
            }
            Self::Replace { from, to } => {
                let mut parts = text.split(from.as_str());
                into.push_str(parts.next().unwrap_or_default());
                for part in parts {
                    into.push_str(to);
                    into.push_str(part);
                }
            }
            // Letter by letter, as the library does it: the last sigma of a word is not special.
            Self::Lowercase => text.chars().for_each(|character| into.extend(character.to_lowercase())),
            Self::Bert(bert) => text.chars().for_each(|character| bert.apply(character, into)),
        }
    }
}

impl Bert {
    fn apply(self, character: char, into: &mut String) {
        if !self.clean {
            self.separate(character, into);
        } else if character == '\u{fffd}' || classes::is_control(character) {
            // Left out.
        } else if character.is_whitespace() {
            into.push(' ');
        } else {
            self.separate(character, into);
        }
    }

    fn separate(self, character: char, into: &mut String) {
        let apart = self.separate_ideographs && classes::is_ideograph(character);
        if apart {
            into.push(' ');
        }
        if self.strip_accents {
            classes::without_accents(character, &mut |character| self.lower(character, into));
        } else {
            self.lower(character, into);
        }
        if apart {
            into.push(' ');
        }
    }

    fn lower(self, character: char, into: &mut String) {
        if !self.lowercase {
            into.push(character);
        } else if character.is_ascii() {
            into.push(character.to_ascii_lowercase());
        } else {
            into.extend(character.to_lowercase());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(steps: Vec<Step>, text: &str) -> String {
        let (mut into, mut spare) = ("left over".to_owned(), "left over".to_owned());
        Normaliser(steps).apply(text, &mut into, &mut spare);
        into
    }

    #[test]
    fn steps_are_taken_in_order() {
        let steps = || {
            vec![
                Step::Prepend("_".into()),
                Step::Replace { from: " ".into(), to: "_".into() },
                Step::Lowercase,
            ]
        };
        assert_eq!(apply(steps(), "A b  C"), "_a_b__c");
        assert_eq!(apply(steps(), ""), "");
        assert_eq!(apply(vec![], "As It Is"), "As It Is");
    }

    #[test]
    fn bert_cleans_separates_strips_and_lowers() {
        let all = Bert { clean: true, separate_ideographs: true, strip_accents: true, lowercase: true };
        assert_eq!(apply(vec![Step::Bert(all)], "Caf\u{e9}\t\u{0}中A\u{200d}b"), "cafe  中 ab");
        let none = Bert { clean: false, separate_ideographs: false, strip_accents: false, lowercase: false };
        assert_eq!(apply(vec![Step::Bert(none)], "Caf\u{e9}\t中"), "Caf\u{e9}\t中");
    }
}

//! In which other forms does a word stand in code?
//!
//! Questions are sentences (`parses the arguments`) and code has names (`parse_args`). Forms are guessed by rules of
//! English and looked up; one that is no word stands in no index, so that a wrong guess costs nothing.

mod related;

/// How a form belongs to its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kinship {
    /// `parses`, `parsing` for `parse`.
    Inflected,
    /// `parser`, `validation` for `parse`, `validate`.
    Derived,
    /// `args` for `arguments`.
    Shortened,
    /// `fetch` for `get`.
    Related,
}

/// Shorter words have other endings by chance.
const SHORTEST: usize = 3;
const LONGEST: usize = 24;

/// Other forms of a word in small letters, each once, the nearest first, without the word itself.
pub(super) fn forms(word: &str) -> Vec<(String, Kinship)> {
    let mut all: Vec<(String, Kinship)> = Vec::new();
    if !(SHORTEST..=LONGEST).contains(&word.len()) || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        related::shortened(word).for_each(|form| all.push((form.to_owned(), Kinship::Shortened)));
        return all;
    }
    let bases = bases(word);
    for base in &bases {
        add(&mut all, base.clone(), Kinship::Inflected);
        inflect(base, &mut |form| add(&mut all, form, Kinship::Inflected));
    }
    for base in &bases {
        derive(base, &mut |form| add(&mut all, form, Kinship::Derived));
    }
    for base in std::iter::once(word).chain(bases.iter().map(String::as_str)) {
        for form in related::shortened(base) {
            add(&mut all, form.to_owned(), Kinship::Shortened);
        }
    }
    for base in std::iter::once(word).chain(bases.iter().map(String::as_str)) {
        for form in related::related(base) {
            add(&mut all, form.to_owned(), Kinship::Related);
        }
    }
    all.retain(|(form, _)| form != word);
    all
}

fn add(all: &mut Vec<(String, Kinship)>, form: String, kinship: Kinship) {
    if form.len() >= 2 && !all.iter().any(|(known, _)| *known == form) {
        all.push((form, kinship));
    }
}

/// What the word may be a form of, itself first.
fn bases(word: &str) -> Vec<String> {
    let mut bases = vec![word.to_owned()];
    let mut add = |base: String| {
        if base.len() >= SHORTEST && !bases.contains(&base) {
            bases.push(base);
        }
    };
    if let Some(stem) = word.strip_suffix("ies") {
        add(format!("{stem}y"));
    } else if let Some(stem) = word.strip_suffix("es") {
        if ["s", "x", "z", "ch", "sh", "o"].iter().any(|end| stem.ends_with(end)) {
            add(stem.to_owned());
        }
        add(format!("{stem}e"));
    } else if let Some(stem) = word.strip_suffix('s')
        && !stem.ends_with(['s', 'u', 'i'])
    {
        add(stem.to_owned());
    }
    for ending in ["ing", "ed"] {
        let Some(stem) = word.strip_suffix(ending) else { continue };
        // `string` and `bed` are no forms.
        if !stem.contains(is_vowel) {
            continue;
        }
        match stem.strip_suffix('i') {
            Some(stem) if ending == "ed" => add(format!("{stem}y")),
            _ => {
                if is_doubled(stem) {
                    add(stem[..stem.len() - 1].to_owned());
                }
                add(format!("{stem}e"));
                add(stem.to_owned());
            }
        }
    }
    for (ending, instead) in [
        ("ation", "e"),
        ("ation", ""),
        ("ion", "e"),
        ("ion", ""),
        ("ers", ""),
        ("ers", "e"),
        ("er", ""),
        ("er", "e"),
        ("or", "e"),
        ("or", ""),
        ("ment", ""),
    ] {
        if let Some(stem) = word.strip_suffix(ending)
            && stem.len() > SHORTEST
        {
            add(format!("{stem}{instead}"));
        }
    }
    bases
}

fn inflect(base: &str, add: &mut dyn FnMut(String)) {
    if let Some(stem) = base.strip_suffix('y')
        && !stem.ends_with(is_vowel)
    {
        add(format!("{stem}ies"));
        add(format!("{stem}ied"));
        add(format!("{base}ing"));
        return;
    }
    if base.ends_with(['s', 'x', 'z']) || base.ends_with("ch") || base.ends_with("sh") {
        add(format!("{base}es"));
    } else {
        add(format!("{base}s"));
    }
    if let Some(stem) = base.strip_suffix('e') {
        add(format!("{base}d"));
        add(format!("{stem}ing"));
    } else {
        add(format!("{base}ed"));
        add(format!("{base}ing"));
        if let Some(last) = base.chars().last().filter(|last| doubles(base, *last)) {
            add(format!("{base}{last}ed"));
            add(format!("{base}{last}ing"));
        }
    }
}

fn derive(base: &str, add: &mut dyn FnMut(String)) {
    if let Some(stem) = base.strip_suffix('e') {
        add(format!("{base}r"));
        add(format!("{base}rs"));
        add(format!("{stem}or"));
        add(format!("{stem}ion"));
        add(format!("{stem}ation"));
    } else {
        add(format!("{base}er"));
        add(format!("{base}ers"));
        add(format!("{base}or"));
        add(format!("{base}ion"));
        add(format!("{base}ation"));
        add(format!("{base}ment"));
        if let Some(last) = base.chars().last().filter(|last| doubles(base, *last)) {
            add(format!("{base}{last}er"));
        }
    }
}

fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

/// `running` and `stopped` have one letter more than their stem.
fn is_doubled(stem: &str) -> bool {
    let mut back = stem.chars().rev();
    back.next().is_some_and(|last| !is_vowel(last) && back.next() == Some(last))
}

/// Whether the last letter is written twice before an ending: `stop`, but not `read` or `show`.
fn doubles(base: &str, last: char) -> bool {
    let mut back = base.chars().rev().skip(1);
    !is_vowel(last)
        && !matches!(last, 'w' | 'x')
        && back.next().is_some_and(is_vowel)
        && back.next().is_none_or(|before| !is_vowel(before))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(word: &str, form: &str) -> Option<Kinship> {
        forms(word).into_iter().find(|(known, _)| known == form).map(|(_, kinship)| kinship)
    }

    #[test]
    fn sentences_lead_to_names() {
        for (word, form) in [
            ("parses", "parse"),
            ("parsing", "parse"),
            ("parsed", "parsing"),
            ("stopped", "stop"),
            ("stop", "stopping"),
            ("queries", "query"),
            ("copied", "copy"),
            ("matches", "match"),
            ("writes", "write"),
            ("tests", "test"),
            ("indices", "indice"),
        ] {
            assert_eq!(has(word, form), Some(Kinship::Inflected), "{word} {form}");
        }
        assert_eq!(has("validates", "validation"), Some(Kinship::Derived));
        assert_eq!(has("validates", "validator"), Some(Kinship::Derived));
        assert_eq!(has("parse", "parser"), Some(Kinship::Derived));
    }

    #[test]
    fn names_are_short_for_words() {
        assert_eq!(has("arguments", "args"), Some(Kinship::Shortened));
        assert_eq!(has("configuration", "config"), Some(Kinship::Shortened));
        assert_eq!(has("retrieves", "get"), Some(Kinship::Related));
    }

    #[test]
    fn what_is_no_english_word_has_no_forms() {
        for word in ["", "x", "größe", "read_file", "x509", "値", &"a".repeat(30)] {
            assert_eq!(forms(word), [], "{word}");
        }
        assert!(
            forms("string")
                .iter()
                .all(|(form, _)| form != "str" || has("string", "str") == Some(Kinship::Shortened))
        );
        assert_eq!(has("string", "stre"), None);
        assert_eq!(has("class", "clas"), None);
        assert_eq!(has("status", "statu"), None);
    }

    #[test]
    fn a_word_is_not_a_form_of_itself_and_forms_come_once() {
        for word in ["parse", "read", "string", "configuration", "get"] {
            let forms = forms(word);
            let mut texts: Vec<&str> = forms.iter().map(|(text, _)| text.as_str()).collect();
            assert!(!texts.contains(&word));
            texts.sort_unstable();
            let count = texts.len();
            texts.dedup();
            assert_eq!(texts.len(), count, "{word}");
        }
    }
}

//! How is a package's name spelled, and which names look like it?

use orienteer_base::Problem;
use orienteer_base::error::cut;
use orienteer_base::remote::Ecosystem;

/// npm's own limit, and the largest of the three.
const LONGEST: usize = 214;
/// So many names are tried at most where a registry has no search.
const MOST_TRIED: usize = 8;

/// What was asked for, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) text: String,
    /// The name in the registry's own spelling; nothing when the text cannot be one, such as several words.
    pub(crate) exact: Option<String>,
}

/// Takes what was written for a name or for words to search.
pub(crate) fn asked(written: &str, ecosystem: Ecosystem) -> Result<Asked, Problem> {
    let text = written.trim();
    if text.is_empty() {
        return Err(Problem::invalid(
            "name",
            "empty",
            "no package is named; write a name or words to search for",
        ));
    }
    if text.len() > LONGEST {
        let message = format!("`{}` is longer than {LONGEST} characters, which no name is", cut(text));
        return Err(Problem::invalid("name", "too_long", message));
    }
    if text.chars().any(char::is_control) {
        return Err(Problem::invalid("name", "odd_characters", "a name has no control characters"));
    }
    let exact = match ecosystem {
        Ecosystem::Npm => npm(text),
        Ecosystem::Python => python(text),
        Ecosystem::Cargo => cargo(text),
    };
    if exact.is_none() {
        words(text, ecosystem)?;
    }
    Ok(Asked { text: text.to_owned(), exact })
}

/// What is no name may be words to search for. What cannot be meant so is refused, because anything that were found for it
/// would be about something else.
fn words(text: &str, ecosystem: Ecosystem) -> Result<(), Problem> {
    let shown = cut(text);
    if ecosystem == Ecosystem::Npm && text.starts_with('@') && !text.contains(['/', ' ']) {
        let message =
            format!("`{shown}` is a scope and not a package; write `{shown}/NAME`, or words without the @");
        return Err(Problem::invalid("name", "scope_without_name", message));
    }
    if text.contains(['/', '\\', '%']) || text.contains("..") {
        let scope = if ecosystem == Ecosystem::Npm { " but the one behind an @scope" } else { "" };
        let message = format!(
            "`{shown}` is neither a name nor words to search for: there is no slash in them{scope}, and no backslash, \
             percent sign or `..`"
        );
        return Err(Problem::invalid("name", "not_a_name", message));
    }
    let shows = |c: char| c.is_alphanumeric() || c.is_ascii_graphic() || c == ' ';
    if !text.chars().all(shows) || !text.contains(char::is_alphanumeric) {
        let message = "a name has letters and digits, and no characters that do not show";
        return Err(Problem::invalid("name", "odd_characters", message));
    }
    Ok(())
}

/// `name` or `@scope/name`. Old names may have capitals, so nothing is changed.
fn npm(text: &str) -> Option<String> {
    let sound = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.~!'()*".contains(c))
    };
    let fits = match text.strip_prefix('@') {
        Some(rest) => rest.split_once('/').is_some_and(|(scope, name)| sound(scope) && sound(name)),
        None => sound(text),
    };
    fits.then(|| text.to_owned())
}

/// As PEP 503 has it: small letters, and one hyphen for any run of hyphens, dots and underscores.
pub(crate) fn python(text: &str) -> Option<String> {
    let word = |c: char| c.is_ascii_alphanumeric();
    if !text.starts_with(word) || !text.ends_with(word) {
        return None;
    }
    let mut name = String::new();
    for character in text.chars() {
        match character {
            '-' | '_' | '.' if name.ends_with('-') => {}
            '-' | '_' | '.' => name.push('-'),
            other if word(other) => name.push(other.to_ascii_lowercase()),
            _ => return None,
        }
    }
    Some(name)
}

fn cargo(text: &str) -> Option<String> {
    let fits = text.len() <= 64
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    fits.then(|| text.to_owned())
}

/// Names that people write when they mean another one, the likeliest first. The asked one is not among them.
pub(crate) fn similar(asked: &Asked, ecosystem: Ecosystem) -> Vec<String> {
    let words: Vec<&str> = asked.text.split(|c: char| c.is_whitespace() || "-_.".contains(c)).collect();
    let words: Vec<String> =
        words.iter().filter(|word| !word.is_empty()).map(|word| word.to_lowercase()).collect();
    let (dashed, joined) = (words.join("-"), words.concat());
    let mut guesses = vec![dashed.clone(), joined.clone()];
    let without = |prefixes: &[&str], suffixes: &[&str]| {
        let prefixes = prefixes.iter().filter_map(|prefix| dashed.strip_prefix(prefix));
        let suffixes = suffixes.iter().filter_map(|suffix| dashed.strip_suffix(suffix));
        prefixes.chain(suffixes).map(str::to_owned).collect::<Vec<_>>()
    };
    match ecosystem {
        Ecosystem::Npm => {
            guesses.extend(without(&["node-"], &["-js", "js"]));
            // The name without its scope, and the scope as part of the name.
            guesses.extend(asked.text.rsplit_once('/').map(|(_, name)| name.to_lowercase()));
            guesses.push(format!("{joined}js"));
            guesses.push(format!("node-{dashed}"));
        }
        Ecosystem::Python => {
            guesses.extend(without(&["python-", "py-", "py"], &["-python", "-py"]));
            guesses.extend([format!("python-{dashed}"), format!("py{joined}"), format!("{dashed}-python")]);
        }
        Ecosystem::Cargo => {
            guesses.push(words.join("_"));
            guesses.extend(without(&["rust-", "lib"], &["-rs", "-rust"]));
            guesses.extend([format!("{dashed}-rs"), format!("rust-{dashed}")]);
        }
    }
    let mut names = Vec::new();
    for guess in guesses {
        let name = match ecosystem {
            Ecosystem::Npm => npm(&guess),
            Ecosystem::Python => python(&guess),
            Ecosystem::Cargo => cargo(&guess),
        };
        if let Some(name) = name
            && asked.exact.as_deref() != Some(name.as_str())
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names.truncate(MOST_TRIED);
    names
}

/// Text without percent signs that stand for other characters.
pub(crate) fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(text: &str, ecosystem: Ecosystem) -> Option<String> {
        asked(text, ecosystem).unwrap().exact
    }

    #[test]
    fn python_names_are_normalised() {
        for (written, name) in [
            ("Friendly-Bard", Some("friendly-bard")),
            ("friendly.bard", Some("friendly-bard")),
            ("FRIENDLY__-.bard", Some("friendly-bard")),
            ("two words", None),
            ("-x", None),
            ("x_", None),
            ("schön", None),
        ] {
            assert_eq!(exact(written, Ecosystem::Python).as_deref(), name, "{written}");
        }
    }

    #[test]
    fn names_that_could_leave_their_place_in_an_address_are_none() {
        for odd in ["a?b", "a#b", ".hidden", "a b"] {
            assert_eq!(exact(odd, Ecosystem::Npm), None, "{odd}");
            assert_eq!(exact(odd, Ecosystem::Cargo), None, "{odd}");
        }
        assert_eq!(exact("@types/node", Ecosystem::Npm).as_deref(), Some("@types/node"));
        assert_eq!(exact("JSONStream", Ecosystem::Npm).as_deref(), Some("JSONStream"));
        assert_eq!(exact("serde_json", Ecosystem::Cargo).as_deref(), Some("serde_json"));
    }

    #[test]
    fn what_is_no_name_at_all_is_told() {
        assert_eq!(asked("  ", Ecosystem::Npm).unwrap_err().detail, Some("empty"));
        assert_eq!(asked(&"x".repeat(215), Ecosystem::Npm).unwrap_err().detail, Some("too_long"));
        assert_eq!(asked("a\u{1b}b", Ecosystem::Npm).unwrap_err().detail, Some("odd_characters"));
    }

    #[test]
    fn what_is_neither_a_name_nor_words_is_refused() {
        let all = [Ecosystem::Npm, Ecosystem::Python, Ecosystem::Cargo];
        for odd in ["../etc", "a/b", "@a/b/c", "@/b", "a%2fb", "x y/../z", "a\\b", "..", "@a/b c"] {
            for ecosystem in all {
                assert_eq!(asked(odd, ecosystem).unwrap_err().detail, Some("not_a_name"), "{odd}");
            }
        }
        for odd in ["is\u{200b}number", "\u{202e}rebmun-si", "a\u{a0}b", "!!!", "- _"] {
            let told = all.map(|ecosystem| asked(odd, ecosystem).map_err(|problem| problem.detail));
            let npm = npm(odd).is_some();
            let refused = told.iter().filter(|told| **told == Err(Some("odd_characters"))).count();
            assert_eq!(refused, if npm { 2 } else { 3 }, "{odd:?} {told:?}");
        }
        let scope = asked("@types", Ecosystem::Npm).unwrap_err();
        assert!(
            scope.detail == Some("scope_without_name") && scope.message.contains("`@types/NAME`"),
            "{scope}"
        );
        // Words are words.
        for words in ["http client", "c++", "schön", "C#"] {
            assert_eq!(asked(words, Ecosystem::Npm).unwrap().exact, None, "{words}");
        }
    }

    #[test]
    fn similar_names_are_few_sound_and_never_the_asked_one() {
        let of = |text: &str, ecosystem| similar(&asked(text, ecosystem).unwrap(), ecosystem);
        assert_eq!(of("python-dateutil", Ecosystem::Python)[..2], ["pythondateutil", "dateutil"]);
        assert!(of("yaml", Ecosystem::Python).contains(&"pyyaml".to_owned()));
        assert!(of("next.js", Ecosystem::Npm).contains(&"next".to_owned()));
        assert!(of("serde-json", Ecosystem::Cargo).contains(&"serde_json".to_owned()));
        assert_eq!(of("http client", Ecosystem::Cargo)[..2], ["http-client", "httpclient"]);
        for ecosystem in [Ecosystem::Npm, Ecosystem::Python, Ecosystem::Cargo] {
            let scoped = if ecosystem == Ecosystem::Npm { "@s/n" } else { "s-n" };
            for text in ["a-b", "x", scoped, "node-py-rust-lib-js", "ä"] {
                let names = of(text, ecosystem);
                assert!(names.len() <= MOST_TRIED && !names.contains(&text.to_owned()), "{text} {names:?}");
            }
        }
    }
}

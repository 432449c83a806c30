//! Values assigned to something whose name speaks of a secret.
//!
//! The name alone proves little: most such values in source text are references, types, labels and
//! test words.  What is left has to look like something a generator or a careful person made.

use super::measure::{classes, digits, entropy, is_hex, jumbled_case, letters, mostly_words, switches};
use super::reference::{is_name, is_reference, is_uuid};
use super::{Candidate, dummy};

/// Names that hold something public even though they end like a secret.
const HARMLESS_NAMES: &[&str] = &[
    "public",
    "csrf",
    "xsrf",
    "cancel",
    "hash",
    "csrftoken",
    "nexttoken",
    "next_token",
    "pagetoken",
    "page_token",
    "continuation",
    "sitekey",
    "site_key",
    "publishable",
    "placeholder",
    "pub_key",
];

/// Longer values are data, not keys.
const LONGEST: usize = 512;

/// A value in quotes.
pub(crate) fn quoted(candidate: &Candidate<'_>) -> bool {
    // After a comma only a call that sets something is meant: `define('NAME', 'value')`.
    let called = ["(\"", "('", "(`"].iter().any(|open| candidate.before().trim_end().ends_with(open));
    let listed = candidate.key().contains(',') && !called;
    // A method called `pass` belongs to a test, not to an account.
    !listed && !candidate.key().contains("pass(") && named(candidate)
}

/// A value whose place in a pair or an element leaves no doubt that the name is its own.
pub(crate) fn named(candidate: &Candidate<'_>) -> bool {
    plausible(candidate) && strong(candidate.value(), is_password(candidate), false)
}

/// A value without quotes, which in most languages would be an expression.
pub(crate) fn unquoted(candidate: &Candidate<'_>) -> bool {
    let value = candidate.value();
    let after = candidate.after();
    let ends = after.is_empty()
        || after.starts_with([
            ' ', '\t', '\r', '&', ',', ';', '"', '\'', '<', '\\', '`', ')', '}', ']', '|', '>',
        ]);
    if !ends || !plausible(candidate) {
        return false;
    }
    let configured = is_configuration(candidate);
    let code = !configured || after.trim_end().ends_with([';', ')', '{']);
    !(code && is_name(value)) && strong(value, is_password(candidate) && configured, code)
}

/// A value given to a command by an option: `mysql -pvalue`.
pub(crate) fn flag(candidate: &Candidate<'_>) -> bool {
    plausible(candidate) && strong(candidate.value(), true, false)
}

/// A value after a space, which only an option (`--token value`) or `ENV NAME value` of a Dockerfile
/// gives a meaning.
pub(crate) fn option(candidate: &Candidate<'_>) -> bool {
    let dashed =
        candidate.key().starts_with('-') && !candidate.before().ends_with(|sign: char| !sign.is_whitespace());
    let docker = candidate.before().trim() == "ENV";
    (dashed || docker) && flag(candidate)
}

/// A `password` entry of a `.netrc` file.
pub(crate) fn netrc(candidate: &Candidate<'_>) -> bool {
    let machine = candidate.line.contains("machine ") || candidate.line.contains("login ");
    if machine {
        super::in_place(candidate)
    } else {
        plausible(candidate) && strong(candidate.value(), false, false)
    }
}

/// Rules out what only refers to a secret and what is known to be something else.
fn plausible(candidate: &Candidate<'_>) -> bool {
    let value = candidate.value();
    let name = candidate.key().to_ascii_lowercase();
    value.len() <= LONGEST
        && !is_reference(value)
        && !is_uuid(value)
        && !dummy::stand_in(value)
        && !dummy::example_word(value)
        && !HARMLESS_NAMES.iter().any(|harmless| name.contains(harmless))
        && (!value.contains('@') || (is_password(candidate) && classes(value) >= 3 && digits(value) > 0))
}

/// Passwords may be short and chosen by people; keys and tokens are long and generated.
fn is_password(candidate: &Candidate<'_>) -> bool {
    let name = candidate.key().to_ascii_lowercase();
    name.contains("pass") || name.contains("pwd")
}

/// Whether the value could be a secret by its looks.  `strict` asks for more, where code is likely.
fn strong(value: &str, password: bool, strict: bool) -> bool {
    let (digits, letters, length) = (digits(value), letters(value), value.len());
    let symbols = length - digits - letters;
    if letters == 0 || (digits == 0 && symbols == 0 && length < 20 && !jumbled_case(value)) {
        return false;
    }
    if is_hex(value) {
        return digits > 0 && length >= 16 && entropy(value) >= 2.6;
    }
    let classes = classes(value);
    if password && !strict {
        let varied = classes >= 3
            || (digits >= 2 && letters >= 3)
            || (symbols >= 2 && letters >= 6)
            || jumbled_case(value);
        let wordy = mostly_words(value, 6) && !(classes >= 4 || (classes == 3 && digits >= 2 && symbols > 0));
        return length >= 8 && varied && !wordy && !is_identifier(value) && entropy(value) >= 2.5;
    }
    if mostly_words(value, 6) || is_name(value) {
        return false;
    }
    let least = if strict { 3.4 } else { 3.1 };
    let mixed = digits >= 2 && switches(value) >= if strict { 3 } else { 2 };
    // Without digits only a long run of unpronounceable, case-changing letters is convincing.
    let long = length >= 24 && classes >= 2 && entropy(value) >= 4.0 && !value.contains(['.', ':']);
    let noise = long || (jumbled_case(value) && length >= 16);
    length >= 12 && entropy(value) >= least && (mixed || noise)
}

/// Lower-case words joined by one kind of sign, as in `current-password-2`.
fn is_identifier(value: &str) -> bool {
    is_name(value) && digits(value) <= 1
}

/// Whether the line reads like a configuration file: the name begins it, or is in upper case and
/// touches the equals sign.
fn is_configuration(candidate: &Candidate<'_>) -> bool {
    let key = candidate.key();
    let name = key.trim_end_matches(|sign: char| !sign.is_ascii_alphanumeric());
    let shouted = key.ends_with('=') && !name.bytes().any(|byte| byte.is_ascii_lowercase());
    let query = candidate.before().ends_with(['?', '&']);
    let begins = candidate.before().trim_start_matches(['-', ' ', '\t', '#', '+', '>']).trim();
    let lead = ["", "export", "set", "ENV", "ARG", "env", "-e", "$env:", "- name"].contains(&begins);
    shouted || query || lead
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strength() {
        assert!(strong("kR7w2Zp9Tq4x", true, false));
        assert!(strong("9f86d081884c7d659a2feaa0c55ad015", false, true));
        assert!(!strong("lexer2", false, false));
        assert!(!strong("current-password", true, false));
        assert!(!strong("MAX_TOKEN_LENGTH", false, false));
    }
}

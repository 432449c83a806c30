//! Values that only stand in for a secret: documentation, examples, masks.

use super::measure;

/// Words that nobody's random token contains; long enough not to turn up by chance.
const STAND_IN_WORDS: &[&str] = &[
    "example",
    "placeholder",
    "xxxx",
    "your",
    "changeme",
    "change-me",
    "change_me",
    "dummy",
    "redacted",
    "...",
    "****",
    "abcdef",
    "123456",
    "fake",
    "sample",
    "insert",
    "replace",
    "deadbeef",
    "notreal",
    "not-real",
    "<",
    "\u{2026}",
    "00000",
    "censored",
    "removed",
    "hidden",
    "masked",
    "invalid",
    "foobar",
    "lorem",
];

/// Words that mark a configured value as one for tests or defaults.
const EXAMPLE_WORDS: &[&str] = &[
    "password",
    "passwd",
    "passw0rd",
    "p@ssw0rd",
    "p4ssw0rd",
    "pa$$word",
    "passphrase",
    "secret",
    "s3cret",
    "s3cr3t",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "credential",
    "test",
    "testing",
    "mock",
    "stub",
    "foo",
    "bar",
    "admin",
    "default",
    "guest",
    "localhost",
    "qwerty",
    "letmein",
    "hunter2",
    "demo",
    "todo",
    "none",
    "null",
    "undefined",
    "optional",
    "required",
    "string",
    "value",
    "enter",
    "mypass",
    "12345",
    "abc123",
    "abcd",
    "user",
    "hello",
    "world",
    "access",
    "public",
    "development",
    "anon",
    "unset",
    "enabled",
    "disabled",
    "function",
    "postgres",
    "mysql",
    "redis",
    "rabbit",
    "mongo",
    "pass",
    "auth",
    "field",
    "input",
    "label",
    "type",
    "json",
    "http",
    "config",
    "super",
    "sensitive",
    "private",
];

/// Whether the value is an obvious stand-in for a token.
pub(crate) fn stand_in(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    STAND_IN_WORDS.iter().any(|word| lower.contains(word)) || long_run(&lower) || counts_up(&lower)
}

/// Whether a short, human value is one of the usual example values.
pub(crate) fn example_word(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    // Long random values may hold such a word by chance; then it is a small part of them.
    EXAMPLE_WORDS
        .iter()
        .any(|word| lower.contains(word) && (word.len() >= 6 || lower.len() <= word.len() * 6))
}

/// Whether the value is one of the usual example values and nothing more. Where the place says that a password
/// stands there, a word inside it (`s3cr3tp4ss`, `admin2024!`) proves nothing.
pub(crate) fn only_example_word(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let bare = lower.trim_end_matches(|c: char| c.is_ascii_digit() || c.is_ascii_punctuation());
    // Public archives are read with `anoncvs`, `anonymous` and the like.
    lower.split(':').any(|part| part.starts_with("anon"))
        || EXAMPLE_WORDS.contains(&lower.as_str())
        || (lower.len() - bare.len() <= 3 && EXAMPLE_WORDS.contains(&bare))
}

/// Six equal characters in a row.
fn long_run(value: &str) -> bool {
    value.as_bytes().windows(6).any(|six| six.iter().all(|byte| *byte == six[0]))
}

/// A third or more of the neighbours follow one another, as in `1234567890abcdefghij`.
fn counts_up(value: &str) -> bool {
    let steps = value.as_bytes().windows(2).filter(|pair| pair[0].abs_diff(pair[1]) == 1).count();
    value.len() >= 8
        && measure::letters(value) + measure::digits(value) > 0
        && steps * 100 >= value.len() * 38
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stand_ins() {
        for value in
            ["ghp_xxxxxxxxxxxxxxxx", "AKIAIOSFODNN7EXAMPLE", "1234567890abcdefghij", "aaaaaaaa", "<token>"]
        {
            assert!(stand_in(value), "{value}");
        }
        for value in ["q8Zt2LmWv0Yr", "9f86d081884c7d659a2feaa0"] {
            assert!(!stand_in(value), "{value}");
        }
    }
}

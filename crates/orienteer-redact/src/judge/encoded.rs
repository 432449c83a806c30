//! Credentials in base64: decoded far enough to see whether they are `user:password`.

use super::{Candidate, dummy, token};

/// The value of an `Authorization: Basic` header.
pub(crate) fn basic_auth(candidate: &Candidate<'_>) -> bool {
    let Some(plain) = decode(candidate.value()) else { return false };
    // Ordinary words decode to arbitrary bytes; a login is plain text.
    let Ok(text) = String::from_utf8(plain) else { return false };
    let Some((user, password)) = text.split_once(':') else { return false };
    let sample = is_sample(user) && is_sample(password);
    !password.is_empty() && !sample && !text.chars().any(char::is_control)
}

fn is_sample(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    ["user", "username", "password", "pass", "open sesame", "opensesame", "aladdin", "test", "foo", "bar"]
        .contains(&lower.as_str())
        || dummy::stand_in(word)
}

/// The `auth` entry of a Docker configuration file.
pub(crate) fn docker_auth(candidate: &Candidate<'_>) -> bool {
    token(candidate) && basic_auth(candidate)
}

/// Decodes standard or URL-safe base64; `None` where a foreign character stands in it.
fn decode(value: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(value.len());
    let (mut bits, mut held) = (0u32, 0u32);
    for byte in value.trim_end_matches('=').bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(digit);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes() {
        assert_eq!(decode("YTpi").as_deref(), Some(&b"a:b"[..]));
        assert_eq!(decode("YQ==").as_deref(), Some(&b"a"[..]));
        assert_eq!(decode("a b"), None);
    }
}

//! How is a token kept so that it is never shown?

use std::fmt;
use std::sync::Arc;

use orienteer_base::sha256::Sha256;

/// A token or a password. It is neither printed nor serialised: only the header of a request sees it in clear.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

impl Secret {
    /// White space around it comes from files and programs that end their lines. Nothing is left: there is no secret.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        // What is not visible ASCII cannot stand in a header.
        let fits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ');
        fits.then(|| Self(text.into()))
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// Tells secrets apart without telling them: the cache of one account must not answer another.
    pub(crate) fn fingerprint(&self) -> [u8; 32] {
        let mut sum = Sha256::new();
        sum.update(b"orienteer credential\0");
        sum.update(self.0.as_bytes());
        sum.finish().0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_shown() {
        let secret = Secret::new(" ghp_verysecret\n").unwrap();
        assert_eq!(format!("{secret:?} {:?}", Some(&secret)), "Secret(hidden) Some(Secret(hidden))");
        assert_eq!(secret.reveal(), "ghp_verysecret");
    }

    #[test]
    fn what_cannot_be_a_token_is_none() {
        for text in ["", " \n", "a\nb", "schlüssel"] {
            assert_eq!(Secret::new(text), None, "{text:?}");
        }
    }

    #[test]
    fn different_secrets_have_different_fingerprints() {
        let of = |text| Secret::new(text).unwrap().fingerprint();
        assert_eq!(of("a"), of("a "));
        assert_ne!(of("a"), of("b"));
    }
}

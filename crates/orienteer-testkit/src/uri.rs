//! File URIs, written without any crate of ours so that a mistake there is not repeated here.

use std::path::{Path, PathBuf};

/// `file:///…` with everything but unreserved characters percent-encoded.
pub fn file_uri(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() };
    let mut uri = String::from("file://");
    if !text.starts_with('/') {
        uri.push('/');
    }
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

/// The path of a `file:` URI; `None` for any other.
pub fn uri_path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let encoded = &rest[rest.find('/')?..];
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut left = encoded.as_bytes();
    while let Some((&byte, after)) = left.split_first() {
        left = after;
        if byte == b'%' {
            let digits = std::str::from_utf8(left.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            left = &left[2..];
        } else {
            bytes.push(byte);
        }
    }
    let text = String::from_utf8(bytes).ok()?;
    // `/C:/folder` is `C:/folder`.
    if text.as_bytes().get(2) == Some(&b':') {
        return Some(PathBuf::from(&text[1..]));
    }
    Some(PathBuf::from(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_survives_the_way_there_and_back() {
        for path in ["/plain/a.fake", "/with space/#1?/ä😀/50%.fake", "/a+b&c=d/[x].fake"] {
            let uri = file_uri(Path::new(path));
            assert!(uri.is_ascii() && !uri.contains(['#', '?', ' ']), "{uri}");
            assert_eq!(uri_path(&uri).as_deref(), Some(Path::new(path)));
        }
        assert_eq!(uri_path("untitled:one"), None);
        assert_eq!(uri_path("file:///broken%2"), None);
    }
}

//! From paths to URIs and back.

use std::path::{Path, PathBuf};

/// The `file:` URI of an absolute path. Everything but unreserved characters and slashes is encoded, so that
/// spaces, `#`, `?`, `%` and bytes that are not UTF-8 survive.
pub fn from_path(path: &Path) -> String {
    let mut uri = String::from("file://");
    let bytes = path_bytes(path);
    if bytes.first() != Some(&b'/') {
        uri.push('/');
    }
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(*byte))
            }
            b'\\' if cfg!(windows) => uri.push('/'),
            // A drive letter's colon.
            b':' if cfg!(windows) && at == 1 => uri.push(':'),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}

/// The path of a `file:` URI; `None` for every other scheme.
pub fn to_path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file:")?;
    let rest = match rest.strip_prefix("//") {
        Some(after) => &after[after.find('/')?..],
        None => rest,
    };
    let rest = rest.split(['#', '?']).next().unwrap_or_default();
    let mut bytes = Vec::with_capacity(rest.len());
    let mut raw = rest.as_bytes();
    while let [byte, after @ ..] = raw {
        let decoded = match (byte, after) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)).map(|(high, low)| high * 16 + low),
            _ => None,
        };
        match decoded {
            Some(decoded) => {
                bytes.push(decoded);
                raw = &after[2..];
            }
            None => {
                bytes.push(*byte);
                raw = after;
            }
        }
    }
    // `/C:/x` is `C:/x` on Windows.
    if cfg!(windows) && bytes.len() > 2 && bytes[2] == b':' {
        bytes.remove(0);
    }
    bytes_path(bytes)
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(unix)]
fn path_bytes(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str().as_bytes().to_vec()
}

#[cfg(not(unix))]
fn path_bytes(path: &Path) -> Vec<u8> {
    path.to_string_lossy().into_owned().into_bytes()
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "elsewhere not every path is one")]
fn bytes_path(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(PathBuf::from(std::ffi::OsString::from_vec(bytes)))
}

#[cfg(not(unix))]
fn bytes_path(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn awkward_names_are_encoded() {
        let path = Path::new("/we ird #1/a%20b/ü?.rs");
        assert_eq!(from_path(path), "file:///we%20ird%20%231/a%2520b/%C3%BC%3F.rs");
        assert_eq!(to_path(&from_path(path)).as_deref(), Some(path));
    }

    #[test]
    fn other_spellings_are_understood() {
        assert_eq!(to_path("file:///a/b%2fc"), Some(PathBuf::from("/a/b/c")));
        assert_eq!(to_path("file://localhost/a"), Some(PathBuf::from("/a")));
        assert_eq!(to_path("file:/a/b"), Some(PathBuf::from("/a/b")));
        assert_eq!(to_path("file:///a%ZZ"), Some(PathBuf::from("/a%ZZ")));
        assert_eq!(to_path("jdt://contents/rt.jar"), None);
    }

    proptest! {
        #[test]
        fn every_path_comes_back(name in "[^\\x00]{1,40}") {
            let path = PathBuf::from(format!("/{name}"));
            prop_assert_eq!(to_path(&from_path(&path)), Some(path));
        }
    }
}

//! Is this text, and if not, what is it?

use orienteer_base::remote::NoText;

/// What the bytes of a file are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    Text(String),
    /// The bytes of what is no text.
    Binary(Vec<u8>),
    Instead(NoText),
}

/// How far git looks for a NUL.
const LOOKED_AT: usize = 8000;
const LFS: &str = "version https://git-lfs.github.com/spec/v1";
const MOST_OF_A_POINTER: usize = 1024;

/// Reads the bytes of a file. What is nearly UTF-8 is text with the odd bytes shown as such; what has NULs, or is mostly
/// something else, is not.
pub fn read(bytes: Vec<u8>) -> Content {
    if let Some(pointer) = pointer(&bytes) {
        return Content::Instead(pointer);
    }
    if let Some(text) = utf16(&bytes) {
        return Content::Text(text);
    }
    if bytes.iter().take(LOOKED_AT).any(|byte| *byte == 0) {
        return Content::Binary(bytes);
    }
    match String::from_utf8(bytes) {
        Ok(text) => Content::Text(text),
        Err(error) => {
            let bytes = error.into_bytes();
            let odd: usize = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
            if odd.saturating_mul(10) > bytes.len() {
                Content::Binary(bytes)
            } else {
                Content::Text(String::from_utf8_lossy(&bytes).into_owned())
            }
        }
    }
}

/// Git LFS leaves a short note in place of a large file.
fn pointer(bytes: &[u8]) -> Option<NoText> {
    if bytes.len() > MOST_OF_A_POINTER || !bytes.starts_with(LFS.as_bytes()) {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let value = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    let oid = value("oid")?.trim().to_owned();
    let size = value("size")?.trim().parse().ok()?;
    Some(NoText::LfsPointer { oid, size })
}

/// Windows writes some files so; the mark at the beginning says it.
fn utf16(bytes: &[u8]) -> Option<String> {
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let (pairs, rest) = bytes.get(2..)?.as_chunks::<2>();
    let text: Option<String> =
        char::decode_utf16(pairs.iter().map(|pair| unit(*pair))).map(Result::ok).collect();
    text.filter(|text| rest.is_empty() && !text.contains('\0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_text_in_the_encodings_that_say_so() {
        assert_eq!(read(b"a\nb".to_vec()), Content::Text("a\nb".into()));
        assert_eq!(read(Vec::new()), Content::Text(String::new()));
        assert_eq!(read(vec![0xff, 0xfe, b'a', 0, 0xfc, 0]), Content::Text("aü".into()));
        assert_eq!(read(vec![0xfe, 0xff, 0, b'a']), Content::Text("a".into()));
        let latin = [b"caf\xe9 and more words of the same file".as_slice()].concat();
        assert_eq!(read(latin), Content::Text("caf\u{fffd} and more words of the same file".into()));
    }

    #[test]
    fn what_is_no_text_is_named() {
        for bytes in [b"\x89PNG\r\n\x1a\n\0\0".to_vec(), vec![0xff; 100], vec![0xff, 0xfe, 0, 0xd8]] {
            assert_eq!(read(bytes.clone()), Content::Binary(bytes));
        }
        let pointer = format!("{LFS}\noid sha256:abc\nsize 12345\n");
        let expected = NoText::LfsPointer { oid: "sha256:abc".into(), size: 12345 };
        assert_eq!(read(pointer.clone().into_bytes()), Content::Instead(expected));
        // A text about pointers is a text.
        let about = format!("{pointer}{}", "x".repeat(2000));
        assert_eq!(read(about.clone().into_bytes()), Content::Text(about));
        assert_eq!(read(LFS.into()), Content::Text(LFS.into()));
    }
}

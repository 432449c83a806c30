//! Content-Length frames, read leniently: real servers print stray lines between them.

use std::io::BufRead;

/// The body of the next frame; `None` at the end of the input. Whatever is not a header is passed over, text
/// on the header's own line included.
pub(crate) fn read_frame(reader: &mut impl BufRead) -> Option<Vec<u8>> {
    const NAME: &str = "content-length:";
    let mut length: Option<usize> = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        if reader.read_until(b'\n', &mut line).ok()? == 0 {
            return None;
        }
        let text = String::from_utf8_lossy(&line).to_ascii_lowercase();
        if let Some(at) = text.rfind(NAME) {
            length = text[at + NAME.len()..].trim().parse().ok();
        } else if text.trim().is_empty()
            && let Some(length) = length.take()
        {
            let mut body = vec![0; length];
            reader.read_exact(&mut body).ok()?;
            return Some(body);
        }
    }
}

pub(crate) fn frame(body: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

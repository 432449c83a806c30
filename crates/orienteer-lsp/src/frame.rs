//! Messages in a stream of bytes.
//!
//! Servers print stray lines on their standard output, write headers in odd ways and sometimes miscount. A
//! [`Scanner`] takes whatever comes and yields every message it can find; nothing that a server writes ends a
//! session by itself.

use serde_json::Value;

/// A message longer than this is taken for a miscounted header.
const LONGEST: usize = 512 << 20;

/// A header block is short; what looks like one and is longer is not one.
const LONGEST_HEADER: usize = 4 << 10;

/// Room that stays after a long message.
const KEPT: usize = 256 << 10;

const FIELD: &[u8] = b"content-length:";

/// Turns bytes into messages.
#[derive(Debug, Default)]
pub(crate) struct Scanner {
    buffer: Vec<u8>,
    /// Bytes that were no message.
    skipped: u64,
}

enum Step {
    /// More bytes are needed.
    Wait,
    /// The body of a message.
    Body(std::ops::Range<usize>),
    /// So many bytes are no message.
    Skip(usize),
}

impl Scanner {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// How many bytes were not part of any message.
    pub(crate) fn skipped(&self) -> u64 {
        self.skipped
    }

    /// The next whole message that can be read.
    pub(crate) fn next<T>(&mut self, read: impl Fn(&[u8]) -> Option<T>) -> Option<T> {
        loop {
            match self.step() {
                Step::Wait => return None,
                Step::Skip(count) => {
                    self.skipped += count as u64;
                    self.buffer.drain(..count);
                }
                Step::Body(body) => match read(&self.buffer[body.clone()]) {
                    Some(message) => {
                        self.buffer.drain(..body.end);
                        if self.buffer.len() < KEPT && self.buffer.capacity() > 4 * KEPT {
                            self.buffer.shrink_to(KEPT);
                        }
                        return Some(message);
                    }
                    None => {
                        // A length that is too large has swallowed the head of the next message, or the
                        // beginning of it.
                        let inside = find(&self.buffer[body.clone()], FIELD);
                        let begun = body.end.saturating_sub(FIELD.len() - 1).max(body.start);
                        let bad = inside.map_or(begun, |at| body.start + at);
                        self.skipped += bad as u64;
                        self.buffer.drain(..bad);
                    }
                },
            }
        }
    }

    fn step(&self) -> Step {
        let Some(start) = find(&self.buffer, FIELD) else {
            // The end of what is there may be the beginning of a header.
            let keep = FIELD.len().min(self.buffer.len());
            let skip = self.buffer.len() - keep;
            return if skip == 0 { Step::Wait } else { Step::Skip(skip) };
        };
        if start > 0 && !header_before(&self.buffer[..start]) {
            return Step::Skip(start);
        }
        let head = &self.buffer[start..];
        let Some((end, width)) = end_of_headers(head) else {
            return if head.len() > LONGEST_HEADER { Step::Skip(start + FIELD.len()) } else { Step::Wait };
        };
        let digits = head[FIELD.len()..end].split(|byte| *byte == b'\n').next().unwrap_or_default();
        let length = std::str::from_utf8(digits).ok().and_then(|text| text.trim().parse::<usize>().ok());
        let Some(length) = length.filter(|length| *length <= LONGEST) else {
            return Step::Skip(start + FIELD.len());
        };
        let body = start + end + width;
        if self.buffer.len() < body + length { Step::Wait } else { Step::Body(body..body + length) }
    }
}

/// Whether what stands before the field is another header field, so that there is nothing to skip.
fn header_before(before: &[u8]) -> bool {
    before.len() < 200 && before.to_ascii_lowercase().starts_with(b"content-type:")
}

/// Where the headers end, and how wide the empty line is.
fn end_of_headers(head: &[u8]) -> Option<(usize, usize)> {
    let limit = head.len().min(LONGEST_HEADER);
    (0..limit).find_map(|at| {
        let rest = &head[at..];
        if rest.starts_with(b"\r\n\r\n") {
            Some((at, 4))
        } else if rest.starts_with(b"\n\n") {
            Some((at, 2))
        } else {
            None
        }
    })
}

fn find(bytes: &[u8], field: &[u8]) -> Option<usize> {
    bytes.windows(field.len()).position(|window| window.eq_ignore_ascii_case(field))
}

/// The bytes of a message.
pub(crate) fn encode(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    let mut bytes = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    bytes.extend_from_slice(body.as_bytes());
    bytes
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn all(scanner: &mut Scanner) -> Vec<Value> {
        std::iter::from_fn(|| scanner.next(|bytes| serde_json::from_slice(bytes).ok())).collect()
    }

    #[test]
    fn split_into_single_bytes_and_merged() {
        let first = json!({ "id": 1, "text": "Content-Length: 3 é😀" });
        let second = json!({ "method": "x" });
        let mut bytes = encode(&first);
        bytes.extend(encode(&second));
        let mut scanner = Scanner::default();
        let mut seen = Vec::new();
        for byte in &bytes {
            scanner.push(&[*byte]);
            seen.extend(all(&mut scanner));
        }
        assert_eq!(seen, [first.clone(), second.clone()]);
        scanner.push(&bytes);
        assert_eq!(all(&mut scanner), [first, second]);
        assert_eq!(scanner.skipped(), 0);
    }

    #[test]
    fn garbage_between_messages_is_passed_over() {
        let message = json!({ "id": 7 });
        let mut bytes = b"Starting server...\nno newline".to_vec();
        bytes.extend(encode(&message));
        bytes.extend(b"{\"not\": \"framed\"}\r\n");
        bytes.extend(encode(&message));
        let mut scanner = Scanner::default();
        scanner.push(&bytes);
        assert_eq!(all(&mut scanner), [message.clone(), message]);
        assert!(scanner.skipped() > 0);
    }

    #[test]
    fn odd_headers_are_read() {
        let mut scanner = Scanner::default();
        scanner.push(b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nCONTENT-LENGTH:  8\r\n\r\n{\"id\":1}");
        scanner.push(b"content-length: 8\n\n{\"id\":2}");
        scanner.push(b"Content-Length: 8\r\nContent-Type: x\r\n\r\n{\"id\":3}");
        assert_eq!(all(&mut scanner), [json!({ "id": 1 }), json!({ "id": 2 }), json!({ "id": 3 })]);
    }

    #[test]
    fn a_miscounted_message_loses_itself_alone() {
        let good = json!({ "id": 2 });
        let mut scanner = Scanner::default();
        scanner.push(b"Content-Length: 20\r\n\r\n{\"id\":1}");
        scanner.push(&encode(&good));
        assert_eq!(all(&mut scanner), std::slice::from_ref(&good));
        scanner.push(b"Content-Length: -4\r\n\r\n");
        scanner.push(b"Content-Length: 99999999999999999999\r\n\r\n");
        scanner.push(&encode(&good));
        assert_eq!(all(&mut scanner), [good]);
    }

    proptest! {
        #[test]
        fn nothing_panics_and_a_message_after_lines_of_noise_arrives(noise in "[a-zA-Z0-9 :{}\"\\r\\n]{0,200}") {
            let message = json!({ "id": 1 });
            let mut scanner = Scanner::default();
            scanner.push(noise.as_bytes());
            scanner.push(b"\n");
            scanner.push(&encode(&message));
            let lower = noise.to_ascii_lowercase();
            let seen = all(&mut scanner);
            prop_assert!(lower.contains("content-length:") || seen == [message]);
        }
    }
}

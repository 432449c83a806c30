//! Messages in a stream of bytes.
//!
//! Servers print stray lines on their standard output, write headers in odd ways and sometimes miscount. A
//! [`Scanner`] takes whatever comes and yields every message it can find; nothing that a server writes ends a
//! session by itself.

use serde_json::Value;

/// A longer message is passed over: some half a million places.
const LONGEST: usize = 64 << 20;

/// A length beyond this is taken for a miscounted header.
const IMPOSSIBLE: usize = 4 << 30;

/// What is kept of a message that is passed over: enough to say whose it was.
const ENDS: usize = 512;

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
    /// A message that is being passed over.
    too_long: Option<TooLong>,
}

/// A message that nobody reads: how long it is, how much of it is to come, how it begins and ends.
#[derive(Debug)]
pub(crate) struct TooLong {
    pub(crate) length: usize,
    left: usize,
    pub(crate) begin: Vec<u8>,
    pub(crate) end: Vec<u8>,
}

impl TooLong {
    /// Takes what belongs to it and returns how much that was.
    fn take(&mut self, bytes: &[u8]) -> usize {
        let own = &bytes[..bytes.len().min(self.left)];
        let begin = own.len().min(ENDS - self.begin.len());
        self.begin.extend_from_slice(&own[..begin]);
        self.end.extend_from_slice(&own[own.len().saturating_sub(ENDS)..]);
        let old = self.end.len().saturating_sub(ENDS);
        self.end.drain(..old);
        self.left -= own.len();
        own.len()
    }
}

enum Step {
    /// More bytes are needed.
    Wait,
    /// The body of a message.
    Body(std::ops::Range<usize>),
    /// So many bytes are no message.
    Skip(usize),
    /// So many bytes are headers of a message of so many bytes that is too long.
    TooLong(usize, usize),
}

impl Scanner {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let passed_over = self.too_long.as_mut().map_or(0, |message| message.take(bytes));
        self.skipped += passed_over as u64;
        self.buffer.extend_from_slice(&bytes[passed_over..]);
    }

    /// A message that was passed over to its end.
    pub(crate) fn passed_over(&mut self) -> Option<TooLong> {
        self.too_long.take_if(|message| message.left == 0)
    }

    /// How many bytes were not part of any message.
    pub(crate) fn skipped(&self) -> u64 {
        self.skipped
    }

    /// The next whole message that can be read.
    pub(crate) fn next<T>(&mut self, read: impl Fn(&[u8]) -> Option<T>) -> Option<T> {
        loop {
            if self.too_long.is_some() {
                return None;
            }
            match self.step() {
                Step::Wait => return None,
                Step::TooLong(head, length) => {
                    let mut message = TooLong { length, left: length, begin: Vec::new(), end: Vec::new() };
                    let taken = head + message.take(&self.buffer[head..]);
                    self.skipped += taken as u64;
                    self.buffer.drain(..taken);
                    self.too_long = Some(message);
                }
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
        let Some(length) = length.filter(|length| *length <= IMPOSSIBLE) else {
            return Step::Skip(start + FIELD.len());
        };
        let body = start + end + width;
        if length > LONGEST {
            return Step::TooLong(body, length);
        }
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
    fn a_message_that_is_too_long_is_passed_over_and_said_whose_it_was() {
        let (good, length) = (json!({ "id": 2 }), LONGEST + 1000);
        let head = "{\"id\":1,\"result\":\"";
        let mut scanner = Scanner::default();
        scanner.push(format!("Content-Length: {length}\r\n\r\n{head}").as_bytes());
        assert_eq!(all(&mut scanner), [json!(null); 0]);
        let (piece, mut left) = (vec![b'x'; 1 << 20], length - head.len());
        while left > 0 {
            assert!(scanner.passed_over().is_none());
            let now = left.min(piece.len());
            scanner.push(&piece[..now]);
            left -= now;
            assert!(scanner.buffer.capacity() < KEPT);
        }
        scanner.push(&encode(&good));
        let passed_over = scanner.passed_over().unwrap();
        assert_eq!((passed_over.length, passed_over.begin.starts_with(head.as_bytes())), (length, true));
        assert_eq!(passed_over.end, [b'x'; ENDS]);
        assert_eq!(all(&mut scanner), [good]);
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

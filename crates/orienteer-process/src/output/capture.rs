//! What is kept of the output of a finite run?

use std::borrow::Cow;
use std::fmt;

use super::{Sink, Tail};

/// How much of the end is remembered besides the beginning, to quote a child's last words in an error.
const LAST_WORDS: usize = 2 * 1024;

/// What was kept of one output stream: its beginning, and how much there was.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes, up to the limit of the specification.
    pub bytes: Vec<u8>,
    /// How many bytes the child wrote, kept or not.
    pub total_bytes: u64,
    /// Whether the child wrote more than was kept.
    pub truncated: bool,
    /// Whether the end of the stream was seen. It is not when a process that left the group, such as a
    /// daemon, still holds the stream open after the child ended.
    pub complete: bool,
}

impl Captured {
    /// The kept bytes as text; what is not UTF-8 is replaced.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }
}

/// Shows the text, because a list of byte values tells a reader nothing.
impl fmt::Debug for Captured {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Captured")
            .field("text", &self.text())
            .field("total_bytes", &self.total_bytes)
            .field("truncated", &self.truncated)
            .field("complete", &self.complete)
            .finish()
    }
}

/// A stream being captured.
#[derive(Debug)]
pub(crate) struct Capture {
    limit: usize,
    captured: Captured,
    last_words: Tail,
}

impl Capture {
    /// Keeps at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, captured: Captured::default(), last_words: Tail::new(LAST_WORDS) }
    }

    /// Hands over what was captured so far.
    pub(crate) fn take(&mut self) -> Captured {
        std::mem::take(&mut self.captured)
    }

    /// The end of the stream so far, as text.
    pub(crate) fn last_words(&self) -> String {
        self.last_words.text()
    }
}

impl Sink for Capture {
    fn push(&mut self, bytes: &[u8]) {
        let room = self.limit - self.captured.bytes.len();
        let kept = &bytes[..room.min(bytes.len())];
        self.captured.bytes.extend_from_slice(kept);
        self.captured.total_bytes += bytes.len() as u64;
        self.captured.truncated |= kept.len() < bytes.len();
        self.last_words.push(bytes);
    }

    fn end(&mut self) {
        self.captured.complete = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_is_kept_and_the_rest_is_counted() {
        let mut capture = Capture::new(4);
        capture.push(b"ab");
        capture.push(b"cd");
        assert!(!capture.captured.truncated);
        capture.push(b"ef");
        capture.end();
        assert_eq!(capture.last_words(), "abcdef");
        let captured = capture.take();
        assert_eq!((captured.bytes.as_slice(), captured.total_bytes), (b"abcd".as_slice(), 6));
        assert!(captured.truncated && captured.complete);
    }
}

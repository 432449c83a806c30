//! What is kept of an endless stream?

use std::collections::VecDeque;

use super::Sink;

/// The last bytes of a stream.
#[derive(Debug)]
pub(crate) struct Tail {
    limit: usize,
    bytes: VecDeque<u8>,
    cut: bool,
}

impl Tail {
    /// Keeps at most `limit` bytes. Memory is only taken as bytes arrive.
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, bytes: VecDeque::new(), cut: false }
    }

    /// The kept bytes as text; what is not UTF-8 is replaced.
    pub(crate) fn text(&self) -> String {
        // Where older bytes were dropped, the cut can fall inside a character. The rest of that
        // character is no error of the child's, so it is left out rather than shown as one.
        let is_rest_of_a_character = |byte: &u8| self.cut && byte & 0b1100_0000 == 0b1000_0000;
        let skipped = self.bytes.iter().take(3).take_while(|byte| is_rest_of_a_character(byte)).count();
        let bytes: Vec<u8> = self.bytes.iter().skip(skipped).copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Sink for Tail {
    fn push(&mut self, bytes: &[u8]) {
        let fitting = &bytes[bytes.len().saturating_sub(self.limit)..];
        let surplus = (self.bytes.len() + fitting.len()).saturating_sub(self.limit);
        self.cut |= surplus > 0 || fitting.len() < bytes.len();
        self.bytes.drain(..surplus);
        self.bytes.extend(fitting);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_kept() {
        let mut tail = Tail::new(4);
        tail.push(b"ab");
        assert_eq!(tail.text(), "ab");
        tail.push(b"cde");
        assert_eq!(tail.text(), "bcde");
        tail.push(b"0123456789");
        assert_eq!(tail.text(), "6789");
        tail.push(b"");
        assert_eq!(tail.text(), "6789");
    }

    #[test]
    fn a_character_that_was_cut_in_two_is_left_out() {
        let mut tail = Tail::new(4);
        tail.push("x€yz".as_bytes());
        assert_eq!(tail.text(), "yz");
        // The child's own invalid bytes are shown as such when nothing was cut.
        let mut whole = Tail::new(4);
        whole.push(b"\x82a");
        assert_eq!(whole.text(), "\u{fffd}a");
    }

    #[test]
    fn nothing_is_kept_with_a_limit_of_zero() {
        let mut tail = Tail::new(0);
        tail.push(b"abc");
        assert_eq!(tail.text(), "");
    }
}

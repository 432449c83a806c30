//! Two framings on one stream of bytes: a message per line, and `Content-Length` headers. Which one a
//! client speaks is told by its first bytes, and it is answered in kind.
//!
//! Decoding is a state machine over bytes that knows nothing of I/O, so that a fuzzer can drive it. No
//! input makes it panic, grow beyond the limit or lose the next good message.

/// How messages are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    Lines,
    ContentLength,
}

/// What came out of the bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    Message(Vec<u8>),
    /// A message longer than the limit; it was skipped.
    TooLong {
        limit: usize,
    },
    /// Headers without a usable `Content-Length`; skipped to the next header.
    BadHeader,
}

/// How the headers of both kinds, length and type, begin.
const HEADER: &[u8] = b"content-";

/// No message is longer; a larger number is a mistake that would swallow the rest of the session.
const LARGEST_LENGTH: usize = 1 << 32;

/// Longest header block that is looked at.
const MAX_HEADER: usize = 8 * 1024;

/// The decoder. Feed it bytes, take frames.
#[derive(Debug)]
pub struct Decoder {
    buffer: Vec<u8>,
    /// How much of the buffer was searched for a line end already.
    scanned: usize,
    /// Bytes of an over-long body still to be thrown away.
    skip_bytes: usize,
    /// An over-long line is being thrown away up to its end.
    skip_line: bool,
    /// A bad header was reported; garbage is thrown away silently until the next one.
    resync: bool,
    framing: Option<Framing>,
    limit: usize,
}

impl Decoder {
    pub fn new(limit: usize) -> Self {
        Self {
            buffer: Vec::new(),
            scanned: 0,
            skip_bytes: 0,
            skip_line: false,
            resync: false,
            framing: None,
            limit,
        }
    }

    /// Known after the first byte that is not white space.
    pub fn framing(&self) -> Option<Framing> {
        self.framing
    }

    pub fn feed(&mut self, mut bytes: &[u8]) {
        if self.skip_bytes > 0 {
            let skipped = self.skip_bytes.min(bytes.len());
            self.skip_bytes -= skipped;
            bytes = &bytes[skipped..];
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next frame in what was fed, if there is a whole one.
    pub fn next_frame(&mut self) -> Option<Frame> {
        let framing = self.detect()?;
        match framing {
            Framing::Lines => self.next_line(),
            Framing::ContentLength => self.next_block(),
        }
    }

    /// What is left when the stream ends: a last line without its line end is still a message.
    pub fn finish(&mut self) -> Option<Frame> {
        if self.framing == Some(Framing::ContentLength) || self.skip_line || self.buffer.is_empty() {
            return None;
        }
        let line = std::mem::take(&mut self.buffer);
        self.scanned = 0;
        (!is_blank(&line)).then_some(Frame::Message(line))
    }

    fn detect(&mut self) -> Option<Framing> {
        if self.framing.is_none() {
            let at = self.buffer.iter().position(|byte| !is_white(*byte))?;
            self.buffer.drain(..at);
            // A header begins with the name of one; everything else is a line, good or bad.
            let beginning = &self.buffer[..self.buffer.len().min(HEADER.len())];
            if beginning.eq_ignore_ascii_case(&HEADER[..beginning.len()]) {
                if beginning.len() < HEADER.len() {
                    return None;
                }
                self.framing = Some(Framing::ContentLength);
            } else {
                self.framing = Some(Framing::Lines);
            }
        }
        self.framing
    }

    fn next_line(&mut self) -> Option<Frame> {
        loop {
            let Some(at) = self.buffer[self.scanned..].iter().position(|byte| *byte == b'\n') else {
                self.scanned = self.buffer.len();
                if self.buffer.len() > self.limit {
                    self.buffer.clear();
                    self.scanned = 0;
                    if !self.skip_line {
                        self.skip_line = true;
                        return Some(Frame::TooLong { limit: self.limit });
                    }
                }
                return None;
            };
            let end = self.scanned + at;
            let line: Vec<u8> = self.buffer.drain(..=end).collect();
            self.scanned = 0;
            if std::mem::take(&mut self.skip_line) || is_blank(&line) {
                continue;
            }
            if line.len() > self.limit + 1 {
                return Some(Frame::TooLong { limit: self.limit });
            }
            return Some(Frame::Message(line[..line.len() - 1].to_vec()));
        }
    }

    fn next_block(&mut self) -> Option<Frame> {
        loop {
            // Blank lines between messages are tolerated.
            let blank = self.buffer.iter().take_while(|byte| is_white(**byte)).count();
            self.buffer.drain(..blank);
            if self.resync && !self.skip_to_header() {
                return None;
            }
            let Some((header_end, body_start)) = header_end(&self.buffer) else {
                if self.buffer.len() > MAX_HEADER {
                    return Some(self.bad_header(1));
                }
                return None;
            };
            let Some(length) = content_length(&self.buffer[..header_end]) else {
                return Some(self.bad_header(body_start));
            };
            if length > self.limit {
                self.buffer.drain(..body_start);
                let here = length.min(self.buffer.len());
                self.buffer.drain(..here);
                self.skip_bytes = length - here;
                return Some(Frame::TooLong { limit: self.limit });
            }
            if self.buffer.len() < body_start + length {
                return None;
            }
            let body = self.buffer[body_start..body_start + length].to_vec();
            self.buffer.drain(..body_start + length);
            if !is_blank(&body) {
                return Some(Frame::Message(body));
            }
        }
    }

    fn bad_header(&mut self, consumed: usize) -> Frame {
        self.buffer.drain(..consumed.min(self.buffer.len()));
        self.resync = true;
        Frame::BadHeader
    }

    /// Throws garbage away up to the next header; false when none is in sight yet.
    fn skip_to_header(&mut self) -> bool {
        const NAME: &[u8] = b"content-length:";
        let found = self.buffer.windows(NAME.len()).position(|window| window.eq_ignore_ascii_case(NAME));
        match found {
            Some(at) => {
                self.buffer.drain(..at);
                self.resync = false;
                true
            }
            None => {
                // Keep what could be the beginning of the name.
                let keep = self.buffer.len().saturating_sub(NAME.len());
                self.buffer.drain(..keep);
                false
            }
        }
    }
}

/// Where the header block ends and where the body begins. Bare line feeds are tolerated.
fn header_end(buffer: &[u8]) -> Option<(usize, usize)> {
    let window = &buffer[..buffer.len().min(MAX_HEADER + 4)];
    let strict = window.windows(4).position(|bytes| bytes == b"\r\n\r\n").map(|at| (at, at + 4));
    let loose = window.windows(2).position(|bytes| bytes == b"\n\n").map(|at| (at, at + 2));
    match (strict, loose) {
        (Some(strict), Some(loose)) => Some(if strict.0 < loose.0 { strict } else { loose }),
        (found, other) => found.or(other),
    }
}

fn content_length(header: &[u8]) -> Option<usize> {
    std::str::from_utf8(header).ok()?.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.trim()
            .eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().ok().filter(|length| *length <= LARGEST_LENGTH))?
    })
}

fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| is_white(*byte))
}

/// A message as it goes out.
pub fn encode(framing: Framing, body: &[u8]) -> Vec<u8> {
    match framing {
        Framing::Lines => [body, b"\n"].concat(),
        Framing::ContentLength => {
            [format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode(bytes: &[u8], chunk: usize, limit: usize) -> Vec<Frame> {
        let mut decoder = Decoder::new(limit);
        let mut frames = Vec::new();
        for piece in bytes.chunks(chunk.max(1)) {
            decoder.feed(piece);
            while let Some(frame) = decoder.next_frame() {
                frames.push(frame);
            }
        }
        frames.extend(decoder.finish());
        frames
    }

    fn message(text: &str) -> Frame {
        Frame::Message(text.as_bytes().to_vec())
    }

    #[test]
    fn lines_and_blocks_in_any_pieces() {
        for chunk in [1, 2, 3, 7, 1000] {
            assert_eq!(
                decode(b"\n{\"a\":1}\r\n\n{\"b\":2}\n{\"c\":3}", chunk, 100),
                [message("{\"a\":1}\r"), message("{\"b\":2}"), message("{\"c\":3}")]
            );
            let blocks =
                b"Content-Length: 7\r\n\r\n{\"a\":1}content-type: x\r\ncontent-length:7\r\n\r\n{\"b\":2}";
            assert_eq!(decode(blocks, chunk, 100), [message("{\"a\":1}"), message("{\"b\":2}")]);
        }
    }

    #[test]
    fn what_is_too_long_is_skipped_and_the_next_message_survives() {
        let long = "x".repeat(50);
        for chunk in [1, 9, 1000] {
            let lines = format!("{{\"{long}\"}}\n{{\"b\":2}}\n");
            assert_eq!(
                decode(lines.as_bytes(), chunk, 20),
                [Frame::TooLong { limit: 20 }, message("{\"b\":2}")]
            );
            let blocks = format!("Content-Length: 50\r\n\r\n{long}Content-Length: 7\r\n\r\n{{\"b\":2}}");
            assert_eq!(
                decode(blocks.as_bytes(), chunk, 20),
                [Frame::TooLong { limit: 20 }, message("{\"b\":2}")]
            );
        }
    }

    #[test]
    fn a_first_line_of_words_is_a_bad_line_not_a_header() {
        for chunk in [1, 1000] {
            let bytes = b"not json\n{\"a\":1}\n";
            assert_eq!(decode(bytes, chunk, 100), [message("not json"), message("{\"a\":1}")]);
            assert_eq!(decode(b"con", chunk, 100), [message("con")]);
        }
    }

    #[test]
    fn bad_headers_are_reported_once_and_skipped() {
        for chunk in [1, 5, 1000] {
            let bytes = b"Content-Length: many\r\n\r\ngarbage garbageContent-Length: 2\r\n\r\n{}";
            assert_eq!(decode(bytes, chunk, 100), [Frame::BadHeader, message("{}")]);
        }
        let endless = [b"Content-".as_slice(), &vec![b'a'; MAX_HEADER * 3]].concat();
        assert_eq!(decode(&endless, 1000, 100), [Frame::BadHeader]);
        let huge = b"Content-Length: 18446744073709551615\r\n\r\nContent-Length: 2\r\n\r\n{}";
        assert_eq!(decode(huge, 7, 100), [Frame::BadHeader, message("{}")]);
    }

    proptest! {
        #[test]
        fn nothing_panics_or_grows(bytes in prop::collection::vec(any::<u8>(), 0..4000), chunk in 1usize..300) {
            let mut decoder = Decoder::new(64);
            for piece in bytes.chunks(chunk) {
                decoder.feed(piece);
                while decoder.next_frame().is_some() {}
                prop_assert!(decoder.buffer.len() <= MAX_HEADER + 4 + 300);
            }
        }

        #[test]
        fn pieces_do_not_matter(
            bodies in prop::collection::vec("[{\\[][a-z\"{}:, ]{0,40}", 1..8),
            lines in any::<bool>(),
            chunk in 1usize..50,
        ) {
            let framing = if lines { Framing::Lines } else { Framing::ContentLength };
            let bytes: Vec<u8> = bodies.iter().flat_map(|body| encode(framing, body.as_bytes())).collect();
            let expected: Vec<Frame> = bodies.iter().map(|body| message(body)).collect();
            prop_assert_eq!(decode(&bytes, chunk, 1000), expected);
        }
    }
}

//! In which encoding is this file, and what are its characters?

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use encoding_rs::{Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use orienteer_base::Cancel;

/// Where a NUL says that a file is no text.
const SNIFFED: usize = 8 << 10;
const CHUNK: usize = 64 << 10;

/// How to decode a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Decoded {
    encoding: &'static Encoding,
    pub(super) name: &'static str,
    bom: u64,
}

/// Finds the encoding; `None` for a binary file.
///
/// Without a byte order mark a file is UTF-8, unless bytes above ASCII never form UTF-8 in it and each is a
/// printable character of windows-1252.
pub(super) fn sniff(file: &mut File, cancel: &Cancel) -> io::Result<Option<Decoded>> {
    let mut survey = Survey::default();
    let mut buffer = vec![0; CHUNK];
    let mut held = 0;
    let mut read = 0;
    loop {
        let fresh = fill(file, &mut buffer[held..])?;
        let head = &buffer[..held + fresh];
        if read == 0 {
            match mark(head) {
                Mark::Known(decoded) => return Ok(Some(decoded)),
                Mark::None if head[..head.len().min(SNIFFED)].contains(&0) => return Ok(None),
                Mark::None => {}
                Mark::Foreign => return Ok(None),
            }
        }
        read += fresh;
        // An unfinished character is left for the next chunk, unless there is none.
        let used = survey.look(head, fresh == 0);
        held = head.len() - used;
        buffer.copy_within(used..used + held, 0);
        if fresh == 0 || survey.is_decided() || cancel.is_cancelled() {
            break;
        }
    }
    Ok(Some(if survey.is_western() {
        Decoded { encoding: WINDOWS_1252, name: "windows-1252", bom: 0 }
    } else {
        Decoded { encoding: UTF_8, name: "utf-8", bom: 0 }
    }))
}

enum Mark {
    Known(Decoded),
    /// UTF-32, which begins like UTF-16 but is not decoded.
    Foreign,
    None,
}

fn mark(head: &[u8]) -> Mark {
    match head {
        [0xFF, 0xFE, 0, 0, ..] => Mark::Foreign,
        [0xEF, 0xBB, 0xBF, ..] => Mark::Known(Decoded { encoding: UTF_8, name: "utf-8-bom", bom: 3 }),
        [0xFF, 0xFE, ..] => Mark::Known(Decoded { encoding: UTF_16LE, name: "utf-16le", bom: 2 }),
        [0xFE, 0xFF, ..] => Mark::Known(Decoded { encoding: UTF_16BE, name: "utf-16be", bom: 2 }),
        _ => Mark::None,
    }
}

/// Reads until the buffer is full or the file ends.
fn fill(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// What the bytes of a file without a mark look like.
#[derive(Debug, Default)]
struct Survey {
    multibyte: bool,
    invalid: bool,
    /// Bytes that windows-1252 leaves free, or control characters that no text has.
    strange: bool,
}

impl Survey {
    /// Looks at bytes and says how many it understood; what is left may be the beginning of a character.
    fn look(&mut self, bytes: &[u8], last: bool) -> usize {
        let mut at = 0;
        while at < bytes.len() {
            match std::str::from_utf8(&bytes[at..]) {
                Ok(text) => {
                    self.multibyte |= !text.is_ascii();
                    at = bytes.len();
                }
                Err(error) => {
                    let valid = error.valid_up_to();
                    self.multibyte |= !bytes[at..at + valid].is_ascii();
                    let Some(length) = error.error_len() else {
                        self.invalid |= last;
                        at += valid;
                        break;
                    };
                    self.invalid = true;
                    let wrong = &bytes[at + valid..at + valid + length];
                    self.strange |= wrong.iter().any(|byte| matches!(byte, 0x81 | 0x8D | 0x8F | 0x90 | 0x9D));
                    at += valid + length;
                }
            }
            if self.is_decided() {
                break;
            }
        }
        let control = |byte: &u8| *byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0C | 0x1B);
        self.strange |= bytes[..at].iter().any(control);
        at
    }

    /// Whether nothing that follows could make this windows-1252.
    fn is_decided(&self) -> bool {
        self.invalid && (self.multibyte || self.strange)
    }

    fn is_western(&self) -> bool {
        self.invalid && !self.multibyte && !self.strange
    }
}

/// The characters of a file, some at a time.
pub(super) struct Chunks<'f> {
    file: &'f mut File,
    decoder: Decoder,
    bytes: Vec<u8>,
    held: std::ops::Range<usize>,
    text: String,
    ended: bool,
    done: bool,
    pub(super) lossy: bool,
}

impl<'f> Chunks<'f> {
    pub(super) fn new(file: &'f mut File, decoded: Decoded) -> io::Result<Self> {
        file.seek(SeekFrom::Start(decoded.bom))?;
        Ok(Self {
            file,
            decoder: decoded.encoding.new_decoder_without_bom_handling(),
            bytes: vec![0; CHUNK],
            held: 0..0,
            text: String::with_capacity(CHUNK),
            ended: false,
            done: false,
            lossy: false,
        })
    }

    pub(super) fn next(&mut self) -> io::Result<Option<&str>> {
        self.text.clear();
        while self.text.is_empty() && !self.done {
            if self.held.is_empty() && !self.ended {
                let read = fill(self.file, &mut self.bytes)?;
                self.held = 0..read;
                self.ended = read < self.bytes.len();
            }
            let (result, used, replaced) =
                self.decoder.decode_to_string(&self.bytes[self.held.clone()], &mut self.text, self.ended);
            self.held.start += used;
            self.lossy |= replaced;
            self.done = self.ended && result == encoding_rs::CoderResult::InputEmpty;
        }
        Ok((!self.text.is_empty()).then_some(self.text.as_str()))
    }
}

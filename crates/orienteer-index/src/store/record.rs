//! What is put in?

use std::fs::Metadata;
use std::ops::Range;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use orienteer_base::{Language, SymbolKind};
use orienteer_syntax::facts::Visibility;

use super::row::RelativePath;
use super::terms::Terms;

/// What a text is for. Comments of a file of code are asked for as [`Mode::Comments`]; no file has that mode.
pub use orienteer_base::search::SearchMode as Mode;

pub(super) fn mode_of(number: i64) -> Mode {
    usize::try_from(number).ok().and_then(|at| Mode::ALL.get(at).copied()).unwrap_or(Mode::Code)
}

/// A set of modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Modes(u8);

impl Modes {
    pub const ALL: Self = Self(0b1_1111);
    pub const NONE: Self = Self(0);

    pub fn of(modes: &[Mode]) -> Self {
        Self(modes.iter().fold(0, |set, mode| set | 1 << *mode as u8))
    }

    pub fn has(self, mode: Mode) -> bool {
        self.0 & (1 << mode as u8) != 0
    }
}

impl Default for Modes {
    fn default() -> Self {
        Self::ALL
    }
}

/// What is true of a whole file. Nothing of it keeps a file out of the index; it tells a ranking what to put last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct FileFlags(u16);

impl FileFlags {
    pub const NONE: Self = Self(0);
    pub const GENERATED: Self = Self(1);
    pub const MINIFIED: Self = Self(2);
    pub const TEST: Self = Self(4);
    pub const VENDORED: Self = Self(8);
    /// No text: only its name is known.
    pub const BINARY: Self = Self(16);
    /// Not parsed, and only the words of its beginning are known.
    pub const TOO_LARGE: Self = Self(32);
    /// Some of it did not fit the grammar.
    pub const HAS_ERRORS: Self = Self(64);
    /// Its outline ended early: too many symbols, too deep, or too slow to parse.
    pub const TRUNCATED: Self = Self(128);
    /// It changed so shortly before it was read that its stamp proves nothing.
    pub const YOUNG: Self = Self(256);

    pub fn has(self, flags: Self) -> bool {
        self.0 & flags.0 == flags.0
    }

    pub fn any(self, flags: Self) -> bool {
        self.0 & flags.0 != 0
    }

    #[must_use]
    pub fn with(self, flags: Self) -> Self {
        Self(self.0 | flags.0)
    }

    #[must_use]
    pub fn without(self, flags: Self) -> Self {
        Self(self.0 & !flags.0)
    }

    #[must_use]
    pub fn when(self, flags: Self, holds: bool) -> Self {
        if holds { self.with(flags) } else { self }
    }

    pub(crate) fn bits(self) -> i64 {
        i64::from(self.0)
    }

    pub(crate) fn of_bits(bits: i64) -> Self {
        Self(u16::try_from(bits).unwrap_or_default())
    }
}

/// What the file system says of a file without reading it. Equal stamps mean equal content, unless the file was young
/// when the stamp was taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// Nanoseconds since 1970.
    pub modified: i64,
    pub size: u64,
    /// The time of the last change of the inode and its number, mixed: programs can set neither.
    pub mark: u64,
}

/// Kernels take a file's time from a clock that ticks every 1 to 10 ms.
const TICK: Duration = Duration::from_millis(20);
/// The same for file systems that keep whole seconds, told by times without a fraction.
const COARSE_TICK: Duration = Duration::from_secs(2);

impl Stamp {
    #[cfg(unix)]
    pub fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        let nanoseconds =
            |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
        let changed = nanoseconds(metadata.ctime(), metadata.ctime_nsec());
        Self {
            modified: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            size: metadata.size(),
            mark: mix(changed.cast_unsigned(), metadata.ino()),
        }
    }

    #[cfg(not(unix))]
    pub fn of(metadata: &Metadata) -> Self {
        let nanoseconds = |time: std::io::Result<SystemTime>| time.map_or(0, since_epoch);
        Self {
            modified: nanoseconds(metadata.modified()),
            size: metadata.len(),
            mark: nanoseconds(metadata.created()).cast_unsigned(),
        }
    }

    /// Whether a file with this metadata changed so shortly before `now` that another change could leave the same stamp.
    pub fn is_young(metadata: &Metadata, now: SystemTime) -> bool {
        let last = last_change(metadata);
        let tick = if last % 1_000_000_000 == 0 { COARSE_TICK } else { TICK };
        i128::from(since_epoch(now)) - i128::from(last) < tick.as_nanos().cast_signed()
    }
}

#[cfg(unix)]
fn last_change(metadata: &Metadata) -> i64 {
    use std::os::unix::fs::MetadataExt;
    metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn last_change(metadata: &Metadata) -> i64 {
    metadata.modified().map_or(0, since_epoch)
}

/// Two numbers in one, such that a change of either shows.
fn mix(one: u64, other: u64) -> u64 {
    (one ^ other.rotate_left(32)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29) ^ one
}

fn since_epoch(time: SystemTime) -> i64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}

/// Everything the index keeps of one file, ready to be written: words are analysed, lines are counted.
#[derive(Debug, Clone)]
pub struct FileRecord {
    pub path: RelativePath,
    pub language: Option<&'static Language>,
    pub mode: Mode,
    pub flags: FileFlags,
    pub stamp: Stamp,
    /// The beginning of the BLAKE3 of what was read of it.
    pub hash: [u8; 16],
    pub lines: u32,
    /// The number that the trigram file of the generation has it under.
    pub trigrams: Option<u32>,
    /// Every byte once, in order; at least one, if only to hold the words of the path.
    pub pieces: Vec<PieceRecord>,
    /// In document order.
    pub symbols: Vec<SymbolRecord>,
    /// Comments in order, for those who look for them alone.
    pub comments: Vec<Range<u32>>,
    /// What pieces, symbols and the file are found by.
    pub terms: Terms,
}

/// A piece of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PieceRecord {
    pub range: Range<u32>,
    /// Lines, 0-based; the end is the line after the last.
    pub lines: Range<u32>,
    /// The symbol that it belongs to, as an index into the file's symbols.
    pub symbol: Option<u32>,
}

/// A symbol and what is known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolRecord {
    pub name: String,
    pub name_path: String,
    pub kind: SymbolKind,
    pub range: Range<u32>,
    pub name_range: Range<u32>,
    /// Lines, 0-based; the end is the line after the last.
    pub lines: Range<u32>,
    pub parent: Option<u32>,
    pub signature: String,
    /// The first line of its documentation.
    pub doc: String,
    pub return_type: String,
    pub visibility: Option<Visibility>,
    pub is_async: bool,
    pub is_generator: bool,
    /// Other files can import it.
    pub is_exported: bool,
    pub branches: u32,
    pub loops: u32,
}

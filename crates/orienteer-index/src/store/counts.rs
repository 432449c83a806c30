//! How much is there?

use std::collections::HashMap;

use orienteer_base::{Language, SymbolKind};

use super::error::StoreError;
use super::fault::Fault;
use super::generation;
use super::merge::BASE;
use super::posting::Postings;
use super::read::{Reader, Store};
use super::record::{FileFlags, Mode};
use super::terms::{Space, kind_word};

/// Counts for a status.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    pub files: u64,
    pub pieces: u64,
    pub symbols: u64,
    /// Bytes of the files' text.
    pub text_bytes: u64,
    pub generated: u64,
    pub minified: u64,
    pub test: u64,
    pub vendored: u64,
    pub binary: u64,
    pub too_large: u64,
    pub with_errors: u64,
    /// Most first.
    pub kinds: Vec<(SymbolKind, u64)>,
    /// Files and bytes, most bytes first; `None` for files of no known language.
    pub languages: Vec<(Option<&'static Language>, u64, u64)>,
    pub modes: Vec<ModeCount>,
    /// Pieces of files that have changed or gone since the build and still stand in its lists.
    pub dead_pieces: u64,
    /// Parts that every word is looked up in.
    pub segments: u64,
}

impl Counts {
    /// Whether compacting would make the index smaller or quicker by a good deal.
    pub fn wants_compaction(&self) -> bool {
        self.segments > 24 || 4 * self.dead_pieces > self.pieces
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModeCount {
    pub mode: Mode,
    pub files: u64,
    pub bytes: u64,
}

/// What the index takes on disk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sizes {
    pub database: u64,
    pub log: u64,
    pub trigrams: u64,
    pub vectors: u64,
    /// Files of older generations that nobody has removed yet, and of builds that did not finish.
    pub leftovers: u64,
}

impl Sizes {
    pub fn total(&self) -> u64 {
        self.database + self.log + self.trigrams + self.vectors + self.leftovers
    }
}

impl Store {
    pub fn sizes(&self) -> Result<Sizes, StoreError> {
        let current = generation::current(self.folder())?;
        let database = generation::database(self.folder(), current);
        let mut sizes = Sizes::default();
        for (path, number) in generation::files(self.folder()) {
            let bytes = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
            let place = if number != current {
                &mut sizes.leftovers
            } else if path == database {
                &mut sizes.database
            } else if path == generation::trigrams(self.folder(), current) {
                &mut sizes.trigrams
            } else if path == generation::vectors(self.folder(), current) {
                &mut sizes.vectors
            } else {
                &mut sizes.log
            };
            *place += bytes;
        }
        Ok(sizes)
    }
}

impl Reader<'_> {
    pub fn counts(&self) -> Result<Counts, StoreError> {
        let mut counts = Counts {
            pieces: u64::from(self.snapshot.pieces),
            dead_pieces: self.snapshot.dead_pieces() as u64,
            segments: self.segments.iter().filter(|segment| segment.level != BASE).count() as u64 + 1,
            ..Counts::default()
        };
        let mut languages: HashMap<Option<&'static str>, (Option<&'static Language>, u64, u64)> =
            HashMap::new();
        let mut modes: HashMap<Mode, (u64, u64)> = HashMap::new();
        for file in self.files()? {
            counts.files += 1;
            counts.symbols += u64::try_from(file.symbols.end - file.symbols.start).unwrap_or_default();
            counts.text_bytes += file.stamp.size;
            for (flag, count) in [
                (FileFlags::GENERATED, &mut counts.generated),
                (FileFlags::MINIFIED, &mut counts.minified),
                (FileFlags::TEST, &mut counts.test),
                (FileFlags::VENDORED, &mut counts.vendored),
                (FileFlags::BINARY, &mut counts.binary),
                (FileFlags::TOO_LARGE, &mut counts.too_large),
                (FileFlags::HAS_ERRORS, &mut counts.with_errors),
            ] {
                *count += u64::from(file.flags.has(flag));
            }
            let key = file.language.map(|language| language.id);
            let language = languages.entry(key).or_insert((file.language, 0, 0));
            language.1 += 1;
            language.2 += file.stamp.size;
            let mode = modes.entry(file.mode).or_default();
            mode.0 += 1;
            mode.1 += file.stamp.size;
        }
        counts.languages = languages.into_values().collect();
        counts.languages.sort_by_key(|(language, files, bytes)| {
            (std::cmp::Reverse((*bytes, *files)), language.map(|language| language.id))
        });
        counts.modes =
            modes.into_iter().map(|(mode, (files, bytes))| ModeCount { mode, files, bytes }).collect();
        counts.modes.sort_by_key(|count| count.mode);
        counts.kinds = self.kinds()?;
        Ok(counts)
    }

    fn kinds(&self) -> Result<Vec<(SymbolKind, u64)>, StoreError> {
        self.ask(|connection| {
            let mut kinds = Vec::new();
            for kind in SymbolKind::ALL {
                let mut count = 0;
                for segment in &self.segments {
                    let Some(list) =
                        segment.find(connection, self.kept(), &Space::Kind.term(kind_word(*kind)))?
                    else {
                        continue;
                    };
                    let mut postings = Postings::new(list.postings());
                    while let Some(posting) = postings.step() {
                        let (number, _) = posting.ok_or(Fault::Damage("list of a kind"))?;
                        count += u64::from(self.snapshot.has_symbol(number));
                    }
                }
                if count > 0 {
                    kinds.push((*kind, count));
                }
            }
            kinds.sort_by_key(|(kind, count)| (std::cmp::Reverse(*count), *kind));
            Ok(kinds)
        })
    }
}

//! Where is everything kept?
//!
//! One folder per workspace. `CURRENT` names the generation that counts, `index-<n>.db` holds it. Nothing outside this
//! module speaks SQL: what goes in is a [`FileRecord`], what comes out are plain rows, and in between there are four
//! questions: put, delete, candidates, symbols.
//!
//! | module | question it answers |
//! | --- | --- |
//! | `store/generation` | Which files of the folder count, and who may replace them? |
//! | `store/schema`, `store/meta` | Which tables are there, and what is true of all of it? |
//! | `store/pool` | Which connection answers this thread? |
//! | `store/record`, `store/row` | What is put in, and what comes out? |
//! | `store/outline`, `store/opened` | How are the pieces and symbols of a file kept, and where in that is one of them? |
//! | `store/relation`, `store/terms` | By which terms is a file found? |
//! | `store/interner`, `store/gather` | Which lists do the terms of many files have? |
//! | `store/posting`, `store/segment`, `store/merge` | How do lists stand on disk, and how do they stay few? |
//! | `store/dead`, `store/snapshot` | What does every question need to know about all files? |
//! | `store/kept` | What was read for one question and is still true for the next? |
//! | `store/plan` | Which files, symbols and pieces pass the filters? |
//! | `store/lexical`, `store/columns` | Which pieces hold these words, and how much does each column count? |
//! | `store/scores` | What is each piece worth to a question, and which are worth most? |
//! | `store/lookup` | Which symbols are called like this? |
//! | `store/read`, `store/insert`, `store/write`, `store/fresh`, `store/compact` | How are rows read, changed, and made anew? |
//! | `store/counts`, `store/check` | How much is there, and is it sound? |

mod bits;
mod bytes;
mod check;
mod columns;
mod compact;
mod counts;
mod dead;
mod error;
mod fault;
mod fresh;
mod gather;
mod generation;
mod insert;
mod interner;
mod kept;
mod lexical;
mod lookup;
mod merge;
mod meta;
mod opened;
mod outline;
mod plan;
mod pool;
mod posting;
mod read;
mod record;
mod relation;
mod row;
mod schema;
mod scores;
mod segment;
mod snapshot;
mod terms;
mod write;

pub use check::Health;
pub use counts::{Counts, ModeCount, Sizes};
pub use error::StoreError;
pub use fresh::Fresh;
pub use generation::{
    BuildLock, FileKind, current as current_generation, trigrams as trigrams_path, vectors as vectors_path,
};
pub(crate) use generation::{USED, is_held, is_index, kind as file_kind, remove as remove_generation};
pub use lexical::{COLUMNS, Candidate, Column, Lexical, Weights};
pub use lookup::{NameMatch, SymbolHit, SymbolLookup};
pub use plan::{Condition, FileSet, Plan};
pub use read::{Reader, Store};
pub use record::{FileFlags, FileRecord, Mode, Modes, PieceRecord, Stamp, SymbolRecord};
pub use relation::{NameTest, NamesLike, Relation};
pub use row::{File, FileId, Piece, PieceId, RelativePath, Sketch, Symbol, SymbolFlags, SymbolId};
pub use schema::FORMAT;
pub use terms::{Collector, Terms};
pub use write::{Deleted, Writer};

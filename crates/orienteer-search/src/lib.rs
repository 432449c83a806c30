//! Walking, text and structural search, reading files, trees.
//!
//! Everything here is synchronous and polls a [`orienteer_base::Cancel`]; a cancelled call returns within a
//! tenth of a second. Nothing prints, reads the environment or starts a program, and memory is bounded by the
//! page asked for, not by what is on disk.
//!
//! | module | question it answers |
//! | --- | --- |
//! | [`text`] | Which lines match a pattern? |
//! | [`structure`] | Where does code of a shape stand? |
//! | [`read`] | What does this file say? |
//! | [`tree`] | What does this folder hold? |
//! | [`find`] | Which files are like this? |

mod entries;
pub mod find;
mod names;
mod page;
pub mod read;
mod selection;
mod stoppable;
pub mod structure;
pub mod text;
pub mod tree;
mod walk;
mod window;
pub mod words;

pub use find::find_files;
pub use page::modified_ns;
pub use read::read_file;
pub use structure::search_structure;
pub use text::{search_text, search_text_narrowed};
pub use tree::list_tree;

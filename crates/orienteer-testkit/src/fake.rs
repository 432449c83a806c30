//! A hostile language server, for faults that real ones cannot be made to show.
//!
//! `fake-lsp SCRIPT.json` speaks LSP on stdio. Without knobs it is honest; a [`Script`] makes it slow, wrong,
//! rude or dead, and a [`Record`] tells what it received and which texts it held at every answer.
//!
//! Its language has one statement a line, found after any other words, so that emoji may stand before it:
//!
//! ```text
//! # The lines of comment above a definition are its documentation.
//! type Shape                  a type; further names are its supertypes
//! type Circle Shape
//! declare area                what "declaration" finds
//! def area radius -> Number   a function with a parameter and a result type
//!   call multiply             a call; deeper lines belong to the definition above
//! use area                    a plain use
//! bad this is an error        an error diagnostic on the line
//! ```
//!
//! It reads the files of its roots once, at `initialize`, and then learns of changes from the client alone:
//! a client that forgets to tell it something gets stale answers.

mod ask;
mod choices;
mod json;
mod record;
mod rule;
mod script;
mod server;

use std::path::PathBuf;

pub use ask::Ask;
pub use choices::{
    Change, Death, Diagnostics, Encoding, Headers, HoverShape, Ids, Locations, Signal, Stale, When, Writing,
};
pub use record::{Answer, Held, Record};
pub use rule::{Rule, START};
pub use script::Script;
#[doc(hidden)]
pub use server::run;

/// The fake server's program. Tests of other crates have no `CARGO_BIN_EXE` of it, so it is looked for beside
/// the test's own executable and in the folders above.
pub fn fake_lsp_binary() -> PathBuf {
    let own = std::env::current_exe().expect("the test's own path");
    let name = format!("fake-lsp{}", std::env::consts::EXE_SUFFIX);
    own.ancestors()
        .skip(1)
        .take(3)
        .map(|folder| folder.join(&name))
        .find(|path| path.is_file())
        .unwrap_or_else(|| {
            panic!(
                "no {name} in the two folders above {}; build it: cargo build --package orienteer-testkit",
                own.display()
            )
        })
}

/// A small project in the fake's language. Lines and columns that tests name count from 1, in characters.
pub const PROJECT: &str = "\
//- /a.fake
# Squares a number.
def square n -> Number
  call multiply n n
type Number
//- /b.fake
declare multiply
def multiply x y
type Small Number
  def shrink by
    call square by
    call multiply by
//- /deep/ü #1.fake
😀 use square
bad this is wrong
";

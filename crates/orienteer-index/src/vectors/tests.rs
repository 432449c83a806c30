//! Models made for the tests, and the real one.

mod made;
mod real;
pub(super) mod support;

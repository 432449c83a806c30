//! What means something similar?
//!
//! A static-embedding model is a table: one vector for each token. A text's vector is the mean of its tokens' vectors,
//! so there is nothing to run but a tokenizer and additions. Vectors are kept as bytes with one scale each, and the
//! nearest are found by looking at all of them: exact, and fast enough for a workspace.
//!
//! Meaning is only ever added to what words found; a missing or damaged model or file leaves the words.
//!
//! | module | question it answers |
//! | --- | --- |
//! | `manifest` | Which model is this, and is it the one that was meant? |
//! | `safetensors` | Where are the numbers in the file of weights? |
//! | `tokenizer` | Which tokens is a text made of? |
//! | `model` | Which vector does a token have? |
//! | `embed` | Which vector does a text have? |
//! | `vector` | How similar are two vectors? |
//! | `file` | Where are the vectors of a generation, and which are nearest? |
//! | `top` | Which of many are the best? |
//! | `sha256` | What is a file's digest? |
//! | `error` | Why is there no model, or no vectors? |

mod embed;
mod error;
mod file;
mod manifest;
mod model;
mod safetensors;
mod sha256;
mod tokenizer;
mod top;
mod vector;

#[cfg(test)]
mod tests;

pub use embed::{Embedder, Fields, TextLimits};
pub use error::{ModelError, VectorsError};
pub use file::{VectorFile, VectorWriter};
pub use manifest::{Manifest, ModelFile, ModelFiles};
pub use model::{Identity, Model};
pub use sha256::sha256_of_file;
pub use tokenizer::{Tokenizer, TokenizerError};
pub use top::{Scored, merge, rank};
pub use vector::Vector;

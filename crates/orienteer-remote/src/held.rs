//! What of a file's content goes into an answer?

use orienteer_base::Problem;
use orienteer_base::question::Part;
use orienteer_base::remote::NoText;

use crate::part::{Piece, part};
use crate::text::Content;

/// The content of a file as an answer has it.
#[derive(Debug, Default)]
pub(crate) struct Held {
    pub(crate) piece: Piece,
    /// The whole text where the piece is a part of it.
    pub(crate) whole: Option<String>,
    pub(crate) instead: Option<NoText>,
    /// Of what is no text.
    pub(crate) bytes: Vec<u8>,
}

impl Held {
    pub(crate) fn of(content: Content, wanted: &Part) -> Result<Self, Problem> {
        Ok(match content {
            Content::Text(text) => {
                let piece = part(&text, wanted)?;
                Self { piece, whole: (*wanted != Part::Whole).then_some(text), ..Self::default() }
            }
            Content::Binary(bytes) => Self { instead: Some(NoText::Binary), bytes, ..Self::default() },
            Content::Instead(instead) => Self { instead: Some(instead), ..Self::default() },
        })
    }
}

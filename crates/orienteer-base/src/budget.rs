//! How much an answer may say.

/// The hard limits of one call. Characters are Unicode scalar values of everything that goes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    pub max_total_chars: usize,
}

impl Budget {
    /// Below this an error with its next steps would not fit.
    pub const MIN_TOTAL_CHARS: usize = 2_000;
    pub const DEFAULT_TOTAL_CHARS: usize = 120_000;
    /// More than any client takes in one message.
    pub const MAX_TOTAL_CHARS: usize = 2_000_000;

    pub fn new(max_total_chars: usize) -> Self {
        Self { max_total_chars: max_total_chars.clamp(Self::MIN_TOTAL_CHARS, Self::MAX_TOTAL_CHARS) }
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(Self::DEFAULT_TOTAL_CHARS)
    }
}

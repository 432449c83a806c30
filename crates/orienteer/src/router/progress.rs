//! What is told of a call before its answer.

/// Where a call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// It runs; what waits in the queue has not begun.
    Begun,
    UnderWay,
    /// It has an answer, and that is no failure.
    Finished,
}

/// Life of a call that takes a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    pub phase: Phase,
    pub done: u64,
    /// What the call is waiting for, in words.
    pub note: Option<String>,
}

//! Is what a server said about now, or about before?

/// What a server had been told when it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Of all documents.
    pub(crate) epoch: u64,
    /// Of the document that was asked about.
    pub(crate) version: Option<i64>,
    /// Of what the server may know only because it was opened.
    pub(crate) opened: u64,
}

impl Moment {
    /// What an answer about one file depends on.
    pub(crate) fn of_file(self) -> Self {
        Self { opened: 0, ..self }
    }

    /// What an answer about the project depends on.
    pub(crate) fn of_all(self) -> Self {
        Self { version: None, ..self }
    }
}

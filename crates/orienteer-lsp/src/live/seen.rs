//! What surrounds an answer of a server?

#[derive(Debug, Clone, Default)]
pub struct Seen {
    pub generation: u64,
    pub synced_files: u64,
    pub waited_ms: u64,
    /// The server was ready for this kind of question when it was asked.
    pub ready: bool,
    /// What it was doing if not.
    pub busy_with: Option<String>,
    /// What it says is wrong with the project, where answers may lack something for it.
    pub complaint: Option<String>,
    /// Why it does not know all files that the question is about.
    pub unlisted: Option<String>,
    /// What it was not allowed to run and would have to, to say more.
    pub needs_trust: Option<String>,
    /// Documents it named that are no files, such as those of classes in an archive: nothing in them can be shown.
    pub not_files: Vec<String>,
    /// Parts of the answer that could not be read, places beyond the end of a file among them.
    pub unreadable: usize,
    /// Parts that were left out because there are too many.
    pub cut: usize,
}

impl Seen {
    /// Adds why it does not know all files, unless something is said already.
    pub fn lacks(&mut self, why: Option<String>) {
        self.unlisted = self.unlisted.take().or(why);
    }

    /// Whether nothing of it is missing, as far as it is known.
    pub(crate) fn is_whole(&self) -> bool {
        let lacks_nothing = self.complaint.is_none() && self.unlisted.is_none() && self.not_files.is_empty();
        self.ready && lacks_nothing && self.unreadable == 0 && self.cut == 0
    }

    /// What surrounds two answers that are told as one.
    #[must_use]
    pub fn and(mut self, next: Self) -> Self {
        for uri in next.not_files {
            if !self.not_files.contains(&uri) {
                self.not_files.push(uri);
            }
        }
        Self {
            generation: self.generation.max(next.generation),
            synced_files: self.synced_files + next.synced_files,
            waited_ms: self.waited_ms + next.waited_ms,
            ready: self.ready && next.ready,
            busy_with: self.busy_with.or(next.busy_with),
            complaint: self.complaint.or(next.complaint),
            unlisted: self.unlisted.or(next.unlisted),
            needs_trust: self.needs_trust.or(next.needs_trust),
            not_files: self.not_files,
            unreadable: self.unreadable + next.unreadable,
            cut: self.cut + next.cut,
        }
    }
}

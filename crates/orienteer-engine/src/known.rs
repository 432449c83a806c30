//! Does a server know the files that a question is about?

use std::path::PathBuf;

use orienteer_base::Cancel;
use orienteer_lsp::{Lease, Patience, Seen};

use crate::Session;
use crate::resolve::Pinned;

/// What a server knows of the files that have a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    /// All that matter.
    All,
    /// All that matter are open, but nobody has told it how they are compiled.
    Opened,
    /// They are open, and it has not read all of them.
    Late,
    /// Nobody lists them for it, and some are not open.
    SomeFiles,
    /// Not all projects that have one.
    SomeProjects,
}

/// What became of opening files with a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opened {
    All,
    /// More time would help.
    Late,
    /// They are too many.
    Some,
}

impl Known {
    /// Says in what surrounds an answer that it came too early.
    pub(crate) fn note(self, seen: &mut Seen) {
        if self == Self::Late {
            seen.ready = false;
            seen.busy_with = Some("it is reading the files that have the name".to_owned());
        }
    }
}

impl Session {
    /// Opens files with a word for a server that knows only what is open, or only projects of which something is.
    pub(crate) async fn make_known(
        &self,
        lease: &Lease,
        pinned: &Pinned,
        patience: &Patience,
        cancel: &Cancel,
    ) -> Known {
        let file = pinned.file.absolute();
        if lease.definition_of_server().opens_text_hits {
            let opened = self.open_text_hits(lease, pinned, patience, cancel).await;
            return if opened == Opened::All { Known::All } else { Known::SomeProjects };
        }
        if !lease.lacks_list(file) || self.is_local(lease, file, pinned.position, patience, cancel).await {
            return Known::All;
        }
        // What has no name of its own is used without it: `a == b`.
        if pinned.word.as_ref().is_none_or(|word| word == "operator") {
            return Known::SomeFiles;
        }
        match self.open_text_hits(lease, pinned, patience, cancel).await {
            Opened::All => Known::Opened,
            Opened::Late => Known::Late,
            Opened::Some => Known::SomeFiles,
        }
    }

    /// Why there may be more than was told, where nobody lists the files. `found`: those in which a word was found, its
    /// declarations among them; nothing where the answer does not tell of those.
    pub(crate) async fn unlisted(
        &self,
        lease: &Lease,
        known: Known,
        word: Option<&str>,
        found: Option<impl IntoIterator<Item = PathBuf>>,
        patience: &Patience,
    ) -> Option<String> {
        match known {
            Known::All | Known::SomeProjects | Known::Late => None,
            Known::SomeFiles => Some(Lease::OPENED_ONLY.to_owned()),
            Known::Opened => {
                let found: Option<Vec<PathBuf>> = found.map(|found| found.into_iter().collect());
                lease.misread(word, found.as_deref(), patience).await
            }
        }
    }
}

//! From where can what a server found be reached?

use std::path::Path;

use orienteer_base::ask::Relation;
use orienteer_base::{Cancel, Language, Position};
use orienteer_lsp::{Lease, Patience, Spot};
use orienteer_syntax::{Bound, Limits, bound_at};

use crate::Session;

impl Session {
    /// What a definition can be reached from. What nobody can tell may be reached from everywhere.
    pub(crate) fn bound_of(&self, spot: &Spot, cancel: &Cancel) -> Bound {
        let bound = || {
            let outlined = self.outlined(&spot.path, cancel).ok()?;
            let at = outlined.offset(spot.range.start)?;
            let mut language = Language::by_path(&spot.path)?;
            // Nobody can tell of which of the two a header is; this one reads both.
            if language.id == "c" && spot.path.extension().is_some_and(|extension| extension == "h") {
                language = Language::by_word("cpp")?;
            }
            bound_at(&outlined.text.text, language, at, &Limits::default(), cancel).ok()
        };
        bound().unwrap_or(Bound::Wider)
    }

    /// Whether what stands at a place is defined in the same file and can be reached from nowhere else.
    pub(crate) async fn is_local(
        &self,
        lease: &Lease,
        file: &Path,
        at: Position,
        patience: &Patience,
        cancel: &Cancel,
    ) -> bool {
        let asked = lease.definition(file, at, Relation::Definition, patience).await;
        let defined = asked.map(|heard| heard.value).unwrap_or_default();
        if defined.is_empty() || defined.iter().any(|spot| spot.path != file) {
            return false;
        }
        let (session, flag) = (self.clone(), cancel.clone());
        // Others have the text of a header as theirs.
        let is_included = lease.is_header(file);
        let is_own = move |bound: Bound| match bound {
            Bound::Local => true,
            Bound::File => !is_included,
            Bound::Parameter | Bound::Wider => false,
        };
        let all_own =
            self.paint(cancel, move |_| Ok(defined.iter().all(|spot| is_own(session.bound_of(spot, &flag)))));
        all_own.await.unwrap_or(false)
    }
}

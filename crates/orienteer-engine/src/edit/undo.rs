//! How is a change taken back?

use orienteer_base::edit::{AppliedEdits, UndoQuery};
use orienteer_base::{Answer, Cancel, Completeness, Problem, Source};
use orienteer_edit::Undo;

use crate::Session;

impl Session {
    /// Takes back what was applied: all of what is named, or nothing when a file has changed since.
    pub async fn undo(&self, query: UndoQuery, cancel: &Cancel) -> Result<Answer<AppliedEdits>, Problem> {
        let what = match query {
            UndoQuery::Entry(id) => Undo::Entry(id),
            UndoQuery::Last(count) => Undo::Last(count),
        };
        let undone =
            self.journalled(Box::new(move |journal, roots| journal.undo(&what, roots)), None, cancel).await?;
        let mut answer = Answer::new((), Completeness::Complete, Source::Text);
        answer.warnings = self.tell_servers(&undone.files, cancel).await;
        let value = AppliedEdits {
            applied: true,
            journal_id: Some(undone.journal_id),
            undone: undone.undone,
            files: undone.files.iter().map(|path| self.roots().show(path)).collect(),
            diagnostics_delta: None,
        };
        Ok(answer.map(|()| value))
    }
}

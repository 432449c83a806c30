//! Where does a pack go?

use std::path::{Path, PathBuf};
use std::sync::Arc;

use orienteer_base::answer::Warning;
use orienteer_base::triage::{ContextPack, PackOutput};
use orienteer_base::{Cancel, ErrorKind, Problem};
use orienteer_edit::{Existing, Overlay};
use orienteer_triage::pack;

use crate::Session;
use crate::blocking::blocking;

impl Session {
    /// Whether a pack may be written where it is wanted.
    pub(super) fn may_write_pack(&self, output: &PackOutput) -> Result<(), Problem> {
        match output {
            PackOutput::Nowhere => Ok(()),
            _ if self.read_only() => {
                let message = "this session is read-only: the pack is not written; leave the output out to get it in the answer";
                Err(Problem::new(ErrorKind::ReadOnly, message).field("output_path"))
            }
            PackOutput::Store => Ok(()),
            PackOutput::Path(written) => {
                self.may_write()?;
                let (json, shown) = self.pack_files(written, "x");
                let mut overlay = Overlay::new(self.roots().clone());
                for path in [json, shown] {
                    let made = overlay.create(&path, "", Existing::Overwrite);
                    made.map_err(|error| not_there(error.problem(self.roots())))?;
                }
                Ok(())
            }
        }
    }

    /// The JSON file and the Markdown file: of a folder two in it, of a file itself and the other beside it.
    fn pack_files(&self, written: &str, id: &str) -> (PathBuf, PathBuf) {
        let path = self.roots().workspace().join(written);
        if path.is_dir() || written.ends_with('/') {
            return (path.join(format!("{id}.json")), path.join(format!("{id}.md")));
        }
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("md" | "markdown") => (path.with_extension("json"), path),
            _ => {
                let shown = path.with_extension("md");
                (path, shown)
            }
        }
    }

    /// Writes a pack; what is worth knowing about that.
    pub(super) async fn write_pack(
        &self,
        output: &PackOutput,
        made: &mut ContextPack,
        cancel: &Cancel,
    ) -> Result<Vec<Warning>, Problem> {
        if *output == PackOutput::Nowhere {
            return Ok(Vec::new());
        }
        let mut json = serde_json::to_string_pretty(&pack::json(made)).unwrap_or_default();
        json.push('\n');
        let text = pack::markdown(made);
        let id = made.finding.finding.id.clone();
        if let PackOutput::Path(written) = output {
            let (json_path, text_path) = self.pack_files(written, &id);
            let files = [(json_path, json), (text_path, text)];
            let roots = self.roots().clone();
            let plan = blocking(cancel, move || {
                let mut overlay = Overlay::new(roots.clone());
                for (path, text) in &files {
                    let made = overlay.create(path, text, Existing::Overwrite);
                    made.map_err(|error| not_there(error.problem(&roots)))?;
                }
                Ok(overlay.finish())
            })
            .await?;
            let title = format!("write the context pack of {id}");
            let written = self.write(Arc::new(plan), title, None, cancel).await?;
            made.written = written.files.iter().map(|path| self.roots().show(path)).collect();
            return Ok(self.tell_servers(&written.files, cancel).await);
        }
        let (store, flag) = (self.triage_store()?, cancel.clone());
        let written = blocking(cancel, move || Ok(store.put_pack(&id, &json, &text, &flag)?)).await?;
        made.written = written.iter().map(|path| self.admitted(path)).collect();
        Ok(Vec::new())
    }

    /// A file of ours that may be read from now on.
    fn admitted(&self, path: &Path) -> String {
        if let Ok(real) = path.canonicalize() {
            self.engine().admit(&real);
        }
        path.display().to_string()
    }
}

/// What the system says about a path that somebody wrote, such as that it is too long, is about what they wrote.
fn not_there(problem: Problem) -> Problem {
    if problem.kind == ErrorKind::InternalError {
        return Problem::invalid("output_path", "invalid_path", problem.message);
    }
    problem.field("output_path")
}

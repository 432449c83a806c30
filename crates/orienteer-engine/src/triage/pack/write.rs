//! Where does a pack go?

use std::path::{Path, PathBuf};
use std::sync::Arc;

use orienteer_base::answer::Warning;
use orienteer_base::error::cut;
use orienteer_base::triage::{ContextPack, PackOutput};
use orienteer_base::{Cancel, ErrorKind, Problem};
use orienteer_edit::{Existing, Overlay};
use orienteer_triage::pack;

use crate::Session;
use crate::blocking::blocking;

/// No pack is longer.
const LARGEST: u64 = 16 << 20;

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
                let (json, shown) = self.pack_files(written, "x")?;
                let mut overlay = Overlay::new(self.roots().clone());
                for path in [json, shown] {
                    self.may_replace(&path)?;
                    let made = overlay.create(&path, "", Existing::Overwrite);
                    made.map_err(|error| not_there(error.problem(self.roots())))?;
                }
                Ok(())
            }
        }
    }

    /// The JSON file and the Markdown file: of a folder two in it, of a file itself and the other beside it.
    fn pack_files(&self, written: &str, id: &str) -> Result<(PathBuf, PathBuf), Problem> {
        let path = self.roots().workspace().join(written);
        if path.is_dir() || written.ends_with('/') {
            return Ok((path.join(format!("{id}.json")), path.join(format!("{id}.md"))));
        }
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("md") => Ok((path.with_extension("json"), path)),
            Some("json") => {
                let shown = path.with_extension("md");
                Ok((path, shown))
            }
            _ => {
                let message = format!(
                    "`{}` ends in neither `.json` nor `.md`; name a file that does, or a folder with `/` at its end",
                    cut(written)
                );
                Err(Problem::invalid("output_path", "invalid_path", message))
            }
        }
    }

    /// A pack takes the place of a pack, and of nothing else.
    fn may_replace(&self, path: &Path) -> Result<(), Problem> {
        // What lies outside is refused by whoever writes, and not looked at.
        let Ok(there) = self.roots().resolve(&path.to_string_lossy()) else { return Ok(()) };
        if !there.absolute().exists() {
            return Ok(());
        }
        let small = there.absolute().metadata().is_ok_and(|data| data.len() <= LARGEST);
        let text = small.then(|| self.text_here(&there)).flatten().unwrap_or_default();
        let is_pack = if path.extension().is_some_and(|extension| extension == "json") {
            let value: Option<serde_json::Value> = serde_json::from_str(&text).ok();
            value.is_some_and(|value| value["kind"] == "context_pack")
        } else {
            text.starts_with("# ") && text.contains("\n- verdict: ") && text.contains("\n## Searches\n")
        };
        if is_pack {
            return Ok(());
        }
        let message = format!(
            "`{}` is there already and is no context pack; name another file, or move that one away",
            there.shown()
        );
        Err(Problem::invalid("output_path", "file_exists", message))
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
            let (json_path, text_path) = self.pack_files(written, &id)?;
            let files = [(json_path, json), (text_path, text)];
            // In a folder, only now is known which files these are.
            files.iter().try_for_each(|(path, _)| self.may_replace(path))?;
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

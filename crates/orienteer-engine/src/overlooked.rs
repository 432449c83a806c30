//! May a server miss uses because it looks into some of the files only?

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use orienteer_base::answer::Reason;
use orienteer_base::ask::Relation;
use orienteer_base::path::read_exactly;
use orienteer_base::{Cancel, Position, Problem};
use orienteer_lsp::searches::Searches;
use orienteer_lsp::{Lease, Patience, Spot, Uses};
use orienteer_search::words::occurrences;
use orienteer_syntax::Bound;

use crate::Session;
use crate::known::Known;
use crate::resolve::Pinned;

/// The code of a warning, its words, and what the answer lacks for it.
type LeftOut = (&'static str, String, Reason);

impl Session {
    /// Why there may be uses that a server has not told.
    pub(crate) async fn left_out(
        &self,
        lease: &Lease,
        uses: &Uses,
        known: Known,
        pinned: &Pinned,
        patience: &Patience,
        cancel: &Cancel,
    ) -> Result<Vec<LeftOut>, Problem> {
        let (file, word) = (pinned.file.absolute(), pinned.word.as_deref());
        let mut left_out = Vec::new();
        if known == Known::SomeProjects {
            let message = "the word is in more projects than the server was given: uses there may be missing";
            left_out.push(("projects_not_asked", message.to_owned(), Reason::Capped));
        }
        if uses.cut {
            let (server, told) = (lease.server_id(), uses.len());
            let message = format!(
                "{server} tells {told} uses and there may be more: those of other files may be missing"
            );
            left_out.push(("references_cut", message, Reason::Capped));
        }
        let overlooked = self.overlooked(lease, file, pinned.position, word, patience, cancel).await?;
        left_out.extend(overlooked.map(|why| ("files_not_searched", why, Reason::NotChecked)));
        Ok(left_out)
    }

    /// Why, in words; `None` where it looks everywhere that matters.
    pub(crate) async fn overlooked(
        &self,
        lease: &Lease,
        file: &Path,
        at: Position,
        word: Option<&str>,
        patience: &Patience,
        cancel: &Cancel,
    ) -> Result<Option<String>, Problem> {
        let definition = lease.definition_of_server();
        let (Some(searches), Some(word)) = (definition.searches, word) else { return Ok(None) };
        let looked =
            Looked { searches, server: definition.id.clone(), root: lease.root().into(), word: word.into() };
        let asked = lease.definition(file, at, Relation::Definition, patience).await;
        let defined = asked.map(|heard| heard.value).unwrap_or_default();
        let (session, flag, own) = (self.clone(), cancel.clone(), file.to_path_buf());
        self.paint(cancel, move |_| looked.why(&session, &own, &defined, &flag)).await
    }
}

/// A search of a server below a folder for a name.
struct Looked {
    searches: Searches,
    server: String,
    root: PathBuf,
    word: String,
}

impl Looked {
    fn why(
        &self,
        session: &Session,
        own: &Path,
        defined: &[Spot],
        cancel: &Cancel,
    ) -> Result<Option<String>, Problem> {
        let bound = defined.first().map_or(Bound::Wider, |spot| session.bound_of(spot, cancel));
        if bound == Bound::Local {
            return Ok(None);
        }
        // Those with a definition are looked into first.
        let mut but: Vec<PathBuf> = defined.iter().map(|spot| spot.path.clone()).collect();
        but.push(own.to_path_buf());
        let others = self.others(session, &but, cancel)?;
        let (server, shortest) = (&self.server, self.searches.shortest);
        if bound == Bound::Parameter {
            let gives = |path: &Path| text_of(path).is_some_and(|text| is_given(&text, &self.word));
            return first(&others, gives, cancel).map(|path| {
                let shown = session.roots().show(path?);
                Some(format!(
                    "{server} looks for parameters in their own file only, and {shown} may give this one by name"
                ))
            });
        }
        if first(&others, |path| self.is_in(path), cancel)?.is_none() {
            return Ok(None);
        }
        if self.word.chars().count() < shortest {
            return Ok(Some(format!(
                "{server} looks for names of fewer than {shortest} letters in their own file only"
            )));
        }
        self.lacking(session, &but, &others, cancel)
    }

    /// The files of the project that may have the name.
    fn others(&self, session: &Session, but: &[PathBuf], cancel: &Cancel) -> Result<Vec<PathBuf>, Problem> {
        let (mut files, _) = session.files_with(&self.word, cancel)?;
        let served = |path: &Path| {
            let owners = session.engine().fleet.owners(path);
            owners.iter().any(|owner| owner.id == self.server)
        };
        files.retain(|path| !but.contains(path) && path.starts_with(&self.root) && served(path));
        Ok(files)
    }

    fn lacking(
        &self,
        session: &Session,
        but: &[PathBuf],
        others: &[PathBuf],
        cancel: &Cancel,
    ) -> Result<Option<String>, Problem> {
        let (server, Searches { files, holding, .. }) = (&self.server, self.searches);
        let Some(walked) = self.searches.comes_by(&self.root, but, cancel) else {
            return Ok(Some(format!(
                "{server} searches {files} files for a name, and there are more: uses in others may be missing"
            )));
        };
        let passed_by = |path: &Path| !walked.contains(path) && self.is_in(path);
        if let Some(path) = first(others, passed_by, cancel)? {
            let shown = session.roots().show(path);
            return Ok(Some(format!("{server} does not look into {shown}, which has the name, too")));
        }
        // What is ignored takes the place of others.
        let known: HashSet<PathBuf> = session.workspace().files().into_iter().collect();
        let may_have = others.iter().chain(walked.iter().filter(|path| !known.contains(*path)));
        let mut with = 0;
        for path in may_have {
            cancel.check()?;
            with += usize::from(self.is_in(path));
            if with > holding {
                return Ok(Some(format!(
                    "{server} reads {holding} other files with a name, and more have this one: uses may be missing"
                )));
            }
        }
        Ok(None)
    }

    fn is_in(&self, path: &Path) -> bool {
        text_of(path).is_some_and(|text| occurrences(&text, &self.word).next().is_some())
    }
}

/// The first file that is as wanted.
fn first<'a>(
    files: &'a [PathBuf],
    wanted: impl Fn(&Path) -> bool,
    cancel: &Cancel,
) -> Result<Option<&'a Path>, Problem> {
    for path in files {
        cancel.check()?;
        if wanted(path) {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

fn text_of(path: &Path) -> Option<String> {
    read_exactly(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether a word stands somewhere as the name of an argument: behind a bracket or a comma, and given something.
fn is_given(text: &str, word: &str) -> bool {
    occurrences(text, word).any(|at| {
        let behind = text[at.end..].trim_start();
        behind.starts_with('=') && !behind.starts_with("==") && is_in_list(&text[..at.start])
    })
}

/// Whether a text ends behind a bracket or a comma, comments at the ends of its lines aside.
fn is_in_list(text: &str) -> bool {
    let mut text = text.trim_end();
    loop {
        if text.ends_with(['(', ',']) {
            return true;
        }
        let line = text.rfind('\n').map_or(0, |end| end + 1);
        let Some(comment) = text[line..].find('#') else { return false };
        text = text[..line + comment].trim_end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_by_name_is_told_from_what_is_compared() {
        for given in [
            "f(width=1)",
            "f(\n  a, # first\n  # second\n  width=2)",
            "f(a,\n  width = 1)",
            "width == 1; f(width=2)",
        ] {
            assert!(is_given(given, "width"), "{given}");
        }
        for other in ["width == 1", "f(width)", "f(widths=1)", "# width", "width = 1", "f(a)\nwidth = 1"] {
            assert!(!is_given(other, "width"), "{other}");
        }
    }
}

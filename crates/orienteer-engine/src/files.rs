//! Questions about the files on disk.
//!
//! Each is one call into the search room, run where it can block, stopped when nobody waits any more.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use orienteer_base::listing::{FileText, Listing, Matches};
use orienteer_base::question::{FindQuery, ReadQuery, StructureQuery, TextQuery, TreeQuery};
use orienteer_base::{Answer, Cancel, Problem, Roots};
use orienteer_watch::{Stamp, stamp};

use crate::Session;
use crate::blocking::{blocking, quick};

fn read(roots: &Roots, path: &Path) -> Option<Vec<u8>> {
    let mut file = roots.open(path).ok()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Files that were read and do not contain a literal, by the stamp they had before. Most answers show files that do
/// not, again and again.
#[derive(Debug, Default)]
pub(crate) struct Lacking(Mutex<HashMap<(PathBuf, &'static str), Stamp>>);

impl Lacking {
    fn has(&self, path: &Path, literal: &'static str, now: Option<Stamp>) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        now.is_some() && known.get(&(path.to_path_buf(), literal)).copied() == now
    }

    fn put(&self, path: &Path, literal: &'static str, before: Option<Stamp>) {
        // A stamp that is too young may stand for two texts.
        let Some(stamp) = before.filter(|stamp| !stamp.is_recent()) else { return };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_LACKING {
            known.clear();
        }
        known.insert((path.to_path_buf(), literal), stamp);
    }
}

const MOST_LACKING: usize = 20_000;

/// So many files are looked at on the spot.
const FEW: usize = 64;

/// A file of an answer, its path as written, and the stamp it had when nobody had read it yet.
struct Looked {
    at: usize,
    shown: String,
    written: PathBuf,
    before: Option<Stamp>,
}

/// Larger files hold data, not keys.
const LARGEST: u64 = 32 << 20;

impl Session {
    /// Lines that match a pattern. Files that the index knows cannot match are not opened.
    pub async fn search_text(&self, query: TextQuery, cancel: &Cancel) -> Result<Answer<Matches>, Problem> {
        let (session, flag) = (self.clone(), cancel.clone());
        let query = TextQuery { conceal: self.engine().conceal.clone(), ..query };
        blocking(cancel, move || {
            let narrow = session.narrower(&query);
            orienteer_search::search_text_narrowed(session.roots(), &query, narrow, &flag)
        })
        .await
    }

    /// Code of a shape.
    pub async fn search_structure(
        &self,
        query: StructureQuery,
        cancel: &Cancel,
    ) -> Result<Answer<Matches>, Problem> {
        let query = StructureQuery { conceal: self.engine().conceal.clone(), ..query };
        self.ask(query, cancel, orienteer_search::search_structure).await
    }

    /// A file, or a part of it.
    pub async fn read_file(&self, query: ReadQuery, cancel: &Cancel) -> Result<Answer<FileText>, Problem> {
        let query = ReadQuery { conceal: self.engine().conceal.clone(), ..query };
        self.ask(query, cancel, orienteer_search::read_file).await
    }

    /// What a folder holds.
    pub async fn list_tree(&self, query: TreeQuery, cancel: &Cancel) -> Result<Answer<Listing>, Problem> {
        self.ask(query, cancel, orienteer_search::list_tree).await
    }

    /// Files by what they are.
    pub async fn find_files(&self, query: FindQuery, cancel: &Cancel) -> Result<Answer<Listing>, Problem> {
        self.ask(query, cancel, orienteer_search::find_files).await
    }

    /// What `look` makes of those of some files that contain a literal; files that are too large are not looked
    /// at. For the surroundings of what an answer shows.
    pub async fn inspect<T: Send + 'static>(
        &self,
        shown: Vec<String>,
        literal: &'static str,
        cancel: &Cancel,
        look: impl Fn(&str) -> T + Send + 'static,
    ) -> Result<Vec<(usize, T)>, Problem> {
        let spec = self.spec();
        let session = self.clone();
        let flag = cancel.clone();
        // Most files were looked at before: one look at each tells that it is still the same, which is much less than
        // finding out where its path leads, and than asking another thread to.
        let unknown = {
            let (spec, session, flag) = (spec.clone(), session.clone(), flag.clone());
            let few = shown.len() <= FEW;
            let work = move || {
                let mut unknown = Vec::new();
                for (at, shown) in shown.into_iter().enumerate() {
                    flag.check()?;
                    let written = spec.roots.workspace().join(&shown);
                    let before = stamp(&written);
                    if !session.engine().lacking.has(&written, literal, before) {
                        unknown.push(Looked { at, shown, written, before });
                    }
                }
                Ok(unknown)
            };
            if few { quick(cancel, false, work).await? } else { blocking(cancel, work).await? }
        };
        if unknown.is_empty() {
            return Ok(Vec::new());
        }
        blocking(cancel, move || {
            let mut found = Vec::new();
            for Looked { at, shown, written, before } in unknown {
                flag.check()?;
                let Ok(path) = spec.roots.resolve(&shown) else { continue };
                let small =
                    path.absolute().metadata().is_ok_and(|data| data.is_file() && data.len() <= LARGEST);
                let Some(bytes) = small.then(|| read(&spec.roots, path.absolute())).flatten() else {
                    continue;
                };
                let text = String::from_utf8_lossy(&bytes);
                if text.contains(literal) {
                    found.push((at, look(&text)));
                } else {
                    session.engine().lacking.put(&written, literal, before);
                }
            }
            Ok(found)
        })
        .await
    }

    async fn ask<Q: Send + 'static, T: Send + 'static>(
        &self,
        query: Q,
        cancel: &Cancel,
        answer: fn(&Roots, &Q, &Cancel) -> Result<Answer<T>, Problem>,
    ) -> Result<Answer<T>, Problem> {
        let spec = self.spec();
        let flag = cancel.clone();
        blocking(cancel, move || answer(&spec.roots, &query, &flag)).await
    }
}

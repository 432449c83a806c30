//! Which manifests and lock files bring the package in?

use std::collections::BTreeSet;
use std::io::Read;

use orienteer_base::question::{EntryType, FindQuery};
use orienteer_base::triage::{Evidence, EvidenceKind, Package, Provenance, Searched};
use orienteer_base::{Cancel, Completeness, Problem, Reason, RootedPath};
use orienteer_triage::manifest::{self, Kind};

use super::libraries::Crate;
use super::{FOREIGN, Gathered, evidence};
use crate::Session;
use crate::blocking::blocking;

/// Manifests of a workspace; a larger one is looked at in part.
const MOST_FILES: usize = 3_000;
/// Bytes of one file: lock files of large workspaces have tens of megabytes.
const LARGEST: u64 = 128 << 20;
/// Lines of one file that are told.
const MOST_HITS: usize = 20;
/// Of all files.
const MOST_EVIDENCE: usize = 300;

/// What follows from manifests and lock files beside the lines themselves.
#[derive(Debug, Default)]
pub(super) struct Brought {
    /// Names that manifests give the package.
    pub(super) aliases: Vec<String>,
    /// Versions that lock files have.
    pub(super) versions: BTreeSet<String>,
    /// What manifests of the workspace say about the package when it is the one that they are of.
    pub(super) own: Vec<Crate>,
    /// A line asks for the package.
    pub(super) any: bool,
    /// There are manifests, and all of them were read.
    pub(super) whole: bool,
}

#[derive(Default)]
struct Lines {
    evidence: Vec<Evidence>,
    brought: Brought,
    unread: Vec<String>,
}

impl Session {
    /// Adds what was found.
    pub(super) async fn look_at_manifests(
        &self,
        package: &Package,
        gathered: &mut Gathered,
        cancel: &Cancel,
    ) -> Result<Brought, Problem> {
        let kinds = manifest::kinds(&package.ecosystem);
        let looked_for = format!("{} {}", package.ecosystem, package.name).trim().to_owned();
        if kinds.is_empty() {
            let note = format!("files that name packages of {} are not known", package.ecosystem);
            gathered.not_tried("manifests", looked_for, note);
            return Ok(Brought::default());
        }
        let names: Vec<String> =
            kinds.iter().flat_map(|kind| kind.names).map(|name| (*name).to_owned()).collect();
        let query = FindQuery {
            names: names.clone(),
            entry_type: Some(EntryType::File),
            // A lock file that version control ignores still says what is installed.
            hidden: true,
            no_ignore: true,
            exclude_dirs: FOREIGN.iter().map(|folder| (*folder).to_owned()).collect(),
            files_per_page: MOST_FILES,
            ..FindQuery::everything(self.roots().workspace_path())
        };
        let answer = self.find_files(query, cancel).await?;
        let listing = answer.value;
        let mut completeness = answer.completeness;
        if listing.total_count > listing.entries.len() as u64 {
            completeness = Completeness::partial(Reason::Capped);
        } else if listing.skipped_count > 0 {
            completeness = completeness.and(Completeness::partial(Reason::Unreadable));
        }
        let files: Vec<String> = listing.entries.into_iter().map(|entry| entry.path).collect();
        let count = files.len();
        let manifests = files.iter().any(|file| kinds.iter().any(|kind| !kind.lock && kind.takes(file)));
        let mut read = self.read_manifests(files, kinds, package.clone(), cancel).await?;
        if !read.unread.is_empty() {
            completeness = completeness.and(Completeness::partial(Reason::Unreadable));
        }
        let note = if !read.unread.is_empty() {
            Some(format!(
                "could not be read, or not line by line: {}",
                read.unread.iter().take(5).cloned().collect::<Vec<_>>().join(", ")
            ))
        } else if count == 0 {
            Some("there are none of these files here".to_owned())
        } else {
            None
        };
        gathered.searches.push(Searched {
            what: "manifests",
            looked_for,
            looked_in: format!("{count} files called {}", names.join(", ")),
            found: read.evidence.len(),
            provenance: Provenance::Text,
            completeness,
            note,
        });
        read.brought.any = !read.evidence.is_empty();
        read.brought.whole = manifests && completeness.is_complete();
        read.evidence.into_iter().take(MOST_EVIDENCE).for_each(|one| gathered.add(one));
        Ok(read.brought)
    }

    async fn read_manifests(
        &self,
        files: Vec<String>,
        kinds: Vec<&'static Kind>,
        package: Package,
        cancel: &Cancel,
    ) -> Result<Lines, Problem> {
        let (session, flag) = (self.clone(), cancel.clone());
        blocking(cancel, move || {
            let mut read = Lines::default();
            let conceal = &session.engine().conceal;
            for shown in files {
                flag.check()?;
                let bytes = session.roots().resolve(&shown).ok().and_then(|path| session.bytes_here(&path));
                let Some(text) = bytes.and_then(whole_text) else {
                    read.unread.push(shown);
                    continue;
                };
                let of: Vec<_> = kinds.iter().filter(|kind| kind.takes(&shown)).collect();
                // What it says is told; what it does not seem to say may stand in it nevertheless.
                if of.iter().any(|kind| kind.lock) && !manifest::has_lines(&text) {
                    read.unread.push(shown.clone());
                }
                if of.iter().any(|kind| kind.ecosystem == "cargo" && !kind.lock) {
                    let own =
                        Crate::read(&text).filter(|own| manifest::same("cargo", &own.name, &package.name));
                    read.brought.own.extend(own);
                }
                for kind in of {
                    let hits = kind.find(&text, &package);
                    read.brought.aliases.extend(hits.iter().filter_map(|hit| hit.alias.clone()));
                    if kind.lock {
                        read.brought.versions.extend(hits.iter().filter_map(|hit| hit.version.clone()));
                    }
                    let more = hits.len().saturating_sub(MOST_HITS);
                    for (at, hit) in hits.into_iter().take(MOST_HITS).enumerate() {
                        let of = if kind.lock { EvidenceKind::Lock } else { EvidenceKind::Manifest };
                        let by = hit.required_by.map(|by| format!("asked for by {by}"));
                        let last = at + 1 == MOST_HITS && more > 0;
                        let note =
                            if last { Some(format!("and {more} more lines of this file")) } else { by };
                        read.evidence.push(Evidence {
                            package: Some(package.name.clone()),
                            version: hit.version,
                            note,
                            ..evidence(of, &shown, hit.line, &hit.text, Provenance::Text, conceal)
                        });
                    }
                }
            }
            Ok(read)
        })
        .await
    }

    /// The text of a file inside the roots, with marks for what is no text; `None` when it cannot be had.
    pub(super) fn text_here(&self, path: &RootedPath) -> Option<String> {
        let bytes = self.bytes_here(path)?;
        Some(wide(&bytes).unwrap_or_else(|| String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn bytes_here(&self, path: &RootedPath) -> Option<Vec<u8>> {
        let absolute = path.absolute();
        if !absolute.metadata().is_ok_and(|data| data.is_file() && data.len() <= LARGEST) {
            return None;
        }
        let file = self.roots().open_path(path).ok()?;
        let mut bytes = Vec::new();
        file.take(LARGEST).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}

/// A text in which everything can be found; `None` for anything in which a name could hide.
fn whole_text(bytes: Vec<u8>) -> Option<String> {
    let text = match wide(&bytes) {
        Some(text) => Some(text).filter(|text| !text.contains(char::REPLACEMENT_CHARACTER)),
        None => String::from_utf8(bytes).ok(),
    };
    text.filter(|text| !text.contains('\0'))
}

/// UTF-16 with a mark at its beginning, as some shells and editors write it.
fn wide(bytes: &[u8]) -> Option<String> {
    let little = match bytes.get(..2)? {
        [0xff, 0xfe] => true,
        [0xfe, 0xff] => false,
        _ => return None,
    };
    let (pairs, rest) = bytes.get(2..)?.as_chunks::<2>();
    let units =
        pairs.iter().map(|pair| if little { u16::from_le_bytes(*pair) } else { u16::from_be_bytes(*pair) });
    let mut text: String =
        char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    text.extend((!rest.is_empty()).then_some(char::REPLACEMENT_CHARACTER));
    Some(text)
}

//! What does this repository say about a finding?
//!
//! | module | question it answers |
//! | --- | --- |
//! | `manifests` | Which manifests and lock files bring the package in? |
//! | `libraries` | Under which names does code know a crate? |
//! | `imports` | Where is it imported? |
//! | `calls` | Where are its affected symbols used? |
//! | `owner` | Does a definition belong to the package? |
//! | `tested` | Which tests touch that? |
//! | `places` | What stands where the source points? |
//! | `verdict` | What follows from all of it? |
//! | `write` | Where does it go? |

mod calls;
mod imports;
mod libraries;
mod manifests;
mod owner;
mod places;
mod tested;
mod verdict;
mod write;

use std::time::{Duration, SystemTime};

use orienteer_base::question::{After, Case, Detail, FileOrder, Selection, TextQuery};
use orienteer_base::triage::{
    ContextPack, Evidence, EvidenceKind, Finding, PackQuery, Package, Provenance, Searched,
};
use orienteer_base::{Answer, Cancel, Completeness, Conceal, Problem, Reason, Source, units};

use crate::Session;

/// Packages of one finding that are looked for; more are told as not looked for.
const MOST_PACKAGES: usize = 12;
/// Folders that hold what others wrote: uses in there are not uses by this repository.
const FOREIGN: &[&str] = &[
    "node_modules",
    "site-packages",
    "dist-packages",
    ".venv",
    "venv",
    ".git",
    ".hg",
    ".svn",
    "bower_components",
    ".tox",
];

/// Everything that was found so far.
#[derive(Debug, Default)]
struct Gathered {
    evidence: Vec<Evidence>,
    searches: Vec<Searched>,
    /// What was not even tried.
    missing: Vec<String>,
}

impl Session {
    /// A finding with its decisions and what the repository says about it.
    pub async fn triage_context_pack(
        &self,
        query: PackQuery,
        cancel: &Cancel,
    ) -> Result<Answer<ContextPack>, Problem> {
        // Nobody wants to wait for what cannot be written.
        self.may_write_pack(&query.output)?;
        let shown = self.triage_show(&query.finding, cancel).await?;
        let (warnings, unread) = (shown.warnings.clone(), shown.completeness);
        let finding = &shown.value.finding.finding;
        let mut gathered = Gathered::default();
        if !finding.places.is_empty() {
            self.look_at_places(finding, &mut gathered, cancel).await?;
        }
        for package in packages(finding, &mut gathered) {
            self.look_for_package(&package, query.wait, &mut gathered, cancel).await?;
        }
        self.look_for_tests(query.wait, &mut gathered, cancel).await?;
        let concluded = verdict::conclude(&mut gathered);
        let mut pack = ContextPack {
            finding: shown.value.finding,
            history: shown.value.history,
            verdict: concluded.verdict,
            rests_on: concluded.rests_on,
            evidence: gathered.evidence,
            searches: gathered.searches,
            missing: gathered.missing,
            written: Vec::new(),
            made_at: units::show_time(SystemTime::now()),
        };
        let completeness = pack.searches.iter().fold(unread, |all, one| all.and(one.completeness));
        let completeness = if completeness.is_complete() && !pack.missing.is_empty() {
            Completeness::partial(Reason::NotChecked)
        } else {
            completeness
        };
        let by_server = pack.evidence.iter().any(|one| one.provenance == Provenance::Lsp);
        let mut answer = Answer::new((), completeness, if by_server { Source::Lsp } else { Source::Text });
        answer.warnings = warnings;
        answer.warnings.extend(self.write_pack(&query.output, &mut pack, cancel).await?);
        Ok(answer.map(|()| pack))
    }

    async fn look_for_package(
        &self,
        package: &Package,
        wait: Option<Duration>,
        gathered: &mut Gathered,
        cancel: &Cancel,
    ) -> Result<(), Problem> {
        cancel.say(format!("looking for {}", package.name));
        let brought = self.look_at_manifests(package, gathered, cancel).await?;
        let called = self.names_in_code(package, brought, cancel).await?;
        let Some(imports) = orienteer_triage::module::imports(package, &called) else {
            let what = if package.ecosystem.is_empty() { "an unknown ecosystem" } else { &package.ecosystem };
            let note = format!("how code names packages of {what} is not known");
            gathered.not_tried("imports", format!("imports of {}", package.name), note);
            return Ok(());
        };
        let lines = self.look_for_imports(package, &imports, gathered, cancel).await?;
        self.look_for_calls(package, &imports, &lines, wait, gathered, cancel).await
    }

    /// Lines of the workspace's own files that match.
    async fn own_lines(
        &self,
        pattern: String,
        whole_word: bool,
        files: &[&str],
        most_files: usize,
        cancel: &Cancel,
    ) -> Result<(Vec<orienteer_base::listing::FileMatches>, Completeness), Problem> {
        let query = TextQuery {
            pattern,
            scope: self.roots().workspace_path(),
            fixed_string: false,
            case: Case::Sensitive,
            whole_word,
            multiline: false,
            selection: Selection {
                include: files.iter().map(|glob| (*glob).to_owned()).collect(),
                exclude: FOREIGN.iter().map(|folder| format!("**/{folder}/**")).collect(),
                hidden: true,
                ..Selection::default()
            },
            detail: Detail::Matches,
            context_lines: 0,
            matches_per_file: MOST_LINES,
            files_per_page: most_files,
            order: FileOrder::Path,
            after: After::default(),
            conceal: Conceal::default(),
        };
        let answer = self.search_text(query, cancel).await?;
        let found = answer.value;
        let cut = found.remaining > 0
            || found.files.iter().any(|file| file.match_count > file.matches.len() as u64);
        let mut completeness = answer.completeness;
        // A page that ends is not the end of what there is, and the search says so itself for its own pages.
        if cut {
            completeness = Completeness::partial(Reason::Capped);
        } else if found.skipped_count > 0 {
            completeness = completeness.and(Completeness::partial(Reason::Unreadable));
        }
        Ok((found.files, completeness))
    }
}

/// Matching lines of one file that are looked at.
const MOST_LINES: usize = 60;
/// The lines are shown as they are, up to here; of longer ones what is secret is hidden before they are cut.
const LONGEST: usize = 300;

impl Gathered {
    fn not_tried(&mut self, what: &'static str, looked_for: String, note: String) {
        self.searches.push(Searched {
            what,
            looked_for,
            looked_in: "nothing".to_owned(),
            found: 0,
            provenance: Provenance::Text,
            completeness: Completeness::partial(Reason::NotChecked),
            note: Some(note),
        });
    }

    fn add(&mut self, evidence: Evidence) {
        let same = |one: &Evidence| {
            one.kind == evidence.kind
                && one.file_path == evidence.file_path
                && one.line == evidence.line
                && one.package == evidence.package
        };
        if !self.evidence.iter().any(same) {
            self.evidence.push(evidence);
        }
    }
}

/// A place of which only the line is known.
fn evidence(
    kind: EvidenceKind,
    file_path: &str,
    line: u32,
    text: &str,
    provenance: Provenance,
    conceal: &Conceal,
) -> Evidence {
    Evidence {
        kind,
        file_path: file_path.to_owned(),
        line,
        column: 1,
        snippet: conceal.beginning(text.to_owned(), LONGEST),
        provenance,
        package: None,
        affected: None,
        symbol: None,
        version: None,
        in_test: false,
        note: None,
    }
}

/// Each package once, with all symbols and modules that are named for it.
fn packages(finding: &Finding, gathered: &mut Gathered) -> Vec<Package> {
    let mut packages: Vec<Package> = Vec::new();
    for package in &finding.packages {
        match packages.iter_mut().find(|one| one.ecosystem == package.ecosystem && one.name == package.name) {
            Some(known) => {
                let new = package.symbols.iter().filter(|symbol| !known.symbols.contains(symbol));
                known.symbols.extend(new.cloned().collect::<Vec<_>>());
                let new = package.modules.iter().filter(|module| !known.modules.contains(module));
                known.modules.extend(new.cloned().collect::<Vec<_>>());
            }
            None => packages.push(package.clone()),
        }
    }
    for package in packages.iter().skip(MOST_PACKAGES) {
        gathered
            .missing
            .push(format!("{} was not looked for: the finding names too many packages", package.name));
    }
    if packages.is_empty() && finding.places.is_empty() {
        gathered.missing.push("the finding names neither a package nor a place".to_owned());
    }
    packages.truncate(MOST_PACKAGES);
    packages
}

/// Whether a line is a comment of any language that has packages.
fn is_comment(line: &str, file: &str) -> bool {
    let line = line.trim_start();
    let hash = !file.ends_with(".rs") && line.starts_with('#');
    line.starts_with("//")
        || line.starts_with("/*")
        || line.starts_with("* ")
        || line.starts_with("--")
        || hash
}

#[cfg(test)]
mod tests;

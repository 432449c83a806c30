//! What would another name change?

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::time::Duration;

use orienteer_base::answer::Warning;
use orienteer_base::edit::{Planned, RenameQuery};
use orienteer_base::error::cut;
use orienteer_base::{Answer, Cancel, Digest, ErrorKind, Language, PathError, Problem, Range};
use orienteer_edit::{EditError, Moved, Plan};
use orienteer_lsp::command::Renameable;
use orienteer_lsp::{Failure, Lease, Seen};
use orienteer_search::words::{is_word_char, occurrences};
use orienteer_syntax::Limits;

use super::apply::compare;
use super::exact::Exact;
use super::left_behind::left_behind;
use super::require_whole;
use crate::Session;
use crate::answering::frame;
use crate::failure::problem;
use crate::known::Known;
use crate::unexpanded::FoundLines;

const METHOD: &str = "textDocument/rename";

/// No language has longer names that anybody wants.
const LONGEST_NAME: usize = 255;

/// Changed files that are parsed to see whether the new name fits the language.
const PARSED: usize = 20;
const LIMITS: Limits = Limits { max_bytes: 4 << 20, max_time: Duration::from_secs(1), max_symbols: 0 };

/// Languages whose names are letters, digits and underscores, besides what [`is_word_char`] knows.
const PLAIN: &[&str] = &[
    "c",
    "cpp",
    "csharp",
    "go",
    "java",
    "javascript",
    "kotlin",
    "python",
    "rust",
    "swift",
    "tsx",
    "typescript",
];

impl Session {
    /// Another name for a symbol, everywhere: a plan, or done at once. It is the language server's work, and all of it:
    /// one that is not ready is not asked.
    pub async fn rename(&self, query: RenameQuery, cancel: &Cancel) -> Result<Answer<Planned>, Problem> {
        self.may_write()?;
        let expected = self.expected(&query.expected, cancel).await?;
        check_name(&query.new_name)?;
        let exact = self.pin_exactly(&query.target, cancel).await?;
        fits_language(&query.new_name, &exact)?;
        let patience = self.patience(query.wait, cancel);
        let file = exact.pinned.file.absolute().to_path_buf();
        let lease = self.lease(&file).await.map_err(problem)?;
        if !lease.supports(METHOD, &patience).await.map_err(problem)? {
            let (server, method) = (lease.server_id().to_owned(), METHOD);
            return Err(problem(Failure::Unsupported { server, method }));
        }
        let known = self.make_known(&lease, &exact.pinned, &patience, cancel).await;
        match known {
            Known::All | Known::Opened => {}
            Known::SomeProjects => return Err(too_many_projects(&lease, &exact.word)),
            Known::SomeFiles => return Err(not_listed(&lease, Lease::OPENED_ONLY)),
            Known::Late => {
                let mut seen = Seen::default();
                known.note(&mut seen);
                require_whole(&lease, &seen)?;
            }
        }
        let at = exact.range.start;
        if let Some(why) = self.overlooked(&lease, &file, at, Some(&exact.word), &patience, cancel).await? {
            let message =
                format!("{why}, so nothing was planned; another server for the language may know them all");
            return Err(Problem::new(ErrorKind::TooLarge, message)
                .detail("files_not_searched")
                .fact("server_id", lease.server_id()));
        }
        let prepared = lease.prepare_rename(&file, at, &patience).await.map_err(problem)?;
        // One that does not say beforehand was not waited for.
        if prepared.value != Renameable::Unknown {
            require_whole(&lease, &prepared.seen)?;
        }
        may_be_renamed(&prepared.value, &exact, &lease)?;
        let heard = lease.rename(&file, at, &query.new_name, &patience).await.map_err(problem)?;
        require_whole(&lease, &heard.seen)?;
        let proposed = heard.value.map_err(|error| error.problem(self.roots()))?;
        let changed = proposed.plan.changes.iter().map(|change| change.path.clone());
        if let Some(why) = self.unlisted(&lease, known, Some(&exact.word), Some(changed), &patience).await {
            return Err(not_listed(&lease, &why));
        }
        if proposed.plan.is_empty() {
            lease.ensure_known(&file, &patience).await.map_err(problem)?;
            return Err(nothing_changes(&lease, &exact));
        }
        if !proposed.plan.changes.iter().any(|change| change.path == file) {
            return Err(renamed_another(&lease, &exact));
        }
        listed(&proposed.plan, &expected, self.roots())?;
        let (session, flag) = (self.clone(), cancel.clone());
        let (word, new_name) = (exact.word.clone(), query.new_name.clone());
        let (proposed, unconfirmed, unconfirmed_total, remarks) = self
            .paint(cancel, move |scenery| {
                still_parses(&proposed.plan, &new_name, &session, &flag)?;
                let clash = words_agree(&proposed.plan, &word, &new_name, session.roots())?;
                let (places, total) = left_behind(&session, scenery, &proposed.plan, &word, &flag)?;
                let generated = ignored(&proposed.plan, &session);
                Ok((proposed, places, total, clash.into_iter().chain(generated).collect::<Vec<_>>()))
            })
            .await?;
        let mut seen = heard.seen;
        seen.needs_trust = self.unexpanded(&lease, Some(&exact.word), FoundLines::default(), cancel).await?;
        let mut answer = frame(&lease, &seen, Vec::new());
        answer
            .warnings
            .extend(proposed.notes.into_iter().map(|note| Warning::new("needs_confirmation", note)));
        answer.warnings.extend(remarks);
        let title = format!("rename `{}` to `{}`", exact.word, query.new_name);
        let planned = self.propose(proposed.plan, title, query.carry, cancel).await?;
        Ok(answer.map(|()| Planned { unconfirmed, unconfirmed_total, ..planned }))
    }

    /// The files that the caller saw, checked before anything else is done.
    async fn expected(
        &self,
        expected: &BTreeMap<String, Digest>,
        cancel: &Cancel,
    ) -> Result<HashMap<PathBuf, Digest>, Problem> {
        if expected.is_empty() {
            return Ok(HashMap::new());
        }
        let (expected, session, flag) = (expected.clone(), self.clone(), cancel.clone());
        self.paint(cancel, move |_| {
            let (mut known, mut moved) = (HashMap::new(), Vec::new());
            for (written, digest) in expected {
                flag.check()?;
                let path = match session.roots().resolve(&written) {
                    Ok(path) => path.absolute().to_path_buf(),
                    Err(PathError::NotFound { .. }) => {
                        moved.push((session.roots().workspace().join(&written), Moved::Missing));
                        continue;
                    }
                    Err(error) => return Err(Problem::from(error).field("expected_before_sha256")),
                };
                if let Some(how) = compare(&path, Some(digest), session.roots(), &flag) {
                    moved.push((path.clone(), how));
                }
                known.insert(path, digest);
            }
            if moved.is_empty() {
                return Ok(known);
            }
            Err(EditError::Stale { files: moved }.problem(session.roots()).field("expected_before_sha256"))
        })
        .await
    }
}

/// What no language takes for a name.
fn check_name(name: &str) -> Result<(), Problem> {
    let illegal = |what: String| Problem::invalid("new_name", "illegal_name", what);
    if name.is_empty() {
        return Err(illegal("`new_name` is empty".to_owned()));
    }
    if name.chars().count() > LONGEST_NAME {
        return Err(illegal(format!("`new_name` is longer than {LONGEST_NAME} characters")));
    }
    let odd = |c: &char| c.is_whitespace() || c.is_control() || "(){}[]<>;,\"`\\/|&=".contains(*c);
    match name.chars().find(odd) {
        None => Ok(()),
        Some(odd) => Err(illegal(format!("`new_name` has {odd:?} in it, which no name can have"))),
    }
}

/// What the language of the file does not take for a name, where that is certain.
fn fits_language(name: &str, exact: &Exact) -> Result<(), Problem> {
    if name == exact.word {
        let message = format!("`{name}` is the name already; give another `new_name`");
        return Err(Problem::invalid("new_name", "same_name", message));
    }
    let language = Language::by_path(exact.pinned.file.absolute()).map_or("", |language| language.id);
    if !PLAIN.contains(&language) {
        return Ok(());
    }
    // Raw identifiers and lifetimes, private members, verbatim identifiers.
    let sigil = match language {
        "rust" => ["r#", "'"].as_slice(),
        "javascript" | "typescript" | "tsx" => &["#"],
        "csharp" | "swift" | "kotlin" => &["@"],
        _ => &[],
    };
    let plain = sigil.iter().find_map(|sigil| name.strip_prefix(sigil)).unwrap_or(name);
    let begins = plain.chars().next().is_some_and(|first| is_word_char(first) && !first.is_numeric());
    if begins && plain.chars().all(is_word_char) {
        return Ok(());
    }
    let message = format!("`{}` is no name in this language", cut(name));
    Err(Problem::invalid("new_name", "illegal_name", message))
}

/// What the server says before it is asked for the change: the name that it means must be the one that was pointed at.
fn may_be_renamed(said: &Renameable, exact: &Exact, lease: &Lease) -> Result<(), Problem> {
    match said {
        Renameable::Unknown | Renameable::Yes { range: None, .. } => Ok(()),
        Renameable::Yes { range: Some(range), .. } if covers(*range, exact) => Ok(()),
        Renameable::Yes { .. } => Err(renamed_another(lease, exact)),
        Renameable::No { message } => {
            let why = message.as_deref().map(|why| format!(": {}", cut(why))).unwrap_or_default();
            let message = format!("{} cannot be renamed, says `{}`{why}", shown(exact), lease.server_id());
            Err(Problem::new(ErrorKind::NotFound, message)
                .detail("not_renameable")
                .fact("server_id", lease.server_id()))
        }
    }
}

/// Whether a range has the whole word in it. A sign in front of a name, as shells have, is a part of our word and not of
/// every server's.
fn covers(range: Range, exact: &Exact) -> bool {
    let mut start = exact.range.start;
    let sign = exact.word.chars().take_while(|c| *c == '$').count();
    start.column += u32::try_from(sign).unwrap_or_default();
    range.start <= start && exact.range.end <= range.end
}

fn shown(exact: &Exact) -> String {
    let start = exact.range.start;
    format!("`{}` at {}:{}:{}", exact.word, exact.pinned.file.shown(), start.line, start.column)
}

fn nothing_changes(lease: &Lease, exact: &Exact) -> Problem {
    let message = format!("`{}` would change nothing to rename {}", lease.server_id(), shown(exact));
    Problem::new(ErrorKind::NotFound, message).detail("not_renameable").fact("server_id", lease.server_id())
}

fn renamed_another(lease: &Lease, exact: &Exact) -> Problem {
    let message = format!(
        "`{}` would rename something else than {}; nothing was planned",
        lease.server_id(),
        shown(exact)
    );
    Problem::new(ErrorKind::NotFound, message).detail("not_renameable").fact("server_id", lease.server_id())
}

fn not_listed(lease: &Lease, why: &str) -> Problem {
    let message = format!("{}: {why}. Uses would be missed, so nothing was planned", lease.server_id());
    Problem::new(ErrorKind::ServerUnavailable, message)
        .detail("files_not_listed")
        .fact("server_id", lease.server_id())
}

fn too_many_projects(lease: &Lease, word: &str) -> Problem {
    let message = format!(
        "`{}` knows only the projects of open files, and `{word}` stands in more of them than can be opened, or nobody \
         can tell in which; uses would be missed, so nothing was planned",
        lease.server_id()
    );
    Problem::new(ErrorKind::TooLarge, message)
        .detail("too_many_projects")
        .fact("server_id", lease.server_id())
}

/// The new name goes where the old one stood: a file without the old one gets it only when the server follows something
/// else, such as the other name of an export. Where the new name stands already, the two may clash.
fn words_agree(
    plan: &Plan,
    word: &str,
    new_name: &str,
    roots: &orienteer_base::Roots,
) -> Result<Option<Warning>, Problem> {
    let count = |text: &str, word: &str| occurrences(text, word).count();
    let (mut others, mut taken) = (Vec::new(), Vec::new());
    for change in &plan.changes {
        let (Some(_), Some(after)) = (change.before, &change.after) else { continue };
        let (Ok(before), Ok(after)) =
            (roots.read_to_string(&change.path), std::str::from_utf8(&after.content))
        else {
            continue;
        };
        if count(&before, word) == 0 && count(after, new_name) > count(&before, new_name) {
            others.push(roots.show(&change.path));
        }
        if count(&before, new_name) > 0 {
            taken.push(roots.show(&change.path));
        }
    }
    if !others.is_empty() {
        let some = others.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
        let message = format!(
            "nothing was planned: the server would also write `{new_name}` into {some}, where `{word}` does not stand, so it \
             would rename something else too; rename what is called otherwise there by itself"
        );
        return Err(Problem::new(ErrorKind::Unsupported, message)
            .detail("renames_others")
            .fact("files", others));
    }
    let some = taken.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
    let message =
        format!("`{new_name}` stands in {some} already: two things may have one name then; try `simulate`");
    Ok((!taken.is_empty()).then(|| Warning::new("name_taken", message)))
}

/// Files of a change that version control ignores: what is generated there is written anew by whatever made it.
fn ignored(plan: &Plan, session: &Session) -> Option<Warning> {
    let root = session.roots().workspace();
    let known: HashSet<PathBuf> = session.workspace().files().into_iter().collect();
    let changed =
        plan.changes.iter().filter(|change| change.before.is_some() && change.path.starts_with(root));
    let ignored: Vec<String> = changed
        .filter(|change| !known.contains(&change.path))
        .map(|change| session.roots().show(&change.path))
        .collect();
    let some = ignored.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
    let message =
        format!("the change reaches files that version control ignores, such as what is generated: {some}");
    (!ignored.is_empty()).then(|| Warning::new("ignored_files", message))
}

/// Whoever says what they saw has seen all of it.
fn listed(
    plan: &Plan,
    expected: &HashMap<PathBuf, Digest>,
    roots: &orienteer_base::Roots,
) -> Result<(), Problem> {
    if expected.is_empty() {
        return Ok(());
    }
    let touched = plan.changes.iter().filter_map(|change| Some((&change.path, change.before?)));
    let unseen: Vec<String> = touched
        .filter(|(path, before)| expected.get(*path) != Some(before))
        .map(|(path, _)| roots.show(path))
        .collect();
    if unseen.is_empty() {
        return Ok(());
    }
    let some = unseen.iter().take(10).cloned().collect::<Vec<_>>().join(", ");
    let message = format!(
        "nothing was written: the change also reaches files that `expected_before_sha256` does not list: {some}"
    );
    Err(Problem::new(ErrorKind::StalePlan, message)
        .field("expected_before_sha256")
        .detail("unlisted_files")
        .fact("files", unseen))
}

/// A name that is a word of the language breaks what was whole. Servers do not all look.
fn still_parses(plan: &Plan, new_name: &str, session: &Session, cancel: &Cancel) -> Result<(), Problem> {
    for change in plan.changes.iter().take(PARSED) {
        let Some(after) = change.after.as_ref().and_then(|after| std::str::from_utf8(&after.content).ok())
        else {
            continue;
        };
        let origin = change.after.as_ref().and_then(|after| after.like.as_ref()).unwrap_or(&change.path);
        let Some(language) = Language::by_path(origin) else { continue };
        let broken = |text: &str| {
            orienteer_syntax::parse(text, language, &LIMITS, cancel).map(|parsed| parsed.has_errors)
        };
        if !matches!(broken(after), Ok(true)) {
            continue;
        }
        let Ok(before) = session.engine().fleet.texts().read(origin) else { continue };
        if matches!(broken(&before.text), Ok(false)) {
            let message = format!(
                "`{}` is no name in this language: `{}` would not be legal any more",
                cut(new_name),
                session.roots().show(origin)
            );
            return Err(Problem::invalid("new_name", "illegal_name", message));
        }
    }
    Ok(())
}

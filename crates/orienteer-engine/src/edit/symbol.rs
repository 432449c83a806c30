//! What would change if this definition were another one, had a neighbour, or were gone?
//!
//! Where a definition begins and ends is the grammar's to say: language servers leave out decorators and comments, or take
//! blanks with them. What a server says is compared with it, and a doubt is a refusal.
//!
//! | module | question it answers |
//! | --- | --- |
//! | `compose` | Which edits does an operation mean? |
//! | `lines` | What stands around a definition, line by line? |
//! | `indent` | How is what an agent wrote indented where it goes? |
//! | `above` | What becomes of comments and attributes? |
//! | `verify` | Does the text still make sense? |
//! | `unused` | May it be deleted? |

mod above;
mod compose;
pub(super) mod indent;
mod lines;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
mod unused;
pub(super) mod verify;

use std::ops::Range;

use orienteer_base::answer::Warning;
use orienteer_base::edit::{EditSymbolQuery, Planned, SymbolOperation as Operation};
use orienteer_base::error::cut;
use orienteer_base::{Answer, Cancel, Completeness, ErrorKind, Language, Position, Problem, Source};
use orienteer_edit::Overlay;
use orienteer_edit::text::LineEnds;
use orienteer_lsp::command::Outlined as FromServer;
use orienteer_syntax::anatomy::Body;
use orienteer_syntax::{Anatomy, Dissected, dissect};

use crate::Session;
use crate::answering::frame;
use crate::blocking::blocking;
use crate::failure::{has_substitute, problem};
use crate::resolve::Pinned;
use compose::{Subject, Way};
use verify::{Before, LIMITS, Outcome, choose, unparsed};

/// Content beyond this is no definition.
const LARGEST_CONTENT: usize = 1 << 20;

/// A definition in a file as it is now.
#[derive(Debug)]
struct Taken {
    overlay: Overlay,
    text: std::sync::Arc<str>,
    language: &'static Language,
    seen: Dissected,
    anatomy: Anatomy,
}

impl Session {
    /// Changes one definition: a plan, or done at once.
    pub async fn edit_symbol(
        &self,
        query: EditSymbolQuery,
        cancel: &Cancel,
    ) -> Result<Answer<Planned>, Problem> {
        self.may_write()?;
        check_content(&query)?;
        let pinned = self.pin(&query.target, cancel).await?;
        exact(&pinned, &query)?;
        let taken = self.take(&pinned, cancel).await?;
        let mut answer = self.compare(&pinned, &taken, &query, cancel).await?;
        stands_alone(&taken, query.operation)?;
        let mut unconfirmed = (Vec::new(), None);
        if query.operation == Operation::Delete {
            unconfirmed = self.require_unused(&pinned, &taken.anatomy, &query, &mut answer, cancel).await?;
        }
        let title = title(query.operation, &taken.anatomy, pinned.file.shown());
        let (path, roots, flag) =
            (pinned.file.absolute().to_path_buf(), self.roots().clone(), cancel.clone());
        let (operation, content) = (query.operation, query.content.clone().unwrap_or_default());
        let (plan, warnings) = blocking(cancel, move || {
            let (outcome, warnings) = taken.outcome(operation, &content, &flag)?;
            let mut overlay = taken.overlay;
            overlay.edit(&path, outcome.edits).map_err(|error| error.problem(&roots))?;
            Ok((overlay.finish(), warnings))
        })
        .await?;
        answer.warnings.extend(warnings);
        let planned = self.propose(plan, title, query.carry, cancel).await?;
        Ok(answer.map(|()| Planned {
            unconfirmed: unconfirmed.0,
            unconfirmed_total: unconfirmed.1,
            ..planned
        }))
    }

    /// The definition whose name is at a place, in the text that the plan is made from.
    async fn take(&self, pinned: &Pinned, cancel: &Cancel) -> Result<Taken, Problem> {
        let (path, shown) = (pinned.file.absolute().to_path_buf(), pinned.file.shown().to_owned());
        let (position, roots, flag) = (pinned.position, self.roots().clone(), cancel.clone());
        blocking(cancel, move || {
            let mut overlay = Overlay::new(roots.clone());
            let text = overlay.text(&path).map_err(|error| error.problem(&roots))?;
            let head = text.lines().next().unwrap_or_default();
            let language =
                Language::by_path(&path).or_else(|| Language::by_first_line(head)).ok_or_else(|| {
                    let message = format!("`{shown}` is of no language that is known here");
                    Problem::new(ErrorKind::Unsupported, message).detail("no_grammar")
                })?;
            let index = orienteer_base::LineIndex::new(&text);
            let at = index.offset_of(&text, position);
            // First for the outline, which tells where the name begins.
            let outline = orienteer_syntax::symbols(&text, language, &LIMITS, &flag).map_err(unparsed)?;
            let named = |symbol: &&orienteer_syntax::Symbol| {
                at.is_some_and(|at| symbol.name_range.start <= at && at < symbol.name_range.end)
            };
            let symbol =
                outline.symbols.iter().rev().find(named).ok_or_else(|| not_a_definition(&shown, position))?;
            let name_at = Some(symbol.name_range.start);
            let mut seen = dissect(&text, language, name_at, &LIMITS, &flag).map_err(unparsed)?;
            let anatomy = seen.anatomy.take().filter(|anatomy| anatomy.symbol.name == symbol.name);
            let anatomy = anatomy.ok_or_else(|| {
                let message = format!("definitions of {} cannot be edited one by one", language.id);
                Problem::new(ErrorKind::Unsupported, message).detail("no_definitions")
            })?;
            Ok(Taken { overlay, text, language, seen, anatomy })
        })
        .await
    }

    /// What the server says about the same definition. Where it knows it, it must mean the same one.
    async fn compare(
        &self,
        pinned: &Pinned,
        taken: &Taken,
        query: &EditSymbolQuery,
        cancel: &Cancel,
    ) -> Result<Answer<()>, Problem> {
        let file = pinned.file.absolute();
        let patience = self.patience(query.wait, cancel);
        let asked = async {
            let lease = self.lease(file).await?;
            let heard = lease.document_symbols(file, &patience).await?;
            Ok((lease, heard))
        };
        let (lease, heard) = match asked.await {
            Ok(heard) => heard,
            Err(failure)
                if has_substitute(&failure) || matches!(failure, orienteer_lsp::Failure::NoServer { .. }) =>
            {
                // The grammar decides; the server would only have confirmed it.
                return Ok(Answer::new((), Completeness::Complete, Source::Text));
            }
            Err(failure) => return Err(problem(failure)),
        };
        let mut answer = frame(&lease, &heard.seen, Vec::new());
        answer.completeness = Completeness::Complete;
        answer.warnings.retain(|warning| warning.kind != "server_not_ready");
        match doubt(&heard.value, &taken.text, &taken.anatomy) {
            None => Ok(answer),
            Some(doubt) => Err(doubt.problem(&taken.anatomy, pinned.file.shown(), lease.server_id())),
        }
    }
}

/// What the server has where the grammar has the definition, when that is another one.
#[derive(Debug, PartialEq, Eq)]
struct Doubt {
    ours: String,
    theirs: String,
    name: String,
}

fn doubt(symbols: &[FromServer], text: &str, anatomy: &Anatomy) -> Option<Doubt> {
    let index = orienteer_base::LineIndex::new(text);
    let name = index.range(text, anatomy.symbol.name_range.clone());
    let whole = index.range(text, anatomy.start()..anatomy.end());
    let other = meant(symbols, name.start)?;
    // A server's name may hold a receiver, a type or a signature.
    let same_name =
        other.name.contains(&anatomy.symbol.name) || anatomy.symbol.name.contains(other.name.as_str());
    let overlaps = other.range.start <= whole.end && whole.start <= other.range.end;
    if same_name && overlaps {
        return None;
    }
    let shown = |range: orienteer_base::Range| {
        let (from, to) = (range.start, range.end);
        format!("{}:{}-{}:{}", from.line, from.column, to.line, to.column)
    };
    Some(Doubt { ours: shown(whole), theirs: shown(other.range), name: other.name.clone() })
}

impl Doubt {
    fn problem(self, anatomy: &Anatomy, file: &str, server: &str) -> Problem {
        let message = format!(
            "the grammar has `{}` at {} of `{file}`, and `{server}` has `{}` at {}; nothing was planned",
            cut(&anatomy.symbol.name),
            self.ours,
            cut(&self.name),
            self.theirs,
        );
        Problem::new(ErrorKind::Ambiguous, message)
            .detail("ranges_differ")
            .fact("grammar_range", self.ours)
            .fact("server_range", self.theirs)
            .fact("server_id", server)
    }
}

impl Taken {
    /// What becomes of the text, and what is worth knowing about it.
    fn outcome(
        &self,
        operation: Operation,
        content: &str,
        cancel: &Cancel,
    ) -> Result<(Outcome, Vec<Warning>), Problem> {
        let ends = LineEnds::of(&self.text);
        let newline = if ends == LineEnds::CrLf { "\r\n" } else { "\n" };
        let subject = Subject { text: &self.text, language: self.language, anatomy: &self.anatomy, newline };
        let before = Before { text: &self.text, language: self.language, seen: &self.seen, cancel };
        let content = ends.fit(content);
        let anatomy = &self.anatomy;
        let mut warnings = Vec::new();
        if !self.seen.errors.is_empty() {
            let message =
                "the file had syntax errors before; they stay, and where things end is less certain";
            warnings.push(Warning::new("syntax_errors_before", message));
        }
        let strings = |place: Range<usize>| strings_of(&before, &content, place);
        let outcome = match operation {
            Operation::Delete => choose(&before, vec![compose::delete(&subject)], None, &|_| Ok(()))?,
            Operation::InsertBefore | Operation::InsertAfter => {
                let after = operation == Operation::InsertAfter;
                let place = if after { anatomy.end() } else { anatomy.start() };
                let ways = compose::insert(&subject, &content, after, &strings(place..place)?);
                choose(&before, ways, Some(&anatomy.symbol), &|_| Ok(()))?
            }
            Operation::ReplaceBody => {
                let body = anatomy.body.as_ref().ok_or_else(|| no_body(anatomy))?;
                let ways = compose::replace_body(&subject, &content, &strings(body.inner.clone())?);
                choose(&before, ways, None, &|outcome| same_body(&before, anatomy, outcome))?
            }
            Operation::Replace => {
                let ways = compose::replace(&subject, &content, &strings(anatomy.core.clone())?);
                self.replaced(&subject, &before, ways, &mut warnings)?
            }
        };
        Ok((outcome, warnings))
    }

    /// The definition replaced, with what the content brings in place of what stood above it.
    fn replaced(
        &self,
        subject: &Subject<'_>,
        before: &Before<'_>,
        ways: Vec<Way>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Outcome, Problem> {
        let anatomy = subject.anatomy;
        let (mut objection, mut found) = (None, None);
        for way in ways {
            let alone = verify::carry_out(before, above::alone(subject, &way))?;
            let Some(new) = above::brought(before, &alone)? else {
                // What cannot be read defines nothing, and where it cannot is better to know.
                let tried = choose(before, vec![way], None, &|_| Ok(()));
                objection = objection.or(Some(tried.err().unwrap_or_else(|| no_definition(anatomy))));
                continue;
            };
            let (way, kept) = above::without_old(subject, &alone, &new, way);
            match choose(before, vec![way], Some(&anatomy.symbol), &|_| Ok(())) {
                Ok(outcome) => {
                    found = Some((outcome, new, kept));
                    break;
                }
                Err(problem) => objection = objection.or(Some(problem)),
            }
        }
        let Some((outcome, new, kept)) = found else {
            return Err(objection.unwrap_or_else(|| no_definition(anatomy)));
        };
        if kept.docs || kept.attributes {
            let what = match (kept.docs, kept.attributes) {
                (true, true) => "the comment and the attributes above it",
                (true, false) => "the comment above it",
                _ => "the attributes above it",
            };
            let message = format!("{what} stayed, because the content brings none");
            warnings.push(Warning::new("kept_above", message));
        }
        if new.symbol.name != anatomy.symbol.name {
            let message = format!(
                "`{}` becomes `{}`, and its uses keep the old name; rename_symbol changes both",
                cut(&anatomy.symbol.name),
                cut(&new.symbol.name)
            );
            warnings.push(Warning::new("name_changed", message));
        }
        let documented =
            |anatomy: &Anatomy| anatomy.body.as_ref().is_some_and(|body| body.docstring.is_some());
        if documented(anatomy) && !documented(&new) {
            warnings.push(Warning::new(
                "docstring_dropped",
                "the docstring goes, because the content brings none",
            ));
        }
        Ok(outcome)
    }
}

fn no_definition(anatomy: &Anatomy) -> Problem {
    let message = format!(
        "nothing was planned: the content defines nothing that could take the place of `{}`; use `delete` to remove it",
        cut(&anatomy.symbol.name)
    );
    Problem::invalid("content", "no_definition", message)
}

/// The body must still be that of the same definition, from its beginning to its end.
fn same_body(before: &Before<'_>, old: &Anatomy, outcome: &Outcome) -> Result<(), Problem> {
    let name_at = Some(old.symbol.name_range.start);
    let seen = dissect(&outcome.text, before.language, name_at, &LIMITS, before.cancel).map_err(unparsed)?;
    let end = |text: &str, body: Option<&Body>| body.map(|body| text.len() - body.range.end);
    let new = seen.anatomy.as_ref().and_then(|new| new.body.as_ref());
    if new.is_some() && end(&outcome.text, new) == end(before.text, old.body.as_ref()) {
        return Ok(());
    }
    let message = format!(
        "nothing was planned: the content would end `{}` early, or go on behind it; check its brackets and indentation",
        cut(&old.symbol.name_path)
    );
    Err(Problem::invalid("content", "structure_changed", message))
}

/// Strings of several lines in content, as the grammar sees them where it goes.
fn strings_of(before: &Before<'_>, content: &str, place: Range<usize>) -> Result<Vec<Range<usize>>, Problem> {
    let content = indent::trimmed(content);
    if !content.contains('\n') {
        return Ok(Vec::new());
    }
    let (head, tail) = (before.text.get(..place.start), before.text.get(place.end..));
    let whole = [head.unwrap_or_default(), "\n", content, "\n", tail.unwrap_or_default()].concat();
    let seen = dissect(&whole, before.language, None, &LIMITS, before.cancel).map_err(unparsed)?;
    let start = place.start + 1;
    let inside =
        seen.strings.into_iter().filter(|range| range.start >= start && range.end <= start + content.len());
    Ok(inside.map(|range| range.start - start..range.end - start).collect())
}

fn check_content(query: &EditSymbolQuery) -> Result<(), Problem> {
    let content = query.content.as_deref();
    match query.operation {
        Operation::Delete if content.is_some_and(|content| !content.trim().is_empty()) => {
            let message = "`delete` takes no `content`; use `replace` to put something in its place";
            Err(Problem::invalid("content", "unexpected_content", message))
        }
        Operation::Delete => Ok(()),
        // An empty body is one.
        Operation::ReplaceBody if content.is_some() => too_long(content),
        _ if content.is_none_or(|content| content.trim().is_empty()) => {
            let message =
                "`content` is missing: it is the text that takes the definition's place or goes beside it";
            Err(Problem::invalid("content", "missing_content", message))
        }
        _ => too_long(content),
    }
}

fn too_long(content: Option<&str>) -> Result<(), Problem> {
    match content.map_or(0, str::len) {
        length if length > LARGEST_CONTENT => {
            let message = format!("`content` has {length} bytes; the most is {LARGEST_CONTENT}");
            Err(Problem::invalid("content", "content_too_large", message))
        }
        _ => Ok(()),
    }
}

/// A question may be answered about a place nearby; a change may not.
fn exact(pinned: &Pinned, query: &EditSymbolQuery) -> Result<(), Problem> {
    if let Some(doubt) = pinned.warnings.first() {
        let message = format!("{}; a change needs the exact place or the whole name path", doubt.message);
        let field = if query.target.line.is_some() { "line" } else { "symbol_name" };
        return Err(Problem::new(ErrorKind::NotFound, message).detail("inexact_target").field(field));
    }
    if pinned.file.is_named() {
        let message =
            format!("`{}` is outside the allowed roots: it may be read, not changed", pinned.file.shown());
        return Err(Problem::new(ErrorKind::PathNotAllowed, message).detail("outside_roots"));
    }
    Ok(())
}

fn not_a_definition(shown: &str, at: Position) -> Problem {
    let message = format!(
        "at {shown}:{}:{} stands no name of a definition; point at the name where it is defined, or give its name path",
        at.line, at.column
    );
    Problem::new(ErrorKind::NotFound, message).detail("no_definition_here")
}

fn no_body(anatomy: &Anatomy) -> Problem {
    let message = format!("`{}` has no body to replace; use `replace`", cut(&anatomy.symbol.name_path));
    Problem::invalid("operation", "no_body", message)
}

/// Whether the definition can be taken away, or have a neighbour, without hurting something else.
fn stands_alone(taken: &Taken, operation: Operation) -> Result<(), Problem> {
    let anatomy = &taken.anatomy;
    let name = cut(&anatomy.symbol.name_path);
    let refuse = |detail, message| Err(Problem::invalid("operation", detail, message));
    let whole = matches!(operation, Operation::Delete | Operation::Replace);
    if whole && !anatomy.shared_with.is_empty() {
        let others = anatomy.shared_with.join("`, `");
        return refuse(
            "several_names",
            format!(
                "the same declaration also defines `{others}`; split it first, or edit the file directly"
            ),
        );
    }
    if matches!(operation, Operation::ReplaceBody | Operation::Replace) {
        return Ok(());
    }
    if let Some(part) = &anatomy.part {
        let message =
            format!("`{name}` is the {part} of a larger statement, which would not stand without it");
        return refuse("part_of_statement", message);
    }
    // `private def f`, `x = class A`: what stands before it on its line needs it.
    let before = taken.text.get(..anatomy.start()).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default().trim_start_matches('\u{feff}').trim_end();
    let listed = anatomy.comma_before.is_some() || matches!(anatomy.separator, Some((_, ',')));
    if line.is_empty() || listed || line.ends_with(['{', '}', '(', '[', ';', ',', ':', '*', '/']) {
        return Ok(());
    }
    refuse(
        "part_of_statement",
        format!("`{name}` is a part of the statement that begins with `{}`", cut(line.trim_start())),
    )
}

fn title(operation: Operation, anatomy: &Anatomy, shown: &str) -> String {
    let name = cut(&anatomy.symbol.name_path);
    match operation {
        Operation::Replace => format!("replace `{name}` in {shown}"),
        Operation::ReplaceBody => format!("replace the body of `{name}` in {shown}"),
        Operation::InsertBefore => format!("insert before `{name}` in {shown}"),
        Operation::InsertAfter => format!("insert after `{name}` in {shown}"),
        Operation::Delete => format!("delete `{name}` from {shown}"),
    }
}

/// The server's symbol whose name begins at a place, however deep.
fn meant(symbols: &[FromServer], at: Position) -> Option<&FromServer> {
    symbols.iter().find_map(|symbol| {
        let own = (symbol.name_range.start <= at
            && at < symbol.name_range.end
            && symbol.name_range != symbol.range)
            .then_some(symbol);
        meant(&symbol.children, at).or(own)
    })
}

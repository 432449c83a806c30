//! What would this code look like, written as its language is usually written?
//!
//! The language server is asked first; where it does not format, or none is installed, the language's own formatter is
//! run. Either gives a text, and the plan has only the lines in which it differs.

mod diff;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use orienteer_base::answer::Warning;
use orienteer_base::edit::{FormatQuery, Planned};
use orienteer_base::{
    Answer, Cancel, Completeness, ErrorKind, Freshness, Language, Problem, Reason, RootedPath, Source,
};
use orienteer_edit::text::{LineEnds, apply, normalise};
use orienteer_edit::{Overlay, TextEdit};
use orienteer_lsp::command::FormatOptions;
use orienteer_lsp::{Failure, Patience};
use orienteer_syntax::{Dissected, ParseError, dissect};

use super::require_whole;
use super::symbol::indent::unit;
use super::symbol::verify::{LIMITS, syntax_problem};
use crate::Session;
use crate::answering::frame;
use crate::blocking::blocking;
use crate::failure::problem;
use diff::{Diff, Hunk};

/// More files are a matter for the project's own scripts.
const MOST_FILES: usize = 200;

/// What came of one file.
#[derive(Debug)]
struct Made {
    edits: Vec<TextEdit>,
    by: String,
    from_server: Option<(String, Freshness)>,
}

impl Session {
    /// Formats files, or lines of one: a plan, or done at once.
    pub async fn format(&self, query: FormatQuery, cancel: &Cancel) -> Result<Answer<Planned>, Problem> {
        self.may_write()?;
        check(&query)?;
        let patience = self.patience(query.wait, cancel);
        let mut overlay = Overlay::new(self.roots().clone());
        let mut done: Vec<(String, String)> = Vec::new();
        let mut left: Vec<(String, Problem)> = Vec::new();
        let mut answer = Answer::new((), Completeness::Complete, Source::Text);
        for file in &query.files {
            cancel.check()?;
            let (text, held) = self.read_text(file, overlay, cancel).await?;
            overlay = held;
            match self.format_one(file, &text, query.lines, &patience, cancel).await {
                Ok(made) => {
                    if let Some((server, freshness)) = made.from_server {
                        answer.source = Source::Lsp;
                        answer.freshness = answer.freshness.and(freshness);
                        answer.server_id.get_or_insert(server);
                    }
                    if !made.edits.is_empty() {
                        let edited = overlay.edit(file.absolute(), made.edits);
                        edited.map_err(|error| error.problem(self.roots()))?;
                    }
                    done.push((file.shown().to_owned(), made.by));
                }
                Err(problem) if problem.kind == ErrorKind::Cancelled => return Err(problem),
                // A server that is not ready will be: half of a formatting is not what was asked for.
                Err(problem) if problem.kind.retryable() => return Err(problem),
                Err(problem) => left.push((file.shown().to_owned(), problem)),
            }
        }
        if done.is_empty()
            && let Some((_, problem)) = left.pop()
        {
            return Err(problem);
        }
        for (file, problem) in &left {
            let message = format!("`{file}` was left as it is: {}", problem.message);
            answer.warnings.push(Warning::new("not_formatted", message));
        }
        if !left.is_empty() {
            answer.completeness = Completeness::partial(Reason::NotChecked);
        }
        let plan = blocking(cancel, move || Ok(overlay.finish())).await?;
        let title = title(&done);
        let planned = self.propose(plan, title, query.carry, cancel).await?;
        Ok(answer.map(|()| planned))
    }

    async fn read_text(
        &self,
        file: &RootedPath,
        mut overlay: Overlay,
        cancel: &Cancel,
    ) -> Result<(Arc<str>, Overlay), Problem> {
        let (path, roots) = (file.absolute().to_path_buf(), self.roots().clone());
        blocking(cancel, move || {
            let text = overlay.text(&path).map_err(|error| error.problem(&roots))?;
            Ok((text, overlay))
        })
        .await
    }

    async fn format_one(
        &self,
        file: &RootedPath,
        text: &Arc<str>,
        lines: Option<(u32, u32)>,
        patience: &Patience,
        cancel: &Cancel,
    ) -> Result<Made, Problem> {
        let path = file.absolute();
        if let Some((first, last)) = lines {
            within(text, first, last)?;
        }
        if text.trim().is_empty() {
            return Ok(Made {
                edits: Vec::new(),
                by: "nothing, because it is empty".to_owned(),
                from_server: None,
            });
        }
        let head = text.lines().next().unwrap_or_default();
        let language = Language::by_path(path).or_else(|| Language::by_first_line(head));
        let whole = self.whole(file, text, language, cancel).await?;
        // Its server formats with prettier, and says nothing where it may not load what configures that.
        if language.is_some_and(|language| language.id == "svelte") {
            self.honours_settings(path, "svelte")?;
        }
        if let Some(language) = language.filter(|language| self.is_styled_by_program(path, language.id)) {
            // In another style than the project's it is not formatted.
            let formatted = self.format_with_program(path, language, text, cancel).await?;
            let edits = apart(text, formatted.text, lines, cancel).await?;
            let made = Made { edits, by: formatted.by, from_server: None };
            return self.checked(file, text, Some(language), whole, made, cancel).await;
        }
        let unsupported = match self.format_by_server(path, text, lines, patience, cancel).await {
            Ok(made) => return self.checked(file, text, language, whole, made, cancel).await,
            // Formatting is not every server's trade; a server that is not there is what an exact caller wants to know.
            Err(Refused::Elsewhere(problem))
                if self.is_exacting() && problem.kind != ErrorKind::Unsupported =>
            {
                return Err(problem);
            }
            Err(Refused::Elsewhere(problem)) => problem,
            Err(Refused::Problem(problem)) => return Err(problem),
        };
        let Some(language) = language else { return Err(unsupported) };
        let formatted = match self.format_with_program(path, language, text, cancel).await {
            // The server would do it, and nobody else is there.
            Err(problem)
                if problem.detail == Some("no_formatter") && unsupported.detail == Some("not_trusted") =>
            {
                return Err(unsupported);
            }
            formatted => formatted?,
        };
        let edits = apart(text, formatted.text, lines, cancel).await?;
        let made = Made { edits, by: formatted.by, from_server: None };
        self.checked(file, text, Some(language), whole, made, cancel).await
    }

    /// Whether the grammar reads the text to its end; `false` where there is no grammar. A broken text is left alone:
    /// formatters guess where things end, and guess wrong.
    async fn whole(
        &self,
        file: &RootedPath,
        text: &Arc<str>,
        language: Option<&'static Language>,
        cancel: &Cancel,
    ) -> Result<bool, Problem> {
        let Some(seen) = parsed(text.clone(), language, cancel).await? else { return Ok(false) };
        let Some(error) = seen.errors.first() else { return Ok(true) };
        let nowhere = text.len()..text.len();
        let mut problem = syntax_problem(text, error, &nowhere, false);
        problem.message = format!("`{}` has {}; it is not formatted", file.shown(), problem.message);
        Err(problem.fact("file_path", file.shown()))
    }

    /// A text that was whole must be whole afterwards.
    async fn checked(
        &self,
        file: &RootedPath,
        text: &Arc<str>,
        language: Option<&'static Language>,
        whole: bool,
        made: Made,
        cancel: &Cancel,
    ) -> Result<Made, Problem> {
        if !whole || made.edits.is_empty() {
            return Ok(made);
        }
        let edits = normalise(text, made.edits.clone()).map_err(|unfit| {
            let message = format!("what {} wants for `{}` does not fit: {unfit}", made.by, file.shown());
            Problem::new(ErrorKind::InternalError, message).detail("overlapping_edits")
        })?;
        let after: Arc<str> = apply(text, &edits).into();
        let Some(seen) = parsed(after.clone(), language, cancel).await? else { return Ok(made) };
        let Some(error) = seen.errors.first() else { return Ok(made) };
        let nowhere = after.len()..after.len();
        let mut problem = syntax_problem(&after, error, &nowhere, true);
        problem.message = format!("{} would break `{}`: {}", made.by, file.shown(), problem.message);
        Err(problem.detail("formatter_broke_it"))
    }

    async fn format_by_server(
        &self,
        path: &Path,
        text: &Arc<str>,
        lines: Option<(u32, u32)>,
        patience: &Patience,
        cancel: &Cancel,
    ) -> Result<Made, Refused> {
        let step = unit(text);
        let insert_spaces = !step.starts_with('\t');
        let tab_size = if insert_spaces { u32::try_from(step.len()).unwrap_or(4) } else { 4 };
        let options = FormatOptions { tab_size, insert_spaces };
        let lease = self.lease(path).await?;
        let heard = lease.format(path, lines, options, patience).await?;
        if !heard.seen.ready {
            require_whole(&lease, &heard.seen).map_err(Refused::Problem)?;
        }
        let freshness = frame(&lease, &heard.seen, Vec::new()).freshness;
        let proposed = heard.value.map_err(|error| Refused::Problem(error.problem(self.roots())))?;
        let elsewhere = proposed.plan.changes.iter().find(|change| change.path != path);
        if let Some(change) = elsewhere {
            let message = format!(
                "`{}` would change `{}` to format another file; nothing was planned",
                lease.server_id(),
                self.roots().show(&change.path)
            );
            return Err(Refused::Problem(
                Problem::new(ErrorKind::InternalError, message).detail("server_error"),
            ));
        }
        let after = proposed.plan.changes.first().and_then(|change| change.after.as_ref());
        let after = after.and_then(|after| std::str::from_utf8(&after.content).ok());
        // Which lines a range reaches is for the server to say.
        let edits = match after.map(str::to_owned) {
            Some(after) => apart(text, after, None, cancel).await.map_err(Refused::Problem)?,
            None => Vec::new(),
        };
        let from_server = Some((lease.server_id().to_owned(), freshness));
        Ok(Made { edits, by: lease.server_id().to_owned(), from_server })
    }
}

/// Why a server did not format.
#[derive(Debug)]
enum Refused {
    /// It never does, or there is none: somebody else may.
    Elsewhere(Problem),
    Problem(Problem),
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        let elsewhere = matches!(
            failure,
            Failure::Unsupported { .. }
                | Failure::NoServer { .. }
                | Failure::NotInstalled { .. }
                | Failure::NotTrusted { .. }
                | Failure::Prerequisite { .. }
        );
        let problem = problem(failure);
        if elsewhere { Self::Elsewhere(problem) } else { Self::Problem(problem) }
    }
}

async fn parsed(
    text: Arc<str>,
    language: Option<&'static Language>,
    cancel: &Cancel,
) -> Result<Option<Dissected>, Problem> {
    let Some(language) = language else { return Ok(None) };
    let flag = cancel.clone();
    blocking(cancel, move || match dissect(&text, language, None, &LIMITS, &flag) {
        Ok(seen) => Ok(Some(seen)),
        Err(ParseError::Stopped(stopped)) => Err(stopped.into()),
        // Too large, too slow or without a grammar: the formatter decides.
        Err(_) => Ok(None),
    })
    .await
}

async fn apart(
    text: &Arc<str>,
    new: String,
    lines: Option<(u32, u32)>,
    cancel: &Cancel,
) -> Result<Vec<TextEdit>, Problem> {
    let text = text.clone();
    blocking(cancel, move || Ok(differences(&text, &new, lines))).await
}

/// The edits that make one text of another, in lines of a range where one is given.
fn differences(text: &str, new: &str, lines: Option<(u32, u32)>) -> Vec<TextEdit> {
    let mut new = LineEnds::of(text).fit(new);
    if text.starts_with('\u{feff}') && !new.starts_with('\u{feff}') {
        new.insert(0, '\u{feff}');
    }
    let wanted = |hunk: &Hunk| {
        lines.is_none_or(|(first, last)| {
            let (first, last) = ((first as usize).saturating_sub(1), last as usize);
            // An insertion belongs to the line that it stands before.
            hunk.old.start < last && first < hunk.old.end.max(hunk.old.start + 1)
        })
    };
    Diff::new(text, &new).edits(wanted)
}

fn check(query: &FormatQuery) -> Result<(), Problem> {
    if query.files.is_empty() {
        return Err(Problem::invalid(
            "file_paths",
            "no_files",
            "`file_paths` is empty: name the files to format",
        ));
    }
    if query.files.len() > MOST_FILES {
        let message =
            format!("{} files are more than the {MOST_FILES} that one call formats", query.files.len());
        return Err(Problem::invalid("file_paths", "too_many_files", message));
    }
    if query.lines.is_some() && query.files.len() > 1 {
        let message = "`start_line` and `end_line` are for one file";
        return Err(Problem::invalid("start_line", "lines_of_several_files", message));
    }
    let mut seen: Vec<PathBuf> = query.files.iter().map(|file| file.absolute().to_path_buf()).collect();
    seen.sort();
    seen.dedup();
    if seen.len() < query.files.len() {
        return Err(Problem::invalid("file_paths", "repeated_file", "`file_paths` names a file twice"));
    }
    if let Some(file) = query.files.iter().find(|file| file.is_named()) {
        let message = format!("`{}` is outside the allowed roots: it may be read, not changed", file.shown());
        return Err(Problem::new(ErrorKind::PathNotAllowed, message)
            .detail("outside_roots")
            .field("file_paths"));
    }
    Ok(())
}

fn within(text: &str, first: u32, last: u32) -> Result<(), Problem> {
    let count = text.lines().count().max(1);
    if first > last {
        let message = format!("`start_line` {first} is behind `end_line` {last}");
        return Err(Problem::invalid("start_line", "lines_reversed", message));
    }
    if last as usize > count {
        let message = format!("the file has {count} lines; there is no line {last}");
        return Err(Problem::invalid("end_line", "no_such_line", message));
    }
    Ok(())
}

/// Which files, and who did it.
fn title(done: &[(String, String)]) -> String {
    let mut by: Vec<&str> = done.iter().map(|(_, by)| by.as_str()).collect();
    by.sort_unstable();
    by.dedup();
    match done {
        [(file, by)] => format!("format {file} with {by}"),
        _ => format!("format {} files with {}", done.len(), by.join(", ")),
    }
}

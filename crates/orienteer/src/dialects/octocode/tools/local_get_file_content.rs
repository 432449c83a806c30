//! `localGetFileContent`: a local file, or a part of it.

use orienteer_base::listing::FileText;
use orienteer_base::question::{Part, ReadQuery};
use orienteer_base::{Answer, Conceal, ErrorKind, Problem, RootedPath};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::asked::Asked;
use super::super::bulk::{Found, Query};
use super::super::content::{self, Chosen, PartArgs, Window};
use super::super::excerpts;
use super::super::goals::LocalGoals;
use crate::tool::Ctx;
use crate::tools::keys;

/// Characters of a page that nobody measured.
const USUAL: usize = 10_000;
/// Characters of an answer that are not the content: its path, its size, hints.
const ASIDE: usize = 10_000;
/// What is larger is read page by page instead of as a whole.
const LARGEST_WHOLE: u64 = 4 << 20;
/// Characters before and after such a page that are looked at for secrets that reach into it.
const BORDER: usize = 4_096;
/// Characters of a part that pages are cut from.
const LARGEST_PART: usize = 8 << 20;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct LocalGetFileContent {
    #[serde(flatten)]
    _goals: LocalGoals,
    /// File path (absolute or relative)
    path: String,
    #[serde(flatten)]
    part: PartArgs,
    /// Treat matchString as regex
    #[serde(default)]
    match_string_is_regex: bool,
    /// Case-sensitive matching
    #[serde(default)]
    match_string_case_sensitive: bool,
    /// Character offset for pagination
    #[schemars(extend("default" = 0))]
    char_offset: Option<usize>,
    /// Characters to return
    #[schemars(range(min = 1, max = 10_000))]
    char_length: Option<usize>,
}

impl LocalGetFileContent {
    /// Characters of a page that nobody measured. An entire file is one page where it fits into the answer; of a longer
    /// one as much as fits even if every second character has to be escaped.
    fn usual(&self, text: Option<&str>, share: usize) -> usize {
        if !self.part.full_content {
            return USUAL;
        }
        let written =
            |text: &str| serde_json::to_string(text).map_or(usize::MAX, |text| text.chars().count());
        match text {
            Some(text) if written(text).saturating_add(ASIDE) <= share => usize::MAX,
            _ => (share / 2).saturating_sub(ASIDE).max(USUAL),
        }
    }
}

impl Query for LocalGetFileContent {
    const TOOL: &'static str = "localGetFileContent";
    const TITLE: &'static str = "Read a local file";
    const DESCRIPTION: &'static str = "Read local file content with support for line ranges, string matching, and pagination. One of fullContent, startLine+endLine, matchString; charOffset+charLength page through it.";

    fn check(&self) -> Result<(), Problem> {
        self.part.chosen().map(drop)
    }

    async fn answer(self, asked: Asked, ctx: Ctx) -> Result<Found, Problem> {
        let file = ctx.session.resolve_uri(&self.path).and_then(RootedPath::require_file);
        let file = file.map_err(|error| Problem::from(error).field("path"))?;
        let size = file.absolute().metadata().map_or(0, |data| data.len());
        let read = |part: Part| {
            let query =
                ReadQuery { file: file.clone(), part, max_chars: LARGEST_PART, conceal: Conceal::default() };
            ctx.session.read_file(query, &ctx.cancel)
        };
        match self.part.chosen()? {
            Chosen::Matching(text) => {
                let (regex, case_sensitive) = (self.match_string_is_regex, self.match_string_case_sensitive);
                let part = self.part.matching(text, regex, case_sensitive);
                self.matching(read(part).await?, &asked, &ctx).await
            }
            Chosen::Whole { .. } if size > LARGEST_WHOLE => {
                let (offset, length) = (
                    self.char_offset.unwrap_or(0),
                    self.char_length.unwrap_or(self.usual(None, asked.share)),
                );
                // With what is before and after it: a secret may reach over the border.
                let lead = offset.min(BORDER);
                let part = Part::Chars { offset: offset - lead, length: length + lead + BORDER };
                let mut answer = read(part).await?;
                let around = std::mem::take(&mut answer.value.content);
                let mut text = content::hidden_part(&ctx, &around, lead, length);
                let told = &answer.value;
                let before = around.chars().take(lead).filter(|letter| *letter == '\n').count();
                let first = told.start_line + before;
                let hidden = keys::hide_in_text(&ctx, &told.file_path, &mut text, first).await?;
                answer.warnings.extend(hidden);
                // Characters are counted in the whole file, of which only this page was read.
                let window = Window::new(answer.value.total_chars, Some(offset), Some(length), USUAL)?;
                let found = shape(&answer, text);
                Ok(finish(found, window, &answer, &asked))
            }
            Chosen::Whole { .. } => self.cut(read(Part::Whole).await?, &asked, &ctx).await,
            Chosen::Lines { start, end } => {
                self.cut(read(Part::Lines { start, end }).await?, &asked, &ctx).await
            }
        }
    }
}

impl LocalGetFileContent {
    /// A page of a text that is here as a whole.
    async fn cut(&self, mut answer: Answer<FileText>, asked: &Asked, ctx: &Ctx) -> Result<Found, Problem> {
        if !answer.completeness.is_complete() {
            let told = &answer.value;
            let message = format!(
                "lines {} to {} alone are as much as is read at once; ask for fewer lines",
                told.start_line, told.end_line
            );
            return Err(Problem::new(ErrorKind::TooLarge, message).field("endLine"));
        }
        let mut text = std::mem::take(&mut answer.value.content);
        let told = &answer.value;
        let hidden = keys::hide_in_text(ctx, &told.file_path, &mut text, told.start_line).await?;
        let text = content::hidden(ctx, text);
        let usual = self.usual(Some(&text), asked.share);
        let window = Window::new(text.chars().count(), self.char_offset, self.char_length, usual)?;
        answer.warnings.extend(hidden);
        let found = shape(&answer, window.of(&text));
        Ok(finish(found, window, &answer, asked))
    }

    /// Places that match: as one text, of which this is a page, and one by one those that are on it.
    async fn matching(
        &self,
        mut answer: Answer<FileText>,
        asked: &Asked,
        ctx: &Ctx,
    ) -> Result<Found, Problem> {
        let mut places = answer.value.matches.take().unwrap_or_default();
        let hidden = keys::hide_in_excerpts(ctx, &answer.value.file_path, &mut places).await?;
        let (text, lines) = excerpts::together(&places);
        // Hiding changes lengths and never the number of lines, so where a match begins is found out afterwards.
        let text = content::hidden(ctx, text);
        let begins = excerpts::begins(&text, &lines);
        let window = Window::new(text.chars().count(), self.char_offset, self.char_length, USUAL)?;
        answer.warnings.extend(hidden);
        let mut found = shape(&answer, window.of(&text));
        let here = places.iter().zip(begins).filter(|(_, begin)| window.holds(*begin));
        let rows = here
            .map(|(place, _)| excerpts::row(place.line as u64, &place.content, &place.before, &place.after));
        found.data.insert("matches".to_owned(), rows.collect());
        let total = answer.value.total_matches;
        if places.is_empty() {
            let why = format!("No line of {} matches; its first characters", answer.value.total_lines);
            let changes = json!({ "matchString": null, "matchStringIsRegex": null, "charOffset": 0, "charLength": 5_000 });
            found.hints.push(asked.again(&why, changes));
        } else if places.len() < total {
            found
                .hints
                .push(format!("{} of {total} matches are here; a rarer matchString has fewer", places.len()));
        }
        Ok(finish(found, window, &answer, asked))
    }
}

fn shape(answer: &Answer<FileText>, content: String) -> Found {
    let told = &answer.value;
    Found::new(json!({ "path": told.file_path, "content": content, "size": told.size }), Vec::new())
}

fn finish(mut found: Found, window: Window, answer: &Answer<FileText>, asked: &Asked) -> Found {
    let Found { data, hints } = &mut found;
    window.tell(data, asked, hints);
    hints.extend(answer.warnings.iter().map(|warning| warning.message.clone()));
    if answer.value.lossy {
        hints.push("Bytes that are no text were replaced".to_owned());
    }
    let total = answer.value.total_lines as u64;
    if let Some(end) = asked.row.get("endLine").and_then(Value::as_u64).filter(|end| *end < total) {
        let changes = json!({ "startLine": end + 1, "endLine": (end + 100).min(total), "charOffset": null });
        hints.push(asked.again(&format!("The lines after {end} of {total}"), changes));
    }
    if hints.is_empty() {
        // Everything that was asked for is here: its neighbours are next.
        let path = &answer.value.file_path;
        let folder =
            path.rsplit_once('/').map_or(".", |(folder, _)| if folder.is_empty() { "/" } else { folder });
        hints.push(asked.other("See what is beside it", "localViewStructure", json!({ "path": folder })));
    }
    found
}

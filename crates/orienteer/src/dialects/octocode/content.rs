//! Which part of a file a query means, and a page of it in characters.

use orienteer_base::Problem;
use orienteer_base::question::Part;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::asked::Asked;
use super::usual::number;
use crate::tool::Ctx;

/// What both tools that read a file are told about which part of it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PartArgs {
    /// Return entire file
    #[serde(default)]
    pub(super) full_content: bool,
    /// Start line (1-indexed)
    #[schemars(range(min = 1))]
    start_line: Option<usize>,
    /// End line (1-indexed, inclusive)
    #[schemars(range(min = 1))]
    end_line: Option<usize>,
    /// Pattern to match
    match_string: Option<String>,
    /// Context lines
    #[serde(default = "number::<5>")]
    #[schemars(range(min = 1, max = 50))]
    match_string_context_lines: usize,
}

impl PartArgs {
    pub(super) fn chosen(&self) -> Result<Chosen<'_>, Problem> {
        chosen(self.full_content, self.start_line, self.end_line, self.match_string.as_deref())
    }

    /// Lines that match `text`, with those around them.
    pub(super) fn matching(&self, text: &str, regex: bool, case_sensitive: bool) -> Part {
        Part::Matching {
            pattern: text.to_owned(),
            regex,
            case_sensitive,
            context_lines: self.match_string_context_lines,
            skip: 0,
        }
    }
}

/// The three ways to choose exclude each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chosen<'a> {
    /// `all`: on one page.
    Whole {
        all: bool,
    },
    Lines {
        start: usize,
        end: usize,
    },
    Matching(&'a str),
}

/// Applies the rules between the parameters.
fn chosen<'a>(
    full: bool,
    start: Option<usize>,
    end: Option<usize>,
    matching: Option<&'a str>,
) -> Result<Chosen<'a>, Problem> {
    let lines = start.is_some() || end.is_some();
    if usize::from(full) + usize::from(lines) + usize::from(matching.is_some()) > 1 {
        return Err(Problem::invalid(
            "fullContent",
            "conflicting_parts",
            "`fullContent`, `startLine` with `endLine`, and `matchString` exclude each other; give one of them",
        ));
    }
    match (start, end, matching) {
        (Some(start), Some(end), _) if start > end => {
            let message = format!("`startLine` {start} is behind `endLine` {end}");
            Err(Problem::invalid("startLine", "illegal_value", message))
        }
        (Some(start), Some(end), _) => Ok(Chosen::Lines { start, end }),
        (Some(_), None, _) => {
            Err(Problem::invalid("endLine", "missing_field", "`startLine` needs `endLine` beside it"))
        }
        (None, Some(_), _) => {
            Err(Problem::invalid("startLine", "missing_field", "`endLine` needs `startLine` beside it"))
        }
        (None, None, Some("")) => Err(Problem::invalid(
            "matchString",
            "illegal_value",
            "`matchString` is empty; it would match every line",
        )),
        (None, None, Some(text)) => Ok(Chosen::Matching(text)),
        (None, None, None) => Ok(Chosen::Whole { all: full }),
    }
}

/// The characters of a text that a page has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) offset: usize,
    pub(super) length: usize,
    pub(super) total: usize,
    /// The query asked for a part in characters.
    asked: bool,
}

impl Window {
    /// `usual`: characters of a page when the query does not say.
    pub(super) fn new(
        total: usize,
        offset: Option<usize>,
        length: Option<usize>,
        usual: usize,
    ) -> Result<Self, Problem> {
        let asked = offset.is_some() || length.is_some();
        let offset = offset.unwrap_or(0);
        if offset > total {
            let message = format!("`charOffset` {offset} is behind the end: there are {total} characters");
            return Err(Problem::invalid("charOffset", "after_end", message));
        }
        let length = length.unwrap_or(usual).min(total - offset);
        Ok(Self { offset, length, total, asked })
    }

    fn end(self) -> usize {
        self.offset + self.length
    }

    pub(super) fn of(self, text: &str) -> String {
        text.chars().skip(self.offset).take(self.length).collect()
    }

    /// Whether something at this character is on the page.
    pub(super) fn holds(self, at: usize) -> bool {
        (self.offset..self.end().max(self.offset + 1)).contains(&at)
    }

    /// `pagination`, where there is more than this page or a page was asked for; and the hint that leads on.
    pub(super) fn tell(self, data: &mut Map<String, Value>, asked: &Asked, hints: &mut Vec<String>) {
        let more = self.end() < self.total;
        if !more && !self.asked {
            return;
        }
        let mut pagination = json!({
            "charOffset": self.offset,
            "charLength": self.length,
            "totalChars": self.total,
            "hasMore": more,
        });
        if more {
            pagination["nextCharOffset"] = json!(self.end());
            let why = format!("Characters from {} of {}", self.end(), self.total);
            hints.push(asked.again(&why, json!({ "charOffset": self.end() })));
        }
        data.insert("pagination".to_owned(), pagination);
    }
}

/// A text with its secrets hidden. Done before pages are cut: half a secret would not be recognised as one.
pub(super) fn hidden(ctx: &Ctx, text: String) -> String {
    match ctx.router.hider() {
        Some(hider) => hider.plain(&text),
        None => text,
    }
}

/// Characters `lead` to `lead + length` of a text with its secrets hidden, also those that reach over an end of this part:
/// such a one belongs to the part that comes after.
pub(super) fn hidden_part(ctx: &Ctx, text: &str, lead: usize, length: usize) -> String {
    match ctx.router.hider() {
        Some(hider) => part_of(&|text| hider.plain(text), text, lead, length),
        None => text.chars().skip(lead).take(length).collect(),
    }
}

fn part_of(hide: &dyn Fn(&str) -> String, text: &str, lead: usize, length: usize) -> String {
    let all = hide(text);
    // Up to a secret that is cut in two, what is hidden in the beginning is what is hidden in all of it.
    let upto = |count: usize| {
        let beginning: String = text.chars().take(count).collect();
        let same = all.chars().zip(hide(&beginning).chars()).take_while(|(one, other)| one == other).count();
        all.char_indices().nth(same).map_or(all.len(), |(at, _)| at)
    };
    all.get(upto(lead)..upto(lead.saturating_add(length))).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_on_the_border_of_two_pages_is_on_neither() {
        let hide = |text: &str| text.replace("s3cr3t", "[HIDDEN]");
        let text = "größe s3cr3t 🎉 und s3cr3ts3cr3t mehr";
        let total = text.chars().count();
        for per_page in 1..=total {
            let pages: Vec<String> =
                (0..total).step_by(per_page).map(|at| part_of(&hide, text, at, per_page)).collect();
            assert_eq!(pages.concat(), hide(text), "by {per_page}");
        }
    }

    #[test]
    fn the_three_ways_exclude_each_other() {
        assert_eq!(chosen(true, None, None, None), Ok(Chosen::Whole { all: true }));
        assert_eq!(chosen(false, Some(2), Some(2), None), Ok(Chosen::Lines { start: 2, end: 2 }));
        assert_eq!(chosen(false, None, None, Some("x")), Ok(Chosen::Matching("x")));
        for (full, start, end, matching, detail) in [
            (true, Some(1), Some(2), None, "conflicting_parts"),
            (true, None, None, Some("x"), "conflicting_parts"),
            (false, Some(1), Some(2), Some("x"), "conflicting_parts"),
            (false, Some(1), None, None, "missing_field"),
            (false, None, Some(1), None, "missing_field"),
            (false, Some(3), Some(2), None, "illegal_value"),
            (false, None, None, Some(""), "illegal_value"),
        ] {
            assert_eq!(chosen(full, start, end, matching).unwrap_err().detail, Some(detail));
        }
    }

    #[test]
    fn pages_put_together_are_the_text() {
        let text = "größe 🎉 und mehr".repeat(7);
        let total = text.chars().count();
        let (mut whole, mut offset) = (String::new(), 0);
        loop {
            let window = Window::new(total, Some(offset), Some(9), 50).unwrap();
            whole.push_str(&window.of(&text));
            let mut data = Map::new();
            window.tell(&mut data, &Asked::new("t", Map::new()), &mut Vec::new());
            let Some(next) = data["pagination"]["nextCharOffset"].as_u64() else { break };
            offset = usize::try_from(next).unwrap();
        }
        assert_eq!(whole, text);
        assert_eq!(Window::new(5, Some(6), None, 50).unwrap_err().detail, Some("after_end"));
        assert_eq!(Window::new(5, Some(5), None, 50).unwrap().of("12345"), "");
        let mut data = Map::new();
        Window::new(5, None, None, 50).unwrap().tell(
            &mut data,
            &Asked::new("t", Map::new()),
            &mut Vec::new(),
        );
        assert!(data.is_empty(), "everything is here");
    }
}

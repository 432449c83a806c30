//! Characters that do not show, or turn around what does: written out where they come from files and other people.
//!
//! Control characters, marks that change the direction of writing and characters without width are shown as `\u{202e}`, in
//! text and in structured content alike, so that whoever reads an answer sees what a person would have to know. Those that
//! belong to writing stay: in emoji, and in scripts that join their letters with them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use orienteer_base::answer::Warning;
use orienteer_base::{Fact, Problem};
use serde_json::{Map, Value};

use super::{Body, Reply};

/// So many places are named.
const NAMED: usize = 20;

/// A text as it may be shown.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    if is_plain(text) || !hidden(text).any(|_| true) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut from = 0;
    for (at, character) in hidden(text) {
        out.push_str(&text[from..at]);
        out.extend(character.escape_unicode());
        from = at + character.len_utf8();
    }
    out.push_str(&text[from..]);
    out.into()
}

/// Nearly every text: printable ASCII, tabs and line ends. Looked at in pieces, because that is as fast as memory.
fn is_plain(text: &str) -> bool {
    let plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n');
    text.as_bytes().chunks(64).all(|piece| piece.iter().fold(true, |all, byte| all & plain(byte)))
}

/// The characters that are written out, and where they stand.
fn hidden(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut flag_until = 0;
    let mut before = None;
    text.char_indices().filter(move |(at, character)| {
        let last = before.replace(*character);
        let rest = &text[at + character.len_utf8()..];
        if *character == '\u{1f3f4}' {
            flag_until = at + 4 + flag(rest);
        }
        is_invisible(*character) && *at >= flag_until && !belongs(last, *character, rest)
    })
}

/// Whether a character is one of those that may have to be written out.
fn is_invisible(character: char) -> bool {
    match character {
        '\t' | '\n' | ' '..='~' => false,
        _ if character.is_control() => true,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' => true,
        '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' => true,
        '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

/// Whether it is part of how something visible is written.
fn belongs(before: Option<char>, character: char, rest: &str) -> bool {
    let after = rest.chars().next();
    let both = |fits: fn(char) -> bool| before.is_some_and(fits) && after.is_some_and(fits);
    match character {
        // The line ends of Windows, also where only the line is shown.
        '\r' => after.is_none() || after == Some('\n'),
        '\u{fe0e}' | '\u{fe0f}' => {
            let keycap = after == Some('\u{20e3}') && before.is_some_and(|c| "0123456789#*".contains(c));
            keycap || before.is_some_and(is_emoji)
        }
        '\u{200d}' => before.is_some_and(joins) || both(is_emoji_part),
        '\u{200c}' => before.is_some_and(joins),
        // Between words of scripts that are written without blanks.
        '\u{200b}' => {
            both(|c| matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'))
        }
        '\u{180b}'..='\u{180f}' => before.is_some_and(|c| matches!(c, '\u{1820}'..='\u{18aa}')),
        _ => false,
    }
}

/// The bytes of the tags behind a black flag that make it the flag of a country; none where they say anything else.
fn flag(rest: &str) -> usize {
    let country = |c: &char| matches!(c, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}');
    let letters = rest.chars().take_while(country).count();
    let closed = rest.chars().nth(letters) == Some('\u{e007f}');
    if closed && (3..=6).contains(&letters) { 4 * (letters + 1) } else { 0 }
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{21ff}'
        | '\u{2300}'..='\u{23ff}' | '\u{24c2}' | '\u{25a0}'..='\u{27bf}' | '\u{2934}' | '\u{2935}' | '\u{2b00}'..='\u{2bff}'
        | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

fn is_emoji_part(c: char) -> bool {
    is_emoji(c) || c == '\u{fe0f}'
}

/// Letters and marks of scripts in which neighbours are joined or kept apart by invisible characters.
fn joins(c: char) -> bool {
    matches!(c, '\u{620}'..='\u{6ff}' | '\u{710}'..='\u{74f}' | '\u{750}'..='\u{77f}' | '\u{7ca}'..='\u{7ff}'
        | '\u{840}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{f00}'..='\u{109f}' | '\u{1780}'..='\u{17b3}' | '\u{17b6}'..='\u{17ff}'
        | '\u{1820}'..='\u{18aa}' | '\u{1900}'..='\u{1cff}' | '\u{a800}'..='\u{abff}' | '\u{fb50}'..='\u{fdff}'
        | '\u{fe70}'..='\u{fefc}' | '\u{10a00}'..='\u{11fff}' | '\u{1e900}'..='\u{1e95f}')
}

/// The same for every text inside a value.
pub(crate) fn show_in(value: &mut Value) {
    match value {
        Value::String(text) => show_text(text),
        Value::Array(items) => items.iter_mut().for_each(show_in),
        Value::Object(fields) => fields.values_mut().for_each(show_in),
        _ => {}
    }
}

pub(crate) fn show_text(text: &mut String) {
    if let Cow::Owned(visible) = shown(text) {
        *text = visible;
    }
}

/// The same for a failure: it may quote names of files and what a server wrote.
pub(crate) fn show_in_problem(problem: &mut Problem) {
    show_text(&mut problem.message);
    problem.candidates.iter_mut().for_each(show_text);
    for (_, fact) in &mut problem.facts {
        match fact {
            Fact::Text(text) => show_text(text),
            Fact::List(texts) => texts.iter_mut().for_each(show_text),
            Fact::Number(_) => {}
        }
    }
}

/// Writes them out in a reply and says where.
pub(super) fn show(reply: &mut Reply) {
    let mut found = Found::default();
    let file = ["file_path", "path"].iter().find_map(|name| reply.fields.get(*name)?.as_str());
    let here = Here { file: file.map(str::to_owned), ..Here::default() };
    match &mut reply.body {
        Body::None => {}
        Body::Text { text, first_line, raw, .. } => {
            let here = Here { line: Some(*first_line as u64), ..here.clone() };
            found.note(&here, text, 0);
            if !*raw {
                show_text(text);
            }
        }
        Body::Rows { rows, .. } | Body::Shares { rows, .. } | Body::Texts { rows, .. } => {
            for row in rows {
                let here = here.of(&row.value);
                found.object(&mut row.value, &here);
                found.numbered(&here, &row.line);
                show_text(&mut row.line);
                for (value, line) in row.parts.iter_mut().flat_map(|parts| &mut parts.items) {
                    found.value(value, &here);
                    show_text(line);
                }
            }
        }
    }
    found.object(&mut reply.fields, &here);
    for list in &mut reply.lists {
        for (value, line) in &mut list.items {
            found.value(value, &here);
            show_text(line);
        }
    }
    for line in reply.head.iter_mut().chain(&mut reply.tail) {
        found.anywhere |= !is_plain(line) && hidden(line).next().is_some();
        show_text(line);
    }
    for warning in &mut reply.warnings {
        show_text(&mut warning.message);
    }
    let raw = matches!(reply.body, Body::Text { raw: true, .. });
    reply.warnings.extend(found.warning(raw));
}

/// What is known of the place of a value: its file, and the line it begins on.
#[derive(Debug, Clone, Default)]
struct Here {
    file: Option<String>,
    line: Option<u64>,
}

impl Here {
    fn of(&self, object: &Map<String, Value>) -> Self {
        let own = |name: &&str| object.get(*name)?.as_str();
        let file = ["file_path", "path"].iter().find_map(own);
        let file = file.or_else(|| object.get("definition")?.get("file_path")?.as_str());
        let line = ["line", "start_line"].iter().find_map(|name| object.get(*name)?.as_u64());
        Self { file: file.map(str::to_owned).or_else(|| self.file.clone()), line: line.or(self.line) }
    }
}

/// Where something was written out.
#[derive(Debug, Default)]
struct Found {
    lines: BTreeMap<String, BTreeSet<u64>>,
    /// Something was, and nobody knows on which line.
    anywhere: bool,
}

impl Found {
    /// `above`: lines before the one that is known at which the text begins.
    fn note(&mut self, here: &Here, text: &str, above: u64) {
        if is_plain(text) {
            return;
        }
        for (at, _) in hidden(text) {
            match here.line {
                Some(line) => {
                    let file = here.file.clone().unwrap_or_default();
                    let line = (line + text[..at].matches('\n').count() as u64).saturating_sub(above);
                    self.lines.entry(file).or_default().insert(line);
                }
                None => self.anywhere = true,
            }
        }
    }

    fn value(&mut self, value: &mut Value, here: &Here) {
        match value {
            Value::String(text) => {
                self.note(here, text, 0);
                show_text(text);
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item, here)),
            // Most have nothing to write out, and then it does not matter where they are.
            Value::Object(object) if !object.values().all(is_plain_value) => {
                let here = here.of(object);
                self.object(object, &here);
            }
            _ => {}
        }
    }

    fn object(&mut self, object: &mut Map<String, Value>, here: &Here) {
        if object.values().all(is_plain_value) {
            return;
        }
        let end = object.get("end_line").and_then(Value::as_u64).or(here.line);
        let preview = object.get("preview").and_then(Value::as_str).map(str::to_owned);
        for (name, value) in object {
            match (name.as_str(), value) {
                // The lines around a match: the one before it is the last of these, the one behind it the first of those.
                ("before", Value::Array(items)) => {
                    let count = items.len() as u64;
                    for (at, item) in items.iter_mut().enumerate() {
                        if let Value::String(text) = item {
                            self.note(here, text, count - at as u64);
                            show_text(text);
                        }
                    }
                }
                ("after", Value::Array(items)) => {
                    for (at, item) in items.iter_mut().enumerate() {
                        let line = end.map(|end| end + 1 + at as u64);
                        self.value(item, &Here { file: here.file.clone(), line });
                    }
                }
                // Lines around the one that is known, or with their numbers before them.
                ("snippet", Value::String(text)) => {
                    let own =
                        |line: &str| preview.as_deref().is_some_and(|preview| line.trim() == preview.trim());
                    match text.lines().position(own) {
                        Some(above) => self.note(here, text, above as u64),
                        None => self.numbered(here, text),
                    }
                    show_text(text);
                }
                // The text has the number of each of its lines.
                ("body", Value::String(text)) => show_text(text),
                ("diff" | "patch", Value::String(text)) => {
                    self.diff(here, text);
                    show_text(text);
                }
                // A name has no line.
                ("file_path" | "path" | "new_path", Value::String(text)) => {
                    self.anywhere |= !is_plain(text) && hidden(text).next().is_some();
                    show_text(text);
                }
                (_, value) => self.value(value, here),
            }
        }
    }

    /// Lines that begin with their number.
    fn numbered(&mut self, here: &Here, text: &str) {
        if is_plain(text) {
            return;
        }
        for line in text.lines().map(str::trim_start) {
            let digits = line.bytes().take_while(u8::is_ascii_digit).count();
            let (number, rest) = line.split_at(digits);
            if let (Ok(number), true) = (number.parse(), rest.starts_with(": ") || rest.starts_with("| ")) {
                self.note(&Here { line: Some(number), ..here.clone() }, rest, 0);
            }
        }
    }

    /// Lines of a diff are those of the new text; what goes is told where it was.
    fn diff(&mut self, here: &Here, text: &str) {
        if is_plain(text) {
            return;
        }
        let mut line = 0;
        for written in text.split('\n') {
            if let Some(numbers) = written.strip_prefix("@@ ") {
                let new =
                    numbers.split('+').nth(1).and_then(|new| new.split([',', ' ']).next()?.parse().ok());
                line = new.unwrap_or(0);
                continue;
            }
            self.note(&Here { line: Some(line), ..here.clone() }, written, 0);
            line += u64::from(written.starts_with([' ', '+']));
        }
    }

    fn warning(self, raw: bool) -> Option<Warning> {
        if self.lines.is_empty() && !self.anywhere {
            return None;
        }
        let places = self.lines.iter().map(|(file, lines)| {
            let numbers = lines.iter().take(NAMED).map(u64::to_string).collect::<Vec<_>>().join(", ");
            let more = if lines.len() > NAMED { " and more" } else { "" };
            let word = if lines.len() == 1 { "line" } else { "lines" };
            format!("{}{}{word} {numbers}{more}", shown(file), if file.is_empty() { "" } else { " " })
        });
        let mut places: Vec<String> = places.take(NAMED).collect();
        if self.lines.len() > NAMED {
            places.push("more files".to_owned());
        }
        let at = if places.is_empty() { String::new() } else { format!(" ({})", places.join("; ")) };
        let how = if raw {
            "only in the text, `content` has them as they are"
        } else {
            "read_file with raw shows them"
        };
        let message =
            format!("characters that do not show, or turn text around, are written as \\u{{…}}{at}; {how}");
        Some(Warning::new("invisible_characters", message))
    }
}

fn is_plain_value(value: &Value) -> bool {
    match value {
        Value::String(text) => is_plain(text),
        Value::Array(items) => items.iter().all(is_plain_value),
        Value::Object(object) => object.values().all(is_plain_value),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_does_not_show_is_written_out() {
        assert!(matches!(shown("plain\ttext\r\n"), Cow::Borrowed(_)));
        assert_eq!(shown("a\u{202e}b\u{200b}c\u{e0041}"), "a\\u{202e}b\\u{200b}c\\u{e0041}");
        assert_eq!(shown("a\rb\u{1b}[0m\u{85}\u{7f}"), "a\\u{d}b\\u{1b}[0m\\u{85}\\u{7f}");
        assert_eq!(
            shown("x\u{feff}\u{ad}\u{2066}\u{200e}\u{61c}\u{2028}"),
            "x\\u{feff}\\u{ad}\\u{2066}\\u{200e}\\u{61c}\\u{2028}"
        );
        assert_eq!(shown("a\u{fe0f}b\u{200d}c\u{200c}"), "a\\u{fe0f}b\\u{200d}c\\u{200c}");
    }

    #[test]
    fn what_belongs_to_writing_stays() {
        for text in [
            "\u{2764}\u{fe0f} 1\u{fe0f}\u{20e3}",
            "\u{1f469}\u{1f3fd}\u{200d}\u{1f4bb} \u{2764}\u{fe0f}\u{200d}\u{1f525}",
            "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}",
            "\u{915}\u{94d}\u{200d}\u{937}",
            "größer, naïve, 漢字, \u{5d0}\u{5d1}",
        ] {
            assert!(matches!(shown(text), Cow::Borrowed(_)), "{}", text.escape_unicode());
        }
        let tags = "\u{1f3f4}\u{e0069}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065}\u{e0020}x";
        assert!(shown(tags).contains("\\u{e0069}"), "a flag is no cover for words");
        assert!(shown("\u{645}\u{200c}\u{200c}").ends_with("\\u{200c}"), "one joiner is enough");
    }

    #[test]
    fn the_lines_are_named() {
        let mut reply = Reply::default();
        let value = json!({
            "file_path": "a.rs", "line": 7, "content": "x\ny\u{202e}", "before": ["\u{200b}", ""], "after": ["", "\u{feff}z"],
        });
        reply.body =
            Body::Rows { field: "rows", rows: vec![super::super::Row::new(value, "a.rs:7  \u{202e}")] };
        reply.field("diff", "@@ -1,2 +20,3 @@\n a\n-\u{200b}b\n+c\u{2066}\n");
        show(&mut reply);
        assert!(!format!("{:?}", reply.fields).contains('\u{2066}'));
        let message = &reply.warnings[0].message;
        assert!(message.contains("a.rs lines 5, 8, 9"), "{message}");
        assert!(message.contains("(line 21; "), "{message}");
    }

    #[test]
    fn answers_without_them_have_no_warning() {
        let mut reply = Reply::default();
        reply.field("content", "é 漢字\n").head.push("plain".to_owned());
        show(&mut reply);
        assert!(reply.warnings.is_empty());
    }
}

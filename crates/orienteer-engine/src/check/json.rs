//! What do the JSON documents of the checkers say?
//!
//! Only reading, and only what is needed to read a checker's output and a `tsconfig.json`, which may have comments
//! and commas before closing brackets. Whatever is broken is `None`, never a panic, and nesting is bounded.

/// Deeper documents are not from a checker.
const DEEPEST: usize = 128;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The one value of a document.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut reader = Reader { bytes: text.as_bytes(), text, at: 0, depth: 0 };
        let value = reader.value()?;
        reader.space();
        (reader.at == text.len()).then_some(value)
    }

    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => {
                members.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A count that is not negative.
    pub(super) fn count(&self, name: &str) -> Option<u32> {
        match self.get(name)? {
            Self::Number(number) if (0.0..=f64::from(u32::MAX)).contains(number) => Some(*number as u32),
            _ => None,
        }
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        self.get(name) == Some(&Self::Bool(true))
    }

    pub(super) fn list(&self, name: &str) -> &[Self] {
        match self.get(name) {
            Some(Self::List(items)) => items,
            _ => &[],
        }
    }
}

struct Reader<'t> {
    bytes: &'t [u8],
    text: &'t str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, expected: &str) -> Option<()> {
        self.bytes[self.at..].starts_with(expected.as_bytes()).then(|| self.at += expected.len())
    }

    /// Skips white space and comments.
    fn space(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let skipped = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{feff}']).len()
            };
            if skipped == 0 {
                return;
            }
            self.at += skipped;
        }
    }

    fn value(&mut self) -> Option<Json> {
        self.space();
        match self.peek()? {
            b'{' => self.nested(Self::object),
            b'[' => self.nested(Self::list),
            b'"' => self.string().map(Json::Text),
            b't' => self.take("true").map(|()| Json::Bool(true)),
            b'f' => self.take("false").map(|()| Json::Bool(false)),
            b'n' => self.take("null").map(|()| Json::Null),
            _ => self.number(),
        }
    }

    fn nested(&mut self, read: impl Fn(&mut Self) -> Option<Json>) -> Option<Json> {
        self.at += 1;
        self.depth += 1;
        let value = if self.depth > DEEPEST { None } else { read(self) };
        self.depth -= 1;
        value
    }

    /// Whether another item follows; `None` where neither an item nor the end does.
    fn another(&mut self, first: bool, end: u8) -> Option<bool> {
        self.space();
        if self.peek()? != end && !first {
            self.take(",")?;
            self.space();
        }
        if self.peek()? == end {
            self.at += 1;
            return Some(false);
        }
        Some(true)
    }

    fn object(&mut self) -> Option<Json> {
        let mut members = Vec::new();
        while self.another(members.is_empty(), b'}')? {
            let key = self.string()?;
            self.space();
            self.take(":")?;
            members.push((key, self.value()?));
        }
        Some(Json::Object(members))
    }

    fn list(&mut self) -> Option<Json> {
        let mut items = Vec::new();
        while self.another(items.is_empty(), b']')? {
            items.push(self.value()?);
        }
        Some(Json::List(items))
    }

    fn number(&mut self) -> Option<Json> {
        let rest = &self.text[self.at..];
        let length =
            rest.find(|c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E')).unwrap_or(rest.len());
        let number = rest[..length].parse().ok()?;
        self.at += length;
        Some(Json::Number(number))
    }

    fn string(&mut self) -> Option<String> {
        self.take("\"")?;
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.find(['"', '\\'])?;
            out.push_str(&rest[..plain]);
            self.at += plain + 1;
            if self.bytes[self.at - 1] == b'"' {
                return Some(out);
            }
            out.push(self.escape()?);
        }
    }

    /// The character after a backslash.
    fn escape(&mut self) -> Option<char> {
        let escaped = self.peek()?;
        self.at += 1;
        Some(match escaped {
            b'"' | b'\\' | b'/' => escaped as char,
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let first = self.unit()?;
                let before = self.at;
                let second = if (0xd800..0xdc00).contains(&first) {
                    self.take("\\u").and_then(|()| self.unit())
                } else {
                    None
                };
                let mut decoded = char::decode_utf16([Some(first), second].into_iter().flatten());
                match decoded.next()? {
                    Ok(c) => c,
                    // Half a character: what follows it, if anything did, stands for itself.
                    Err(_) => {
                        self.at = before;
                        char::REPLACEMENT_CHARACTER
                    }
                }
            }
            _ => return None,
        })
    }

    fn unit(&mut self) -> Option<u16> {
        let digits = self
            .text
            .get(self.at..self.at + 4)
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        self.at += 4;
        u16::from_str_radix(digits, 16).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_read() {
        let json = Json::parse(
            r#" {"a": [1, -2.5e1, true, null, "x\n\"\u00e9\ud83d\ude00\/"], "b": {"c": 7}, "d": {}} "#,
        );
        let json = json.unwrap();
        assert_eq!(
            json.list("a"),
            [
                Json::Number(1.0),
                Json::Number(-25.0),
                Json::Bool(true),
                Json::Null,
                Json::Text("x\n\"é😀/".into())
            ]
        );
        assert_eq!(json.get("b").unwrap().count("c"), Some(7));
        assert_eq!((json.count("a"), json.text("b"), json.list("d")), (None, None, &[][..]));
    }

    #[test]
    fn a_configuration_may_have_comments_and_trailing_commas() {
        let text = "\u{feff}// one\n{ /* two */ \"a\": [\"x\", // three\n], }\n/* end";
        assert_eq!(Json::parse(text).unwrap().list("a"), [Json::Text("x".into())]);
    }

    #[test]
    fn half_a_character_is_replaced() {
        assert_eq!(Json::parse(r#""\ud83d!""#), Some(Json::Text("\u{fffd}!".into())));
        assert_eq!(Json::parse(r#""\ud83d\u0041""#), Some(Json::Text("\u{fffd}A".into())));
        assert_eq!(Json::parse(r#""\ude00""#), Some(Json::Text("\u{fffd}".into())));
    }

    #[test]
    fn what_is_broken_is_nothing() {
        let whole = r#"{"a": ["b\u0041", {"c": -1.5}], "d": null}"#;
        for length in 0..whole.len() {
            assert_eq!(Json::parse(&whole[..length]), None, "{length}");
        }
        for text in [
            "",
            "{}x",
            "[,]",
            "{\"a\"}",
            "{\"a\":}",
            "[1 2]",
            "\"\\q\"",
            "\"\\u12\"",
            "\"\\u+123\"",
            "tru",
            "--1",
            "😀",
        ] {
            assert_eq!(Json::parse(text), None, "{text}");
        }
        assert_eq!(Json::parse(&"[".repeat(1_000_000)), None);
        assert!(Json::parse(&format!("{}{}", "[".repeat(100), "]".repeat(100))).is_some());
    }
}

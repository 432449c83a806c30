//! What do the JSON documents of the checkers say?

pub(super) use serde_json::Value as Json;

/// A document, or nothing where it is none.
pub(super) fn parse(text: &str) -> Option<Json> {
    serde_json::from_str(text).ok()
}

/// A configuration, which may have comments and commas before closing brackets.
pub fn parse_lenient(text: &str) -> Option<Json> {
    parse(&orienteer_base::json::plain(text))
}

/// Members by name, of what is expected there and nothing else.
pub(super) trait Fields {
    fn text(&self, name: &str) -> Option<&str>;
    /// A count that is not negative.
    fn count(&self, name: &str) -> Option<u32>;
    fn flag(&self, name: &str) -> bool;
    fn list(&self, name: &str) -> &[Json];
}

impl Fields for Json {
    fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    fn count(&self, name: &str) -> Option<u32> {
        self.get(name)?.as_u64()?.try_into().ok()
    }

    fn flag(&self, name: &str) -> bool {
        self.get(name).and_then(Json::as_bool) == Some(true)
    }

    fn list(&self, name: &str) -> &[Json] {
        self.get(name).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_what_is_expected_or_nothing() {
        let json = parse(r#"{"a": [1, "x"], "b": {"c": 7}, "d": {}, "e": true}"#).unwrap();
        assert_eq!((json.list("a").len(), json.get("b").unwrap().count("c")), (2, Some(7)));
        assert_eq!(
            (json.count("a"), json.text("b"), json.list("d"), json.flag("e")),
            (None, None, &[][..], true)
        );
        assert_eq!((parse("{}x"), parse(&"[".repeat(1_000_000))), (None, None));
    }

    #[test]
    fn a_configuration_may_have_comments_and_trailing_commas() {
        let text = "\u{feff}// one\n{ /* two */ \"a\": [\"x // \\\" ,]\", // three\n], }\n/* end";
        assert_eq!(parse_lenient(text).unwrap().list("a"), ["x // \" ,]"]);
        for broken in ["", "[", "{\"a\"", "\"", "\"\\", "[,]x", "/*"] {
            assert_eq!(parse_lenient(broken), None, "{broken}");
        }
    }
}

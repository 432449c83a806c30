//! Which keys and values does a record have?
//!
//! A record is a file of data about something: a finding, a ticket. Its metadata are the plain values at the top of it:
//! the head of a Markdown file between two lines of dashes, or the outermost object of a JSON file.

use orienteer_base::Language;

/// More than this is data, not metadata.
const MOST: usize = 64;
const LONGEST: usize = 160;
/// A larger object is not taken apart.
const LARGEST: usize = 64 << 10;

/// Gives each `key=value`.
pub(super) fn metadata(text: &str, language: Option<&Language>, each: &mut dyn FnMut(&str)) {
    match language.map(|language| language.id) {
        Some("markdown") => head(text, each),
        Some("json") if text.len() <= LARGEST => object(text, each),
        _ => {}
    }
}

fn head(text: &str, each: &mut dyn FnMut(&str)) {
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    if lines.next().map(str::trim_end) != Some("---") {
        return;
    }
    for line in lines.take(MOST) {
        if line.trim_end() == "---" {
            break;
        }
        // What is indented belongs to a value that is not plain.
        if let Some((key, value)) = line.split_once(':')
            && !key.starts_with([' ', '\t', '-', '#'])
        {
            give(key.trim(), value.trim().trim_matches(['"', '\'']), each);
        }
    }
}

fn object(text: &str, each: &mut dyn FnMut(&str)) {
    use serde_json::Value;
    let Ok(Value::Object(object)) = serde_json::from_str(text) else { return };
    for (key, value) in object.iter().take(MOST) {
        match value {
            Value::String(value) => give(key, value, each),
            Value::Number(value) => give(key, &value.to_string(), each),
            Value::Bool(value) => give(key, if *value { "true" } else { "false" }, each),
            Value::Array(values) => {
                for value in values.iter().take(MOST).filter_map(Value::as_str) {
                    give(key, value, each);
                }
            }
            Value::Null | Value::Object(_) => {}
        }
    }
}

fn give(key: &str, value: &str, each: &mut dyn FnMut(&str)) {
    if !key.is_empty() && !value.is_empty() && key.len() + value.len() < LONGEST {
        each(&format!("{key}={value}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str, language: &str) -> Vec<String> {
        let mut found = Vec::new();
        metadata(text, Language::by_word(language), &mut |pair| found.push(pair.to_owned()));
        found
    }

    #[test]
    fn plain_values_are_metadata() {
        let markdown = "---\nstatus: open\nseverity: \"high\"\ntags:\n  - a: b\n---\nstatus: closed\n";
        assert_eq!(all(markdown, "markdown"), ["status=open", "severity=high"]);
        assert_eq!(all("status: open\n", "markdown"), [""; 0]);
        let json = r#"{"status": "open", "score": 7, "new": true, "cwe": ["79", "80"], "deep": {"a": "b"}}"#;
        assert_eq!(all(json, "json"), ["status=open", "score=7", "new=true", "cwe=79", "cwe=80"]);
        assert_eq!(all("{broken", "json"), [""; 0]);
        assert_eq!(all("a: b", "yaml"), [""; 0]);
    }
}

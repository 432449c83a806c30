//! Which part of a file is asked for, on disk and on a forge alike?

use orienteer_base::Problem;
use orienteer_base::question::Part;
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde_json::json;

const USUAL_CONTEXT: usize = 5;
/// More than any file has; half of what there is, so that adding to it stays a number.
pub(super) const TO_THE_END: usize = usize::MAX / 2;

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PartArgs {
    /// 1-based; with end_line.
    #[schemars(range(min = 1))]
    start_line: Option<usize>,
    /// Inclusive.
    #[schemars(range(min = 1))]
    end_line: Option<usize>,
    /// Only lines that contain this, with context.
    match_string: Option<String>,
    #[serde(default)]
    match_is_regex: bool,
    #[serde(default)]
    match_case_sensitive: bool,
    /// Around matches; default 5.
    #[schemars(range(max = 50))]
    context_lines: Option<usize>,
    /// 0-based, in characters.
    char_offset: Option<usize>,
    #[schemars(range(min = 1))]
    char_length: Option<usize>,
}

impl PartArgs {
    pub(super) fn part(&self) -> Result<Part, Problem> {
        let lines = self.start_line.is_some() || self.end_line.is_some();
        let chars = self.char_offset.is_some() || self.char_length.is_some();
        if usize::from(lines) + usize::from(chars) + usize::from(self.match_string.is_some()) > 1 {
            return Err(Problem::invalid(
                "start_line",
                "conflicting_parts",
                "give only one of start_line + end_line, match_string, or char_offset + char_length",
            ));
        }
        if let Some(pattern) = &self.match_string {
            if pattern.is_empty() {
                return Err(Problem::invalid("match_string", "empty_pattern", "`match_string` is empty"));
            }
            return Ok(Part::Matching {
                pattern: pattern.clone(),
                regex: self.match_is_regex,
                case_sensitive: self.match_case_sensitive,
                context_lines: self.context_lines.unwrap_or(USUAL_CONTEXT),
                skip: 0,
            });
        }
        if chars {
            let length = self.char_length.unwrap_or(TO_THE_END);
            return Ok(Part::Chars { offset: self.char_offset.unwrap_or(0), length });
        }
        match (self.start_line, self.end_line) {
            (None, None) => Ok(Part::Whole),
            // Said before anything is read or asked for.
            (Some(start), Some(end)) if start > end => {
                let message = format!("the range {start}-{end} ends before it starts");
                Err(Problem::invalid("end_line", "invalid_range", message))
            }
            (Some(start), Some(end)) => Ok(Part::Lines { start, end }),
            (Some(_), None) => {
                Err(Problem::invalid("end_line", "missing_field", "`start_line` needs `end_line` beside it"))
            }
            (None, Some(_)) => Err(Problem::invalid(
                "start_line",
                "missing_field",
                "`end_line` needs `start_line` beside it",
            )),
        }
    }
}

/// `remote_read_file` has always told the usual context in the schema's own way, and clients have seen it so.
pub(super) fn default_in_schema(schema: &mut Schema) {
    let Some(properties) = schema.get_mut("properties") else { return };
    if let Some(context) = properties.get_mut("context_lines") {
        let description = "Around matches.";
        *context =
            json!({ "type": "integer", "default": USUAL_CONTEXT, "maximum": 50, "description": description });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn part(arguments: Value) -> Result<Part, Problem> {
        serde_json::from_value::<PartArgs>(arguments).unwrap().part()
    }

    #[test]
    fn each_way_of_asking_is_understood() {
        assert_eq!(part(json!({})).unwrap(), Part::Whole);
        assert_eq!(
            part(json!({ "start_line": 2, "end_line": 2 })).unwrap(),
            Part::Lines { start: 2, end: 2 }
        );
        let rest = Part::Chars { offset: 7, length: TO_THE_END };
        assert_eq!(part(json!({ "char_offset": 7 })).unwrap(), rest);
        assert_eq!(part(json!({ "char_length": 3 })).unwrap(), Part::Chars { offset: 0, length: 3 });
        let Part::Matching { context_lines, regex, case_sensitive, skip, .. } =
            part(json!({ "match_string": "x" })).unwrap()
        else {
            panic!("lines that match")
        };
        assert_eq!((context_lines, regex, case_sensitive, skip), (5, false, false, 0));
    }

    #[test]
    fn what_cannot_be_meant_names_its_field() {
        for (arguments, field, detail) in [
            (json!({ "start_line": 1 }), "end_line", "missing_field"),
            (json!({ "end_line": 1 }), "start_line", "missing_field"),
            (json!({ "start_line": 3, "end_line": 2 }), "end_line", "invalid_range"),
            (json!({ "match_string": "" }), "match_string", "empty_pattern"),
            (json!({ "match_string": "x", "char_length": 2 }), "start_line", "conflicting_parts"),
        ] {
            let problem = part(arguments.clone()).unwrap_err();
            assert_eq!((problem.field, problem.detail), (Some(field), Some(detail)), "{arguments}");
        }
    }
}

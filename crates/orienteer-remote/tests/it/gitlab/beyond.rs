//! What do gitbeaker's types not know although GitLab does, and who says so?

use serde_json::Value;

/// A field of an answer.
pub(super) struct Field {
    pub(super) questions: &'static [&'static str],
    /// The object that it is in, as a place in the schema of the answer.
    pub(super) at: &'static str,
    pub(super) name: &'static str,
    /// As JSON.
    schema: &'static str,
    /// Who else publishes it.
    pub(super) known_from: &'static str,
}

impl Field {
    pub(super) fn schema(&self) -> Value {
        serde_json::from_str(self.schema).unwrap()
    }
}

const PROJECT_LISTS: &[&str] = &["projects", "projects_of_group", "projects_of_user"];
const CODE: &[&str] = &["code", "code_of_group", "code_of_project"];
const POSITION: &str = r#"{"anyOf": [{"type": "null"}, {"type": "object", "additionalProperties": false, "properties": {
    "base_sha": {"type": "string"}, "start_sha": {"type": "string"}, "head_sha": {"type": "string"},
    "position_type": {"type": "string"}, "old_path": {"type": ["string", "null"]}, "new_path": {"type": ["string", "null"]},
    "old_line": {"type": ["number", "null"]}, "new_line": {"type": ["number", "null"]}}}]}"#;

pub(super) const FIELDS: &[Field] = &[
    Field {
        questions: PROJECT_LISTS,
        at: "/items",
        name: "tag_list",
        schema: r#"{"type": "array", "items": {"type": "string"}}"#,
        known_from: "go-gitlab's type Project: what topics were called before GitLab 14",
    },
    Field {
        questions: CODE,
        at: "/items",
        name: "id",
        schema: r#"{"type": ["number", "null"]}"#,
        known_from: "GitLab's documentation, whose examples have null; we do not read it",
    },
    Field {
        questions: &["notes"],
        at: "/items",
        name: "position",
        schema: POSITION,
        known_from: "go-gitlab's types Note and NotePosition",
    },
    Field {
        questions: &["notes"],
        at: "/items",
        name: "type",
        schema: r#"{"type": ["string", "null"]}"#,
        known_from: "gitbeaker itself, for the notes of a discussion",
    },
    Field {
        questions: &["diffs"],
        at: "/items",
        name: "too_large",
        schema: r#"{"type": "boolean"}"#,
        known_from: "GitLab's documentation, and its own declaration of a difference",
    },
    Field {
        questions: &["diffs"],
        at: "/items",
        name: "collapsed",
        schema: r#"{"type": "boolean"}"#,
        known_from: "GitLab's documentation, and its own declaration of a difference",
    },
    Field {
        questions: &["file"],
        at: "",
        name: "execute_filemode",
        schema: r#"{"type": "boolean"}"#,
        known_from: "go-gitlab's type File",
    },
];

/// A parameter of a request, with one value or with any.
pub(super) struct Parameter {
    pub(super) questions: &'static [&'static str],
    pub(super) name: &'static str,
    pub(super) value: Option<&'static str>,
    pub(super) known_from: &'static str,
}

impl Parameter {
    pub(super) fn is(&self, question: &str, name: &str, value: &str) -> bool {
        self.questions.contains(&question) && self.name == name && self.value.is_none_or(|one| one == value)
    }
}

pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter {
        questions: PROJECT_LISTS,
        name: "order_by",
        value: Some("star_count"),
        known_from: "GitLab's documentation; the crate gitlab has it for all three",
    },
    Parameter {
        questions: &["changes", "changes_of_group", "changes_of_project"],
        name: "state",
        value: Some("all"),
        known_from: "GitLab's documentation: it is what no state means",
    },
    Parameter {
        questions: &["changes", "changes_of_group", "changes_of_project"],
        name: "assignee_username",
        value: None,
        known_from: "GitLab's documentation, and its own declaration of the parameters of merge requests",
    },
    Parameter {
        questions: &["projects_of_group", "projects_of_user"],
        name: "last_activity_after",
        value: None,
        known_from: "documented for all projects only: what GitLab might leave in is left out here, too",
    },
    Parameter {
        questions: &["projects_of_group", "projects_of_user"],
        name: "last_activity_before",
        value: None,
        known_from: "documented for all projects only: what GitLab might leave in is left out here, too",
    },
    Parameter {
        questions: &["projects_of_user"],
        name: "topic",
        value: None,
        known_from: "documented for all projects and for groups: what GitLab might leave in is left out here, too",
    },
];

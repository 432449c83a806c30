//! What do the types of a published client say of what GitLab is asked, and of what it answers?
//!
//! gitbeaker's types are those of a client: GitLab publishes no package with its own. TypeScript's compiler reads them, and
//! `schemas.mjs` makes JSON Schemas of them.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use orienteer_testkit::tools;
use serde_json::{Map, Value, json};

use super::beyond::{FIELDS, PARAMETERS};

/// The questions of `questions.mjs`, and their addresses below `/api/v4/`.
pub(super) const ADDRESSES: [(&str, &str); 20] = [
    ("project", "projects/*"),
    ("commit", "projects/*/repository/commits/*"),
    ("commits", "projects/*/repository/commits"),
    ("tree", "projects/*/repository/tree"),
    ("file", "projects/*/repository/files/*"),
    ("raw", "projects/*/repository/files/*/raw"),
    ("code", "search"),
    ("code_of_group", "groups/*/search"),
    ("code_of_project", "projects/*/search"),
    ("projects", "projects"),
    ("projects_of_group", "groups/*/projects"),
    ("projects_of_user", "users/*/projects"),
    ("changes", "merge_requests"),
    ("changes_of_group", "groups/*/merge_requests"),
    ("changes_of_project", "projects/*/merge_requests"),
    ("change", "projects/*/merge_requests/*"),
    ("notes", "projects/*/merge_requests/*/notes"),
    ("commits_of_change", "projects/*/merge_requests/*/commits"),
    ("diffs", "projects/*/merge_requests/*/diffs"),
    ("older_diffs", "projects/*/merge_requests/*/changes"),
];

/// Which question a request is.
pub(super) fn question(target: &str) -> &'static str {
    let path = target.split('?').next().unwrap();
    let asked: Vec<&str> = path.strip_prefix("/api/v4/").unwrap_or_default().split('/').collect();
    let fits = |address: &str| {
        let parts: Vec<&str> = address.split('/').collect();
        parts.len() == asked.len()
            && parts
                .iter()
                .zip(&asked)
                .all(|(part, asked)| *part == "*" && !asked.is_empty() || part == asked)
    };
    let found = ADDRESSES.iter().find(|(_, address)| fits(address));
    found.unwrap_or_else(|| panic!("nobody publishes {target}")).0
}

/// A file of this folder.
pub(super) fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/gitlab").join(name)
}

/// Runs one of the scripts, which are given the folder of the tools and the questions first.
pub(super) fn node(name: &str, more: &[&str]) -> String {
    let package = tools::tools().join("gitlab/node_modules/@gitbeaker/rest");
    assert!(
        package.exists(),
        "@gitbeaker/rest is not installed: run `cargo xtask install`, which installs it"
    );
    let mut command = Command::new(tools::require("node"));
    command.arg(script(name)).arg(tools::tools()).arg(script("questions.mjs")).args(more);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What the types say, before anything is added to it. The compiler needs seconds, and each test may be a process, so
/// that it is kept, under a name of all that it is made from.
pub(super) fn types() -> &'static Value {
    static TYPES: OnceLock<Value> = OnceLock::new();
    TYPES.get_or_init(|| {
        let mut made_from = DefaultHasher::new();
        let scripts = [script("schemas.mjs"), script("questions.mjs")];
        let locks = ["gitlab", "node"].map(|name| tools::tools().join(name).join("package-lock.json"));
        for file in scripts.iter().chain(&locks) {
            let advice = format!("{} is missing: run `cargo xtask install`", file.display());
            std::fs::read(file).expect(&advice).hash(&mut made_from);
        }
        let name = format!("gitlab-schemas-{:016x}.json", made_from.finish());
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let text = std::fs::read_to_string(&kept).unwrap_or_else(|_| {
            let text = node("schemas.mjs", &[]);
            let new = kept.with_extension(std::process::id().to_string());
            std::fs::write(&new, &text).unwrap();
            std::fs::rename(new, &kept).unwrap();
            text
        });
        serde_json::from_str(&text).unwrap()
    })
}

/// The schema of the answer to a question, with the fields that others know.
pub(super) fn answer(question: &str) -> Value {
    let mut schema = types()[question]["answer"].clone();
    assert!(schema.is_object(), "there is no question {question}");
    for field in FIELDS.iter().filter(|field| field.questions.contains(&question)) {
        fields(&mut schema, field.at).insert(field.name.to_owned(), field.schema());
    }
    schema
}

/// The fields of an object within a schema.
pub(super) fn fields<'s>(schema: &'s mut Value, at: &str) -> &'s mut Map<String, Value> {
    let found = schema.pointer_mut(&format!("{at}/properties")).and_then(Value::as_object_mut);
    found.unwrap_or_else(|| panic!("there is no object at {at}"))
}

/// What is wrong with an answer.
pub(super) fn wrong(question: &str, document: &Value) -> Vec<String> {
    by_schema(&answer(question), document)
}

/// What is wrong with a value: where it is, and what is said of it.
pub(super) fn by_schema(schema: &Value, value: &Value) -> Vec<String> {
    let validator = jsonschema::validator_for(schema).unwrap();
    let errors = validator.iter_errors(value);
    errors.map(|error| format!("{}: {error}", error.instance_path())).collect()
}

/// What is wrong with the parameters of a request.
pub(super) fn misasked(target: &str) -> Vec<String> {
    let question = question(target);
    let known = &types()[question]["parameters"];
    let mut wrong = Vec::new();
    for (name, value) in pairs(target) {
        let listed = PARAMETERS.iter().any(|parameter| parameter.is(question, &name, &value));
        match known.get(&name) {
            _ if listed => {}
            None => wrong.push(format!("{question} has no parameter {name}")),
            Some(schema) if !could_be(&value).iter().any(|value| by_schema(schema, value).is_empty()) => {
                wrong.push(format!("{name} of {question} cannot be {value}"));
            }
            Some(_) => {}
        }
    }
    wrong
}

/// The query of a request.
pub(super) fn pairs(target: &str) -> Vec<(String, String)> {
    let url = reqwest::Url::parse("http://gitlab.example.org").unwrap().join(target).unwrap();
    url.query_pairs().into_owned().collect()
}

/// In an address, numbers and truth are text, too.
fn could_be(value: &str) -> Vec<Value> {
    let number = value.parse::<u64>().ok().map(|number| json!(number));
    let truth = value.parse::<bool>().ok().map(|truth| json!(truth));
    [Some(json!(value)), number, truth].into_iter().flatten().collect()
}

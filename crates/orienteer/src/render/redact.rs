//! Hiding secrets in what goes out: values only, so that lines, numbers and names stay true.

use std::collections::BTreeMap;

use orienteer_base::answer::Warning;
use orienteer_base::{Fact, Problem};
use orienteer_redact::Redactor;
use serde_json::{Map, Value};

use super::{Body, Reply};

/// Applies the redactor to replies and says what it hid.
#[derive(Debug, Clone)]
pub struct Hider(Redactor);

type Found = BTreeMap<&'static str, usize>;

impl Hider {
    pub fn new() -> Self {
        Self(Redactor::default())
    }

    /// The lines of a whole file that have something to hide, as they may be shown, by number. A line from the
    /// middle of a private key gives itself away only in its file.
    pub(crate) fn lines(&self, text: &str) -> BTreeMap<u64, String> {
        let redacted = self.0.redact(text);
        (1..)
            .zip(text.lines().zip(redacted.text.lines()))
            .filter(|(_, (old, new))| old != new)
            .map(|(number, (_, new))| (number, new.to_owned()))
            .collect()
    }

    /// The bodies of the private keys in a whole file.
    pub(crate) fn private_keys<'t>(&self, text: &'t str) -> Vec<&'t str> {
        self.0.private_keys(text)
    }

    /// A text as it may be shown.
    pub(crate) fn plain(&self, text: &str) -> String {
        self.0.redact(text).text.into_owned()
    }

    pub(crate) fn hide(&self, reply: &mut Reply) {
        let mut found = Found::new();
        let mut lines = Vec::new();
        match &mut reply.body {
            Body::None => {}
            Body::Text { text, first_line, .. } => {
                let redacted = self.0.redact(text);
                for finding in &redacted.findings {
                    *found.entry(finding.kind).or_default() += 1;
                    lines.push(finding.line as usize + *first_line - 1);
                }
                if !redacted.findings.is_empty() {
                    let new = redacted.text.into_owned();
                    *text = new;
                }
            }
            Body::Rows { rows, .. } | Body::Shares { rows, .. } | Body::Texts { rows, .. } => {
                for row in rows {
                    self.object(&mut row.value, &mut found);
                    self.string(&mut row.line, &mut Found::new());
                    for (value, line) in row.parts.iter_mut().flat_map(|parts| &mut parts.items) {
                        self.value(value, &mut found);
                        self.string(line, &mut Found::new());
                    }
                }
            }
        }
        self.object(&mut reply.fields, &mut found);
        for (value, line) in reply.lists.iter_mut().flat_map(|list| &mut list.items) {
            self.value(value, &mut found);
            self.string(line, &mut Found::new());
        }
        // Said in the fields or in the rows as well: what is found here is not counted again.
        for line in reply.head.iter_mut().chain(&mut reply.tail) {
            self.string(line, &mut Found::new());
        }
        if !found.is_empty() {
            reply.warnings.push(describe(&found, &lines));
        }
    }

    /// The same for a failure: its message and its facts may quote what a server wrote.
    pub(crate) fn hide_problem(&self, problem: &mut Problem) {
        let mut found = Found::new();
        self.string(&mut problem.message, &mut found);
        for (_, fact) in &mut problem.facts {
            match fact {
                Fact::Text(text) => {
                    self.string(text, &mut found);
                }
                Fact::List(texts) => {
                    for text in texts {
                        self.string(text, &mut found);
                    }
                }
                Fact::Number(_) => {}
            }
        }
    }

    fn value(&self, value: &mut Value, found: &mut Found) {
        match value {
            Value::String(text) => drop(self.string(text, found)),
            // Consecutive lines are looked at together: a private key spans many.
            Value::Array(items) if items.len() > 1 && items.iter().all(Value::is_string) => {
                let joined: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                let mut text = joined.join("\n");
                if self.string(&mut text, found) {
                    *items = text.split('\n').map(Value::from).collect();
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item, found)),
            Value::Object(object) => self.object(object, found),
            _ => {}
        }
    }

    fn object(&self, object: &mut Map<String, Value>, found: &mut Found) {
        object.values_mut().for_each(|value| self.value(value, found));
    }

    /// Whether anything was hidden.
    fn string(&self, text: &mut String, found: &mut Found) -> bool {
        let redacted = self.0.redact(text);
        if redacted.findings.is_empty() {
            return false;
        }
        for finding in &redacted.findings {
            *found.entry(finding.kind).or_default() += 1;
        }
        let new = redacted.text.into_owned();
        *text = new;
        true
    }
}

impl Default for Hider {
    fn default() -> Self {
        Self::new()
    }
}

fn describe(found: &Found, lines: &[usize]) -> Warning {
    let kinds: Vec<String> = found.iter().map(|(kind, count)| format!("{count} × {kind}")).collect();
    let mut message = format!("secret values were hidden: {}", kinds.join(", "));
    if !lines.is_empty() {
        let lines: Vec<String> = lines.iter().take(20).map(usize::to_string).collect();
        message.push_str(&format!(" (lines {})", lines.join(", ")));
    }
    message.push_str("; output.redact_secrets = false shows them");
    Warning::new("redacted", message)
}

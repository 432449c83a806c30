//! The message and the details of each error, as the document words them.

use orienteer_base::{Fact, Problem};
use serde_json::{Map, Value, json};

/// What the engine knows of a failure, by name.
struct Known<'p> {
    problem: &'p Problem,
    arguments: &'p Map<String, Value>,
}

impl Known<'_> {
    fn fact(&self, name: &str) -> Option<&Fact> {
        self.problem.facts.iter().find(|(known, _)| *known == name).map(|(_, fact)| fact)
    }

    fn text(&self, name: &str) -> Option<&str> {
        match self.fact(name) {
            Some(Fact::Text(text)) => Some(text),
            _ => None,
        }
    }

    fn list(&self, name: &str) -> &[String] {
        match self.fact(name) {
            Some(Fact::List(items)) => items,
            _ => &[],
        }
    }

    fn value(&self, name: &str) -> Value {
        self.fact(name).map_or(Value::Null, |fact| json!(fact))
    }

    /// The language as people write it.
    fn language(&self) -> &str {
        self.text("language").unwrap_or("This")
    }

    /// As the settings write it.
    fn language_key(&self) -> Value {
        self.text("language").map_or(Value::Null, |language| json!(language.to_lowercase()))
    }

    fn file_path(&self) -> Value {
        self.arguments.get("file_path").cloned().unwrap_or(Value::Null)
    }

    /// Seconds, rounded up: whoever waits so long is not refused again.
    fn retry_after(&self) -> Option<u64> {
        self.problem.retry_after_ms.map(|wait| wait.div_ceil(1_000).max(1))
    }
}

pub(super) fn of(code: &str, problem: &Problem, arguments: &Map<String, Value>) -> (String, Value) {
    let known = Known { problem, arguments };
    let (message, mut details) = match code {
        "LSP_PREREQUISITE_MISSING" => prerequisite(&known),
        "LSP_SERVER_UNAVAILABLE" => unavailable(&known),
        "LSP_SERVER_START_FAILED" => start_failed(&known),
        "LSP_SERVER_CRASHED" => crashed(&known),
        "LSP_NO_PROJECT_ROOT" => no_project(&known),
        "LSP_FILE_NOT_INDEXED" => not_indexed(&known),
        "LSP_UNSUPPORTED_FILE" => unsupported(&known),
        _ => other(&known),
    };
    // Where a good answer has them, too.
    let passed_over = known.list("passed_over");
    if !passed_over.is_empty() {
        details["warnings"] = json!(passed_over);
    }
    (message, details)
}

fn prerequisite(known: &Known<'_>) -> (String, Value) {
    let missing = known.text("missing").unwrap_or_default();
    let language = known.language();
    let (message, suggestion) = match (missing, known.text("too_old")) {
        ("node", Some(said)) => (
            format!("Node.js is too old ({said}). {language} language server requires Node.js to run."),
            "Install a newer Node.js from https://nodejs.org/ or via your package manager".to_owned(),
        ),
        ("node", None) => (
            format!("Node.js not found. {language} language server requires Node.js to run."),
            "Install Node.js from https://nodejs.org/ or via your package manager".to_owned(),
        ),
        ("npm", _) => (
            format!("npm not found. Required to verify {language} language server installation."),
            "npm is typically installed with Node.js. Reinstall Node.js or install npm separately."
                .to_owned(),
        ),
        (program, too_old) => {
            let how = too_old.map_or_else(|| "not found".to_owned(), |said| format!("is too old ({said})"));
            let suggestion = known.text("suggestion").unwrap_or_default().to_owned();
            (format!("{program} {how}. {language} language server requires it to run."), suggestion)
        }
    };
    let details = json!({
        "language": known.language_key(),
        "missing": missing,
        "suggestion": suggestion,
        "checked_paths": known.list("checked_paths"),
    });
    (message, details)
}

fn unavailable(known: &Known<'_>) -> (String, Value) {
    let Some(command) = known.text("command") else { return other(known) };
    let mut details = json!({
        "language": known.language_key(),
        "command": command,
        "install_hint": known.value("install_hint"),
        "search_paths": known.list("search_paths"),
    });
    // Something of that name was there and is not it: without this the message would be a riddle.
    if !known.list("rejected").is_empty() {
        details["rejected"] = json!(known.list("rejected"));
    }
    let name = std::path::Path::new(command).file_name().map(|name| name.to_string_lossy());
    (format!("{} not found.", name.as_deref().unwrap_or(command)), details)
}

fn start_failed(known: &Known<'_>) -> (String, Value) {
    let command = known.text("command").unwrap_or_default();
    let program = command.split(' ').next().unwrap_or_default();
    let name = std::path::Path::new(program).file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.or_else(|| known.text("server_id").map(str::to_owned)).unwrap_or_default();
    // The document has its servers installed for the user, so what they lack belongs there, too.
    let suggestion = known.text("suggestion");
    let suggestion =
        suggestion.map(|said| said.replace("npm install typescript", "npm install -g typescript"));
    let details = json!({
        "language": known.language_key(),
        "command": command,
        "exit_code": known.value("exit_code"),
        "stderr": known.text("stderr").unwrap_or_default(),
        "suggestion": suggestion,
        "reason": known.problem.message,
    });
    (format!("{name} failed to start"), details)
}

fn crashed(known: &Known<'_>) -> (String, Value) {
    let mut details = json!({
        "language": known.language_key(),
        "exit_code": known.value("exit_code"),
        "stderr": known.text("stderr").unwrap_or_default(),
    });
    match known.retry_after() {
        Some(seconds) => {
            details["action"] = json!("retry_in_seconds");
            details["retry_after"] = json!(seconds);
            ("Language server crashed and is restarting".to_owned(), details)
        }
        None => {
            details["action"] = json!("change_a_file_or_restart");
            details["retry_after"] = Value::Null;
            ("Language server keeps crashing and is left alone until a file changes".to_owned(), details)
        }
    }
}

fn no_project(known: &Known<'_>) -> (String, Value) {
    let looked_for = known.list("looked_for");
    let first = looked_for.iter().take(2).map(String::as_str).collect::<Vec<_>>().join(" or ");
    let details = json!({
        "file_path": known.file_path(),
        "looked_for": looked_for,
        "suggestion": format!("Create a {first} in the project directory"),
    });
    (format!("No {} project found", known.language()), details)
}

fn not_indexed(known: &Known<'_>) -> (String, Value) {
    // Waiting does not help a file that no module names; why it is none stands in the reason.
    let suggestion = if known.problem.detail == Some("not_in_project") {
        "Make the file a part of the project, in Rust by a `mod` declaration in the module above it"
    } else {
        "Wait for indexing to complete or save the file"
    };
    let mut details = json!({
        "file_path": known.file_path(),
        "suggestion": suggestion,
        "reason": known.problem.message,
    });
    if let Some(seconds) = known.retry_after() {
        details["retry_after"] = json!(seconds);
    }
    ("File not yet indexed by language server".to_owned(), details)
}

fn unsupported(known: &Known<'_>) -> (String, Value) {
    let extension = known.text("extension").map(|extension| format!(".{extension}"));
    let message = match &extension {
        Some(extension) => format!("No language server configured for {extension} files"),
        None => "No language server configured for files without an extension".to_owned(),
    };
    let dotted: Vec<String> =
        known.list("supported_extensions").iter().map(|extension| format!(".{extension}")).collect();
    let details =
        json!({ "file_path": known.file_path(), "extension": extension, "supported_extensions": dotted });
    (message, details)
}

/// What the document has no words for.
fn other(known: &Known<'_>) -> (String, Value) {
    let problem = known.problem;
    let mut details = Map::new();
    let mut put = |name: &str, value: Value| drop(details.insert(name.to_owned(), value));
    if let Some(path) = known.arguments.get("file_path") {
        put("file_path", path.clone());
    }
    if let Some(field) = problem.field {
        put("field", json!(field));
    }
    if let Some(reason) = problem.detail {
        put("reason", json!(reason));
    }
    if !problem.candidates.is_empty() {
        put("candidates", json!(problem.candidates));
    }
    if let Some(seconds) = known.retry_after() {
        put("retry_after", json!(seconds));
    }
    (problem.message.clone(), Value::Object(details))
}

#[cfg(test)]
mod tests {
    use orienteer_base::ErrorKind;

    use super::*;

    #[test]
    fn every_error_says_which_settings_were_passed_over() {
        let codes = [
            "LSP_PREREQUISITE_MISSING",
            "LSP_SERVER_UNAVAILABLE",
            "LSP_SERVER_START_FAILED",
            "LSP_SERVER_CRASHED",
            "LSP_NO_PROJECT_ROOT",
            "LSP_FILE_NOT_INDEXED",
            "LSP_UNSUPPORTED_FILE",
            "NOT_FOUND",
        ];
        for code in codes {
            let problem = Problem::new(ErrorKind::NotFound, "why");
            let (_, details) = of(code, &problem, &Map::new());
            assert_eq!(details.get("warnings"), None, "{code}");
            let problem = problem.fact("passed_over", vec!["line 5".to_owned()]);
            let (_, details) = of(code, &problem, &Map::new());
            assert_eq!(details["warnings"], json!(["line 5"]), "{code}");
        }
    }
}

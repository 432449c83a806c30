//! ESLint's server answers an empty list for a file that it did not look at, because there is no ESLint or no configuration
//! or it is broken, and says so beside it.

pub(crate) mod modules;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use crate::items::Items;
use crate::live::Patience;
use crate::uri;

/// The state of a file that was looked at.
const LOOKED_AT: u64 = 1;

/// How much of a message of somebody else's program is shown.
const MOST_WORDS: usize = 300;

/// What it said beside its answers.
#[derive(Debug, Default)]
pub(crate) struct Verdicts {
    /// Held from a question to its answer: what is said meanwhile is about that file, and the fixes that it can offer are
    /// those of its last answer.
    asking: tokio::sync::Mutex<()>,
    heard: Mutex<Heard>,
}

#[derive(Debug, Default)]
struct Heard {
    /// The file that it is asked about.
    about: PathBuf,
    looked: bool,
    /// Why it did not look at a file. It says so once and passes the file over from then on.
    why: HashMap<PathBuf, String>,
    /// The configuration wanted to end the process: what was loaded of it until then is no configuration.
    exited: bool,
}

/// How the one finding begins that says that the configuration leaves a file out.
const LEFT_OUT: &str = "File ignored";

/// Why a file is left out by the configuration, if that is all that was found.
pub(crate) fn left_out(items: &Items) -> Option<String> {
    let [only] = items.list.as_ref() else { return None };
    let only: Value = serde_json::from_str(only.get()).ok()?;
    let message = only["message"].as_str().filter(|message| message.starts_with(LEFT_OUT))?;
    let reason = message.split('.').next().unwrap_or(message);
    only["code"].is_null().then(|| reason.to_owned())
}

impl Verdicts {
    fn lock(&self) -> std::sync::MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nobody else asks: others may be before us, each with a file that takes long.
    pub(crate) async fn turn(&self, patience: &Patience) -> Option<tokio::sync::MutexGuard<'_, ()>> {
        tokio::time::timeout_at(patience.ready_by.into(), self.asking.lock()).await.ok()
    }

    /// It is about to be asked about a file.
    pub(crate) fn begin(&self, file: &Path) {
        let mut heard = self.lock();
        heard.about = file.to_path_buf();
        heard.looked = false;
    }

    /// Why the file that was asked about was passed over, if it was.
    pub(crate) fn passed_over(&self) -> Option<String> {
        let heard = self.lock();
        let known = || heard.why.get(&heard.about).cloned();
        if heard.exited {
            let why = "the configuration or a plugin calls `process.exit`, so it is not known what to check";
            return Some(why.to_owned());
        }
        (!heard.looked)
            .then(|| known().unwrap_or_else(|| "it did not look at the file and does not say why".to_owned()))
    }

    /// What it asks of its editor; `None` for what others ask as well.
    pub(crate) fn request(&self, method: &str, params: &Value) -> Option<Value> {
        let why = match method {
            "eslint/noLibrary" => "the project has no ESLint: npm install --save-dev eslint",
            "eslint/noConfig" => params["message"].as_str().unwrap_or("ESLint has no configuration"),
            // A page of documentation.
            "eslint/openDoc" => return Some(json!({})),
            _ => return None,
        };
        self.refused(why);
        Some(json!({}))
    }

    pub(crate) fn notification(&self, method: &str, params: &Value) {
        match method {
            "eslint/status" if params["state"] == LOOKED_AT => {
                let file = params["uri"].as_str().and_then(uri::to_path);
                let mut heard = self.lock();
                heard.looked |= file.as_ref() == Some(&heard.about);
            }
            // Errors, which it tells before it says that a file was not looked at.
            "window/logMessage" | "window/showMessage" if params["type"] == 1 => {
                self.refused(params["message"].as_str().unwrap_or_default());
            }
            "eslint/exitCalled" => self.lock().exited = true,
            _ => {}
        }
    }

    fn refused(&self, why: &str) {
        let words: Vec<&str> = why.lines().map(str::trim).filter(|line| !line.is_empty()).take(2).collect();
        let words: String = words.join(" ").chars().take(MOST_WORDS).collect();
        let mut heard = self.lock();
        let about = heard.about.clone();
        heard.why.insert(about, words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_counts_when_the_file_was_looked_at() {
        let verdicts = Verdicts::default();
        let status = |file: &str, state: u64| {
            verdicts.notification(
                "eslint/status",
                &json!({ "uri": format!("file:///w/{file}"), "state": state }),
            );
        };
        verdicts.begin(Path::new("/w/a.js"));
        status("a.js", 3);
        status("b.js", 1);
        verdicts.notification("eslint/status", &json!({ "uri": 5, "state": 1 }));
        assert!(verdicts.passed_over().is_some_and(|why| why.contains("does not say why")));
        status("a.js", 1);
        assert_eq!(verdicts.passed_over(), None);
        verdicts.begin(Path::new("/w/a.js"));
        assert!(verdicts.passed_over().is_some(), "once more is another question");
        verdicts.notification("eslint/exitCalled", &json!([1, "stack"]));
        status("a.js", 1);
        assert!(verdicts.passed_over().is_some_and(|why| why.contains("process.exit")));
    }

    #[test]
    fn a_file_that_is_left_out() {
        let ignored =
            json!({ "message": "File ignored because of a matching ignore pattern. Use \"--no-ignore\"." });
        let reason = "File ignored because of a matching ignore pattern";
        let left_out = |items: &Value| {
            let items = serde_json::value::to_raw_value(items).ok();
            left_out(&Items::read(items.as_deref()))
        };
        assert_eq!(left_out(&json!([ignored])).as_deref(), Some(reason));
        assert_eq!(left_out(&json!([ignored, ignored])), None);
        assert_eq!(
            left_out(&json!([{ "message": "File ignored", "code": "mine" }])),
            None,
            "a rule's own words"
        );
    }

    #[test]
    fn why_it_did_not() {
        let verdicts = Verdicts::default();
        verdicts.begin(Path::new("/w/a.js"));
        let error = json!({ "type": 1, "message": "\n SyntaxError: no\n\nin eslint.config.js\n at x\n" });
        verdicts.notification("window/logMessage", &error);
        verdicts.notification("window/logMessage", &json!({ "type": 3, "message": "loaded" }));
        assert_eq!(verdicts.passed_over().as_deref(), Some("SyntaxError: no in eslint.config.js"));
        verdicts.begin(Path::new("/w/b.js"));
        assert_eq!(verdicts.request("eslint/noLibrary", &Value::Null), Some(json!({})));
        assert!(verdicts.passed_over().is_some_and(|why| why.contains("npm install")));
        // It says it once.
        verdicts.begin(Path::new("/w/a.js"));
        assert!(verdicts.passed_over().is_some_and(|why| why.contains("SyntaxError")));
        assert_eq!(verdicts.request("workspace/configuration", &Value::Null), None);
    }
}

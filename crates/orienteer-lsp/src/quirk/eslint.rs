//! ESLint's server answers an empty list for a file that it did not look at, because there is no ESLint or no configuration
//! or it is broken, and says so beside it. Of its configuration it keeps the modules that it has loaded as they were.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use crate::definition::Definition;
use crate::documents::is_marker;
use crate::uri;

/// The state of a file that was looked at.
const LOOKED_AT: u64 = 1;

/// How a message of somebody else's program begins that may be shown.
const MOST_WORDS: usize = 300;

/// Modules of one configuration that are looked at, and how long one may be.
const MOST_MODULES: usize = 64;
const LONGEST_MODULE: u64 = 256 << 10;

/// The files of a project's configuration: its own and what they name by a relative path, such as rules of the project.
pub(crate) fn configuration(definition: &Definition, root: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries.filter(|path| is_marker(definition, path)).collect();
    let mut at = 0;
    while let Some(file) = files.get(at) {
        for named in named_by(file) {
            if files.len() < MOST_MODULES && !files.contains(&named) {
                files.push(named);
            }
        }
        at += 1;
    }
    files
}

/// The files that strings of a module lead to, with and without what may be left out.
fn named_by(module: &Path) -> Vec<PathBuf> {
    let is_short = |metadata: std::fs::Metadata| metadata.is_file() && metadata.len() <= LONGEST_MODULE;
    if !std::fs::metadata(module).is_ok_and(is_short) {
        return Vec::new();
    }
    let text = std::fs::read_to_string(module).unwrap_or_default();
    let folder = module.parent().unwrap_or(module);
    let mut parts = text.split(['"', '\'', '`']);
    parts.next();
    let relative = parts.filter(|part| part.starts_with("./") || part.starts_with("../"));
    let found = relative.filter_map(|part| {
        let path = folder.join(part);
        let endings = ["", ".js", ".cjs", ".mjs", ".ts", ".json", "/index.js", "/index.cjs"];
        let mut ways = endings.iter().map(|ending| {
            let mut way = path.clone().into_os_string();
            way.push(ending);
            PathBuf::from(way)
        });
        std::fs::canonicalize(ways.find(|way| way.is_file())?).ok()
    });
    found.collect()
}

/// What it said beside its answers.
#[derive(Debug, Default)]
pub(crate) struct Verdicts(Mutex<Heard>);

#[derive(Debug, Default)]
struct Heard {
    /// How often each file was looked at.
    looks: HashMap<PathBuf, u64>,
    /// Why the last one was not that was not.
    why: Option<String>,
}

impl Verdicts {
    fn lock(&self) -> std::sync::MutexGuard<'_, Heard> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How often it has looked at a file: an answer about it counts when this grew meanwhile.
    pub(crate) fn looks(&self, file: &Path) -> u64 {
        self.lock().looks.get(file).copied().unwrap_or_default()
    }

    /// Why it did not look at a file.
    pub(crate) fn why(&self) -> String {
        let known = self.lock().why.clone();
        known.unwrap_or_else(|| "it did not look at the file and does not say why".to_owned())
    }

    /// What it asks of its editor; `None` for what others ask as well.
    pub(crate) fn request(&self, method: &str, params: &Value) -> Option<Value> {
        let why = match method {
            "eslint/noLibrary" => "the project has no ESLint: npm install --save-dev eslint".to_owned(),
            "eslint/noConfig" => {
                params["message"].as_str().unwrap_or("ESLint has no configuration").to_owned()
            }
            // A page of documentation.
            "eslint/openDoc" => return Some(json!({})),
            _ => return None,
        };
        self.refused(&why);
        Some(json!({}))
    }

    pub(crate) fn notification(&self, method: &str, params: &Value) {
        match method {
            "eslint/status" if params["state"] == LOOKED_AT => {
                if let Some(file) = params["uri"].as_str().and_then(uri::to_path) {
                    *self.lock().looks.entry(file).or_default() += 1;
                }
            }
            // Errors, which it tells before it says that a file was not looked at.
            "window/logMessage" | "window/showMessage" if params["type"] == 1 => {
                self.refused(params["message"].as_str().unwrap_or_default());
            }
            "eslint/exitCalled" => self.refused("a plugin ended the process"),
            _ => {}
        }
    }

    fn refused(&self, why: &str) {
        let words: Vec<&str> = why.lines().map(str::trim).filter(|line| !line.is_empty()).take(2).collect();
        self.lock().why = Some(words.join(" ").chars().take(MOST_WORDS).collect());
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_counts_when_the_file_was_looked_at() {
        let verdicts = Verdicts::default();
        let status = |state: u64| json!({ "uri": "file:///w/a.js", "state": state });
        let file = Path::new("/w/a.js");
        verdicts.notification("eslint/status", &status(3));
        assert_eq!(verdicts.looks(file), 0);
        verdicts.notification("eslint/status", &status(1));
        verdicts.notification("eslint/status", &json!({ "uri": 5, "state": 1 }));
        assert_eq!((verdicts.looks(file), verdicts.looks(Path::new("/w/b.js"))), (1, 0));
    }

    #[test]
    fn what_a_configuration_is_made_of() {
        let tree = orienteer_testkit::tree(
            "//- /eslint.config.js\nimport a from './tools/a';\nimport b from \"plugin\";\nconst c = './none';\n\
             //- /tools/a.js\nexport * from \"../tools/rules/index.js\";\nimport '../eslint.config.js';\n\
             //- /tools/rules/index.js\nexport const rule = require(`./data`);\n//- /tools/rules/data.json\n{}\n\
             //- /src/eslint.config.js\n",
        );
        let all = crate::catalog::built_in().unwrap();
        let eslint = all.iter().find(|definition| definition.id == "eslint").unwrap();
        let files = configuration(eslint, tree.root());
        let shown: Vec<_> =
            files.iter().map(|file| file.strip_prefix(tree.root()).unwrap().to_str().unwrap()).collect();
        let expected = ["eslint.config.js", "tools/a.js", "tools/rules/index.js", "tools/rules/data.json"];
        assert_eq!(shown, expected);
        assert!(configuration(eslint, &tree.root().join("none")).is_empty());
    }

    #[test]
    fn why_it_did_not() {
        let verdicts = Verdicts::default();
        assert!(verdicts.why().contains("does not say why"));
        let error = json!({ "type": 1, "message": "\n SyntaxError: no\n\nin eslint.config.js\n at x\n" });
        verdicts.notification("window/logMessage", &error);
        verdicts.notification("window/logMessage", &json!({ "type": 3, "message": "loaded" }));
        assert_eq!(verdicts.why(), "SyntaxError: no in eslint.config.js");
        assert_eq!(verdicts.request("eslint/noLibrary", &Value::Null), Some(json!({})));
        assert!(verdicts.why().contains("npm install"));
        assert_eq!(verdicts.request("workspace/configuration", &Value::Null), None);
    }
}

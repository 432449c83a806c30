//! What we can do, as we tell a server, and what it can do, as it tells us.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use globset::{GlobBuilder, GlobMatcher};
use serde_json::{Value, json};

use crate::definition::Definition;
use crate::uri;

/// Full and honest: everything here is handled, nothing that is not is promised. No snippets.
pub(crate) fn ours(definition: &Definition) -> Value {
    let encodings: &[&str] =
        if definition.counts_characters { &["utf-32"] } else { &["utf-8", "utf-16", "utf-32"] };
    let dynamic = json!({ "dynamicRegistration": true });
    let link = json!({ "dynamicRegistration": true, "linkSupport": true });
    let symbol_kinds: Vec<u32> = (1..=26).collect();
    json!({
        "general": {
            "positionEncodings": encodings,
            "staleRequestSupport": { "cancel": true, "retryOnContentModified": [] },
            "markdown": { "parser": "none", "version": "0" },
        },
        "window": {
            "workDoneProgress": true,
            "showMessage": { "messageActionItem": { "additionalPropertiesSupport": false } },
            "showDocument": { "support": false },
        },
        "workspace": {
            "applyEdit": true,
            "workspaceEdit": {
                "documentChanges": true,
                "resourceOperations": ["create", "rename", "delete"],
                "failureHandling": "transactional",
                "normalizesLineEndings": true,
                "changeAnnotationSupport": { "groupsOnLabel": false },
            },
            "configuration": true,
            "workspaceFolders": true,
            "didChangeConfiguration": dynamic,
            "didChangeWatchedFiles": { "dynamicRegistration": true, "relativePatternSupport": true },
            "symbol": {
                "dynamicRegistration": true,
                "symbolKind": { "valueSet": symbol_kinds },
                "resolveSupport": { "properties": ["location.range"] },
            },
            "executeCommand": dynamic,
            "diagnostics": { "refreshSupport": true },
        },
        "textDocument": {
            "synchronization": { "dynamicRegistration": true, "didSave": true },
            "definition": link,
            "declaration": link,
            "typeDefinition": link,
            "implementation": link,
            "references": dynamic,
            "documentHighlight": dynamic,
            "hover": { "dynamicRegistration": true, "contentFormat": ["markdown", "plaintext"] },
            "documentSymbol": {
                "dynamicRegistration": true,
                "hierarchicalDocumentSymbolSupport": true,
                "symbolKind": { "valueSet": symbol_kinds },
            },
            "callHierarchy": dynamic,
            "typeHierarchy": dynamic,
            "signatureHelp": {
                "dynamicRegistration": true,
                "signatureInformation": {
                    "documentationFormat": ["markdown", "plaintext"],
                    "parameterInformation": { "labelOffsetSupport": true },
                    "activeParameterSupport": true,
                },
                "contextSupport": true,
            },
            "completion": {
                "dynamicRegistration": true,
                "contextSupport": true,
                "completionItem": {
                    "snippetSupport": false,
                    "documentationFormat": ["markdown", "plaintext"],
                    "deprecatedSupport": true,
                    "resolveSupport": { "properties": ["documentation", "detail"] },
                },
                "completionItemKind": { "valueSet": (1..=25).collect::<Vec<u32>>() },
            },
            "codeAction": {
                "dynamicRegistration": true,
                "isPreferredSupport": true,
                "disabledSupport": true,
                "dataSupport": true,
                "honorsChangeAnnotations": true,
                "resolveSupport": { "properties": ["edit", "command"] },
                "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [
                    "", "quickfix", "refactor", "refactor.extract", "refactor.inline", "refactor.rewrite",
                    "source", "source.organizeImports", "source.fixAll",
                ] } },
            },
            "rename": {
                "dynamicRegistration": true,
                "prepareSupport": true,
                "prepareSupportDefaultBehavior": 1,
                "honorsChangeAnnotations": true,
            },
            "formatting": dynamic,
            "rangeFormatting": dynamic,
            "publishDiagnostics": {
                "relatedInformation": true,
                "versionSupport": true,
                "codeDescriptionSupport": true,
                "dataSupport": true,
                "tagSupport": { "valueSet": [1, 2] },
            },
            "diagnostic": { "dynamicRegistration": true, "relatedDocumentSupport": true },
        },
        "experimental": { "serverStatusNotification": true },
    })
}

/// Files that a server wants to hear about.
#[derive(Debug)]
struct Wanted {
    base: Option<PathBuf>,
    glob: GlobMatcher,
}

#[derive(Debug)]
struct Registered {
    method: String,
    options: Value,
    wanted: Vec<Wanted>,
}

/// What a server can do: what it said at the start and what it registered since.
#[derive(Debug)]
pub(crate) struct Capabilities {
    fixed: Value,
    registered: Mutex<HashMap<String, Registered>>,
}

impl Capabilities {
    pub(crate) fn new(fixed: Value) -> Self {
        Self { fixed, registered: Mutex::default() }
    }

    /// The same but for some methods that it was wrong to announce.
    pub(crate) fn without(mut self, lacks: &[String]) -> Self {
        for field in lacks.iter().filter_map(|method| Self::field(method)) {
            if let Some(announced) = self.fixed.get_mut(field) {
                *announced = Value::Null;
            }
        }
        self
    }

    /// Where a method is announced.
    fn field(method: &str) -> Option<&'static str> {
        Some(match method {
            "textDocument/definition" => "definitionProvider",
            "textDocument/declaration" => "declarationProvider",
            "textDocument/typeDefinition" => "typeDefinitionProvider",
            "textDocument/implementation" => "implementationProvider",
            "textDocument/references" => "referencesProvider",
            "textDocument/hover" => "hoverProvider",
            "textDocument/documentSymbol" => "documentSymbolProvider",
            "workspace/symbol" => "workspaceSymbolProvider",
            "textDocument/prepareCallHierarchy" => "callHierarchyProvider",
            "textDocument/prepareTypeHierarchy" => "typeHierarchyProvider",
            "textDocument/signatureHelp" => "signatureHelpProvider",
            "textDocument/completion" => "completionProvider",
            "textDocument/diagnostic" => "diagnosticProvider",
            "textDocument/codeAction" => "codeActionProvider",
            "textDocument/rename" | "textDocument/prepareRename" => "renameProvider",
            "textDocument/formatting" => "documentFormattingProvider",
            "textDocument/rangeFormatting" => "documentRangeFormattingProvider",
            "workspace/executeCommand" => "executeCommandProvider",
            _ => return None,
        })
    }

    /// The method whose registration speaks for this one.
    fn registered_as(method: &str) -> &str {
        if method == "textDocument/prepareRename" { "textDocument/rename" } else { method }
    }

    /// Whether a command may be run. Several registrations may each name some.
    pub(crate) fn runs(&self, command: &str) -> bool {
        let names = |options: &Value| {
            options["commands"].as_array().is_some_and(|names| names.iter().any(|name| name == command))
        };
        let registered = self.lock();
        let later = registered.values().filter(|registered| registered.method == "workspace/executeCommand");
        names(&self.fixed["executeCommandProvider"]) || later.map(|later| &later.options).any(names)
    }

    /// Whether a method may be asked. Follow-up requests belong to the one that announces them.
    pub(crate) fn has(&self, method: &str) -> bool {
        let Some(field) = Self::field(method) else { return true };
        let fixed = &self.fixed[field];
        let announced = !fixed.is_null() && fixed != &Value::Bool(false);
        let method = Self::registered_as(method);
        announced || self.lock().values().any(|registered| registered.method == method)
    }

    /// The options of a method, as announced.
    pub(crate) fn options(&self, method: &str) -> Value {
        let registered = self.lock();
        let announced_as = Self::registered_as(method);
        let later = registered.values().find(|registered| registered.method == announced_as);
        match later {
            Some(registered) => registered.options.clone(),
            None => Self::field(method).map(|field| self.fixed[field].clone()).unwrap_or_default(),
        }
    }

    pub(crate) fn encoding(&self) -> Option<&str> {
        self.fixed["positionEncoding"].as_str()
    }

    /// Whether saves are to be told, and with the text.
    pub(crate) fn save(&self) -> Option<bool> {
        let save = &self.fixed["textDocumentSync"]["save"];
        match save {
            Value::Bool(true) => Some(false),
            Value::Object(options) => {
                Some(options.get("includeText").and_then(Value::as_bool).unwrap_or(false))
            }
            // Servers that announce a bare number get saves, too: that is what editors send them.
            _ => self.fixed["textDocumentSync"].is_number().then_some(false),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Registered>> {
        self.registered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `client/registerCapability`.
    pub(crate) fn register(&self, params: &Value) {
        for registration in params["registrations"].as_array().into_iter().flatten() {
            let (Some(id), Some(method)) = (registration["id"].as_str(), registration["method"].as_str())
            else {
                continue;
            };
            let options = registration["registerOptions"].clone();
            let watchers = options["watchers"].as_array().into_iter().flatten();
            let wanted = watchers.filter_map(|watcher| wanted(&watcher["globPattern"])).collect();
            let registered = Registered { method: method.to_owned(), options, wanted };
            self.lock().insert(id.to_owned(), registered);
        }
    }

    /// `client/unregisterCapability`.
    pub(crate) fn unregister(&self, params: &Value) {
        // The misspelling is the protocol's.
        for unregistration in params["unregisterations"].as_array().into_iter().flatten() {
            if let Some(id) = unregistration["id"].as_str() {
                self.lock().remove(id);
            }
        }
    }

    /// Folders outside the project that the server asked to hear about: dependencies by path.
    pub(crate) fn bases_outside(&self, root: &Path) -> Vec<PathBuf> {
        let registered = self.lock();
        let wanted = registered.values().flat_map(|registered| &registered.wanted);
        let mut bases: Vec<PathBuf> = wanted
            .filter_map(|wanted| wanted.base.clone())
            .filter(|base| !base.starts_with(root) && !root.starts_with(base))
            .collect();
        bases.sort_unstable();
        bases.dedup();
        bases
    }

    /// Whether the server asked to hear about a file; `None` when it asked for none at all.
    pub(crate) fn wants(&self, path: &Path, root: &Path) -> Option<bool> {
        let registered = self.lock();
        let mut asked = false;
        for wanted in registered.values().flat_map(|registered| &registered.wanted) {
            asked = true;
            let fits = match &wanted.base {
                Some(base) => path.strip_prefix(base).is_ok_and(|relative| wanted.glob.is_match(relative)),
                None => {
                    wanted.glob.is_match(path)
                        || path.strip_prefix(root).is_ok_and(|relative| wanted.glob.is_match(relative))
                }
            };
            if fits {
                return Some(true);
            }
        }
        asked.then_some(false)
    }
}

fn wanted(pattern: &Value) -> Option<Wanted> {
    let (base, glob) = match pattern {
        Value::String(glob) => (None, glob.as_str()),
        relative => {
            let base = relative["baseUri"].as_str().or_else(|| relative["baseUri"]["uri"].as_str())?;
            (Some(uri::to_path(base)?), relative["pattern"].as_str()?)
        }
    };
    let glob = GlobBuilder::new(glob).literal_separator(true).empty_alternates(true).build().ok()?;
    Some(Wanted { base, glob: glob.compile_matcher() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announced_and_registered_methods_may_be_asked() {
        let capabilities = Capabilities::new(json!({ "hoverProvider": {}, "referencesProvider": false }));
        assert!(capabilities.has("textDocument/hover"));
        let capabilities = capabilities.without(&["textDocument/hover".to_owned()]);
        assert!(!capabilities.has("textDocument/hover"));
        let capabilities = Capabilities::new(json!({ "hoverProvider": {}, "referencesProvider": false }));
        assert!(capabilities.has("textDocument/hover"));
        assert!(!capabilities.has("textDocument/references"));
        assert!(!capabilities.has("textDocument/definition"));
        capabilities.register(&json!({ "registrations": [
            { "id": "1", "method": "textDocument/definition", "registerOptions": { "x": 1 } },
            { "id": 2, "method": "textDocument/references" },
        ] }));
        assert!(capabilities.has("textDocument/definition"));
        assert!(!capabilities.has("textDocument/references"), "an id is a string");
        assert_eq!(capabilities.options("textDocument/definition"), json!({ "x": 1 }));
        capabilities
            .unregister(&json!({ "unregisterations": [{ "id": "1", "method": "textDocument/definition" }] }));
        assert!(!capabilities.has("textDocument/definition"));
    }

    #[test]
    fn watchers_are_absolute_relative_or_bound_to_a_folder() {
        let capabilities = Capabilities::new(json!({}));
        let root = Path::new("/w");
        assert_eq!(capabilities.wants(Path::new("/w/a.rs"), root), None);
        capabilities.register(&json!({ "registrations": [{
            "id": "files",
            "method": "workspace/didChangeWatchedFiles",
            "registerOptions": { "watchers": [
                { "globPattern": "**/*.{rs,toml}" },
                { "globPattern": { "baseUri": "file:///w/sub%20dir", "pattern": "*.json" } },
                { "globPattern": "/elsewhere/x/**/y.txt" },
            ] },
        }] }));
        let wants = |path: &str| capabilities.wants(Path::new(path), root);
        assert_eq!(wants("/w/deep/a.rs"), Some(true));
        assert_eq!(wants("/w/Cargo.toml"), Some(true));
        assert_eq!(wants("/w/sub dir/a.json"), Some(true));
        assert_eq!(wants("/w/sub dir/deeper/a.json"), Some(false));
        assert_eq!(wants("/elsewhere/x/a/y.txt"), Some(true));
        assert_eq!(wants("/w/a.py"), Some(false));
    }
}

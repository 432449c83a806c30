//! What the server says it can do.

use serde_json::{Map, Value, json};

use super::edits::COMMAND;
use crate::fake::{Change, Diagnostics, Encoding, Script};

/// Methods with the capability that announces them.
const PROVIDERS: &[(&str, &str)] = &[
    ("textDocument/definition", "definitionProvider"),
    ("textDocument/declaration", "declarationProvider"),
    ("textDocument/typeDefinition", "typeDefinitionProvider"),
    ("textDocument/implementation", "implementationProvider"),
    ("textDocument/references", "referencesProvider"),
    ("textDocument/hover", "hoverProvider"),
    ("textDocument/documentSymbol", "documentSymbolProvider"),
    ("workspace/symbol", "workspaceSymbolProvider"),
    ("textDocument/prepareCallHierarchy", "callHierarchyProvider"),
    ("textDocument/prepareTypeHierarchy", "typeHierarchyProvider"),
    ("textDocument/completion", "completionProvider"),
    ("textDocument/signatureHelp", "signatureHelpProvider"),
    ("textDocument/rename", "renameProvider"),
    ("textDocument/diagnostic", "diagnosticProvider"),
];

/// Those of a server that offers to change files.
const EDITS: &[(&str, &str)] = &[
    ("textDocument/codeAction", "codeActionProvider"),
    ("workspace/executeCommand", "executeCommandProvider"),
    ("textDocument/formatting", "documentFormattingProvider"),
    ("textDocument/rangeFormatting", "documentRangeFormattingProvider"),
];

/// The options of a provider; they are the register options too.
pub(super) fn options(method: &str) -> Value {
    match method {
        "textDocument/completion" => json!({ "triggerCharacters": [" "], "resolveProvider": true }),
        "textDocument/signatureHelp" => json!({ "triggerCharacters": [" "] }),
        "textDocument/rename" => json!({ "prepareProvider": true }),
        "textDocument/codeAction" => json!({ "resolveProvider": true }),
        "workspace/executeCommand" => json!({ "commands": [COMMAND] }),
        "textDocument/diagnostic" => {
            json!({ "identifier": "fake", "interFileDependencies": true, "workspaceDiagnostics": true })
        }
        _ => json!({}),
    }
}

/// The announced method that a follow-up request belongs to.
pub(super) fn family(method: &str) -> &str {
    match method {
        "callHierarchy/incomingCalls" | "callHierarchy/outgoingCalls" => "textDocument/prepareCallHierarchy",
        "typeHierarchy/supertypes" | "typeHierarchy/subtypes" => "textDocument/prepareTypeHierarchy",
        "completionItem/resolve" => "textDocument/completion",
        "textDocument/prepareRename" => "textDocument/rename",
        "codeAction/resolve" => "textDocument/codeAction",
        "workspace/diagnostic" => "textDocument/diagnostic",
        _ => method,
    }
}

pub(super) fn pulls(script: &Script) -> bool {
    matches!(script.diagnostics, Diagnostics::Pull | Diagnostics::Both)
}

/// The result of `initialize`.
pub(super) fn initialize_result(script: &Script, encoding: Encoding) -> Value {
    let change = if script.change == Change::Full { 1 } else { 2 };
    let mut capabilities = Map::new();
    capabilities.insert("positionEncoding".to_owned(), json!(encoding.name()));
    capabilities.insert(
        "textDocumentSync".to_owned(),
        json!({ "openClose": true, "change": change, "save": { "includeText": false } }),
    );
    capabilities.insert(
        "workspace".to_owned(),
        json!({ "workspaceFolders": { "supported": true, "changeNotifications": true } }),
    );
    let edits = if script.offers_edits { EDITS } else { &[] };
    for (method, provider) in PROVIDERS.iter().chain(edits) {
        let named = |methods: &[String]| methods.iter().any(|name| name == method);
        let absent = *method == "textDocument/diagnostic" && !pulls(script);
        if !absent && !named(&script.without) && !named(&script.dynamic) {
            let options = options(method);
            let plain = options.as_object().is_some_and(Map::is_empty);
            capabilities.insert((*provider).to_owned(), if plain { json!(true) } else { options });
        }
    }
    json!({ "capabilities": capabilities, "serverInfo": { "name": "fake-lsp", "version": "1.0" } })
}

/// The script's encoding if the client offers it.
pub(super) fn encoding(script: &Script, params: &Value) -> Encoding {
    let offered = &params["capabilities"]["general"]["positionEncodings"];
    let offers = |name: &str| offered.as_array().is_some_and(|names| names.iter().any(|it| it == name));
    if offers(script.encoding.name()) { script.encoding } else { Encoding::Utf16 }
}

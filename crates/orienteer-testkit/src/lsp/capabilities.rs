//! What the raw client says it can do.

use serde_json::{Value, json};

/// Everything that an answer about code can profit from. Servers answer differently to a client that says
/// less, so a comparison must say as much as the product does.
pub fn full_capabilities() -> Value {
    let kinds: Vec<u64> = (1..=26).collect();
    json!({
        "general": {
            "positionEncodings": ["utf-8", "utf-16", "utf-32"],
            "staleRequestSupport": { "cancel": true, "retryOnContentModified": [] },
        },
        "window": { "workDoneProgress": true, "showMessage": {}, "showDocument": { "support": false } },
        "workspace": {
            "applyEdit": true,
            "configuration": true,
            "workspaceFolders": true,
            "didChangeConfiguration": { "dynamicRegistration": true },
            "didChangeWatchedFiles": { "dynamicRegistration": true, "relativePatternSupport": true },
            "symbol": { "dynamicRegistration": true, "symbolKind": { "valueSet": kinds } },
            "diagnostics": { "refreshSupport": true },
            "workspaceEdit": {
                "documentChanges": true,
                "resourceOperations": ["create", "rename", "delete"],
                "failureHandling": "abort",
            },
        },
        "textDocument": text_document(&kinds),
        "experimental": { "serverStatusNotification": true },
    })
}

fn text_document(kinds: &[u64]) -> Value {
    let link = json!({ "dynamicRegistration": true, "linkSupport": true });
    let dynamic = json!({ "dynamicRegistration": true });
    json!({
        "synchronization": { "dynamicRegistration": true, "didSave": true },
        "definition": link,
        "declaration": link,
        "typeDefinition": link,
        "implementation": link,
        "references": dynamic,
        "callHierarchy": dynamic,
        "typeHierarchy": dynamic,
        "hover": { "dynamicRegistration": true, "contentFormat": ["markdown", "plaintext"] },
        "documentSymbol": {
            "dynamicRegistration": true,
            "hierarchicalDocumentSymbolSupport": true,
            "symbolKind": { "valueSet": kinds },
            "tagSupport": { "valueSet": [1] },
        },
        "completion": {
            "dynamicRegistration": true,
            "contextSupport": true,
            "completionItem": {
                "snippetSupport": false,
                "documentationFormat": ["markdown", "plaintext"],
                "resolveSupport": { "properties": ["documentation", "detail"] },
            },
        },
        "signatureHelp": {
            "dynamicRegistration": true,
            "contextSupport": true,
            "signatureInformation": {
                "documentationFormat": ["markdown", "plaintext"],
                "parameterInformation": { "labelOffsetSupport": true },
                "activeParameterSupport": true,
            },
        },
        "rename": { "dynamicRegistration": true, "prepareSupport": true },
        "codeAction": {
            "dynamicRegistration": true,
            "dataSupport": true,
            "resolveSupport": { "properties": ["edit"] },
            "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix", "refactor", "source"] } },
        },
        "publishDiagnostics": {
            "versionSupport": true,
            "relatedInformation": true,
            "codeDescriptionSupport": true,
            "dataSupport": true,
            "tagSupport": { "valueSet": [1, 2] },
        },
        "diagnostic": { "dynamicRegistration": true, "relatedDocumentSupport": true },
    })
}

//! Tools that talk to the client before they answer: log messages, sampling and elicitation.

use std::time::Duration;

use rmcp::model::{
    CallToolResult, ClientResult, ContentBlock, ElicitRequest, ElicitRequestParams, LoggingLevel,
    LoggingMessageNotificationParam, ServerRequest,
};
use rmcp::service::Peer;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Map, Value, json};

/// Name, description and required text argument of the tools that [`call`] answers.
pub(crate) const TOOLS: &[(&str, &str, Option<&str>)] = &[
    ("test_tool_with_logging", "Sends three log messages.", None),
    ("test_sampling", "Asks the client's model.", Some("prompt")),
    ("test_elicitation", "Asks the client's user.", Some("message")),
    ("test_elicitation_sep1034_defaults", "Asks the user, with defaults.", None),
    ("test_elicitation_sep1330_enums", "Asks the user to choose.", None),
];

pub(crate) async fn call(
    tool: &str,
    arguments: &Map<String, Value>,
    peer: &Peer<RoleServer>,
) -> Option<Result<CallToolResult, ErrorData>> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let answer = match tool {
        "test_tool_with_logging" => log(peer).await,
        "test_sampling" => sample(peer, &text("prompt")).await,
        "test_elicitation" => elicit(peer, &text("message"), who()).await,
        "test_elicitation_sep1034_defaults" => elicit(peer, "Please look at the defaults", defaults()).await,
        "test_elicitation_sep1330_enums" => elicit(peer, "Please choose", choices()).await,
        _ => return None,
    };
    Some(answer)
}

fn said(text: String) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn failed(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

async fn log(peer: &Peer<RoleServer>) -> Result<CallToolResult, ErrorData> {
    for text in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(text));
        peer.notify_logging_message(message).await.map_err(failed)?;
        // The suite wants to see messages arrive while the tool still runs.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(said("Three messages were logged.".to_owned()))
}

async fn sample(peer: &Peer<RoleServer>, prompt: &str) -> Result<CallToolResult, ErrorData> {
    let message = json!({ "role": "user", "content": { "type": "text", "text": prompt } });
    let params = json!({ "messages": [message], "maxTokens": 100 });
    let answer =
        peer.create_message(serde_json::from_value(params).map_err(failed)?).await.map_err(failed)?;
    let answer = serde_json::to_value(answer.message.content).map_err(failed)?;
    Ok(said(format!("LLM response: {}", answer["text"].as_str().unwrap_or_default())))
}

async fn elicit(peer: &Peer<RoleServer>, message: &str, schema: Value) -> Result<CallToolResult, ErrorData> {
    let params = json!({ "mode": "form", "message": message, "requestedSchema": schema });
    let params: ElicitRequestParams = serde_json::from_value(params).map_err(failed)?;
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(params));
    match peer.send_request(request).await.map_err(failed)? {
        ClientResult::ElicitResult(result) => {
            let action = serde_json::to_value(&result.action).map_err(failed)?;
            let content = result.content.unwrap_or_default();
            Ok(said(format!("Elicitation completed: action={action}, content={content}")))
        }
        other => Err(failed(format!("the client answered {other:?}"))),
    }
}

fn who() -> Value {
    json!({
        "type": "object",
        "properties": {
            "username": { "type": "string", "description": "User's response" },
            "email": { "type": "string", "description": "User's email address" },
        },
        "required": ["username", "email"],
    })
}

fn defaults() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "default": "John Doe" },
            "age": { "type": "integer", "default": 30 },
            "score": { "type": "number", "default": 95.5 },
            "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
            "verified": { "type": "boolean", "default": true },
        },
    })
}

/// Every way the protocol has to write a choice.
fn choices() -> Value {
    let titled = json!([
        { "const": "value1", "title": "First Option" },
        { "const": "value2", "title": "Second Option" },
        { "const": "value3", "title": "Third Option" },
    ]);
    let plain = json!(["option1", "option2", "option3"]);
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": plain },
            "titledSingle": { "type": "string", "oneOf": titled },
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": { "type": "array", "items": { "type": "string", "enum": plain } },
            "titledMulti": { "type": "array", "items": { "anyOf": titled } },
        },
    })
}

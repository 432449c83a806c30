//! The suite's resources.

use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use crate::content::{PNG, PNG_TYPE};

pub(crate) fn list() -> Vec<Resource> {
    vec![
        Resource::new("test://static-text", "Static text")
            .with_description("A text that never changes.")
            .with_mime_type("text/plain"),
        Resource::new("test://static-binary", "Static bytes")
            .with_description("A picture that never changes.")
            .with_mime_type(PNG_TYPE),
        Resource::new("test://watched-resource", "Watched")
            .with_description("A text that can be subscribed to.")
            .with_mime_type("text/plain"),
    ]
}

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new("test://template/{id}/data", "Data by id")
            .with_description("Contains the id it was asked for.")
            .with_mime_type("application/json"),
    ]
}

pub(crate) fn read(uri: &str) -> Option<ReadResourceResult> {
    let text = |text: &str, kind: &str| ResourceContents::text(text, uri).with_mime_type(kind);
    let contents = match uri {
        "test://static-text" => text("This is the content of the static text resource.", "text/plain"),
        "test://static-binary" => ResourceContents::blob(PNG, uri).with_mime_type(PNG_TYPE),
        "test://watched-resource" => text("This is the content of the watched resource.", "text/plain"),
        _ => {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            text(&data.to_string(), "application/json")
        }
    };
    Some(ReadResourceResult::new(vec![contents]))
}

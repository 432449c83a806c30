//! Content that no tool of ours produces.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

/// A picture of one red pixel.
pub(crate) const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
pub(crate) const PNG_TYPE: &str = "image/png";

/// A sound without a sample.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

/// Name and description of the tools that [`call`] answers.
pub(crate) const TOOLS: &[(&str, &str)] = &[
    ("test_image_content", "Returns a picture."),
    ("test_audio_content", "Returns a sound."),
    ("test_embedded_resource", "Returns a resource inside its result."),
    ("test_multiple_content_types", "Returns text, a picture and a resource."),
];

pub(crate) fn call(tool: &str) -> Option<CallToolResult> {
    let resource = |uri: &str, kind: &str, text: &str| {
        ContentBlock::resource(ResourceContents::text(text, uri).with_mime_type(kind))
    };
    let content = match tool {
        "test_image_content" => vec![ContentBlock::image(PNG, PNG_TYPE)],
        "test_audio_content" => vec![ContentBlock::audio(WAV, "audio/wav")],
        "test_embedded_resource" => {
            vec![resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")]
        }
        "test_multiple_content_types" => vec![
            ContentBlock::text("Multiple content types test:"),
            ContentBlock::image(PNG, PNG_TYPE),
            resource("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#),
        ],
        _ => return None,
    };
    Some(CallToolResult::success(content))
}

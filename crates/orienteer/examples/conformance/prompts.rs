//! The suite's prompts.

use rmcp::model::{
    ContentBlock, GetPromptResult, Prompt, PromptArgument, PromptMessage, ResourceContents, Role,
};
use serde_json::{Map, Value};

use crate::content::{PNG, PNG_TYPE};

pub(crate) fn list() -> Vec<Prompt> {
    let required = |name: &str| PromptArgument::new(name).with_required(true);
    let prompt = |name: &str, description: &str, arguments: Vec<PromptArgument>| {
        Prompt::new(name, Some(description), Some(arguments))
    };
    vec![
        prompt("test_simple_prompt", "A text.", vec![]),
        prompt(
            "test_prompt_with_arguments",
            "A text with its arguments.",
            vec![required("arg1"), required("arg2")],
        ),
        prompt("test_prompt_with_embedded_resource", "A resource and a text.", vec![required("resourceUri")]),
        prompt("test_prompt_with_image", "A picture and a text.", vec![]),
    ]
}

pub(crate) fn get(name: &str, arguments: &Map<String, Value>) -> Option<GetPromptResult> {
    let argument = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let user = |content: ContentBlock| PromptMessage::new(Role::User, content);
    let messages = match name {
        "test_simple_prompt" => vec![user(ContentBlock::text("This is a simple prompt for testing."))],
        "test_prompt_with_arguments" => {
            let (arg1, arg2) = (argument("arg1"), argument("arg2"));
            vec![user(ContentBlock::text(format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")))]
        }
        "test_prompt_with_embedded_resource" => {
            let text = "Embedded resource content for testing.";
            let resource = ResourceContents::text(text, argument("resourceUri")).with_mime_type("text/plain");
            vec![
                user(ContentBlock::resource(resource)),
                user(ContentBlock::text("Please process the embedded resource above.")),
            ]
        }
        "test_prompt_with_image" => vec![
            user(ContentBlock::image(PNG, PNG_TYPE)),
            user(ContentBlock::text("Please analyze the image above.")),
        ],
        _ => return None,
    };
    Some(GetPromptResult::new(messages))
}

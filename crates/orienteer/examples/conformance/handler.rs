//! Our server with the rest of the protocol around it.

use std::borrow::Cow;
use std::sync::Arc;

use orienteer::server::McpServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CompletionInfo,
    CustomRequest, CustomResult, ErrorData, GetPromptRequestParams, GetPromptResponse, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
    SetLevelRequestParams, SubscribeRequestParams, Tool, UnsubscribeRequestParams,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Map, Value, json};

use crate::{ask, content, prompts, resources};

/// Passes on to `ours` whatever it can answer.
#[derive(Debug, Clone)]
pub(crate) struct Conformance {
    ours: McpServer,
}

type Context = RequestContext<RoleServer>;

impl Conformance {
    pub(crate) fn new(ours: McpServer) -> Self {
        Self { ours }
    }
}

/// The tools that are answered beside the router.
fn unrouted() -> impl Iterator<Item = Tool> {
    let plain = content::TOOLS.iter().map(|(name, description)| (*name, *description, None));
    plain.chain(ask::TOOLS.iter().copied()).map(|(name, description, argument)| {
        let mut schema = Map::from_iter([("type".to_owned(), json!("object"))]);
        if let Some(argument) = argument {
            schema.insert("properties".to_owned(), json!({ argument: { "type": "string" } }));
            schema.insert("required".to_owned(), json!([argument]));
        }
        Tool::new(name, description, Arc::new(schema))
    })
}

impl ServerHandler for Conformance {
    fn get_info(&self) -> ServerConfig {
        let mut info = self.ours.get_info();
        info.capabilities = ServerCapabilities::builder()
            .enable_logging()
            .enable_completions()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .build();
        info
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.ours.supported_protocol_versions()
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut list = self.ours.list_tools(request, context).await?;
        list.tools.extend(unrouted());
        Ok(list)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.ours.get_tool(name).or_else(|| unrouted().find(|tool| tool.name == name))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(result) = content::call(&request.name) {
            return Ok(result.into());
        }
        let arguments = request.arguments.clone().unwrap_or_default();
        if let Some(result) = ask::call(&request.name, &arguments, &context.peer).await {
            return Ok(result?.into());
        }
        self.ours.call_tool(request, context).await
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::list()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(&request.uri).map(ReadResourceResponse::from).ok_or_else(|| {
            ErrorData::resource_not_found("there is no such resource", Some(json!({ "uri": request.uri })))
        })
    }

    /// The suite subscribes to things that never change, so there is nothing to keep.
    async fn subscribe(&self, request: SubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        known(&request.uri)
    }

    async fn unsubscribe(&self, request: UnsubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        known(&request.uri)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        prompts::get(&request.name, &arguments)
            .map(GetPromptResponse::from)
            .ok_or_else(|| ErrorData::invalid_params("there is no such prompt", None))
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: Context,
    ) -> Result<CompleteResult, ErrorData> {
        let values = ["paris", "park", "party"];
        let begun = &request.argument.value;
        let values = values.iter().filter(|value| value.starts_with(begun)).map(|value| (*value).to_owned());
        let info = CompletionInfo::with_all_values(values.collect());
        info.map(CompleteResult::new).map_err(|error| ErrorData::internal_error(error, None))
    }

    /// Every level is sent: the suite counts messages and never asks for fewer.
    async fn set_level(&self, _: SetLevelRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: Context,
    ) -> Result<CustomResult, ErrorData> {
        self.ours.on_custom_request(request, context).await
    }
}

fn known(uri: &str) -> Result<(), ErrorData> {
    match resources::read(uri) {
        Some(_) => Ok(()),
        None => Err(ErrorData::resource_not_found("there is no such resource", Some(Value::from(uri)))),
    }
}

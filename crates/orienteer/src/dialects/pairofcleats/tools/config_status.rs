//! `config_status`: what is in force, who said so, and what a person would want to know about it.

use std::time::Duration;

use orienteer_base::Problem;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::repo::Repo;
use crate::config::Config;
use crate::dialect::DialectTool;
use crate::tool::Ctx;

pub(super) struct ConfigStatus;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Args {
    /// Repository; default: that of the current folder.
    repo_path: Option<String>,
}

impl DialectTool for ConfigStatus {
    const NAME: &'static str = "config_status";
    const TITLE: &'static str = "Configuration status";
    const DESCRIPTION: &'static str =
        "Settings in force with their origins, limits, the cache, and warnings about the repository.";
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Map<String, Value>, Problem> {
        let repo = Repo::of(&ctx, args.repo_path.as_deref()).await?;
        let found = repo.ctx.session.config_status(&ctx.cancel).await?;
        let (config, own) = (repo.config(), repo.settings());
        let told = found.iter().map(|warning| (warning.kind.as_str(), &warning.message));
        let settings = config.warnings.iter().map(|warning| (warning.kind, &warning.message));
        let warnings: Vec<Value> =
            told.chain(settings).map(|(kind, message)| json!({ "kind": kind, "message": message })).collect();
        let mut notes = Vec::new();
        if repo.is_elsewhere() {
            notes.push(format!(
                "`mcp` is what this repository asks for; calls are held to `mcpInForce`, because the server was started \
                 in {}",
                ctx.session.roots().workspace().display()
            ));
        }
        let index = repo.ctx.session.index_status(false, &ctx.cancel).await.ok();
        let (mut settings, mut origins) = (Map::new(), Map::new());
        for (key, value, origin) in config.layers.shown() {
            settings.insert(key.name.to_owned(), json!(value));
            origins.insert(key.name.to_owned(), json!(origin.to_string()));
        }
        let told = json!({
            "repoPath": repo.shown(),
            "configPath": own.file.display().to_string(),
            "configPresent": own.present,
            "cacheRoot": own.cache_root.as_ref().map(|root| root.display().to_string()),
            "dataPath": config.data_folder.display().to_string(),
            "indexPath": index.map(|index| index.folder),
            "mcp": limits(config, &ctx),
            "mcpInForce": repo.is_elsewhere().then(|| limits(ctx.config(), &ctx)),
            "settings": settings,
            "origins": origins,
            "ignored": own.ignored,
            "notes": notes,
            "warnings": warnings,
        });
        Ok(told.as_object().cloned().unwrap_or_default())
    }
}

fn limits(config: &Config, ctx: &Ctx) -> Value {
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let of_tool = |tool: &str| {
        let patience = ctx.router.dialect().envelope.patience(tool);
        json!(millis(config.timeout_or(tool, patience)))
    };
    let timeouts = ctx.router.offered().map(|(entry, _)| (entry.name.to_owned(), of_tool(entry.name)));
    json!({
        "maxBufferBytes": config.max_buffer_bytes,
        "queueMax": config.queue_max,
        "toolTimeoutMs": millis(config.timeout("")),
        "toolTimeouts": timeouts.collect::<Map<String, Value>>(),
    })
}

//! `config_status`: what is in force, who said so, and what a person would want to know about it.

use orienteer_base::Problem;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::repo::Repo;
use super::super::settings::Settings;
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
        let config = ctx.config();
        let own = ctx.settings::<Settings>().unwrap_or_default();
        let mut warnings: Vec<Value> = found
            .iter()
            .map(|warning| json!({ "kind": warning.kind.as_str(), "message": warning.message }))
            .collect();
        for key in &own.withheld {
            let message = format!(
                "`{key}` of {} counts only after `orienteer trust`: it says where is written",
                own.file.display()
            );
            warnings.push(json!({ "kind": "untrusted_setting", "message": message }));
        }
        let millis = |tool: &str| {
            let patience = ctx.router.dialect().envelope.patience(tool);
            u64::try_from(config.timeout_or(tool, patience).as_millis()).unwrap_or(u64::MAX)
        };
        let timeouts: Map<String, Value> = ctx
            .router
            .offered()
            .map(|(entry, _)| (entry.name.to_owned(), json!(millis(entry.name))))
            .collect();
        let mut notes = Vec::new();
        if repo.ctx.session.roots() != ctx.session.roots() {
            notes.push(format!(
                "limits and settings are those of the server, which was started in {}; the warnings are about this \
                 repository",
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
            "mcp": {
                "maxBufferBytes": config.max_buffer_bytes,
                "queueMax": config.queue_max,
                "toolTimeoutMs": u64::try_from(config.timeout("").as_millis()).unwrap_or(u64::MAX),
                "toolTimeouts": timeouts,
            },
            "settings": settings,
            "origins": origins,
            "ignored": own.ignored,
            "notes": notes,
            "warnings": warnings,
        });
        Ok(told.as_object().cloned().unwrap_or_default())
    }
}

//! `verify_extensions`: are the extensions still what was fetched?

use orienteer_base::Problem;
use orienteer_engine::data::Kind;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::data;
use super::super::repo::Repo;
use super::download_extensions::wanted;
use crate::dialect::DialectTool;
use crate::tool::Ctx;

pub(super) struct VerifyExtensions;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Args {
    /// Repository; default: that of the current folder.
    repo_path: Option<String>,
    /// Only this one, for platform and arch; default: all that were fetched.
    provider: Option<String>,
    /// Refused: extensions are kept in the cache.
    dir: Option<String>,
    /// Refused: extensions are kept in the cache.
    path: Option<String>,
    /// Default: this machine's.
    platform: Option<String>,
    /// Default: this machine's.
    arch: Option<String>,
    /// Nothing that was fetched is ever loaded or run.
    #[serde(default)]
    load: bool,
}

impl DialectTool for VerifyExtensions {
    const NAME: &'static str = "verify_extensions";
    const TITLE: &'static str = "Verify extensions";
    const DESCRIPTION: &'static str =
        "Compare the fetched SQLite extensions with what they were. None is loaded.";
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Map<String, Value>, Problem> {
        data::no_other_place("dir", args.dir.as_deref())?;
        data::no_other_place("path", args.path.as_deref())?;
        let repo = Repo::of(&ctx, args.repo_path.as_deref()).await?;
        let mut held = data::held(&repo.ctx.session, Kind::Extension, &ctx.cancel).await?;
        let only = wanted(args.provider.as_deref(), args.platform.as_deref(), args.arch.as_deref(), false);
        if let Some(only) = &only {
            held.retain(|one| one["name"] == only.as_str());
            if held.is_empty() {
                held.push(json!({ "name": only, "status": "missing", "path": null, "faults": [] }));
            }
        }
        let sound = held.iter().all(|one| one["status"] == "present");
        let mut notes = Vec::new();
        if held.is_empty() {
            notes.push("nothing was fetched, and nothing is needed: search uses no extension");
        }
        if args.load {
            notes.push("nothing was loaded: extensions are never run");
        }
        let missing = held.iter().any(|one| one["status"] == "missing");
        let status = match (held.is_empty(), sound, missing) {
            (true, ..) => "nothing_to_do",
            (_, true, _) => "verified",
            (_, _, true) => "missing",
            _ => "damaged",
        };
        let told = json!({
            "repoPath": repo.shown(),
            "status": status,
            "ok": sound,
            "loaded": false,
            "extensions": held,
            "notes": notes,
        });
        Ok(told.as_object().cloned().unwrap_or_default())
    }
}

//! `download_extensions`: extensions of SQLite, fetched by address. They are kept and checked, never loaded.

use orienteer_base::Problem;
use orienteer_engine::data::Kind;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::data;
use super::super::repo::Repo;
use crate::dialect::DialectTool;
use crate::tool::{Ctx, Effect};

pub(super) struct DownloadExtensions;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Args {
    /// Repository; default: that of the current folder.
    repo_path: Option<String>,
    /// What it is called.
    #[serde(default = "usual_provider")]
    provider: String,
    /// Refused: extensions are kept in the cache.
    dir: Option<String>,
    /// Where it is: https://…/vec.tar.gz#sha256=…
    url: Option<String>,
    /// Refused: extensions are kept in the cache.
    out: Option<String>,
    /// Part of its name; default: this machine's.
    platform: Option<String>,
    /// Part of its name; default: this machine's.
    arch: Option<String>,
    /// What is there with another content is always replaced; the same content is never fetched twice.
    #[serde(default)]
    #[allow(dead_code, reason = "both values mean the same")]
    update: bool,
    /// What is there is read and compared each time, and fetched again when it is damaged.
    #[serde(default)]
    #[allow(dead_code, reason = "both values mean the same")]
    force: bool,
    /// The SHA-256 that it must have, where the address does not say.
    sha256: Option<String>,
}

pub(super) fn usual_provider() -> String {
    "sqlite-vec".to_owned()
}

/// `sqlite-vec-linux-x64`, in the words of Node for platforms.
pub(super) fn named(provider: &str, platform: Option<&str>, arch: Option<&str>) -> String {
    let platform = platform.unwrap_or(match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    });
    let arch = arch.unwrap_or(match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    });
    data::file_name(&format!("{provider}-{platform}-{arch}"))
}

const NOTHING: &str = "search needs no extension: everything it uses is built in; to keep one in the cache, give `url` \
                       and `sha256`";

impl DialectTool for DownloadExtensions {
    const NAME: &'static str = "download_extensions";
    const TITLE: &'static str = "Download extensions";
    const DESCRIPTION: &'static str = "Fetch a SQLite extension into the cache by address and SHA-256, or say which are there. None is loaded.";
    const EFFECT: Effect = Effect::Control;
    const OPEN_WORLD: bool = true;
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Map<String, Value>, Problem> {
        data::no_other_place("dir", args.dir.as_deref())?;
        data::no_other_place("out", args.out.as_deref())?;
        let repo = Repo::of(&ctx, args.repo_path.as_deref()).await?;
        let session = &repo.ctx.session;
        let usual = named(&args.provider, args.platform.as_deref(), args.arch.as_deref());
        let wishes = data::wishes(args.url.as_deref().unwrap_or_default(), args.sha256.as_deref())?;
        if wishes.is_empty() {
            let held = data::held(session, Kind::Extension, &ctx.cancel).await?;
            return Ok(data::payload(&repo, "extensions", held, Some(NOTHING)));
        }
        let mut fetched = Vec::new();
        for wish in wishes {
            let name = wish.name.as_deref().map_or_else(|| usual.clone(), data::file_name);
            fetched.push(data::fetch(session, Kind::Extension, name, wish, &ctx.cancel).await?);
        }
        Ok(data::payload(&repo, "extensions", fetched, None))
    }
}

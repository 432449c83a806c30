//! `download_extensions`: extensions of SQLite, fetched by address. They are kept and checked, never loaded.

use orienteer_base::Problem;
use orienteer_engine::data::Kind;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::data;
use super::super::downloads::{self, Sort};
use super::super::repo::Repo;
use crate::dialect::DialectTool;
use crate::tool::{Ctx, Effect};

pub(super) struct DownloadExtensions;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Args {
    /// Repository; default: that of the current folder.
    repo_path: Option<String>,
    /// What it is called; platform and arch are added to it.
    #[schemars(extend("default" = USUAL))]
    provider: Option<String>,
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

/// The one that PairOfCleats uses.
const USUAL: &str = "sqlite-vec";

/// `sqlite-vec-linux-x64`, in the words of Node for platforms.
fn named(provider: &str, platform: Option<&str>, arch: Option<&str>) -> String {
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

/// The one that is asked for. Who names a platform means one for it, unless addresses have names of their own.
pub(super) fn wanted(
    provider: Option<&str>,
    platform: Option<&str>,
    arch: Option<&str>,
    by_address: bool,
) -> Option<String> {
    let part = platform.is_some() || arch.is_some();
    let provider = provider.or((part && !by_address).then_some(USUAL))?;
    Some(named(provider, platform, arch))
}

static SORT: Sort = Sort {
    kind: Kind::Extension,
    what: "extension",
    field: "provider",
    nothing: "search needs no extension: everything it uses is built in; to keep one in the cache, give `url` \
                       and `sha256`",
};

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
        let (platform, arch) = (args.platform.as_deref(), args.arch.as_deref());
        let by_address = args.url.as_deref().is_some_and(|url| !url.trim().is_empty());
        let spelled = |name: &str| named(name, platform, arch);
        let names = wanted(args.provider.as_deref(), platform, arch, by_address).into_iter().collect();
        let asked = SORT.asked(names, args.url, args.sha256).spelled(&spelled, USUAL);
        downloads::serve(asked, &repo, &ctx).await
    }
}

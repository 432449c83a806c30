//! rust-analyzer without the standard library's sources loses references inside macros and reports errors that are
//! none, silently; and where rustup is, it downloads them by itself.

use std::path::{Path, PathBuf};
use std::time::Duration;

use orienteer_process::{CancellationToken, DEFAULT_ALLOWED, ProcessSpec};
use serde_json::{Value, json};

use crate::program::Restricted;
use crate::surroundings::Surroundings;

/// Where distributions put the sources of their own compiler; near enough for any other.
const ELSEWHERE: &str = "/usr/lib/rustlib/src/rust/library";

/// Names the sources when the toolchain has none and the machine has some.
pub(crate) async fn add(
    options: &mut Value,
    root: &Path,
    restricted: Option<&Restricted>,
    here: &Surroundings,
) {
    let given = !options["cargo"]["sysrootSrc"].is_null() || here.environment.get("RUST_SRC_PATH").is_some();
    if given || !Path::new(ELSEWHERE).is_dir() {
        return;
    }
    let names: Vec<&str> = DEFAULT_ALLOWED.iter().copied().chain(["RUSTUP_*", "CARGO_HOME"]).collect();
    let all = restricted.map_or_else(|| here.environment.clone(), |it| it.environment(&here.environment));
    let environment = all.allow_list(&names).with("RUSTUP_AUTO_INSTALL", "0");
    let spec = ProcessSpec::new("rustc", root, environment)
        .args(["--print", "sysroot"])
        .timeout(Duration::from_secs(10));
    let Ok(finished) = here.launcher.run(&spec, &CancellationToken::new()).await else { return };
    let sysroot = PathBuf::from(finished.stdout.text().trim());
    if finished.status.success() && sysroot.join("lib/rustlib/src/rust/library").is_dir() {
        return;
    }
    if options.is_null() {
        *options = json!({});
    }
    options["cargo"]["sysrootSrc"] = json!(ELSEWHERE);
}

//! rust-analyzer reads closed files on a thread of its own: a deletion that it was told of is true only when that
//! thread has looked. And it answers about a file that no crate has with nothing, as if there were nothing to say.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::live::{Live, Patience};
use crate::{catalog, uri};

/// Longer than its thread takes by far.
const AT_MOST: Duration = Duration::from_secs(2);

/// Asks about deleted files until it no longer knows them; `false` when it still does after all that time.
pub(crate) async fn wait_deleted(live: &Live, deleted: &[PathBuf], patience: &Patience) -> bool {
    let until = Instant::now() + AT_MOST;
    for path in deleted.iter().filter(|path| catalog::takes(&live.definition, path)) {
        let params = json!({ "textDocument": { "uri": uri::from_path(path) } });
        loop {
            let pending = live.wire.request("textDocument/documentSymbol", params.clone());
            // An error: the file is unknown.
            if live.reply("textDocument/documentSymbol", pending, patience).await.is_err() {
                break;
            }
            if Instant::now() >= until || patience.cancel.is_cancelled() {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    true
}

/// Why a file is not part of any crate, in its own words; `None` when it is.
pub(crate) async fn unlinked(live: &Live, file: &Path, patience: &Patience) -> Option<String> {
    if !live.capabilities.has("textDocument/diagnostic") {
        return None;
    }
    let params = json!({ "textDocument": { "uri": uri::from_path(file) } });
    let pending = live.wire.request("textDocument/diagnostic", params);
    let report = live.reply("textDocument/diagnostic", pending, patience).await.ok()?.value();
    let items = report["items"].as_array()?;
    let unlinked = items.iter().find(|item| item["code"] == "unlinked-file")?;
    let message = unlinked["message"].as_str().unwrap_or("it is in no module tree");
    Some(message.lines().next().unwrap_or_default().to_owned())
}

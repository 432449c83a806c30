//! rust-analyzer reads closed files on a thread of its own: a deletion that it was told of is true only when that
//! thread has looked.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::live::{Live, Patience};
use crate::{catalog, uri};

/// Longer than its thread takes by far.
const AT_MOST: Duration = Duration::from_secs(2);

/// Asks about deleted files until it no longer knows them.
pub(crate) async fn wait_deleted(live: &Live, deleted: &[PathBuf], patience: &Patience) {
    let until = Instant::now() + AT_MOST;
    for path in deleted.iter().filter(|path| catalog::takes(&live.definition, path)) {
        let params = json!({ "textDocument": { "uri": uri::from_path(path) } });
        while Instant::now() < until && !patience.cancel.is_cancelled() {
            let pending = live.wire.request("textDocument/documentSymbol", params.clone());
            // An error: the file is unknown.
            if live.reply("textDocument/documentSymbol", pending, patience).await.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

//! pyright sorts imports by a command and says so in the kinds of its actions, but offers no such action: its editor
//! extension has a menu entry for it.

use std::path::Path;

use serde_json::{Value, json};

use crate::live::Live;
use crate::uri;

pub(crate) const ORGANIZE: &str = "source.organizeImports";

/// Its command, which it does not announce either.
fn command(live: &Live) -> Option<&'static str> {
    ["pyright", "basedpyright"]
        .into_iter()
        .zip(["pyright.organizeimports", "basedpyright.organizeimports"])
        .find(|(kind, _)| live.definition.is(kind))
        .map(|(_, command)| command)
}

/// Whether it is the command of the action that is added here.
pub(crate) fn runs(live: &Live, name: &str) -> bool {
    command(live) == Some(name)
}

/// The action that it leaves out.
pub(crate) fn organize_imports(live: &Live, file: &Path) -> Option<Value> {
    let title = "Organize Imports";
    let run = json!({ "title": title, "command": command(live)?, "arguments": [uri::from_path(file)] });
    Some(json!({ "title": title, "kind": ORGANIZE, "command": run }))
}

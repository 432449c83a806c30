//! What several tests need.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use orienteer::config::places::Variables;
use orienteer::config::{Config, Given};
use orienteer::router::Router;
use orienteer::tools::TOOLS;
use orienteer_testkit::fake::{Script, fake_lsp_binary};
use orienteer_testkit::{Server, Tree, tree};

use crate::ORIENTEER;

/// What a finished command left.
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs a command in the crate's folder with nothing of the developer's settings.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Finished {
    run_in(program, arguments, Path::new(env!("CARGO_MANIFEST_DIR")), &[])
}

pub(crate) fn run_in(
    program: &str,
    arguments: &[&str],
    folder: &Path,
    variables: &[(&str, &str)],
) -> Finished {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.envs(variables.iter().copied());
    let output = command.output().unwrap_or_else(|error| panic!("{program}: {error}"));
    Finished {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A router over this crate's folder with some toolsets.
pub(crate) fn offered(toolsets: &str) -> Arc<Router> {
    let given = Given {
        variables: Variables::default(),
        current_folder: env!("CARGO_MANIFEST_DIR").into(),
        flags: vec![("--toolsets", "mcp.toolsets", toolsets.to_owned())],
        ..Given::default()
    };
    Router::new(Config::load(&given).unwrap(), TOOLS).unwrap()
}

/// A session with a server of this script.
pub(crate) fn over_fake(script: Script) -> (Tree, Server) {
    let tree = tree("//- /a.fake\ndef square n\nuse square\n");
    let server = over_fake_in(&tree, script);
    (tree, server)
}

/// The same over a tree.
pub(crate) fn over_fake_in(tree: &Tree, script: Script) -> Server {
    let script = script.without_texts().write(&tree.beside("fake"));
    let block = format!(
        "[[servers]]\nid = 'fake'\ncommand = '{}'\nargs = ['{}']\nextensions = ['fake']\nroot_markers = ['.']\n",
        fake_lsp_binary().display(),
        script.display()
    );
    let folder = tree.beside("home").join(".config/orienteer");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), block).unwrap();
    let args = ["--toolsets", "all", "--log-level", "error"];
    let mut server = Server::start(ORIENTEER, tree.root(), &args);
    server.initialize("2025-11-25");
    server
}

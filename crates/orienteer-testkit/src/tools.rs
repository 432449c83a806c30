//! Where the programs are that `cargo xtask test` installs.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The folder they are in. A test that silently did nothing without it would look green.
pub fn tools() -> PathBuf {
    match std::env::var_os("ORIENTEER_TEST_TOOLS") {
        Some(folder) => folder.into(),
        None => panic!(
            "ORIENTEER_TEST_TOOLS is not set: run `cargo xtask test`, or `cargo xtask install` and set it to \
             the folder test-tools of the target folder"
        ),
    }
}

/// A PATH with all installed language servers first, then what the machine has (rust-analyzer, clangd, gopls).
/// The order of the machine's own folders is kept, with whatever broken stand-ins are in them.
pub fn server_path() -> OsString {
    path_with(&[])
}

/// The same with TypeScript 7 (`tsc --lsp`) in place of TypeScript 6.
pub fn ts7_path() -> OsString {
    path_with(&["ts7/node_modules/.bin"])
}

/// The same with basedpyright; its `pyright-langserver` hides pyright's.
pub fn basedpyright_path() -> OsString {
    path_with(&["basedpyright/node_modules/.bin"])
}

/// The package of TypeScript 6, with `lib/tsserver.js`: to be linked as `node_modules/typescript` of a project,
/// or named in a setting.
pub fn typescript() -> PathBuf {
    tools().join("node/node_modules/typescript")
}

/// The package of TypeScript 7, to be linked as `node_modules/typescript` of a project.
pub fn typescript_7() -> PathBuf {
    tools().join("ts7/node_modules/typescript")
}

/// A package that Node has, to be linked into the `node_modules` of a project.
pub fn node_package(name: &str) -> PathBuf {
    tools().join("node/node_modules").join(name)
}

/// The program of this name in [`server_path`]; a panic that says what to do when there is none.
pub fn require(program: &str) -> PathBuf {
    find(program, &server_path()).unwrap_or_else(|| {
        panic!("`{program}` is not installed: run `cargo xtask install`, which installs it")
    })
}

/// Node's packages come before Python's: `node` itself is one of them, in the version that they need.
fn path_with(first: &[&str]) -> OsString {
    let tools = tools();
    let installed = first
        .iter()
        .chain(&["node/node_modules/.bin", "python/bin", "cargo/bin"])
        .map(|name| tools.join(name));
    let machine = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(installed.chain(std::env::split_paths(&machine))).expect("folders without a colon")
}

fn find(program: &str, path: &OsString) -> Option<PathBuf> {
    std::env::split_paths(path)
        .map(|folder: PathBuf| folder.join(format!("{program}{}", std::env::consts::EXE_SUFFIX)))
        .find(|candidate| executable(candidate))
}

#[cfg(unix)]
fn executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn executable(path: &Path) -> bool {
    path.is_file()
}

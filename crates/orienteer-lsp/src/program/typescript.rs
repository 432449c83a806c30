//! Which TypeScript is it?
//!
//! TypeScript 7 is a native program behind a small script; typescript-language-server needs the `tsserver.js` that
//! TypeScript had up to version 6. Both are found beside other files, not by name.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use orienteer_base::Roots;
use orienteer_base::settings_file::read_settings;
use orienteer_process::Environment;
use serde_json::{Value, json};

use super::trust::Trusted;
use super::within;
use crate::definition::Definition;

const NATIVE: &str = "typescript-native";

/// The native program that a script of TypeScript 7 would start. The script does not pass on its own end, so its child
/// would be left alive.
pub(super) fn native(definition: &Definition, script: &Path) -> Option<PathBuf> {
    if definition.kind != NATIVE {
        return None;
    }
    let package = package_of(script)?;
    // `typescript` has `@typescript/typescript-linux-x64`, `@typescript/native-preview` its own.
    let name = package.file_name()?.to_str()?;
    let program = script.file_stem()?.to_str()?;
    let platform = format!("{name}-{}-{}", node_platform(), node_architecture());
    let inside = Path::new("node_modules/@typescript").join(platform).join("lib");
    let program = inside.join(format!("{program}{}", std::env::consts::EXE_SUFFIX));
    package.ancestors().map(|folder| folder.join(&program)).find(|path| path.is_file())
}

/// Whether a `tsc` can be a language server at all, as far as its package tells.
pub(super) fn may_serve(definition: &Definition, script: &Path) -> bool {
    if definition.kind != NATIVE {
        return true;
    }
    let manifest = package_of(script).and_then(|package| read_settings(&package.join("package.json")));
    let manifest = manifest.and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let major = manifest
        .as_ref()
        .and_then(|manifest| manifest["version"].as_str()?.split('.').next()?.parse::<u32>().ok());
    major.is_none_or(|major| major >= 7)
}

/// The npm package that a command belongs to: `typescript` for `typescript/bin/tsc`. Commands are links into the
/// package, or, from some package managers, scripts in `.bin` beside it.
fn package_of(script: &Path) -> Option<PathBuf> {
    let real = std::fs::canonicalize(script).ok()?;
    let folder = real.parent()?;
    let packages = if folder.file_name()? == ".bin" {
        let beside = folder.parent()?;
        let name = if script.file_stem()? == "tsgo" { "@typescript/native-preview" } else { "typescript" };
        vec![std::fs::canonicalize(beside.join(name)).ok()?]
    } else {
        vec![folder.parent()?.to_path_buf()]
    };
    packages.into_iter().find(|package| package.join("package.json").is_file())
}

/// As Node.js calls it.
fn node_platform() -> &'static str {
    match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        "solaris" | "illumos" => "sunos",
        other => other,
    }
}

fn node_architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        "x86" => "ia32",
        "loongarch64" => "loong64",
        "powerpc64" => "ppc64",
        other => other,
    }
}

/// The `tsserver.js` to be used: the project's where that is allowed, else the one beside the server, else the one of
/// the TypeScript in PATH.
pub(super) fn tsserver(
    server: &Path,
    project_root: &Path,
    roots: &Roots,
    environment: &Environment,
    trusted: &Trusted,
) -> Option<PathBuf> {
    let exists = |path: &PathBuf| path.is_file();
    let own = own(project_root, roots).filter(|path| trusted.allows(path));
    own.or_else(|| {
        let server = std::fs::canonicalize(server).ok()?;
        server.ancestors().map(below).find(exists).filter(|path| trusted.allows(path))
    })
    .or_else(|| {
        let commands = ["tsserver", "tsc"].into_iter().flat_map(|name| environment.which(name, project_root));
        let packages = commands.filter_map(|command| package_of(&command));
        packages
            .map(|package| package.join("lib/tsserver.js"))
            .find(|path| exists(path) && trusted.allows(path))
    })
}

/// The project's own.
fn own(project_root: &Path, roots: &Roots) -> Option<PathBuf> {
    within(project_root, roots).into_iter().map(below).find(|path| path.is_file())
}

fn below(folder: &Path) -> PathBuf {
    folder.join("node_modules/typescript/lib/tsserver.js")
}

/// What TypeScript's server is told of the plugin that it needs for the files of a definition: the project's where that is
/// allowed, else the one that came with a command in PATH. `None` where none is needed, and where there is none.
pub(super) fn plugin(
    definition: &Definition,
    project_root: &Path,
    roots: &Roots,
    environment: &Environment,
    allows: impl Fn(&Path) -> bool,
) -> Option<Value> {
    let plugin = definition.typescript_plugin.as_ref()?;
    let is_in = |folder: &PathBuf| {
        let package = folder.join("node_modules").join(&plugin.name);
        package.join("package.json").is_file() && allows(&package)
    };
    let own = within(project_root, roots).into_iter().flat_map(|folder| {
        let bringer = Some(folder.join("node_modules").join(&plugin.package)).filter(|path| allows(path));
        // A link of the package manager's: what it depends on lies beside it.
        let bringer = bringer.and_then(|path| std::fs::canonicalize(path).ok());
        bringer.into_iter().chain([folder.to_path_buf()])
    });
    let commands = environment.which(&plugin.program, project_root).into_iter();
    let real = commands.filter_map(|command| std::fs::canonicalize(command).ok());
    let beside = real.flat_map(|command| command.ancestors().map(Path::to_path_buf).collect::<Vec<_>>());
    let location = own.chain(beside).find(is_in)?;
    let languages: BTreeSet<&String> = definition.extensions.values().collect();
    Some(json!({ "name": plugin.name, "location": location.to_str()?, "languages": languages }))
}

/// Whether typescript-language-server has a TypeScript to work with.
///
/// Left to itself it takes the project's, which must not run where that is not allowed, and ends at once when there is
/// none. A server that is not a plain npm package may have been built with a place of its own.
pub(super) fn usable(
    definition: &Definition,
    server: &Path,
    project_root: &Path,
    roots: &Roots,
    environment: &Environment,
    trusted: &Trusted,
) -> Result<(), String> {
    let is_given = definition.initialization_options["tsserver"]["path"].is_string();
    if let Some(wanted) = &definition.typescript_plugin
        && definition.initialization_options["plugins"].is_null()
        && plugin(definition, project_root, roots, environment, |path| trusted.allows(path)).is_none()
    {
        return Err(format!(
            "it needs `{}`, and there is none that may be used; npm install -g {}",
            wanted.name, wanted.package
        ));
    }
    if !definition.runs_tsserver()
        || is_given
        || tsserver(server, project_root, roots, environment, trusted).is_some()
    {
        return Ok(());
    }
    if own(project_root, roots).is_some() {
        return Err(
            "the only TypeScript for it belongs to the project, whose programs are not run without trust; \
                    npm install -g typescript@6"
                .to_owned(),
        );
    }
    let real = std::fs::canonicalize(server).unwrap_or_default();
    if real.ancestors().any(|folder| folder.ends_with("node_modules/typescript-language-server")) {
        return Err(
            "it needs TypeScript 6 or older, and there is none; npm install -g typescript@6".to_owned()
        );
    }
    Ok(())
}

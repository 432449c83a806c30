//! How Rust's programs are started in a project that nobody trusts.
//!
//! rust-analyzer asks cargo about a project, and cargo asks rustc; a repository can say for both which programs these are
//! (`.cargo/config.toml`, `rust-toolchain.toml`), and can bring programs that are built and run on the way (build scripts,
//! procedural macros). The last are switched off by settings. The first are closed by where cargo and rustc are started: cargo
//! reads configuration from its current folder upwards and not from beside the manifest, and rustup does the same for
//! toolchains. So rust-analyzer is given small programs of ours under the names of both, which start the real ones in an
//! empty folder. It looks for them in `CARGO_HOME`, in `RUSTC` and in `PATH`, and all three lead to them.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use orienteer_base::Roots;
use orienteer_base::private;
use orienteer_base::settings_file::read_settings;
use orienteer_base::sha256::Sha256;
use orienteer_process::Environment;
use serde_json::{Value, json};

/// Files of a project by which rust-analyzer itself is told which programs to run.
const TELLING: &[&str] =
    &["rust-project.json", ".rust-project.json", "rust-analyzer.toml", ".rust-analyzer.toml"];

/// Where there are no such small programs, what would tell cargo.
const TELLING_CARGO: &[&str] = &[".cargo/config.toml", ".cargo/config"];

/// What is asked of rust-analyzer itself and would start what a project names.
pub(crate) const LACKS: &[&str] = &["textDocument/formatting", "textDocument/rangeFormatting"];

/// What a server is started with so that nothing of a project runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restricted {
    /// The variables that differ.
    variables: Vec<(&'static str, OsString)>,
    /// Where our programs are, before the folders of `PATH`.
    programs: Option<PathBuf>,
}

impl Restricted {
    /// The environment in which Rust's programs run nothing of a project.
    pub(crate) fn environment(&self, environment: &Environment) -> Environment {
        let mut restricted = environment.clone();
        for (name, value) in &self.variables {
            restricted = restricted.with(name, value);
        }
        if let Some(programs) = &self.programs {
            let folders = std::iter::once(programs.clone()).chain(environment.search_path());
            if let Ok(path) = std::env::join_paths(folders) {
                restricted = restricted.with("PATH", path);
            }
        }
        restricted
    }

    /// What rust-analyzer is told, above all that the user's configuration says.
    pub(super) fn options() -> Value {
        json!({
            "cargo": { "buildScripts": { "enable": false } },
            "procMacro": { "enable": false },
            "checkOnSave": false,
        })
    }
}

/// Makes what a server needs to be started so.
///
/// # Errors
///
/// The file for which it cannot be started without trust, or why nothing could be written.
pub(super) fn restrict(
    project_root: &Path,
    roots: &Roots,
    environment: &Environment,
    state_folder: &Path,
) -> Result<Restricted, Refused> {
    // rust-analyzer looks for them in all folders above.
    let above = project_root.ancestors().map(Path::to_path_buf);
    let below = std::fs::read_dir(project_root).into_iter().flatten().flatten().map(|entry| entry.path());
    let around: Vec<PathBuf> = above.chain(below).collect();
    let names = TELLING.iter().chain(if cfg!(unix) { &[] } else { TELLING_CARGO });
    let telling = names.flat_map(|name| around.iter().map(move |folder| folder.join(name)));
    if let Some(file) = telling.into_iter().find(|file| file.symlink_metadata().is_ok()) {
        return Err(Refused::Told(file));
    }
    let toolchain = toolchain(project_root, environment);
    let mut restricted =
        Restricted { variables: vec![("RUSTUP_TOOLCHAIN", toolchain.clone())], programs: None };
    if cfg!(unix) {
        let folder = programs(roots, environment, &toolchain, state_folder).map_err(Refused::Unwritable)?;
        let bin = folder.join("bin");
        restricted.variables.push(("RUSTC", bin.join("rustc").into()));
        restricted.variables.push(("CARGO_HOME", folder.into()));
        restricted.programs = Some(bin);
    }
    Ok(restricted)
}

/// Why a server is not started.
#[derive(Debug)]
pub(super) enum Refused {
    Told(PathBuf),
    Unwritable(io::Error),
}

/// The toolchain that rustup is to take, whatever a project says about where one lies: what the user chose for this folder,
/// else the one that the project names, if the user has it, else the usual one.
fn toolchain(project_root: &Path, environment: &Environment) -> OsString {
    if let Some(chosen) = environment.get("RUSTUP_TOOLCHAIN") {
        return chosen.to_owned();
    }
    let home = environment.get("RUSTUP_HOME").map(PathBuf::from);
    let home = home.or_else(|| {
        let user = environment.get("HOME").or_else(|| environment.get("USERPROFILE"))?;
        Some(Path::new(user).join(".rustup"))
    });
    let Some(home) = home else { return "stable".into() };
    let settings = read_settings(&home.join("settings.toml")).unwrap_or_default();
    let settings: toml::Table = toml::from_str(&settings).unwrap_or_default();
    let overrides = settings.get("overrides").and_then(toml::Value::as_table);
    let chosen = project_root.ancestors().find_map(|folder| overrides?.get(folder.to_str()?)?.as_str());
    let installed: Vec<String> = std::fs::read_dir(home.join("toolchains"))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    let usual = settings.get("default_toolchain").and_then(toml::Value::as_str).unwrap_or("stable");
    let named =
        || project_root.ancestors().find_map(channel).and_then(|channel| installed_as(&installed, &channel));
    chosen.map(str::to_owned).or_else(named).unwrap_or_else(|| usual.to_owned()).into()
}

/// What the files of rustup in a folder name: a toolchain by its name, never by where it lies.
fn channel(folder: &Path) -> Option<String> {
    let text = ["rust-toolchain", "rust-toolchain.toml"]
        .iter()
        .find_map(|name| read_settings(&folder.join(name)))?;
    let table: Option<toml::Table> = toml::from_str(&text).ok();
    let channel = match &table {
        Some(table) => table.get("toolchain")?.get("channel")?.as_str()?.to_owned(),
        // The older form is the name alone.
        None => text.trim().to_owned(),
    };
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
    (!channel.is_empty() && channel.chars().all(is_plain) && !channel.starts_with('.')).then_some(channel)
}

/// `1.85` is installed as `1.85-x86_64-unknown-linux-gnu`, or under its own name.
fn installed_as(installed: &[String], channel: &str) -> Option<String> {
    let with_host = |name: &&String| {
        name.strip_prefix(channel).is_some_and(|host| host.starts_with('-') && host.matches('-').count() >= 3)
    };
    installed.iter().find(|name| *name == channel).or_else(|| installed.iter().find(with_host)).cloned()
}

/// Writes our programs, unless they are there. Their folder is named for what they say, so that another environment has
/// others.
fn programs(
    roots: &Roots,
    environment: &Environment,
    toolchain: &OsStr,
    state_folder: &Path,
) -> io::Result<PathBuf> {
    let state = state_folder.join("rust");
    let empty = state.join("empty");
    private::folder(&empty)?;
    let real = |name: &str| {
        let found = environment.which(name, roots.workspace()).into_iter();
        found
            .filter(|path| !roots.contains(path))
            .find(|path| std::fs::canonicalize(path).is_ok_and(|real| !roots.contains(&real)))
    };
    let home = environment.get("CARGO_HOME");
    let script = |name: &'static str, moves: bool| {
        let mut text: Vec<u8> = b"#!/bin/sh\n".to_vec();
        if moves {
            put(&mut text, b"cd ", empty.as_os_str(), b" || exit 1\n");
        }
        text.extend_from_slice(b"unset CARGO\n");
        match home {
            Some(home) => put(&mut text, b"export CARGO_HOME=", home, b"\n"),
            None => text.extend_from_slice(b"unset CARGO_HOME\n"),
        }
        put(&mut text, b"export RUSTUP_TOOLCHAIN=", toolchain, b"\n");
        put(&mut text, b"exec ", real(name)?.as_os_str(), b" \"$@\"\n");
        Some((name, text))
    };
    // rustfmt finds the style of a project by where it is started, and that is all it reads.
    let scripts = [script("cargo", true), script("rustc", true), script("rustfmt", false)];
    let scripts: Vec<(&str, Vec<u8>)> = scripts.into_iter().flatten().collect();
    let mut hash = Sha256::new();
    scripts.iter().for_each(|(_, text)| hash.update(text));
    let folder = state.join(hash.finish().to_string());
    let is_there = |(name, text): &(&str, Vec<u8>)| {
        std::fs::read(folder.join("bin").join(name)).is_ok_and(|known| known == *text)
    };
    if scripts.iter().all(is_there) {
        return Ok(folder);
    }
    let bin = folder.join("bin");
    private::folder(&bin)?;
    for (name, text) in &scripts {
        let staged = bin.join(format!("{name}.{}", std::process::id()));
        std::fs::write(&staged, text)?;
        #[cfg(unix)]
        std::fs::set_permissions(&staged, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
        std::fs::rename(&staged, bin.join(name))?;
    }
    Ok(folder)
}

/// Adds a word as a shell takes it literally.
fn put(text: &mut Vec<u8>, before: &[u8], word: &OsStr, after: &[u8]) {
    text.extend_from_slice(before);
    text.push(b'\'');
    for byte in word.as_encoded_bytes() {
        match byte {
            b'\'' => text.extend_from_slice(b"'\\''"),
            byte => text.push(*byte),
        }
    }
    text.push(b'\'');
    text.extend_from_slice(after);
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use orienteer_testkit::tree;

    #[test]
    fn a_toolchain_is_taken_by_its_name_and_only_if_the_user_has_it() {
        let tree = tree(
            "//- /a/x\n//- /b/rust-toolchain\n1.85\n//- /c/rust-toolchain.toml\n[toolchain]\nchannel = \"nightly\"\n//- /d/rust-toolchain.toml\n[toolchain]\npath = \"/evil\"\n//- /e/rust-toolchain\n/evil\n//- /f/rust-toolchain\n1.80\n",
        );
        let home = tree.beside("home");
        for name in ["1.85-x86_64-unknown-linux-gnu", "nightly-x86_64-unknown-linux-gnu", "own"] {
            std::fs::create_dir_all(home.join(".rustup/toolchains").join(name)).unwrap();
        }
        let settings = format!(
            "default_toolchain = \"own\"\n[overrides]\n'{}' = \"chosen\"\n",
            tree.root().join("a").display()
        );
        std::fs::write(home.join(".rustup/settings.toml"), settings).unwrap();
        let environment = Environment::default().with("HOME", &home);
        let of = |folder: &str| toolchain(&tree.root().join(folder), &environment).into_string().unwrap();
        assert_eq!(of("a"), "chosen", "what the user chose for the folder");
        assert_eq!(of("b"), "1.85-x86_64-unknown-linux-gnu");
        assert_eq!(of("c"), "nightly-x86_64-unknown-linux-gnu");
        for folder in ["d", "e", "f"] {
            assert_eq!(of(folder), "own", "{folder}");
        }
        let environment = environment.with("RUSTUP_TOOLCHAIN", "mine");
        assert_eq!(toolchain(&tree.root().join("c"), &environment), "mine");
        assert_eq!(toolchain(&tree.root().join("c"), &Environment::default()), "stable");
    }

    #[test]
    fn files_that_tell_rust_analyzer_what_to_run_need_trust() {
        let tree = tree("//- /Cargo.toml\n//- /.cargo/config.toml\n//- /src/lib.rs\n");
        let roots = Roots::new(tree.root(), &[]).unwrap();
        let state = tree.beside("state");
        let refused = || match restrict(tree.root(), &roots, &Environment::default(), &state) {
            Err(Refused::Told(file)) => Some(file),
            _ => None,
        };
        assert_eq!(refused(), None, "cargo's own configuration is not read");
        for name in ["rust-project.json", "src/rust-analyzer.toml"] {
            tree.write(name, "");
            assert_eq!(refused(), Some(tree.root().join(name)));
            std::fs::remove_file(tree.root().join(name)).unwrap();
        }
        // In a folder above the root, which came with the same repository or did not.
        let above = tree.root().parent().unwrap().join("rust-project.json");
        std::fs::write(&above, "{}").unwrap();
        assert_eq!(refused(), Some(above));
    }

    #[test]
    fn the_real_programs_start_elsewhere_and_as_the_user_has_them() {
        let tree = tree("//- /Cargo.toml\n//- /bin/cargo\n");
        let roots = Roots::new(tree.root(), &[]).unwrap();
        let bin = tree.beside("it's a bin");
        let write = |folder: &Path| {
            let program = folder.join("cargo");
            std::fs::write(&program, "#!/bin/sh\necho \"$PWD|$RUSTUP_TOOLCHAIN|${CARGO_HOME-none}|$*\"\n")
                .unwrap();
            std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        };
        write(&bin);
        write(&tree.root().join("bin"));
        // A folder of the project in PATH does not make its programs the user's.
        let path = std::env::join_paths([tree.root().join("bin"), bin]).unwrap();
        let environment = Environment::default().with("PATH", path).with("RUSTUP_TOOLCHAIN", "mine");
        let state = tree.beside("state");
        let restricted = restrict(tree.root(), &roots, &environment, &state).unwrap();
        let seen = restricted.environment(&environment);
        let program = seen.which("cargo", tree.root()).remove(0);
        assert_eq!(seen.get("CARGO_HOME").map(Path::new), program.parent().unwrap().parent());
        assert!(program.starts_with(&state));
        #[expect(clippy::disallowed_methods, reason = "what rust-analyzer does")]
        let output =
            std::process::Command::new(program).arg("a b").current_dir(tree.root()).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(said, format!("{}|mine|none|a b\n", state.join("rust/empty").display()));
    }
}

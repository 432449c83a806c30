//! Fake programs in temporary folders, and the real git.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use orienteer_process::{CancellationToken, ProcessSpec};
use orienteer_testkit::Tree;
use serde_json::{Value, json};

use super::*;
use crate::catalog::built_in;

mod installed_in_project;

fn server(id: &str) -> Definition {
    built_in().unwrap().into_iter().find(|definition| definition.id == id).unwrap()
}

/// A machine of our own: a workspace, a folder that is the whole PATH apart from the system's, a home.
struct Machine {
    tree: Tree,
    roots: Roots,
    bin: PathBuf,
    environment: Environment,
    launcher: Launcher,
    state: PathBuf,
}

fn machine() -> Machine {
    let tree = Tree::empty();
    let roots = Roots::new(tree.root(), &[]).unwrap();
    let bin = tree.beside("bin");
    // `sh`, `cat` and `git` are real; nothing that is installed on this machine may be found by its name.
    let system = tree.beside("system");
    for name in ["sh", "cat", "git", "env"] {
        let real = ["/usr/local/bin", "/usr/bin", "/bin"].iter().map(|folder| Path::new(folder).join(name));
        symlink(real.into_iter().find(|path| path.exists()).unwrap(), system.join(name)).unwrap();
    }
    let path: OsString = std::env::join_paths([&bin, &system]).unwrap();
    let environment = Environment::default().with("PATH", path).with("HOME", tree.beside("home"));
    let state = tree.beside("state");
    Machine { tree, roots, bin, environment, launcher: Launcher::without_reaper(), state }
}

fn script(path: &Path, body: &str) -> PathBuf {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_path_buf()
}

impl Machine {
    fn root(&self) -> &Path {
        self.tree.root()
    }

    async fn find(&self, definition: &Definition, allow_local: LocalPrograms) -> Result<Found, Missing> {
        let (launcher, state) = (&self.launcher, &self.state);
        find(definition, self.root(), &self.roots, &self.environment, launcher, allow_local, state).await
    }

    async fn git(&self, args: &[&str]) {
        let settings = ["-c", "user.name=x", "-c", "user.email=x@x", "-c", "init.defaultBranch=main"];
        let spec = ProcessSpec::new("git", self.root(), self.environment.clone()).args(settings).args(args);
        let finished = self.launcher.run(&spec, &CancellationToken::new()).await.unwrap();
        assert!(finished.status.success(), "git {args:?}: {}", finished.stderr.text());
    }

    /// Something of the project is tracked, by git on this machine.
    async fn checked_out(&self) {
        self.tree.write("package.json", "{}\n");
        self.git(&["add", "package.json"]).await;
    }

    /// An npm package with a command in `.bin`, as npm makes it.
    fn npm(&self, modules: &Path, package: &str, version: &str, command: &str, body: &str) -> PathBuf {
        let folder = modules.join(package);
        script(&folder.join("bin").join(command), body);
        fs::write(folder.join("package.json"), format!(r#"{{"name":"{package}","version":"{version}"}}"#))
            .unwrap();
        fs::create_dir_all(modules.join(".bin")).unwrap();
        let link = modules.join(".bin").join(command);
        symlink(folder.join("bin").join(command), &link).unwrap();
        link
    }

    /// The native program of TypeScript 7 for this machine.
    fn native(&self, modules: &Path) -> PathBuf {
        let architecture = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
        let platform = if cfg!(target_os = "macos") { "darwin" } else { "linux" };
        let folder = modules.join(format!("@typescript/typescript-{platform}-{architecture}/lib"));
        script(&folder.join("tsc"), "echo Version 7.0.2")
    }
}

#[tokio::test]
async fn a_proxy_that_only_complains_is_passed_over() {
    let machine = machine();
    script(&machine.bin.join("cargo"), "");
    let rust = server("rust-analyzer");
    let proxy = script(
        &machine.bin.join("rust-analyzer"),
        "echo \"error: Unknown binary 'rust-analyzer'\" >&2; exit 1",
    );
    let Err(Missing::NotInstalled { tried, looked_in, hint, rejected }) =
        machine.find(&rust, LocalPrograms::Never).await
    else {
        panic!("a proxy was taken for the server");
    };
    assert_eq!((tried, hint), (vec!["rust-analyzer".to_owned()], rust.install_hint.clone()));
    assert!(looked_in.contains(&machine.bin));
    assert_eq!(rejected, [(proxy, "error: Unknown binary 'rust-analyzer'".to_owned())]);

    // Further down in PATH there is a real one. It sees the folder it will serve and its own variables only.
    let second = machine.tree.beside("second");
    let body = "echo rust-analyzer 1.96 $PWD ${RUSTUP_AUTO_INSTALL} ${SECRET_TOKEN:-no}";
    let real = script(&second.join("rust-analyzer"), body);
    let path = std::env::join_paths(machine.environment.search_path().into_iter().chain([second])).unwrap();
    let environment = machine.environment.clone().with("PATH", path).with("SECRET_TOKEN", "yes");
    let found = find(
        &rust,
        machine.root(),
        &machine.roots,
        &environment,
        &machine.launcher,
        LocalPrograms::Never,
        &machine.state,
    );
    let found = found.await.unwrap();
    assert_eq!(found.path, real);
    assert_eq!(found.version, Some(format!("rust-analyzer 1.96 {} 0 no", machine.root().display())));
}

#[tokio::test]
async fn what_it_needs_is_asked_for_first() {
    let machine = machine();
    script(&machine.bin.join("gopls"), "");
    let Err(Missing::Prerequisite { program, hint, looked_in, too_old: None }) =
        machine.find(&server("gopls"), LocalPrograms::Never).await
    else {
        panic!("gopls without go");
    };
    assert_eq!(program, "go");
    assert!(hint.contains("https://go.dev/dl") && looked_in.contains(&machine.bin));
    script(&machine.bin.join("go"), "");
    let found = machine.find(&server("gopls"), LocalPrograms::Never).await.unwrap();
    assert_eq!(
        (found.path, found.version),
        (machine.bin.join("gopls"), None),
        "without a probe it is not run"
    );
}

#[tokio::test]
async fn candidates_are_tried_in_order() {
    let machine = machine();
    let old = script(&machine.bin.join("clangd-15"), "");
    let clangd = server("clangd");
    assert_eq!(machine.find(&clangd, LocalPrograms::Never).await.unwrap().path, old);
    let newer = script(&machine.bin.join("clangd-18"), "");
    let found = machine.find(&clangd, LocalPrograms::Never).await.unwrap();
    let args = ["--background-index", "--limit-references=0", "--rename-file-limit=0"];
    assert_eq!((found.path, &found.args[..]), (newer.clone(), &args.map(str::to_owned)[..]));
    let listed =
        installed(&clangd, machine.root(), &machine.roots, &machine.environment, LocalPrograms::Never);
    assert_eq!(listed, Ok((newer, Origin::Machine)));
    // One of unknown age gets the arguments that it takes. It ends with success after complaining.
    for (refused, expected) in [("--none", &args[..]), ("--rename", &args[..2]), ("--limit", &args[..1])] {
        let complain = format!("echo \"clangd: Unknown command line argument '{refused}'.\" >&2");
        let plain =
            script(&machine.bin.join("clangd"), &format!("case \"$*\" in *{refused}*) {complain};; esac"));
        let found = machine.find(&clangd, LocalPrograms::Never).await.unwrap();
        assert_eq!(found.path, plain);
        assert_eq!(found.args, expected, "{refused}");
    }
}

/// All of these are ordinary files that any repository can carry.
/// An archive can bring a repository whose index says what its maker wants.
#[tokio::test]
async fn typescript_seven_is_its_native_program() {
    let machine = machine();
    let native = server("typescript-native");
    let modules = machine.root().join("node_modules");
    let script_path = machine.npm(&modules, "typescript", "7.0.2", "tsc", "echo Version 7.0.2");
    let found = machine.find(&native, LocalPrograms::Always).await.unwrap();
    assert_eq!(found.path, script_path, "no platform package: the script");
    let program = machine.native(&modules);
    let found = machine.find(&native, LocalPrograms::Always).await.unwrap();
    assert_eq!((found.path, found.version.as_deref()), (program.clone(), Some("Version 7.0.2")));
    assert_eq!(found.args, ["--lsp", "--stdio"]);
    let listed =
        installed(&native, machine.root(), &machine.roots, &machine.environment, LocalPrograms::Always);
    assert_eq!(listed, Ok((program, Origin::TrustedProject)));

    // The same for an installation in PATH, and from a folder below.
    let global = machine.tree.beside("lib").join("node_modules");
    let command = machine.npm(&global, "typescript", "7.1.0", "tsc", "echo Version 7.1.0");
    symlink(fs::canonicalize(command).unwrap(), machine.bin.join("tsc")).unwrap();
    let program = machine.native(&global);
    assert_eq!(machine.find(&native, LocalPrograms::Never).await.unwrap().path, program);
}

#[tokio::test]
async fn scripts_in_place_of_links_lead_to_the_native_program_too() {
    let machine = machine();
    let modules = machine.root().join("node_modules");
    let store = modules.join(".pnpm/typescript@7.0.2/node_modules");
    fs::create_dir_all(store.join("typescript/bin")).unwrap();
    fs::write(store.join("typescript/package.json"), r#"{"version":"7.0.2"}"#).unwrap();
    symlink(store.join("typescript"), modules.join("typescript")).unwrap();
    script(&modules.join(".bin/tsc"), "echo Version 7.0.2");
    let program = machine.native(&store);
    let found = machine.find(&server("typescript-native"), LocalPrograms::Always).await.unwrap();
    assert_eq!(found.path, program);
}

#[tokio::test]
async fn an_older_typescript_is_no_native_server() {
    let machine = machine();
    let native = server("typescript-native");
    let global = machine.tree.beside("lib").join("node_modules");
    let command = machine.npm(&global, "typescript", "6.0.3", "tsc", "echo Version 6.0.3");
    symlink(fs::canonicalize(command).unwrap(), machine.bin.join("tsc")).unwrap();
    let Err(Missing::NotInstalled { rejected, .. }) = machine.find(&native, LocalPrograms::Never).await
    else {
        panic!("TypeScript 6 was taken for 7");
    };
    assert_eq!(rejected[0].1, "Version 6.0.3");
    let listed =
        installed(&native, machine.root(), &machine.roots, &machine.environment, LocalPrograms::Never);
    assert!(listed.is_err(), "its package tells without running it");
}

#[tokio::test]
async fn typescript_language_server_gets_a_typescript_that_may_run() {
    let machine = machine();
    let old = server("typescript-language-server");
    script(&machine.bin.join("node"), "");
    let global = machine.tree.beside("lib").join("node_modules");
    let name = "typescript-language-server";
    let command = machine.npm(&global, name, "6.0.2", name, "");
    symlink(fs::canonicalize(command).unwrap(), machine.bin.join(name)).unwrap();
    let tsserver = |modules: &Path| {
        let path = modules.join("typescript/lib/tsserver.js");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "").unwrap();
        path
    };
    let chosen = async |policy| {
        let found = machine.find(&old, policy).await?;
        let adapted = adapt(&old, machine.root(), &machine.roots, &machine.environment, &found, policy);
        assert_eq!(adapted.initialization_options["tsserver"]["useSyntaxServer"], "never");
        Ok(adapted.initialization_options["tsserver"]["path"].as_str().map(PathBuf::from))
    };
    let why = |missing: Missing| match missing {
        Missing::NotInstalled { rejected, .. } => rejected[0].1.clone(),
        other => panic!("{other:?}"),
    };

    assert!(why(chosen(LocalPrograms::Never).await.unwrap_err()).contains("TypeScript 6 or older"));
    let own = tsserver(&machine.root().join("node_modules"));
    assert_eq!(chosen(LocalPrograms::Always).await, Ok(Some(own)));
    assert!(why(chosen(LocalPrograms::Never).await.unwrap_err()).contains("belongs to the project"));
    let beside = tsserver(&global);
    assert_eq!(
        chosen(LocalPrograms::Never).await,
        Ok(Some(beside)),
        "never the project's, though it is nearer"
    );
}

#[tokio::test]
async fn vue_gets_the_plugin_that_may_run() {
    let machine = machine();
    let vue = server("vue");
    script(&machine.bin.join("node"), "");
    let global = machine.tree.beside("lib").join("node_modules");
    let install = |package: &str, program: &str| {
        let command = machine.npm(&global, package, "1.0.0", program, "");
        symlink(fs::canonicalize(command).unwrap(), machine.bin.join(program)).unwrap();
    };
    install("typescript-language-server", "typescript-language-server");
    fs::create_dir_all(global.join("typescript/lib")).unwrap();
    fs::write(global.join("typescript/lib/tsserver.js"), "").unwrap();
    let plugin = |modules: &Path| {
        let folder = modules.join("@vue/typescript-plugin");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("package.json"), "{}").unwrap();
        modules.parent().unwrap().to_path_buf()
    };
    let is_listed = || {
        installed(&vue, machine.root(), &machine.roots, &machine.environment, LocalPrograms::Never).is_ok()
    };
    let chosen = async |policy| {
        let found = machine.find(&vue, policy).await?;
        let adapted = adapt(&vue, machine.root(), &machine.roots, &machine.environment, &found, policy);
        Ok(adapted.initialization_options["plugins"].clone())
    };
    let of = |location: &Path| json!([{ "name": "@vue/typescript-plugin", "location": location, "languages": ["vue"] }]);

    let why = match chosen(LocalPrograms::Never).await {
        Err(Missing::NotInstalled { rejected, .. }) => rejected[0].1.clone(),
        other => panic!("{other:?}"),
    };
    assert!(why.contains("npm install -g @vue/language-server"), "{why}");
    assert!(!is_listed());
    let own = plugin(&machine.root().join("node_modules"));
    assert_eq!(chosen(LocalPrograms::Always).await, Ok(of(&own)));
    assert!(chosen(LocalPrograms::Never).await.is_err(), "the project's is not run without trust");
    let elsewhere = plugin(&machine.tree.beside("elsewhere").join("node_modules"));
    symlink(&elsewhere, machine.root().join("node_modules/@vue/language-server")).unwrap();
    assert!(chosen(LocalPrograms::Never).await.is_err(), "nor what a link of the project leads to");
    assert_eq!(chosen(LocalPrograms::Always).await, Ok(of(&elsewhere)));
    install("@vue/language-server", "vue-language-server");
    let beside = plugin(&global);
    assert_eq!(chosen(LocalPrograms::Never).await, Ok(of(&beside)));
    assert!(is_listed());
}

#[tokio::test]
async fn pythons_and_their_servers() {
    let machine = machine();
    script(&machine.bin.join("node"), "");
    for name in ["pyright-langserver", "basedpyright-langserver", "ty"] {
        script(&machine.bin.join(name), "");
    }
    let folder = machine.root().join(".venv");
    let python = script(&folder.join("bin/python"), "");
    machine.git(&["init", "-q"]).await;
    machine.checked_out().await;
    let settings = async |id: &str, policy| {
        let definition = server(id);
        let found = machine.find(&definition, policy).await.unwrap();
        adapt(&definition, machine.root(), &machine.roots, &machine.environment, &found, policy).settings
    };
    for id in ["pyright", "basedpyright"] {
        let expected =
            json!({ "python": { "pythonPath": python, "venvPath": machine.root(), "venv": ".venv" } });
        assert_eq!(settings(id, LocalPrograms::Untracked).await, expected, "{id}");
        assert_eq!(settings(id, LocalPrograms::Never).await, json!({}), "{id}");
    }
    let expected = json!({ "ty": { "configuration": { "environment": { "python": folder } } } });
    assert_eq!(settings("ty", LocalPrograms::Untracked).await, expected);
    // A file that runs whenever that Python starts.
    machine.tree.write(".venv/lib/python3.11/site-packages/evil.pth", "import os\n");
    machine.git(&["add", "-f", ".venv/lib"]).await;
    // Its libraries are still read, by the server itself.
    let library = folder.join("lib/python3.11/site-packages");
    let analysis = json!({ "analysis": { "extraPaths": [library] } });
    let expected = json!({ "python": analysis, "basedpyright": analysis });
    assert_eq!(settings("pyright", LocalPrograms::Untracked).await, expected);
}

/// mypy's plugins, pylint's hooks and rope's configuration are code of the project.
#[tokio::test]
async fn plugins_of_pylsp_run_only_in_a_trusted_project() {
    let machine = machine();
    script(&machine.bin.join("pylsp"), "");
    let mut pylsp = server("pylsp");
    let plugins = async |pylsp: &Definition, policy| {
        let found = machine.find(pylsp, policy).await.unwrap();
        let adapted = adapt(pylsp, machine.root(), &machine.roots, &machine.environment, &found, policy);
        adapted.settings["pylsp"]["plugins"].clone()
    };
    let stranger = plugins(&pylsp, LocalPrograms::Untracked).await;
    for plugin in ["flake8", "pylint", "pylsp_mypy", "rope_autoimport", "rope_completion"] {
        assert_eq!(stranger[plugin], json!({ "enabled": false }), "{plugin}");
    }
    assert_eq!(plugins(&pylsp, LocalPrograms::Always).await["pylsp_mypy"], Value::Null);
    // What the user has set themselves counts.
    pylsp.settings = json!({ "pylsp": { "plugins": { "pylint": { "enabled": true } } } });
    assert_eq!(plugins(&pylsp, LocalPrograms::Untracked).await["pylint"], json!({ "enabled": true }));
}

#[tokio::test]
async fn a_svelte_configuration_runs_only_in_a_trusted_project() {
    let machine = machine();
    script(&machine.bin.join("node"), "");
    script(&machine.bin.join("svelteserver"), "");
    let svelte = server("svelte");
    for (policy, expected) in [(LocalPrograms::Untracked, false), (LocalPrograms::Always, true)] {
        let found = machine.find(&svelte, policy).await.unwrap();
        let adapted = adapt(&svelte, machine.root(), &machine.roots, &machine.environment, &found, policy);
        assert_eq!(adapted.initialization_options["isTrusted"], expected);
    }
}

#[tokio::test]
async fn one_program_of_a_server_may_need_trust_alone() {
    let machine = machine();
    let lua = server("lua");
    let emmy = script(&machine.bin.join("emmylua_ls"), "");
    let refused = Missing::NotTrusted { program: emmy.clone() };
    let installed = |policy| installed(&lua, machine.root(), &machine.roots, &machine.environment, policy);
    assert_eq!(machine.find(&lua, LocalPrograms::Untracked).await.unwrap_err(), refused);
    assert_eq!(installed(LocalPrograms::Untracked), Err(refused));
    assert_eq!(machine.find(&lua, LocalPrograms::Always).await.unwrap().path, emmy);
    let other = script(&machine.bin.join("lua-language-server"), "");
    assert_eq!(machine.find(&lua, LocalPrograms::Untracked).await.unwrap().path, other);
    assert_eq!(installed(LocalPrograms::Untracked), Ok((other, Origin::Machine)));
}

#[tokio::test]
async fn what_it_needs_must_be_new_enough() {
    let machine = machine();
    let mut gopls = server("gopls");
    gopls.requires = vec![("go>=14".to_owned(), "get a newer one".to_owned())];
    script(&machine.bin.join("gopls"), "");
    script(&machine.bin.join("go"), "echo v12.22.9");
    let refused = machine.find(&gopls, LocalPrograms::Never).await;
    let Err(Missing::Prerequisite { program, hint, too_old, .. }) = refused else {
        panic!("a version that is too old was taken");
    };
    assert_eq!((program.as_str(), hint.as_str()), ("go", "get a newer one"));
    assert_eq!(too_old.as_deref(), Some("v12.22.9; 14 or newer is needed"));
    for body in ["echo v14.0.0", "echo v20.1.0", "echo who knows"] {
        script(&machine.bin.join("go"), body);
        assert!(machine.find(&gopls, LocalPrograms::Never).await.is_ok(), "{body}");
    }
    script(&machine.bin.join("go"), "exit 1");
    let refused = machine.find(&gopls, LocalPrograms::Never).await;
    assert!(matches!(refused, Err(Missing::Prerequisite { too_old: None, .. })), "{refused:?}");
}

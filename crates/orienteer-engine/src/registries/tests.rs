use super::*;
use orienteer_process::{CancellationToken, ProcessSpec};
use orienteer_remote::{Scheme, Secret};
use std::path::Path;

/// The environment of whoever runs the tests, without what they have set for package managers.
#[allow(clippy::disallowed_methods, reason = "the tools that are asked are those of this machine")]
fn environment() -> Environment {
    let is_setting = |name: &str| {
        ["PIP_INDEX", "PIP_EXTRA", "UV_", "CARGO_REGIST", "NPM_CONFIG_", "npm_config_"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
    };
    let all = std::env::vars_os().filter(|(name, _)| !is_setting(&name.to_string_lossy()));
    Environment::from_pairs(all)
}

fn registries(folder: &Path, environment: Environment, overrides: RegistryOverrides) -> Registries {
    Registries::new(Launcher::without_reaper(), environment, folder.join("ours"), overrides)
}

/// What a tool itself prints.
async fn said(folder: &Path, program: &str, args: &[&str]) -> String {
    let spec = ProcessSpec::new(program, folder, environment()).args(args.iter().copied());
    let finished = Launcher::without_reaper().run(&spec, &CancellationToken::new()).await.unwrap();
    finished.stdout.text().trim().to_owned()
}

fn secret(text: &str) -> Secret {
    Secret::new(text).unwrap()
}

#[tokio::test]
async fn what_npm_says_is_what_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let expected = said(folder.path(), "npm", &["config", "get", "registry"]).await;
    let registries = registries(folder.path(), environment(), RegistryOverrides::default());
    let npm = registries.of(Ecosystem::Npm).await.npm.unwrap();
    assert!(expected.starts_with("http"), "{expected}");
    assert_eq!(npm.default, expected);
}

#[tokio::test]
async fn scopes_and_tokens_come_from_the_files_that_npm_names() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("npmrc");
    let text = "registry=https://me:pw@npm.example.org/all/\n@team:registry=https://npm.example.org/team/\n\
        @closed:registry=https://me:pw@npm.example.org/closed/\n\
        //npm.example.org/team/:_authToken=${TEAM_SECRET}\n//other.example.org/:_auth=bWU6cHc=\n\
        //third.example.org/:username=me\n//third.example.org/:_password=cHc=\n";
    std::fs::write(&file, text).unwrap();
    let environment = environment().with("npm_config_userconfig", &file).with("TEAM_SECRET", "s3cret");
    let registries = registries(folder.path(), environment, RegistryOverrides::default());
    let npm = registries.of(Ecosystem::Npm).await.npm.unwrap();
    assert_eq!(npm.default, "https://npm.example.org/all/");
    let scopes: Vec<(&str, &str)> =
        npm.scopes.iter().map(|(scope, url)| (scope.as_str(), url.as_str())).collect();
    assert_eq!(
        scopes,
        [("@team", "https://npm.example.org/team/"), ("@closed", "https://npm.example.org/closed/")]
    );
    let mut expected = Tokens::default();
    expected.add("//npm.example.org/team/", &secret("s3cret"), &Scheme::Bearer);
    expected.add("//other.example.org/", &secret("Basic bWU6cHc="), &Scheme::Bare);
    expected.add("//third.example.org/", &secret("pw"), &Scheme::Basic { user: "me".into() });
    expected.take_from("https://me:pw@npm.example.org/closed/");
    expected.take_from("https://me:pw@npm.example.org/all/");
    assert_eq!(npm.tokens, expected);
    assert!(!format!("{npm:?}").contains("s3cret"));
}

#[tokio::test]
async fn without_settings_pip_tells_its_built_in_index() {
    let folder = tempfile::tempdir().unwrap();
    let registries = registries(folder.path(), environment(), RegistryOverrides::default());
    let python = registries.of(Ecosystem::Python).await.python.unwrap();
    let help = said(folder.path(), "pip", &["install", "--help"]).await;
    assert!(python.index_url.starts_with("https://"), "{}", python.index_url);
    let help: String = help.split_whitespace().collect();
    assert!(help.contains(&format!("(default{})", python.index_url)), "{}", python.index_url);
}

#[tokio::test]
async fn indexes_that_pip_was_told_count_and_passwords_are_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pip.conf");
    let text = "[global]\nindex-url = https://me:pw@py.example.org/simple\nextra-index-url =\n    \
        https://a.example.org/simple\n    https://b.example.org/simple\n";
    std::fs::write(&file, text).unwrap();
    let environment = environment().with("PIP_CONFIG_FILE", &file);
    let registries = registries(folder.path(), environment, RegistryOverrides::default());
    let python = registries.of(Ecosystem::Python).await.python.unwrap();
    assert_eq!(python.index_url, "https://py.example.org/simple");
    assert_eq!(python.extra, ["https://a.example.org/simple", "https://b.example.org/simple"]);
    let mut expected = Tokens::default();
    expected.take_from("https://me:pw@py.example.org/simple");
    assert_eq!(python.tokens, expected);
}

#[tokio::test]
async fn variables_of_uv_count_where_pip_was_told_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let environment = environment().with("UV_DEFAULT_INDEX", "team=https://uv.example.org/simple");
    let registries = registries(folder.path(), environment, RegistryOverrides::default());
    let python = registries.of(Ecosystem::Python).await.python.unwrap();
    assert_eq!(python.index_url, "https://uv.example.org/simple");
}

/// A home of Cargo's with this configuration.
fn cargo_home(folder: &Path, config: &str) -> Environment {
    let home = folder.join("cargo-home");
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(home.join("config.toml"), config).unwrap();
    environment().with("CARGO_HOME", home)
}

#[tokio::test]
async fn cargo_tells_its_built_in_index_without_asking_anybody() {
    let folder = tempfile::tempdir().unwrap();
    let environment = cargo_home(folder.path(), "");
    let registries = registries(folder.path(), environment, RegistryOverrides::default());
    let cargo = registries.of(Ecosystem::Cargo).await.cargo.unwrap();
    assert!(cargo.index.starts_with("https://") && cargo.index.ends_with('/'), "{}", cargo.index);
    let kept = folder.path().join("cargo-home/registry/index");
    let downloaded = std::fs::read_dir(kept).map_or(0, Iterator::count);
    assert_eq!(downloaded, 0, "nothing of the index came here");
}

#[tokio::test]
async fn a_replaced_source_is_the_one_that_counts() {
    let folder = tempfile::tempdir().unwrap();
    let config = "[source.crates-io]\nreplace-with = \"mirror\"\n[source.mirror]\n\
        registry = \"sparse+https://crates.example.org/team/index/\"\n";
    let environment = cargo_home(folder.path(), config);
    let registries = registries(folder.path(), environment, RegistryOverrides::default());
    let cargo = registries.of(Ecosystem::Cargo).await.cargo.unwrap();
    assert_eq!(cargo.index, "https://crates.example.org/team/index/");
}

#[tokio::test]
async fn a_default_registry_of_variables_comes_with_its_own_token_only() {
    let folder = tempfile::tempdir().unwrap();
    let environment = cargo_home(folder.path(), "[registry]\ndefault = \"my-team\"\ntoken = \"public\"\n")
        .with("CARGO_REGISTRIES_MY_TEAM_INDEX", "sparse+https://crates.example.org/i/");
    let file = folder.path().join("cargo-home/credentials.toml");
    std::fs::write(file, "[registries.my-team]\ntoken = \"Bearer mine\"\n[registries.b]\ntoken = \"b\"\n")
        .unwrap();
    let registries = registries(folder.path(), environment, RegistryOverrides::default());
    let cargo = registries.of(Ecosystem::Cargo).await.cargo.unwrap();
    assert_eq!(cargo.index, "https://crates.example.org/i/");
    let mut expected = Tokens::default();
    expected.add_for_host("https://crates.example.org/i/", &secret("Bearer mine"), &Scheme::Bare);
    assert_eq!(cargo.tokens, expected);
}

#[tokio::test]
async fn vendored_crates_have_no_address_and_the_problem_says_what_cargo_said() {
    let folder = tempfile::tempdir().unwrap();
    let vendored = folder.path().join("vendored");
    std::fs::create_dir_all(&vendored).unwrap();
    let config = format!(
        "[source.crates-io]\nreplace-with = \"v\"\n[source.v]\ndirectory = '{}'\n",
        vendored.display()
    );
    let environment = cargo_home(folder.path(), &config);
    let registries = registries(folder.path(), environment, RegistryOverrides::default());
    let problem = registries.of(Ecosystem::Cargo).await.cargo.unwrap_err();
    assert_eq!((problem.kind, problem.detail), (ErrorKind::Unsupported, Some("no_registry")));
    assert!(problem.message.contains("packages.cargo_index"), "{problem}");
}

#[tokio::test]
async fn a_missing_package_manager_is_named_and_what_to_set_instead() {
    let folder = tempfile::tempdir().unwrap();
    let nothing = Environment::default().with("PATH", folder.path());
    let registries = registries(folder.path(), nothing, RegistryOverrides::default());
    for (ecosystem, name, setting) in [
        (Ecosystem::Npm, "`npm`", "packages.npm_registry"),
        (Ecosystem::Python, "`pip` or `uv`", "packages.python_index"),
        (Ecosystem::Cargo, "`cargo`", "packages.cargo_index"),
    ] {
        let spec = registries.of(ecosystem).await;
        let problem = match ecosystem {
            Ecosystem::Npm => spec.npm.unwrap_err(),
            Ecosystem::Python => spec.python.unwrap_err(),
            Ecosystem::Cargo => spec.cargo.unwrap_err(),
        };
        assert_eq!(problem.kind, ErrorKind::PrerequisiteMissing, "{problem}");
        assert!(problem.message.contains(name) && problem.message.contains(setting), "{problem}");
    }
}

#[tokio::test]
async fn our_own_settings_need_no_package_manager() {
    let folder = tempfile::tempdir().unwrap();
    let overrides = RegistryOverrides {
        npm: Some("https://n.example.org/".into()),
        python: Some("https://u:p@p.example.org/simple".into()),
        cargo: Some("sparse+https://c.example.org/".into()),
    };
    let nothing = Environment::default().with("PATH", folder.path());
    let registries = registries(folder.path(), nothing, overrides);
    assert_eq!(registries.of(Ecosystem::Npm).await.npm.unwrap().default, "https://n.example.org/");
    let python = registries.of(Ecosystem::Python).await.python.unwrap();
    assert_eq!(
        (python.index_url.as_str(), python.tokens.is_empty()),
        ("https://p.example.org/simple", false)
    );
    assert_eq!(registries.of(Ecosystem::Cargo).await.cargo.unwrap().index, "sparse+https://c.example.org/");
}

#[tokio::test]
async fn a_project_cannot_choose_the_registry() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(".npmrc");
    std::fs::write(file, "registry=https://evil.example.org/\n").unwrap();
    std::fs::write(folder.path().join("package.json"), "{}").unwrap();
    std::fs::create_dir_all(folder.path().join(".cargo")).unwrap();
    let config = "[source.crates-io]\nreplace-with = \"e\"\n[source.e]\nregistry = \"sparse+https://evil.example.org/\"\n";
    std::fs::write(folder.path().join(".cargo/config.toml"), config).unwrap();
    // Ours is beside the project, as the state folder is.
    let ours = tempfile::tempdir().unwrap();
    let registries =
        registries(ours.path(), environment().with("PWD", folder.path()), RegistryOverrides::default());
    let npm = registries.of(Ecosystem::Npm).await.npm.unwrap();
    let cargo = registries.of(Ecosystem::Cargo).await.cargo.unwrap();
    assert!(!npm.default.contains("evil") && !cargo.index.contains("evil"), "{npm:?} {cargo:?}");
}

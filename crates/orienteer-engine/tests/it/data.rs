//! Data files and the state of a workspace, as a person would ask for them.

use std::path::Path;
use std::time::Duration;

use orienteer_base::{Cancel, Digest, ErrorKind, Roots};
use orienteer_engine::bootstrap::{BootstrapQuery, WarningKind};
use orienteer_engine::data::{Fault, Kind, Order};
use orienteer_engine::process::{Environment, Launcher, ReaperCommand};
use orienteer_engine::{Engine, EngineSpec, IndexSpec, Session, SessionSpec, catalog};
use orienteer_testkit::Web;

fn session(folder: &Path, path: Option<&Path>, change: impl FnOnce(&mut EngineSpec)) -> Session {
    let roots = Roots::new(&folder.join("work"), &[]).unwrap();
    let path = path.map_or_else(|| std::env::var_os("PATH").unwrap(), |path| path.as_os_str().to_owned());
    let environment = Environment::from_pairs([("PATH", path)]);
    let launcher = Launcher::new(ReaperCommand::new("true"));
    let mut spec = EngineSpec::new(roots.clone(), environment, launcher, folder.join("state"));
    spec.catalog = catalog::built_in().unwrap();
    spec.index = Some(IndexSpec { folder: folder.join("index"), model: None, rules: None, threads: 1 });
    spec.data_folder = Some(folder.join("data"));
    change(&mut spec);
    Engine::new(spec).session(SessionSpec { roots, read_only: false })
}

fn workspace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("work/src")).unwrap();
    std::fs::write(folder.path().join("work/src/a.rs"), "fn wanted() {}\n").unwrap();
    std::fs::write(folder.path().join("work/package.json"), r#"{"scripts":{"install":"touch ran"}}"#)
        .unwrap();
    std::fs::write(folder.path().join("work/build.rs"), "fn main() {}\n").unwrap();
    folder
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_fetched_verified_and_forgotten() {
    let folder = workspace();
    let published = folder.path().join("published");
    std::fs::create_dir(&published).unwrap();
    std::fs::write(published.join("words.txt"), "alpha\n").unwrap();
    let web = Web::start(&published);
    let session = session(folder.path(), None, |_| {});
    let sha256 = Digest::of(&mut b"alpha\n".as_slice(), 100, &Cancel::new()).unwrap();
    let mut order =
        Order { kind: Kind::Dictionary, name: "en".into(), url: web.url("words.txt"), sha256, unpack: false };
    let cancel = Cancel::new();
    let delivery = session.fetch_data(&order, &cancel).await.unwrap();
    assert_eq!(delivery.received, 6);
    assert_eq!(std::fs::read_to_string(delivery.folder.join("words.txt")).unwrap(), "alpha\n");
    assert_eq!(delivery.folder, session.data_folder(Kind::Dictionary, "en").unwrap());
    assert!(cancel.note().unwrap().contains("fetching en"), "{:?}", cancel.note());
    assert_eq!(session.verify_data(&Cancel::new()).await.unwrap()[0].faults, []);

    std::fs::write(delivery.folder.join("words.txt"), "other\n").unwrap();
    let verified = session.verify_data(&Cancel::new()).await.unwrap();
    assert_eq!(verified[0].faults, [Fault::Changed { path: "words.txt".into() }]);
    let warnings = session.config_status(&Cancel::new()).await.unwrap();
    let damaged = warnings.iter().find(|warning| warning.kind == WarningKind::DataDamaged).unwrap();
    assert!(damaged.message.contains("dictionaries/en"), "{}", damaged.message);

    order.sha256 = Digest([7; 32]);
    let problem = session.fetch_data(&order, &Cancel::new()).await.unwrap_err();
    assert_eq!((problem.kind, problem.detail), (ErrorKind::InvalidParams, Some("other_content")));
    order.url = web.url("none");
    let problem = session.fetch_data(&order, &Cancel::new()).await.unwrap_err();
    assert_eq!((problem.kind, problem.field), (ErrorKind::NotFound, Some("url")));
    order.url = "http://example.org/x".into();
    let problem = session.fetch_data(&order, &Cancel::new()).await.unwrap_err();
    assert_eq!((problem.kind, problem.detail), (ErrorKind::InvalidParams, Some("invalid_url")));
    order.name = "../en".into();
    let problem = session.fetch_data(&order, &Cancel::new()).await.unwrap_err();
    assert_eq!((problem.kind, problem.detail), (ErrorKind::InvalidParams, Some("invalid_name")));

    assert!(session.remove_data(Kind::Dictionary, "en", &Cancel::new()).await.unwrap());
    assert_eq!(session.verify_data(&Cancel::new()).await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn bootstrap_builds_the_index_and_runs_nothing_of_the_repository() {
    let folder = workspace();
    let session = session(folder.path(), None, |_| {});
    let before = session.config_status(&Cancel::new()).await.unwrap();
    assert!(before.iter().any(|warning| warning.kind == WarningKind::IndexMissing), "{before:?}");
    let query = BootstrapQuery { build_index: true, wait: Duration::from_secs(60) };
    let done = session.bootstrap(query, &Cancel::new()).await.unwrap();
    assert_eq!(done.extensions["rs"], 2);
    let work = done.index.unwrap().unwrap();
    assert_eq!(work.done, "built");
    assert!(
        !done.warnings.iter().any(|warning| warning.kind == WarningKind::IndexMissing),
        "{:?}",
        done.warnings
    );
    let rust = done.servers.iter().find(|server| server.language == "Rust").unwrap();
    assert_eq!(rust.files, 2);
    assert!(!folder.path().join("work/ran").exists() && !folder.path().join("work/target").exists());
    let looked = BootstrapQuery { build_index: false, wait: Duration::ZERO };
    assert!(session.bootstrap(looked, &Cancel::new()).await.unwrap().index.is_none());
    session.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_configuration_is_told_in_fixed_words() {
    let folder = workspace();
    std::fs::write(folder.path().join("rules.toml"), "nonsense = [").unwrap();
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let (rules, model) = (folder.path().join("rules.toml"), folder.path().join("no-model"));
    let bad = session(folder.path(), Some(&empty), |spec| {
        let index = spec.index.as_mut().unwrap();
        (index.rules, index.model) = (Some(rules), Some(model));
    });
    let told = |warnings: &[orienteer_engine::bootstrap::ConfigWarning]| -> Vec<&'static str> {
        warnings.iter().map(|warning| warning.kind.as_str()).collect()
    };
    let warnings = bad.config_status(&Cancel::new()).await.unwrap();
    assert_eq!(told(&warnings)[..3], ["index_missing", "rules_invalid", "model_missing"], "{warnings:?}");
    assert_eq!(told(&warnings).last(), Some(&"git_missing"));
    let rust = warnings.iter().find(|warning| warning.message.contains("2 files of Rust")).unwrap();
    assert!(
        rust.kind == WarningKind::ServerMissing && rust.message.contains("rust-analyzer"),
        "{}",
        rust.message
    );

    let off = session(folder.path(), None, |spec| (spec.index, spec.data_folder) = (None, None));
    let warnings = off.config_status(&Cancel::new()).await.unwrap();
    assert_eq!(told(&warnings)[0], "index_disabled");
    let problem = off.verify_data(&Cancel::new()).await.unwrap_err();
    assert_eq!(problem.kind, ErrorKind::NotEnabled);
}

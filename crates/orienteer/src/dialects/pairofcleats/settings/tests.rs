use orienteer_testkit::{Tree, tree};

use super::*;
use crate::config::Config;
use crate::config::places::Variables;
use crate::dialects::PAIROFCLEATS;

const SETTINGS: &str = r#"//- /.git/HEAD
ref: refs/heads/main
//- /.pairofcleats.json
{
  // Limits, and a few things of which we know nothing.
  "mcp": {
    "maxBufferBytes": 20000, "queueMax": 3, "toolTimeoutMs": 5000,
    "toolTimeouts": { "build_index": 7000, "search_workspace": 1 },
    "transport": "sdk", /* ignored, as documented */
  },
  "cache": { "root": "cache" },
  "indexing": { "threads": 9 },
  "profile": "lite",
}
//- /src/a.rs
"#;

fn given(tree: &Tree, variables: &[(&str, &str)]) -> Given {
    let home = tree.beside("home").display().to_string();
    let all = std::iter::once(("HOME", home.as_str())).chain(variables.iter().copied());
    Given {
        variables: Variables::from_pairs(all),
        current_folder: tree.root().join("src"),
        dialect: Some(&PAIROFCLEATS),
        ..Given::default()
    }
}

fn own(config: &Config) -> Arc<Settings> {
    config.dialect_settings.clone().unwrap().downcast().unwrap()
}

#[test]
fn limits_of_the_file_count_and_the_rest_is_named() {
    let tree = tree(SETTINGS);
    let config = Config::load(&given(&tree, &[])).unwrap();
    assert_eq!(config.roots.workspace(), tree.root(), "the repository around the current folder");
    assert_eq!((config.max_buffer_bytes, config.queue_max), (20_000, 3));
    assert_eq!(config.timeout("search").as_millis(), 5_000);
    assert_eq!(config.timeout("build_index").as_millis(), 7_000);
    let own = own(&config);
    assert!(own.present);
    assert_eq!(
        own.ignored,
        ["mcp.toolTimeouts.search_workspace", "mcp.transport", "indexing.threads", "profile"]
    );
    assert_eq!(own.withheld, ["cache.root"]);
    let usual = tree.beside("home").join(".cache/orienteer");
    assert_eq!(config.index.as_ref().unwrap().folder, usual.join("index"), "nobody trusts the file");
    assert!(config.layers.withheld.iter().any(|key| key.ends_with("cache.root")));
}

#[test]
fn variables_win_over_the_file_and_our_own_over_both() {
    let tree = tree(SETTINGS);
    let variables = [
        ("PAIROFCLEATS_MCP_MAX_BUFFER_BYTES", "30000"),
        ("PAIROFCLEATS_MCP_QUEUE_MAX", "4"),
        ("PAIROFCLEATS_MCP_TOOL_TIMEOUT_MS", "6000"),
        ("PAIROFCLEATS_CACHE_ROOT", "elsewhere"),
        ("PAIROFCLEATS_THREADS", "2"),
        ("ORIENTEER_MCP_QUEUE_MAX", "5"),
    ];
    let config = Config::load(&given(&tree, &variables)).unwrap();
    assert_eq!((config.max_buffer_bytes, config.queue_max), (30_000, 5));
    assert_eq!(config.timeout("search").as_millis(), 6_000);
    assert_eq!(config.timeout("build_index").as_millis(), 7_000, "a time for one tool is the closer one");
    let cache = tree.root().join("src/elsewhere/orienteer");
    assert_eq!(config.index.as_ref().unwrap().folder, cache.join("index"));
    assert_eq!(config.data_folder, cache.join("data"));
    let own = own(&config);
    assert!(own.ignored.contains(&"PAIROFCLEATS_THREADS".to_owned()), "{own:?}");
    assert_eq!(own.withheld, [""; 0], "the variable says it anyway");
}

#[test]
fn a_trusted_file_may_move_the_cache() {
    let tree = tree(SETTINGS);
    let given = given(&tree, &[]);
    let file = tree.root().join(FILE);
    let text = std::fs::read_to_string(&file).unwrap();
    let mut store = TrustStore::load(given.variables.trust_file()).unwrap();
    store.trust(&file, &text).unwrap();
    let config = Config::load(&given).unwrap();
    assert_eq!(config.data_folder, tree.root().join("cache/orienteer/data"));
    // Another text is another file.
    std::fs::write(&file, text.replace("\"cache\" }", "\"/etc\" }")).unwrap();
    assert_eq!(own(&Config::load(&given).unwrap()).withheld, ["cache.root"]);
}

#[test]
fn a_root_that_somebody_names_is_taken_as_it_is() {
    let tree = tree(SETTINGS);
    let mut given = given(&tree, &[]);
    given.flags.push(("the call", "workspace.root", tree.root().join("src/..").display().to_string()));
    assert_eq!(Config::load(&given).unwrap().queue_max, 3);
    given.flags.pop();
    tree.write("src/lib/b.rs", "");
    given.flags.push(("the call", "workspace.root", "lib".to_owned()));
    let config = Config::load(&given).unwrap();
    assert_eq!(config.roots.workspace(), tree.root().join("src/lib"));
    assert_eq!((config.queue_max, own(&config).present), (64, false));
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    for (text, said) in [
        ("[]", "not a JSON object"),
        ("{", "not a JSON object"),
        ("{\"mcp\": {\"queueMax\": 0}}", "mcp.queueMax"),
        ("{\"mcp\": {\"queueMax\": \"many\"}}", "mcp.queueMax"),
        ("{\"mcp\": {\"toolTimeoutMs\": -1}}", "mcp.toolTimeoutMs"),
        ("{\"mcp\": {\"toolTimeouts\": 5}}", "`mcp.toolTimeouts` must be"),
        ("{\"mcp\": {\"toolTimeouts\": {\"search\": \"soon\"}}}", "mcp.toolTimeouts"),
        ("{\"cache\": {\"root\": 5}}", "`cache.root` must be"),
    ] {
        let tree = tree(&format!("//- /.pairofcleats.json\n{text}\n//- /src/a.rs\n"));
        let error = Config::load(&given(&tree, &[])).unwrap_err().to_string();
        assert!(error.contains(said) && error.contains(FILE), "{text}: {error}");
    }
}

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

fn kinds(config: &Config) -> Vec<&str> {
    config.warnings.iter().map(|warning| warning.kind).collect()
}

/// The user trusts the file as it stands.
fn trust(tree: &Tree, given: &Given) {
    let file = tree.root().join(FILE);
    let text = std::fs::read_to_string(&file).unwrap();
    TrustStore::load(given.variables.trust_file()).unwrap().trust(&file, &text).unwrap();
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
    assert_eq!(kinds(&config), ["untrusted_setting"], "{:?}", config.warnings);
    assert!(config.warnings[0].message.contains("cache.root"), "{:?}", config.warnings);
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
    assert_eq!(config.timeout("build_index").as_millis(), 6_000, "the user said less for all");
    assert_eq!(kinds(&config), ["untrusted_setting"], "{:?}", config.warnings);
    let message = &config.warnings[0].message;
    assert!(message.contains("mcp.toolTimeouts.build_index asks for 7000, and 6000"), "{message}");
    let cache = tree.root().join("src/elsewhere/orienteer");
    assert_eq!(config.index.as_ref().unwrap().folder, cache.join("index"));
    assert_eq!(config.data_folder, cache.join("data"));
    let own = own(&config);
    assert!(own.ignored.contains(&"PAIROFCLEATS_THREADS".to_owned()), "{own:?}");
    trust(&tree, &given(&tree, &[]));
    let config = Config::load(&given(&tree, &variables)).unwrap();
    assert_eq!(config.timeout("build_index").as_millis(), 7_000, "a time for one tool is the closer one");
    assert_eq!(kinds(&config), [""; 0]);
}

#[test]
fn a_repository_asks_for_less_and_for_more_only_when_it_is_trusted() {
    let more = r#"//- /.pairofcleats.json
{ "mcp": { "maxBufferBytes": 9000000, "queueMax": 65, "toolTimeoutMs": 120001,
  "toolTimeouts": { "build_index": 600001, "search": 119999, "index_status": 120001 } } }
//- /src/a.rs
"#;
    let tree = tree(more);
    let given = given(&tree, &[]);
    let config = Config::load(&given).unwrap();
    assert_eq!((config.max_buffer_bytes, config.queue_max), (8 << 20, 64));
    let millis = |config: &Config, tool: &str| {
        config.timeout_or(tool, PAIROFCLEATS.envelope.patience(tool)).as_millis()
    };
    assert_eq!((millis(&config, "build_index"), millis(&config, "cache_gc")), (600_000, 120_000));
    assert_eq!((millis(&config, "search"), millis(&config, "index_status")), (119_999, 120_000));
    assert_eq!(kinds(&config), ["untrusted_setting"; 5], "{:?}", config.warnings);
    assert_eq!(config.layers.withheld.len(), 5, "{:?}", config.layers.withheld);
    trust(&tree, &given);
    let config = Config::load(&given).unwrap();
    assert_eq!((config.max_buffer_bytes, config.queue_max), (9_000_000, 65));
    assert_eq!((millis(&config, "build_index"), millis(&config, "cache_gc")), (600_001, 120_001));
    assert_eq!(kinds(&config), [""; 0]);
}

#[test]
fn a_trusted_file_may_move_the_cache() {
    let tree = tree(SETTINGS);
    let given = given(&tree, &[]);
    trust(&tree, &given);
    let config = Config::load(&given).unwrap();
    assert_eq!(config.data_folder, tree.root().join("cache/orienteer/data"));
    // Another text is another file.
    let file = tree.root().join(FILE);
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("\"cache\" }", "\"/etc\" }")).unwrap();
    assert_eq!(kinds(&Config::load(&given).unwrap()), ["untrusted_setting"]);
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
fn a_named_root_that_is_the_current_folder_is_taken_as_it_is() {
    let tree = tree(SETTINGS);
    let src = tree.root().join("src");
    for named in [src.display().to_string(), ".".to_owned()] {
        let mut given = given(&tree, &[]);
        given.flags.push(("the call", "workspace.root", named));
        let config = Config::load(&given).unwrap();
        assert_eq!(config.roots.workspace(), src);
        assert_eq!(
            (config.queue_max, own(&config).present),
            (64, false),
            "not those of the folder around it"
        );
        assert_eq!(own(&config).file, src.join(FILE));
    }
    let named = given(&tree, &[("ORIENTEER_WORKSPACE_ROOT", ".")]);
    assert_eq!(Config::load(&named).unwrap().queue_max, 64);
}

#[test]
fn what_is_wrong_is_a_warning_with_its_place_and_the_start_goes_on() {
    for (text, said) in [
        ("[]", "not a JSON object"),
        ("{", "not a JSON object"),
        ("{\"mcp\": {\"queueMax\": 0}}", "mcp.queueMax must be a whole number from 1"),
        ("{\"mcp\": {\"queueMax\": \"many\"}}", "mcp.queueMax"),
        ("{\"mcp\": {\"maxBufferBytes\": 1}}", "mcp.maxBufferBytes"),
        ("{\"mcp\": {\"toolTimeoutMs\": -1}}", "mcp.toolTimeoutMs"),
        ("{\"mcp\": {\"toolTimeouts\": 5}}", "mcp.toolTimeouts must be"),
        ("{\"mcp\": {\"toolTimeouts\": {\"search\": \"soon\", \"cache_gc\": 7}}}", "mcp.toolTimeouts.search"),
        ("{\"cache\": {\"root\": 5}}", "cache.root must be"),
    ] {
        let tree = tree(&format!("//- /.pairofcleats.json\n{text}\n//- /src/a.rs\n"));
        let config = Config::load(&given(&tree, &[])).unwrap();
        assert_eq!(kinds(&config), ["invalid_setting"], "{text}: {:?}", config.warnings);
        let message = &config.warnings[0].message;
        assert!(message.contains(said) && message.contains(FILE), "{text}: {message}");
        assert_eq!((config.queue_max, config.max_buffer_bytes), (64, 8 << 20), "{text}");
        assert_eq!(config.timeout("search").as_millis(), 120_000, "{text}");
        let other = if text.contains("cache_gc") { 7 } else { 120_000 };
        assert_eq!(config.timeout("cache_gc").as_millis(), other, "one wrong row leaves the others: {text}");
    }
}

#[test]
fn what_is_no_file_is_a_warning_and_a_wrong_variable_is_an_error() {
    let tree = tree("//- /src/a.rs\n//- /.git/HEAD\nref: refs/heads/main\n");
    std::fs::create_dir(tree.root().join(FILE)).unwrap();
    let config = Config::load(&given(&tree, &[])).unwrap();
    assert_eq!(
        (kinds(&config), own(&config).present),
        (vec!["invalid_setting"], true),
        "{:?}",
        config.warnings
    );
    let error = Config::load(&given(&tree, &[("PAIROFCLEATS_MCP_QUEUE_MAX", "many")])).unwrap_err();
    assert!(error.to_string().contains("PAIROFCLEATS_MCP_QUEUE_MAX"), "{error}");
}

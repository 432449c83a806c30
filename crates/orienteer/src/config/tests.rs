use std::fs;
use std::path::PathBuf;

use super::*;

struct Place {
    temp: tempfile::TempDir,
    variables: Vec<(String, String)>,
    flags: Vec<(&'static str, &'static str, String)>,
}

impl Place {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir_all(temp.path().join("work/.orienteer")).unwrap();
        fs::create_dir_all(temp.path().join("home")).unwrap();
        Self { temp, variables: Vec::new(), flags: Vec::new() }
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.temp.path().join(relative)
    }

    fn user(self, text: &str) -> Self {
        let folder = self.path("home/.config/orienteer");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("config.toml"), text).unwrap();
        self
    }

    fn project(self, text: &str) -> Self {
        fs::write(self.path("work/.orienteer/config.toml"), text).unwrap();
        self
    }

    fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    fn flag(mut self, flag: &'static str, key: &'static str, text: &str) -> Self {
        self.flags.push((flag, key, text.to_owned()));
        self
    }

    fn given(&self) -> Given {
        let home = self.path("home").display().to_string();
        let mut pairs: Vec<(&str, &str)> =
            self.variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        pairs.push(("HOME", &home));
        Given {
            variables: Variables::from_pairs(pairs),
            current_folder: self.path("work"),
            temporary_folder: PathBuf::new(),
            flags: self.flags.clone(),
            dialect: None,
            root_named: false,
        }
    }

    fn load(&self) -> Result<Config, ConfigError> {
        Config::load(&self.given())
    }

    fn error(&self) -> String {
        self.load().unwrap_err().message
    }
}

#[test]
fn each_layer_wins_over_the_one_below() {
    let place = Place::new();
    assert_eq!(place.load().unwrap().queue_max, 64);
    let place = place.user("[mcp]\nqueue_max = 10\nmax_concurrent_calls = 3");
    assert_eq!(place.load().unwrap().queue_max, 10);
    let place = place.project("[mcp]\nqueue_max = 9");
    assert_eq!(place.load().unwrap().queue_max, 9);
    let place = place.variable("ORIENTEER_MCP_QUEUE_MAX", "12");
    assert_eq!(place.load().unwrap().queue_max, 12);
    let place = place.flag("--queue-max", "mcp.queue_max", "13");
    let config = place.load().unwrap();
    assert_eq!((config.queue_max, config.max_concurrent_calls), (13, 3));
    let origin = |name: &str| config.layers.origin(name).unwrap().to_string();
    assert_eq!(origin("mcp.queue_max"), "flag --queue-max");
    assert!(origin("mcp.max_concurrent_calls").starts_with("user file "));
    assert_eq!(origin("mcp.max_buffer_bytes"), "built-in");
}

#[test]
fn unknown_keys_name_the_nearest_legal_one() {
    assert!(
        Place::new()
            .user("[mcp]\nqueue_mx = 1")
            .error()
            .ends_with("`mcp.queue_mx` is not a setting; did you mean `mcp.queue_max`?")
    );
    assert!(Place::new().user("[zzz]\nqqq = 1").error().contains("legal keys are workspace.root, "));
    assert!(Place::new().user("servres = 1").error().contains("did you mean `servers`?"));
    assert_eq!(
        Place::new().variable("ORIENTEER_MCP_QUEUEMAX", "1").error(),
        "the environment variable ORIENTEER_MCP_QUEUEMAX is not a setting of orienteer; did you mean ORIENTEER_MCP_QUEUE_MAX?"
    );
    let server = "[[servers]]\nid = 'a'\ncommand = 'b'\nextensions = []\nextentions = []";
    assert!(
        Place::new()
            .user(server)
            .error()
            .contains("servers block 1: `extentions` is not a field; did you mean `extensions`?")
    );
    for (block, lacks) in [("id = 'a'", "command"), ("id = 'a'\ncommand = 'b'", "extensions")] {
        let error = Place::new().user(&format!("[[servers]]\n{block}")).error();
        let expected = format!("`{lacks}` is required: the `id` is that of no built-in server");
        assert!(error.ends_with(&expected), "{error}");
    }
    assert!(Place::new().user("[[servers]]\nid = 'eslintt'").error().ends_with("did you mean `eslint`?"));
}

#[test]
fn what_is_wrong_in_a_project_s_file_is_told_and_left_out() {
    for (text, told) in [
        ("[mcp", "line 1 is not valid TOML"),
        ("[mcp]\nqueue_mx = 1", "`mcp.queue_mx` is not a setting; did you mean `mcp.queue_max`?"),
        ("[mcp]\nqueue_max = 'x'", "`mcp.queue_max` must be a whole number from 1 to 10000, not string"),
        ("mcp = 1", "`mcp` is not a setting"),
        ("servers = 1", "`servers` must be written as [[servers]] blocks"),
        ("[servers]\nid = 'a'", "`servers` must be written as [[servers]] blocks"),
        ("[[servers]]\nid = 'a'", "`command` is required"),
        ("[[hosts]]\nhost = 'a'", "`provider` is required"),
    ] {
        let text = format!("{text}\n");
        // What is right in it counts.
        let right = if text.starts_with("[mcp\n") { "" } else { "[tools]\nexclude = ['explore']\n" };
        let config = Place::new().project(&format!("{text}{right}")).load().unwrap();
        let [warning] = &config.warnings[..] else { panic!("{text}: {:?}", config.warnings) };
        assert_eq!(warning.kind, "invalid_setting");
        assert!(warning.message.contains(told), "{text}: {}", warning.message);
        assert!(warning.message.contains("project file") && warning.message.ends_with("; it is left out"));
        assert_eq!((config.queue_max, config.exclude.len()), (64, usize::from(!right.is_empty())), "{text}");
        // The user's own file stops the program: there is somebody to mend it.
        Place::new().user(&text).error();
    }
}

#[test]
fn roots_of_a_trusted_project_that_are_not_there_are_left_out() {
    let text = "[workspace]\nallowed_roots = ['.', 'gone']";
    let place = Place::new().project(text);
    let file = place.path("work/.orienteer/config.toml");
    let mut store = trust::TrustStore::load(place.given().variables.trust_file()).unwrap();
    store.trust(&file, text).unwrap();
    let config = place.load().unwrap();
    assert_eq!(config.layers.list("workspace.allowed_roots"), ["."]);
    assert!(config.warnings[0].message.contains("gone"), "{:?}", config.warnings);
    assert!(Place::new().user(text).error().contains("gone"));
}

#[cfg(unix)]
#[test]
#[allow(clippy::disallowed_methods, reason = "nothing else makes a pipe without `unsafe`")]
fn what_is_no_file_of_the_project_neither_hangs_nor_leaks() {
    let secret = "[registry]\ntoken-of-mine = 'x'\n";
    type Put = fn(&std::path::Path, &std::path::Path);
    let put: [(&str, Put); 7] = [
        ("a pipe", |file, _| {
            assert!(std::process::Command::new("mkfifo").arg(file).status().unwrap().success());
        }),
        ("a folder", |file, _| fs::create_dir(file).unwrap()),
        ("a device", |file, _| std::os::unix::fs::symlink("/dev/zero", file).unwrap()),
        ("too large", |file, _| fs::File::create(file).unwrap().set_len(1 << 30).unwrap()),
        ("a link out", |file, other| std::os::unix::fs::symlink(other, file).unwrap()),
        ("a link to itself", |file, _| std::os::unix::fs::symlink(file, file).unwrap()),
        ("no text", |file, _| fs::write(file, [0xff, 0xfe, 0x00]).unwrap()),
    ];
    for (what, put) in put {
        let place = Place::new();
        let other = place.path("home/credentials.toml");
        fs::write(&other, secret).unwrap();
        put(&place.path("work/.orienteer/config.toml"), &other);
        let begun = std::time::Instant::now();
        let config = place.load().unwrap();
        assert!(begun.elapsed() < Duration::from_secs(1), "{what}");
        let [warning] = &config.warnings[..] else { panic!("{what}: {:?}", config.warnings) };
        assert_eq!(warning.kind, "invalid_setting", "{what}");
        assert!(!warning.message.contains("token-of-mine"), "{what}: {}", warning.message);
    }
    // The folder itself may be a file, or a link out.
    let place = Place::new();
    fs::remove_dir(place.path("work/.orienteer")).unwrap();
    fs::write(place.path("work/.orienteer"), "x").unwrap();
    assert_eq!(place.load().unwrap().warnings.len(), 1);
    fs::remove_file(place.path("work/.orienteer")).unwrap();
    fs::create_dir(place.path("home/elsewhere")).unwrap();
    fs::write(place.path("home/elsewhere/config.toml"), secret).unwrap();
    std::os::unix::fs::symlink(place.path("home/elsewhere"), place.path("work/.orienteer")).unwrap();
    let warnings = place.load().unwrap().warnings;
    assert!(warnings[0].message.contains("leads out of the project"), "{warnings:?}");
}

#[test]
fn wrong_values_say_what_is_legal() {
    assert!(
        Place::new()
            .user("[mcp]\nqueue_max = 'x'")
            .error()
            .contains("`mcp.queue_max` must be a whole number from 1 to 10000, not string")
    );
    assert!(Place::new().user("[mcp]\nqueue_max = -1").error().contains("from 1 to 10000, not -1"));
    assert!(
        Place::new()
            .user("[mcp]\ncontext = 'cod'")
            .error()
            .contains("must be one of codex, navigation, full, not `cod`")
    );
    assert!(Place::new().variable("ORIENTEER_MCP_READ_ONLY", "maybe").error().contains("true or false"));
    assert!(Place::new().user("[mcp").error().contains("line 1 is not valid TOML"));
}

#[test]
fn an_untrusted_project_cannot_widen_anything() {
    let text = "[workspace]\nallowed_roots = ['/']\n[output]\nredact_secrets = false\n[mcp]\nread_only = false\nqueue_max = 5\n[[servers]]\nid = 'evil'\ncommand = 'evil'\nextensions = ['rs']";
    let place = Place::new().project(text);
    let config = place.load().unwrap();
    assert!(config.redact_secrets);
    assert_eq!(config.roots.all().count(), 1);
    assert!(config.layers.servers.is_empty());
    assert_eq!(config.queue_max, 5, "harmless settings count");
    assert_eq!(
        config.layers.withheld,
        ["workspace.allowed_roots", "output.redact_secrets", "mcp.read_only", "servers (evil)"]
    );

    let file = place.path("work/.orienteer/config.toml");
    let mut store = trust::TrustStore::load(place.given().variables.trust_file()).unwrap();
    store.trust(&file, text).unwrap();
    let config = place.load().unwrap();
    assert!(!config.redact_secrets);
    assert_eq!(config.layers.servers[0].0.id, "evil");
    assert!(config.layers.withheld.is_empty());

    // A changed file has to be trusted again.
    let place = place.project(&format!("{text}\n# changed"));
    assert!(place.load().unwrap().redact_secrets);
    assert!(trust::TrustStore::load(place.given().variables.trust_file()).unwrap().revoke(&file).unwrap());
}

#[test]
fn a_project_without_a_configuration_is_trusted_until_it_has_one() {
    let place = Place::new();
    assert!(!place.load().unwrap().trusts_project);
    let mut store = trust::TrustStore::load(place.given().variables.trust_file()).unwrap();
    store.trust(&place.path("work/.orienteer/config.toml"), "").unwrap();
    assert!(place.load().unwrap().trusts_project);
    let place = place.project("[mcp]\nqueue_max = 5");
    let config = place.load().unwrap();
    assert_eq!((config.trusts_project, config.queue_max), (false, 5));
}

#[test]
fn trust_is_not_borrowed_through_a_link() {
    let text = "[output]\nredact_secrets = false\n";
    let place = Place::new().project(text);
    let file = place.path("work/.orienteer/config.toml");
    let mut store = trust::TrustStore::load(place.given().variables.trust_file()).unwrap();
    store.trust(&file, text).unwrap();
    assert!(store.is_trusted(&file, text));
    let other = place.path("stranger");
    std::fs::create_dir_all(&other).unwrap();
    std::os::unix::fs::symlink(file.parent().unwrap(), other.join(".orienteer")).unwrap();
    assert!(!store.is_trusted(&other.join(".orienteer/config.toml"), text));
    std::fs::remove_file(&file).unwrap();
    store.trust(&file, "").unwrap();
    assert!(!store.is_trusted(&other.join(".orienteer/config.toml"), ""));
}

#[test]
fn a_damaged_list_of_trust_stops_only_who_needs_it() {
    let place = Place::new();
    let list = place.given().variables.trust_file().unwrap();
    std::fs::create_dir_all(list.parent().unwrap()).unwrap();
    std::fs::write(&list, "not = a list").unwrap();
    let config = place.load().unwrap();
    assert!(!config.trusts_project && config.warnings[0].message.contains("orienteer trust"));
    assert!(place.project("[mcp]\nqueue_max = 5").error().contains("is damaged"));
}

#[test]
fn an_untrusted_project_may_only_narrow() {
    let user = "[mcp]\ncontext = 'navigation'\n[tools]\nexclude = ['batch']";
    let project =
        "[mcp]\nmode = 'refactor'\ntoolsets = ['all']\n[tools]\nexclude = ['read_file']\nallow = ['batch']";
    let place = Place::new().user(user).project(project);
    let config = place.load().unwrap();
    assert!(config.read_only, "a project cannot leave the user's context");
    assert!(config.toolsets.is_empty() && config.allow.is_empty());
    assert_eq!(config.exclude, ["read_file", "batch"], "it can take more away");
    assert_eq!(config.layers.withheld, ["mcp.mode", "mcp.toolsets", "tools.allow"]);
    let place = Place::new().user("[mcp]\nread_only = false").project("[mcp]\nread_only = true");
    assert!(place.load().unwrap().read_only);
}

#[test]
fn an_untrusted_project_lowers_limits_and_raises_none() {
    let user =
        "[mcp]\nqueue_max = 10\ntool_timeouts = { slow = 900000, brief = 50 }\n[lsp]\ndisabled = ['bash']";
    let more = "[mcp]\nqueue_max = 11\nmax_buffer_bytes = 1073741824\ntool_timeout_ms = 120001\n\
                tool_timeouts = { brief = 51, other = 120001, slow = 800000 }\n[lsp]\ndisabled = ['go']";
    let place = Place::new().user(user).project(more);
    let config = place.load().unwrap();
    assert_eq!((config.queue_max, config.max_buffer_bytes), (10, 8 << 20));
    let millis = |config: &Config| ["brief", "other", "slow"].map(|tool| config.timeout(tool).as_millis());
    assert_eq!(millis(&config), [50, 120_000, 800_000], "what the user says for a tool stays or is lowered");
    assert_eq!(config.lsp.disabled, ["go", "bash"], "what the user turned off stays so");
    let mut withheld = config.layers.withheld.clone();
    withheld.sort();
    let expected =
        ["mcp.max_buffer_bytes", "mcp.queue_max", "mcp.tool_timeout_ms", "mcp.tool_timeouts (brief, other)"];
    assert_eq!(withheld, expected);

    // A time for one tool would win over the user's for all, wherever that was said.
    let place = place.flag("--time", "mcp.tool_timeout_ms", "1000");
    let place = place.project("[mcp]\ntool_timeouts = { other = 1001 }");
    assert_eq!(millis(&place.load().unwrap()), [50, 1_000, 900_000]);

    let text = "[mcp]\nqueue_max = 11\n[lsp]\ndisabled = []";
    let place = place.project(text);
    let file = place.path("work/.orienteer/config.toml");
    let mut store = trust::TrustStore::load(place.given().variables.trust_file()).unwrap();
    store.trust(&file, text).unwrap();
    let config = place.load().unwrap();
    assert_eq!((config.queue_max, config.lsp.disabled.len()), (11, 0), "who is trusted may");
}

#[test]
fn odd_files_are_refused_not_read() {
    let place = Place::new().user("");
    let file = place.path("home/.config/orienteer/config.toml");
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
    assert!(place.error().contains("is not a regular file of at most 1 MiB"));
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert!(place.error().contains("is not a regular file"));
}

#[test]
fn secrets_are_never_printed() {
    let place = Place::new().variable("ORIENTEER_HTTP_TOKEN", "s3cr3t-value");
    let config = place.load().unwrap();
    assert_eq!(config.http_token, Some(value::Secret("s3cr3t-value".to_owned())));
    assert!(!format!("{config:?}").contains("s3cr3t"));
    let shown: Vec<String> = config
        .layers
        .shown()
        .map(|(key, value, origin)| format!("{} {value:?} {origin}", key.name))
        .collect();
    assert!(shown.iter().any(|line| line.contains("http.token")), "{shown:?}");
    assert!(!shown.join("\n").contains("s3cr3t"));
    assert!(!format!("{:?}", place.given()).contains("s3cr3t"));
    let error = Place::new().user("[http]\ntoken = ['s3cr3t-value']").error();
    assert!(!error.contains("s3cr3t"), "{error}");
    let server = "[[servers]]\nid = 'a'\ncommand = 'b'\nextensions = []\nenv = 's3cr3t-value'";
    let error = Place::new().user(server).error();
    assert!(error.ends_with("servers block 1: `env` must be a table of strings"), "{error}");
    let broken = Place::new().user("[http]\ntoken = \"s3cr3t-value").error();
    assert!(!broken.contains("s3cr3t"), "{broken}");
}

#[test]
fn a_token_that_protects_nothing_or_cannot_be_sent_is_an_error() {
    for empty in ["", " ", "\t\n"] {
        let error = Place::new().variable("ORIENTEER_HTTP_TOKEN", empty).error();
        assert!(
            error.starts_with("environment ORIENTEER_HTTP_TOKEN: `http.token` is empty")
                && error.ends_with("give it a value, or remove it to do without"),
            "{error}"
        );
        let error = Place::new().user(&format!("[http]\ntoken = {empty:?}")).error();
        assert!(error.contains("config.toml: `http.token` is empty"), "{error}");
    }
    for wrong in ["s3cr3t\n", " s3cr3t", "s3cr3t\u{7f}", "s3cr3t-é"] {
        let error = Place::new().variable("ORIENTEER_HTTP_TOKEN", wrong).error();
        assert!(error.contains("printable ASCII") && !error.contains("s3cr3t"), "{error}");
    }
    let unreadable = String::from_utf8_lossy(b"s3cr3t\xff").into_owned();
    let error = Place::new().variable("ORIENTEER_HTTP_TOKEN", &unreadable).error();
    assert_eq!(error, "the environment variable ORIENTEER_HTTP_TOKEN is not valid UTF-8");
}

#[test]
fn explicit_beats_mode_beats_context() {
    let navigation = Place::new().user("[mcp]\ncontext = 'navigation'");
    let config = navigation.load().unwrap();
    assert_eq!((config.read_only, config.budget.max_total_chars), (true, 60_000));
    let refactor = navigation.flag("--mode", "mcp.mode", "refactor");
    let config = refactor.load().unwrap();
    assert_eq!((config.read_only, config.budget.max_total_chars), (false, 60_000));
    assert_eq!(config.toolsets, ["default", "edit"]);
    let explicit = refactor.flag("--read-only", "mcp.read_only", "true");
    assert!(explicit.load().unwrap().read_only);
    let codex = Place::new().flag("--context", "mcp.context", "codex").flag(
        "--max-total-chars",
        "mcp.max_total_chars",
        "5000",
    );
    let config = codex.load().unwrap();
    assert_eq!((config.read_only, config.budget.max_total_chars), (true, 5_000));
}

#[test]
fn time_outs_per_tool() {
    let config = Place::new()
        .user("[mcp]\ntool_timeout_ms = 500\ntool_timeouts = { search_code = 900 }")
        .load()
        .unwrap();
    assert_eq!(config.timeout("search_code"), Duration::from_millis(900));
    assert_eq!(config.timeout("read_file"), Duration::from_millis(500));
}

#[test]
fn a_missing_root_is_an_error_and_a_named_file_must_exist() {
    assert!(
        Place::new()
            .flag("--workspace-root", "workspace.root", "nowhere")
            .error()
            .contains("a root cannot be used")
    );
    assert!(
        Place::new().variable("ORIENTEER_CONFIG", "/nonexistent/x.toml").error().contains("does not exist")
    );
}

#[test]
fn the_index_lies_in_the_cache_unless_somebody_who_may_says_otherwise() {
    let place = Place::new();
    let index = place.load().unwrap().index.unwrap();
    assert_eq!(index.folder, place.path("home/.cache/orienteer/index"));
    assert_eq!((index.model, index.rules, index.threads), (None, None, 2));
    let place = Place::new().variable("XDG_CACHE_HOME", "/fast/cache");
    assert_eq!(place.load().unwrap().index.unwrap().folder, PathBuf::from("/fast/cache/orienteer/index"));
    let project = "[index]\nfolder = '/elsewhere'\nmodel = '/m'\nrules = '/r'\nthreads = 4";
    let config = Place::new().project(project).load().unwrap();
    let index = config.index.unwrap();
    assert!(
        index.folder.ends_with(".cache/orienteer/index") && index.model.is_none() && index.rules.is_none()
    );
    assert_eq!(index.threads, 4, "what only takes time needs no trust");
    assert_eq!(config.layers.withheld, ["index.folder", "index.model", "index.rules"]);
    let config = Place::new().user(project).load().unwrap().index.unwrap();
    assert_eq!(config.folder, PathBuf::from("/elsewhere"));
    assert!(Place::new().project("[index]\nenabled = false").load().unwrap().index.is_none());
}

use super::*;
use crate::config::{Config, LogMode};
use crate::dialects::PYRIGHT;

fn given(pairs: &[(&str, &str)], folder: &Path) -> Given {
    Given {
        variables: Variables::from_pairs(pairs.iter().copied()),
        current_folder: folder.to_owned(),
        temporary_folder: std::env::temp_dir(),
        dialect: Some(&PYRIGHT),
        ..Given::default()
    }
}

fn loaded(pairs: &[(&str, &str)]) -> Result<(Config, Arc<Settings>), ConfigError> {
    let folder = tempfile::tempdir().unwrap();
    let config = Config::load(&given(pairs, folder.path()))?;
    let settings = config.dialect_settings.clone().unwrap().downcast::<Settings>().unwrap();
    Ok((config, settings))
}

fn refused(name: &str, value: &str) -> String {
    let error = loaded(&[(name, value)]).unwrap_err().to_string();
    assert!(error.contains(name), "{error}");
    error
}

#[test]
fn nothing_said_is_what_the_document_says() {
    let (config, settings) = loaded(&[("HOME", "/home/u")]).unwrap();
    assert_eq!(settings.allowed, None);
    assert_eq!((settings.cli_timeout, settings.lsp_timeout), (Duration::from_secs(30), 300.0));
    assert_eq!(settings.lsp_command, ["pyright-langserver", "--stdio"]);
    assert_eq!((settings.metrics, settings.transport), (true, "stdio"));
    assert_eq!((config.pool, config.http_address), (Some(3), None));
    assert_eq!(config.lsp.idle_timeout, Duration::from_secs(300));
    assert_eq!((config.log_mode, config.log_level.as_str()), (LogMode::Stderr, "info"));
    assert_eq!(config.log_folder.as_deref(), Some(Path::new("/home/u/.pyright-mcp/logs")));
    assert!(config.hidden_tools.is_empty() && config.layers.servers.is_empty());
    assert!(config.timeout("check_types") > Duration::from_secs(60));
}

#[test]
fn each_platform_has_its_folder_of_logs() {
    let of = |windows: bool| log_folder(Path::new("/home/u"), windows);
    assert_eq!(of(false), Path::new("/home/u/.pyright-mcp/logs"));
    assert_eq!(of(true), Path::new("/home/u/AppData/Local/pyright-mcp/logs"));
}

#[test]
fn every_variable_counts() {
    let (config, settings) = loaded(&[
        ("PYRIGHT_MCP_CLI_TIMEOUT", "0.5"),
        ("PYRIGHT_MCP_LSP_TIMEOUT", "12.5"),
        ("PYRIGHT_MCP_LSP_POOL_SIZE", "5"),
        ("PYRIGHT_MCP_METRICS_ENABLED", "False"),
        ("PYRIGHT_MCP_ENABLE_HEALTH_CHECK", "false"),
        ("PYRIGHT_MCP_TRANSPORT", "http"),
        ("PYRIGHT_MCP_LOG_MODE", "BOTH"),
        ("PYRIGHT_MCP_LOG_LEVEL", "warning"),
    ])
    .unwrap();
    assert_eq!((settings.cli_timeout, settings.lsp_timeout), (Duration::from_millis(500), 12.5));
    assert_eq!(config.lsp.idle_timeout, Duration::from_secs(13));
    assert_eq!((config.pool, settings.metrics), (Some(5), false));
    assert_eq!(config.hidden_tools, ["health_check"]);
    assert_eq!(config.http_address.unwrap().to_string(), "127.0.0.1:8000");
    assert_eq!((config.log_mode, config.log_level.as_str()), (LogMode::Both, "warn"));
}

#[test]
fn allowed_paths_are_folders_in_the_platforms_list() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("here")).unwrap();
    let list = std::env::join_paths([Path::new("here"), Path::new("/not/yet"), Path::new("")]).unwrap();
    let given = given(&[("PYRIGHT_MCP_ALLOWED_PATHS", list.to_str().unwrap())], folder.path());
    let own = read(&given, folder.path()).unwrap().own.unwrap().downcast::<Settings>().unwrap();
    let here = std::fs::canonicalize(folder.path().join("here")).unwrap();
    assert_eq!(own.allowed, Some(vec![here, PathBuf::from("/not/yet")]));
    assert!(refused("PYRIGHT_MCP_ALLOWED_PATHS", ":").contains("at least one folder"));
}

#[test]
fn a_command_is_the_server_it_names() {
    let server = |command: &str| {
        let (config, settings) = loaded(&[("PYRIGHT_MCP_LSP_COMMAND", command)]).unwrap();
        let (spec, _) = config.layers.servers[0].clone();
        assert!(!config.lsp.disabled.contains(&spec.id), "{command}");
        (spec.id, spec.command, spec.args.join(" "), settings.lsp_command.len(), config.lsp.disabled)
    };
    let (id, program, args, words, disabled) = server("/opt/x/pyright-langserver");
    assert_eq!(
        (id.as_str(), program.as_str(), args.as_str(), words),
        ("pyright", "/opt/x/pyright-langserver", "--stdio", 2)
    );
    assert!(disabled.contains(&"basedpyright".to_owned()) && disabled.contains(&"rust-analyzer".to_owned()));
    let (id, _, args, ..) = server("basedpyright-langserver --stdio --verbose");
    assert_eq!((id.as_str(), args.as_str()), ("basedpyright", "--stdio --verbose"));
    assert_eq!(server("ty server").0, "ty");
    assert_eq!(server("npx pyright-langserver --stdio").0, "pyright");
    assert_eq!(server("/bin/my-own --flag").0, "pyright");
}

#[test]
fn wrong_values_say_what_is_legal() {
    for value in ["x", "0", "-1", "inf", "nan", "1e9"] {
        assert!(refused("PYRIGHT_MCP_CLI_TIMEOUT", value).contains("seconds"), "{value}");
        assert!(refused("PYRIGHT_MCP_LSP_TIMEOUT", value).contains("seconds"), "{value}");
    }
    for value in ["0", "65", "many"] {
        assert!(refused("PYRIGHT_MCP_LSP_POOL_SIZE", value).contains("from 1 to 64"));
    }
    assert!(refused("PYRIGHT_MCP_TRANSPORT", "sse").contains("use http"));
    assert!(refused("PYRIGHT_MCP_TRANSPORT", "carrier pigeon").contains("stdio or http"));
    assert!(refused("PYRIGHT_MCP_LOG_LEVEL", "loud").contains("DEBUG, INFO, WARNING or ERROR"));
    assert!(refused("PYRIGHT_MCP_LOG_MODE", "printer").contains("stderr, file, both"));
}

#[test]
fn a_misspelled_variable_is_refused() {
    for (wrong, right) in
        [("ALOWED_PATHS", "ALLOWED_PATHS"), ("ALLOWED_PATH", "ALLOWED_PATHS"), ("POOL_SIZE", "LSP_POOL_SIZE")]
    {
        let name = format!("PYRIGHT_MCP_{wrong}");
        assert!(refused(&name, "/x").contains(&format!("did you mean PYRIGHT_MCP_{right}?")), "{wrong}");
    }
    assert!(loaded(&[("PYRIGHT_MCP_SOMETHING_ENTIRELY_ELSE", "1")]).is_ok());
}

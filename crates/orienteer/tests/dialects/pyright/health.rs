//! `health_check`: versions, configuration, metrics.

use orienteer_testkit::workspaces::PYTHON;
use serde_json::{Value, json};

use super::support::{fields, over};

const TOTAL: &str = "src/shapes/total.py";

#[test]
fn everything_the_document_lists_is_there() {
    let mut client = over(PYTHON).start();
    let answer = client.success("health_check", json!({}));
    assert_eq!(
        fields(&answer),
        [
            "status",
            "pyright_version",
            "pyright_available",
            "lsp_status",
            "config",
            "uptime_seconds",
            "request_count",
            "lsp_pool",
            "metrics",
        ]
    );
    let version = answer["pyright_version"].as_str().unwrap();
    assert!(version.starts_with("1.") && version.split('.').count() == 3, "{version}");
    assert_eq!(
        (&answer["pyright_available"], &answer["lsp_status"]),
        (&json!(true), &json!("not_initialized"))
    );
    assert_eq!(
        answer["config"],
        json!({
            "allowed_paths": null,
            "cli_timeout": 30.0,
            "lsp_timeout": 300.0,
            "lsp_command": "pyright-langserver",
            "lsp_pool_size": 3,
            "log_mode": "stderr",
            "log_level": "INFO",
            "enable_health_check": true,
            "metrics_enabled": true,
            "transport": "stdio",
        })
    );
    assert!(answer["uptime_seconds"].as_f64().unwrap() > 0.0);
    assert_eq!(answer["request_count"], 1);
    assert_eq!(
        answer["lsp_pool"],
        json!({ "active_instances": 0, "max_instances": 3, "eviction_count": 0, "workspaces": [] })
    );
    client.end();
}

#[test]
fn metrics_are_per_operation() {
    let mut client = over(PYTHON).start();
    client.success("get_hover", client.place(TOTAL, 8, 5));
    client.success("get_hover", client.place(TOTAL, 8, 5));
    client.error("get_hover", client.place("nothing.py", 1, 1));
    client.success("check_types", json!({ "path": client.at(TOTAL) }));
    let answer = client.success("health_check", json!({}));
    let hover = &answer["metrics"]["get_hover"];
    assert_eq!(fields(hover), ["count", "avg_ms", "min_ms", "max_ms", "errors", "error_rate"]);
    assert_eq!(
        (&hover["count"], &hover["errors"], &hover["error_rate"]),
        (&json!(3), &json!(1), &json!(0.333))
    );
    let ms = |name: &str| hover[name].as_f64().unwrap();
    assert!(0.0 < ms("min_ms") && ms("min_ms") <= ms("avg_ms") && ms("avg_ms") <= ms("max_ms"), "{hover}");
    assert_eq!(answer["metrics"]["check_types"]["count"], 1);
    assert_eq!(answer["metrics"].get("find_references"), None, "what was not asked has no figures");
    assert_eq!(answer["request_count"], 5);
    client.end();
}

#[test]
fn metrics_can_be_turned_off() {
    let mut client = over(PYTHON).variable("PYRIGHT_MCP_METRICS_ENABLED", "false").start();
    let answer = client.success("health_check", json!({}));
    assert_eq!(answer.get("metrics"), None);
    assert_eq!(answer["config"]["metrics_enabled"], false);
    client.end();
}

#[test]
fn every_setting_is_shown_as_it_is_in_force() {
    let start = over(PYTHON)
        .variable("PYRIGHT_MCP_CLI_TIMEOUT", "12.5")
        .variable("PYRIGHT_MCP_LSP_TIMEOUT", "60")
        .variable("PYRIGHT_MCP_LSP_POOL_SIZE", "7")
        .variable("PYRIGHT_MCP_LOG_LEVEL", "DEBUG")
        .variable("PYRIGHT_MCP_LOG_MODE", "both");
    let mut client = start.start();
    let config = client.success("health_check", json!({}))["config"].clone();
    assert_eq!((&config["cli_timeout"], &config["lsp_timeout"]), (&json!(12.5), &json!(60.0)));
    assert_eq!(
        (&config["lsp_pool_size"], &config["log_level"], &config["log_mode"]),
        (&json!(7), &json!("DEBUG"), &json!("both"))
    );
    client.end();
}

#[test]
fn a_missing_pyright_is_not_an_error_of_the_health_check() {
    let start = over(PYTHON);
    let bin = start.programs(&[], &[]);
    let mut client = start.path(bin).start();
    let answer = client.success("health_check", json!({}));
    assert_eq!((&answer["pyright_available"], &answer["pyright_version"]), (&json!(false), &Value::Null));
    assert!(answer["warnings"][0].as_str().unwrap().contains("not found"), "{answer}");
    client.end();
}

#[test]
fn what_the_command_holds_is_not_shown() {
    let command = "/opt/secret-place/pyright-langserver --stdio --token=hunter2";
    let mut client = over(PYTHON).variable("PYRIGHT_MCP_LSP_COMMAND", command).start();
    let answer = client.success("health_check", json!({})).to_string();
    assert!(!answer.contains("hunter2") && !answer.contains("secret-place"), "{answer}");
    client.end();
}

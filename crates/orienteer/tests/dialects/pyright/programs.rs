//! Which programs answer, and over which transport.

use std::time::Duration;

use orienteer_testkit::tools;
use orienteer_testkit::workspaces::PYTHON;
use serde_json::json;

use super::support::{Client, command_line, over, until};

const TOTAL: &str = "src/shapes/total.py";

fn commands(client: &Client) -> Vec<String> {
    client.servers().into_iter().map(command_line).collect()
}

#[test]
fn pyright_answers_and_no_fork_of_it() {
    // With nothing but forks there is no answer.
    let start = over(PYTHON);
    let bin = start.programs(&["node", "ty"], &[]);
    let mut client = start.path(bin).start();
    let (code, message) = client.error("get_hover", client.place(TOTAL, 8, 5));
    assert_eq!(code, "not_found");
    assert!(message.contains("`pyright`"), "{message}");
    client.end();
    let mut client = over(PYTHON).start();
    client.success("get_hover", client.place(TOTAL, 8, 5));
    let running = commands(&client);
    assert!(running.len() == 1 && running[0].contains("pyright-langserver --stdio"), "{running:?}");
    client.end();
}

#[test]
fn another_command_may_be_named() {
    let command = tools::tools().join("basedpyright/node_modules/.bin/basedpyright-langserver");
    let mut client = over(PYTHON).variable("PYRIGHT_MCP_LSP_COMMAND", command.display().to_string()).start();
    let answer = client.success("find_references", client.place(TOTAL, 8, 5));
    assert_eq!(answer["total"], 9);
    let running = commands(&client);
    assert!(running[0].contains("basedpyright-langserver --stdio"), "it gets `--stdio`: {running:?}");
    let config = client.success("health_check", json!({}))["config"].clone();
    assert_eq!(config["lsp_command"], "basedpyright-langserver", "without its folder");
    client.end();
}

#[test]
fn a_command_keeps_its_arguments() {
    let langserver = tools::require("pyright-langserver");
    let command = format!("{} --stdio --verbose", langserver.display());
    let mut client = over(PYTHON).variable("PYRIGHT_MCP_LSP_COMMAND", command).start();
    client.success("get_hover", client.place(TOTAL, 8, 5));
    assert!(commands(&client)[0].contains("pyright-langserver --stdio --verbose"), "{:?}", commands(&client));
    client.end();
}

fn refused(name: &'static str, value: &str) -> String {
    let mut client = over(PYTHON).variable(name, value).launch();
    let status = client.server.wait(Duration::from_secs(30)).expect("it ends");
    assert_eq!(status.code(), Some(2), "{name}={value}");
    until("it says why", || client.server.stderr().contains(name));
    client.server.stderr()
}

#[test]
fn sse_is_answered_with_use_http() {
    let said = refused("PYRIGHT_MCP_TRANSPORT", "sse");
    assert!(said.contains("use http"), "{said}");
}

#[test]
fn wrong_variables_end_the_start_with_words() {
    for (name, value, word) in [
        ("PYRIGHT_MCP_CLI_TIMEOUT", "soon", "seconds"),
        ("PYRIGHT_MCP_LSP_TIMEOUT", "-1", "seconds"),
        ("PYRIGHT_MCP_LSP_POOL_SIZE", "0", "from 1 to 64"),
        ("PYRIGHT_MCP_LOG_MODE", "printer", "stderr, file, both"),
        ("PYRIGHT_MCP_LOG_LEVEL", "LOUD", "WARNING"),
        ("PYRIGHT_MCP_TRANSPORT", "pigeon", "stdio or http"),
        ("PYRIGHT_MCP_ALLOWED_PATH", "/", "did you mean PYRIGHT_MCP_ALLOWED_PATHS?"),
    ] {
        let said = refused(name, value);
        assert!(said.contains(word), "{said}");
    }
}

#[test]
fn stdio_is_the_transport_otherwise() {
    let mut client = over(PYTHON).variable("PYRIGHT_MCP_TRANSPORT", "stdio").start();
    assert_eq!(client.success("health_check", json!({}))["config"]["transport"], "stdio");
    client.end();
}

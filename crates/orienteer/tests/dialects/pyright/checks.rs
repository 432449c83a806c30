//! `check_types`: the command line, its flags, and what takes its place.

use std::path::Path;

use orienteer_testkit::tools;
use orienteer_testkit::workspaces::{PYTHON, PYTHON_BROKEN, PYTHON_VENV, python_environment};
use serde_json::{Value, json};

use super::support::{Client, fields, over};

const REPORT: &str = "src/shapes/report.py";

/// A file that is fine in Python 3.10 and newer only.
const MATCHING: &str = "def f(x: int) -> None:\n    match x:\n        case _:\n            pass\n";

fn check(client: &mut Client, path: &str) -> Value {
    client.success("check_types", json!({ "path": client.at(path) }))
}

#[test]
fn a_file_with_an_error_is_told_as_documented() {
    let mut client = over(PYTHON).start();
    client.tree.write(REPORT, PYTHON_BROKEN);
    let answer = check(&mut client, REPORT);
    assert_eq!(fields(&answer), ["status", "summary", "error_count", "warning_count", "diagnostics"]);
    let summary = answer["summary"].as_str().unwrap();
    assert!(
        summary.starts_with("Analyzed 1 file in ") && summary.ends_with("s. Found 1 error(s)."),
        "{summary}"
    );
    assert_eq!((&answer["error_count"], &answer["warning_count"]), (&json!(1), &json!(0)));
    let row = &answer["diagnostics"][0];
    assert_eq!(fields(row), ["file", "location", "severity", "message", "rule"]);
    assert_eq!(row["file"], client.at(REPORT));
    assert_eq!((&row["location"], &row["severity"]), (&json!("8:18"), &json!("error")), "from 1");
    assert_eq!(row["rule"], "reportAssignmentType");
    assert!(row["message"].as_str().unwrap().contains("\"float\" is not assignable to \"str\""), "{row}");
    assert_eq!(answer["diagnostics"].as_array().unwrap().len(), 1);
    client.end();
}

#[test]
fn a_folder_is_checked_whole() {
    let mut client = over(PYTHON).start();
    let answer = check(&mut client, "src");
    assert!(answer["summary"].as_str().unwrap().starts_with("Analyzed 7 files in "), "{answer}");
    assert_eq!((&answer["error_count"], &answer["diagnostics"]), (&json!(0), &json!([])));
    client.tree.write(REPORT, PYTHON_BROKEN);
    client.tree.write("tests/test_more.py", "x: int = ''\n");
    let whole = check(&mut client, "");
    let files: Vec<String> = whole["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| client.relative(row["file"].as_str().unwrap()))
        .collect();
    assert_eq!(files, [REPORT, "tests/test_more.py"], "each change is seen");
    assert_eq!(check(&mut client, "src")["error_count"], 1, "and nothing outside the folder");
    client.end();
}

#[test]
fn warnings_and_information_have_their_words() {
    let fixture = "//- /pyrightconfig.json\n{ \"reportUnusedVariable\": \"information\", \"reportSelfClsParameterName\": \"warning\" }\n\
                   //- /a.py\ndef f() -> None:\n    unused = 1\n\n\nclass C:\n    def m(x): ...\n";
    let mut client = over(fixture).start();
    let answer = check(&mut client, "a.py");
    let mut words: Vec<&str> = answer["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["severity"].as_str().unwrap())
        .collect();
    words.sort_unstable();
    assert_eq!(words, ["information", "warning"], "{answer:#}");
    assert_eq!((&answer["error_count"], &answer["warning_count"]), (&json!(0), &json!(1)));
    assert!(answer["summary"].as_str().unwrap().ends_with("Found 0 error(s), 1 warning(s)."), "{answer}");
    client.end();
}

#[test]
fn positions_are_those_an_editor_shows() {
    // Two characters outside the BMP stand before it, and lines end as on Windows.
    let mut client = over("//- /a.py\n").start();
    client.tree.write("a.py", "first = 1\r\nparty = \"🎉👍\"; wrong: int = \"x\"\r\n");
    let answer = check(&mut client, "a.py");
    assert_eq!(answer["diagnostics"][0]["location"], "2:28", "{answer:#}");
    client.end();
}

#[test]
fn the_caller_chooses_the_python_version() {
    let fixture =
        format!("//- /pyrightconfig.json\n{{ \"pythonVersion\": \"3.12\" }}\n//- /a.py\n{MATCHING}");
    let mut client = over(&fixture).start();
    assert_eq!(check(&mut client, "a.py")["error_count"], 0);
    let old = client.success("check_types", json!({ "path": client.at("a.py"), "python_version": "3.9" }));
    assert_eq!(old["diagnostics"][0]["location"], "2:5", "{old:#}");
    assert!(old["diagnostics"][0]["message"].as_str().unwrap().contains("3.10"), "{old:#}");
    assert_eq!(old["diagnostics"][0]["rule"], Value::Null, "not every finding has one");
    client.end();
}

#[test]
fn the_projects_oldest_version_counts_where_its_configuration_names_none() {
    let project = |more: &str| {
        format!(
            "//- /pyproject.toml\n[project]\nname = \"x\"\nrequires-python = \">=3.9\"\n{more}//- /a.py\n{MATCHING}"
        )
    };
    let mut client = over(&project("")).start();
    assert_eq!(check(&mut client, "a.py")["error_count"], 1);
    client.end();
    let mut client = over(&project("[tool.pyright]\npythonVersion = \"3.11\"\n")).start();
    assert_eq!(check(&mut client, "a.py")["error_count"], 0);
    client.end();
}

fn git(folder: &Path, args: &[&str]) {
    let mut command = std::process::Command::new("git");
    let status = command.args(args).current_dir(folder).output().expect("git runs").status;
    assert!(status.success(), "git {args:?}");
}

#[test]
fn the_environment_of_the_project_is_used_where_it_may_be_run() {
    let start = over(PYTHON_VENV);
    python_environment(start.tree.root(), ".venv");
    git(start.tree.root(), &["init", "--quiet"]);
    git(start.tree.root(), &["add", "app.py", "pyproject.toml"]);
    let mut client = start.start();
    let answer = check(&mut client, "app.py");
    assert_eq!((&answer["error_count"], answer.get("warnings")), (&json!(0), None), "{answer:#}");
    client.tree.write("app.py", "from friendly import greet\n\nmessage = greet(1)\n");
    let answer = check(&mut client, "app.py");
    assert_eq!(answer["diagnostics"][0]["rule"], "reportArgumentType", "{answer:#}");
    client.end();
}

#[test]
fn an_environment_that_may_not_be_run_is_told() {
    // Nobody knows where the files of this folder come from.
    let start = over(PYTHON_VENV);
    python_environment(start.tree.root(), ".venv");
    let mut client = start.start();
    let answer = check(&mut client, "app.py");
    assert_eq!(answer["diagnostics"][0]["rule"], "reportMissingImports", "{answer:#}");
    assert!(answer["warnings"][0].as_str().unwrap().contains("`orienteer trust`"), "{answer:#}");
    client.end();
}

#[test]
fn an_environment_that_the_configuration_names_is_used_as_it_says() {
    let start = over(&format!("{PYTHON_VENV}//- /pyrightconfig.json\n{{ \"venv\": \"env\" }}\n"));
    python_environment(start.tree.root(), "env");
    let mut client = start.start();
    let answer = check(&mut client, "app.py");
    assert_eq!((&answer["error_count"], answer.get("warnings")), (&json!(0), None), "{answer:#}");
    client.end();
}

#[test]
fn without_a_configuration_it_goes_on_with_defaults() {
    let mut client = over("//- /loose/a.py\nx: int = \"\"\n//- /loose/b.py\nfrom a import x\n").start();
    let answer = check(&mut client, "loose/a.py");
    assert_eq!((&answer["error_count"], answer.get("warnings")), (&json!(1), None), "{answer:#}");
    assert_eq!(check(&mut client, "loose/b.py")["error_count"], 0);
    let hover = client.success("get_hover", client.place("loose/b.py", 1, 15));
    assert_eq!((&hover["type"], hover.get("warnings")), (&json!("int"), None));
    client.end();
}

#[test]
fn severities_may_be_numbers() {
    let report = json!({
        "version": "1.1.1", "time": "1",
        "generalDiagnostics": [
            { "file": "a.py", "severity": 1, "message": "one", "range": { "start": { "line": 9, "character": 4 }, "end": { "line": 9, "character": 6 } }, "rule": "reportX" },
            { "file": "a.py", "severity": 2, "message": "two" },
            { "file": "a.py", "severity": 3, "message": "three" },
        ],
        "summary": { "filesAnalyzed": 5, "errorCount": 1, "warningCount": 1, "informationCount": 1, "timeInSec": 0.45 }
    });
    let start = over("//- /a.py\nx = 1\n");
    let bin = start.programs(&[], &[("pyright", &format!("cat <<'END'\n{report}\nEND\nexit 1"))]);
    let mut client = start.path(format!("{}:/usr/bin:/bin", bin.display())).start();
    let answer = check(&mut client, "a.py");
    assert_eq!(answer["summary"], "Analyzed 5 files in 0.45s. Found 1 error(s), 1 warning(s).");
    let rows: Vec<String> = answer["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            format!(
                "{} {} {}",
                row["location"].as_str().unwrap(),
                row["severity"].as_str().unwrap(),
                row["message"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(rows, ["1:1 warning two", "1:1 information three", "10:5 error one"]);
    client.end();
}

#[test]
fn the_language_server_checks_where_there_is_no_command_line() {
    let start = over(PYTHON);
    start.tree.write(REPORT, PYTHON_BROKEN);
    let bin = start.programs(&["node", "pyright-langserver"], &[]);
    let mut client = start.path(bin).start();
    let answer = check(&mut client, REPORT);
    assert_eq!(
        (&answer["error_count"], &answer["diagnostics"][0]["location"]),
        (&json!(1), &json!("8:18")),
        "{answer:#}"
    );
    assert_eq!(answer["diagnostics"][0]["rule"], "reportAssignmentType");
    assert!(
        answer["warnings"][0].as_str().unwrap().contains("the language server checked instead"),
        "{answer:#}"
    );
    // Another version is another question, which it cannot answer.
    let asked = json!({ "path": client.at(REPORT), "python_version": "3.9" });
    let (code, message) = client.error("check_types", asked);
    assert_eq!(code, "not_found");
    assert!(message.contains("install it: npm install --global pyright"), "{message}");
    client.end();
}

#[test]
fn the_command_line_is_run_as_documented() {
    let start =
        over("//- /pyproject.toml\n[project]\nname = \"x\"\nrequires-python = \">=3.10\"\n//- /src/a.py\n");
    let log = start.tree.beside("seen").join("args");
    let report = r#"{"generalDiagnostics": [], "summary": {"filesAnalyzed": 1, "timeInSec": 0.1}}"#;
    let script = format!("printf '%s\\n' \"$PWD\" \"$@\" > {}; echo '{report}'", log.display());
    let bin = start.programs(&[], &[("pyright", &script)]);
    let mut client = start.path(format!("{}:/usr/bin:/bin", bin.display())).start();
    check(&mut client, "src/a.py");
    let root = client.at("");
    let root = root.trim_end_matches('/');
    let said = std::fs::read_to_string(&log).unwrap();
    let file = client.at("src/a.py");
    assert_eq!(
        said.lines().collect::<Vec<_>>(),
        [root, "--outputjson", "--pythonversion", "3.10", "--project", root, &file],
        "in the project, the target last"
    );
    let asked = json!({ "path": client.at("src"), "python_version": "3.13" });
    client.success("check_types", asked);
    let said = std::fs::read_to_string(&log).unwrap();
    assert!(
        said.contains("--pythonversion\n3.13\n") && said.ends_with(&format!("{}\n", client.at("src"))),
        "{said}"
    );
    client.end();
}

#[test]
fn it_finds_what_the_native_contract_finds() {
    let mut ours = over(PYTHON).native().start();
    ours.tree.write(REPORT, PYTHON_BROKEN);
    let arguments = json!({ "file_paths": ["src"], "mode": "compiler", "wait_ms": 60_000 });
    let native = ours.server.call("get_diagnostics", arguments)["structuredContent"].clone();
    let mut client = over(PYTHON).start();
    client.tree.write(REPORT, PYTHON_BROKEN);
    let answer = check(&mut client, "src");
    let places = |rows: &Value, one: &dyn Fn(&Value) -> String| -> Vec<String> {
        rows.as_array().unwrap_or_else(|| panic!("{rows}")).iter().map(one).collect()
    };
    let theirs = places(&answer["diagnostics"], &|row| {
        format!(
            "{} {} {}",
            client.relative(row["file"].as_str().unwrap()),
            row["location"].as_str().unwrap(),
            row["rule"]
        )
    });
    let natives = places(&native["diagnostics"], &|row| {
        format!("{} {}:{} {}", row["file_path"].as_str().unwrap(), row["line"], row["column"], row["code"])
    });
    assert_eq!(theirs, natives, "{native:#}");
    assert!(!theirs.is_empty());
    client.end();
}

/// The programs that every test here needs.
#[test]
fn pyright_is_the_one_that_the_tests_installed() {
    assert!(tools::require("pyright").starts_with(tools::tools()));
}

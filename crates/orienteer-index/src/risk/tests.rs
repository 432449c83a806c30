use super::*;

use orienteer_syntax::facts::Parameter;

fn facts(calls: &[&str], reads: &[&str]) -> Facts {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Facts { calls: owned(calls), reads: owned(reads), ..Facts::default() }
}

fn import(module: &str, names: &[&str]) -> Import {
    Import {
        module: module.to_owned(),
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        range: 0..0,
    }
}

/// Role, tag and evidence of every tag.
fn said(rules: &Rules, language: &str, facts: &Facts, imports: &[Import]) -> Vec<String> {
    let tags = rules.tags(language, facts, imports);
    tags.iter().map(|tag| format!("{} {} {}", tag.role.as_str(), tag.tag, tag.evidence)).collect()
}

#[test]
fn the_rules_that_come_with_us_are_sound() {
    let rules = Rules::parse(BUILT_IN).unwrap();
    assert_eq!(rules.len(), Rules::builtin().len());
    let tags: Vec<&str> = rules.tag_names().collect();
    for tag in [
        "argv",
        "deserialise",
        "env",
        "eval",
        "exec",
        "file_write",
        "html",
        "network",
        "request",
        "sql",
        "stdin",
    ] {
        assert!(tags.contains(&tag), "{tag}");
    }
    for language in
        ["python", "javascript", "typescript", "tsx", "go", "rust", "java", "csharp", "ruby", "c", "cpp"]
    {
        let roles: Vec<Role> =
            rules.iter().filter(|rule| rule.languages.contains(&language)).map(|rule| rule.role).collect();
        assert!(roles.contains(&Role::Source) && roles.contains(&Role::Sink), "{language}");
    }
}

#[test]
fn a_source_and_a_sink_in_one_function_are_a_flow() {
    let found = said(Rules::builtin(), "python", &facts(&["os.system"], &["request.args"]), &[]);
    assert_eq!(
        found,
        ["flow exec request.args → os.system", "sink exec os.system", "source request request.args"]
    );
}

#[test]
fn groups_keep_a_page_apart_from_the_users_own_arguments() {
    let mut handler = facts(&[], &["process.argv"]);
    handler.writes = vec!["element.innerHTML".to_owned()];
    let found = said(Rules::builtin(), "javascript", &handler, &[]);
    assert_eq!(found, ["sink html element.innerHTML", "source argv process.argv"]);
    handler.reads = vec!["location.hash".to_owned()];
    let found = said(Rules::builtin(), "typescript", &handler, &[]);
    assert!(found.contains(&"flow html location.hash → element.innerHTML".to_owned()), "{found:?}");
}

#[test]
fn imports_decide_what_a_short_name_means() {
    let call = facts(&["exec"], &[]);
    assert_eq!(said(Rules::builtin(), "javascript", &call, &[]), [""; 0]);
    assert_eq!(
        said(Rules::builtin(), "javascript", &call, &[import("child_process", &["exec"])]),
        ["sink exec exec"]
    );
    let call = facts(&["run"], &[]);
    assert_eq!(said(Rules::builtin(), "python", &call, &[import("subprocess", &["run"])]), ["sink exec run"]);
    assert_eq!(said(Rules::builtin(), "python", &call, &[]), [""; 0]);
    let call = facts(&["Command::new"], &[]);
    assert_eq!(said(Rules::builtin(), "rust", &call, &[import("clap", &["Command"])]), [""; 0]);
    assert_eq!(
        said(Rules::builtin(), "rust", &call, &[import("std::process::Command", &[])]),
        ["sink exec Command::new"]
    );
    let call = facts(&["std::process::Command::new"], &[]);
    assert_eq!(said(Rules::builtin(), "rust", &call, &[]), ["sink exec std::process::Command::new"]);
}

#[test]
fn parameters_are_sources_by_their_type() {
    let mut handler = facts(&["exec.Command"], &[]);
    handler.parameters =
        vec![Parameter { name: "r".to_owned(), type_name: Some("*http.Request".to_owned()) }];
    let found = said(Rules::builtin(), "go", &handler, &[]);
    assert!(found.contains(&"flow exec *http.Request → exec.Command".to_owned()), "{found:?}");
}

#[test]
fn a_field_is_known_also_where_more_follows() {
    let found = said(Rules::builtin(), "javascript", &facts(&[], &["process.env.HOME"]), &[]);
    assert_eq!(found, ["source env process.env.HOME"]);
}

#[test]
fn languages_without_rules_have_no_tags() {
    assert_eq!(said(Rules::builtin(), "markdown", &facts(&["eval"], &[]), &[]), [""; 0]);
}

#[test]
fn users_add_replace_and_take_away() {
    let users = Rules::parse(
        r#"
        [[rule]]
        id = "ours"
        role = "sink"
        tag = "audit"
        severity = "critical"
        languages = ["py"]
        calls = ["danger*"]

        [[rule]]
        id = "python-eval"
        off = true
        "#,
    )
    .unwrap();
    let both = Rules::builtin().merged(&users);
    let found = said(&both, "python", &facts(&["eval", "dangerous"], &[]), &[]);
    assert_eq!(found, ["sink audit dangerous"]);
    assert_eq!(both.len(), Rules::builtin().len());
    assert!(both.tag_names().any(|tag| tag == "audit"));
}

#[test]
fn errors_name_the_line_and_what_is_legal() {
    let error = |text: &str| Rules::parse(text).unwrap_err().to_string();
    let wrong = error(
        "[[rule]]\nid = \"a\"\nrole = \"source\"\ntag = \"t\"\nlanguages = [\"pyhton\"]\ncalls = [\"x\"]\n",
    );
    assert!(wrong.starts_with("line 5 ") && wrong.contains("did you mean python?"), "{wrong}");
    let wrong = error("[[rule]]\nid = \"a\"\nrole = \"flow\"\n");
    assert!(wrong.starts_with("line 3 ") && wrong.contains("source or sink"), "{wrong}");
    let wrong = error("\n[[rule]]\nid = \"a\"\nseverty = \"high\"\n");
    assert!(wrong.starts_with("line 4 ") && wrong.contains("severity"), "{wrong}");
    let wrong = error("[[rule]]\nid = \"a\"\nrole = \"sink\"\ntag = \"t\"\nlanguages = [\"go\"]\n");
    assert!(wrong.starts_with("line 1 ") && wrong.contains("calls"), "{wrong}");
    let wrong = error("[[rule]]\nid = \"a\"\noff = true\n[[rule]]\nid = \"a\"\noff = true\n");
    assert!(wrong.starts_with("line 5 ") && wrong.contains("two rules"), "{wrong}");
    let wrong =
        error("[[rule]]\nid = \"a\"\nrole=\"sink\"\ntag=\"t\"\nlanguages=[\"go\"]\ncalls = [\n\"::\"]\n");
    assert!(wrong.starts_with("line 7 "), "{wrong}");
    let wrong = error("x = ");
    assert!(wrong.starts_with("line 1 "), "{wrong}");
    assert!(matches!(Rules::parse(&"#".repeat(2 << 20)), Err(RuleError::TooLarge { .. })));
    let wrong = error("[[rule]]\nid = \"a\"\nrole=\"sink\"\ntag=\"Big Tag\"\n");
    assert!(wrong.starts_with("line 4 "), "{wrong}");
}

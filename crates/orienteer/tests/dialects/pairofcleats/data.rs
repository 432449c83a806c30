//! Models, dictionaries and extensions, from a web server that we did not write.

use std::fs;
use std::process::Command;

use orienteer_testkit::{Web, tree};
use serde_json::{Value, json};

use super::support::{PROJECT, Session, over, sha256};

/// A session, a web server with a file of words and an archive, and the sums of both.
fn published() -> (Session, Web, [String; 2]) {
    let tree = tree(PROJECT);
    let folder = tree.beside("published");
    fs::write(folder.join("en.txt"), "alpha\nbeta\n").unwrap();
    let packed = Command::new("tar")
        .args(["-czf", "vec.tar.gz", "en.txt"])
        .current_dir(&folder)
        .status()
        .expect("tar is installed");
    assert!(packed.success());
    let sums = ["en.txt", "vec.tar.gz"].map(|name| sha256(&folder.join(name)));
    let web = Web::start(&folder);
    (Session::start(tree, &[], &[]), web, sums)
}

const WRONG: &str = "9f9f90dbe3e5ee1218c86b8839db1995a4d2d2a6e1dd3c5f4b1b2d9f1f0d4a55";

#[test]
fn dictionaries_are_fetched_once_and_again_when_damaged() {
    let (mut session, web, [sum, _]) = published();
    let url = format!("en={}#sha256={sum}", web.url("en.txt"));
    let fetched = session.ask("download_dictionaries", json!({ "url": url }));
    assert_eq!(fetched["status"], "fetched", "{fetched}");
    let row = &fetched["dictionaries"][0];
    assert_eq!(
        (&row["name"], &row["bytes"], &row["sha256"]),
        (&json!("en"), &json!(11), &json!(sum)),
        "{row}"
    );
    let file = std::path::Path::new(row["path"].as_str().unwrap()).join("en.txt");
    assert_eq!(fs::read_to_string(&file).unwrap(), "alpha\nbeta\n");
    let again = session.ask("download_dictionaries", json!({ "url": url, "update": true }));
    assert_eq!(
        (&again["status"], &again["dictionaries"][0]["received"]),
        (&json!("present"), &json!(0)),
        "{again}"
    );
    let forced = json!({ "lang": "en", "url": web.url("en.txt"), "sha256": sum, "force": true });
    assert_eq!(
        session.ask("download_dictionaries", forced.clone())["status"],
        "present",
        "it is what it must be"
    );
    fs::write(&file, "gamma\n").unwrap();
    let again = session.ask("download_dictionaries", forced);
    assert_eq!(
        (&again["status"], &again["dictionaries"][0]["received"]),
        (&json!("fetched"), &json!(11)),
        "{again}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "alpha\nbeta\n");
    let held = session.ask("download_dictionaries", json!({ "lang": "en" }));
    assert_eq!(
        (&held["status"], &held["dictionaries"][0]["status"]),
        (&json!("nothing_to_do"), &json!("present"))
    );
}

#[test]
fn models_are_unpacked_into_the_cache() {
    let (mut session, web, [_, sum]) = published();
    let arguments = json!({ "model": "org/small", "url": web.url("vec.tar.gz"), "sha256": sum });
    let fetched = session.ask("download_models", arguments);
    let row = &fetched["models"][0];
    assert_eq!(
        (&row["name"], &row["files"], &row["status"]),
        (&json!("org--small"), &json!(1), &json!("fetched"))
    );
    let held = session.ask("download_models", json!({ "model": "org/small" }));
    assert_eq!(held["models"][0]["status"], "present", "{held}");
    let missing = session.refused("download_models", json!({ "model": "org/large" }));
    assert_eq!(missing["code"], "NOT_FOUND", "{missing}");
}

#[test]
fn extensions_are_fetched_and_verified_and_never_loaded() {
    let (mut session, web, [_, sum]) = published();
    let platform = json!({ "platform": "linux", "arch": "x64" });
    let with = |mut arguments: Value| {
        arguments.as_object_mut().unwrap().extend(platform.as_object().unwrap().clone());
        arguments
    };
    let url = format!("{}#sha256={sum}", web.url("vec.tar.gz"));
    let fetched = session.ask("download_extensions", with(json!({ "provider": "sqlite-vec", "url": url })));
    let row = &fetched["extensions"][0];
    assert_eq!(
        (&row["name"], &row["status"]),
        (&json!("sqlite-vec-linux-x64"), &json!("fetched")),
        "{fetched}"
    );
    let sound = session.ask("verify_extensions", json!({ "load": true }));
    assert_eq!(
        (&sound["status"], &sound["ok"], &sound["loaded"]),
        (&json!("verified"), &json!(true), &json!(false))
    );
    fs::write(std::path::Path::new(row["path"].as_str().unwrap()).join("en.txt"), "gamma\n").unwrap();
    let damaged = session.ask("verify_extensions", with(json!({ "provider": "sqlite-vec" })));
    assert_eq!((&damaged["status"], &damaged["ok"]), (&json!("damaged"), &json!(false)), "{damaged}");
    assert_eq!(damaged["extensions"][0]["faults"][0], json!({ "kind": "changed", "path": "en.txt" }));
    let missing = session.ask("verify_extensions", with(json!({ "provider": "other" })));
    assert_eq!((&missing["status"], &missing["ok"]), (&json!("missing"), &json!(false)), "{missing}");
}

#[test]
fn with_nothing_to_do_each_says_so() {
    let mut session = over(PROJECT);
    for (tool, list) in [
        ("download_models", "models"),
        ("download_dictionaries", "dictionaries"),
        ("download_extensions", "extensions"),
        ("verify_extensions", "extensions"),
    ] {
        let answer = session.ask(tool, json!({}));
        assert_eq!(
            (&answer["status"], &answer[list]),
            (&json!("nothing_to_do"), &json!([])),
            "{tool}: {answer}"
        );
        let said = answer["message"].as_str().or_else(|| answer["notes"][0].as_str());
        assert!(said.unwrap().contains("search"), "{tool}: {answer}");
    }
}

#[test]
fn nothing_is_fetched_without_a_sum_or_with_another_content() {
    let (mut session, web, [sum, _]) = published();
    let url = web.url("en.txt");
    let fetch = |session: &mut Session, more: Value| {
        let mut arguments = json!({ "lang": "en" });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        session.refused("download_dictionaries", arguments)
    };
    let without = fetch(&mut session, json!({ "url": url }));
    assert!(without["message"].as_str().unwrap().contains("SHA-256"), "{without}");
    let other = fetch(&mut session, json!({ "url": url, "sha256": WRONG }));
    let message = other["message"].as_str().unwrap();
    assert!(
        message.contains(&sum) && message.contains(WRONG) && other["code"] == "INVALID_REQUEST",
        "{other}"
    );
    let plain = fetch(&mut session, json!({ "url": "http://example.org/en.txt", "sha256": sum }));
    assert!(plain["message"].as_str().unwrap().contains("https://"), "{plain}");
    let gone = fetch(&mut session, json!({ "url": web.url("none.txt"), "sha256": sum }));
    assert_eq!(gone["code"], "NOT_FOUND", "{gone}");
    let nobody = fetch(&mut session, json!({ "url": "http://127.0.0.1:1/en.txt", "sha256": sum }));
    assert_eq!(nobody["code"], "NETWORK", "{nobody}");
    assert!(nobody["hint"].is_string(), "{nobody}");
    for (tool, field) in [
        ("download_models", "cacheDir"),
        ("download_dictionaries", "dir"),
        ("download_extensions", "dir"),
        ("download_extensions", "out"),
        ("verify_extensions", "dir"),
        ("verify_extensions", "path"),
    ] {
        let refused = session.refused(tool, json!({ field: "elsewhere" }));
        assert_eq!(refused["code"], "UNSUPPORTED", "{tool}.{field}: {refused}");
    }
    assert_eq!(session.ask("download_dictionaries", json!({}))["dictionaries"], json!([]));
}

#[test]
fn names_and_addresses_are_settled_before_anything_is_fetched() {
    let (mut session, web, [sum, _]) = published();
    let good = format!("{}#sha256={sum}", web.url("en.txt"));
    let refusals = [
        ("download_dictionaries", json!({ "lang": "en,de", "url": good }), "`en`, `de`"),
        ("download_dictionaries", json!({ "lang": "en,de", "url": format!("en={good}") }), "`de`, for which"),
        ("download_dictionaries", json!({ "lang": "en", "url": format!("fr={good}") }), "`fr`, which `lang`"),
        (
            "download_dictionaries",
            json!({ "lang": "en", "url": format!("{good} {good}") }),
            "2 of the addresses",
        ),
        ("download_dictionaries", json!({ "url": format!("en={good} en={good}") }), "`en` is named twice"),
        ("download_dictionaries", json!({ "url": format!("en={good} ..={good}") }), "`..`"),
        (
            "download_dictionaries",
            json!({ "url": format!("en={good} de=http://example.org/de.txt#sha256={sum}") }),
            "https://",
        ),
        ("download_models", json!({ "model": "org/small", "url": format!("other={good}") }), "`org--small`"),
        (
            "download_models",
            json!({ "model": "a", "url": format!("a={good} b={good}") }),
            "`b`, which `model`",
        ),
        ("download_models", json!({ "model": "a", "url": good, "sha256": WRONG }), "differ"),
        ("download_models", json!({ "model": "a", "sha256": sum }), "`url` has none"),
        ("download_extensions", json!({ "provider": "a", "url": format!("b={good}") }), "which `provider`"),
        ("download_extensions", json!({ "url": format!("{good} {good}") }), "2 of 2 addresses"),
    ];
    for (tool, arguments, said) in refusals {
        let refused = session.refused(tool, arguments.clone());
        assert_eq!(refused["code"], "INVALID_REQUEST", "{arguments}: {refused}");
        assert!(refused["message"].as_str().unwrap().contains(said), "{arguments}: {refused}");
    }
    for (tool, list) in [
        ("download_models", "models"),
        ("download_dictionaries", "dictionaries"),
        ("download_extensions", "extensions"),
    ] {
        assert_eq!(session.ask(tool, json!({}))[list], json!([]), "{tool}: nothing was written");
    }
}

#[test]
fn every_name_that_was_written_gets_its_file_or_is_told_to_be_missing() {
    let (mut session, web, [sum, packed]) = published();
    let good = format!("{}#sha256={sum}", web.url("en.txt"));
    let names = |answer: &Value, list: &str| -> Vec<String> {
        let rows = answer[list].as_array().unwrap_or_else(|| panic!("{answer}"));
        rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
    };
    let two =
        session.ask("download_dictionaries", json!({ "lang": "en,de", "url": format!("de={good},{good}") }));
    assert_eq!(names(&two, "dictionaries"), ["de", "en"], "{two}");
    let both = session.ask("download_dictionaries", json!({ "lang": "en, de" }));
    assert_eq!(names(&both, "dictionaries").len(), 2, "{both}");
    let missing = session.refused("download_dictionaries", json!({ "lang": "en,fr,it" }));
    assert_eq!(missing["code"], "NOT_FOUND", "{missing}");
    assert!(missing["message"].as_str().unwrap().contains("`fr`, `it`"), "{missing}");
    // The second address leads nowhere, and what the first brought is there.
    let url = format!("one={good} two={}#sha256={sum}", web.url("none.txt"));
    let half = session.refused("download_models", json!({ "url": url }));
    assert!(
        half["code"] == "NOT_FOUND" && half["message"].as_str().unwrap().contains("one is there"),
        "{half}"
    );
    assert_eq!(names(&session.ask("download_models", json!({ "model": "one" })), "models"), ["one"]);
    // A name before the address is that of a provider, too.
    let url = format!("vec={}#sha256={packed}", web.url("vec.tar.gz"));
    let fetched = session.ask(
        "download_extensions",
        json!({ "url": url, "provider": "vec", "platform": "linux", "arch": "x64" }),
    );
    assert_eq!(names(&fetched, "extensions"), ["vec-linux-x64"], "{fetched}");
    let on = |platform: &str| json!({ "provider": "vec", "platform": platform, "arch": "x64" });
    assert_eq!(session.ask("verify_extensions", on("linux"))["status"], "verified");
    assert_eq!(names(&session.ask("download_extensions", on("linux")), "extensions"), ["vec-linux-x64"]);
    for arguments in [on("darwin"), json!({ "platform": "linux", "arch": "x64" })] {
        let missing = session.refused("download_extensions", arguments.clone());
        assert_eq!(missing["code"], "NOT_FOUND", "{arguments}: {missing}");
        assert_eq!(session.ask("verify_extensions", arguments)["status"], "missing");
    }
}

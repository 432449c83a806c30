//! Models, dictionaries and extensions, from a web server that we did not write.

use std::fs;
use std::process::Command;

use orienteer_testkit::{Web, tree};
use serde_json::{Value, json};

use super::support::{PROJECT, Session, over};

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
    let sums = ["en.txt", "vec.tar.gz"].map(|name| {
        let sum = Command::new("sha256sum").arg(folder.join(name)).output().unwrap();
        String::from_utf8(sum.stdout).unwrap()[..64].to_owned()
    });
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

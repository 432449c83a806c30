//! What a user adds to the index: a model of meanings, rules about risks.

use std::fs;

use orienteer_testkit::meaning::write_model;
use orienteer_testkit::{Framing, Server, tree};
use serde_json::json;

use crate::ORIENTEER;
use crate::index::{ALL, ask, paths, search, start};

#[test]
fn with_a_model_meanings_are_compared_and_without_words_alone() {
    let tree = tree(
        "//- /a.py\ndef ship():\n    return 'ship'\n//- /b.py\ndef tower():\n    return 'tower'\n//- /c.py\ndef other():\n    pass\n",
    );
    let folder = tree.beside("model");
    write_model(&folder);
    let model = folder.display().to_string();
    let variables = [("PATH", "/nowhere"), ("ORIENTEER_INDEX_MODEL", model.as_str())];
    let mut server = Server::start_with(ORIENTEER, tree.root(), ALL, &variables, Framing::Lines);
    server.initialize("2025-11-25");
    let built = ask(&mut server, "build_index", json!({}));
    assert!(built["vectors"].as_u64().unwrap() >= 2, "a build ends with its vectors: {built}");
    let listed = ask(&mut server, "report_artifacts", json!({}))["artifacts"].to_string();
    assert!(listed.contains("\"model\"") && listed.contains("model.safetensors"), "{listed}");
    assert!(listed.contains("\"vectors\"") && listed.contains("\"database\""), "{listed}");
    let found = search(&mut server, "vessel");
    assert_eq!(found["ranking"], "words and meaning", "{found}");
    assert_eq!(paths(&found)[0], "a.py", "{found}");
    // A file that came later has its meaning, too.
    tree.write("d.py", "def skyscraper():\n    return 'tower tower'\n");
    fs::remove_file(tree.root().join("b.py")).unwrap();
    let later = search(&mut server, "building");
    assert_eq!(paths(&later)[0], "d.py", "{later}");
    let mut plain = start(&tree);
    let found = search(&mut plain, "vessel");
    assert_eq!((paths(&found).len(), &found["ranking"]), (0, &json!("words")), "{found}");
    fs::remove_file(folder.join("tokenizer.json")).unwrap();
    let mut broken = Server::start_with(ORIENTEER, tree.root(), ALL, &variables, Framing::Lines);
    broken.initialize("2025-11-25");
    let found = search(&mut broken, "ship");
    assert_eq!(paths(&found)[0], "a.py", "{found}");
    assert_eq!(found["warnings"][0]["kind"], "no_model", "{found}");
}

#[test]
fn rules_of_the_user_tag_risks_and_a_broken_file_is_told() {
    let tree = tree("//- /a.py\nimport os\n\ndef run(command):\n    os.system(command)\n");
    let rules = tree.beside("rules").join("rules.toml");
    fs::write(&rules, "this is no rule").unwrap();
    let path = rules.display().to_string();
    let variables = [("PATH", "/nowhere"), ("ORIENTEER_INDEX_RULES", path.as_str())];
    let mut server = Server::start_with(ORIENTEER, tree.root(), ALL, &variables, Framing::Lines);
    server.initialize("2025-11-25");
    let found = search(&mut server, "command");
    assert_eq!(paths(&found), ["a.py"], "{found}");
    let warning = &found["warnings"][0];
    assert_eq!(warning["kind"], "risk_rules", "{found}");
    assert!(warning["message"].as_str().unwrap().contains("rules.toml"), "{found}");
    let rule = "[[rule]]\nid = 'ours'\nrole = 'sink'\ntag = 'launchpad'\nlanguages = ['python']\ncalls = ['lift_off']\n";
    fs::write(&rules, rule).unwrap();
    tree.write("b.py", "def count_down(rocket):\n    rocket.lift_off()\n");
    let mut server = Server::start_with(ORIENTEER, tree.root(), ALL, &variables, Framing::Lines);
    server.initialize("2025-11-25");
    assert_eq!(ask(&mut server, "build_index", json!({ "full": true }))["done"], "built");
    let found = search(&mut server, "risk:launchpad");
    assert_eq!(
        (paths(&found), &found["results"][0]["name"]),
        (vec!["b.py"], &json!("count_down")),
        "{found}"
    );
    assert_eq!(found["warnings"].as_array().map(Vec::len), Some(0), "{found}");
    // The rules that come with us hold, too.
    assert_eq!(paths(&search(&mut server, "risk:sink"))[0], "a.py");
}

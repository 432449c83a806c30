//! docker-langserver.

use orienteer_testkit::workspaces::{DOCKERFILE, DOCKERFILE_BROKEN, file};
use serde_json::json;

use crate::support::{at, over};

#[test]
fn stages_and_arguments() {
    let mut live = over(DOCKERFILE).start();
    assert_eq!(live.definitions(at("Dockerfile", 9, 13)), ["Dockerfile:2:27"]);
    assert_eq!(live.definitions(at("Dockerfile", 2, 15)), ["Dockerfile:1:5"]);
    assert!(live.hover(at("Dockerfile", 3, 1)).0.starts_with("Set the working directory"));
    let outline = live.outline("Dockerfile");
    assert_eq!(
        (outline.len(), outline[1].as_str(), outline[8].as_str()),
        (9, "function FROM 2:1", "function ENTRYPOINT 10:1")
    );
    let dockerfile = json!({ "file_paths": ["Dockerfile"] });
    assert_eq!(live.check(dockerfile.clone()), ("clean".to_owned(), Vec::new()));
    live.write("Dockerfile", DOCKERFILE_BROKEN);
    let broken = live.ask("get_diagnostics", dockerfile.clone());
    let found = &broken["diagnostics"][0];
    assert_eq!(
        (&found["line"], &found["column"], &found["message"]),
        (&json!(2), &json!(1), &json!("Unknown instruction: RUNN"))
    );
    live.write("Dockerfile", file(DOCKERFILE, "Dockerfile"));
    assert_eq!(live.check(dockerfile), ("clean".to_owned(), Vec::new()));
    live.end();
}

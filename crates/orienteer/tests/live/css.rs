//! vscode-css-language-server.

use orienteer_testkit::workspaces::{CSS, CSS_BROKEN, file};
use serde_json::json;

use crate::support::{at, over};

#[test]
fn custom_properties_and_variables() {
    let mut live = over(CSS).start();
    assert_eq!(live.definitions(at("styles.css", 7, 14)), ["styles.css:2:3"]);
    let accent = ["styles.css:2:3!", "styles.css:7:14", "styles.css:12:28"];
    assert_eq!(live.references(at("styles.css", 7, 14)), accent);
    assert_eq!(live.references(at("styles.css", 12, 28)), accent, "behind an emoji");
    assert_eq!(live.references(at("theme.scss", 4, 12)), ["theme.scss:1:1!", "theme.scss:4:12"]);
    let hover = live.hover(at("styles.css", 7, 3));
    assert_eq!(hover.0, "Sets the color of an element's text");
    assert!(!hover.1.contains("base64"), "{hover:?}");
    assert_eq!(
        live.outline("styles.css"),
        ["class :root 1:1", "class .page 6:1", "class .page > .accent::before 11:1"]
    );
    let styles = json!({ "file_paths": ["styles.css"] });
    assert_eq!(live.check(styles.clone()), ("clean".to_owned(), Vec::new()));
    live.write("styles.css", CSS_BROKEN);
    let broken = [
        "styles.css:2:3 warning unknownProperties".to_owned(),
        "styles.css:6:9 error css-colonexpected".to_owned(),
    ];
    assert_eq!(live.check(styles.clone()), ("issues".to_owned(), broken.to_vec()));
    let errors = live.check(json!({ "file_paths": ["styles.css"], "severity_filter": "error" })).1;
    assert_eq!(errors, broken[1..]);
    live.write("styles.css", file(CSS, "styles.css"));
    assert_eq!(live.check(styles), ("clean".to_owned(), Vec::new()));
    live.end();
}

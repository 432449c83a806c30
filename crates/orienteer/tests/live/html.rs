//! vscode-html-language-server.

use orienteer_testkit::workspaces::HTML;
use serde_json::json;

use crate::support::{at, over};

#[test]
fn elements_and_styles_inside() {
    let mut live = over(HTML).start();
    let hover = live.hover(at("index.html", 9, 4));
    assert!(hover.0.starts_with("The main element represents the main content"), "{hover:?}");
    assert!(!hover.1.contains("base64"), "{hover:?}");
    let button = live.ask("hover", at("index.html", 12, 7));
    assert_eq!(
        button["range"],
        json!({ "line": 12, "column": 7, "end_line": 12, "end_column": 13 }),
        "behind an emoji"
    );
    let outline = live.outline("index.html");
    for element in ["main.page", "h1#title", "button.accent"] {
        assert!(outline.iter().any(|row| row.contains(element)), "{element}: {outline:?}");
    }
    let page = json!({ "file_paths": ["index.html"] });
    assert_eq!(live.check(page.clone()), ("clean".to_owned(), Vec::new()));
    live.write("index.html", "<style>\n.page { colour: red; }\n</style>\n<p>x</p>\n");
    assert_eq!(
        live.check(page),
        ("issues".to_owned(), vec!["index.html:2:9 warning unknownProperties".to_owned()])
    );
    live.end();
}

//! svelteserver.

use orienteer_testkit::workspaces::{SVELTE, SVELTE_BROKEN, file};
use serde_json::json;

use crate::support::{at, over, spots, uses};

const COUNTER: &str = "src/Counter.svelte";

#[test]
fn components_and_modules() {
    let mut live = over(SVELTE).start();
    assert_eq!(live.definitions(at(COUNTER, 10, 23)), ["src/double.ts:2:17"]);
    let double = live.ask("find_references", at(COUNTER, 10, 23));
    assert_eq!(uses(&double), ["src/Counter.svelte:2:12", "src/Counter.svelte:10:23", "src/double.ts:2:17!"]);
    // The name of the file is the same word and no use.
    assert_eq!(
        (spots(&double["unconfirmed"]), &double["server_id"]),
        (vec!["src/Counter.svelte:2:29".to_owned()], &json!("svelte"))
    );
    let hover = live.hover(at(COUNTER, 10, 23));
    assert!(hover.0.contains("double(value: number): number") && hover.1 == "Twice a number.", "{hover:?}");
    let component = live.definitions(at("src/App.svelte", 6, 4));
    assert!(component.len() == 1 && component[0].starts_with("src/Counter.svelte:1:"), "{component:?}");
    let outline = live.outline(COUNTER);
    for symbol in ["  variable script/count 3:14", "  function script/increment 4:3"] {
        assert!(outline.contains(&symbol.to_owned()), "{symbol}: {outline:?}");
    }
    let counter = json!({ "file_paths": [COUNTER] });
    assert_eq!(live.check(counter.clone()), ("clean".to_owned(), Vec::new()));
    live.write(COUNTER, SVELTE_BROKEN);
    assert_eq!(
        live.check(counter.clone()),
        ("issues".to_owned(), vec!["src/Counter.svelte:6:12 error 2345".to_owned()])
    );
    live.write(COUNTER, file(SVELTE, COUNTER));
    assert_eq!(live.check(counter), ("clean".to_owned(), Vec::new()));
    live.edit("src/double.ts", "/** Twice a number. */\n", "/** Twice\n * a number. */\n");
    assert_eq!(live.definitions(at(COUNTER, 10, 23)), ["src/double.ts:3:17"]);
    live.end();
}

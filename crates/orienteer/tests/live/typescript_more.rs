//! TypeScript: what is wrong, the compiler, odd places.

use orienteer_testkit::workspaces::{ODD_FOLDER, TYPESCRIPT, TYPESCRIPT_BROKEN, crlf, file, in_folder};
use serde_json::json;

use crate::support::{Live, at, findings, over};
use crate::typescript::{EMOJI, REPORT, TOTAL, TOTAL_AREA};

/// Sources and what a build has made of them; tests, which the configuration does not name.
const BUILT: &str = r#"//- /tsconfig.json
{ "compilerOptions": { "strict": true, "module": "nodenext" }, "include": ["src"] }
//- /package.json
{ "name": "built", "type": "module" }
//- /dist/area.js
export function squareArea(side) { return side * side; }
//- /dist/area.d.ts
export declare function squareArea(side: number): number;
//- /dist/report.js
import { squareArea } from "./area.js";
export const report = () => squareArea(3);
//- /dist/report.d.ts
export declare const report: () => number;
//- /src/area.ts
export function squareArea(side: number): number { return side * side; }
//- /src/report.ts
import { squareArea } from "./area.js";
export const report = () => squareArea(3);
//- /test/area.ts
import { squareArea } from "../src/area.js";
export const checked = () => squareArea(2);
"#;

const ERROR: &str = "packages/web/src/report.ts:5:9 error 2322";

/// Clean, broken, fixed; baselines.
pub(crate) fn says_what_is_wrong(live: &mut Live) {
    let report = json!({ "file_paths": [REPORT] });
    assert_eq!(live.check(report.clone()), ("clean".to_owned(), Vec::new()));
    live.ask("get_diagnostics", json!({ "file_paths": ["packages"], "save_baseline": "before" }));
    live.write(REPORT, TYPESCRIPT_BROKEN);
    let broken = live.ask("get_diagnostics", report.clone());
    assert_eq!(
        (&broken["state"], findings(&broken["diagnostics"])),
        (&json!("issues"), vec![ERROR.to_owned()])
    );
    assert_eq!(broken["diagnostics"][0]["message"], "Type 'number' is not assignable to type 'string'.");
    assert_eq!(broken["diagnostics"][0]["end_column"], 12);
    let since = live.ask("get_diagnostics", json!({ "file_paths": ["packages"], "baseline": "before" }));
    assert_eq!((findings(&since["new"]), &since["unchanged_count"]), (vec![ERROR.to_owned()], &json!(0)));
    // An error that comes from another file: the function there returns something else now.
    live.write(REPORT, file(TYPESCRIPT, REPORT));
    assert_eq!(live.check(report.clone()), ("clean".to_owned(), Vec::new()));
    live.edit(TOTAL, "): number {", "): number | undefined {");
    assert_eq!(live.check(report.clone()).1, ["packages/web/src/report.ts:6:17 error 18048"]);
    live.edit(TOTAL, "): number | undefined {", "): number {");
    assert_eq!(live.check(report), ("clean".to_owned(), Vec::new()));
}

/// A folder with blanks and Windows line ends.
pub(crate) fn odd_places(live: &mut Live) {
    let odd = |place: &str| format!("{ODD_FOLDER}/{place}");
    let expected: Vec<String> = TOTAL_AREA.iter().map(|place| odd(place)).collect();
    assert_eq!(live.references(at(&odd(TOTAL), 4, 17)), expected);
    assert_eq!(live.definitions(at(&odd(EMOJI), 6, 58)), [odd("packages/core/src/total.ts:4:17")]);
    assert_eq!(live.check(json!({ "file_paths": [odd(REPORT)] })), ("clean".to_owned(), Vec::new()));
}

#[test]
fn diagnostics() {
    let mut live = over(TYPESCRIPT).start();
    says_what_is_wrong(&mut live);
    // The compiler, over one package.
    live.edit(TOTAL, "=> sum + shape.area()", "=> sum + shape.size()");
    assert_eq!(
        live.compiled(json!({ "file_paths": ["packages/core"] })),
        ["packages/core/src/total.ts:5:52 error TS2339"]
    );
    live.end();
}

#[test]
fn a_folder_with_blanks_and_windows_line_ends() {
    let mut live = over(&in_folder(ODD_FOLDER, &crlf(TYPESCRIPT))).start();
    odd_places(&mut live);
    live.end();
}

/// A server that is given what a build wrote searches a second project with every question, and names uses in it.
#[test]
fn what_a_build_wrote_is_not_opened() {
    let mut live = over(BUILT).start();
    let own = ["src/area.ts:1:17!", "src/report.ts:1:10", "src/report.ts:2:29"];
    assert_eq!(live.references(at("src/area.ts", 1, 17)), own);
    assert_eq!(live.status("typescript-language-server")["open_documents"], 1);
    live.end();
    // Asked in a file that the configuration does not name: the project has to be known all the same.
    let mut live = over(BUILT).start();
    let all: Vec<&str> = own.into_iter().chain(["test/area.ts:1:10", "test/area.ts:2:30"]).collect();
    assert_eq!(live.references(at("test/area.ts", 2, 30)), all);
    live.end();
}

/// A project says how its files look; what the server makes of them is another style.
#[test]
fn a_project_s_style_is_prettier_s_where_it_says_so() {
    let fixture = "//- /package.json\n{}\n//- /tsconfig.json\n{}\n//- /.prettierrc\n{ \"semi\": false }\n\
                   //- /a.ts\nexport const a = 'x';\n";
    let mut live = over(fixture).start();
    let asked = json!({ "file_paths": ["a.ts"] });
    let answer = live.get("format_code", asked.clone());
    assert!(live.text.contains("with prettier"), "{}", live.text);
    let diff = answer["plan"]["files"][0]["diff"].as_str().unwrap();
    assert!(diff.contains("+export const a = \"x\"\n"), "{diff}");
    // One that is a program is not passed over in favour of the server.
    live.write(".prettierrc", "./settings.cjs\n");
    let refused = live.refused("format_code", asked);
    assert_eq!(refused["error"]["data"]["kind"], "needs_trust", "{refused:#}");
}

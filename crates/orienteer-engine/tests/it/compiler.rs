//! What the compilers themselves say, asked for real.

mod ending;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use orienteer_base::code::{Diagnostic, Severity};
use orienteer_base::{Cancel, ErrorKind, Problem, Roots};
use orienteer_engine::check::{CheckerStatus, CompilerCheck, CompilerReport, RanChecker, Verdict};
use orienteer_engine::process::{Environment, Launcher};

/// A folder of a test's own.
struct Project {
    folder: PathBuf,
    roots: Roots,
    environment: Environment,
    timeout: Duration,
    allow_local: bool,
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name =
            format!("orienteer-check-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        let workspace = folder.join("work");
        std::fs::create_dir_all(&workspace).unwrap();
        let roots = Roots::new(&workspace, &[]).unwrap();
        // The build folder of whoever runs the tests is theirs.
        let environment =
            Environment::from_pairs(std::env::vars_os()).with("CARGO_TARGET_DIR", folder.join("target"));
        let project =
            Self { folder, roots, environment, timeout: Duration::from_secs(240), allow_local: true };
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.roots.workspace().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Puts a folder in front of the others in which programs are found.
    fn with_programs(mut self, folder: &Path) -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path));
        self.environment = self.environment.clone().with("PATH", std::env::join_paths(folders).unwrap());
        self
    }

    /// A program that is a shell script; `$SELF` in it is the folder of the test.
    #[cfg(unix)]
    fn with_script(self, name: &str, script: &str) -> Self {
        use std::os::unix::fs::PermissionsExt;
        let bin = self.folder.join("bin");
        std::fs::create_dir_all(&bin).unwrap();
        let script = script.replace("$SELF", self.folder.to_str().unwrap());
        std::fs::write(bin.join(name), format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(bin.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
        self.with_programs(&bin)
    }

    async fn check(&self, scope: &[&str]) -> CompilerReport {
        self.try_check(scope, &Cancel::new()).await.unwrap()
    }

    async fn try_check(&self, scope: &[&str], cancel: &Cancel) -> Result<CompilerReport, Problem> {
        let scope: Vec<_> = scope.iter().map(|path| self.roots.resolve(path).unwrap()).collect();
        let check = CompilerCheck {
            launcher: &Launcher::without_reaper(),
            environment: &self.environment,
            roots: &self.roots,
            timeout: self.timeout,
            allow_local: self.allow_local,
        };
        check.run(&scope, cancel).await
    }
}

/// The programs that `cargo xtask test` installs. A test that did nothing without them would look green.
fn node_programs() -> PathBuf {
    let Some(tools) = std::env::var_os("ORIENTEER_TEST_TOOLS") else {
        panic!("run `cargo xtask test`, which installs what this test needs");
    };
    let folder = Path::new(&tools).join("node/node_modules/.bin");
    for program in ["tsc", "pyright"] {
        let path = folder.join(program);
        assert!(path.exists(), "{} is missing; run `cargo xtask test`, which installs it", path.display());
    }
    folder
}

fn place(found: &Diagnostic) -> (&str, u32, u32, u32, u32) {
    let range = found.range;
    (&found.file_path, range.start.line, range.start.column, range.end.line, range.end.column)
}

fn only<'r>(report: &'r CompilerReport, name: &str) -> &'r RanChecker {
    let mut ran = report.ran.iter().filter(|ran| ran.name == name);
    let first = ran.next().unwrap_or_else(|| panic!("{name} did not run: {report:#?}"));
    assert!(ran.next().is_none(), "{name} ran twice: {report:#?}");
    first
}

fn with_code<'r>(report: &'r CompilerReport, code: &str) -> Vec<&'r Diagnostic> {
    report.diagnostics.iter().filter(|found| found.code.as_deref() == Some(code)).collect()
}

const MANIFEST: &str =
    "[package]\nname = \"broken\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n";

#[tokio::test]
async fn cargo_tells_errors_and_warnings_where_they_are() {
    let library = "pub mod other;\n\
                   pub fn f() { let s = \"😀e\u{301}\";\tlet n: u32 = s; }\n\
                   macro_rules! bad { ($value:expr) => {{ let wrong: u8 = \"in\"; $value }} }\n\
                   pub fn g() -> i32 { bad!(1) }\n\
                   pub fn h() { other::takes(\"😀\", 1, 2) }\n";
    let project = Project::new(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", library),
        ("src/other.rs", "\u{feff}pub fn takes(_: u8, unused: u8, _: u8) { let x: u8 = \"\"; }\n"),
        ("src/main.rs", "fn main() {}\n"),
        ("tests/it.rs", "#[test]\nfn t() { let kept = 1; }\n"),
    ]);
    let report = project.check(&["."]).await;
    let cargo = only(&report, "cargo");
    assert_eq!((&cargo.status, cargo.truncated, cargo.root.as_str()), (&CheckerStatus::Finished, false, "."));
    assert!(cargo.command.starts_with("cargo check --workspace --all-targets"), "{}", cargo.command);
    assert_eq!((report.ran.len(), report.verdict()), (1, Verdict::Issues));
    // The program and its test use the library, so nobody has looked at them.
    let unchecked: Vec<_> = report.left_out.iter().filter_map(|text| text.split(": ").next()).collect();
    assert_eq!((unchecked, report.is_complete()), (vec!["src/main.rs", "tests/it.rs"], false));

    let mismatched = with_code(&report, "E0308");
    let places: Vec<_> = mismatched.iter().map(|found| place(found)).collect();
    let expected = [
        // A tab is one column, and so are an emoji and an accent that stands apart.
        ("src/lib.rs", 2, 42, 2, 43),
        // Told where the macro was called, once, although the library and its tests both say so.
        ("src/lib.rs", 4, 21, 4, 28),
        ("src/lib.rs", 5, 27, 5, 30),
        // The byte order mark is a column.
        ("src/other.rs", 1, 55, 1, 57),
    ];
    assert_eq!(places, expected, "{report:#?}");
    let first = mismatched[0];
    assert_eq!((first.severity, first.source.as_deref()), (Severity::Error, Some("rustc")));
    assert_eq!(
        first.message.lines().take(2).collect::<Vec<_>>(),
        ["mismatched types", "expected `u32`, found `&str`"]
    );
    assert_eq!(
        first.related.iter().map(|r| (r.line, r.column, r.message.as_str())).collect::<Vec<_>>(),
        [(2, 36, "expected due to this")]
    );
    let inside = &mismatched[1].related[0];
    assert_eq!((inside.line, inside.column, inside.message.as_str()), (3, 56, "inside the macro `bad!`"));
    let definition =
        mismatched[2].related.iter().find(|related| related.file_path == "src/other.rs").unwrap();
    assert_eq!((definition.line, definition.column), (1, 9), "{definition:?}");

    let places: Vec<_> = report.diagnostics.iter().map(|found| (&found.file_path, found.range)).collect();
    let mut ordered = places.clone();
    ordered.sort();
    ordered.dedup();
    assert_eq!(places, ordered, "in order and each once");
}

#[tokio::test]
async fn cargo_tells_lints_with_their_fixes() {
    let project = Project::new(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", "fn f() { let s = \"😀\"; let unused = s; }\n"),
    ]);
    let report = project.check(&["src/lib.rs"]).await;
    let [unused] = with_code(&report, "unused_variables")[..] else { panic!("{report:#?}") };
    assert_eq!((place(unused), unused.severity), (("src/lib.rs", 1, 27, 1, 33), Severity::Warning));
    assert_eq!(unused.message, "unused variable: `unused`");
    assert_eq!(unused.fixes, ["if this is intentional, prefix it with an underscore: `_unused`"]);
    assert!(report.is_complete(), "{report:#?}");
    let [dead] = with_code(&report, "dead_code")[..] else { panic!("{report:#?}") };
    assert_eq!(
        (place(dead), dead.message.as_str()),
        (("src/lib.rs", 1, 4, 1, 5), "function `f` is never used")
    );
    project.write("src/lib.rs", "pub fn f() { let 変数 = 1; let 😀 = 変数; }\n");
    let report = project.check(&["."]).await;
    let emoji = &report.diagnostics[0];
    assert_eq!((place(emoji), report.is_complete()), (("src/lib.rs", 1, 30, 1, 31), true), "{report:#?}");
    project.write("src/lib.rs", "pub fn f() {}\n");
    let report = project.check(&["."]).await;
    assert_eq!((report.verdict(), report.diagnostics.len()), (Verdict::Clean, 0));
}

#[tokio::test]
async fn cargo_checks_the_workspace_around_a_package() {
    let member =
        |name: &str| format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    let apart = format!("{}[workspace]\n", member("apart"));
    let project = Project::new(&[
        (
            "Cargo.toml",
            "[workspace]\nmembers = [\"one\", \"deep/two\"]\nexclude = [\"apart\"]\nresolver = \"2\"\n",
        ),
        ("one/Cargo.toml", &member("one")),
        ("one/src/lib.rs", "pub fn f() -> u8 { \"\" }\n"),
        ("deep/two/Cargo.toml", &member("two")),
        ("deep/two/src/lib.rs", "pub fn f() -> u8 { \"\" }\n"),
        ("apart/Cargo.toml", &apart),
        ("apart/src/lib.rs", "pub fn f() -> u8 { \"\" }\n"),
    ]);
    let files = |report: &CompilerReport| -> Vec<String> {
        with_code(report, "E0308").iter().map(|found| found.file_path.clone()).collect()
    };
    let report = project.check(&["one/src/lib.rs", "deep/two"]).await;
    assert_eq!((only(&report, "cargo").root.as_str(), report.left_out.len()), (".", 0));
    // One broken package does not hide the other.
    assert_eq!(files(&report), ["deep/two/src/lib.rs", "one/src/lib.rs"]);
    let whole = project.check(&["."]).await;
    assert_eq!(files(&whole), ["deep/two/src/lib.rs", "one/src/lib.rs"]);
    assert_eq!(whole.left_out.len(), 1, "{:?}", whole.left_out);
    assert!(
        whole.left_out[0].starts_with("apart/Cargo.toml: ") && !whole.is_complete(),
        "{:?}",
        whole.left_out
    );
    let own = project.check(&["apart/src/lib.rs"]).await;
    assert_eq!(
        (only(&own, "cargo").root.as_str(), files(&own)),
        ("apart", vec!["apart/src/lib.rs".to_owned()])
    );
}

#[tokio::test]
async fn a_manifest_that_cargo_refuses_is_a_failure_in_its_words() {
    let project = Project::new(&[("Cargo.toml", "[package\n"), ("src/lib.rs", "")]);
    let report = project.check(&["."]).await;
    let CheckerStatus::Failed { exit_code: Some(101), stderr_tail } = &only(&report, "cargo").status else {
        panic!("{report:#?}");
    };
    assert!(stderr_tail.contains("Cargo.toml:1"), "{stderr_tail}");
    assert_eq!(report.verdict(), Verdict::NothingRan);

    let project = Project::new(&[
        ("Cargo.toml", MANIFEST),
        ("build.rs", "fn main() { panic!(\"on purpose\") }\n"),
        ("src/lib.rs", ""),
    ]);
    let report = project.check(&["."]).await;
    let CheckerStatus::Failed { stderr_tail, .. } = &only(&report, "cargo").status else {
        panic!("{report:#?}")
    };
    assert!(stderr_tail.contains("on purpose"), "{stderr_tail}");
}

#[tokio::test]
async fn tsc_tells_errors_where_they_are() {
    let project = Project::new(&[
        ("app/tsconfig.json", "{ // strict\n \"compilerOptions\": { \"strict\": true, \"types\": [] }, \"include\": [\"src\"] }"),
        ("app/src/a.ts", "const s = \"😀\"; const n: number = s;\nexport const o: { a: number } = { a: \"\" };\n"),
        ("app/src/we ird(1,2).ts", "\u{feff}export const b: number = \"x\";\n"),
        ("app/test/b.ts", "export const b: number = \"\";\n"),
        ("app/node_modules/x/tsconfig.json", "{}"),
        ("app/node_modules/x/a.ts", "export const n: number = \"\";\n"),
    ])
    .with_programs(&node_programs());
    let report = project.check(&["app/src/a.ts"]).await;
    let tsc = only(&report, "tsc");
    assert_eq!((&tsc.status, tsc.root.as_str(), tsc.unread_lines), (&CheckerStatus::Finished, "app", 0));
    assert_eq!(tsc.command, "tsc --noEmit --pretty false --listFiles -p tsconfig.json");
    assert_eq!(report.left_out, [""; 0]);
    // What no configuration takes in is not clean.
    let beside = project.check(&["app/test/b.ts"]).await;
    assert_eq!(beside.left_out, ["app/test/b.ts: no `tsconfig.json` that was checked takes it in"]);
    let found: Vec<_> =
        report.diagnostics.iter().map(|found| (place(found), found.code.as_deref().unwrap())).collect();
    let expected = [
        (("app/src/a.ts", 1, 22, 1, 22), "TS2322"),
        (("app/src/a.ts", 2, 35, 2, 35), "TS2322"),
        (("app/src/we ird(1,2).ts", 1, 15, 1, 15), "TS2322"),
    ];
    assert_eq!(found, expected, "{report:#?}");
    assert_eq!(report.diagnostics[0].message, "Type 'string' is not assignable to type 'number'.");
    assert_eq!(
        project.check(&["."]).await.diagnostics,
        report.diagnostics,
        "node_modules are not the user's"
    );
}

#[tokio::test]
async fn tsc_follows_references_of_a_configuration_without_files() {
    let options = "\"compilerOptions\": { \"composite\": true, \"strict\": true, \"types\": [] }";
    let project = Project::new(&[
        ("tsconfig.json", "{ \"files\": [], \"references\": [{ \"path\": \"./tsconfig.app.json\" }, { \"path\": \"lib\" }] }"),
        ("tsconfig.app.json", &format!("{{ {options}, \"include\": [\"src\"] }}")),
        ("src/a.ts", "export const n: number = \"\";\n"),
        ("lib/tsconfig.json", &format!("{{ {options} }}")),
        ("lib/b.ts", "export const n: number = \"\";\n"),
    ])
    .with_programs(&node_programs());
    let report = project.check(&["."]).await;
    let files: Vec<_> = report.diagnostics.iter().map(|found| found.file_path.as_str()).collect();
    assert_eq!(files, ["lib/b.ts", "src/a.ts"], "{report:#?}");
    assert_eq!((report.ran.len(), report.is_complete()), (2, true));
}

#[tokio::test]
async fn pyright_tells_errors_where_they_are() {
    let project = Project::new(&[
        ("pyproject.toml", "[tool.pyright]\nreportUnusedVariable = \"warning\"\n"),
        ("a.py", "def f(x: int) -> str:\n    return x\n\ns = \"😀\"; n: int = s\n"),
        ("marked.py", "\u{feff}n: int = \"x\"\n"),
        ("warned.py", "def f() -> None:\n    unused = 1\n"),
        ("inner/pyrightconfig.json", "{ \"reportAssignmentType\": false }"),
        ("inner/b.py", "n: int = \"not told here\"\n"),
    ])
    .with_programs(&node_programs());
    let report = project.check(&["."]).await;
    let roots: Vec<_> = report.ran.iter().map(|ran| (ran.root.as_str(), &ran.status)).collect();
    assert_eq!(roots, [(".", &CheckerStatus::Finished), ("inner", &CheckerStatus::Finished)]);
    let found: Vec<_> = report
        .diagnostics
        .iter()
        .map(|found| (place(found), found.code.as_deref().unwrap(), found.severity))
        .collect();
    let expected = [
        (("a.py", 2, 12, 2, 13), "reportReturnType", Severity::Error),
        (("a.py", 4, 19, 4, 20), "reportAssignmentType", Severity::Error),
        (("marked.py", 1, 11, 1, 14), "reportAssignmentType", Severity::Error),
        (("warned.py", 2, 5, 2, 11), "reportUnusedVariable", Severity::Warning),
    ];
    assert_eq!(found, expected, "{report:#?}");
}

#[tokio::test]
async fn pyright_without_files_is_not_clean() {
    let project = Project::new(&[("pyrightconfig.json", "{ \"include\": [\"nowhere\"] }"), ("a.py", "")])
        .with_programs(&node_programs());
    let report = project.check(&["a.py"]).await;
    assert!(
        matches!(only(&report, "pyright").status, CheckerStatus::Failed { exit_code: Some(0), .. }),
        "{report:#?}"
    );
    assert_eq!(report.verdict(), Verdict::NothingRan);
    project.write("pyrightconfig.json", "{}");
    assert_eq!(project.check(&["a.py"]).await.verdict(), Verdict::Clean);
}

#[cfg(unix)]
#[tokio::test]
async fn a_missing_program_is_told_with_what_to_do() {
    let files = [("tsconfig.json", "{}"), ("a.ts", "let n: number = \"\";\n"), ("b.py", ""), ("c.rs", "")];
    let mut project = Project::new(&[&files[..], &[("Cargo.toml", MANIFEST)]].concat());
    let empty = project.folder.join("empty");
    std::fs::create_dir_all(&empty).unwrap();
    project.environment = project.environment.clone().with("PATH", &empty);
    let report = project.check(&["."]).await;
    assert_eq!((report.verdict(), report.ran.len()), (Verdict::NothingRan, 3));
    for ran in &report.ran {
        let CheckerStatus::NotInstalled { looked_in, hint } = &ran.status else { panic!("{ran:#?}") };
        assert_eq!(looked_in, std::slice::from_ref(&empty));
        assert!(hint.contains("install"), "{hint}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn programs_of_the_project_run_only_when_allowed() {
    let mut project = Project::new(&[("tsconfig.json", "{}"), ("a.ts", "")])
        .with_script("tsc", "echo 'a.ts(1,1): error TS1: installed'; exit 2");
    let local = project.roots.workspace().join("node_modules/.bin");
    std::fs::create_dir_all(&local).unwrap();
    std::fs::copy(project.folder.join("bin/tsc"), local.join("tsc")).unwrap();
    std::fs::write(local.join("tsc"), "#!/bin/sh\necho 'a.ts(1,1): error TS1: own'; exit 2\n").unwrap();
    let words = |report: CompilerReport| report.diagnostics[0].message.clone();
    project.allow_local = false;
    assert_eq!(words(project.check(&["a.ts"]).await), "installed");
    project.allow_local = true;
    let report = project.check(&["a.ts"]).await;
    assert_eq!(
        report.ran[0].command,
        "node_modules/.bin/tsc --noEmit --pretty false --listFiles -p tsconfig.json"
    );
    assert_eq!(words(report), "own");
    project.allow_local = false;
    project.environment = project.environment.clone().with("PATH", "/nowhere");
    let report = project.check(&["a.ts"]).await;
    let CheckerStatus::NotInstalled { hint, .. } = &report.ran[0].status else { panic!("{report:#?}") };
    assert!(hint.contains("node_modules/.bin/tsc"), "{hint}");
}

#[cfg(unix)]
#[tokio::test]
async fn variables_with_credentials_stay_here() {
    let mut project =
        Project::new(&[("tsconfig.json", "{}"), ("a.ts", "")]).with_script("tsc", "env > $SELF/seen");
    let more = Environment::from_pairs([("NODE_PATH", "/n"), ("NODE_AUTH_TOKEN", "t"), ("AWS_THING", "x")]);
    project.environment = project.environment.clone().merged_with(more);
    assert_eq!(project.check(&["a.ts"]).await.verdict(), Verdict::Clean);
    let seen = std::fs::read_to_string(project.folder.join("seen")).unwrap();
    assert!(seen.contains("NODE_PATH=/n"), "{seen}");
    assert!(!seen.contains("NODE_AUTH_TOKEN") && !seen.contains("AWS_THING"), "{seen}");
}

#[tokio::test]
async fn what_no_checker_is_for_is_not_clean() {
    let project = Project::new(&[("notes.txt", "")]);
    for scope in [&["."][..], &["notes.txt"], &[]] {
        let report = project.check(scope).await;
        assert_eq!((report.verdict(), report.is_complete()), (Verdict::NothingRan, false), "{scope:?}");
    }
    assert_eq!(
        project.check(&["notes.txt"]).await.left_out,
        ["notes.txt: no compiler is known for this kind of file"]
    );
}

#[cfg(unix)]
#[tokio::test]
async fn ignored_folders_and_caches_hold_no_projects() {
    let project = Project::new(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".gitignore", "generated/\n"),
        ("generated/tsconfig.json", "{}"),
        ("generated/a.ts", ""),
        ("out/CACHEDIR.TAG", ""),
        ("out/package/tsconfig.json", "{}"),
        ("out/package/a.ts", ""),
        ("env/pyvenv.cfg", ""),
        ("env/lib/setup.py", ""),
        ("web/tsconfig.json", "{}"),
    ])
    .with_script("tsc", "exit 0");
    let report = project.check(&["."]).await;
    let ran: Vec<_> = report.ran.iter().map(|ran| (ran.name, ran.root.as_str())).collect();
    assert_eq!((ran, report.verdict()), (vec![("tsc", "web")], Verdict::Clean));
}

#[cfg(unix)]
#[tokio::test]
async fn too_much_output_is_told() {
    let project = Project::new(&[("tsconfig.json", "{}"), ("a.ts", "")]).with_script(
        "tsc",
        "echo 'a.ts(1,1): error TS1: first'; head -c 70000000 /dev/zero | tr '\\0' x; echo; echo 'a.ts(1,1): error TS2: last'; exit 2",
    );
    let report = project.check(&["."]).await;
    let tsc = only(&report, "tsc");
    assert_eq!((&tsc.status, tsc.truncated, tsc.unread_lines), (&CheckerStatus::Finished, true, 1));
    assert_eq!((report.diagnostics.len(), report.is_complete()), (1, false));
}

/// A checker that starts another program, tells its number and never ends.
#[cfg(unix)]
const ENDLESS: &str = "sleep 600 & echo $! > $SELF/child.part; mv $SELF/child.part $SELF/child; \
                       echo 'waiting for a lock' >&2; wait";

use std::path::PathBuf;

use orienteer_base::triage::{IngestQuery, PackOutput, Verdict};
use orienteer_base::{ErrorKind, Roots};
use orienteer_process::{Environment, Launcher, ReaperCommand};
use serde_json::{Value, json};

use super::*;
use crate::{Engine, EngineSpec, SessionSpec};

struct Here {
    _temp: tempfile::TempDir,
    root: PathBuf,
    cargo: PathBuf,
    session: Session,
}

/// A workspace without language servers and without an index.
fn here(files: &[(&str, &[u8])]) -> Here {
    here_with(files, Conceal::default())
}

fn here_with(files: &[(&str, &[u8])], conceal: Conceal) -> Here {
    let temp = tempfile::tempdir().unwrap();
    let base = temp.path().canonicalize().unwrap();
    let root = base.join("work");
    std::fs::create_dir(&root).unwrap();
    for (name, bytes) in files {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    let roots = Roots::new(&root, &[]).unwrap();
    let environment = Environment::from_pairs([("CARGO_HOME", base.join("cargo"))]);
    let launcher = Launcher::new(ReaperCommand::new("none"));
    let mut spec = EngineSpec::new(roots.clone(), environment, launcher, base.join("state"));
    spec.journal_folder = Some(base.join("journal"));
    spec.triage_folder = Some(base.join("records"));
    spec.conceal = conceal;
    let session = Engine::new(spec).session(SessionSpec { roots, read_only: false });
    Here { _temp: temp, root, cargo: base.join("cargo"), session }
}

impl Here {
    async fn take(&self, mut finding: Value) -> String {
        finding["key"] = json!("k");
        finding["title"] = json!("t");
        std::fs::write(self.root.join("findings.jsonl"), finding.to_string()).unwrap();
        let file = self.session.resolve("findings.jsonl").unwrap();
        let query =
            IngestQuery { file, source: None, meta: Default::default(), keep_raw: false, dry_run: false };
        let mut done = self.session.triage_ingest(query, &Cancel::new()).await.unwrap();
        assert_eq!(done.errors, 0, "{:?}", done.details);
        done.ids.remove(0)
    }

    async fn asked(&self, finding: &str, output: PackOutput) -> Result<ContextPack, Problem> {
        let query = PackQuery { finding: finding.to_owned(), output, wait: Some(Duration::ZERO) };
        self.session.triage_context_pack(query, &Cancel::new()).await.map(|answer| answer.value)
    }

    async fn pack(&self, finding: Value) -> ContextPack {
        let id = self.take(finding).await;
        self.asked(&id, PackOutput::Nowhere).await.unwrap()
    }
}

async fn of_package(files: &[(&str, &[u8])], package: Value) -> ContextPack {
    here(files).pack(json!({ "package": package })).await
}

#[tokio::test]
async fn packages_of_the_standard_library_are_looked_for_by_what_the_advisory_names() {
    let files: &[(&str, &[u8])] =
        &[("main.go", b"package main\n\nimport \"archive/zip\"\n\nfunc main() { zip.OpenReader(\"x\") }\n")];
    let stdlib = |modules: Value| json!({ "ecosystem": "go", "name": "stdlib", "modules": modules });
    assert_eq!(of_package(files, stdlib(json!(["archive/zip"]))).await.verdict, Verdict::Imported);
    assert_eq!(of_package(files, stdlib(json!(["net/http"]))).await.verdict, Verdict::NotFound);
    assert_eq!(of_package(files, stdlib(json!([]))).await.verdict, Verdict::Unknown, "nobody says which");
}

#[tokio::test]
async fn modules_of_all_entries_of_a_package_are_looked_for() {
    let one = json!({ "ecosystem": "go", "name": "stdlib", "modules": ["net/http"] });
    let two = json!({ "ecosystem": "go", "name": "stdlib", "modules": ["archive/zip"] });
    let here = here(&[("main.go", b"package main\n\nimport \"archive/zip\"\n")]);
    assert_eq!(here.pack(json!({ "packages": [one, two] })).await.verdict, Verdict::Imported);
}

#[tokio::test]
async fn a_place_that_is_not_here_leaves_the_question_open() {
    let here = here(&[("a.py", b"x = 1\n")]);
    let pack = here.pack(json!({ "places": [{ "path": "gone.py", "line": 3 }] })).await;
    assert_eq!(pack.verdict, Verdict::Unknown);
    assert!(pack.missing.iter().any(|one| one.contains("gone.py")), "{:?}", pack.missing);
    assert_eq!(
        here.pack(json!({ "places": [{ "path": "a.py", "line": 1 }] })).await.verdict,
        Verdict::Present
    );
}

#[tokio::test]
async fn a_notebook_that_imports_is_found() {
    let notebook = b"{\n \"cells\": [\n  {\n   \"source\": [\n    \"import yaml\\n\",\n    \"x = 1\"\n   ]\n  }\n ]\n}\n";
    let pack = of_package(&[("a.ipynb", notebook)], json!({ "ecosystem": "pypi", "name": "PyYAML" })).await;
    assert_eq!(pack.verdict, Verdict::Imported);
}

#[tokio::test]
async fn manifests_that_hide_what_they_say_are_not_taken_for_empty() {
    let yaml = || json!({ "ecosystem": "pypi", "name": "PyYAML" });
    let wide: Vec<u8> = std::iter::once(0xfeff_u16)
        .chain("PyYAML==5.3\r\n".encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(of_package(&[("requirements.txt", &wide)], yaml()).await.verdict, Verdict::Present);
    // The same without a mark, and bytes that are no text.
    for hidden in [&wide[2..], b"flask==1\n# caf\xe9\n"] {
        let pack = of_package(&[("requirements.txt", hidden)], yaml()).await;
        assert_eq!(pack.verdict, Verdict::Unknown, "{hidden:?}");
        assert!(pack.missing[0].contains("requirements.txt"), "{:?}", pack.missing);
    }
    let folder = of_package(&[("requirements/base.txt", b"PyYAML==5.3\n")], yaml()).await;
    assert_eq!(folder.verdict, Verdict::Present);
    assert_eq!(of_package(&[("requirements.txt", b"flask\n")], yaml()).await.verdict, Verdict::NotFound);
}

#[tokio::test]
async fn lock_files_that_have_no_lines_are_not_taken_for_empty() {
    let lodash = || json!({ "ecosystem": "npm", "name": "lodash" });
    let long = format!("{{ \"x\": \"{}\" }}\n", "y".repeat(100_001));
    for (name, bytes) in [
        ("package-lock.json", long.as_bytes()),
        ("package-lock.json", br#"{"packages":{"node_modules/lodash":{"version":"4.0.0"}}}"#),
        ("bun.lockb", b"#!/usr/bin/env bun\nbun-lockfile-format-v0\n\0\0lodash\0"),
    ] {
        let pack = of_package(&[(name, bytes)], lodash()).await;
        assert_eq!(pack.verdict, Verdict::Unknown, "{name}");
        assert!(pack.missing[0].contains(name), "{:?}", pack.missing);
    }
    let alias: &[(&str, &[u8])] = &[
        ("package.json", b"{\n \"dependencies\": {\n  \"l4\": \"npm:lodash@4\"\n }\n}\n"),
        ("a.js", b"const l = require('l4');\n"),
    ];
    assert_eq!(of_package(&alias[..1], lodash()).await.verdict, Verdict::Present);
    assert_eq!(of_package(alias, lodash()).await.verdict, Verdict::Imported);
}

#[tokio::test]
async fn a_use_on_the_line_that_imports_is_a_use() {
    for (name, text, package) in [
        (
            "src/a.rs",
            "fn f() { let x = time::at(1); }\n",
            json!({ "ecosystem": "cargo", "name": "time", "symbols": ["time::at"] }),
        ),
        (
            "a.js",
            "const x = require('lodash').template(y);\n",
            json!({ "ecosystem": "npm", "name": "lodash", "symbols": ["_.template"] }),
        ),
    ] {
        assert_eq!(of_package(&[(name, text.as_bytes())], package).await.verdict, Verdict::Called, "{name}");
    }
    let only: &[(&str, &[u8])] = &[("a.js", b"const { template } = require('lodash');\n")];
    let package = json!({ "ecosystem": "npm", "name": "lodash", "symbols": ["_.template"] });
    assert_eq!(of_package(only, package).await.verdict, Verdict::Imported);
}

const LOCKED: &[(&str, &[u8])] = &[
    ("Cargo.toml", b"[package]\nname = \"app\"\n[dependencies]\nodd-name = \"1\"\n"),
    ("Cargo.lock", b"[[package]]\nname = \"app\"\nversion = \"0.1.0\"\n\n[[package]]\nname = \"odd-name\"\nversion = \"1.2.3\"\n"),
    ("src/main.rs", b"use plain::thing;\nfn main() { thing() }\n"),
];

fn odd_name() -> Value {
    json!({ "package": { "ecosystem": "cargo", "name": "odd-name" } })
}

impl Here {
    /// Puts a source where Cargo unpacks those of a registry.
    fn unpack(&self, version: &str, library: &str) {
        let folder = self.cargo.join(format!("registry/src/index-1/odd-name-{version}"));
        std::fs::create_dir_all(&folder).unwrap();
        let text =
            format!("[package]\nname = \"odd-name\"\nversion = \"{version}\"\n[lib]\nname = \"{library}\"\n");
        std::fs::write(folder.join("Cargo.toml"), text).unwrap();
    }
}

fn imports(pack: &ContextPack) -> (&str, usize, bool) {
    let search = pack.searches.iter().find(|one| one.what == "imports").unwrap();
    (search.looked_for.as_str(), search.found, search.completeness.is_complete())
}

#[tokio::test]
async fn a_library_is_looked_for_by_the_name_that_its_source_has() {
    let here = here(LOCKED);
    here.unpack("1.2.3", "plain");
    let pack = here.pack(odd_name()).await;
    let wanted = (Verdict::Imported, ("lines that import odd_name, plain", 1, true));
    assert_eq!((pack.verdict, imports(&pack)), wanted);
    // Of a version that nobody locked it says something, and not all.
    let here = self::here(LOCKED);
    here.unpack("1.0.0", "plain");
    let pack = here.pack(odd_name()).await;
    assert_eq!((pack.verdict, imports(&pack)), (Verdict::Present, ("lines that import odd_name", 0, false)));
    assert!(pack.missing.iter().any(|one| one.contains("its library is called")), "{:?}", pack.missing);
}

#[tokio::test]
async fn a_library_in_the_workspace_is_looked_for_by_the_name_that_its_manifest_has() {
    let mut files = LOCKED.to_vec();
    files.push((
        "parts/odd/Cargo.toml",
        b"[package]\nname = \"odd-name\"\nversion.workspace = true\n[lib]\nname = \"plain\"\n",
    ));
    let pack = here(&files).pack(odd_name()).await;
    let wanted = (Verdict::Imported, ("lines that import odd_name, plain", 1, true));
    assert_eq!((pack.verdict, imports(&pack)), wanted);
}

#[tokio::test]
async fn a_manifest_of_another_version_does_not_speak_for_the_source() {
    // A fixture of the same name, whose version the workspace has, and one that has none.
    for version in ["version.workspace = true\n", ""] {
        let manifest = format!("[package]\nname = \"odd-name\"\n{version}[lib]\nname = \"other\"\n");
        let mut files = LOCKED.to_vec();
        files.push(("fixtures/odd/Cargo.toml", manifest.as_bytes()));
        let here = here(&files);
        here.unpack("1.2.3", "plain");
        let pack = here.pack(odd_name()).await;
        let wanted = (Verdict::Imported, ("lines that import odd_name, other, plain", 1, true));
        assert_eq!((pack.verdict, imports(&pack)), wanted, "{version}");
    }
}

#[tokio::test]
async fn the_usual_name_of_a_library_is_looked_for_whatever_one_lock_says() {
    let mut files = LOCKED.to_vec();
    files.push(("src/other.rs", b"use odd_name::thing;\n"));
    let here = here(&files);
    here.unpack("1.2.3", "unused");
    let pack = here.pack(odd_name()).await;
    assert_eq!(pack.verdict, Verdict::Imported, "{:?}", pack.searches);
}

#[tokio::test]
async fn what_is_secret_in_a_long_line_is_hidden_before_it_is_cut() {
    let secret = "s3cr3t".repeat(7);
    let line = |before: usize, after: &str| format!("{} {secret} {after}", "x".repeat(before));
    let place = format!("x = 1 # {}\n", line(260, &"y ".repeat(500)));
    let manifest = format!("module a\n\nrequire example.com/x v1.0.0 // {}\n", line(240, &"y ".repeat(100)));
    let files: &[(&str, &[u8])] = &[("a.py", place.as_bytes()), ("go.mod", manifest.as_bytes())];
    let hidden = secret.clone();
    let conceal = Conceal::with(move |text| text.replace(&hidden, "[HIDDEN]"));
    let pack = here_with(files, conceal)
        .pack(json!({
            "places": [{ "path": "a.py", "line": 1 }],
            "package": { "ecosystem": "go", "name": "example.com/x" }
        }))
        .await;
    for kind in [EvidenceKind::Place, EvidenceKind::Manifest] {
        let found = pack.evidence.iter().find(|one| one.kind == kind).unwrap();
        assert!(found.snippet.contains("[HIDDEN]"), "{}", found.snippet);
    }
    assert!(pack.evidence.iter().all(|one| !one.snippet.contains("s3cr3t")), "{:?}", pack.evidence);
}

#[tokio::test]
async fn two_versions_of_a_crate_may_have_two_libraries() {
    let mut files = LOCKED.to_vec();
    files.push(("tools/Cargo.lock", b"[[package]]\nname = \"odd-name\"\nversion = \"2.0.0\"\n"));
    let here = here(&files);
    here.unpack("1.2.3", "other");
    let pack = here.pack(odd_name()).await;
    assert_eq!(imports(&pack), ("lines that import odd_name, other", 0, false), "nobody knows the second");
    here.unpack("2.0.0", "plain");
    let pack = here.pack(odd_name()).await;
    assert_eq!(
        (pack.verdict, imports(&pack)),
        (Verdict::Imported, ("lines that import odd_name, other, plain", 1, true))
    );
}

#[tokio::test]
async fn a_crate_that_no_manifest_asks_for_is_not_found_whatever_its_library_is_called() {
    let manifest: &[(&str, &[u8])] =
        &[("Cargo.toml", b"[package]\nname = \"app\"\n"), ("src/main.rs", b"use std::fs;\n")];
    assert_eq!(here(manifest).pack(odd_name()).await.verdict, Verdict::NotFound);
    // Without manifests nobody knows what the code is built with.
    assert_eq!(here(&manifest[1..]).pack(odd_name()).await.verdict, Verdict::Unknown);
    let broken: &[(&str, &[u8])] =
        &[("Cargo.toml", b"[package]\nname = \"caf\xe9\"\n"), ("src/main.rs", b"use std::fs;\n")];
    assert_eq!(here(broken).pack(odd_name()).await.verdict, Verdict::Unknown);
}

#[tokio::test]
async fn a_name_of_odd_characters_is_looked_for() {
    for name in ["a<b>", "“x”"] {
        let pack = of_package(&[("a.js", b"1;\n")], json!({ "ecosystem": "npm", "name": name })).await;
        assert_eq!(pack.verdict, Verdict::NotFound, "{name}");
    }
}

#[tokio::test]
async fn a_pack_is_not_written_over_anything_else() {
    let here = here(&[("package.json", b"{}\n"), ("README.md", b"# Mine\n"), ("main.go", b"package main\n")]);
    let id = here.take(json!({ "package": { "ecosystem": "npm", "name": "x" } })).await;
    std::fs::create_dir(here.root.join("packs")).unwrap();
    std::fs::write(here.root.join(format!("packs/{id}.md")), "notes\n").unwrap();
    for path in ["package.json", "README.md", "README.json", "main.go", "fresh.txt", "fresh", "packs/"] {
        let refused = here.asked(&id, PackOutput::Path(path.to_owned())).await.unwrap_err();
        assert_eq!(refused.kind, ErrorKind::InvalidParams, "{path}: {}", refused.message);
    }
    let read = |name: &str| std::fs::read_to_string(here.root.join(name)).unwrap();
    assert_eq!((read("package.json"), read("README.md")), ("{}\n".to_owned(), "# Mine\n".to_owned()));
    assert_eq!(read(&format!("packs/{id}.md")), "notes\n");
    // A pack takes the place of a pack.
    let first = here.asked(&id, PackOutput::Path("out/x.md".to_owned())).await.unwrap();
    assert_eq!(first.written.len(), 2, "{:?}", first.written);
    let other = here.take(json!({ "package": { "ecosystem": "npm", "name": "y" } })).await;
    let second = here.asked(&other, PackOutput::Path("out/x.json".to_owned())).await.unwrap();
    assert_eq!(second.written.len(), 2, "{:?}", second.written);
}

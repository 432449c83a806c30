//! What changed on disk before a question is in its answer, every time and without a pause: edits, new, deleted and
//! renamed files, errors and their fixes.

use orienteer_testkit::workspaces::{
    CPP, CPP_BROKEN, GO, GO_BROKEN, PYTHON, PYTHON_BROKEN, RUST, RUST_BROKEN, TYPESCRIPT, TYPESCRIPT_BROKEN,
    file,
};
use orienteer_testkit::{tools, tree};
use serde_json::{Value, json};

use crate::support::{Live, Start, at, over, over_tree, tries, trusted, with};
use crate::{c, go, python, typescript};

/// What is changed, and what follows from it.
struct Case {
    fixture: &'static str,
    /// A line that moves everything in the file below it, and that file.
    line: &'static str,
    sibling: &'static str,
    /// A use in another file, and its definition: file, line, column.
    used: (&'static str, u32, u32),
    defined: (&'static str, u32, u32),
    uses: &'static [&'static str],
    /// Two names for a new file, its text, and where the uses stand in it.
    names: [&'static str; 2],
    text: &'static str,
    more: &'static [&'static str],
    /// A file, a text for it with one error, and that error.
    broken: (&'static str, &'static str, &'static str),
}

fn sorted(mut rows: Vec<String>) -> Vec<String> {
    rows.sort();
    rows
}

impl Case {
    fn place(&self) -> Value {
        at(self.used.0, self.used.1, self.used.2)
    }

    /// The references, with those of the new file under one of its names.
    fn expected(&self, name: Option<&str>) -> Vec<String> {
        let new = name.iter().flat_map(|name| self.more.iter().map(move |place| format!("{name}:{place}")));
        sorted(self.uses.iter().map(|place| (*place).to_owned()).chain(new).collect())
    }

    fn edited(&self, live: &mut Live, number: usize) {
        let text = file(self.fixture, self.sibling);
        let (path, line, column) = self.defined;
        for lines in [1, 0, 2, 0] {
            live.write(self.sibling, &format!("{}{text}", self.line.repeat(lines)));
            let moved = format!("{path}:{}:{column}", line as usize + lines);
            assert_eq!(live.definitions(self.place()), [moved], "try {number}: {lines} lines more");
        }
    }

    fn created(&self, live: &mut Live, number: usize) {
        let [first, second] = self.names;
        live.write(first, self.text);
        assert_eq!(
            sorted(live.references(self.place())),
            self.expected(Some(first)),
            "try {number}: created"
        );
        std::fs::rename(live.tree.root().join(first), live.tree.root().join(second)).unwrap();
        assert_eq!(
            sorted(live.references(self.place())),
            self.expected(Some(second)),
            "try {number}: renamed"
        );
        std::fs::remove_file(live.tree.root().join(second)).unwrap();
        assert_eq!(sorted(live.references(self.place())), self.expected(None), "try {number}: deleted");
    }

    fn broken(&self, live: &mut Live, number: usize) {
        let (path, text, error) = self.broken;
        let arguments = json!({ "file_paths": [path], "severity_filter": "error" });
        live.write(path, text);
        let found = live.check(arguments.clone());
        assert_eq!(found, ("issues".to_owned(), vec![error.to_owned()]), "try {number}: broken");
        live.write(path, file(self.fixture, path));
        assert_eq!(live.check(arguments), ("clean".to_owned(), Vec::new()), "try {number}: fixed");
    }

    fn run(&self, start: Start) {
        let mut live = start.start();
        for number in 0..tries() {
            self.edited(&mut live, number);
            self.created(&mut live, number);
            self.broken(&mut live, number);
        }
        live.end();
    }
}

#[test]
fn rust_analyzer() {
    let case = Case {
        fixture: RUST,
        line: "// More.\n",
        sibling: "crates/geometry/src/lib.rs",
        used: ("crates/app/src/main.rs", 16, 15),
        defined: ("crates/geometry/src/lib.rs", 48, 8),
        uses: &[
            "crates/app/src/main.rs:3:32",
            "crates/app/src/main.rs:9:28",
            "crates/app/src/main.rs:16:15",
            "crates/geometry/src/lib.rs:48:8!",
            "crates/geometry/src/lib.rs:63:20",
        ],
        names: ["crates/app/src/extra.rs", "crates/app/src/moved.rs"],
        text: "use geometry::total_area;\npub fn extra() -> f64 {\n    total_area(&[])\n}\n",
        more: &["1:15", "3:5"],
        broken: ("crates/app/src/main.rs", RUST_BROKEN, "crates/app/src/main.rs:5:23 error E0308"),
    };
    let mut live = over_tree(trusted(RUST)).start();
    let main = "crates/app/src/main.rs";
    let text = file(RUST, main);
    for number in 0..tries() {
        case.edited(&mut live, number);
        // It loads the project again for each new file, and the compiler runs for each check: seconds each.
        if number % 4 == 0 {
            // The modules of the new files are part of the crate.
            live.write(main, &format!("{text}mod extra;\nmod moved;\n"));
            case.created(&mut live, number);
            live.write(main, text);
        }
        if number % 3 == 0 {
            case.broken(&mut live, number);
        }
    }
    live.end();
}

fn typescript_case() -> Case {
    Case {
        fixture: TYPESCRIPT,
        line: "// More.\n",
        sibling: typescript::TOTAL,
        used: (typescript::REPORT, 5, 15),
        defined: (typescript::TOTAL, 4, 17),
        uses: &typescript::TOTAL_AREA,
        names: ["packages/web/src/extra.ts", "packages/web/src/moved.ts"],
        text: "import { totalArea } from \"@shapes/core\";\nexport const extra = totalArea([]);\n",
        more: &["1:10", "2:22"],
        broken: (typescript::REPORT, TYPESCRIPT_BROKEN, "packages/web/src/report.ts:5:9 error 2322"),
    }
}

#[test]
fn typescript_language_server() {
    typescript_case().run(over(TYPESCRIPT));
}

#[test]
fn typescript_native() {
    typescript_case().run(over(TYPESCRIPT).path(tools::ts7_path()));
}

#[test]
fn pyright() {
    let case = Case {
        fixture: PYTHON,
        line: "# More.\n",
        sibling: python::TOTAL,
        used: (python::REPORT, 8, 20),
        defined: (python::TOTAL, 8, 5),
        uses: &python::TOTAL_AREA,
        names: ["src/shapes/extra.py", "src/shapes/moved.py"],
        text: "from shapes.total import total_area\n\nextra = total_area([])\n",
        more: &["1:26", "3:9"],
        broken: (python::REPORT, PYTHON_BROKEN, "src/shapes/report.py:8:18 error reportAssignmentType"),
    };
    case.run(over(PYTHON));
}

#[test]
fn clangd() {
    let case = Case {
        fixture: CPP,
        line: "// More.\n",
        sibling: "src/shape.cpp",
        used: ("src/report.cpp", 5, 22),
        defined: ("src/shape.cpp", 10, 8),
        uses: &c::TOTAL_AREA,
        names: ["src/extra.cpp", "src/moved.cpp"],
        text: "#include \"../include/shape.hpp\"\n\ndouble extra(const geometry::Shape &shape) { return geometry::total_area(shape, shape); }\n",
        more: &["3:63"],
        broken: ("src/report.cpp", CPP_BROKEN, "src/report.cpp:5:12 error undeclared_var_use"),
    };
    case.run(over_tree(c::program(CPP)));
}

#[test]
fn gopls() {
    let case = Case {
        fixture: GO,
        line: "// More.\n",
        sibling: "geometry/geometry.go",
        used: ("report.go", 8, 18),
        defined: ("geometry/geometry.go", 29, 6),
        uses: &go::TOTAL_AREA,
        names: ["extra.go", "moved.go"],
        text: "package main\n\nimport \"example.com/shapes/geometry\"\n\nvar extra = geometry.TotalArea(nil)\n",
        more: &["5:22"],
        broken: ("report.go", GO_BROKEN, "report.go:9:9 error IncompatibleAssign"),
    };
    case.run(over(GO));
}

/// Another branch: many files at once, created, changed and deleted.
#[test]
fn a_checkout_of_another_branch() {
    let tree = tree(TYPESCRIPT);
    crate::rust_more::commit(tree.root());
    let git = |args: &[&str]| {
        let who = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
        let ran =
            std::process::Command::new("git").args(who).args(args).current_dir(tree.root()).output().unwrap();
        assert!(ran.status.success(), "{args:?}: {ran:?}");
    };
    git(&["checkout", "-q", "-b", "other"]);
    let total = file(TYPESCRIPT, typescript::TOTAL);
    tree.write(typescript::TOTAL, format!("// More.\n{total}"));
    for number in 0..100 {
        let text = "import { totalArea } from \"@shapes/core\";\nexport const extra = totalArea([]);\n";
        tree.write(&format!("packages/web/src/extra{number}.ts"), text);
    }
    std::fs::remove_file(tree.root().join(typescript::EMOJI)).unwrap();
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "other"]);
    git(&["checkout", "-q", "-"]);
    let root = tree.root().to_path_buf();
    let mut live = over_tree(tree).path(tools::ts7_path()).start();
    let checkout = |branch: &str| {
        let ran = std::process::Command::new("git")
            .args(["checkout", "-q", branch])
            .current_dir(&root)
            .output()
            .unwrap();
        assert!(ran.status.success(), "{ran:?}");
    };
    for number in 0..tries() / 3 {
        assert_eq!(live.references(at(typescript::REPORT, 5, 15)), typescript::TOTAL_AREA, "try {number}");
        checkout("other");
        let there = live.references(with(at(typescript::REPORT, 5, 15), json!({ "max_results": 1000 })));
        assert_eq!(there.len(), typescript::TOTAL_AREA.len() - 2 + 200, "try {number}");
        assert!(there.contains(&"packages/core/src/total.ts:5:17!".to_owned()), "try {number}");
        checkout("-");
    }
    live.end();
}

//! The formatters of languages, in order of preference. One row each.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// How a formatter is found and asked to format what comes in.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) name: &'static str,
    /// The name as a person knows it.
    pub(super) shown: &'static str,
    languages: &'static [&'static str],
    /// Where a project may bring it along.
    pub(super) local: &'static [&'static str],
    pub(super) args: fn(&Path) -> Vec<OsString>,
    /// Code in this folder that it would run as its settings.
    pub(super) runs: fn(&Path) -> Vec<PathBuf>,
    pub(super) hint: &'static str,
}

const NODE: &[&str] = &["node_modules/.bin/prettier"];
const WEB: &[&str] =
    &["css", "html", "javascript", "json", "markdown", "svelte", "tsx", "typescript", "vue", "yaml"];

fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

fn named(first: &[&str], file: &Path, rest: &[&str]) -> Vec<OsString> {
    let mut args = words(first);
    args.push(file.as_os_str().to_owned());
    args.extend(words(rest));
    args
}

fn nothing(_: &Path) -> Vec<PathBuf> {
    Vec::new()
}

static TABLE: &[Program] = &[
    Program {
        name: "rustfmt",
        shown: "rustfmt",
        languages: &["rust"],
        local: &[],
        args: |file| words(&["--edition", &edition(file)]),
        runs: nothing,
        hint: "rustup component add rustfmt",
    },
    Program {
        name: "gofmt",
        shown: "gofmt",
        languages: &["go"],
        local: &[],
        args: |_| Vec::new(),
        runs: nothing,
        hint: "install Go, which brings gofmt along",
    },
    Program {
        name: "ruff",
        shown: "ruff format",
        languages: &["python"],
        local: &[".venv/bin/ruff", "venv/bin/ruff"],
        args: |file| named(&["format", "--stdin-filename"], file, &["-"]),
        runs: nothing,
        hint: "pip install ruff",
    },
    Program {
        name: "black",
        shown: "black",
        languages: &["python"],
        local: &[".venv/bin/black", "venv/bin/black"],
        args: |file| named(&["--quiet", "--stdin-filename"], file, &["-"]),
        runs: nothing,
        hint: "pip install black",
    },
    Program {
        name: "clang-format",
        shown: "clang-format",
        languages: &["c", "cpp", "objective-c", "proto"],
        local: &[],
        args: |file| named(&["--assume-filename"], file, &[]),
        runs: nothing,
        hint: "install clang-format with the system's package manager",
    },
    Program {
        name: "google-java-format",
        shown: "google-java-format",
        languages: &["java"],
        local: &[],
        args: |_| words(&["-"]),
        runs: nothing,
        hint: "install google-java-format",
    },
    Program {
        name: "prettier",
        shown: "prettier",
        languages: WEB,
        local: NODE,
        args: |file| named(&["--stdin-filepath"], file, &[]),
        runs: prettier_code,
        hint: "npm install --save-dev prettier",
    },
    Program {
        name: "shfmt",
        shown: "shfmt",
        languages: &["bash"],
        local: &[],
        args: |file| named(&["-filename"], file, &["-"]),
        runs: nothing,
        hint: "install shfmt",
    },
    Program {
        name: "taplo",
        shown: "taplo fmt",
        languages: &["toml"],
        local: &[],
        args: |file| named(&["fmt", "--stdin-filepath"], file, &["-"]),
        runs: nothing,
        hint: "cargo install taplo-cli",
    },
    Program {
        name: "terraform",
        shown: "terraform fmt",
        languages: &["hcl"],
        local: &[],
        args: |_| words(&["fmt", "-no-color", "-"]),
        runs: nothing,
        hint: "install terraform",
    },
    Program {
        name: "zig",
        shown: "zig fmt",
        languages: &["zig"],
        local: &[],
        args: |_| words(&["fmt", "--stdin"]),
        runs: nothing,
        hint: "install zig",
    },
    Program {
        name: "stylua",
        shown: "stylua",
        languages: &["lua"],
        local: &[],
        args: |file| named(&["--search-parent-directories", "--stdin-filepath"], file, &["-"]),
        runs: nothing,
        hint: "cargo install stylua",
    },
    Program {
        name: "ormolu",
        shown: "ormolu",
        languages: &["haskell"],
        local: &[],
        args: |file| named(&["--stdin-input-file"], file, &[]),
        runs: nothing,
        hint: "cabal install ormolu",
    },
    Program {
        name: "nixfmt",
        shown: "nixfmt",
        languages: &["nix"],
        local: &[],
        args: |_| Vec::new(),
        runs: nothing,
        hint: "install nixfmt",
    },
    Program {
        name: "dart",
        shown: "dart format",
        languages: &["dart"],
        local: &[],
        args: |file| named(&["format", "--stdin-name"], file, &[]),
        runs: nothing,
        hint: "install Dart, which brings its formatter along",
    },
];

/// The programs that format a language, the preferred one first. Only terraform's own files are terraform's.
pub(super) fn programs(language: &str, file: &Path) -> impl Iterator<Item = &'static Program> {
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let terraform = matches!(extension, "tf" | "tfvars");
    TABLE.iter().filter(move |program| {
        program.languages.contains(&language) && (program.name != "terraform" || terraform)
    })
}

/// The edition of the crate that a file belongs to, or of its workspace.
fn edition(file: &Path) -> String {
    const NEWEST: &str = "2024";
    for folder in file.ancestors().skip(1) {
        let Ok(manifest) = std::fs::read_to_string(folder.join("Cargo.toml")) else { continue };
        let mut inherits = false;
        for line in manifest.lines().map(str::trim) {
            let Some((key, value)) = line.split_once('=') else { continue };
            let (key, value) = (key.trim(), value.split('#').next().unwrap_or_default().trim());
            if key == "edition" {
                let written = value.trim_matches(['"', '\'']);
                if written.len() == 4 && written.bytes().all(|byte| byte.is_ascii_digit()) {
                    return written.to_owned();
                }
                inherits |= value.contains("workspace");
            }
            inherits |= key == "edition.workspace" && value == "true";
        }
        if !inherits && manifest.contains("[package]") {
            // What Cargo takes where a crate does not say.
            return "2015".to_owned();
        }
    }
    NEWEST.to_owned()
}

/// Prettier's settings may be programs, and may name plug-ins, which are.
fn prettier_code(folder: &Path) -> Vec<PathBuf> {
    const PROGRAMS: &[&str] = &[
        "prettier.config.js",
        "prettier.config.mjs",
        "prettier.config.cjs",
        "prettier.config.ts",
        "prettier.config.mts",
        "prettier.config.cts",
        ".prettierrc.js",
        ".prettierrc.mjs",
        ".prettierrc.cjs",
        ".prettierrc.ts",
        ".prettierrc.mts",
        ".prettierrc.cts",
    ];
    const SETTINGS: &[&str] = &[
        ".prettierrc",
        ".prettierrc.json",
        ".prettierrc.json5",
        ".prettierrc.yaml",
        ".prettierrc.yml",
        ".prettierrc.toml",
    ];
    let mut found: Vec<PathBuf> =
        PROGRAMS.iter().map(|name| folder.join(name)).filter(|path| path.exists()).collect();
    let names_plugins =
        |path: &PathBuf| std::fs::read_to_string(path).is_ok_and(|text| text.contains("plugins"));
    found.extend(SETTINGS.iter().map(|name| folder.join(name)).filter(names_plugins));
    let package = folder.join("package.json");
    // A package may name settings of another package, which is code, too.
    if std::fs::read_to_string(&package).is_ok_and(|text| text.contains("\"prettier\":")) {
        let text = std::fs::read_to_string(&package).unwrap_or_default();
        let named = text.split("\"prettier\":").skip(1).any(|rest| {
            let value = rest.trim_start();
            let version = value
                .trim_start_matches('"')
                .starts_with(|c: char| c.is_ascii_digit() || "^~*<>=vlw".contains(c));
            (value.starts_with('"') && !version) || (value.starts_with('{') && text.contains("plugins"))
        });
        found.extend(named.then_some(package));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edition_is_that_of_the_crate_or_its_workspace() {
        let temp = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = temp.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("Cargo.toml", "[workspace]\nmembers = [\"a\"]\n[workspace.package]\nedition = \"2021\"\n");
        write("a/Cargo.toml", "[package]\nname = \"a\"\nedition.workspace = true\n");
        write("b/Cargo.toml", "[package]\nname = \"b\"\nedition = '2018' # old\n");
        write("c/Cargo.toml", "[package]\nname = \"c\"\n");
        let of = |path: &str| edition(&temp.path().join(path));
        assert_eq!(
            (of("a/src/lib.rs"), of("b/src/lib.rs"), of("c/src/lib.rs")),
            ("2021".into(), "2018".into(), "2015".into())
        );
    }

    #[test]
    fn settings_that_are_programs_are_found() {
        let temp = tempfile::tempdir().unwrap();
        let code = |name: &str, text: &str| {
            std::fs::write(temp.path().join(name), text).unwrap();
            let found = prettier_code(temp.path());
            std::fs::remove_file(temp.path().join(name)).unwrap();
            found.len()
        };
        assert_eq!(code("prettier.config.mjs", ""), 1);
        assert_eq!(code(".prettierrc", "{ \"plugins\": [\"./x.js\"] }"), 1);
        assert_eq!(code(".prettierrc", "{ \"semi\": false }"), 0);
        assert_eq!(code("package.json", "{ \"devDependencies\": { \"prettier\": \"^3.0.0\" } }"), 0);
        assert_eq!(code("package.json", "{ \"prettier\": \"@company/settings\" }"), 1);
        assert_eq!(code("package.json", "{ \"prettier\": { \"semi\": false } }"), 0);
    }

    #[test]
    fn terraform_is_asked_for_its_own_files_only() {
        let names =
            |file: &str| programs("hcl", Path::new(file)).map(|program| program.name).collect::<Vec<_>>();
        assert_eq!((names("a.tf"), names("a.hcl")), (vec!["terraform"], vec![]));
        let python: Vec<&str> = programs("python", Path::new("a.py")).map(|program| program.name).collect();
        assert_eq!(python, ["ruff", "black"]);
    }
}

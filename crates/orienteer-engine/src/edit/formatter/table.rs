//! The formatters of languages, in order of preference. One row each.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::prettier;
use super::refusal::Refusal;

/// What a formatter of a project that nobody trusts is told.
#[derive(Debug, Clone, Copy)]
pub(super) enum Untrusted {
    /// The usual: its settings are data, and it finds them from the path of the file, or has none.
    Same,
    Other(fn(&Path) -> Vec<OsString>),
    /// It has settings that can be programs.
    Read(fn(&Path) -> Result<Vec<OsString>, Refusal>),
}

impl Program {
    /// The arguments for a file of a project that nobody trusts.
    pub(super) fn untrusted_args(&self, file: &Path) -> Result<Vec<OsString>, Refusal> {
        match self.untrusted {
            Untrusted::Same => Ok((self.args)(file)),
            Untrusted::Other(args) => Ok(args(file)),
            Untrusted::Read(args) => args(file),
        }
    }
}

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
    /// The same where the project is not trusted: nothing that it configures is run, and its folder is not the one that
    /// the program is started in.
    pub(super) untrusted: Untrusted,
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

static TABLE: &[Program] = &[
    Program {
        name: "rustfmt",
        shown: "rustfmt",
        languages: &["rust"],
        local: &[],
        args: |file| words(&["--edition", &edition(file)]),
        untrusted: Untrusted::Other(rustfmt),
        hint: "rustup component add rustfmt",
    },
    Program {
        name: "gofmt",
        shown: "gofmt",
        languages: &["go"],
        local: &[],
        args: |_| Vec::new(),
        untrusted: Untrusted::Same,
        hint: "install Go, which brings gofmt along",
    },
    Program {
        name: "ruff",
        shown: "ruff format",
        languages: &["python"],
        local: &[".venv/bin/ruff", "venv/bin/ruff"],
        args: |file| named(&["format", "--stdin-filename"], file, &["-"]),
        untrusted: Untrusted::Same,
        hint: "pip install ruff",
    },
    Program {
        name: "black",
        shown: "black",
        languages: &["python"],
        local: &[".venv/bin/black", "venv/bin/black"],
        args: |file| named(&["--quiet", "--stdin-filename"], file, &["-"]),
        untrusted: Untrusted::Same,
        hint: "pip install black",
    },
    Program {
        name: "clang-format",
        shown: "clang-format",
        languages: &["c", "cpp", "objective-c", "proto"],
        local: &[],
        args: |file| named(&["--assume-filename"], file, &[]),
        untrusted: Untrusted::Same,
        hint: "install clang-format with the system's package manager",
    },
    Program {
        name: "google-java-format",
        shown: "google-java-format",
        languages: &["java"],
        local: &[],
        args: |_| words(&["-"]),
        untrusted: Untrusted::Same,
        hint: "install google-java-format",
    },
    Program {
        name: "prettier",
        shown: "prettier",
        languages: WEB,
        local: NODE,
        args: prettier::trusted,
        untrusted: Untrusted::Read(prettier::untrusted),
        hint: "npm install --save-dev prettier",
    },
    Program {
        name: "shfmt",
        shown: "shfmt",
        languages: &["bash"],
        local: &[],
        args: |file| named(&["-filename"], file, &["-"]),
        untrusted: Untrusted::Same,
        hint: "install shfmt",
    },
    Program {
        name: "taplo",
        shown: "taplo fmt",
        languages: &["toml"],
        local: &[],
        args: |file| named(&["fmt", "--stdin-filepath"], file, &["-"]),
        untrusted: Untrusted::Other(taplo),
        hint: "cargo install taplo-cli",
    },
    Program {
        name: "terraform",
        shown: "terraform fmt",
        languages: &["hcl"],
        local: &[],
        args: |_| words(&["fmt", "-no-color", "-"]),
        untrusted: Untrusted::Same,
        hint: "install terraform",
    },
    Program {
        name: "zig",
        shown: "zig fmt",
        languages: &["zig"],
        local: &[],
        args: |_| words(&["fmt", "--stdin"]),
        untrusted: Untrusted::Same,
        hint: "install zig",
    },
    Program {
        name: "stylua",
        shown: "stylua",
        languages: &["lua"],
        local: &[],
        args: |file| named(&["--search-parent-directories", "--stdin-filepath"], file, &["-"]),
        untrusted: Untrusted::Same,
        hint: "cargo install stylua",
    },
    Program {
        name: "ormolu",
        shown: "ormolu",
        languages: &["haskell"],
        local: &[],
        args: |file| named(&["--stdin-input-file"], file, &[]),
        untrusted: Untrusted::Same,
        hint: "cabal install ormolu",
    },
    Program {
        name: "nixfmt",
        shown: "nixfmt",
        languages: &["nix"],
        local: &[],
        args: |_| Vec::new(),
        untrusted: Untrusted::Same,
        hint: "install nixfmt",
    },
    Program {
        name: "dart",
        shown: "dart format",
        languages: &["dart"],
        local: &[],
        args: |file| named(&["format", "--stdin-name"], file, &[]),
        untrusted: Untrusted::Same,
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
        let Some(manifest) = orienteer_base::settings_file::read_settings(&folder.join("Cargo.toml")) else {
            continue;
        };
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

/// Its settings are data. It looks for them where it is started, unless it is told which file has them.
fn rustfmt(file: &Path) -> Vec<OsString> {
    let mut args = words(&["--edition", &edition(file)]);
    if let Some(settings) = nearest(file, &[".rustfmt.toml", "rustfmt.toml"]) {
        args.extend([OsString::from("--config-path"), settings.into()]);
    }
    args
}

/// The same.
fn taplo(file: &Path) -> Vec<OsString> {
    let mut args = words(&["fmt"]);
    match nearest(file, &[".taplo.toml", "taplo.toml"]) {
        Some(settings) => args.extend([OsString::from("--config"), settings.into()]),
        None => args.push("--no-auto-config".into()),
    }
    args.extend(named(&["--stdin-filepath"], file, &["-"]));
    args
}

/// The first file with one of these names, from the folder of a file upwards.
fn nearest(file: &Path, names: &[&str]) -> Option<PathBuf> {
    let places = file.ancestors().skip(1).flat_map(|folder| names.iter().map(|name| folder.join(name)));
    places.into_iter().find(|place| place.is_file())
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

    /// `docs/programs.md` says of each what a project's configuration can have it run.
    #[test]
    fn every_formatter_has_a_row_in_the_page_about_programs() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/programs.md");
        let page = std::fs::read_to_string(page).unwrap();
        let (_, rows) = page.split_once("## Formatters").unwrap();
        let rows: Vec<&str> =
            rows.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next()).collect();
        let known: Vec<&str> = TABLE.iter().map(|program| program.name).collect();
        assert_eq!(rows.get(2..).unwrap_or_default(), known);
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

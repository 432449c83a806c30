//! Small realistic projects, one for each language that has a live test.
//!
//! Each is a fixture for [`tree`](crate::tree). Its comment lists what a test can rely on, as
//! `` `name` path line:column ``, both numbers from 1 and columns in characters; a test of this module keeps
//! those lists true. All were checked against the real servers.

mod bash;
mod c;
mod css;
mod dockerfile;
mod fortran;
mod go;
mod html;
mod json;
mod lua;
mod php;
mod python;
mod rust;
mod svelte;
mod toml;
mod typescript;
mod vue;
mod yaml;

pub use bash::{BASH, BASH_BROKEN};
pub use c::{C, CPP, CPP_BROKEN, compile_commands};
pub use css::{CSS, CSS_BROKEN};
pub use dockerfile::{DOCKERFILE, DOCKERFILE_BROKEN};
pub use fortran::{FORTRAN, FORTRAN_BROKEN};
pub use go::{GO, GO_BROKEN};
pub use html::HTML;
pub use json::{JSON, JSON_BROKEN};
pub use lua::{LUA, LUA_BROKEN};
pub use php::{PHP, PHP_BROKEN};
pub use python::{PYTHON, PYTHON_BROKEN, PYTHON_VENV, python_environment};
pub use rust::{RUST, RUST_BROKEN};
pub use svelte::{SVELTE, SVELTE_BROKEN};
pub use toml::{TOML, TOML_BROKEN};
pub use typescript::{TYPESCRIPT, TYPESCRIPT_BROKEN};
pub use vue::{VUE, VUE_BROKEN};
pub use yaml::{YAML, YAML_BROKEN};

/// A folder name that breaks whoever pastes paths into URIs or shells.
pub const ODD_FOLDER: &str = "we ird #1";

/// The same project with Windows line ends in every file. No position changes.
pub fn crlf(fixture: &str) -> String {
    fixture.replace('\n', "\r\n")
}

/// The same project in a folder of the root.
pub fn in_folder(folder: &str, fixture: &str) -> String {
    fixture
        .split_inclusive('\n')
        .map(|line| match line.strip_prefix("//- /") {
            Some(path) => format!("//- /{folder}/{path}"),
            None => line.to_owned(),
        })
        .collect()
}

/// A root that is no project itself and has four in its folders: `backend` ([`PYTHON`]), `frontend/app`
/// ([`TYPESCRIPT`]), `native` ([`RUST`]) and [`ODD_FOLDER`] ([`GO`]).
pub fn nested() -> String {
    let places = [("backend", PYTHON), ("frontend/app", TYPESCRIPT), ("native", RUST), (ODD_FOLDER, GO)];
    places.map(|(folder, fixture)| in_folder(folder, fixture)).concat()
}

/// The text of one file of a fixture.
pub fn file<'a>(fixture: &'a str, path: &str) -> &'a str {
    let head = format!("//- /{path}\n");
    let begin = if fixture.starts_with(&head) {
        head.len()
    } else {
        fixture.find(&format!("\n{head}")).unwrap_or_else(|| panic!("no file {path} in the fixture"))
            + head.len()
            + 1
    };
    let text = &fixture[begin..];
    if text.starts_with("//- /") {
        return "";
    }
    text.find("\n//- /").map_or(text, |end| &text[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every constant beside the source of its comment.
    const SOURCES: &[(&str, &[(&str, &str)])] = &[
        (include_str!("workspaces/bash.rs"), &[("BASH", BASH)]),
        (include_str!("workspaces/c.rs"), &[("CPP", CPP), ("C", C)]),
        (include_str!("workspaces/css.rs"), &[("CSS", CSS)]),
        (include_str!("workspaces/dockerfile.rs"), &[("DOCKERFILE", DOCKERFILE)]),
        (include_str!("workspaces/fortran.rs"), &[("FORTRAN", FORTRAN)]),
        (include_str!("workspaces/go.rs"), &[("GO", GO)]),
        (include_str!("workspaces/html.rs"), &[("HTML", HTML)]),
        (include_str!("workspaces/json.rs"), &[("JSON", JSON)]),
        (include_str!("workspaces/lua.rs"), &[("LUA", LUA)]),
        (include_str!("workspaces/php.rs"), &[("PHP", PHP)]),
        (include_str!("workspaces/python.rs"), &[("PYTHON", PYTHON), ("PYTHON_VENV", PYTHON_VENV)]),
        (include_str!("workspaces/rust.rs"), &[("RUST", RUST)]),
        (include_str!("workspaces/svelte.rs"), &[("SVELTE", SVELTE)]),
        (include_str!("workspaces/toml.rs"), &[("TOML", TOML)]),
        (include_str!("workspaces/typescript.rs"), &[("TYPESCRIPT", TYPESCRIPT)]),
        (include_str!("workspaces/vue.rs"), &[("VUE", VUE)]),
        (include_str!("workspaces/yaml.rs"), &[("YAML", YAML)]),
    ];

    /// The comment lines directly above a constant.
    fn comment<'a>(source: &'a str, name: &str) -> Vec<&'a str> {
        let above = source.split_once(&format!("pub const {name}: ")).expect(name).0;
        above.lines().rev().take_while(|line| line.starts_with("///")).collect()
    }

    /// `` /// - `name` path line:column ``
    fn fact(line: &str) -> Option<(&str, &str, usize, usize)> {
        let (name, rest) = line.strip_prefix("/// - `")?.split_once("` ")?;
        let rest = rest.split_once(", ").map_or(rest, |(place, _)| place);
        let rest = rest.split_once("; ").map_or(rest, |(place, _)| place);
        let (path, place) = rest.trim().rsplit_once(' ')?;
        let (line, column) = place.split_once(':')?;
        Some((name, path, line.parse().ok()?, column.parse().ok()?))
    }

    #[test]
    fn every_listed_name_stands_where_the_list_says() {
        let mut checked = 0;
        for (source, constants) in SOURCES {
            for (name, fixture) in *constants {
                let before = checked;
                for line in comment(source, name) {
                    let Some((word, path, number, column)) = fact(line) else {
                        assert!(!line.starts_with("/// - "), "{name}: not understood: {line}");
                        continue;
                    };
                    let text = file(fixture, path).lines().nth(number - 1).unwrap_or_default();
                    let there: String = text.chars().skip(column - 1).collect();
                    assert!(there.starts_with(word), "{name}: {line}: there is {there:?}");
                    checked += 1;
                }
                assert!(checked > before, "{name} lists nothing");
            }
        }
        assert!(checked > 70, "{checked}");
    }

    #[test]
    fn a_fixture_in_a_folder_keeps_its_files() {
        let tree = crate::tree(&nested());
        let there = |path: &str| std::fs::read_to_string(tree.root().join(path)).expect(path);
        assert_eq!(there("backend/src/shapes/total.py"), file(PYTHON, "src/shapes/total.py"));
        assert_eq!(there("native/Cargo.toml"), file(RUST, "Cargo.toml"));
        assert_eq!(there("we ird #1/go.mod"), file(GO, "go.mod"));
        assert_eq!(there("frontend/app/package.json"), file(TYPESCRIPT, "package.json"));
    }

    #[test]
    fn windows_line_ends_are_in_every_line() {
        let tree = crate::tree(&crlf(GO));
        let text = std::fs::read_to_string(tree.root().join("report.go")).expect("report.go");
        assert_eq!(text, file(GO, "report.go").replace('\n', "\r\n"));
    }

    #[test]
    fn compile_commands_name_every_source() {
        let tree = crate::tree(CPP);
        compile_commands(tree.root());
        let text = std::fs::read_to_string(tree.root().join("compile_commands.json")).expect("written");
        let entries: Vec<serde_json::Value> = serde_json::from_str(&text).expect("JSON");
        let files: Vec<_> = entries.iter().map(|entry| entry["file"].as_str().expect("a path")).collect();
        let expected = ["main.cpp", "report.cpp", "shape.cpp"].map(|name| tree.root().join("src").join(name));
        assert_eq!(files, expected.iter().map(|path| path.to_str().expect("UTF-8")).collect::<Vec<_>>());
    }
}

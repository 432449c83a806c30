//! Which servers are there, and what is true of each?
//!
//! The built-in ones are the blocks of `servers.toml`; the user's blocks are laid over them by [`merge()`].

mod block;
pub mod docs;
mod merge;
pub mod user;

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::path::Path;

pub(crate) use merge::deep_merge;
pub use merge::{CatalogOptions, changes_built_in, merge};
pub use user::ServerSpec;

use crate::definition::Definition;

const BUILT_IN: &str = include_str!("../servers.toml");

/// Why a catalog could not be read.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    #[error("the list of servers is not what it should be: {0}")]
    Toml(#[from] toml::de::Error),
    #[error("the server `{id}` {problem}")]
    Block { id: String, problem: String },
}

/// The servers that come with us, in order of preference.
///
/// # Errors
///
/// None in a build that passed its tests: the file is part of the program.
pub fn built_in() -> Result<Vec<Definition>, CatalogError> {
    block::parse(BUILT_IN)
}

/// The servers that take a file, the preferred one first.
///
/// A whole file name counts more than an extension: `tsconfig.json` is known as more than JSON. Optional servers are
/// second opinions: only when the user names them, and never before one that answers all questions.
pub fn owners<D: Borrow<Definition> + Clone>(catalog: &[D], path: &Path) -> Vec<D> {
    let mut owners: Vec<D> = catalog
        .iter()
        .filter(|definition| {
            let definition: &Definition = (*definition).borrow();
            (!definition.optional || definition.from_user) && takes(definition, path)
        })
        .cloned()
        .collect();
    owners.sort_by_key(|definition| {
        let definition: &Definition = definition.borrow();
        definition.optional
    });
    owners
}

/// Whether a server takes a file.
pub fn takes(definition: &Definition, path: &Path) -> bool {
    known(definition, path).is_some()
}

/// The language id that a server knows a file by; `plaintext` for a file that is not its own.
pub fn language_id<'d>(definition: &'d Definition, path: &Path) -> &'d str {
    known(definition, path).unwrap_or("plaintext")
}

/// By whole name, then by extension, then by the name before the first dot, so that `Dockerfile.dev` is one too.
fn known<'d>(definition: &'d Definition, path: &Path) -> Option<&'d str> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    let stem = name.split_once('.').map(|(stem, _)| stem).filter(|stem| !stem.is_empty());
    definition
        .file_names
        .get(&name)
        .or_else(|| extension.and_then(|extension| definition.extensions.get(extension)))
        .or_else(|| stem.and_then(|stem| definition.file_names.get(stem)))
        .map(String::as_str)
}

/// Every extension that some server takes, sorted.
pub fn extensions<D: Borrow<Definition>>(catalog: &[D]) -> Vec<String> {
    let all: BTreeSet<&String> = catalog
        .iter()
        .flat_map(|definition| {
            let definition: &Definition = definition.borrow();
            definition.extensions.keys()
        })
        .collect();
    all.into_iter().cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::{Readiness, Reporting, RootChoice};
    use orienteer_base::language::LANGUAGES;
    use std::collections::HashSet;

    fn catalog() -> Vec<Definition> {
        built_in().unwrap()
    }

    fn named(id: &str) -> Definition {
        catalog().into_iter().find(|definition| definition.id == id).unwrap_or_else(|| panic!("no {id}"))
    }

    fn owner_ids(path: &str) -> Vec<String> {
        owners(&catalog(), Path::new(path)).into_iter().map(|definition| definition.id).collect()
    }

    #[test]
    fn every_server_we_promise_is_there_once() {
        let catalog = catalog();
        let ids: Vec<&str> = catalog.iter().map(|definition| definition.id.as_str()).collect();
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len(), "an id twice: {ids:?}");
        for id in [
            "rust-analyzer",
            "typescript-native",
            "typescript-language-server",
            "eslint",
            "pyright",
            "basedpyright",
            "ty",
            "pyrefly",
            "zuban",
            "jedi-language-server",
            "pylsp",
            "ruff",
            "clangd",
            "gopls",
            "jdtls",
            "csharp",
            "omnisharp",
            "intelephense",
            "ruby-lsp",
            "solargraph",
            "lua",
            "fortls",
            "kotlin",
            "swift",
            "zls",
            "elixir",
            "haskell",
            "ocaml",
            "dart",
            "bash",
            "yaml",
            "json",
            "html",
            "css",
            "vue",
            "svelte",
            "terraform",
            "dockerfile",
            "toml",
            "markdown",
        ] {
            assert!(ids.contains(&id), "{id} is missing");
        }
    }

    #[test]
    fn exactly_the_servers_that_tests_start_are_called_tested() {
        let catalog = catalog();
        let tested: HashSet<&str> = catalog
            .iter()
            .filter(|definition| definition.live_tested)
            .map(|definition| definition.id.as_str())
            .collect();
        let expected = HashSet::from([
            "rust-analyzer",
            "typescript-native",
            "typescript-language-server",
            "eslint",
            "pyright",
            "basedpyright",
            "ty",
            "pyrefly",
            "zuban",
            "jedi-language-server",
            "pylsp",
            "ruff",
            "clangd",
            "gopls",
            "bash",
            "yaml",
            "json",
            "html",
            "css",
            "fortls",
            "dockerfile",
            "svelte",
            "intelephense",
            "lua",
            "toml",
            "vue",
        ]);
        assert_eq!(tested, expected);
    }

    #[test]
    fn every_block_says_what_a_person_and_a_machine_need() {
        for definition in catalog() {
            let id = &definition.id;
            assert!(!definition.language.is_empty(), "{id}");
            assert!(!definition.candidates.is_empty(), "{id}");
            assert!(!definition.extensions.is_empty(), "{id}");
            assert!(!definition.root_markers.is_empty(), "{id}");
            assert!(definition.install_hint.as_ref().is_some_and(|hint| !hint.is_empty()), "{id}");
            assert!(
                definition.requires.iter().all(|(program, hint)| !program.is_empty() && !hint.is_empty()),
                "{id}"
            );
            assert!(
                definition.initialize_timeout.as_secs() >= 10 && definition.request_timeout.as_secs() >= 5,
                "{id}"
            );
            let by_message = [definition.ready_file, definition.ready_project].contains(&Readiness::Message);
            assert_eq!(by_message, !definition.ready_messages.is_empty(), "{id}");
            for candidate in &definition.candidates {
                assert!(
                    candidate.probe_contains.is_empty() && candidate.probe_lacks.is_empty()
                        || !candidate.probe.is_empty(),
                    "{id}: words without a probe"
                );
                assert!(candidate.local.iter().all(|path| Path::new(path).is_relative()), "{id}");
            }
            for extension in definition.extensions.keys().chain(definition.file_names.keys()) {
                assert_eq!(*extension, extension.to_lowercase(), "{id}");
            }
        }
    }

    #[test]
    fn every_extension_of_a_language_with_a_server_has_an_owner() {
        // Dialects that the servers of their language do not understand.
        let foreign = ["zsh", "pyx", "json5", "sass", "mdx", "php8", "hcl"];
        let catalog = catalog();
        let languages = [
            "bash",
            "c",
            "cpp",
            "csharp",
            "css",
            "dart",
            "dockerfile",
            "elixir",
            "fortran",
            "go",
            "haskell",
            "hcl",
            "html",
            "java",
            "javascript",
            "json",
            "kotlin",
            "less",
            "lua",
            "markdown",
            "objective-c",
            "ocaml",
            "php",
            "python",
            "ruby",
            "rust",
            "scss",
            "svelte",
            "swift",
            "toml",
            "tsx",
            "typescript",
            "vue",
            "yaml",
            "zig",
        ];
        for id in languages {
            let language = LANGUAGES.iter().find(|language| language.id == id).unwrap();
            for extension in language.extensions.iter().filter(|extension| !foreign.contains(extension)) {
                let path = format!("x.{extension}");
                assert!(!owners(&catalog, Path::new(&path)).is_empty(), "nobody takes {path}");
            }
        }
    }

    #[test]
    fn owners_come_in_order_and_a_linter_is_nobody_s_default() {
        assert_eq!(owner_ids("a/b.TSX"), ["typescript-native", "typescript-language-server"]);
        let python = ["pyright", "basedpyright", "ty", "pyrefly", "zuban", "jedi-language-server", "pylsp"];
        assert_eq!(owner_ids("x.py"), python);
        assert_eq!(owner_ids("Dockerfile"), ["dockerfile"]);
        assert_eq!(owner_ids("deploy/Dockerfile.dev"), ["dockerfile"]);
        assert_eq!(owner_ids("Cargo.lock"), ["toml"]);
        assert_eq!(owner_ids(".gitignore"), [""; 0]);
        let mut catalog = catalog();
        let mut ruff = named("ruff");
        ruff.from_user = true;
        catalog.retain(|definition| definition.id != "ruff");
        catalog.insert(0, ruff);
        let ids: Vec<String> = owners(&catalog, Path::new("x.py")).into_iter().map(|one| one.id).collect();
        assert_eq!(
            ids,
            ["pyright", "basedpyright", "ty", "pyrefly", "zuban", "jedi-language-server", "pylsp", "ruff"]
        );
    }

    #[test]
    fn files_are_called_what_their_server_calls_them() {
        let typescript = named("typescript-native");
        for (path, id) in [
            ("a.ts", "typescript"),
            ("a.d.ts", "typescript"),
            ("a.mts", "typescript"),
            ("a.tsx", "typescriptreact"),
            ("a.jsx", "javascriptreact"),
            ("a.cjs", "javascript"),
            ("a.py", "plaintext"),
        ] {
            assert_eq!(language_id(&typescript, Path::new(path)), id, "{path}");
        }
        assert_eq!(language_id(&named("json"), Path::new("pkg/tsconfig.json")), "jsonc");
        assert_eq!(language_id(&named("json"), Path::new("package.json")), "json");
        assert_eq!(language_id(&named("gopls"), Path::new("go.mod")), "go.mod");
        assert_eq!(language_id(&named("clangd"), Path::new("x.H")), "c");
        assert!(extensions(&catalog()).is_sorted() && extensions(&catalog()).contains(&"rs".to_owned()));
    }

    #[test]
    fn what_makes_the_hard_servers_right_is_written_down() {
        let rust = named("rust-analyzer");
        assert_eq!((rust.ready_file, rust.ready_project), (Readiness::Status, Readiness::Status));
        assert_eq!((rust.reporting, rust.root_choice), (Reporting::Flycheck, RootChoice::Outermost));
        assert_eq!(rust.initialization_options["files"]["watcher"], "client");
        assert_eq!(rust.candidates[0].probe_contains, ["rust-analyzer"]);
        let old = named("typescript-language-server");
        assert_eq!(old.initialization_options["tsserver"]["useSyntaxServer"], "never");
        assert!(old.opens_text_hits, "it knows only the projects of open files");
        assert!(!named("pyright").opens_text_hits, "it knows all files once it has listed them");
        assert_eq!(
            rust.initialization_options["checkOnSave"], false,
            "it would take back findings of other packages"
        );
        assert_eq!(named("html").settings["css"], serde_json::json!({}), "null makes it check nothing");
        assert_eq!(named("pyright").ready_project, Readiness::Message);
        assert_eq!(named("yaml").settings["yaml"]["schemaStore"]["enable"], false);
    }
}

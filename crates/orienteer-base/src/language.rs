//! The languages table: which language a file is, by name, extension or first line.

use std::path::Path;

/// One row of the table. `id` is the word of the Language Server Protocol where it has one.
#[derive(Debug, PartialEq, Eq)]
pub struct Language {
    pub id: &'static str,
    pub name: &'static str,
    /// Other words people use for it.
    pub aliases: &'static [&'static str],
    /// Lower case, without the dot.
    pub extensions: &'static [&'static str],
    /// Whole file names, compared without case.
    pub file_names: &'static [&'static str],
    /// Programs named on a `#!` line.
    pub interpreters: &'static [&'static str],
}

macro_rules! languages {
    ($($id:literal $name:literal [$($alias:literal)*] [$($ext:literal)*] [$($file:literal)*] [$($int:literal)*];)*) => {
        &[$(Language {
            id: $id,
            name: $name,
            aliases: &[$($alias),*],
            extensions: &[$($ext),*],
            file_names: &[$($file),*],
            interpreters: &[$($int),*],
        }),*]
    };
}

/// In order of id. An extension claimed by two languages belongs to the first row that lists it.
pub static LANGUAGES: &[Language] = languages! {
    "bash" "Bash" ["sh" "shell" "shellscript" "zsh"] ["sh" "bash" "zsh" "ksh" "bats"] [".bashrc" ".bash_profile" ".profile" ".zshrc"] ["sh" "bash" "zsh" "dash" "ksh"];
    "c" "C" [] ["c" "h"] [] ["tcc"];
    "clojure" "Clojure" ["clj"] ["clj" "cljs" "cljc" "edn"] [] [];
    "cpp" "C++" ["c++" "cc" "cxx"] ["cpp" "cc" "cxx" "c++" "hpp" "hh" "hxx" "h++" "ipp" "inl" "cu" "ino"] [] [];
    "csharp" "C#" ["c#" "cs"] ["cs" "csx"] [] [];
    "css" "CSS" [] ["css"] [] [];
    "dart" "Dart" [] ["dart"] [] [];
    "dockerfile" "Dockerfile" ["docker"] ["dockerfile"] ["dockerfile" "containerfile"] [];
    "elixir" "Elixir" ["ex"] ["ex" "exs"] [] ["elixir"];
    "erlang" "Erlang" ["erl"] ["erl" "hrl"] ["rebar.config"] ["escript"];
    "fortran" "Fortran" [] ["f90" "f95" "f03" "f08" "f" "for"] [] [];
    "go" "Go" ["golang"] ["go"] [] [];
    "haskell" "Haskell" ["hs"] ["hs" "lhs"] [] ["runhaskell"];
    "hcl" "HCL" ["terraform" "tf"] ["tf" "tfvars" "hcl"] [] [];
    "html" "HTML" ["htm"] ["html" "htm" "xhtml"] [] [];
    "java" "Java" [] ["java"] [] [];
    "javascript" "JavaScript" ["js" "jsx" "node" "javascriptreact"] ["js" "jsx" "mjs" "cjs"] [] ["node" "nodejs" "deno" "bun"];
    "json" "JSON" ["jsonc"] ["json" "jsonc" "json5" "webmanifest"] [".prettierrc" ".eslintrc" ".babelrc"] [];
    "julia" "Julia" ["jl"] ["jl"] [] ["julia"];
    "kotlin" "Kotlin" ["kt"] ["kt" "kts"] [] [];
    "less" "Less" [] ["less"] [] [];
    "lua" "Lua" [] ["lua"] [] ["lua" "luajit"];
    "make" "Makefile" ["makefile"] ["mk" "mak"] ["makefile" "gnumakefile"] ["make"];
    "markdown" "Markdown" ["md"] ["md" "markdown" "mdx"] [] [];
    "nix" "Nix" [] ["nix"] [] [];
    "objective-c" "Objective-C" ["objc"] ["m" "mm"] [] [];
    "ocaml" "OCaml" ["ml"] ["ml" "mli"] [] ["ocaml"];
    "perl" "Perl" ["pl"] ["pl" "pm" "t"] [] ["perl"];
    "php" "PHP" [] ["php" "phtml" "php8"] [] ["php"];
    "plaintext" "Plain text" ["text" "txt"] ["txt" "text" "rst" "adoc" "log"] ["readme" "license" "authors" "changelog"] [];
    "powershell" "PowerShell" ["ps1" "pwsh"] ["ps1" "psm1" "psd1"] [] ["pwsh"];
    "proto" "Protocol Buffers" ["protobuf"] ["proto"] [] [];
    "python" "Python" ["py"] ["py" "pyi" "pyw" "pyx"] ["sconstruct"] ["python" "python2" "python3" "pypy" "uv"];
    "r" "R" [] ["r" "rmd"] [] ["rscript"];
    "ruby" "Ruby" ["rb"] ["rb" "rake" "gemspec" "ru"] ["rakefile" "gemfile" "vagrantfile" "podfile"] ["ruby"];
    "rust" "Rust" ["rs"] ["rs"] [] ["rust-script"];
    "scala" "Scala" [] ["scala" "sc" "sbt"] [] ["scala"];
    "scss" "SCSS" ["sass"] ["scss" "sass"] [] [];
    "solidity" "Solidity" ["sol"] ["sol"] [] [];
    "sql" "SQL" [] ["sql" "ddl" "dml"] [] [];
    "svelte" "Svelte" [] ["svelte"] [] [];
    "swift" "Swift" [] ["swift"] [] ["swift"];
    "toml" "TOML" [] ["toml"] ["cargo.lock" "poetry.lock" "uv.lock" "pipfile"] [];
    "tsx" "TSX" ["typescriptreact"] ["tsx"] [] [];
    "typescript" "TypeScript" ["ts"] ["ts" "mts" "cts"] [] ["ts-node" "tsx"];
    "vue" "Vue" [] ["vue"] [] [];
    "xml" "XML" ["svg"] ["xml" "xsd" "xsl" "xslt" "svg" "plist" "csproj" "pom"] [] [];
    "yaml" "YAML" ["yml"] ["yaml" "yml"] [".clang-format" ".clangd"] [];
    "zig" "Zig" [] ["zig" "zon"] [] [];
};

impl Language {
    /// By id, alias or name, without case.
    pub fn by_word(word: &str) -> Option<&'static Self> {
        let word = word.to_ascii_lowercase();
        LANGUAGES.iter().find(|language| {
            language.id == word
                || language.name.eq_ignore_ascii_case(&word)
                || language.aliases.contains(&word.as_str())
        })
    }

    /// Data, markup or prose: what has no symbols that other files use.
    pub fn is_data(&self) -> bool {
        [
            "css",
            "dockerfile",
            "html",
            "json",
            "less",
            "make",
            "markdown",
            "plaintext",
            "scss",
            "toml",
            "xml",
            "yaml",
        ]
        .contains(&self.id)
    }

    /// By extension, without dot or case.
    pub fn by_extension(extension: &str) -> Option<&'static Self> {
        let extension = extension.to_ascii_lowercase();
        LANGUAGES.iter().find(|language| language.extensions.contains(&extension.as_str()))
    }

    /// By file name alone. A file such as `Dockerfile.dev` counts as its stem.
    pub fn by_path(path: &Path) -> Option<&'static Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let by_name = |name: &str| LANGUAGES.iter().find(|language| language.file_names.contains(&name));
        by_name(&name)
            .or_else(|| name.rsplit_once('.').and_then(|(_, extension)| Self::by_extension(extension)))
            .or_else(|| name.split_once('.').and_then(|(stem, _)| by_name(stem)))
    }

    /// By the `#!` line of a script without an extension.
    pub fn by_first_line(line: &str) -> Option<&'static Self> {
        let command = line.strip_prefix("#!")?.trim();
        let mut words = command.split_ascii_whitespace();
        let mut program = words.next()?.rsplit('/').next()?;
        if program == "env" {
            // `env -S` and assignments may stand before the program.
            program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
        }
        let bare = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        LANGUAGES.iter().find(|language| {
            language.interpreters.contains(&program) || language.interpreters.contains(&bare)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_are_sorted_and_words_belong_to_one_language() {
        let mut words = HashSet::new();
        for pair in LANGUAGES.windows(2) {
            assert!(pair[0].id < pair[1].id, "{} before {}", pair[0].id, pair[1].id);
        }
        for language in LANGUAGES {
            assert!(words.insert(language.id), "{}", language.id);
            for alias in language.aliases {
                assert!(words.insert(alias), "{alias}");
            }
        }
    }

    #[test]
    fn extensions_belong_to_one_language() {
        let mut seen = HashSet::new();
        for language in LANGUAGES {
            for extension in language.extensions {
                assert!(seen.insert(extension), "{extension} twice");
            }
        }
    }

    #[test]
    fn files_are_recognised() {
        let id = |name: &str| Language::by_path(Path::new(name)).map(|language| language.id);
        assert_eq!(id("src/main.rs"), Some("rust"));
        assert_eq!(id("A.TSX"), Some("tsx"));
        assert_eq!(id("Dockerfile"), Some("dockerfile"));
        assert_eq!(id("Dockerfile.dev"), Some("dockerfile"));
        assert_eq!(id("Makefile"), Some("make"));
        assert_eq!(id("Cargo.lock"), Some("toml"));
        assert_eq!(id("noextension"), None);
    }

    #[test]
    fn scripts_are_recognised_by_their_first_line() {
        let id = |line: &str| Language::by_first_line(line).map(|language| language.id);
        assert_eq!(id("#!/usr/bin/env python3.11"), Some("python"));
        assert_eq!(id("#!/usr/bin/env -S FOO=1 node --x"), Some("javascript"));
        assert_eq!(id("#!/bin/bash -e"), Some("bash"));
        assert_eq!(id("plain"), None);
        assert_eq!(id("#!"), None);
    }
}

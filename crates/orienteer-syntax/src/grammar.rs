//! Which grammar belongs to which language of the languages table.

use ast_grep_language::{LanguageExt, SupportLang};
use orienteer_base::Language;
use orienteer_base::language::LANGUAGES;

/// Where a grammar comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// Shipped with the pattern library, which therefore knows how to write metavariables in it.
    Pattern(SupportLang),
    /// The pattern library reads PHP without its surrounding HTML; outlines want whole files.
    Php,
    Toml,
}

fn origin(language: &Language) -> Option<Origin> {
    use SupportLang as S;
    crate::arena::install();
    let shipped = match language.id {
        "bash" => S::Bash,
        "c" => S::C,
        "cpp" => S::Cpp,
        "csharp" => S::CSharp,
        "css" => S::Css,
        "dart" => S::Dart,
        "elixir" => S::Elixir,
        "go" => S::Go,
        "haskell" => S::Haskell,
        "hcl" => S::Hcl,
        "html" => S::Html,
        "java" => S::Java,
        "javascript" => S::JavaScript,
        "json" => S::Json,
        "kotlin" => S::Kotlin,
        "lua" => S::Lua,
        "markdown" => S::Markdown,
        "nix" => S::Nix,
        "php" => return Some(Origin::Php),
        "python" => S::Python,
        "ruby" => S::Ruby,
        "rust" => S::Rust,
        "scala" => S::Scala,
        "solidity" => S::Solidity,
        "swift" => S::Swift,
        "toml" => return Some(Origin::Toml),
        "tsx" => S::Tsx,
        "typescript" => S::TypeScript,
        "yaml" => S::Yaml,
        "zig" => S::Zig,
        _ => return None,
    };
    Some(Origin::Pattern(shipped))
}

/// The grammar that reads whole files of a language.
pub fn grammar(language: &Language) -> Option<tree_sitter::Language> {
    Some(match origin(language)? {
        Origin::Pattern(shipped) => shipped.get_ts_language(),
        Origin::Php => tree_sitter_php::LANGUAGE_PHP.into(),
        Origin::Toml => tree_sitter_toml_ng::LANGUAGE.into(),
    })
}

/// Every language with a grammar, in order of id.
pub fn supported() -> Vec<&'static Language> {
    LANGUAGES.iter().filter(|language| origin(language).is_some()).collect()
}

/// The language as the pattern library knows it, where it does.
pub(crate) fn pattern_language(language: &Language) -> Option<SupportLang> {
    match origin(language)? {
        Origin::Pattern(shipped) => Some(shipped),
        Origin::Php => Some(SupportLang::Php),
        Origin::Toml => None,
    }
}

/// Every language that structural patterns can be written in, in order of id.
pub fn with_patterns() -> Vec<&'static Language> {
    LANGUAGES.iter().filter(|language| pattern_language(language).is_some()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supported_languages_are_sorted_and_have_a_working_grammar() {
        let languages = supported();
        assert_eq!(languages.len(), 30);
        assert!(languages.windows(2).all(|pair| pair[0].id < pair[1].id));
        for language in languages {
            let grammar = grammar(language).unwrap();
            tree_sitter::Parser::new().set_language(&grammar).unwrap();
        }
    }

    #[test]
    fn a_language_without_a_grammar_is_none() {
        assert!(grammar(Language::by_word("plaintext").unwrap()).is_none());
        assert!(grammar(Language::by_word("erlang").unwrap()).is_none());
    }

    #[test]
    fn every_language_of_the_pattern_library_is_reachable() {
        let reached: Vec<_> = with_patterns().into_iter().filter_map(pattern_language).collect();
        for shipped in SupportLang::all_langs() {
            assert!(reached.contains(shipped), "{shipped}");
        }
    }
}

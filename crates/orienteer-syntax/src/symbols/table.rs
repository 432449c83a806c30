//! From a language to its rules, looked up by the grammar's own numbers.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use orienteer_base::Language;
use orienteer_base::language::LANGUAGES;

use super::rules::{Act, Rules};

/// What the walk does on meeting a node.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Entry {
    pub(super) act: Option<&'static Act>,
    pub(super) local: bool,
    pub(super) wrapper: bool,
    pub(super) decorator: bool,
    pub(super) body: bool,
    pub(super) inline: bool,
}

/// A language's rules, one entry for each number the grammar gives to a kind of node.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) grammar: tree_sitter::Language,
    entries: Vec<Entry>,
}

impl Table {
    pub(super) fn entry(&self, kind: u16) -> Entry {
        self.entries.get(usize::from(kind)).copied().unwrap_or_default()
    }
}

fn rules(id: &str) -> Option<&'static Rules> {
    Some(match id {
        "bash" => &super::bash::RULES,
        "c" => &super::c::C,
        "cpp" => &super::c::CPP,
        "csharp" => &super::csharp::RULES,
        "css" => &super::css::RULES,
        "dart" => &super::dart::RULES,
        "elixir" => &super::elixir::RULES,
        "go" => &super::go::RULES,
        "haskell" => &super::haskell::RULES,
        "hcl" => &super::data::HCL,
        "html" => &super::html::RULES,
        "java" => &super::java::RULES,
        "javascript" => &super::script::JAVASCRIPT,
        "tsx" | "typescript" => &super::script::TYPESCRIPT,
        "json" => &super::data::JSON,
        "kotlin" => &super::kotlin::RULES,
        "lua" => &super::lua::RULES,
        "markdown" => &Rules::EMPTY,
        "nix" => &super::data::NIX,
        "php" => &super::php::RULES,
        "python" => &super::python::RULES,
        "ruby" => &super::ruby::RULES,
        "rust" => &super::rust::RULES,
        "scala" => &super::scala::RULES,
        "solidity" => &super::solidity::RULES,
        "swift" => &super::swift::RULES,
        "toml" => &super::data::TOML,
        "yaml" => &super::data::YAML,
        "zig" => &super::zig::RULES,
        _ => return None,
    })
}

fn build(grammar: tree_sitter::Language, rules: &'static Rules) -> Table {
    let acts: HashMap<&str, &'static Act> =
        rules.rows.iter().copied().flatten().map(|row| (row.node, &row.act)).collect();
    let mut entries = vec![Entry::default(); grammar.node_kind_count()];
    for (id, entry) in entries.iter_mut().enumerate() {
        let Ok(id) = u16::try_from(id) else { break };
        // A keyword may be spelled like the node it begins.
        if !grammar.node_kind_is_named(id) {
            continue;
        }
        let Some(kind) = grammar.node_kind_for_id(id) else { continue };
        *entry = Entry {
            act: acts.get(kind).copied(),
            local: rules.locals.contains(&kind),
            wrapper: rules.wrappers.contains(&kind),
            decorator: rules.decorators.contains(&kind),
            body: rules.bodies.contains(&kind),
            inline: rules.inline.contains(&kind),
        };
    }
    Table { grammar, entries }
}

/// Built on first use and kept: a grammar is data in the program, so the tables are few and small.
pub(super) fn table(language: &'static Language) -> Option<&'static Table> {
    static TABLES: LazyLock<HashMap<&'static str, OnceLock<Option<Table>>>> =
        LazyLock::new(|| LANGUAGES.iter().map(|language| (language.id, OnceLock::new())).collect());
    let build = || Some(build(crate::grammar::grammar(language)?, rules(language.id)?));
    TABLES.get(language.id)?.get_or_init(build).as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grammar that renames a kind of node must not silently empty an outline.
    #[test]
    fn every_kind_in_a_table_exists_in_its_grammar() {
        for language in crate::grammar::supported() {
            let rules = rules(language.id).unwrap();
            let grammar = crate::grammar::grammar(language).unwrap();
            let lists = [rules.locals, rules.wrappers, rules.decorators, rules.bodies, rules.inline];
            let kinds = rules
                .rows
                .iter()
                .copied()
                .flatten()
                .map(|row| row.node)
                .chain(lists.into_iter().flatten().copied());
            for kind in kinds {
                assert_ne!(grammar.id_for_node_kind(kind, true), 0, "{}: {kind}", language.id);
            }
        }
    }

    #[test]
    fn a_kind_has_one_row() {
        for language in crate::grammar::supported() {
            let rows: Vec<_> = rules(language.id).unwrap().rows.iter().copied().flatten().collect();
            for (at, row) in rows.iter().enumerate() {
                assert!(rows[at + 1..].iter().all(|other| other.node != row.node), "{}", row.node);
            }
        }
    }
}

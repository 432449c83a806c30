//! From a language to its rules, looked up by the grammar's own numbers.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use orienteer_base::Language;
use orienteer_base::language::LANGUAGES;

use super::rules::{Act, Rules};
use crate::facts::rows::{Mark, Marks};
use crate::fields::Fields;

/// What the walk does on meeting a node.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Entry {
    /// The number of the field that holds the name.
    pub(super) name: u16,
    /// What it means to whoever examines the text.
    pub(super) mark: Mark,
    /// Keywords, signs, names, comments: nothing inside defines anything.
    pub(super) leaf: bool,
    pub(super) act: Option<&'static Act>,
    pub(super) local: bool,
    pub(super) wrapper: bool,
    pub(super) decorator: bool,
    pub(super) body: bool,
    pub(super) inline: bool,
}

/// A language's rules, one entry for each number the grammar gives to a kind of node.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) grammar: tree_sitter::Language,
    pub(crate) fields: Fields,
    /// Whether any kind of child ends a signature.
    pub(super) has_bodies: bool,
    entries: Vec<Entry>,
    /// For each kind of node, whether nobody has anything to do with it and what is inside it: for whoever wants the
    /// outline alone, and for whoever looks at more.
    passed: [Vec<bool>; 2],
    /// For kinds that the grammar does not count, such as errors.
    other: Entry,
}

impl Table {
    pub(super) fn entry(&self, kind: u16) -> &Entry {
        self.entries.get(usize::from(kind)).unwrap_or(&self.other)
    }

    /// The kinds of nodes that a walk may pass over.
    pub(super) fn passed(&self, looks: bool) -> &[bool] {
        &self.passed[usize::from(looks)]
    }

    pub(crate) fn mark(&self, kind: u16) -> &Mark {
        &self.entry(kind).mark
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

fn build(grammar: tree_sitter::Language, rules: &'static Rules, marks: &Marks) -> Table {
    let acts: HashMap<&str, &'static Act> =
        rules.rows.iter().copied().flatten().map(|row| (row.node, &row.act)).collect();
    let mut entries = vec![Entry::default(); grammar.node_kind_count()];
    for (id, entry) in entries.iter_mut().enumerate() {
        let Ok(id) = u16::try_from(id) else { break };
        let Some(kind) = grammar.node_kind_for_id(id) else { continue };
        // A keyword may be spelled like the node it begins.
        if !grammar.node_kind_is_named(id) {
            *entry = Entry { leaf: grammar.node_kind_is_visible(id), ..Entry::default() };
            entry.mark = marks.of_sign(kind);
            continue;
        }
        let act = acts.get(kind).copied();
        let mark = marks.of_kind(kind, &grammar);
        *entry = Entry {
            act,
            name: match act {
                Some(Act::Define(define)) => define.field(&grammar),
                _ => 0,
            },
            mark,
            leaf: mark.is_leaf(),
            local: rules.locals.contains(&kind),
            wrapper: rules.wrappers.contains(&kind),
            decorator: rules.decorators.contains(&kind),
            body: rules.bodies.contains(&kind),
            inline: rules.inline.contains(&kind),
        };
    }
    let fields = Fields::of_grammar(&grammar);
    let idle = |entry: &Entry| entry.leaf && entry.act.is_none() && !entry.local;
    let passed = [
        entries.iter().map(idle).collect(),
        entries.iter().map(|entry| idle(entry) && !entry.mark.is_set()).collect(),
    ];
    Table { grammar, fields, has_bodies: !rules.bodies.is_empty(), entries, passed, other: Entry::default() }
}

/// Built on first use and kept: a grammar is data in the program, so the tables are few and small.
pub(crate) fn table(language: &'static Language) -> Option<&'static Table> {
    static TABLES: LazyLock<HashMap<&'static str, OnceLock<Option<Table>>>> =
        LazyLock::new(|| LANGUAGES.iter().map(|language| (language.id, OnceLock::new())).collect());
    let build = || {
        let grammar = crate::grammar::grammar(language)?;
        Some(build(grammar, rules(language.id)?, &Marks::of(crate::facts::table::rules(language.id))))
    };
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

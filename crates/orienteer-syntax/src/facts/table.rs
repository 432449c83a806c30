//! From a language to the table of its facts.

use super::rows::Rules;

/// Languages without a table of their own have comments and pieces.
pub(crate) fn rules(id: &str) -> &'static Rules {
    match id {
        "bash" => &super::bash::RULES,
        "c" => &super::c::C,
        "cpp" => &super::c::CPP,
        "csharp" => &super::csharp::RULES,
        "go" => &super::go::RULES,
        "java" => &super::java::RULES,
        "javascript" => &super::script::JAVASCRIPT,
        "kotlin" => &super::kotlin::RULES,
        "lua" => &super::lua::RULES,
        "php" => &super::php::RULES,
        "python" => &super::python::RULES,
        "ruby" => &super::ruby::RULES,
        "rust" => &super::rust::RULES,
        "scala" => &super::scala::RULES,
        "swift" => &super::swift::RULES,
        "tsx" => &super::script::TSX,
        "typescript" => &super::script::TYPESCRIPT,
        _ => &Rules::PLAIN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grammar that renames a kind of node must not silently empty a list.
    #[test]
    fn every_kind_sign_and_field_in_a_table_exists_in_its_grammar() {
        for language in crate::grammar::supported() {
            let grammar = crate::grammar::grammar(language).unwrap();
            for row in rules(language.id).rows.iter().copied().flatten() {
                let id = grammar.id_for_node_kind(row.node, !row.is_sign());
                assert_ne!(id, 0, "{}: {}", language.id, row.node);
                if !row.field.is_empty() {
                    let field = grammar.field_id_for_name(row.field);
                    assert!(field.is_some(), "{}: {} {}", language.id, row.node, row.field);
                }
            }
        }
    }

    #[test]
    fn a_kind_has_one_row() {
        for language in crate::grammar::supported() {
            let rows: Vec<_> = rules(language.id).rows.iter().copied().flatten().collect();
            for (at, row) in rows.iter().enumerate() {
                let again = rows[at + 1..]
                    .iter()
                    .any(|other| other.node == row.node && other.is_sign() == row.is_sign());
                assert!(!again, "{}: {}", language.id, row.node);
            }
        }
    }
}

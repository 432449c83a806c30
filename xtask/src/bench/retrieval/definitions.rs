//! What does a tree define, and where?

use std::ops::Range;

use orienteer_base::{Cancel, SymbolKind};
use orienteer_syntax::{Limits, symbols};

use super::corpus::Corpus;
use super::tree::Tree;

/// One definition of a tree.
#[derive(Debug, Clone)]
pub(super) struct Definition {
    /// The file, as an index into the corpus.
    pub(super) file: usize,
    pub(super) name: String,
    pub(super) name_path: String,
    pub(super) kind: SymbolKind,
    pub(super) range: Range<usize>,
    /// The line of its name, from 1.
    pub(super) line: usize,
    pub(super) start_line: usize,
    pub(super) end_line: usize,
    /// Only announced here: a prototype, a signature of an interface.
    pub(super) announced: bool,
    pub(super) in_test: bool,
}

impl Definition {
    pub(super) fn is_function(&self) -> bool {
        matches!(self.kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor)
    }

    /// Something that people look for by name.
    pub(super) fn is_sought(&self) -> bool {
        use SymbolKind as K;
        let kind = match self.kind {
            K::Class | K::Enum | K::Interface | K::Struct | K::Trait | K::Union => true,
            // Not what guards a header, and not the `type Item` of an implementation.
            K::Macro => !self.name.ends_with("_H"),
            K::TypeAlias => !self.name_path.contains('/'),
            _ => false,
        };
        // Not a computed key, not an operator.
        let plain = self.name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
        (kind || self.is_function()) && plain && !self.announced && !self.in_test
    }
}

/// In order of file and place. One list for every file is at the same index in the second.
pub(super) fn all(corpus: &Corpus) -> anyhow::Result<(Vec<Definition>, Vec<Range<usize>>)> {
    let mut all = Vec::new();
    let mut ranges = Vec::new();
    for (number, file) in corpus.files.iter().enumerate() {
        let first = all.len();
        if let Some(language) = file.language {
            let outline = symbols(&file.text, language, &Limits::default(), &Cancel::new())?;
            let starts: Vec<usize> =
                std::iter::once(0).chain(file.text.match_indices('\n').map(|(at, _)| at + 1)).collect();
            let line = |byte: usize| starts.partition_point(|start| *start <= byte);
            let tests = test_path(&file.path);
            let signatures = signatures(&Tree::of(&file.text, language)?);
            for symbol in outline.symbols {
                let text = file.text[symbol.range.clone()].trim_end();
                // A range may end with the line break, which is the line's own.
                let end = symbol.range.start + text.len();
                let name = symbol.name_range.start;
                let announced = signatures.iter().any(|range| range.contains(&name));
                let path = symbol.name_path.to_ascii_lowercase();
                let in_test =
                    tests || path.split('/').any(|part| part == "tests" || part.starts_with("test_"));
                all.push(Definition {
                    file: number,
                    line: line(symbol.name_range.start),
                    start_line: line(symbol.range.start),
                    end_line: line(end.saturating_sub(1)),
                    name: symbol.name,
                    name_path: symbol.name_path,
                    kind: symbol.kind,
                    range: symbol.range,
                    announced,
                    in_test,
                });
            }
        }
        ranges.push(first..all.len());
    }
    Ok((all, ranges))
}

/// Bytes of functions without bodies.
fn signatures(tree: &Tree) -> Vec<Range<usize>> {
    let body = |at| tree.children(at).any(|child| tree.nodes[child].is_body);
    let announces = |at: usize| match &*tree.nodes[at].kind {
        "function_signature_item"
        | "function_signature"
        | "method_signature"
        | "abstract_method_signature" => true,
        "method_declaration" => !body(at),
        "declaration" => tree.children(at).any(|child| {
            let kind = &*tree.nodes[child].kind;
            kind == "function_declarator" || kind == "pointer_declarator"
        }),
        _ => false,
    };
    (0..tree.nodes.len()).filter(|&at| announces(at)).map(|at| tree.nodes[at].range.clone()).collect()
}

/// Systems rank tests low on purpose, so nothing in them is asked for.
fn test_path(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    path.split(['/', '.']).any(|part| {
        ["test", "tests", "testing", "spec"].contains(&part)
            || part.starts_with("test_")
            || part.ends_with("_test")
    })
}

//! Which text documents which function, and the same file without it.
//!
//! Documentation is the comments that stand directly above a function, or the string that begins its body. What
//! is taken out leaves empty lines, so that every line keeps its number.

use std::collections::HashMap;
use std::ops::Range;

use orienteer_base::Language;

use super::tree::Tree;

/// The languages that functions are taken from.
pub(super) const LANGUAGES: [&str; 7] = ["c", "java", "javascript", "python", "rust", "tsx", "typescript"];

/// A function and what documents it.
#[derive(Debug)]
pub(super) struct Documented {
    /// First and last line of the whole definition with decorators and `export`, from 1.
    pub(super) lines: (usize, usize),
    /// It is more than a signature.
    pub(super) has_body: bool,
    /// Bytes to take out, and what takes their place.
    pub(super) parts: Vec<(Range<usize>, &'static str)>,
    /// The documentation without its marks, line by line.
    pub(super) text: String,
}

/// All documented functions of a text.
pub(super) fn find(text: &str, language: &'static Language) -> anyhow::Result<Vec<Documented>> {
    let tree = Tree::of(text, language)?;
    let mut above = HashMap::new();
    for node in &tree.nodes {
        // The grammar of Rust takes the end of the line into a documentation comment.
        let end = node.range.start + text[node.range.clone()].trim_end().len();
        match &*node.kind {
            "comment" | "line_comment" | "block_comment" => above.insert(end, (node.range.start, true)),
            "attribute_item" | "decorator" => above.insert(end, (node.range.start, false)),
            _ => None,
        };
    }
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let line = |byte: usize| starts.partition_point(|start| *start <= byte);
    let mut all = Vec::new();
    for (at, node) in tree.nodes.iter().enumerate() {
        let Some(outer) = function(&tree, at) else { continue };
        let comments = comments(text, &above, tree.nodes[outer].range.start);
        let string = (&*node.kind == "function_definition" && language.id == "python")
            .then(|| docstring(text, &tree, at))
            .flatten();
        let lines = comments.iter().flat_map(|range| bare(&text[range.clone()]));
        let mut lines: Vec<String> = lines.collect();
        let mut parts: Vec<(Range<usize>, &str)> =
            comments.iter().cloned().map(|range| (range, "")).collect();
        if let Some((range, alone)) = string {
            // What a Python function says itself counts, not what stands above it.
            lines = unquoted(&text[range.clone()]);
            parts.push((range, if alone { "pass" } else { "" }));
        }
        if !parts.is_empty() {
            all.push(Documented {
                lines: (
                    line(tree.nodes[outer].range.start),
                    line(tree.nodes[outer].range.end.saturating_sub(1)),
                ),
                has_body: has_body(&tree, at),
                parts,
                text: lines.join("\n"),
            });
        }
    }
    Ok(all)
}

/// The text without the documentation, with as many lines.
pub(super) fn without(text: &str, all: &[Documented]) -> String {
    let mut parts: Vec<&(Range<usize>, &str)> = all.iter().flat_map(|one| &one.parts).collect();
    parts.sort_by_key(|(range, _)| (range.start, range.end));
    let mut left = String::with_capacity(text.len());
    let mut done = 0;
    for (range, instead) in parts {
        // A function inside another may share a comment with it.
        if range.start < done {
            continue;
        }
        left.push_str(&text[done..range.start]);
        if instead.is_empty() {
            left.truncate(left.trim_end_matches([' ', '\t']).len());
        }
        left.push_str(instead);
        left.extend(text[range.clone()].chars().filter(|c| *c == '\n'));
        done = range.end;
    }
    left.push_str(&text[done..]);
    left
}

/// The outermost node of a function with a name, decorators and `export` included.
fn function(tree: &Tree, at: usize) -> Option<usize> {
    let named = match &*tree.nodes[at].kind {
        "function_item"
        | "function_signature_item"
        | "function_definition"
        | "function_declaration"
        | "generator_function_declaration"
        | "function_signature"
        | "method_definition"
        | "method_declaration"
        | "method_signature"
        | "abstract_method_signature"
        | "constructor_declaration" => true,
        "arrow_function" | "function_expression" | "generator_function" => false,
        // A prototype in C.
        "function_declarator" => {
            let mut around =
                tree.ancestors(at).skip_while(|&up| &*tree.nodes[up].kind == "pointer_declarator");
            return around.next().filter(|&up| &*tree.nodes[up].kind == "declaration");
        }
        _ => return None,
    };
    let wraps = |kind: &str| {
        matches!(
            kind,
            "export_statement"
                | "ambient_declaration"
                | "decorated_definition"
                | "variable_declarator"
                | "lexical_declaration"
                | "variable_declaration"
                | "pair"
                | "assignment_expression"
                | "expression_statement"
                | "public_field_definition"
                | "field_definition"
        )
    };
    let outer = tree.ancestors(at).take_while(|&up| wraps(&tree.nodes[up].kind)).last();
    if named { Some(outer.unwrap_or(at)) } else { outer }
}

fn has_body(tree: &Tree, at: usize) -> bool {
    tree.children(at).any(|child| tree.nodes[child].is_body)
}

/// Comments that begin their line and end directly above a place, first to last.
fn comments(text: &str, above: &HashMap<usize, (usize, bool)>, mut place: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    loop {
        let end = text[..place].trim_end().len();
        if text[end..place].matches('\n').count() > 1 {
            break;
        }
        let Some(&(start, comment)) = above.get(&end) else { break };
        let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
        if comment {
            let words = text[start..end].to_ascii_lowercase();
            // A note behind code belongs to that code, and a licence to the file.
            if !text[line..start].trim().is_empty() || words.contains("copyright") || words.contains("spdx") {
                break;
            }
            found.push(start..end);
        }
        place = start;
    }
    found.reverse();
    found
}

/// The string that begins the body of a Python function, and whether there is nothing else in it.
fn docstring(text: &str, tree: &Tree, function: usize) -> Option<(Range<usize>, bool)> {
    let body = tree.children(function).find(|&child| tree.nodes[child].is_body)?;
    let mut statements =
        tree.children(body).filter(|&at| tree.nodes[at].named && &*tree.nodes[at].kind != "comment");
    let first = statements.next()?;
    let string = tree.children(first).next()?;
    let is_string = matches!(&*tree.nodes[string].kind, "string" | "concatenated_string");
    if &*tree.nodes[first].kind != "expression_statement" || !is_string {
        return None;
    }
    let range = tree.nodes[string].range.clone();
    // `"""Text"""; code` keeps its line as it is.
    let rest = text[range.end..].lines().next().unwrap_or_default().trim();
    (rest.is_empty() || rest.starts_with('#')).then(|| (range, statements.next().is_none()))
}

/// A comment's lines without its marks.
fn bare(comment: &str) -> Vec<String> {
    if let Some(block) = comment.strip_prefix("/*") {
        let block = block.trim_end_matches('/').trim_end_matches('*').trim_start_matches(['*', '!', '<']);
        return block.lines().map(|line| line.trim().trim_start_matches('*').trim().to_owned()).collect();
    }
    let line = comment.trim().trim_start_matches(['/', '#', '!', ':', '<']).trim();
    vec![line.to_owned()]
}

/// The lines of a Python string.
fn unquoted(string: &str) -> Vec<String> {
    let inner = string.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let inner = inner.trim_matches(|c| c == '"' || c == '\'');
    inner.replace("\\\n", "\n").lines().map(|line| line.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stripped(word: &str, text: &str) -> (String, Vec<String>) {
        let language = Language::by_word(word).unwrap();
        let found = find(text, language).unwrap();
        let left = without(text, &found);
        assert_eq!(left.lines().count(), text.lines().count(), "{left}");
        assert!(!Tree::of(&left, language).unwrap().has_errors, "{left}");
        (left, found.into_iter().map(|one| one.text).collect())
    }

    #[test]
    fn rust_comments_go_and_attributes_stay() {
        let (left, docs) = stripped(
            "rust",
            "//! The file.\n\n/// Adds one.\n///\n/// More.\n#[inline]\n// Why.\npub fn add(a: u8) -> u8 { a + 1 } // kept\nfn b() {}\n",
        );
        assert_eq!(
            left,
            "//! The file.\n\n\n\n\n#[inline]\n\npub fn add(a: u8) -> u8 { a + 1 } // kept\nfn b() {}\n"
        );
        assert_eq!(docs, ["Adds one.\n\nMore.\nWhy."]);
    }

    #[test]
    fn a_body_that_was_only_documentation_becomes_pass() {
        let (left, docs) = stripped(
            "python",
            "class A:\n    \"\"\"Kept.\"\"\"\n    @property\n    def a(self):\n        \"\"\"First\n        line.\"\"\"\n    def b(self):\n        r'''Other.'''\n        return 1\n",
        );
        assert_eq!(
            left,
            "class A:\n    \"\"\"Kept.\"\"\"\n    @property\n    def a(self):\n        pass\n\n    def b(self):\n\n        return 1\n"
        );
        assert_eq!(docs, ["First\nline.", "Other."]);
    }

    #[test]
    fn functions_bound_to_names_are_functions() {
        let (left, docs) = stripped(
            "typescript",
            "/** One. */\nexport const one = () => 1;\nclass A {\n  /**\n   * Two.\n   * @param b - it\n   */\n  @deco()\n  two(b: number) {}\n}\n/** A value. */\nconst v = 1;\n",
        );
        assert_eq!(
            left,
            "\nexport const one = () => 1;\nclass A {\n\n\n\n\n  @deco()\n  two(b: number) {}\n}\n/** A value. */\nconst v = 1;\n"
        );
        assert_eq!(docs[0].trim(), "One.");
        assert!(docs[1].trim().starts_with("Two.\n@param"), "{docs:?}");
    }

    #[test]
    fn prototypes_lose_theirs_too_and_a_note_behind_code_stays() {
        let (left, docs) = stripped(
            "c",
            "/* Opens it. */\nint open_it(int a);\nint x; /* a note */\nint close_it(void)\n{\n  return 0;\n}\n/* A value. */\nint y;\n",
        );
        assert_eq!(
            left,
            "\nint open_it(int a);\nint x; /* a note */\nint close_it(void)\n{\n  return 0;\n}\n/* A value. */\nint y;\n"
        );
        assert_eq!(docs, ["Opens it."]);
    }

    #[test]
    fn methods_of_java_are_found() {
        let (left, docs) = stripped(
            "java",
            "class A {\n  /**\n   * Sends it.\n   */\n  @Override\n  public void send() {}\n}\n",
        );
        assert_eq!(left, "class A {\n\n\n\n  @Override\n  public void send() {}\n}\n");
        assert_eq!(docs[0].trim(), "Sends it.");
    }
}

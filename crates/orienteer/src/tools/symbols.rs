//! How symbols are sent, shown and paged.

use orienteer_base::Source;
use orienteer_base::code::SymbolRow;
use serde_json::{Map, Value, json};

use super::place::{point, title};
use crate::render::text::visible;
use crate::render::{Kept, Parts, Row};

/// A symbol of the contract without its children. The source is said where it differs from the answer's.
fn header(symbol: SymbolRow, usual: Source) -> Map<String, Value> {
    // Outlines are long: room for all fields at once, and every text is moved, not copied.
    let mut value = Map::with_capacity(12);
    let mut put = |name: &str, entry: Value| value.insert(name.to_owned(), entry);
    put("symbol_id", symbol.symbol_id.into());
    put("name", symbol.name.into());
    put("name_path", symbol.name_path.into());
    put("kind", json!(symbol.kind));
    put("file_path", symbol.file_path.into());
    put("line", symbol.range.start.line.into());
    put("column", symbol.range.start.column.into());
    put("end_line", symbol.end_line.into());
    if let Some(signature) = symbol.signature {
        put("signature", signature.into());
    }
    if let Some(doc) = symbol.doc {
        put("doc", doc.into());
    }
    if symbol.source != usual {
        put("source", json!(symbol.source));
    }
    value
}

/// The same with its children.
fn value(mut symbol: SymbolRow, usual: Source) -> Map<String, Value> {
    let children = std::mem::take(&mut symbol.children);
    let mut value = header(symbol, usual);
    if !children.is_empty() {
        let children = children.into_iter().map(|child| Value::Object(self::value(child, usual)));
        value.insert("children".to_owned(), children.collect());
    }
    value
}

/// `path:line:column  kind Name/path  signature`
pub(super) fn line(symbol: &SymbolRow) -> String {
    let at = point(&symbol.file_path, symbol.range);
    format!("{at}  {}{}", title(Some(symbol.kind), &symbol.name_path), signature(symbol))
}

fn signature(symbol: &SymbolRow) -> String {
    let signature = symbol.signature.as_deref().unwrap_or_default();
    let words: Vec<&str> = signature.split_whitespace().collect();
    if words.is_empty() { String::new() } else { format!("  {}", visible(&words.join(" "))) }
}

/// A child and what is in it: the path is the one above, the name is inside the one above.
fn nested(symbol: &SymbolRow, depth: usize) -> String {
    let margin = "  ".repeat(depth);
    let at = symbol.range.start;
    let mut text = format!(
        "{margin}:{}:{}  {}{}",
        at.line,
        at.column,
        title(Some(symbol.kind), &symbol.name),
        signature(symbol)
    );
    for child in &symbol.children {
        text.push('\n');
        text.push_str(&nested(child, depth + 1));
    }
    text
}

/// A row whose children can be cut apart from it.
pub(super) fn row(mut symbol: SymbolRow, usual: Source) -> Row {
    let line = line(&symbol);
    let children = std::mem::take(&mut symbol.children).into_iter();
    let items: Vec<(Value, String)> = children
        .map(|child| {
            let line = nested(&child, 1);
            (Value::Object(value(child, usual)), line)
        })
        .collect();
    let parts = (!items.is_empty()).then_some(Parts { field: "children", items });
    Row { value: header(symbol, usual), line, parts }
}

/// How many symbols a symbol is, children counted.
pub(super) fn weight(symbol: &SymbolRow) -> usize {
    1 + symbol.children.iter().map(weight).sum::<usize>()
}

/// How many symbols the rows of a page are, and the children of each.
pub(super) struct Weights(Vec<(usize, Vec<usize>)>);

impl Weights {
    pub(super) fn of(rows: &[SymbolRow]) -> Self {
        let weigh = |row: &SymbolRow| (weight(row), row.children.iter().map(weight).collect());
        Self(rows.iter().map(weigh).collect())
    }

    /// How many symbols were kept of the page.
    pub(super) fn kept(&self, kept: Kept) -> usize {
        let whole = if kept.all { self.0.len() } else { kept.rows };
        let whole: usize = self.0.iter().take(whole).map(|(all, _)| all).sum();
        let part = self.0.get(kept.rows).filter(|_| !kept.all && kept.parts > 0);
        whole + part.map_or(0, |(_, children)| 1 + children.iter().take(kept.parts).sum::<usize>())
    }
}

/// The symbols of a page: `skip` of them, in the order of reading and children counted, were shown before, and
/// at most `limit` follow. One whose parent was shown before stands alone; its name path tells where it is.
pub(super) fn page(rows: Vec<SymbolRow>, skip: usize, limit: usize) -> Vec<SymbolRow> {
    let (mut skip, mut limit) = (skip, limit);
    cut(rows, &mut skip, &mut limit)
}

fn cut(rows: Vec<SymbolRow>, skip: &mut usize, limit: &mut usize) -> Vec<SymbolRow> {
    let mut page = Vec::new();
    for mut row in rows {
        if *limit == 0 {
            break;
        }
        let children = std::mem::take(&mut row.children);
        if *skip > 0 {
            *skip -= 1;
            page.extend(cut(children, skip, limit));
        } else {
            *limit -= 1;
            row.children = cut(children, skip, limit);
            page.push(row);
        }
    }
    page
}

#[cfg(test)]
pub(super) mod tests {
    use orienteer_base::SymbolKind;

    use super::super::place::tests::at;
    use super::*;

    pub(in crate::tools) fn symbol(name_path: &str, line: u32, children: Vec<SymbolRow>) -> SymbolRow {
        let name = name_path.rsplit('/').next().unwrap();
        SymbolRow {
            symbol_id: format!("src/a.rs#{name_path}"),
            name: name.to_owned(),
            name_path: name_path.to_owned(),
            kind: if children.is_empty() { SymbolKind::Method } else { SymbolKind::Class },
            file_path: "src/a.rs".to_owned(),
            range: at(line, 1, 3),
            end_line: line + 2,
            signature: Some(format!("def {name}(\n  self)")),
            doc: None,
            children,
            source: Source::Lsp,
        }
    }

    pub(in crate::tools) fn tree() -> Vec<SymbolRow> {
        let inner = symbol("A/B", 3, vec![symbol("A/B/c", 4, Vec::new()), symbol("A/B/d", 5, Vec::new())]);
        let outer = symbol("A", 1, vec![symbol("A/a", 2, Vec::new()), inner]);
        vec![outer, symbol("f", 9, Vec::new())]
    }

    fn names(rows: &[SymbolRow]) -> Vec<String> {
        rows.iter().flat_map(|row| [vec![row.name_path.clone()], names(&row.children)].concat()).collect()
    }

    #[test]
    fn pages_of_any_size_hold_every_symbol_once_and_in_order() {
        let all = names(&tree());
        assert_eq!(all, ["A", "A/a", "A/B", "A/B/c", "A/B/d", "f"]);
        for size in 1..8 {
            let mut seen = Vec::new();
            while seen.len() < all.len() {
                let rows = page(tree(), seen.len(), size);
                assert!(rows.iter().map(weight).sum::<usize>() <= size);
                seen.extend(names(&rows));
            }
            assert_eq!(seen, all, "pages of {size}");
        }
        assert!(page(tree(), 6, 5).is_empty());
    }

    #[test]
    fn what_the_budget_kept_is_counted_in_symbols() {
        let rows = Weights::of(&tree());
        assert_eq!(rows.kept(Kept { all: true, rows: 2, ..Kept::default() }), 6);
        assert_eq!(rows.kept(Kept { rows: 1, ..Kept::default() }), 5);
        assert_eq!(rows.kept(Kept { parts: 1, ..Kept::default() }), 2);
        assert_eq!(rows.kept(Kept::default()), 0);
    }

    #[test]
    fn an_outline_is_indented_with_kinds_and_signatures() {
        let row = row(tree().swap_remove(0), Source::Lsp);
        assert_eq!(row.line, "src/a.rs:1:1  class A  def A( self)");
        let lines: Vec<String> = row.parts.unwrap().items.into_iter().map(|(_, line)| line).collect();
        assert_eq!(
            lines.join("\n"),
            "  :2:1  method a  def a( self)\n  :3:1  class B  def B( self)\n    :4:1  method c  def c( self)\n    \
             :5:1  method d  def d( self)"
        );
    }

    #[test]
    fn a_symbol_has_the_contracts_fields() {
        let names = |usual| value(tree().swap_remove(0), usual).keys().cloned().collect::<Vec<_>>().join(" ");
        let expected = "symbol_id name name_path kind file_path line column end_line signature";
        assert_eq!(names(Source::Lsp), format!("{expected} children"));
        assert_eq!(names(Source::Index), format!("{expected} source children"));
    }
}

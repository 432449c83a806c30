//! PHP: comments, documentation and imports.

use super::Field;
use super::gather::Gather;
use super::rows::{Row, Rules, custom};
use crate::symbols::rules::unquoted;
use crate::symbols::walk::Spot;

const ROWS: &[Row] = &[
    custom("namespace_use_declaration", import),
    custom("require_expression", include),
    custom("require_once_expression", include),
    custom("include_expression", include),
    custom("include_once_expression", include),
];

pub(super) static RULES: Rules =
    Rules { rows: &[ROWS], support: &[Field::Doc, Field::Imports], ..Rules::PLAIN };

/// `use A\B, C\{D, E as F};`
fn import<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let written = gather.written(spot.node).trim_end_matches(';');
    let written = written.strip_prefix("use").unwrap_or(written).trim_start();
    let words = ["function ", "const "];
    let written = words.iter().find_map(|word| written.strip_prefix(word)).unwrap_or(written);
    let original = |item: &'t str| item.split(" as ").next().unwrap_or_default().trim();
    match written.split_once('{') {
        Some((module, group)) => {
            let names = group.trim_end_matches([' ', '}']).split(',').map(original);
            let names = names.filter(|name| !name.is_empty()).map(str::to_owned).collect();
            gather.import(module.trim().trim_end_matches('\\'), names, spot.node);
        }
        None => written.split(',').for_each(|item| gather.import(original(item), Vec::new(), spot.node)),
    }
    false
}

fn include<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    if let Some(path) = spot.node.named_child(0).filter(|path| path.kind().ends_with("string")) {
        gather.import(unquoted(gather.written(path)), Vec::new(), spot.node);
    }
    true
}

//! Scala: comments, documentation and imports.

use super::Field;
use super::gather::Gather;
use super::rows::{Row, Rules, custom};
use crate::symbols::walk::Spot;

const ROWS: &[Row] = &[custom("import_declaration", import)];

pub(super) static RULES: Rules =
    Rules { rows: &[ROWS], support: &[Field::Doc, Field::Imports], ..Rules::PLAIN };

/// `import a.b.C`, `import a.{B, C => D}`, `import a.b._`.
fn import<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let written = gather.written(spot.node).trim();
    let path = written.strip_prefix("import").unwrap_or(written).trim();
    if let Some((module, group)) = path.split_once('{') {
        let names = group.trim_end_matches([' ', '}']).split(',');
        let original = |name: &str| {
            name.split("=>").next().unwrap_or_default().split_whitespace().next().map(str::to_owned)
        };
        gather.import(module.trim().trim_end_matches('.'), names.filter_map(original).collect(), spot.node);
        return false;
    }
    for path in path.split(',').map(str::trim) {
        match path.strip_suffix("._").or_else(|| path.strip_suffix(".*")) {
            Some(module) => gather.import(module, vec!["*".to_owned()], spot.node),
            None => gather.import(path, Vec::new(), spot.node),
        }
    }
    false
}

//! Kotlin: comments, documentation and imports.

use super::Field;
use super::gather::Gather;
use super::rows::{Row, Rules, custom};
use crate::symbols::walk::Spot;

const ROWS: &[Row] = &[custom("import_header", import)];

pub(super) static RULES: Rules =
    Rules { rows: &[ROWS], support: &[Field::Doc, Field::Imports], ..Rules::PLAIN };

fn import<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let written = gather.written(spot.node).trim();
    let path = written.strip_prefix("import").unwrap_or(written).trim();
    let path = path.split(" as ").next().unwrap_or_default().trim_end_matches(';').trim();
    match path.strip_suffix(".*") {
        Some(module) => gather.import(module, vec!["*".to_owned()], spot.node),
        None => gather.import(path, Vec::new(), spot.node),
    }
    false
}

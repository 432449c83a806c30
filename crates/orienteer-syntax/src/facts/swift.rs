//! Swift: comments, documentation and imports.

use super::Field;
use super::gather::Gather;
use super::rows::{Row, Rules, custom};
use crate::symbols::walk::Spot;

const ROWS: &[Row] = &[custom("import_declaration", import)];

pub(super) static RULES: Rules =
    Rules { rows: &[ROWS], support: &[Field::Doc, Field::Imports], ..Rules::PLAIN };

/// `@testable import Module` and `import class Module.Name`: the path is what comes last.
fn import<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let path = gather.written(spot.node).split_whitespace().last().unwrap_or_default();
    gather.import(path, Vec::new(), spot.node);
    false
}

//! Shell scripts: comments, documentation and imports.

use super::Field;
use super::gather::Gather;
use super::rows::{Row, Rules, custom};
use crate::fields::F;
use crate::symbols::rules::unquoted;
use crate::symbols::walk::Spot;

const ROWS: &[Row] = &[custom("command", import)];

pub(super) static RULES: Rules =
    Rules { rows: &[ROWS], support: &[Field::Doc, Field::Imports], ..Rules::PLAIN };

/// `source file` and `. file`.
fn import<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let name = gather.child(spot.node, F::Name).map(|name| gather.written(name));
    if matches!(name, Some("source" | "."))
        && let Some(file) = gather.child(spot.node, F::Argument)
    {
        gather.import(unquoted(gather.written(file)), Vec::new(), spot.node);
    }
    true
}

//! Lua: comments, documentation and imports.

use super::Field;
use super::gather::Gather;
use super::rows::{Row, Rules, custom};
use crate::fields::F;
use crate::symbols::rules::unquoted;
use crate::symbols::walk::Spot;

const ROWS: &[Row] = &[custom("function_call", import)];

pub(super) static RULES: Rules =
    Rules { rows: &[ROWS], support: &[Field::Doc, Field::Imports], ..Rules::PLAIN };

/// `require "a.b"`.
fn import<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let name = gather.child(spot.node, F::Name).map(|name| gather.written(name));
    if matches!(name, Some("require" | "dofile" | "loadfile"))
        && let Some(module) = gather.child(spot.node, F::Arguments).and_then(|list| list.named_child(0))
        && module.kind() == "string"
    {
        gather.import(unquoted(gather.written(module)), Vec::new(), spot.node);
    }
    true
}

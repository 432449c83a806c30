//! Ruby. Accessors are declared by calls.

use orienteer_base::SymbolKind as K;

use super::rules::{Found, Rules, Site, custom, def};
use crate::fields::F;

pub(super) static RULES: Rules = Rules {
    rows: &[&[
        def("module", K::Module),
        def("class", K::Class),
        custom("method", method),
        def("singleton_method", K::Method),
        custom("assignment", assignment),
        custom("call", accessors),
    ]],
    locals: &["block", "do_block", "lambda"],
    ..Rules::EMPTY
};

fn method<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let Some(name) = site.field(F::Name) else { return Vec::new() };
    let inside = site.enclosing.is_some() && !site.local;
    let kind = match site.text_of(name) {
        "initialize" if inside => K::Constructor,
        _ if inside => K::Method,
        _ => K::Function,
    };
    vec![Found::new(kind, name)]
}

fn assignment<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let left = site.field(F::Left).filter(|left| left.kind() == "constant");
    left.map(|left| Found::new(K::Constant, left).value().once()).into_iter().collect()
}

fn accessors<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let called = site.field(F::Method).map(|method| site.text_of(method));
    if !matches!(called, Some("attr_accessor" | "attr_reader" | "attr_writer")) {
        return Vec::new();
    }
    let Some(arguments) = site.field(F::Arguments) else { return Vec::new() };
    let mut cursor = arguments.walk();
    let symbols = arguments.named_children(&mut cursor).filter(|argument| argument.kind() == "simple_symbol");
    let property = |name| {
        let text = site.text_of(name).trim_start_matches(':');
        Found::new(K::Property, name).text(text).value()
    };
    symbols.map(property).collect()
}

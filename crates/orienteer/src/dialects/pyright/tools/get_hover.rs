//! `get_hover`: the type and documentation of the symbol at a position.

use orienteer_base::Problem;
use orienteer_base::ask::HoverQuery;
use serde_json::{Map, Value, json};

use super::super::shapes::{At, payload, vouched};
use crate::dialect::DialectTool;
use crate::tool::Ctx;

pub(crate) struct GetHover;

impl DialectTool for GetHover {
    const NAME: &'static str = "get_hover";
    const TITLE: &'static str = "Hover";
    const DESCRIPTION: &'static str = "Type signature and docstring of the Python symbol at a position.";
    type Args = At;

    async fn run(at: At, ctx: Ctx) -> Result<Map<String, Value>, Problem> {
        let opened = at.open(&ctx).await?;
        let query = HoverQuery { target: at.target(&opened), wait: None };
        let asked = opened.session.hover(query, &ctx.cancel).await;
        let (hover, warnings) = match asked {
            Ok(answer) => vouched(answer)?,
            // Nothing there is an answer here, and no failure.
            Err(problem) if problem.detail == Some("no_symbol_here") => Default::default(),
            Err(problem) => return Err(problem),
        };
        let known = hover.type_info.is_some() || hover.documentation.is_some();
        let symbol = hover.word.filter(|_| known);
        let kind = hover.type_info.map(|info| type_of(&info, symbol.as_deref()));
        Ok(payload(json!({ "symbol": symbol, "type": kind, "documentation": hover.documentation }), warnings))
    }
}

/// The type alone: pyright writes `(function) def add(x: int) -> int`, one parameter a line where there are several, and
/// `(variable) total: float`. What is written in another way stays as it is.
fn type_of(info: &str, symbol: Option<&str>) -> String {
    let info = info.trim();
    let overloaded = info.lines().filter(|line| line.trim_start().starts_with("def ")).count() > 1;
    let Some(symbol) = symbol.filter(|_| !overloaded) else { return info.to_owned() };
    let line = info.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let line = line.replace("( ", "(").replace(" )", ")");
    let bare = line
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(") "))
        .filter(|(kind, _)| kind.chars().all(|c| c.is_ascii_lowercase() || c == ' '))
        .map_or(line.as_str(), |(_, bare)| bare);
    let function = bare.strip_prefix("def ").and_then(|rest| rest.strip_prefix(symbol));
    let variable = bare.strip_prefix(symbol).and_then(|rest| rest.strip_prefix(": "));
    match (function.filter(|rest| rest.starts_with('(')), variable) {
        (Some(rest), _) | (None, Some(rest)) => rest.to_owned(),
        (None, None) => bare.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_told_without_the_names_that_have_them() {
        let of = |info: &str, symbol: &str| type_of(info, Some(symbol));
        assert_eq!(of("(function) def add(x: int, y: int) -> int", "add"), "(x: int, y: int) -> int");
        assert_eq!(
            of("(method) def area(self: Self@Circle) -> float", "area"),
            "(self: Self@Circle) -> float"
        );
        assert_eq!(of("(variable) total: float", "total"), "float");
        assert_eq!(of("(class) Shape", "Shape"), "Shape");
        assert_eq!(of("(module) math", "math"), "math");
        assert_eq!(of("(type) Z = int", "Z"), "Z = int");
        assert_eq!(of("(x: int) -> int", "f"), "(x: int) -> int", "no kind");
        let wrapped = "(function) def add(\n    x: int,\n    y: int\n) -> int";
        assert_eq!(of(wrapped, "add"), "(x: int, y: int) -> int");
        let overloads = "(function)\ndef f(x: int) -> int\ndef f(x: str) -> str";
        assert_eq!(of(overloads, "f"), overloads);
    }
}

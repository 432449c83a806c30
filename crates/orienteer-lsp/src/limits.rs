//! How many symbols and uses does a server list at most, without saying that there are more?

use serde_json::Value;

use crate::definition::Definition;

/// Nothing where there is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Limits {
    symbols: Option<usize>,
    uses: Option<usize>,
}

impl Limits {
    /// Those of a server that is started with these arguments; `flags` is what clangd reads from its environment.
    pub(crate) fn of(
        definition: &Definition,
        args: &[String],
        flags: Option<&str>,
        settings: &Value,
    ) -> Self {
        let (mut symbols, mut uses) = (definition.most_symbols, definition.most_uses);
        if definition.is("clangd") {
            let flags = flags.unwrap_or_default().split_whitespace();
            let words: Vec<&str> = flags.chain(args.iter().map(String::as_str)).collect();
            let unless_none = |given: usize| (given > 0).then_some(given);
            symbols = option(&words, "limit-results").map_or(symbols, unless_none);
            uses = option(&words, "limit-references").map_or(uses, unless_none);
        }
        if definition.is("rust-analyzer") {
            const LIMIT: &str = "/workspace/symbol/search/limit";
            let own = settings.get("rust-analyzer").and_then(|own| own.pointer(LIMIT));
            let given = own.or_else(|| definition.initialization_options.pointer(LIMIT));
            let given = given.and_then(Value::as_u64).and_then(|given| usize::try_from(given).ok());
            symbols = given.or(symbols);
        }
        Self { symbols, uses }
    }

    /// Whether there may be more symbols than the server lists.
    pub(crate) fn cut_symbols(self, listed: usize) -> bool {
        self.symbols.is_some_and(|most| listed >= most)
    }

    /// The same of uses: some are left out after they were counted, such as declarations.
    pub(crate) fn cut_uses(self, listed: usize) -> bool {
        self.uses.is_some_and(|most| listed >= most - most / 10)
    }
}

/// The last number that an option is given, as `--name=5` or `--name 5`, with one dash or two.
fn option(words: &[&str], name: &str) -> Option<usize> {
    words.iter().enumerate().rev().find_map(|(at, word)| {
        let value = word.strip_prefix("--").or_else(|| word.strip_prefix('-'))?.strip_prefix(name)?;
        let value = if value.is_empty() { words.get(at + 1)? } else { value.strip_prefix('=')? };
        value.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalog::built_in;

    fn named(id: &str) -> Definition {
        built_in().unwrap().into_iter().find(|definition| definition.id == id).unwrap()
    }

    #[test]
    fn what_the_user_gives_counts() {
        let clangd = |args: &str, flags: Option<&str>| {
            let args: Vec<String> = args.split_whitespace().map(str::to_owned).collect();
            let Limits { symbols, uses } = Limits::of(&named("clangd"), &args, flags, &Value::Null);
            (symbols, uses)
        };
        let both = (Some(100), Some(1000));
        assert_eq!(clangd("--background-index", None), both);
        assert_eq!(clangd("--limit-references=0", None), (Some(100), None));
        assert_eq!(clangd("--log=error --limit-results=20", None), (Some(20), Some(1000)));
        assert_eq!(clangd("-limit-results 20 --limit-references 50 x", None), (Some(20), Some(50)));
        assert_eq!(clangd("", Some("--limit-results=7 --limit-references=0")), (Some(7), None));
        assert_eq!(clangd("--limit-results=0", Some("--limit-results=7")), (None, Some(1000)));
        assert_eq!(clangd("--limit-results --limit-resultsx=7 --limit-references=many", None), both);

        let rust = |options: Value, settings: Value| {
            let mut definition = named("rust-analyzer");
            definition.initialization_options = options;
            Limits::of(&definition, &[], Some("--limit-results=7"), &settings).symbols
        };
        let limit = |limit: u64| json!({ "workspace": { "symbol": { "search": { "limit": limit } } } });
        assert_eq!(rust(json!({}), json!({})), Some(1024));
        assert_eq!(rust(limit(128), json!({})), Some(128));
        assert_eq!(rust(limit(128), json!({ "rust-analyzer": limit(64) })), Some(64));
        assert_eq!(Limits::of(&named("gopls"), &[], None, &Value::Null).symbols, Some(100));
    }

    #[test]
    fn full_lists_may_be_cut() {
        let limits = Limits { symbols: Some(100), uses: Some(1000) };
        assert!(limits.cut_symbols(100) && !limits.cut_symbols(99));
        assert!(limits.cut_uses(999) && !limits.cut_uses(899));
        let of_some = Limits { symbols: Some(0), uses: None };
        assert!(of_some.cut_symbols(0) && !of_some.cut_uses(5000));
    }
}

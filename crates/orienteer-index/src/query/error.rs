//! What can be wrong with a query, and what should the reader do about it?

use orienteer_base::{ErrorKind, Problem};

/// Why a query cannot be answered. Every message names the value, what is legal, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    #[error(
        "the query is empty; write some words, a \"phrase\", a /regex/, or a filter such as kind:function"
    )]
    Empty,
    #[error(
        "the query only says what to leave out ({excluded}); add a word or a filter that says what to look for"
    )]
    OnlyExclusions { excluded: String },
    #[error("the query has {bytes} bytes, and at most {most} are read; shorten it")]
    TooLong { bytes: usize, most: usize },
    #[error("the query has more than {most} {what}, and all of them would have to hold; name fewer")]
    TooMany { what: &'static str, most: usize },
    #[error(
        "`{phrase}` has {bytes} bytes, and at most {most} are compared as they are written; take a shorter part of it"
    )]
    LongPhrase { phrase: String, bytes: usize, most: usize },
    #[error("`{name}` is no filter{}; the filters are {}", meant(.nearest), .legal.join(", "))]
    UnknownFilter { name: String, nearest: Vec<String>, legal: Vec<String> },
    #[error(
        "`{written}` looks like the filter `{nearest}`, misspelt; write `{nearest}:{value}`, or put it in double \
         quotes to look for the text itself"
    )]
    Misspelt { written: String, nearest: &'static str, value: String },
    #[error("`{value}` is no value for `{filter}`{}; {advice}", meant(.nearest))]
    BadValue {
        filter: &'static str,
        value: String,
        nearest: Vec<String>,
        /// Empty where values are not a list.
        legal: Vec<String>,
        advice: String,
    },
    #[error("`{filter}` cannot hold {found}; {advice}")]
    WrongShape { filter: &'static str, found: &'static str, advice: String },
    #[error(
        "filters are an object of names and values, not {found}; write for example {{\"lang\": \"rust\"}}"
    )]
    NotAnObject { found: &'static str },
    #[error("`{written}` cannot be turned around; {advice}")]
    NoOpposite { filter: &'static str, written: String, advice: String },
    #[error("`{filter}` has more than {most} values; name fewer, or use * for any letters")]
    TooManyValues { filter: &'static str, most: usize },
    #[error(
        "`/{pattern}/` is not a valid expression: {reason}; to look for the text itself, put it in double quotes"
    )]
    BadExpression { field: &'static str, pattern: String, reason: String },
    #[error("the quote after `{filter}:` is not closed; write {filter}:\"…\"")]
    Unclosed { filter: &'static str },
    #[error("`{filter}` asks for {first} and for {second}, and nothing is both; keep one of them")]
    Contradiction { filter: &'static str, first: String, second: String },
}

fn meant(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        words => format!(" (did you mean {}?)", words.join(" or ")),
    }
}

impl QueryError {
    /// A fixed word for clients to branch on.
    pub fn detail(&self) -> &'static str {
        match self {
            Self::Empty => "empty_query",
            Self::OnlyExclusions { .. } => "only_exclusions",
            Self::TooLong { .. } | Self::TooMany { .. } | Self::LongPhrase { .. } => "query_too_long",
            Self::UnknownFilter { .. } | Self::Misspelt { .. } => "unknown_filter",
            Self::BadValue { .. }
            | Self::WrongShape { .. }
            | Self::NotAnObject { .. }
            | Self::TooManyValues { .. }
            | Self::NoOpposite { .. } => "invalid_filter",
            Self::BadExpression { .. } => "invalid_regex",
            Self::Unclosed { .. } => "unclosed_quote",
            Self::Contradiction { .. } => "contradiction",
        }
    }

    /// The filter to blame, where one is.
    pub fn filter(&self) -> Option<&'static str> {
        match self {
            Self::BadValue { filter, .. }
            | Self::WrongShape { filter, .. }
            | Self::NoOpposite { filter, .. }
            | Self::TooManyValues { filter, .. }
            | Self::Unclosed { filter }
            | Self::Contradiction { filter, .. } => Some(filter),
            Self::BadExpression { field, .. } if *field != "query" => Some(field),
            _ => None,
        }
    }

    /// Legal values, the nearest first.
    pub fn candidates(&self) -> Vec<String> {
        match self {
            Self::UnknownFilter { nearest, legal, .. } | Self::BadValue { nearest, legal, .. } => {
                let rest = legal.iter().filter(|word| !nearest.contains(word));
                nearest.iter().chain(rest).cloned().collect()
            }
            Self::Misspelt { nearest, .. } => vec![(*nearest).to_owned()],
            _ => Vec::new(),
        }
    }
}

impl From<QueryError> for Problem {
    fn from(error: QueryError) -> Self {
        let problem = Self::new(ErrorKind::InvalidParams, error.to_string())
            .field(error.filter().unwrap_or("query"))
            .detail(error.detail());
        problem.candidates(error.candidates())
    }
}

/// A value as errors show it: a megabyte in a message helps nobody.
pub(super) fn shown(value: &str) -> String {
    match value.char_indices().nth(100) {
        Some((at, _)) => format!("{}…", &value[..at]),
        None => value.to_owned(),
    }
}

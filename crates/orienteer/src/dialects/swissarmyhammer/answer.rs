//! May an answer be given, or is the server not there yet?
//!
//! The contract has no word for a part of an answer. What a server said before it knew the project is its error; what
//! only falls short in another way goes out with `warnings`.

use orienteer_base::answer::Warning;
use orienteer_base::{Answer, Completeness, ErrorKind, Problem, Reason, Source};
use serde_json::{Map, Value, json};

/// The value and what is worth knowing about it, or the error that a cold server is.
pub(super) fn whole<T>(answer: Answer<T>) -> Result<(T, Vec<String>), Problem> {
    let told = answer.warnings.iter().filter(|warning| is_told(warning));
    let warnings: Vec<String> = told.map(|warning| warning.message.clone()).collect();
    if answer.source != Source::Lsp {
        let message = "no language server answered, and nothing else may";
        return Err(Problem::new(ErrorKind::ServerUnavailable, message));
    }
    match answer.completeness {
        Completeness::Partial {
            reason: Reason::ServerIndexing | Reason::ServerStarting | Reason::NotIndexed | Reason::Timeout,
            retry_after_ms,
        } => Err(cold(warnings, retry_after_ms)),
        Completeness::Partial {
            reason: Reason::ServerUnavailable | Reason::ServerCrashed | Reason::Heuristic,
            ..
        } => Err(Problem::new(ErrorKind::ServerUnavailable, warnings.join("; "))),
        Completeness::Partial { reason, .. } if warnings.is_empty() => {
            Ok((answer.value, vec![format!("the answer is not complete: {}", word(reason))]))
        }
        _ => Ok((answer.value, warnings)),
    }
}

/// Whether the contract has a place for it. What is not run for want of trust is said where it matters to an answer; a notice
/// beside a whole one is none.
pub(super) fn is_told(warning: &Warning) -> bool {
    warning.kind != "restricted"
}

/// The server has not spoken about all of it.
pub(super) fn cold(warnings: Vec<String>, retry_after_ms: Option<u64>) -> Problem {
    let said = if warnings.is_empty() {
        "the language server has not finished with the file".to_owned()
    } else {
        warnings.join("; ")
    };
    let problem = Problem::new(ErrorKind::NotReady, said);
    match retry_after_ms {
        Some(wait) => problem.retry_after_ms(wait),
        None => problem,
    }
}

fn word(reason: Reason) -> String {
    json!(reason).as_str().unwrap_or_default().replace('_', " ")
}

/// A payload of these fields, with the warnings there are.
pub(super) fn payload<const N: usize>(
    fields: [(&str, Value); N],
    warnings: Vec<String>,
) -> Map<String, Value> {
    let mut payload: Map<String, Value> =
        fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    if !warnings.is_empty() {
        payload.insert("warnings".to_owned(), json!(warnings));
    }
    payload
}

#[cfg(test)]
mod tests {
    use super::*;
    use orienteer_base::answer::Warning;

    fn answer(completeness: Completeness, source: Source) -> Answer<u32> {
        Answer::new(7, completeness, source).warn(Warning::new("x", "it is loading"))
    }

    #[test]
    fn a_cold_or_missing_server_is_never_an_answer() {
        for reason in [Reason::ServerIndexing, Reason::ServerStarting, Reason::NotIndexed, Reason::Timeout] {
            let partial = Completeness::Partial { reason, retry_after_ms: Some(3_000) };
            let problem = whole(answer(partial, Source::Lsp)).unwrap_err();
            assert_eq!((problem.kind, problem.retry_after_ms), (ErrorKind::NotReady, Some(3_000)));
            assert_eq!(problem.message, "it is loading");
        }
        for reason in [Reason::ServerUnavailable, Reason::ServerCrashed, Reason::Heuristic] {
            let problem = whole(answer(Completeness::partial(reason), Source::Lsp)).unwrap_err();
            assert_eq!(problem.kind, ErrorKind::ServerUnavailable);
        }
        for source in [Source::Text, Source::Index] {
            assert!(whole(answer(Completeness::Complete, source)).is_err(), "nobody guesses");
        }
    }

    #[test]
    fn what_falls_short_otherwise_says_so() {
        let (value, warnings) =
            whole(answer(Completeness::partial(Reason::ServerDegraded), Source::Lsp)).unwrap();
        assert_eq!((value, warnings), (7, vec!["it is loading".to_owned()]));
        let silent = Answer::new(7, Completeness::partial(Reason::Capped), Source::Lsp);
        assert_eq!(whole(silent).unwrap().1, ["the answer is not complete: capped"]);
    }
}

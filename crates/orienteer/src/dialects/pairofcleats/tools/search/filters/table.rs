//! Every filter once: what it is in our words, and how our words are said to the client.

use orienteer_base::{Fact, Problem};

/// What becomes of a filter.
pub(super) enum Means {
    /// One of ours by this name.
    Is(&'static str),
    /// A tag of risk in this role.
    Role(&'static str),
    /// `source->sink`, or the tag of a sink.
    Flow,
    /// So many days.
    Days,
    /// Decides how others are compared.
    Case,
    /// JSON in a text.
    MetaJson,
    /// Decided hit by hit; see `written_by`.
    Lines,
    /// Types as they are declared, which is a part of what could be inferred.
    Declared,
    /// Nothing that is indexed could answer it.
    Unknown { instead: &'static str },
}

use Means::{Case, Days, Declared, Flow, Is, Lines, MetaJson, Role, Unknown};

/// Every filter, in our words.
pub(super) const TABLE: &[(&str, Means)] = &[
    ("type", Is("kind")),
    ("author", Is("author")),
    ("chunkAuthor", Lines),
    ("import", Is("import")),
    ("calls", Is("calls")),
    ("uses", Is("uses")),
    ("signature", Is("signature")),
    ("param", Is("parameter")),
    ("decorator", Is("decorator")),
    ("inferredType", Declared),
    ("returnType", Is("return_type")),
    ("throws", Is("throws")),
    ("awaits", Unknown { instead: "`calls` together with `async` comes near" }),
    ("reads", Is("reads")),
    ("writes", Is("writes")),
    ("mutates", Unknown { instead: "`writes` knows what is assigned" }),
    ("alias", Unknown { instead: "look for the name in `query`" }),
    ("extends", Is("extends")),
    ("visibility", Is("visibility")),
    ("async", Is("is_async")),
    ("generator", Is("is_generator")),
    ("returns", Unknown { instead: "`returnType` knows what is declared" }),
    ("branchesMin", Is("branches_min")),
    ("loopsMin", Is("loops_min")),
    ("breaksMin", Unknown { instead: "`loopsMin` and `branchesMin` are counted" }),
    ("continuesMin", Unknown { instead: "`loopsMin` and `branchesMin` are counted" }),
    ("churnMin", Is("churn_min")),
    ("risk", Is("risk")),
    ("riskTag", Is("risk")),
    ("riskSource", Role("source")),
    ("riskSink", Role("sink")),
    ("riskCategory", Is("risk")),
    ("riskFlow", Flow),
    ("modifiedAfter", Is("modified_after")),
    ("modifiedSince", Days),
    ("path", Is("path")),
    ("file", Is("file")),
    ("ext", Is("ext")),
    ("lang", Is("lang")),
    ("branch", Is("branch")),
    ("case", Case),
    ("caseFile", Case),
    ("caseTokens", Case),
    ("lint", Is("lint")),
    ("meta", Is("meta")),
    ("metaJson", MetaJson),
];

/// What a filter is called by us, where it is one of ours.
fn ours(means: &Means) -> Option<&'static str> {
    match means {
        Is(ours) => Some(ours),
        Declared => Some(DECLARED),
        _ => None,
    }
}

pub(super) const DECLARED: &str = "declared_type";

/// Our names of filters replaced by the client's, where they differ.
pub(in super::super) fn spoken(problem: &mut Problem) {
    problem.message = in_their_words(&problem.message);
    for (_, fact) in problem.facts.iter_mut().filter(|(name, _)| *name == "filters") {
        if let Fact::List(names) = fact {
            names.iter_mut().for_each(|name| {
                if let Some((theirs, _)) = TABLE.iter().find(|(_, means)| ours(means) == Some(name.as_str()))
                {
                    (*theirs).clone_into(name);
                }
            });
        }
    }
}

pub(in super::super) fn in_their_words(message: &str) -> String {
    let mut said = message.to_owned();
    for (theirs, means) in TABLE {
        // A word that is also one of theirs means that one.
        if let Some(ours) = ours(means)
            && !TABLE.iter().any(|(theirs, _)| *theirs == ours)
        {
            said = said.replace(&format!("`{ours}`"), &format!("`{theirs}`"));
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_call_filters_as_the_client_does() {
        let said = in_their_words(
            "`parameter` is not known for bash; `is_async` and `declared_type` neither, `calls` and `risk` are",
        );
        assert_eq!(
            said,
            "`param` is not known for bash; `async` and `inferredType` neither, `calls` and `risk` are"
        );
    }
}

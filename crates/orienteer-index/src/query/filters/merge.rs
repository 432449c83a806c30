//! What follows when the query box and structured filters both say something?

use super::{Filters, Presence, Span, Wanted};
use crate::query::error::QueryError;
use crate::query::pattern::Pattern;
use crate::query::value::visibility_word;

impl Filters {
    /// Both must hold. What cannot hold together is an error, because an empty answer would look like a fact.
    pub fn merged(mut self, other: Self) -> Result<Self, QueryError> {
        for (name, wanted) in other.texts {
            self.texts.entry(name).or_default().append(wanted);
        }
        self.lang.append(other.lang);
        self.kind.append(other.kind);
        self.visibility.append(other.visibility);
        self.risk.append(other.risk);
        self.meta.append(other.meta);
        for (name, mine, theirs) in [
            ("is_async", &mut self.is_async, other.is_async),
            ("is_generator", &mut self.is_generator, other.is_generator),
            ("has_doc", &mut self.has_doc, other.has_doc),
        ] {
            *mine = one(name, *mine, theirs, |flag| flag.to_string())?;
        }
        let errors = |errors: bool| if errors { "errors" } else { "clean" }.to_owned();
        self.errors = one("lint", self.errors, other.errors, errors)?;
        for (name, mine, theirs) in [
            ("test", &mut self.test, other.test),
            ("generated", &mut self.generated, other.generated),
            ("vendored", &mut self.vendored, other.vendored),
        ] {
            *mine = presence(name, *mine, theirs)?;
        }
        self.churn.narrow(other.churn);
        self.branches.narrow(other.branches);
        self.loops.narrow(other.loops);
        self.modified_after = self.modified_after.max(other.modified_after);
        self.case |= other.case;
        Ok(self)
    }

    /// Looks for what cannot hold together, and makes texts ready.
    pub(in crate::query) fn settled(mut self) -> Result<Self, QueryError> {
        exclusive("lang", &self.lang, |language| language.id.to_owned())?;
        exclusive("kind", &self.kind, |kind| kind.as_str().to_owned())?;
        exclusive("visibility", &self.visibility, |visibility| visibility_word(*visibility).to_owned())?;
        for (filter, span) in
            [("churn_min", self.churn), ("branches_min", self.branches), ("loops_min", self.loops)]
        {
            if let Span { least: Some(least), most: Some(most) } = span
                && least > most
            {
                let (first, second) = (format!("at least {least}"), format!("at most {most}"));
                return Err(QueryError::Contradiction { filter, first, second });
            }
        }
        if self.case {
            self.texts.values_mut().flat_map(Wanted::iter_mut).for_each(Pattern::sensitive);
        }
        Ok(self)
    }
}

fn one<T: PartialEq + Copy>(
    filter: &'static str,
    mine: Option<T>,
    theirs: Option<T>,
    word: impl Fn(T) -> String,
) -> Result<Option<T>, QueryError> {
    match (mine, theirs) {
        (Some(first), Some(second)) if first != second => {
            Err(QueryError::Contradiction { filter, first: word(first), second: word(second) })
        }
        _ => Ok(mine.or(theirs)),
    }
}

fn presence(
    filter: &'static str,
    mine: Option<Presence>,
    theirs: Option<Presence>,
) -> Result<Option<Presence>, QueryError> {
    match (mine, theirs) {
        // "As others do" gives way to either.
        (Some(Presence::Include), Some(other)) | (Some(other), Some(Presence::Include)) => Ok(Some(other)),
        _ => one(filter, mine, theirs, |presence| presence.word().to_owned()),
    }
}

/// A piece has one value of this sort, so two groups must share one, and one that is wanted must not be ruled out.
fn exclusive<T: PartialEq>(
    filter: &'static str,
    wanted: &Wanted<T>,
    word: impl Fn(&T) -> String,
) -> Result<(), QueryError> {
    let mut left: Option<Vec<&T>> = None;
    for group in &wanted.groups {
        let next: Vec<&T> =
            group.iter().filter(|value| left.as_ref().is_none_or(|left| left.contains(value))).collect();
        if let (true, Some(before)) = (next.is_empty(), &left) {
            let first = before.iter().map(|value| word(value)).collect::<Vec<_>>().join(" or ");
            let second = group.iter().map(&word).collect::<Vec<_>>().join(" or ");
            return Err(QueryError::Contradiction { filter, first, second });
        }
        left = Some(next);
    }
    if let Some(left) = left
        && !left.is_empty()
        && left.iter().all(|value| wanted.none.contains(value))
    {
        let first = left.iter().map(|value| word(value)).collect::<Vec<_>>().join(" or ");
        let second = format!("not {}", wanted.none.iter().map(&word).collect::<Vec<_>>().join(" or "));
        return Err(QueryError::Contradiction { filter, first, second });
    }
    Ok(())
}

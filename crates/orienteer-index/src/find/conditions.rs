//! Which conditions of the store are the filters of a question?

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use orienteer_base::SymbolKind;

use crate::query::table::{ROWS, Shape};
use crate::query::{Filters, Kind, Manner, Meta, Name, Pattern, Presence, Risk, Span, Wanted};
use crate::store::{Condition, FileFlags, NameTest, NamesLike, Relation};

/// Filters over texts that are facts about code, and the relations that hold them.
const FACTS: &[(Name, &[Relation])] = &[
    (Name::Import, &[Relation::Imports, Relation::ImportedName]),
    (Name::Export, &[Relation::Exports]),
    (Name::Calls, &[Relation::Calls]),
    (Name::Uses, &[Relation::Uses]),
    (Name::Parameter, &[Relation::Parameter, Relation::ParameterType]),
    (Name::Decorator, &[Relation::Decorator]),
    (Name::ReturnType, &[Relation::Returns]),
    (Name::DeclaredType, &[Relation::ParameterType, Relation::Returns]),
    (Name::Throws, &[Relation::Throws]),
    (Name::Reads, &[Relation::Reads]),
    (Name::Writes, &[Relation::Writes]),
    (Name::Extends, &[Relation::Extends]),
];

/// The conditions that the store can decide alone.
pub(super) fn conditions(filters: &Filters) -> Vec<Condition> {
    let mut all = Vec::new();
    wanted(
        &filters.lang,
        |languages| Condition::Languages(languages.iter().map(|one| **one).collect()),
        &mut all,
    );
    kinds(&filters.kind, &mut all);
    wanted(
        &filters.visibility,
        |some| Condition::Visibility(some.iter().map(|one| **one).collect()),
        &mut all,
    );
    wanted(&filters.risk, |some| Condition::Any(some.iter().map(|one| risk(one)).collect()), &mut all);
    wanted(&filters.meta, |some| Condition::Any(some.iter().map(|one| meta(one)).collect()), &mut all);
    for (name, relations) in FACTS {
        if let Some(patterns) = filters.text(*name) {
            let manner = manner(*name);
            let any = |some: &[&Pattern]| {
                let facts = some.iter().flat_map(|pattern| {
                    relations.iter().map(|relation| Condition::Fact(*relation, names(pattern, manner)))
                });
                Condition::Any(facts.collect())
            };
            wanted(patterns, any, &mut all);
        }
    }
    let flags = [
        filters.is_async.map(Condition::Async),
        filters.is_generator.map(Condition::Generator),
        filters.has_doc.map(Condition::Documented),
        filters.errors.map(|errors| flag(FileFlags::HAS_ERRORS, errors)),
    ];
    all.extend(flags.into_iter().flatten());
    for (span, make) in [
        (filters.branches, Condition::Branches as fn(u32, u32) -> Condition),
        (filters.loops, Condition::Loops),
    ] {
        if !span.is_empty() {
            let (least, most) = bounds(span);
            all.push(make(least, most));
        }
    }
    presence(filters.test, &[FileFlags::TEST], &mut all);
    presence(filters.generated, &[FileFlags::GENERATED, FileFlags::MINIFIED], &mut all);
    presence(filters.vendored, &[FileFlags::VENDORED], &mut all);
    all
}

/// Whether any filter is about definitions alone: then what stands between them is no answer. Calls and their like
/// may stand there, too.
pub(super) fn is_about_symbols(filters: &Filters) -> bool {
    filters.text(Name::Symbol).is_some()
        || filters.text(Name::Signature).is_some()
        || !filters.visibility.is_empty()
        || filters.is_async.is_some()
        || filters.is_generator.is_some()
        || filters.has_doc.is_some()
        || !filters.branches.is_empty()
        || !filters.loops.is_empty()
        || filters.kind.groups.iter().any(|group| group.iter().all(|kind| symbol_kind(*kind).is_some()))
}

/// Nanoseconds since 1970.
pub(super) fn nanoseconds(moment: SystemTime) -> i64 {
    match moment.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => {
            i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |nanoseconds| -nanoseconds)
        }
    }
}

/// The kind of symbol that a kind is; prose under a heading belongs to the heading.
pub(super) fn symbol_kind(kind: Kind) -> Option<SymbolKind> {
    match kind {
        Kind::Symbol(kind) => Some(kind),
        Kind::Section => Some(SymbolKind::Heading),
        Kind::Comment | Kind::Config | Kind::Text | Kind::Record => None,
    }
}

/// One of each group, and none of the others.
fn wanted<T>(values: &Wanted<T>, any: impl Fn(&[&T]) -> Condition, all: &mut Vec<Condition>) {
    for group in &values.groups {
        all.push(any(&group.iter().collect::<Vec<_>>()));
    }
    if !values.none.is_empty() {
        all.push(Condition::Not(Box::new(any(&values.none.iter().collect::<Vec<_>>()))));
    }
}

/// Groups that hold other kinds than those of symbols are decided answer by answer.
fn kinds(kinds: &Wanted<Kind>, all: &mut Vec<Condition>) {
    for group in &kinds.groups {
        let symbols: Vec<SymbolKind> = group.iter().filter_map(|kind| symbol_kind(*kind)).collect();
        if symbols.len() == group.len() {
            all.push(Condition::Kinds(symbols));
        }
    }
    let none: Vec<SymbolKind> = kinds.none.iter().filter_map(|kind| symbol_kind(*kind)).collect();
    if !none.is_empty() {
        all.push(Condition::Not(Box::new(Condition::Kinds(none))));
    }
}

fn risk(risk: &Risk) -> Condition {
    let wanted: Arc<str> = match risk {
        Risk::Role(role) => role.as_str().into(),
        Risk::Tag(tag) => tag.as_str().into(),
    };
    fact(Relation::Risk, move |name| name == &*wanted)
}

fn meta(meta: &Meta) -> Condition {
    let meta = meta.clone();
    fact(Relation::Meta, move |pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        key.eq_ignore_ascii_case(&meta.key)
            && meta.value.as_ref().is_none_or(|wanted| value.to_lowercase() == wanted.to_lowercase())
    })
}

fn fact(relation: Relation, test: impl Fn(&str) -> bool + Send + Sync + 'static) -> Condition {
    Condition::Fact(relation, NamesLike::Test { last: None, test: NameTest::new(test) })
}

fn names(pattern: &Pattern, manner: Option<Manner>) -> NamesLike {
    // Only where a name is compared by its end does every match end in the same part.
    let last = pattern.literal().filter(|last| {
        manner == Some(Manner::Last) && last.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
    });
    let pattern = pattern.clone();
    NamesLike::Test { last, test: NameTest::new(move |name| pattern.matches(name)) }
}

fn manner(name: Name) -> Option<Manner> {
    ROWS.iter().find(|row| row.name == name).and_then(|row| match row.shape {
        Shape::Text(manner) => Some(manner),
        _ => None,
    })
}

fn flag(flags: FileFlags, wanted: bool) -> Condition {
    let has = Condition::Flags(flags);
    if wanted { has } else { Condition::Not(Box::new(has)) }
}

fn presence(presence: Option<Presence>, flags: &[FileFlags], all: &mut Vec<Condition>) {
    let any = || Condition::Any(flags.iter().map(|flag| Condition::Flags(*flag)).collect());
    match presence {
        None | Some(Presence::Include) => {}
        Some(Presence::Exclude) => all.push(Condition::Not(Box::new(any()))),
        Some(Presence::Only) => all.push(any()),
    }
}

fn bounds(span: Span) -> (u32, u32) {
    let number = |bound: Option<u64>, without: u32| {
        bound.map_or(without, |bound| u32::try_from(bound).unwrap_or(u32::MAX))
    };
    (number(span.least, 0), number(span.most, u32::MAX))
}

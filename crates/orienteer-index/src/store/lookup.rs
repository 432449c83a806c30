//! Which symbols are called like this?

use orienteer_base::{Cancel, SymbolKind};
use rusqlite::Connection;

use super::bits::Bits;
use super::error::StoreError;
use super::fault::Fault;
use super::plan::{Condition, Passing, Plan};
use super::posting::Postings;
use super::read::Reader;
use super::relation::BETWEEN;
use super::row::{Symbol, SymbolId};
use super::terms::{Space, fold, name_of_term, name_prefix};

/// How near a name must be, loosest last. A looser way includes the stricter ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NameMatch {
    /// The same letters and case.
    Exact,
    /// The same letters.
    IgnoringCase,
    Prefix,
    /// The beginnings of its words: `hsc` for `HttpServerConfig`.
    Acronym,
    /// Anywhere inside.
    Contains,
    /// All letters in order, or nearly the same letters.
    Fuzzy,
}

/// A question by name.
#[derive(Debug, Clone)]
pub struct SymbolLookup {
    /// A name, or a path of names with `/`, `::` or `.` between: all but the last must be containers, in order.
    pub name: String,
    pub loosest: NameMatch,
    /// Empty for any.
    pub kinds: Vec<SymbolKind>,
    pub plan: Plan,
    pub limit: usize,
}

impl Default for SymbolLookup {
    fn default() -> Self {
        Self {
            name: String::new(),
            loosest: NameMatch::Fuzzy,
            kinds: Vec::new(),
            plan: Plan::default(),
            limit: 50,
        }
    }
}

/// A symbol that was found by its name.
#[derive(Debug, Clone, PartialEq)]
pub struct SymbolHit {
    pub symbol: Symbol,
    pub how: NameMatch,
    /// From 0 to 1: how much of the name was asked for.
    pub closeness: f64,
}

/// Symbols that are read to compare their letters or containers.
const MOST_READ: usize = 512;
/// With so many that are nearer, letters in order are not tried.
const ENOUGH: usize = 5;

/// From strict to loose; the strictest two share their terms.
const WAYS: [NameMatch; 5] =
    [NameMatch::IgnoringCase, NameMatch::Prefix, NameMatch::Acronym, NameMatch::Contains, NameMatch::Fuzzy];

/// A symbol that may be it.
#[derive(Debug, Clone, Copy)]
struct Nominee {
    number: u32,
    closeness: f64,
    /// It stands right inside of the last container asked for.
    inside: bool,
}

/// Whom names are gathered for.
struct Looked<'l> {
    wanted: &'l Wanted<'l>,
    how: NameMatch,
    /// Those that have the letters in order, while names are gone through for a stricter way: most of the time goes into
    /// reading them. Only where that way finds too few are these of use.
    fuzzy: Option<Vec<Nominee>>,
}

impl Reader<'_> {
    /// Symbols by name, nearest first; ties by path, then by place. Loose ways are tried when strict ones have not found
    /// enough.
    pub fn symbols(&self, ask: &SymbolLookup, cancel: &Cancel) -> Result<Vec<SymbolHit>, StoreError> {
        self.ask(|connection| self.look_up(connection, ask, cancel))
    }

    fn look_up(
        &self,
        connection: &Connection,
        ask: &SymbolLookup,
        cancel: &Cancel,
    ) -> Result<Vec<SymbolHit>, Fault> {
        let (containers, name) = split(&ask.name);
        if name.is_empty() || ask.limit == 0 {
            return Ok(Vec::new());
        }
        let mut plan = ask.plan.clone();
        if !ask.kinds.is_empty() {
            plan.conditions.push(Condition::Kinds(ask.kinds.clone()));
        }
        let passing = self.passing(connection, &plan, cancel)?;
        let wanted = Wanted { name, folded: fold(name), containers, passing, limit: ask.limit };
        let mut seen = Bits::new(self.snapshot.next.symbol);
        let mut found = Vec::new();
        let mut fuzzy = None;
        for how in WAYS {
            let too_loose = how > ask.loosest && how != NameMatch::IgnoringCase;
            let enough = if how == NameMatch::Fuzzy { ENOUGH.min(ask.limit) } else { ask.limit };
            if too_loose || found.len() >= enough {
                break;
            }
            cancel.check()?;
            let mut nominees = match fuzzy.take() {
                Some(nominees) if how == NameMatch::Fuzzy => nominees,
                _ => {
                    let few = found.len() < ENOUGH.min(ask.limit);
                    let both = how == NameMatch::Contains && ask.loosest >= NameMatch::Fuzzy && few;
                    let mut looked = Looked { wanted: &wanted, how, fuzzy: both.then(Vec::new) };
                    let nominees = self.nominees(connection, &mut looked, cancel)?;
                    fuzzy = looked.fuzzy;
                    nominees
                }
            };
            // Each once over all ways.
            nominees.retain(|nominee| {
                let is_new = !seen.has(nominee.number);
                seen.insert(nominee.number);
                is_new
            });
            self.read_nominees(connection, &wanted, how, nominees, &mut found, cancel)?;
        }
        found.retain(|hit| hit.how <= ask.loosest);
        self.sort(&mut found);
        found.truncate(ask.limit);
        Ok(found)
    }

    /// Symbols that are called so.
    fn nominees(
        &self,
        connection: &Connection,
        looked: &mut Looked<'_>,
        cancel: &Cancel,
    ) -> Result<Vec<Nominee>, Fault> {
        let Looked { wanted, how, fuzzy } = looked;
        let how = *how;
        let mut found: Vec<Nominee> = Vec::new();
        let container = wanted.containers.last().map(String::as_str);
        let add = |to: &mut Vec<Nominee>, postings: &[u8], closeness: f64, inside: bool| {
            let mut postings = Postings::new(postings);
            while let Some(posting) = postings.step() {
                let (number, _) = posting.ok_or(Fault::Damage("list of a name"))?;
                if self.snapshot.has_symbol(number) && wanted.passing.has(number) {
                    to.push(Nominee { number, closeness, inside });
                }
            }
            Ok::<(), Fault>(())
        };
        let asked = Asked::new(&wanted.folded);
        let letters = wanted.folded.as_bytes();
        let together = memchr::memmem::Finder::new(letters);
        let may_be_fuzzy = |term: &[u8]| stand_in_order(letters, term) || asked.may_be_nearly(term);
        for segment in &self.segments {
            if how == NameMatch::Acronym {
                if let Some(list) =
                    segment.find(connection, self.kept(), &Space::Initials.term(&wanted.folded))?
                {
                    add(&mut found, list.postings(), 0.5, false)?;
                }
                continue;
            }
            let from = match how {
                NameMatch::Exact | NameMatch::IgnoringCase => name_prefix(&wanted.folded),
                NameMatch::Prefix => Space::Name.term(&wanted.folded),
                _ => Space::Name.term(""),
            };
            let mut terms = 0u32;
            // The same name comes once for each of its containers.
            let mut last = (String::new(), None, None);
            segment.scan(connection, &from, &mut |term, entry| {
                terms = terms.wrapping_add(1);
                if terms.is_multiple_of(1 << 12) {
                    cancel.check()?;
                }
                // Of all names there are, nearly none: told by their bytes, before anything else is made of them.
                let strict = how != NameMatch::Contains || together.find(term).is_some();
                let loose = fuzzy.is_some() && may_be_fuzzy(term);
                if !(strict || loose) || (how == NameMatch::Fuzzy && !may_be_fuzzy(term)) {
                    return Ok(true);
                }
                let (name, within) = name_of_term(term);
                if last.0 != name {
                    last.0.clear();
                    last.0.push_str(name);
                    last.1 = asked.closeness(name, how);
                    let is_loose = loose && last.1.is_none();
                    last.2 = is_loose.then(|| asked.closeness(name, NameMatch::Fuzzy)).flatten();
                }
                let inside = container == Some(within);
                match (last.1, last.2, fuzzy.as_mut()) {
                    (Some(closeness), ..) => {
                        add(&mut found, entry.list(connection)?.postings(), closeness, inside)?;
                    }
                    (None, Some(closeness), Some(fuzzy)) => {
                        add(fuzzy, entry.list(connection)?.postings(), closeness, inside)?;
                    }
                    _ => {}
                }
                // Then there is hardly any use for them.
                if found.len() >= ENOUGH {
                    *fuzzy = None;
                }
                Ok(true)
            })?;
        }
        Ok(found)
    }

    /// Reads the nearest of them and leaves those with the wrong containers out.
    fn read_nominees(
        &self,
        connection: &Connection,
        wanted: &Wanted<'_>,
        how: NameMatch,
        mut nominees: Vec<Nominee>,
        found: &mut Vec<SymbolHit>,
        cancel: &Cancel,
    ) -> Result<(), Fault> {
        let path = |nominee: &Nominee| self.snapshot.slot_of_symbol(nominee.number).map(|slot| &slot.path);
        // Those that stand where they should are read first; the others may still stand deeper inside.
        nominees.sort_by(|one, other| {
            let closer = other.inside.cmp(&one.inside).then(other.closeness.total_cmp(&one.closeness));
            closer.then_with(|| path(one).cmp(&path(other))).then(one.number.cmp(&other.number))
        });
        let inside = nominees.iter().filter(|nominee| nominee.inside).count();
        let mut taken = 0;
        for (at, nominee) in nominees.iter().enumerate() {
            // Which of the same letters have the same case shows only when they are read.
            let compared = how == NameMatch::IgnoringCase && at < MOST_READ;
            let searched = !wanted.containers.is_empty() && at < inside.max(MOST_READ);
            if found.len() + taken >= wanted.limit && !compared {
                break;
            }
            if !wanted.containers.is_empty() && (!searched || (at >= inside && taken > 0)) {
                break;
            }
            cancel.check()?;
            let Some(symbol) = self.load_symbol(connection, SymbolId(i64::from(nominee.number)))? else {
                continue;
            };
            if !wanted.fits(&symbol) {
                continue;
            }
            taken += usize::from(how != NameMatch::IgnoringCase || symbol.name == wanted.name);
            let how = match how {
                NameMatch::IgnoringCase if symbol.name == wanted.name => NameMatch::Exact,
                how => how,
            };
            found.push(SymbolHit { symbol, how, closeness: nominee.closeness });
        }
        Ok(())
    }

    fn sort(&self, found: &mut [SymbolHit]) {
        let path = |hit: &SymbolHit| self.snapshot.slot(hit.symbol.file).map(|slot| &slot.path);
        found.sort_by(|one, other| {
            one.how
                .cmp(&other.how)
                .then_with(|| other.closeness.total_cmp(&one.closeness))
                .then_with(|| path(one).cmp(&path(other)))
                .then_with(|| one.symbol.id.cmp(&other.symbol.id))
        });
    }
}

struct Wanted<'w> {
    name: &'w str,
    folded: String,
    /// In lower case, outermost first.
    containers: Vec<String>,
    passing: Passing,
    limit: usize,
}

impl Wanted<'_> {
    /// Whether the containers asked for stand around the symbol, in order, with others between them or not.
    fn fits(&self, symbol: &Symbol) -> bool {
        let mut around = symbol.name_path.split('/').map(fold).collect::<Vec<_>>();
        around.pop();
        let mut left = around.iter();
        self.containers.iter().all(|container| left.any(|name| name == container))
    }
}

/// Whether all of these bytes stand in others, in this order.
fn stand_in_order(letters: &[u8], text: &[u8]) -> bool {
    let mut rest = text;
    letters.iter().all(|letter| {
        let found = memchr::memchr(*letter, rest);
        rest = found.and_then(|at| rest.get(at + 1..)).unwrap_or_default();
        found.is_some()
    })
}

/// The containers, folded, and the name itself.
fn split(path: &str) -> (Vec<String>, &str) {
    let path = path.trim();
    let mut parts: Vec<&str> = path.split(['/', '.', ':', '#']).filter(|part| !part.is_empty()).collect();
    match parts.pop() {
        Some(name) => (parts.into_iter().map(fold).collect(), name),
        None => (Vec::new(), ""),
    }
}

/// A name that all others are compared with.
struct Asked<'a> {
    text: &'a str,
    chars: Vec<char>,
    letters: u64,
}

impl<'a> Asked<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, chars: text.chars().collect(), letters: letters(text) }
    }

    /// How close a name is in this way; `None` when it is not.
    fn closeness(&self, name: &str, how: NameMatch) -> Option<f64> {
        let share = || self.chars.len() as f64 / name.chars().count().max(1) as f64;
        match how {
            NameMatch::Exact | NameMatch::IgnoringCase => Some(1.0),
            NameMatch::Prefix => Some(share()),
            NameMatch::Contains => name.contains(self.text).then(share),
            NameMatch::Acronym => Some(0.5),
            NameMatch::Fuzzy => self
                .in_order(name)
                .map(|span| 0.5 * share() * self.chars.len() as f64 / span as f64)
                .or_else(|| self.nearly(name)),
        }
    }

    /// Over how many characters of the name the asked ones stand in order; too far apart they mean nothing.
    fn in_order(&self, name: &str) -> Option<usize> {
        // Two letters fit almost everything.
        if self.chars.len() < 3 || self.letters & !letters(name) != 0 {
            return None;
        }
        let mut left = self.chars.iter();
        let mut next = left.next();
        let (mut first, mut last) = (None, 0);
        for (at, c) in name.chars().enumerate() {
            if Some(&c) == next {
                first.get_or_insert(at);
                last = at;
                next = left.next();
            }
        }
        let span = last + 1 - first?;
        (next.is_none() && span <= 3 * self.chars.len()).then_some(span)
    }

    /// Whether a term of a name can be [`Self::nearly`], told by its bytes.
    fn may_be_nearly(&self, term: &[u8]) -> bool {
        let name = term.get(1..).unwrap_or_default();
        let end = name.iter().position(|byte| *byte == BETWEEN as u8).unwrap_or(name.len());
        let name = name.get(..end).unwrap_or_default();
        // Two letters more or less, of up to four bytes each, and of each wrong one two bits.
        name.len().abs_diff(self.text.len()) <= 8
            && (!name.is_ascii() || (self.letters ^ letters_of(name)).count_ones() <= 4)
    }

    /// One or two letters wrong, missing, too many or swapped.
    fn nearly(&self, name: &str) -> Option<f64> {
        let most = match self.chars.len() {
            0..4 => return None,
            4..8 => 1,
            _ => 2,
        };
        // Each wrong letter changes no more than two of those that there are.
        if (self.letters ^ letters(name)).count_ones() as usize > 2 * most {
            return None;
        }
        let other: Vec<char> = name.chars().collect();
        let wrong = distance(&self.chars, &other, most)?;
        Some(1.0 - wrong as f64 / self.chars.len() as f64)
    }
}

/// Which letters there are, one bit each, as far as bits go.
fn letters(text: &str) -> u64 {
    letters_of(text.as_bytes())
}

fn letters_of(text: &[u8]) -> u64 {
    text.iter().fold(0, |letters, byte| letters | 1 << (byte & 63))
}

/// How many letters are wrong, missing, too many or swapped; `None` when more than `most`.
fn distance(one: &[char], other: &[char], most: usize) -> Option<usize> {
    if one.len().abs_diff(other.len()) > most {
        return None;
    }
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (row, c) in one.iter().enumerate() {
        let mut line = vec![row + 1];
        for (column, d) in other.iter().enumerate() {
            let replaced = last[column] + usize::from(c != d);
            let mut least = replaced.min(last[column + 1] + 1).min(line[column] + 1);
            if row > 0 && column > 0 && *c == other[column - 1] && one[row - 1] == *d {
                least = least.min(before_last[column - 1] + 1);
            }
            line.push(least);
        }
        if line.iter().min().is_some_and(|least| *least > most) {
            return None;
        }
        before_last = std::mem::replace(&mut last, line);
    }
    last.last().copied().filter(|wrong| *wrong <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_split_at_any_of_the_usual_marks() {
        assert_eq!(split("Type::method"), (vec!["type".to_owned()], "method"));
        assert_eq!(split("a/B.c"), (vec!["a".to_owned(), "b".to_owned()], "c"));
        assert_eq!(split("name"), (vec![], "name"));
        assert_eq!(split(" :: "), (vec![], ""));
    }

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let fuzzy = |asked: &str, name: &str| Asked::new(asked).closeness(name, NameMatch::Fuzzy);
        let distance = |one: &str, other: &str, most: usize| {
            distance(&one.chars().collect::<Vec<_>>(), &other.chars().collect::<Vec<_>>(), most)
        };
        assert!(fuzzy("prsjsn", "parsejson").is_some());
        assert!(fuzzy("parsejosn", "parsejson").is_some());
        assert!(fuzzy("parsejsno", "parsejson").is_some());
        assert!(fuzzy("ab", "aub").is_none());
        assert!(fuzzy("foo", "bar").is_none());
        assert_eq!(distance("kitten", "sitting", 2), None);
        assert_eq!(distance("kitten", "sitten", 2), Some(1));
        assert_eq!(distance("abcd", "acbd", 1), Some(1));
    }
}

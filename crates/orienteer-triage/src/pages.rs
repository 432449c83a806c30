//! Is a list that came in pages here to its end?

use std::collections::{BTreeMap, BTreeSet};

/// Owners of one list that are told.
const MOST_OWNERS: usize = 3;

/// One page of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) entries: usize,
    /// How many entries all pages have together, where it says so.
    pub(crate) total: Option<usize>,
    /// It says that another one follows.
    pub(crate) more: bool,
}

/// The pages of a file, by what they are pages of.
#[derive(Debug, Default)]
pub(crate) struct Pages(BTreeMap<String, Page>);

impl Pages {
    /// Pages stand in the order in which they were fetched, so that the last one says whether there are more.
    pub(crate) fn add(&mut self, of: String, page: Page) {
        let known = self.0.entry(of).or_default();
        known.entries += page.entries;
        known.total = page.total.or(known.total);
        known.more = page.more;
    }

    /// What is not here to its end.
    pub(crate) fn unfinished(&self) -> impl Iterator<Item = &str> {
        let lacks = |page: &Page| page.more || page.total.is_some_and(|total| page.entries < total);
        self.0.iter().filter(move |(_, page)| lacks(page)).map(|(of, _)| of.as_str())
    }
}

/// Lists with an object around each page, which does not say of which list it is a page: what stands in it does.
///
/// Only those are kept that are not here to their end.
#[derive(Debug, Default)]
pub(crate) struct Lists(Vec<BTreeSet<String>>);

impl Lists {
    /// A page goes on with the last list that is not at its end and has an owner in common with it. Pages without entries
    /// have no owners, and go on with any.
    pub(crate) fn add(&mut self, mut owners: BTreeSet<String>, more: bool) {
        let follows =
            |list: &BTreeSet<String>| list.is_empty() || owners.is_empty() || !list.is_disjoint(&owners);
        let known = self.0.iter().rposition(follows);
        if let Some(at) = known {
            owners.extend(self.0.remove(at));
        }
        if more {
            self.0.push(owners);
        }
    }

    /// What is not here to its end, in words.
    pub(crate) fn unfinished(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|owners| {
            let named: Vec<&str> = owners.iter().take(MOST_OWNERS).map(String::as_str).collect();
            if named.is_empty() { "findings".to_owned() } else { format!("findings ({})", named.join(", ")) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unfinished(pages: &[(usize, Option<usize>, bool)]) -> bool {
        let mut all = Pages::default();
        for (entries, total, more) in pages {
            all.add("x".to_owned(), Page { entries: *entries, total: *total, more: *more });
        }
        all.unfinished().next().is_some()
    }

    #[test]
    fn the_last_page_and_the_number_of_entries_tell_whether_all_are_here() {
        assert!(!unfinished(&[(3, None, false)]));
        assert!(unfinished(&[(3, None, true)]));
        assert!(!unfinished(&[(3, None, true), (1, None, false)]));
        assert!(unfinished(&[(3, Some(7), true), (1, Some(7), false)]), "the one in between is missing");
        assert!(!unfinished(&[(3, Some(4), true), (1, Some(4), false)]));
        assert!(unfinished(&[(3, Some(6), true), (3, Some(6), true)]), "the same one twice");
    }

    fn open(pages: &[(&[&str], bool)]) -> Vec<String> {
        let mut lists = Lists::default();
        for (owners, more) in pages {
            lists.add(owners.iter().map(|owner| (*owner).to_owned()).collect(), *more);
        }
        lists.unfinished().collect()
    }

    #[test]
    fn the_last_page_of_one_list_does_not_end_another() {
        assert_eq!(open(&[(&["a"], true), (&["a"], false)]), [""; 0]);
        assert_eq!(open(&[(&["a"], true), (&["b"], false)]), ["findings (a)"]);
        assert_eq!(open(&[(&["a"], true), (&["b"], true), (&["a"], false)]), ["findings (b)"]);
        assert_eq!(open(&[(&["a", "b"], true), (&["b", "c"], false)]), [""; 0], "of an organisation");
        assert_eq!(open(&[(&[], true), (&["a"], false)]), [""; 0], "pages may be empty");
        assert_eq!(open(&[(&["a"], true), (&[], true), (&[], false)]), [""; 0]);
        assert_eq!(open(&[(&[], true)]), ["findings"]);
        assert_eq!(open(&[(&["a"], false), (&["a"], true)]), ["findings (a)"]);
    }
}

//! Is a list that came in pages here to its end?

use std::collections::BTreeMap;

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
}

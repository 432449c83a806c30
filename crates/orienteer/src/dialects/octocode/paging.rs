//! Pages by number: what `pagination` says, and the hint that leads on.

use serde_json::{Value, json};

use super::asked::Asked;

/// One page of a list whose length is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paging {
    /// From 1.
    pub(super) page: usize,
    pub(super) per_page: usize,
    pub(super) total: usize,
}

impl Paging {
    /// How many entries earlier pages show.
    pub(super) fn skip(page: usize, per_page: usize) -> usize {
        page.saturating_sub(1).saturating_mul(per_page)
    }

    /// An empty list has one page, which is empty.
    pub(super) fn pages(self) -> usize {
        self.total.div_ceil(self.per_page.max(1)).max(1)
    }

    pub(super) fn has_more(self) -> bool {
        self.page < self.pages()
    }

    pub(super) fn to_json(self) -> Value {
        json!({ "currentPage": self.page, "totalPages": self.pages(), "hasMore": self.has_more() })
    }

    /// How to go on, or back from behind the end.
    pub(super) fn hint(self, asked: &Asked, field: &str) -> Option<String> {
        if self.has_more() {
            let why = format!("Page {} of {}", self.page + 1, self.pages());
            return Some(asked.again(&why, json!({ field: self.page + 1 })));
        }
        (self.page > self.pages()).then(|| {
            let why = format!("There are {} pages; the last one", self.pages());
            asked.again(&why, json!({ field: self.pages() }))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;

    fn paging(page: usize, total: usize) -> Paging {
        Paging { page, per_page: 10, total }
    }

    #[test]
    fn pages_are_counted_from_one_to_the_last() {
        assert_eq!(paging(1, 0).to_json(), json!({ "currentPage": 1, "totalPages": 1, "hasMore": false }));
        assert_eq!(paging(1, 11).to_json(), json!({ "currentPage": 1, "totalPages": 2, "hasMore": true }));
        assert_eq!(paging(2, 20).to_json(), json!({ "currentPage": 2, "totalPages": 2, "hasMore": false }));
        assert_eq!(
            (Paging::skip(1, 10), Paging::skip(3, 10), Paging::skip(usize::MAX, 10)),
            (0, 20, usize::MAX)
        );
    }

    #[test]
    fn hints_lead_on_and_back() {
        let asked = Asked::new("t", Map::new());
        assert_eq!(paging(1, 11).hint(&asked, "p").unwrap(), r#"Page 2 of 2: t {"queries":[{"p":2}]}"#);
        assert_eq!(paging(2, 11).hint(&asked, "p"), None);
        let back = paging(9, 11).hint(&asked, "p").unwrap();
        assert_eq!(back, r#"There are 2 pages; the last one: t {"queries":[{"p":2}]}"#);
    }
}

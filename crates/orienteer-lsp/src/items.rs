//! The findings of one file as a server sent them.
//!
//! They are kept as text: as trees of values they take five times the memory, and most are never looked at.

use std::sync::Arc;

use serde_json::value::RawValue;

use crate::live::Seen;
use crate::message::Raw;
use crate::reading::Reading;

/// Findings of one file that are kept: a server that has more has gone mad.
pub(crate) const MOST: usize = 50_000;

/// See the module.
#[derive(Debug, Clone, Default)]
pub(crate) struct Items {
    pub(crate) list: Arc<[Box<RawValue>]>,
    /// Such as a word where the list should be.
    pub(crate) unreadable: usize,
    /// Left out because there are too many.
    pub(crate) cut: usize,
}

impl Items {
    /// Of a list, however long.
    pub(crate) fn read(list: Option<&RawValue>) -> Self {
        let mut reading = Reading::new(Seen::default());
        let list = match list.map(RawValue::get) {
            Some(text) if text.starts_with('[') => {
                reading.entries(text, MOST, |item: Box<RawValue>, _| Ok(item))
            }
            Some(_) => {
                reading.unreadable(1);
                Vec::new()
            }
            None => Vec::new(),
        };
        let (unreadable, cut) = reading.counts();
        Self { list: list.into(), unreadable, cut }
    }

    /// Those of a report that was asked for; `None` where it has none, because nothing is new.
    pub(crate) fn of_report(report: &Raw) -> Option<Self> {
        #[derive(serde::Deserialize)]
        struct Report<'r> {
            #[serde(borrow)]
            items: Option<&'r RawValue>,
        }
        match report.text().map(serde_json::from_str::<Report<'_>>) {
            Some(Ok(Report { items: Some(items) })) => Some(Self::read(Some(items))),
            Some(Ok(_)) | None => None,
            Some(Err(_)) => Some(Self { unreadable: 1, ..Self::default() }),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.list.iter().map(|item| item.get().len() + size_of::<Box<RawValue>>()).sum()
    }

    /// What stands for them where there is no room.
    pub(crate) fn counted(&self) -> Self {
        Self { list: Arc::default(), unreadable: self.unreadable, cut: self.cut + self.list.len() }
    }

    /// Nothing is wrong, as far as the server said.
    pub(crate) fn is_clean(&self) -> bool {
        self.list.is_empty() && self.unreadable == 0 && self.cut == 0
    }
}

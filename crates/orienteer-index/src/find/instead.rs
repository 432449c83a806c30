//! What answers a sentence when nothing has what it quotes?

use orienteer_base::Cancel;

use super::error::FindError;
use super::means::Means;
use super::{Ask, Found, Note, find};
use crate::query::Query;
use crate::store::Reader;

/// The answer to a sentence without its quotes.
pub(super) fn answer(
    plain: &Query,
    reader: &Reader<'_>,
    ask: &Ask<'_>,
    means: &Means<'_>,
    cancel: &Cancel,
) -> Result<Found, FindError> {
    let mut found = find(reader, &Ask { query: plain, ..ask.clone() }, means, cancel)?;
    if found.total > 0 {
        let message =
            "nothing has what stands in quotes as it is written there: these are ranked by their words alone";
        found.notes.insert(0, Note { kind: "query", message: message.to_owned() });
    }
    Ok(found)
}

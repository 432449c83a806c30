//! Pages of lists: a cursor says how many results were shown.

use orienteer_base::Problem;
use orienteer_base::ask::Window;
use serde_json::{Value, json};

use crate::render::Reply;
use crate::tool::Ctx;

/// The part of a list that a call asks for.
pub(super) fn window(ctx: &Ctx, max_results: usize) -> Result<Window, Problem> {
    Ok(Window { skip: ctx.position()?, limit: max_results })
}

/// Makes the cursor behind `shown` rows. Without a total there may be more when the page is full.
pub(super) fn resume(reply: &mut Reply, window: Window, shown: usize, total: Option<usize>) {
    resume_at(reply, window, shown, total, |skip| json!(skip));
}

/// The same where a cursor says more than how many results were shown.
pub(super) fn resume_at(
    reply: &mut Reply,
    window: Window,
    shown: usize,
    total: Option<usize>,
    position: impl Fn(usize) -> Value + Send + Sync + 'static,
) {
    reply.total = total.map(|total| total as u64);
    reply.resume = Some(Box::new(move |kept| {
        let reached = if kept.all { shown } else { kept.rows };
        let more = match total {
            Some(total) => window.skip + reached < total,
            None => reached < shown || shown >= window.limit,
        };
        // A page that shows nothing would lead to itself.
        (more && reached > 0).then(|| position(window.skip + reached))
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Kept;

    fn after(skip: usize, shown: usize, total: Option<usize>, kept: Option<usize>) -> Option<u64> {
        let mut reply = Reply::default();
        resume(&mut reply, Window { skip, limit: 10 }, shown, total);
        let kept = Kept { rows: kept.unwrap_or(shown), all: kept.is_none(), ..Kept::default() };
        reply.resume.unwrap()(kept).and_then(|position| position.as_u64())
    }

    #[test]
    fn a_cursor_leads_on_until_everything_was_shown() {
        assert_eq!(after(0, 10, Some(25), None), Some(10));
        assert_eq!(after(20, 5, Some(25), None), None);
        assert_eq!(after(10, 10, Some(25), Some(3)), Some(13), "the budget cut the page");
        assert_eq!(after(0, 10, None, None), Some(10), "a full page of nobody knows how many");
        assert_eq!(after(0, 9, None, None), None);
        assert_eq!(after(0, 0, Some(3), None), None, "an empty page leads nowhere");
    }
}

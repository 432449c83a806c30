//! What would checkers say of a plan? Servers are shown the new texts and then the old ones again; nothing is written.

use std::sync::Arc;
use std::time::Duration;

use orienteer_base::edit::AppliedEdits;
use orienteer_base::{Answer, Cancel, Problem};
use orienteer_edit::Plan;
use orienteer_lsp::Failure;

use super::findings::{Checkers, Found, Sides};
use crate::Session;
use crate::failure::problem;

/// The usual wait, as for a check.
const WAIT: Duration = Duration::from_secs(15);

impl Session {
    pub(super) async fn simulate(
        &self,
        plan: &Arc<Plan>,
        wait: Option<Duration>,
        cancel: &Cancel,
    ) -> Result<Answer<AppliedEdits>, Problem> {
        // Against other files than those that were seen it would say nothing about the plan.
        self.still_fits(plan, cancel).await?;
        let sides = Sides::of(plan);
        let mut files = sides.before.clone();
        files.extend(sides.after.iter().filter(|path| !sides.before.contains(path)).cloned());
        let Checkers { groups, found: mut before } = self.checkers(&files).await;
        let mut after = Found::default();
        let patience = &self.patience(Some(wait.unwrap_or(WAIT)), cancel);
        let asked = groups.into_values().map(|(lease, files)| async move {
            let tried = lease.simulate(plan, patience).await;
            (lease, files, tried)
        });
        for (lease, files, tried) in futures::future::join_all(asked).await {
            let heard = match tried {
                Ok(heard) => heard,
                Err(Failure::Cancelled) => return Err(problem(Failure::Cancelled)),
                Err(failure) => {
                    self.unheard(&mut after, &files, &failure);
                    continue;
                }
            };
            after.saw(&lease, &files, &heard.seen);
            let ready = heard.seen.ready;
            self.take_checks(&mut before, &lease, heard.value.before, ready, cancel).await?;
            self.take_checks(&mut after, &lease, heard.value.after, ready, cancel).await?;
            for what in heard.value.not_covered {
                after.not_covered(what);
            }
        }
        let files = files.iter().map(|path| self.roots().show(path)).collect();
        let (answer, delta) = sides.compare(before, after, self.roots());
        let value =
            AppliedEdits { applied: false, files, diagnostics_delta: Some(delta), ..AppliedEdits::default() };
        Ok(answer.map(|()| value))
    }
}

use orienteer_base::ErrorKind;
use orienteer_base::edit::{Carry, Planned, UndoQuery};
use orienteer_edit::{Existing, Overlay, TextEdit};
use orienteer_process::{Environment, Launcher, ReaperCommand};

use super::*;
use crate::{Engine, EngineSpec, SessionSpec};

struct Here {
    _temp: tempfile::TempDir,
    root: PathBuf,
    session: Session,
}

fn here() -> Here {
    let temp = tempfile::tempdir().unwrap();
    let base = temp.path().canonicalize().unwrap();
    let root = base.join("work");
    std::fs::create_dir(&root).unwrap();
    for name in ["a.txt", "b.txt"] {
        std::fs::write(root.join(name), format!("old {name}\n")).unwrap();
    }
    let roots = Roots::new(&root, &[]).unwrap();
    let environment = Environment::from_pairs::<String, String>([]);
    let launcher = Launcher::new(ReaperCommand::new("none"));
    let mut spec = EngineSpec::new(roots.clone(), environment, launcher, base.join("state"));
    spec.journal_folder = Some(base.join("journal"));
    let session = Engine::new(spec).session(SessionSpec { roots, read_only: false });
    Here { _temp: temp, root, session }
}

impl Here {
    /// Two files change and one moves.
    fn plan(&self) -> Plan {
        let mut overlay = Overlay::new(self.session.roots().clone());
        for name in ["a.txt", "b.txt"] {
            overlay.edit(&self.root.join(name), vec![TextEdit::new(0..3, "new")]).unwrap();
        }
        overlay.rename(&self.root.join("b.txt"), &self.root.join("c.txt"), Existing::Refuse).unwrap();
        overlay.finish()
    }

    async fn show(&self) -> Planned {
        let title = "a change".to_owned();
        self.session.propose(self.plan(), title, Carry::Preview, &Cancel::new()).await.unwrap()
    }

    async fn apply(&self, planned: &Planned) -> Result<Answer<AppliedEdits>, Problem> {
        self.session.apply(query(planned), &Cancel::new()).await
    }

    fn texts(&self) -> Vec<String> {
        let read = |name: &str| std::fs::read_to_string(self.root.join(name)).unwrap_or_default();
        ["a.txt", "b.txt", "c.txt"].map(read).to_vec()
    }
}

fn query(planned: &Planned) -> ApplyQuery {
    let plan_id = planned.plan_id.clone().unwrap();
    ApplyQuery { plan_id, simulate: false, diagnostics: false, wait: None }
}

const OLD: [&str; 3] = ["old a.txt\n", "old b.txt\n", ""];
const NEW: [&str; 3] = ["new a.txt\n", "", "new b.txt\n"];

#[tokio::test]
async fn a_plan_is_shown_then_applied_as_shown_then_taken_back() {
    let here = here();
    let planned = here.show().await;
    let shown: Vec<_> =
        planned.files.iter().map(|file| (file.file_path.as_str(), file.new_path.as_deref())).collect();
    assert_eq!(shown, [("a.txt", None), ("b.txt", Some("c.txt"))]);
    assert_eq!(
        (planned.applied, planned.operations.len(), here.texts()),
        (false, 1, OLD.map(str::to_owned).to_vec())
    );
    let applied = here.apply(&planned).await.unwrap().value;
    assert_eq!(
        (applied.applied, applied.files),
        (true, vec!["a.txt".into(), "b.txt".into(), "c.txt".into()])
    );
    assert_eq!(here.texts(), NEW);
    let again = here.apply(&planned).await.unwrap_err();
    assert_eq!((again.kind, again.detail), (ErrorKind::StalePlan, Some("already_applied")));
    let undone =
        here.session.undo(UndoQuery::Entry(applied.journal_id.unwrap()), &Cancel::new()).await.unwrap();
    assert_eq!((undone.value.undone.len(), here.texts()), (1, OLD.map(str::to_owned).to_vec()));
}

#[tokio::test]
async fn a_plan_about_other_files_is_refused_and_can_be_tried_again_when_they_are_back() {
    let here = here();
    let planned = here.show().await;
    std::fs::write(here.root.join("b.txt"), "other\n").unwrap();
    for (simulate, diagnostics) in [(false, false), (true, false), (false, true)] {
        let query = ApplyQuery { simulate, diagnostics, ..query(&planned) };
        let refused = here.session.apply(query, &Cancel::new()).await.unwrap_err();
        assert_eq!(refused.kind, ErrorKind::StalePlan, "{refused}");
        assert!(refused.message.contains("`b.txt` (changed)"), "{refused}");
        assert_eq!(here.texts()[0], OLD[0]);
    }
    std::fs::write(here.root.join("b.txt"), OLD[1]).unwrap();
    assert!(here.apply(&planned).await.is_ok());
    assert_eq!(here.texts(), NEW);
}

#[tokio::test]
async fn a_trial_without_any_checker_writes_nothing_and_praises_nothing() {
    let here = here();
    let planned = here.show().await;
    let query = ApplyQuery { simulate: true, ..query(&planned) };
    let tried = here.session.apply(query, &Cancel::new()).await.unwrap();
    let delta = tried.value.diagnostics_delta.unwrap();
    assert_eq!(delta.not_covered.len(), 3, "{delta:?}");
    assert!(!tried.value.applied && tried.value.journal_id.is_none() && !tried.completeness.is_complete());
    assert_eq!(here.texts(), OLD);
    assert!(here.apply(&planned).await.is_ok(), "it can still be applied");
}

#[tokio::test]
async fn a_change_that_nobody_checks_is_made_and_said_to_be_unchecked() {
    let here = here();
    let planned = here.show().await;
    let query = ApplyQuery { diagnostics: true, ..query(&planned) };
    let applied = here.session.apply(query, &Cancel::new()).await.unwrap();
    assert!(applied.value.applied && !applied.completeness.is_complete());
    assert!(!applied.value.diagnostics_delta.unwrap().not_covered.is_empty());
    assert_eq!(here.texts(), NEW);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_that_goes_away_leaves_all_of_it_or_nothing() {
    for round in 0..20 {
        let here = here();
        let planned = here.show().await;
        {
            let cancel = Cancel::new();
            let applying = here.session.apply(query(&planned), &cancel);
            tokio::pin!(applying);
            for _ in 0..round {
                if futures::poll!(&mut applying).is_ready() {
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
        // What was begun goes on; what was not can be begun now.
        let journal_id = loop {
            match here.apply(&planned).await {
                Ok(applied) => break applied.value.journal_id.unwrap(),
                Err(problem) => {
                    assert_eq!(problem.detail, Some("already_applied"), "{problem}");
                    let id = problem.facts.iter().find(|(name, _)| *name == "journal_id");
                    if let Some((_, orienteer_base::Fact::Text(id))) = id {
                        break id.clone();
                    }
                    tokio::task::yield_now().await;
                }
            }
        };
        assert_eq!(here.texts(), NEW, "round {round}");
        here.session.undo(UndoQuery::Entry(journal_id), &Cancel::new()).await.unwrap();
        assert_eq!(here.texts(), OLD, "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_several_plans_about_the_same_files_one_is_applied() {
    let here = here();
    let mut plans = Vec::new();
    for _ in 0..8 {
        plans.push(here.show().await);
    }
    let results = futures::future::join_all(plans.iter().map(|planned| here.apply(planned))).await;
    let refused = results.iter().filter_map(|result| result.as_ref().err()).map(|problem| problem.kind);
    assert_eq!(refused.collect::<Vec<_>>(), vec![ErrorKind::StalePlan; 7]);
    assert_eq!(here.texts(), NEW);
}

#[tokio::test]
async fn a_plan_without_changes_is_none() {
    let here = here();
    let title = "nothing".to_owned();
    let planned = here.session.propose(Plan::default(), title, Carry::Apply, &Cancel::new()).await.unwrap();
    assert_eq!((planned.plan_id, planned.journal_id, planned.applied), (None, None, false));
}

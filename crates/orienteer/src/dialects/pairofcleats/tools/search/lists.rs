//! The lists of an answer: one for each sort of text, each with its best results.

use std::time::Duration;

use orienteer_base::answer::Warning;
use orienteer_base::ask::Window;
use orienteer_base::search::{SearchHits, SearchMode};
use orienteer_base::{Answer, Completeness, ErrorKind, Problem};
use orienteer_engine::index::SearchQuery;
use serde_json::{Map, Value, json};

use super::super::super::repo::Repo;
use super::filters::{self, Translated};
use super::{Args, Mode, Output, hit, written_by};
use crate::tools::keys;

/// The fields of an answer, which modes ask for them, and what is looked at for each. Settings belong to the code.
const LISTS: &[(&str, &[Mode], &[SearchMode])] = &[
    ("code", &[Mode::All, Mode::Both, Mode::Code], &[SearchMode::Code, SearchMode::Config]),
    ("prose", &[Mode::All, Mode::Both, Mode::Prose], &[SearchMode::Prose]),
    ("extractedProse", &[Mode::All, Mode::ExtractedProse], &[SearchMode::Comments]),
    ("records", &[Mode::All, Mode::Records], &[SearchMode::Records]),
];

/// What is known of the lists so far.
struct Told {
    lists: Map<String, Value>,
    totals: Map<String, Value>,
    /// Lists that a filter says nothing about, and why.
    unsupported: Vec<(&'static str, Problem)>,
    warnings: Vec<Warning>,
    completeness: Completeness,
    meaning: bool,
}

pub(super) async fn find(args: Args, repo: &Repo) -> Result<Map<String, Value>, Problem> {
    let ctx = &repo.ctx;
    let Translated { filters, written_by, warnings, completeness } = args.filters.translate(&ctx.session)?;
    let full = args.output == Output::Full;
    let limit = if written_by.is_some() { written_by::LOOKED_AT } else { args.top };
    // Most of the call's time may be spent waiting for an index that is being built. Without one there is no answer:
    // what stands in the text cannot be told apart into lists.
    let mut query = SearchQuery {
        text: args.query.clone(),
        filters,
        modes: Vec::new(),
        words_alone: args.ann == Some(false),
        full: full || written_by.is_some(),
        explain: full,
        window: Window { skip: 0, limit },
        as_text: false,
        wait: ctx.patience(),
    };
    let mut told = Told {
        lists: Map::new(),
        totals: Map::new(),
        unsupported: Vec::new(),
        warnings,
        completeness,
        meaning: false,
    };
    for (field, modes, looked_at) in LISTS {
        told.lists.insert((*field).to_owned(), json!([]));
        if !modes.contains(&args.mode) {
            continue;
        }
        let one = SearchQuery { modes: looked_at.to_vec(), ..query.clone() };
        // The first of them waited for the index.
        query.wait = Duration::ZERO;
        let found = match ctx.session.search(one, &ctx.cancel).await {
            // Prose has no calls; that says nothing about code.
            Err(problem) if problem.kind == ErrorKind::Unsupported => Err(problem),
            Err(mut problem) => {
                filters::spoken(&mut problem);
                return Err(problem);
            }
            Ok(mut answer) => match &written_by {
                Some(author) => written_by::keep(author, args.top, &mut answer).map(|()| answer),
                None => Ok(answer),
            },
        };
        match found {
            Err(problem) => told.unsupported.push((field, problem)),
            Ok(answer) => told.add(field, answer, &args, repo).await?,
        }
    }
    told.payload(&args, repo)
}

impl Told {
    async fn add(
        &mut self,
        field: &'static str,
        mut answer: Answer<SearchHits>,
        args: &Args,
        repo: &Repo,
    ) -> Result<(), Problem> {
        let hidden = keys::hide_in_hits(&repo.ctx, &mut answer.value.hits).await?;
        answer.warnings.extend(hidden);
        for warning in answer.warnings {
            let message = filters::in_their_words(&warning.message);
            let warning = Warning { message, ..warning };
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        self.completeness = self.completeness.and(answer.completeness);
        let found = answer.value;
        self.meaning |= found.ranking == "words and meaning";
        self.totals.insert(field.to_owned(), json!(found.total));
        let full = args.output == Output::Full;
        let mut rows = Vec::new();
        for one in &found.hits {
            let (row, hidden) = hit::row(one, found.ranking, full, args.context, &repo.ctx).await?;
            rows.push(row);
            self.warnings.extend(hidden.filter(|hidden| !self.warnings.contains(hidden)));
        }
        self.lists.insert(field.to_owned(), Value::Array(rows));
        Ok(())
    }

    fn payload(mut self, args: &Args, repo: &Repo) -> Result<Map<String, Value>, Problem> {
        if self.totals.is_empty()
            && let Some((_, mut problem)) = self.unsupported.pop()
        {
            filters::spoken(&mut problem);
            return Err(problem);
        }
        let mut complete = self.completeness.is_complete();
        let mut unsupported = Map::new();
        for (field, mut problem) in self.unsupported {
            filters::spoken(&mut problem);
            unsupported.insert(field.to_owned(), json!(problem.message));
            complete = false;
        }
        // Why a model that there is could not be used was told already.
        let told = self.warnings.iter().any(|warning| warning.kind == "no_model");
        if args.ann == Some(true) && !self.meaning && !told {
            let message = "`ann`: meanings were not compared; that takes a model that `index.model` names, and words in `query`";
            self.warnings.push(Warning::new("no_model", message));
        }
        let mut payload = Map::new();
        let mut put = |name: &str, value: Value| payload.insert(name.to_owned(), value);
        put("repoPath", json!(repo.shown()));
        put("backend", json!("sqlite"));
        put("complete", json!(complete));
        if let Completeness::Partial { reason, retry_after_ms } = self.completeness {
            put("reason", json!(reason));
            put("retryAfterMs", json!(retry_after_ms));
        }
        put("totals", Value::Object(self.totals));
        put("ann", json!(self.meaning));
        for (field, rows) in self.lists {
            put(&field, rows);
        }
        if !unsupported.is_empty() {
            put("unsupported", Value::Object(unsupported));
        }
        put("warnings", self.warnings.iter().map(|warning| json!(warning)).collect());
        Ok(payload)
    }
}

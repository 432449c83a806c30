//! The one way a call flows: find, admit, parse, run, render. The MCP server and the command line both
//! enter here, so they cannot drift apart.

pub mod metrics;
mod progress;
pub mod queue;
pub mod selection;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures::FutureExt;
use orienteer_base::error::panic_message;
use orienteer_base::nearest::nearest;
use orienteer_base::{Budget, Cancel, ErrorKind, Problem};
use orienteer_engine::Session;
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::config::Config;
use crate::config::layers::ConfigError;
use crate::dialect::{Dialect, Rendering};
use crate::dialects::NATIVE;
use crate::elsewhere::Elsewhere;
use crate::error::{Failure, NextStep, advise};
use crate::render::{self, Hider, Limits, Outcome};
use crate::schema::validate;
use crate::tool::{Ctx, Effect, Entry};
use crate::tools::keys;
use metrics::Metrics;
pub use progress::{Phase, Progress};
use queue::Queue;
use selection::Standing;

/// A call that is answered with an error of the protocol instead of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    UnknownTool { name: String, similar: Vec<&'static str> },
    Overloaded { limit: usize },
}

/// What comes with a call besides its arguments.
#[derive(Debug, Clone, Default)]
pub struct Call {
    pub cancel: CancellationToken,
    pub progress: Option<mpsc::Sender<Progress>>,
    /// The client's own id of the request, for the log.
    pub client_id: String,
}

/// How much one call may say: what it gets unasked, and the most it can ask for. The calls of a batch cannot
/// widen their share.
#[derive(Debug, Clone, Copy)]
struct Share {
    usual: Budget,
    most: Budget,
}

impl Share {
    fn whole(usual: Budget) -> Self {
        Self { usual, most: Budget::new(Budget::MAX_TOTAL_CHARS) }
    }

    /// What a call of a tool gets. Counts before the arguments are checked: their errors have to fit, too.
    fn of(self, entry: &Entry, arguments: &Map<String, Value>) -> Budget {
        // `5000.0` is a whole number to every JSON writer that has only floats.
        let asked =
            arguments.get("max_total_chars").and_then(Value::as_f64).filter(|asked| asked.fract() == 0.0);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast saturates")]
        match asked.map(|asked| asked as usize) {
            Some(asked) if asked >= Budget::MIN_TOTAL_CHARS => {
                Budget::new(asked.min(self.most.max_total_chars))
            }
            // A tool whose usual answer is short never makes a small share larger.
            _ => Budget::new(self.usual.max_total_chars.min(entry.usual_chars.unwrap_or(usize::MAX))),
        }
    }
}

struct Known {
    entry: Entry,
    schema: Map<String, Value>,
    standing: Standing,
}

/// See the module. One per process.
pub struct Router {
    config: Config,
    dialect: &'static Dialect,
    elsewhere: Option<Elsewhere>,
    tools: Vec<Known>,
    queue: Queue,
    metrics: Metrics,
    hider: Option<Hider>,
    calls: AtomicU64,
}

impl Router {
    /// The native contract, with these tools.
    pub fn new(mut config: Config, tools: &[Entry]) -> Result<Arc<Self>, ConfigError> {
        selection::check(&mut config, tools)?;
        let standing = |entry: &Entry| selection::standing(&config, entry);
        let tools = known(tools, standing);
        Ok(Self::build(config, &NATIVE, tools, None))
    }

    /// The contract of a dialect. Lists of tools in the configuration name native ones and count only there.
    pub fn speaking(
        config: Config,
        dialect: &'static Dialect,
        elsewhere: Elsewhere,
    ) -> Result<Arc<Self>, ConfigError> {
        if dialect.is_native() {
            return Self::new(config, dialect.tools);
        }
        let mut tools = known(dialect.tools, |entry| selection::allowed(&config, entry));
        if config.read_only {
            // Whatever is asked of them, they write nothing here, and clients are told so.
            for tool in tools.iter_mut().filter(|tool| tool.entry.effect == Effect::Asked) {
                (tool.entry.effect, tool.entry.destructive) = (Effect::Read, false);
            }
        }
        tools.retain(|tool| !config.hidden_tools.contains(&tool.entry.name));
        Ok(Self::build(config, dialect, tools, Some(elsewhere)))
    }

    fn build(
        config: Config,
        dialect: &'static Dialect,
        tools: Vec<Known>,
        elsewhere: Option<Elsewhere>,
    ) -> Arc<Self> {
        Arc::new(Self {
            dialect,
            elsewhere,
            tools,
            queue: Queue::new(config.max_concurrent_calls, config.queue_max),
            metrics: Metrics::default(),
            hider: config.redact_secrets.then(Hider::new),
            calls: AtomicU64::new(0),
            config,
        })
    }

    pub fn dialect(&self) -> &'static Dialect {
        self.dialect
    }

    /// Sessions in other folders, where the dialect has them.
    pub fn elsewhere(&self) -> Option<&Elsewhere> {
        self.elsewhere.as_ref()
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// `None` when the configuration says to show everything.
    pub(crate) fn hider(&self) -> Option<&Hider> {
        self.hider.as_ref()
    }

    /// How many calls there were so far.
    pub(crate) fn answered(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// The tools that are offered, with their input schemas, in the order of the list.
    pub fn offered(&self) -> impl Iterator<Item = (&Entry, &Map<String, Value>)> {
        self.tools
            .iter()
            .filter(|tool| tool.standing == Standing::Offered)
            .map(|tool| (&tool.entry, &tool.schema))
    }

    fn find(&self, name: &str) -> Option<&Known> {
        self.tools.iter().find(|tool| tool.entry.name == name)
    }

    /// Answers one call.
    pub async fn call(
        self: &Arc<Self>,
        session: &Session,
        name: &str,
        arguments: Map<String, Value>,
        call: Call,
    ) -> Result<Outcome, Refused> {
        let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        // Both words come from outside: neither may be long or break a line of the log.
        let clean = |text: &str| text.chars().filter(|c| !c.is_control()).take(100).collect::<String>();
        let (client_id, tool) = (clean(&call.client_id), clean(name));
        let span = tracing::info_span!("call", request = number, client_id, tool);
        async {
            let Some(known) = self.find(name) else {
                let similar = nearest(name, self.offered().map(|(entry, _)| entry.name), 3);
                tracing::warn!(similar = ?similar, "unknown tool");
                let name = name.chars().take(100).collect();
                return Err(Refused::UnknownTool { name, similar });
            };
            self.dialect.envelope.log_begin(known.entry.name, &arguments);
            let begun = Instant::now();
            let result = self.admitted(session, known, arguments, call).await;
            let took = begun.elapsed();
            let failed = result.as_ref().map_or(true, |outcome| outcome.is_error);
            self.metrics.record(known.entry.name, took, failed);
            self.dialect.envelope.log_end(took, &result);
            result
        }
        .instrument(span)
        .await
    }

    /// Queues a call, unless it only looks at memory, and runs it.
    async fn admitted(
        self: &Arc<Self>,
        session: &Session,
        known: &Known,
        arguments: Map<String, Value>,
        call: Call,
    ) -> Result<Outcome, Refused> {
        if known.entry.instant || known.standing != Standing::Offered {
            return Ok(self.run(session, known, arguments, &call, Share::whole(self.config.budget)).await);
        }
        let slot = tokio::select! {
            slot = self.queue.enter() => slot.map_err(|full| Refused::Overloaded { limit: full.limit })?,
            () = call.cancel.cancelled() => {
                let problem = Problem::new(ErrorKind::Cancelled, "the call was cancelled while it waited");
                return Ok(self.fail(known, &arguments, problem, self.config.budget));
            }
        };
        let outcome = self.run(session, known, arguments, &call, Share::whole(self.config.budget)).await;
        drop(slot);
        Ok(outcome)
    }

    /// A call inside another one: same checks, no queue, its own share of the budget.
    pub(crate) async fn nested(
        self: &Arc<Self>,
        session: &Session,
        name: &str,
        arguments: Map<String, Value>,
        budget: Budget,
    ) -> Result<Outcome, Problem> {
        let known = self.find(name).ok_or_else(|| {
            let similar: Vec<String> = nearest(name, self.offered().map(|(entry, _)| entry.name), 3)
                .into_iter()
                .map(str::to_owned)
                .collect();
            Problem::new(
                ErrorKind::InvalidParams,
                format!("there is no tool `{}`", name.chars().take(80).collect::<String>()),
            )
            .detail("unknown_tool")
            .candidates(similar)
        })?;
        if known.entry.effect != Effect::Read || known.entry.name == "batch" {
            let message =
                format!("`{}` cannot run inside a batch: only single reading tools can", known.entry.name);
            return Err(Problem::new(ErrorKind::InvalidParams, message).detail("not_batchable"));
        }
        // Dropping the outer call drops this future, which stops its work.
        let share = Share { usual: budget, most: budget };
        Ok(self.run(session, known, arguments, &Call::default(), share).await)
    }

    /// Checks the arguments, runs the tool, renders what it gave.
    async fn run(
        self: &Arc<Self>,
        session: &Session,
        known: &Known,
        mut arguments: Map<String, Value>,
        call: &Call,
        share: Share,
    ) -> Outcome {
        let entry = &known.entry;
        let budget = share.of(entry, &arguments);
        if let Some(problem) = self.standing_problem(known) {
            return self.fail(known, &arguments, problem, budget);
        }
        if entry.checked
            && let Err(problem) = validate::check(&known.schema, &mut arguments)
        {
            return self.fail(known, &arguments, problem, budget);
        }
        let echo = arguments.clone();
        if self.dialect.is_native() {
            arguments.remove("max_total_chars");
        }
        // Tools that page by files have their own words for it; the general one counts results.
        let general = entry.paged && !entry.own_max_results;
        let asked = if general { arguments.remove("max_results") } else { None };
        let max_results = asked.and_then(|asked| usize::try_from(asked.as_u64()?).ok()).unwrap_or(usize::MAX);
        let limits = Limits { budget, max_results };
        let fingerprint = render::cursor::fingerprint(entry.name, &arguments);
        let cursor = if self.dialect.is_native() { arguments.remove("cursor") } else { None };
        let position = match cursor {
            None => None,
            Some(cursor) => match render::cursor::decode(cursor.as_str().unwrap_or_default(), &fingerprint) {
                Ok(position) => Some(position),
                Err(problem) => return self.fail(known, &echo, problem, budget),
            },
        };
        // Nobody looks at a tree that is half old and half new. What must get through looks at no files.
        let recovered = if entry.instant { Vec::new() } else { session.settle().await };
        let ctx = Ctx {
            router: self.clone(),
            session: session.clone(),
            cancel: Cancel::new(),
            budget,
            position,
            fingerprint: fingerprint.clone(),
            limit: self.config.timeout_or(entry.name, self.dialect.envelope.patience(entry.name)),
            begun: Instant::now(),
        };
        match self.drive(entry, arguments, ctx, call).await {
            Ok(mut reply) => {
                reply.warnings.splice(0..0, recovered);
                let with = Rendering { input: &echo, limits, fingerprint: &fingerprint };
                let rendered = || {
                    render::screen(&mut reply, self.hider.as_ref());
                    self.dialect.envelope.success(entry, reply, &with)
                };
                std::panic::catch_unwind(AssertUnwindSafe(rendered)).unwrap_or_else(|cause| {
                    let message = panic_message(cause.as_ref());
                    tracing::error!(cause = message, "rendering panicked");
                    let message = format!("the answer of `{}` could not be shown: {message}", entry.name);
                    self.fail(known, &echo, Problem::new(ErrorKind::InternalError, message), budget)
                })
            }
            Err(problem) => {
                session.tell_later(recovered);
                self.fail(known, &echo, problem, budget)
            }
        }
    }

    /// Runs a tool until it ends, is cancelled, runs out of time or panics, reporting progress meanwhile.
    async fn drive(
        &self,
        entry: &Entry,
        arguments: Map<String, Value>,
        ctx: Ctx,
        call: &Call,
    ) -> Result<render::Reply, Problem> {
        let limit = ctx.limit;
        let flag = ctx.cancel.clone();
        // Whichever way this function is left, synchronous work below sees the flag.
        let _stop = StopOnDrop(flag.clone());
        let work = async {
            let mut reply = (entry.run)(arguments, ctx.clone()).await?;
            keys::hide(&ctx, &mut reply).await?;
            Ok(reply)
        };
        let work = AssertUnwindSafe(work).catch_unwind();
        tokio::pin!(work);
        let deadline = tokio::time::sleep(limit);
        tokio::pin!(deadline);
        let mut tick = tokio::time::interval(Duration::from_millis(250));
        // Held up for a while, it must not report in a burst.
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut reported = 0;
        if let Some(progress) = &call.progress {
            let _ = progress.try_send(Progress { phase: Phase::Begun, done: 0, note: None });
        }
        loop {
            tokio::select! {
                biased;
                done = &mut work => {
                    return done.unwrap_or_else(|cause| {
                        let message = panic_message(cause.as_ref());
                        tracing::error!(cause = message, "the tool panicked");
                        Err(Problem::new(ErrorKind::InternalError, format!("`{}` failed inside: {message}", entry.name)))
                    });
                }
                () = call.cancel.cancelled() => return Err(Problem::from(orienteer_base::Stopped)),
                () = &mut deadline => {
                    let message = format!("`{}` did not finish within {} ms and was stopped", entry.name, limit.as_millis());
                    let limit = i64::try_from(limit.as_millis()).unwrap_or(i64::MAX);
                    return Err(Problem::new(ErrorKind::Timeout, message).fact("timeout_ms", limit));
                }
                _ = tick.tick() => {
                    let done = flag.done();
                    if done > reported {
                        reported = done;
                        if let Some(progress) = &call.progress {
                            // A client that does not read its progress must not hold up the work.
                            let _ = progress.try_send(Progress { phase: Phase::UnderWay, done, note: flag.note() });
                        }
                    }
                }
            }
        }
    }

    fn standing_problem(&self, known: &Known) -> Option<Problem> {
        let name = known.entry.name;
        match known.standing {
            Standing::Offered => None,
            Standing::ReadOnly => Some(Problem::new(
                ErrorKind::ReadOnly,
                format!("`{name}` changes things and this session is read-only"),
            )),
            Standing::NotEnabled => {
                let how = if self.config.exclude.iter().any(|excluded| excluded == name) {
                    "take it out of `tools.exclude`".to_owned()
                } else if self.config.allow.is_empty() {
                    let set = known.entry.toolset.as_str();
                    format!("start with `--toolsets default,{set}` or set `mcp.toolsets` or `tools.allow`")
                } else {
                    "add it to `tools.allow`".to_owned()
                };
                Some(Problem::new(ErrorKind::NotEnabled, format!("`{name}` is not switched on; {how}")))
            }
        }
    }

    fn fail(
        &self,
        known: &Known,
        arguments: &Map<String, Value>,
        mut problem: Problem,
        budget: Budget,
    ) -> Outcome {
        // Rooms below know which argument is to blame; not all of them say so in words.
        if let Some(field) = problem.field
            && !problem.message.contains(field)
        {
            problem.message = format!("`{field}`: {}", problem.message);
        }
        // What a language server wrote before it failed may hold anything.
        if let Some(hider) = &self.hider {
            hider.hide_problem(&mut problem);
        }
        render::invisible::show_in_problem(&mut problem);
        let mut next_steps: Vec<NextStep> = advise(&problem, known.entry.name, arguments)
            .into_iter()
            .filter(|step| match step {
                NextStep::Tool { tool, arguments, .. } => self.can_run(tool, arguments),
                _ => true,
            })
            .collect();
        // A step runs as given; what is said of it is shown as everything else.
        next_steps.iter_mut().for_each(|step| render::invisible::show_text(step.message_mut()));
        let failure = Failure { problem, next_steps };
        self.dialect.envelope.failure(&known.entry, arguments, &failure, budget)
    }

    /// A step that is offered to a client runs as given: the tool is on and takes these arguments.
    fn can_run(&self, tool: &str, arguments: &Value) -> bool {
        self.find(tool).is_some_and(|known| {
            let mut arguments = arguments.as_object().cloned().unwrap_or_default();
            known.standing == Standing::Offered && validate::check(&known.schema, &mut arguments).is_ok()
        })
    }
}

fn known(tools: &[Entry], standing: impl Fn(&Entry) -> Standing) -> Vec<Known> {
    tools
        .iter()
        .map(|entry| Known { entry: *entry, schema: (entry.input_schema)(), standing: standing(entry) })
        .collect()
}

struct StopOnDrop(Cancel);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl std::fmt::Debug for Router {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Router").field("tools", &self.tools.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;

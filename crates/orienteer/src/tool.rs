//! What a tool is: one struct, one list entry.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use orienteer_base::{Budget, Cancel, ErrorKind, Problem};
use orienteer_engine::Session;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::config::Config;
use crate::elsewhere::Lent;
use crate::render::Reply;
use crate::router::Router;
use crate::schema;

/// Which group a tool is switched on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Toolset {
    Navigate,
    Diagnose,
    Edit,
    Local,
    Index,
    Triage,
    Remote,
    Ops,
}

impl Toolset {
    pub const ALL: &[Self] = &[
        Self::Navigate,
        Self::Diagnose,
        Self::Edit,
        Self::Local,
        Self::Index,
        Self::Triage,
        Self::Remote,
        Self::Ops,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Navigate => "navigate",
            Self::Diagnose => "diagnose",
            Self::Edit => "edit",
            Self::Local => "local",
            Self::Index => "index",
            Self::Triage => "triage",
            Self::Remote => "remote",
            Self::Ops => "ops",
        }
    }
}

/// What a call may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Read,
    /// Files of the workspace.
    Write,
    /// Servers, caches, indexes.
    Control,
    /// Files of the workspace where a call asks for it, and not otherwise. Such a tool stays in a read-only session and
    /// refuses by itself.
    Asked,
}

/// A tool. The struct itself is empty; its arguments and its one engine call are what it is.
pub trait Tool: 'static {
    const NAME: &'static str;
    const TITLE: &'static str;
    /// For the agent: when to use it and what comes back. Every client pays for every word.
    const DESCRIPTION: &'static str;
    const TOOLSET: Toolset;
    /// Part of the set that is offered when nobody chose one.
    const DEFAULT: bool = false;
    const EFFECT: Effect = Effect::Read;
    /// Takes away what it cannot bring back.
    const DESTRUCTIVE: bool = false;
    /// Reaches beyond this machine.
    const OPEN_WORLD: bool = false;
    /// Takes and returns a cursor.
    const PAGED: bool = false;
    /// Its arguments say themselves what `max_results` means.
    const OWN_MAX_RESULTS: bool = false;
    /// Never queued: it answers from memory, or it must get through while everything else waits.
    const INSTANT: bool = false;
    /// Characters of an answer when the call does not say, where that is less than the configuration's.
    const USUAL_CHARS: Option<usize> = None;
    /// Fields besides the common ones, with their JSON types.
    const OUTPUT: &'static [(&'static str, &'static str)];
    type Args: DeserializeOwned + schemars::JsonSchema + Send;

    fn run(args: Self::Args, ctx: Ctx) -> impl Future<Output = Result<Reply, Problem>> + Send;
}

/// What a running call may use.
#[derive(Clone)]
pub struct Ctx {
    pub router: Arc<Router>,
    pub session: Session,
    pub cancel: Cancel,
    pub budget: Budget,
    /// What the cursor of the arguments stands for.
    pub position: Option<Value>,
    /// Binds the cursors of this call to its arguments.
    pub fingerprint: String,
    /// When the call is stopped.
    pub limit: Duration,
    /// When it began.
    pub begun: Instant,
}

impl Ctx {
    pub fn config(&self) -> &Config {
        self.router.config()
    }

    /// How long the call may still wait for something that goes on without it. Ends before the call is stopped, so that
    /// it is this call that says what became of it.
    pub fn patience(&self) -> Duration {
        (self.limit - self.limit / 8).saturating_sub(self.begun.elapsed())
    }

    /// How long to wait for a language server. A wait that is cut by the call's own limit would end in an error
    /// that says less than the answer of a server that is not ready, so it ends a little before.
    pub fn wait(&self, asked_ms: Option<u64>) -> Option<Duration> {
        asked_ms.map(|asked| Duration::from_millis(asked).min(self.limit - self.limit / 8))
    }

    /// What the dialect's own variables and files say; `None` where nobody read them.
    pub fn settings<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.config().dialect_settings.clone()?.downcast().ok()
    }

    /// Refuses a folder or file that a call names where somebody said which may be read. The words are the same whether
    /// or not it is there.
    pub fn allow(&self, named: &Path) -> Result<(), Problem> {
        let config = self.router.config();
        if !config.restricted {
            return Ok(());
        }
        match config.roots.resolve(&named.to_string_lossy()) {
            Ok(_) => Ok(()),
            Err(refused) => Err(refused.into()),
        }
    }

    /// A session in another folder, with an engine of its own. What a killed process left there is put right first.
    pub async fn session_at(&self, root: PathBuf) -> Result<Lent, Problem> {
        self.allow(&root)?;
        let router = self.router.clone();
        let made = tokio::task::spawn_blocking(move || match router.elsewhere() {
            Some(elsewhere) => elsewhere.session(&root),
            None => Err(Problem::new(ErrorKind::Unsupported, "no other folder can be worked in here")),
        });
        let session = made.await.map_err(|error| {
            Problem::new(ErrorKind::InternalError, format!("the folder could not be opened: {error}"))
        })??;
        let recovered = session.settle().await;
        session.tell_later(recovered);
        Ok(session)
    }

    /// The position that the cursor carries, or the beginning.
    pub fn position<P: DeserializeOwned + Default>(&self) -> Result<P, Problem> {
        match &self.position {
            None => Ok(P::default()),
            Some(value) => {
                serde_json::from_value(value.clone()).map_err(|_| crate::render::cursor::invalid())
            }
        }
    }
}

type Running = Pin<Box<dyn Future<Output = Result<Reply, Problem>> + Send>>;

/// A row of the tool list: everything the router, the documentation and the tests need to know.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub toolset: Toolset,
    pub default: bool,
    pub effect: Effect,
    pub destructive: bool,
    pub open_world: bool,
    pub paged: bool,
    pub own_max_results: bool,
    pub instant: bool,
    /// The router checks the arguments against the schema.
    pub checked: bool,
    pub usual_chars: Option<usize>,
    pub output: &'static [(&'static str, &'static str)],
    pub input_schema: fn() -> Map<String, Value>,
    pub run: fn(Map<String, Value>, Ctx) -> Running,
}

/// The list entry of a tool.
pub const fn entry<T: Tool>() -> Entry {
    Entry {
        name: T::NAME,
        title: T::TITLE,
        description: T::DESCRIPTION,
        toolset: T::TOOLSET,
        default: T::DEFAULT,
        effect: T::EFFECT,
        destructive: T::DESTRUCTIVE || matches!(T::EFFECT, Effect::Write),
        open_world: T::OPEN_WORLD,
        paged: T::PAGED,
        own_max_results: T::OWN_MAX_RESULTS,
        instant: T::INSTANT,
        checked: true,
        usual_chars: T::USUAL_CHARS,
        output: T::OUTPUT,
        input_schema: || {
            schema::input::<T::Args>(schema::General {
                cursor: T::PAGED,
                max_results: T::PAGED && !T::OWN_MAX_RESULTS,
                usual_chars: T::USUAL_CHARS,
            })
        },
        run: |arguments, ctx| Box::pin(start::<T>(arguments, ctx)),
    }
}

async fn start<T: Tool>(arguments: Map<String, Value>, ctx: Ctx) -> Result<Reply, Problem> {
    T::run(parse(arguments)?, ctx).await
}

/// The schema was checked before; what still fails here is a rule the schema cannot say.
pub(crate) fn parse<A: DeserializeOwned>(arguments: Map<String, Value>) -> Result<A, Problem> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Problem::new(ErrorKind::InvalidParams, error.to_string()).detail("wrong_type"))
}

impl std::fmt::Debug for Ctx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ctx").field("budget", &self.budget).finish_non_exhaustive()
    }
}

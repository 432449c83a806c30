//! Another system's contract on this engine: its tools, how it wraps answers and errors, its settings.
//!
//! A dialect owns names and shapes and no logic: its tools make the same calls of the engine as the native ones. Clients
//! of the other system point at `orienteer mcp --dialect NAME` and find what its documentation promises.

use std::any::Any;
use std::future::Future;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use orienteer_base::answer::Warning;
use orienteer_base::{Budget, Problem};
use orienteer_engine::ServerSpec;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::config::Given;
use crate::config::layers::ConfigError;
use crate::config::limits::Limit;
use crate::error::Failure;
use crate::logging::LogShape;
use crate::render::{Limits, Outcome, Reply};
use crate::router::{Progress, Refused};
use crate::schema;
use crate::tool::{self, Ctx, Effect, Entry, Toolset};
use crate::transport::framing::Framing;

/// See the module.
pub struct Dialect {
    /// As it is written behind `--dialect`.
    pub name: &'static str,
    pub tools: &'static [Entry],
    pub envelope: &'static dyn Envelope,
    /// What every client is told once; the native dialect makes its own from the tools that are offered.
    pub instructions: Option<&'static str>,
    /// What the other system's variables and files say, in our words.
    pub settings: fn(&Given, &Path) -> Result<Foreign, ConfigError>,
}

impl Dialect {
    /// Whether toolsets, allow and exclude lists, which name native tools, count.
    pub fn is_native(&self) -> bool {
        self.name == "native"
    }
}

impl std::fmt::Debug for Dialect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dialect").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Settings of another system, translated. They lie over the files of ours and under `ORIENTEER_*` and flags.
#[derive(Debug, Default)]
pub struct Foreign {
    /// Our key, the value as text, and where it came from: `PYRIGHT_MCP_LOG_LEVEL`.
    pub values: Vec<(&'static str, String, String)>,
    /// Limits of a file that comes with the project. Untrusted, they only lower what holds without them.
    pub limits: Vec<Limit>,
    /// What of the other system's files does not count, and why.
    pub warnings: Vec<Warning>,
    /// Language servers, and where they came from. Commands of a project that is not trusted do not belong in here.
    pub servers: Vec<(ServerSpec, String)>,
    /// Language servers as the other system has them, unless somebody configured one of the same id here.
    pub usual_servers: Vec<(ServerSpec, String)>,
    /// Servers of ours that the other system would not take, unless somebody configured them here.
    pub passed_over: Vec<String>,
    /// Servers or languages that are turned off, besides those of `lsp.disabled`.
    pub disabled: Vec<String>,
    /// What was asked for and not taken over because the project is not trusted, for `doctor` and the log.
    pub withheld: Vec<String>,
    /// Folders of the user that are searched for programs after those of `PATH`.
    pub path_folders: Vec<PathBuf>,
    /// Serve HTTP there unless a flag says otherwise.
    pub http: Option<SocketAddr>,
    /// How many other folders are worked in at the same time.
    pub pool: Option<usize>,
    /// Tools that are not offered, as if there were none.
    pub hidden: Vec<&'static str>,
    /// How the log looks.
    pub log_shape: LogShape,
    /// Holds everything that can be made or fetched again, in place of the platform's folder.
    pub cache_folder: Option<PathBuf>,
    /// What only the dialect itself understands; its tools read it with [`Ctx::settings`].
    pub own: Option<Arc<dyn Any + Send + Sync>>,
}

/// What an answer is rendered with besides itself.
#[derive(Debug)]
pub struct Rendering<'a> {
    pub input: &'a Map<String, Value>,
    pub limits: Limits,
    pub fingerprint: &'a str,
}

/// How answers, errors and progress go out.
pub trait Envelope: Send + Sync {
    fn success(&self, entry: &Entry, reply: Reply, with: &Rendering<'_>) -> Outcome;

    fn failure(
        &self,
        entry: &Entry,
        arguments: &Map<String, Value>,
        failure: &Failure,
        budget: Budget,
    ) -> Outcome;

    /// Whether answers go out as structured content beside the text, and tools have output schemas.
    fn structured(&self) -> bool {
        false
    }

    /// What the log says when a call begins, inside the span of the call.
    fn log_begin(&self, _tool: &str, _arguments: &Map<String, Value>) {
        tracing::info!("started");
    }

    /// What the log says when a call has ended.
    fn log_end(&self, took: Duration, result: &Result<Outcome, Refused>) {
        let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        match result {
            Ok(outcome) if outcome.is_error => {
                let kind = outcome.structured.get("error").and_then(|error| error.get("kind"));
                let kind = kind.and_then(|kind| kind.as_str());
                tracing::warn!(took_ms, kind, "failed");
            }
            Ok(outcome) => tracing::info!(took_ms, chars = outcome.chars(), "completed"),
            Err(refused) => tracing::warn!(took_ms, ?refused, "refused"),
        }
    }

    /// The answer to a call that the client cancelled, where the other system gives one. MCP has none.
    fn cancelled(&self) -> Option<Outcome> {
        None
    }

    /// How long a call of a tool may take where nobody set a time, if that is not the usual.
    fn patience(&self, _tool: &str) -> Option<Duration> {
        None
    }

    /// How the other system's clients frame messages; assumed until one has written something.
    fn framing(&self) -> Framing {
        Framing::Lines
    }

    /// The parameters of `notifications/progress` where they are not MCP's. Called for every call, asked for or not.
    fn progress(&self, _request: &Value, _tool: &str, _progress: &Progress) -> Option<Map<String, Value>> {
        None
    }
}

/// A tool of a dialect: what it takes and gives is the other system's, what it does is one call of the engine.
pub trait DialectTool: 'static {
    const NAME: &'static str;
    const TITLE: &'static str;
    const DESCRIPTION: &'static str;
    const EFFECT: Effect = Effect::Read;
    const DESTRUCTIVE: bool = false;
    const OPEN_WORLD: bool = false;
    /// Never queued: it answers from memory, or it must get through while everything else waits.
    const INSTANT: bool = false;
    /// The router checks the arguments against the schema. A tool whose rows are to fail one by one checks them itself.
    const CHECKED: bool = true;
    type Args: DeserializeOwned + schemars::JsonSchema + Send;

    /// The schema that clients see, where it is not simply that of the arguments.
    fn schema() -> Map<String, Value> {
        schema::plain::<Self::Args>()
    }

    /// The payload, in the documented shape; the envelope goes around it.
    fn run(args: Self::Args, ctx: Ctx) -> impl Future<Output = Result<Map<String, Value>, Problem>> + Send;
}

/// The list entry of a dialect's tool.
pub const fn entry<T: DialectTool>() -> Entry {
    Entry {
        name: T::NAME,
        title: T::TITLE,
        description: T::DESCRIPTION,
        toolset: Toolset::Ops,
        default: true,
        effect: T::EFFECT,
        destructive: T::DESTRUCTIVE || matches!(T::EFFECT, Effect::Write | Effect::Asked),
        open_world: T::OPEN_WORLD,
        paged: false,
        own_max_results: true,
        instant: T::INSTANT,
        checked: T::CHECKED,
        usual_chars: None,
        output: &[],
        input_schema: T::schema,
        run: |arguments, ctx| Box::pin(start::<T>(arguments, ctx)),
    }
}

async fn start<T: DialectTool>(arguments: Map<String, Value>, ctx: Ctx) -> Result<Reply, Problem> {
    let args = tool::parse(arguments)?;
    let fields = T::run(args, ctx).await?;
    Ok(Reply { fields, ..Reply::default() })
}

/// An object as the text of an answer.
pub fn written(structured: Map<String, Value>, is_error: bool) -> Outcome {
    let text = Value::Object(structured.clone()).to_string();
    Outcome { text, structured, is_error }
}

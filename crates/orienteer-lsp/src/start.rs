//! From a definition and a folder to a server that has said hello.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use orienteer_base::ColumnUnit;
use orienteer_process::{DEFAULT_ALLOWED, Environment, ProcessError, ProcessSpec};
use orienteer_watch::Watch;
use serde_json::{Value, json};

use crate::capability::{Capabilities, ours};
use crate::capture::Capture;
use crate::definition::Definition;
use crate::documents::is_marker;
use crate::failure::Failure;
use crate::inbound::{Listener, folder_of};
use crate::latency::Latencies;
use crate::limits::Limits;
use crate::live::{Deleted, InStep, Live};
use crate::position;
use crate::program::{self, Found};
use crate::published::Published;
use crate::quirk::clangd::{Listed, Readings};
use crate::quirk::{self, eslint::Verdicts};
use crate::ready::Ready;
use crate::sentinel::Sentinels;
use crate::silence::Silence;
use crate::surroundings::Surroundings;
use crate::uri;
use crate::wire::{Lost, Wire};

/// What is kept of a server's standard error.
const STDERR_KEPT: usize = 64 << 10;

/// What a start is made of.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) definition: Arc<Definition>,
    pub(crate) root: PathBuf,
    pub(crate) generation: u64,
    pub(crate) surroundings: Arc<Surroundings>,
    pub(crate) latencies: Arc<Latencies>,
    /// Documents that were open before a crash.
    pub(crate) reopen: Vec<PathBuf>,
}

/// Starts a server: finds it, spawns it, greets it, gives it back its documents.
pub(crate) async fn start(plan: Plan) -> Result<Arc<Live>, Failure> {
    let definition = plan.definition.clone();
    let here = &plan.surroundings;
    let found = here.find(&definition, &plan.root).await?;
    let mut adapted =
        program::adapt(&definition, &plan.root, &here.roots, &here.environment, &found, here.local_programs);
    let watching = here.watches.of(&plan.root);
    if definition.is("rust-analyzer") {
        let options = &mut adapted.initialization_options;
        quirk::rust_sources::add(options, &plan.root, found.restricted.as_ref(), here).await;
    }
    let folders = workspace_folders(&definition, &plan.root, here);
    let ready = Arc::new(Ready::new(&definition));
    let published = Arc::new(Published::default());
    let silence = Arc::new(Silence::new(definition.mute.clone()));
    let capture = Arc::new(Capture::default());
    let verdicts = definition.is("eslint").then(Arc::<Verdicts>::default);
    let readings = Arc::<Readings>::default();
    let listener = Arc::new(Listener {
        server_id: definition.id.clone(),
        folders: folders.clone(),
        settings: adapted.settings.clone(),
        ready: ready.clone(),
        published: published.clone(),
        silence: silence.clone(),
        capture: capture.clone(),
        verdicts: verdicts.clone(),
        readings: readings.clone(),
        registered: Arc::new(OnceLock::new()),
        early: Mutex::default(),
    });
    // Looked at before the server looks: what is installed meanwhile counts as new.
    let sentinels = Sentinels::of(&definition, &plan.root, here.roots.workspace());
    let spec = process(&definition, &plan.root, &found, &adapted.env, here);
    let flags = spec.environment.get("CLANGD_FLAGS").and_then(|flags| flags.to_str());
    let limits = Limits::of(&definition, &found.args, flags, &adapted.settings);
    let listed = Listed::of(&definition, &plan.root, found.args.iter(), flags);
    let started = Instant::now();
    let mut child = here.launcher.spawn(&spec).map_err(|error| not_spawned(&definition, &found, &error))?;
    tracing::info!(server = definition.id, pid = child.pid(), root = %plan.root.display(), "started");
    let (Some(stdin), Some(stdout)) = (child.take_stdin(), child.take_stdout()) else {
        return Err(failed(&definition, &found, "its pipes could not be opened", None, String::new()));
    };
    let wire = Wire::start(stdin, stdout, listener.clone());
    // Before the server reads anything: whatever changes after it has read it is told. What changed during the
    // start may be told although it is known, which does no harm.
    let watch =
        watching.await.map_err(|message| failed(&definition, &found, &message, None, String::new()))?;
    let sentinels = match &verdicts {
        Some(_) => {
            let (definition, root, watch) = (definition.clone(), plan.root.clone(), watch.watch.clone());
            let look = move || configuration_of_eslint(&definition, &root, &watch);
            sentinels.and(tokio::task::spawn_blocking(look).await.unwrap_or_default())
        }
        None => sentinels,
    };
    let params = initialize(&definition, &plan.root, &folders, &adapted.initialization_options);
    let greeting = wire.request("initialize", params);
    let reply = tokio::time::timeout(definition.initialize_timeout, greeting.reply()).await;
    let hello = match reply {
        Ok(Ok(hello)) => hello.value(),
        Ok(Err(Lost::Error(error))) => {
            let message = format!("it refused `initialize`: {}", error.message);
            return Err(failed(&definition, &found, &message, None, child.stderr_tail()));
        }
        Ok(Err(Lost::Closed)) => {
            let grace = std::time::Duration::from_secs(2);
            let status = tokio::time::timeout(grace, child.wait()).await.ok().and_then(Result::ok);
            let code = status.and_then(|status| status.code());
            let how = status.map_or_else(|| "its output ended".to_owned(), |status| status.to_string());
            return Err(failed(
                &definition,
                &found,
                &format!("it ended before it was ready ({how})"),
                code,
                child.stderr_tail(),
            ));
        }
        Err(_) => {
            let ms = definition.initialize_timeout.as_millis();
            return Err(failed(
                &definition,
                &found,
                &format!("it did not answer `initialize` within {ms} ms"),
                None,
                child.stderr_tail(),
            ));
        }
    };
    let mut capabilities = Capabilities::new(hello["capabilities"].clone()).without(&definition.lacks);
    if found.restricted.is_some() {
        let lacks: Vec<String> =
            program::LACKS_WITHOUT_TRUST.iter().map(|&method| method.to_owned()).collect();
        capabilities = capabilities.without(&lacks);
    }
    let capabilities = Arc::new(capabilities);
    listener.settle(capabilities.clone());
    wire.notify("initialized", json!({}));
    if adapted.settings.as_object().is_some_and(|settings| !settings.is_empty()) {
        wire.notify("workspace/didChangeConfiguration", json!({ "settings": adapted.settings }));
    }
    let unit = if definition.counts_characters {
        ColumnUnit::Utf32
    } else {
        position::unit(capabilities.encoding())
    };
    let live = Arc::new(Live {
        version: version(&hello).or(found.version),
        is_restricted: found.restricted.is_some(),
        root: plan.root,
        generation: plan.generation,
        started,
        child,
        wire,
        capabilities,
        ready,
        published,
        silence,
        capture,
        verdicts,
        readings,
        listed,
        texts: here.texts.clone(),
        watch: watch.watch,
        watches: here.watches.clone(),
        roots: here.roots.clone(),
        sentinels,
        unit,
        limits,
        state: tokio::sync::Mutex::new(InStep::new(watch.from)),
        latencies: plan.latencies,
        blind: AtomicBool::new(false),
        turn: tokio::sync::RwLock::new(()),
        imagined: std::sync::RwLock::default(),
        spoiled: AtomicBool::new(false),
        open_documents: AtomicU64::new(0),
        recalled: std::sync::Mutex::default(),
        deleted: Deleted::default(),
        definition,
    });
    let reopen: Vec<&Path> = plan.reopen.iter().map(PathBuf::as_path).filter(|path| path.is_file()).collect();
    if !reopen.is_empty() {
        // If it is gone again, the next question finds out.
        let _ = live.barrier(&reopen).await;
    }
    Ok(live)
}

/// Nothing of it is loaded before the first file is opened.
fn configuration_of_eslint(definition: &Definition, root: &Path, watch: &Watch) -> Vec<PathBuf> {
    let all = watch.files().into_iter();
    quirk::eslint::modules::of(all.filter(|path| is_marker(definition, path)).collect(), root)
}

/// Servers write their version as a string, or as JSON inside a string.
fn version(hello: &Value) -> Option<String> {
    let version = hello["serverInfo"]["version"].as_str()?;
    let inner: Option<Value> = serde_json::from_str(version).ok();
    let inner =
        inner.as_ref().and_then(|inner| inner["GoVersion"].as_str().or_else(|| inner["Version"].as_str()));
    Some(inner.unwrap_or(version).chars().take(80).collect())
}

fn initialize(definition: &Definition, root: &Path, folders: &[PathBuf], options: &Value) -> Value {
    let mut params = json!({
        "processId": std::process::id(),
        "clientInfo": { "name": "orienteer", "version": env!("CARGO_PKG_VERSION") },
        "rootPath": root.to_string_lossy(),
        "rootUri": uri::from_path(root),
        "workspaceFolders": folders.iter().map(|folder| folder_of(folder)).collect::<Vec<_>>(),
        "capabilities": ours(definition),
        "trace": "off",
    });
    if !options.is_null() {
        params["initializationOptions"] = options.clone();
    }
    params
}

fn workspace_folders(definition: &Definition, root: &Path, here: &Surroundings) -> Vec<PathBuf> {
    let mut folders = vec![root.to_path_buf()];
    for folder in &definition.workspace_folders {
        let folder = here.roots.workspace().join(folder);
        if folder.is_dir() && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

fn process(
    definition: &Definition,
    root: &Path,
    found: &Found,
    adapted: &[(String, String)],
    here: &Surroundings,
) -> ProcessSpec {
    let names: Vec<&str> =
        DEFAULT_ALLOWED.iter().copied().chain(definition.environment.iter().map(String::as_str)).collect();
    let all = found
        .restricted
        .as_ref()
        .map_or_else(|| here.environment.clone(), |restricted| restricted.environment(&here.environment));
    let mut environment: Environment = all.allow_list(&names);
    for (name, value) in adapted {
        environment = environment.with(name, value);
    }
    for (name, value) in &definition.env {
        environment = environment.with(name, &value.0);
    }
    let environment = program::guarded(environment, definition, found);
    let cwd = match &definition.cwd {
        Some(cwd) => here.roots.workspace().join(cwd),
        None => root.to_path_buf(),
    };
    ProcessSpec::new(&found.path, cwd, environment).args(&found.args).stderr_limit(STDERR_KEPT)
}

fn command(found: &Found) -> String {
    let words = std::iter::once(found.path.display().to_string()).chain(found.args.iter().cloned());
    words.collect::<Vec<_>>().join(" ")
}

fn not_spawned(definition: &Definition, found: &Found, error: &ProcessError) -> Failure {
    failed(definition, found, &error.to_string(), None, String::new())
}

fn failed(
    definition: &Definition,
    found: &Found,
    message: &str,
    exit_code: Option<i32>,
    stderr: String,
) -> Failure {
    Failure::StartFailed {
        server: definition.id.clone(),
        command: command(found),
        message: message.to_owned(),
        exit_code,
        stderr: last_lines(&stderr),
        retry_after_ms: None,
    }
}

/// The end of what a server wrote to standard error: enough to see why.
pub(crate) fn last_lines(stderr: &str) -> String {
    let lines: Vec<&str> = stderr.lines().rev().filter(|line| !line.trim().is_empty()).take(20).collect();
    let text = lines.into_iter().rev().collect::<Vec<_>>().join("\n");
    let skip = text.chars().count().saturating_sub(2_000);
    text.chars().skip(skip).collect()
}

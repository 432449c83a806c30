//! How is Cargo asked, and what does its output say?

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use orienteer_base::code::Severity;
use orienteer_base::{ColumnUnit, Problem};
use orienteer_process::Environment;

use super::json::{self, Fields, Json};
use super::projects::CargoProjects;
use super::run::{Command, Outcome, Runner};
use super::sources::{Counting, Finding, Sources, Spot};
use super::{CheckerStatus, Part};
use crate::blocking::blocking;

const NAME: &str = "cargo";
const HINT: &str = "install Rust from https://rustup.rs and put `~/.cargo/bin` on the PATH";
/// `--keep-going`: a broken package must not hide what is wrong with its neighbours. `--offline`: a check downloads
/// nothing. Not `--quiet`, because the last words then say when Cargo waits for the lock of the build folder.
const CHECK: [&str; 7] = [
    "check",
    "--workspace",
    "--all-targets",
    "--keep-going",
    "--offline",
    "--message-format=json",
    "--color=never",
];
const METADATA: [&str; 6] =
    ["metadata", "--no-deps", "--format-version=1", "--offline", "--color=never", "--quiet"];
const VARIABLES: &[&str] = &[
    "CARGO_*",
    "RUSTUP_*",
    "RUSTC",
    "RUSTC_*",
    "RUSTDOC",
    "RUSTFLAGS",
    "RUSTDOCFLAGS",
    "RUST_TARGET_PATH",
    // What build scripts that compile C ask for.
    "CC",
    "CC_*",
    "CXX",
    "CXX_*",
    "AR",
    "AR_*",
    "CFLAGS*",
    "CXXFLAGS*",
    "LDFLAGS",
    "LD_LIBRARY_PATH",
    "LIBRARY_PATH",
    "CPATH",
    "PKG_CONFIG*",
    "OPENSSL_*",
    "LIBCLANG_PATH",
    "LLVM_*",
    "PROTOC",
    "SDKROOT",
    "DEVELOPER_DIR",
    "MACOSX_DEPLOYMENT_TARGET",
    "INCLUDE",
    "LIB",
    "LIBPATH",
    "VCINSTALLDIR",
    "VSINSTALLDIR",
    "WindowsSdk*",
];
/// More names than this help nobody; the count tells the rest.
const NAMED: usize = 20;
/// rustc leaves a byte order mark out and ends lines at newlines only.
const COUNTING: Counting = Counting { unit: ColumnUnit::Utf32, counts_mark: false, line_ends: &['\n'] };

pub(super) async fn check(runner: &Runner<'_>, projects: &CargoProjects) -> Result<Part, Problem> {
    let mut part = Part::default();
    if !projects.folders.iter().all(|folder| runner.check.trusts(folder)) {
        // The outermost of them stands for those inside it.
        let is_outermost = |folder: &&PathBuf| {
            !projects.folders.iter().any(|other| other != *folder && folder.starts_with(other))
        };
        let refused = projects.folders.iter().filter(is_outermost);
        part.ran.extend(refused.map(|folder| runner.refused(command(runner, folder, &CHECK))));
        return Ok(part);
    }
    let mut roots: BTreeSet<PathBuf> = BTreeSet::new();
    let mut members: BTreeSet<PathBuf> = BTreeSet::new();
    for folder in &projects.folders {
        if members.contains(&folder.join("Cargo.toml")) {
            continue;
        }
        // The workspace that a package belongs to, as Cargo sees it: paths in its output start there.
        let mut asked = runner.run(command(runner, folder, &METADATA)).await?;
        let Some(workspace) = workspace(&mut asked) else {
            part.ran.push(asked.ran);
            continue;
        };
        members.extend(workspace.members.iter().cloned());
        if !roots.insert(workspace.root.clone()) {
            continue;
        }
        let outcome = runner.run(command(runner, &workspace.root, &CHECK)).await?;
        add(runner, outcome, &workspace, &mut part).await?;
    }
    let outside = projects.nested.iter().filter(|manifest| !members.contains(*manifest));
    // A workspace's own manifest may hold no package.
    let outside = outside.filter(|manifest| manifest.parent().is_none_or(|folder| !roots.contains(folder)));
    if part.ran.iter().any(|ran| !matches!(ran.status, CheckerStatus::NotInstalled { .. })) {
        part.left_out.extend(outside.map(|manifest| {
            let shown = runner.check.roots.show(manifest);
            format!("{shown}: not a member of the workspace around it; ask about its own folder")
        }));
    }
    Ok(part)
}

fn command(runner: &Runner<'_>, folder: &Path, args: &[&str]) -> Command {
    Command {
        name: NAME,
        program: "cargo".into(),
        args: args.iter().map(Into::into).collect(),
        folder: folder.to_owned(),
        environment: environment(runner),
        hint: HINT.to_owned(),
    }
}

fn environment(runner: &Runner<'_>) -> Environment {
    // A project's `rust-toolchain.toml` must not make rustup download a toolchain.
    Environment::default().with("RUSTUP_AUTO_INSTALL", "0").merged_with(runner.environment(VARIABLES))
}

struct Workspace {
    root: PathBuf,
    /// Manifests.
    members: Vec<PathBuf>,
    /// The main files of what `--all-targets` checks.
    targets: Vec<String>,
}

fn workspace(asked: &mut Outcome) -> Option<Workspace> {
    let output = asked.output.as_ref()?;
    let json = output.status.success().then(|| json::parse(output.stdout.text().trim())).flatten();
    let root = json.as_ref().and_then(|json| json.text("workspace_root")).map(PathBuf::from);
    let (Some(json), Some(root)) = (json, root) else {
        asked.fail("its metadata could not be read");
        return None;
    };
    let canonical = |path: PathBuf| std::fs::canonicalize(&path).unwrap_or(path);
    let manifests = json.list("packages").iter().filter_map(|package| package.text("manifest_path"));
    let members = manifests.map(|manifest| canonical(PathBuf::from(manifest))).collect();
    let targets = json.list("packages").iter().flat_map(|package| package.list("targets"));
    let targets = targets.filter(|target| {
        // Those that a feature switches on are not checked by default, and build scripts are run.
        target.list("required-features").is_empty()
            && !target.list("kind").contains(&Json::from("custom-build"))
    });
    let targets = targets.filter_map(|target| target.text("src_path")).map(str::to_owned).collect();
    Some(Workspace { root: canonical(root), members, targets })
}

async fn add(
    runner: &Runner<'_>,
    mut outcome: Outcome,
    workspace: &Workspace,
    part: &mut Part,
) -> Result<(), Problem> {
    if let Some(output) = outcome.output.take() {
        let (roots, base) = (runner.check.roots.clone(), workspace.root.clone());
        let (parsed, diagnostics, output) = blocking(runner.cancel, move || {
            let mut parsed = parse(&output.stdout.text(), &base);
            let mut sources = Sources::new(&roots, &base, COUNTING);
            let findings = std::mem::take(&mut parsed.findings);
            let diagnostics: Vec<_> =
                findings.into_iter().map(|finding| sources.diagnostic(finding, "rustc")).collect();
            Ok((parsed, diagnostics, output))
        })
        .await?;
        outcome.ran.unread_lines = parsed.unread;
        let explained = diagnostics.iter().any(|found| found.severity == Severity::Error);
        // A build script that failed leaves its dependants unchecked, whatever was found elsewhere.
        let stuck = output.stderr.text().contains("failed to run custom build command");
        let ended = parsed.success.is_some() || outcome.ran.truncated;
        let success = output.status.success();
        outcome.output = Some(output);
        if stuck || !ended || (!success && !explained) {
            outcome.fail("it ended without saying why");
        }
        if parsed.success == Some(false) {
            part.left_out.extend(unchecked(runner, &workspace.targets, &parsed.seen));
        }
        part.diagnostics.extend(diagnostics);
    }
    part.ran.push(outcome.ran);
    Ok(())
}

/// What depends on something broken is not looked at: its findings are unknown, not gone.
fn unchecked(runner: &Runner<'_>, targets: &[String], seen: &BTreeSet<String>) -> Vec<String> {
    let missing: BTreeSet<&String> = targets.iter().filter(|target| !seen.contains(*target)).collect();
    let shown = missing.iter().take(NAMED).map(|target| {
        let path = Path::new(target);
        let path = std::fs::canonicalize(path).unwrap_or(path.to_owned());
        format!("{}: not checked, because something it depends on is broken", runner.check.roots.show(&path))
    });
    let more = missing.len().saturating_sub(NAMED);
    let more = (more > 0)
        .then(|| format!("{more} more targets: not checked, because something they depend on is broken"));
    shown.chain(more).collect()
}

#[derive(Debug, Default)]
struct Parsed {
    findings: Vec<Finding>,
    unread: usize,
    /// What Cargo said at its end; `None` when it did not come so far.
    success: Option<bool>,
    /// The main files of the targets that were looked at.
    seen: BTreeSet<String>,
}

/// Reads what `--message-format=json` writes: a document a line, between whatever macros and build scripts print.
fn parse(output: &str, root: &Path) -> Parsed {
    let mut parsed = Parsed::default();
    for line in output.lines().filter(|line| !line.trim().is_empty()) {
        let json = line.starts_with('{').then(|| json::parse(line)).flatten();
        let Some((json, reason)) = json.as_ref().and_then(|json| Some((json, json.text("reason")?))) else {
            parsed.unread += 1;
            continue;
        };
        let source = json.get("target").and_then(|target| target.text("src_path"));
        parsed.seen.extend(source.map(str::to_owned));
        match reason {
            "build-finished" => parsed.success = Some(json.flag("success")),
            "compiler-message" => {
                parsed
                    .findings
                    .extend(json.get("message").and_then(|message| finding(message, source, root)));
            }
            _ => {}
        }
    }
    parsed
}

fn finding(message: &Json, source: Option<&str>, root: &Path) -> Option<Finding> {
    let severity = match message.text("level")? {
        "warning" => Severity::Warning,
        "note" => Severity::Info,
        "help" => Severity::Hint,
        level if level.starts_with("error") => Severity::Error,
        _ => return None,
    };
    let words = message.text("message")?;
    let spans = message.list("spans");
    if spans.is_empty() && (words.starts_with("aborting due to") || words.ends_with("emitted")) {
        return None;
    }
    let main = spans.iter().find(|span| span.flag("is_primary")).or(spans.first());
    let place = main.and_then(|span| Place::of(span, root));
    let mut found = Finding {
        file: place.as_ref().map(|place| place.file.clone()).or(source.map(str::to_owned))?,
        start: place.as_ref().map_or(Spot { line: 1, column: 1 }, |place| place.start),
        end: place.as_ref().map_or(Spot { line: 1, column: 1 }, |place| place.end),
        severity,
        code: message.get("code").and_then(|code| code.text("code")).map(str::to_owned),
        message: words.to_owned(),
        related: Vec::new(),
        fixes: Vec::new(),
    };
    if let Some(label) = main.and_then(|span| span.text("label")).filter(|label| !label.is_empty()) {
        found.message.push_str(&format!("\n{label}"));
    }
    found.related.extend(place.and_then(|place| place.inside));
    for span in spans.iter().filter(|span| !main.is_some_and(|main| std::ptr::eq(main, *span))) {
        let label = span.text("label").filter(|label| !label.is_empty());
        found.relate(span, label.unwrap_or("also here"), root);
    }
    for child in message.list("children") {
        found.explain(child, root);
    }
    Some(found)
}

impl Finding {
    fn relate(&mut self, span: &Json, message: &str, root: &Path) {
        let Some(place) = Place::of(span, root) else { return };
        let related = (place.file, place.start, message.to_owned());
        let is_itself = related.0 == self.file && related.1 == self.start;
        if !is_itself && !self.related.contains(&related) {
            self.related.push(related);
        }
    }

    /// Takes a note or a suggestion.
    fn explain(&mut self, child: &Json, root: &Path) {
        let (Some(level), Some(words)) = (child.text("level"), child.text("message")) else { return };
        let spans = child.list("spans");
        let replacements: Vec<&str> =
            spans.iter().filter_map(|span| span.text("suggested_replacement")).collect();
        match replacements.as_slice() {
            // Which lint it is and who asked for it; the code says that, and only the first target tells.
            [] if spans.is_empty()
                && (words.starts_with("`#[")
                    || words.starts_with("`-")
                    || words.starts_with("requested on the command line")) => {}
            [] if spans.is_empty() => self.message.push_str(&format!("\n{level}: {words}")),
            [] => {
                for span in spans.iter().filter(|span| span.flag("is_primary")) {
                    self.relate(span, words, root);
                }
            }
            [one] if !one.trim().is_empty() && !one.trim().contains('\n') => {
                self.fixes.push(format!("{words}: `{}`", one.trim()));
            }
            _ => self.fixes.push(words.to_owned()),
        }
    }
}

/// A place in code that somebody wrote.
#[derive(Debug)]
struct Place {
    file: String,
    start: Spot,
    end: Spot,
    /// Where inside a macro's definition the compiler stood.
    inside: Option<(String, Spot, String)>,
}

impl Place {
    /// Code that a macro wrote is told at the outermost place where the user called one.
    fn of(span: &Json, root: &Path) -> Option<Self> {
        let chain: Vec<&Json> =
            std::iter::successors(Some(span), |span| span.get("expansion")?.get("span")).collect();
        let is_file = |span: &&&Json| span.text("file_name").is_some_and(|name| !name.starts_with('<'));
        let is_users = |span: &&&Json| {
            let name = span.text("file_name").map(Path::new);
            name.is_some_and(|name| name.is_relative() || name.starts_with(root))
        };
        let files = || chain.iter().rev().filter(is_file);
        let chosen = *files().find(is_users).or_else(|| files().next())?;
        let (file, start, end) = spot(chosen)?;
        let macro_name = span.get("expansion").and_then(|expansion| expansion.text("macro_decl_name"));
        let inner = spot(span).filter(|_| !std::ptr::eq(chosen, span) && is_file(&&span));
        let inside = inner
            .filter(|(name, at, _)| (name, at) != (&file, &start))
            .map(|(name, at, _)| (name, at, format!("inside the macro `{}`", macro_name.unwrap_or("?"))));
        Some(Self { file, start, end, inside })
    }
}

fn spot(span: &Json) -> Option<(String, Spot, Spot)> {
    let at = |line, column| Some(Spot { line: span.count(line)?, column: span.count(column)? });
    Some((
        span.text("file_name")?.to_owned(),
        at("line_start", "column_start")?,
        at("line_end", "column_end")?,
    ))
}

#[cfg(test)]
mod tests;

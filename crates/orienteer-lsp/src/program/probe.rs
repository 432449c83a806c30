//! Is a program what its name promises?

use std::path::Path;
use std::time::Duration;

use orienteer_process::{CancellationToken, DEFAULT_ALLOWED, Environment, Launcher, ProcessSpec};

use crate::definition::{Candidate, Definition};

const PATIENCE: Duration = Duration::from_secs(10);
/// How much of a line is worth showing.
const MOST_CHARS: usize = 200;

/// What the program says about itself, or why it is not the one. A candidate without a probe is believed.
pub(super) async fn run(
    definition: &Definition,
    candidate: &Candidate,
    path: &Path,
    cwd: &Path,
    environment: &Environment,
    launcher: &Launcher,
) -> Result<Option<String>, String> {
    if candidate.probe.is_empty() {
        return Ok(None);
    }
    let names: Vec<&str> =
        DEFAULT_ALLOWED.iter().copied().chain(definition.environment.iter().map(String::as_str)).collect();
    let given = definition.env.iter().map(|(name, value)| (name, &value.0));
    let environment = environment.allow_list(&names).merged_with(Environment::from_pairs(given));
    let spec = ProcessSpec::new(path, cwd, environment)
        .args(&candidate.probe)
        .timeout(PATIENCE)
        .stdout_limit(16 * 1024)
        .stderr_limit(16 * 1024);
    let finished =
        launcher.run(&spec, &CancellationToken::new()).await.map_err(|error| line(&error.to_string()))?;
    let (out, error) = (finished.stdout.text(), finished.stderr.text());
    if !finished.status.success() {
        let said = [&error, &out].into_iter().map(|text| line(text)).find(|line| !line.is_empty());
        return Err(said.unwrap_or_else(|| finished.status.to_string()));
    }
    let has = |word: &String| out.contains(word) || error.contains(word);
    let unwanted = candidate.probe_lacks.iter().find(|word| has(word));
    if let Some(word) = unwanted {
        let said = error.lines().chain(out.lines()).find(|line| line.contains(word.as_str()));
        return Err(line(said.unwrap_or(word)));
    }
    let wanted = &candidate.probe_contains;
    if !wanted.is_empty() && !wanted.iter().any(has) {
        let said = [&out, &error].into_iter().map(|text| line(text)).find(|line| !line.is_empty());
        return Err(said.unwrap_or_else(|| "it printed nothing".to_owned()));
    }
    Ok(Some(line(&out)).filter(|version| !version.is_empty()))
}

/// The first line with something in it.
fn line(text: &str) -> String {
    text.lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default()
        .chars()
        .take(MOST_CHARS)
        .collect()
}

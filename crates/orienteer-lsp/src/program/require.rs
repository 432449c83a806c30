//! Is everything there that a server cannot do without, and new enough?

use std::path::Path;
use std::time::Duration;

use orienteer_process::{CancellationToken, DEFAULT_ALLOWED, Environment, Launcher, ProcessSpec};

use super::Missing;
use crate::definition::Definition;

const PATIENCE: Duration = Duration::from_secs(10);
/// How much of what a program says is worth showing.
const MOST_CHARS: usize = 60;

/// `node>=14` is the program `node`, whose version must begin with 14 or more.
fn read(written: &str) -> (&str, Option<u64>) {
    match written.split_once(">=") {
        Some((program, least)) => (program.trim(), least.trim().parse().ok()),
        None => (written, None),
    }
}

/// Whether all of it is in PATH. Runs nothing.
pub(super) fn present(definition: &Definition, cwd: &Path, environment: &Environment) -> Result<(), Missing> {
    let missing = |(written, _): &&(String, String)| environment.which(read(written).0, cwd).is_empty();
    match definition.requires.iter().find(missing) {
        None => Ok(()),
        Some((written, hint)) => Err(lacking(read(written).0, hint, environment, None)),
    }
}

/// Whether what must have a version has it. What does not say its version in numbers is believed.
pub(super) async fn new_enough(
    definition: &Definition,
    cwd: &Path,
    environment: &Environment,
    launcher: &Launcher,
) -> Result<(), Missing> {
    for (written, hint) in &definition.requires {
        let (program, Some(least)) = read(written) else { continue };
        let Some(path) = environment.which(program, cwd).into_iter().next() else { continue };
        let names: Vec<&str> = DEFAULT_ALLOWED
            .iter()
            .copied()
            .chain(definition.environment.iter().map(String::as_str))
            .collect();
        let spec = ProcessSpec::new(&path, cwd, environment.allow_list(&names))
            .args(["--version"])
            .timeout(PATIENCE)
            .stdout_limit(4 * 1024)
            .stderr_limit(4 * 1024);
        let said = match launcher.run(&spec, &CancellationToken::new()).await {
            Ok(finished) if finished.status.success() => finished.stdout.text().into_owned(),
            // It is there and does not run: that is as good as not there.
            Ok(_) | Err(_) => return Err(lacking(program, hint, environment, None)),
        };
        let said: String = said.trim().lines().next().unwrap_or_default().chars().take(MOST_CHARS).collect();
        if first_number(&said).is_some_and(|number| number < least) {
            let too_old = format!("{said}; {least} or newer is needed");
            return Err(lacking(program, hint, environment, Some(too_old)));
        }
    }
    Ok(())
}

fn lacking(program: &str, hint: &str, environment: &Environment, too_old: Option<String>) -> Missing {
    Missing::Prerequisite {
        program: program.to_owned(),
        hint: hint.to_owned(),
        looked_in: environment.search_path(),
        too_old,
    }
}

/// 18 of `v18.2.0`.
fn first_number(said: &str) -> Option<u64> {
    let digits = said.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    let end = digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
    digits.get(..end)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_requirement_may_name_a_version() {
        assert_eq!(read("npm"), ("npm", None));
        assert_eq!(read("node>=14"), ("node", Some(14)));
        assert_eq!(read("node >= 14"), ("node", Some(14)));
        assert_eq!(read("node>=soon"), ("node", None), "what is no number asks for nothing");
    }

    #[test]
    fn versions_are_told_in_many_ways() {
        assert_eq!(first_number("v18.2.0"), Some(18));
        assert_eq!(first_number("go version go1.22"), Some(1));
        assert_eq!(first_number("unknown"), None);
        assert_eq!(first_number("99999999999999999999999"), None);
    }
}

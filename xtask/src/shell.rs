//! Running programs and saying how long they took.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, bail};

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}

/// A command in the workspace's folder.
pub(crate) fn command(program: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    command
}

/// The cargo that runs us.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), arguments)
}

/// Runs a step, shows its output, fails with its name.
pub(crate) fn step(name: &str, command: &mut Command) -> anyhow::Result<()> {
    println!("── {name}");
    let begun = Instant::now();
    let status = command
        .status()
        .with_context(|| format!("{name}: {:?} could not be started", command.get_program()))?;
    println!("── {name}: {:.0} s", begun.elapsed().as_secs_f64());
    if !status.success() {
        bail!("{name} failed: {status}");
    }
    Ok(())
}

/// The standard output of a command that must succeed.
pub(crate) fn output(command: &mut Command) -> anyhow::Result<String> {
    let output =
        command.output().with_context(|| format!("{:?} could not be started", command.get_program()))?;
    if !output.status.success() {
        bail!(
            "{:?} failed: {}\n{}",
            command.get_program(),
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What `cargo metadata` says, with or without dependencies.
pub(crate) fn metadata(dependencies: bool) -> anyhow::Result<serde_json::Value> {
    let mut arguments = vec!["metadata", "--format-version", "1", "--locked"];
    if !dependencies {
        arguments.push("--no-deps");
    }
    Ok(serde_json::from_str(&output(&mut cargo(&arguments))?)?)
}

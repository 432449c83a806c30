//! `cargo xtask test`.

use std::process::Command;

use crate::shell::{cargo, command, output, step};
use crate::{bench, install, licences, tidy};

pub(crate) fn run(full: bool) -> anyhow::Result<()> {
    tidy::run()?;
    licences::run()?;
    step("format", &mut cargo(&["fmt", "--all", "--check"]))?;
    let tools = install::run()?;
    let path = tools.path()?;
    let prepare = |mut command: Command| {
        command.env("ORIENTEER_TEST_TOOLS", &tools.folder).env("PATH", &path);
        if full {
            command.env("ORIENTEER_TEST_FULL", "1");
        }
        command
    };
    step(
        "lints",
        &mut cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--locked",
            "--quiet",
            "--",
            "-D",
            "warnings",
        ]),
    )?;
    // The programs and examples that tests start have to exist before them, whichever runner runs them.
    step("build", &mut cargo(&["build", "--workspace", "--all-targets", "--locked", "--quiet"]))?;
    let nextest = output(&mut command("cargo", &["nextest", "--version"])).is_ok();
    if nextest {
        step("tests", &mut prepare(cargo(&["nextest", "run", "--workspace", "--locked", "--no-fail-fast"])))?;
        step("doc tests", &mut prepare(cargo(&["test", "--workspace", "--doc", "--locked", "--quiet"])))?;
    } else {
        step("tests", &mut prepare(cargo(&["test", "--workspace", "--locked", "--no-fail-fast"])))?;
    }
    let mut docs =
        cargo(&["doc", "--workspace", "--no-deps", "--document-private-items", "--locked", "--quiet"]);
    step("documentation", docs.env("RUSTDOCFLAGS", "-D warnings"))?;
    if full {
        bench::run()?;
    }
    println!("all checks passed");
    Ok(())
}

/// Rewrites what is generated from the code: the tests compare against it.
pub(crate) fn rewrite_docs() -> anyhow::Result<()> {
    let mut tests = cargo(&["test", "--package", "orienteer", "--test", "it", "--test", "dialects"]);
    tests.args(["--", "docs::", "contract::"]);
    tests.env("ORIENTEER_REWRITE", "1").env("INSTA_UPDATE", "always");
    step("rewrite docs and snapshots", &mut tests)
}

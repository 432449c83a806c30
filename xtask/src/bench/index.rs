//! How fast is the index built, how large is it, how soon does it see a change, and how fast does it answer?

mod bare;
mod build;
mod change;
mod regex;
mod tree;
mod words;

use std::path::Path;

use orienteer_testkit::{Framing, Server};

use super::report::Report;
use crate::install::Tools;

pub(crate) fn measure(orienteer: &Path, tools: &Tools, report: &mut Report) -> anyhow::Result<()> {
    println!("── index");
    let mixed = tree::mixed(tools)?;
    let mut built = vec![build::measure(orienteer, "60 MB of C, TypeScript and Python", &mixed, 3, report)?];
    let mut server = serve(orienteer, &mixed);
    let asked = words::measure(&mut server, &mixed, report)?;
    let changed = change::measure(&mut server, &mixed, report)?;
    drop(server);
    let linux = tree::linux()?;
    built.push(build::measure(orienteer, "the Linux sources", &linux, 1, report)?);
    build::tell(&built, report);
    words::tell(&asked, &changed, report);
    regex::measure(orienteer, &tools.folder.join("cargo/bin/rg"), &linux, report)
}

/// Our server in a tree, with a home beside it.
fn serve(orienteer: &Path, tree: &Path) -> Server {
    let variables = [("ORIENTEER_LOG_LEVEL", "error")];
    let mut server = Server::start_with(orienteer, tree, &["--toolsets", "all"], &variables, Framing::Lines);
    server.initialize("2025-11-25");
    server
}

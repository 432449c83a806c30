//! Answers of GitLab that only a package of Debian carries, which tests read.

use std::fs;
use std::process::Command;

use anyhow::Context;

use super::Tools;
use crate::shell::{command, step};

/// The sources of a client, with the answers that its tests are given. Its version is that of the distribution, which keeps
/// one for as long as it lives.
const PACKAGE: &str = "golang-github-xanzy-go-gitlab-dev";

/// Downloaded and unpacked, not installed: nothing is compiled, so that what it depends on is not needed, nor is an
/// administrator. Only Linux has the tests that read it.
pub(super) fn recorded(tools: &Tools) -> anyhow::Result<()> {
    let folder = tools.folder.join("recorded-gitlab");
    let installed = folder.join("installed");
    if !cfg!(target_os = "linux") || fs::read_to_string(&installed).is_ok_and(|found| found == PACKAGE) {
        return Ok(());
    }
    fs::remove_dir_all(&folder).ok();
    fs::create_dir_all(&folder)?;
    let download = || -> Command {
        let mut download = command("apt-get", &["download", "-qq", PACKAGE]);
        download.current_dir(&folder);
        download
    };
    let name = format!("download {PACKAGE}");
    if step(&name, &mut download()).is_err() {
        // The lists of a fresh container are empty.
        step("update the lists of system packages", &mut command("apt-get", &["update", "-qq"])).ok();
        step(&name, &mut download()).with_context(|| {
            format!(
                "without apt-get, fetch Debian's package {PACKAGE} and unpack it in {}, with a file `installed` that \
                 says {PACKAGE}",
                folder.display()
            )
        })?;
    }
    let mut files = fs::read_dir(&folder)?.collect::<Result<Vec<_>, _>>()?.into_iter();
    let archive = files.next().context("nothing was downloaded")?.path();
    let mut unpack = command("dpkg-deb", &["--extract"]);
    step(&format!("unpack {PACKAGE}"), unpack.arg(&archive).arg(&folder))?;
    fs::remove_file(archive)?;
    fs::write(installed, PACKAGE)?;
    Ok(())
}

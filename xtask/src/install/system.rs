//! Language servers and compilers that belong to the machine: taken as they are when they run, installed by
//! the system's packages or by rustup when not. What is absent after that fails the run: a test that cannot
//! run must not look green.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::bail;

use crate::shell::{command, output, step};

/// One thing that must be there.
struct Need {
    name: &'static str,
    present: fn() -> bool,
    /// Debian packages that bring it, the preferred first. A name may be unknown to a release.
    packages: &'static [&'static str],
    /// A component of rustup that brings it.
    component: Option<&'static str>,
    /// What a person may do where neither is possible.
    advice: &'static str,
}

const NEEDS: &[Need] = &[
    Need {
        name: "git",
        present: || runs("git", &["--version"]),
        packages: &["git"],
        component: None,
        advice: "install git",
    },
    Need {
        name: "strace",
        present: || runs("strace", &["-V"]),
        packages: &["strace"],
        component: None,
        advice: "install strace, with which tests let calls of the system fail",
    },
    Need {
        name: "npm",
        present: || runs("npm", &["--version"]),
        packages: &["npm"],
        component: None,
        advice: "install Node.js 20 or later with npm",
    },
    Need {
        name: "Python with venv",
        present: || runs("python3", &["-c", "import ensurepip, venv"]),
        packages: &["python3-venv"],
        component: None,
        advice: "install Python 3.10 or later",
    },
    Need {
        name: "openssl",
        present: || runs("openssl", &["version"]),
        packages: &["openssl"],
        component: None,
        advice: "install OpenSSL 1.1.1 or later with its command",
    },
    Need {
        name: "gh",
        present: || runs("gh", &["--version"]),
        packages: &["gh"],
        component: None,
        advice: "install gh, the command line of GitHub, 2.17 or later",
    },
    Need {
        name: "a rust-analyzer of 2025 or later",
        present: analyzer,
        packages: &["rust-web-analyzer"],
        component: Some("rust-analyzer"),
        advice: "rustup component add rust-analyzer",
    },
    Need {
        name: "the sources of Rust's standard library",
        // Of the same version.
        present: || standard_library() && analyzer(),
        packages: &["rust-web-src"],
        component: Some("rust-src"),
        advice: "rustup component add rust-src",
    },
    Need {
        name: "clangd",
        present: || runs("clangd-19", &["--version"]) || runs("clangd", &["--version"]),
        packages: &["clangd-19", "clangd"],
        component: None,
        advice: "install clangd 14 or later, from LLVM",
    },
    Need {
        name: "go",
        present: || runs("go", &["version"]),
        packages: &["golang-go"],
        component: None,
        advice: "install Go 1.19 or later",
    },
    Need {
        name: "gopls",
        present: || runs("gopls", &["version"]),
        packages: &["gopls"],
        component: None,
        advice: "go install golang.org/x/tools/gopls@latest, and have its folder in PATH",
    },
];

pub(super) fn install() -> anyhow::Result<()> {
    let missing: Vec<&Need> = NEEDS.iter().filter(|need| !(need.present)()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    if administrator() && runs("apt-get", &["--version"]) {
        by_apt(&missing)?;
    }
    for need in missing.iter().filter(|need| !(need.present)()) {
        if let Some(component) = need.component.filter(|_| runs("rustup", &["--version"])) {
            step(
                &format!("install {} by rustup", need.name),
                &mut command("rustup", &["component", "add", component]),
            )?;
        }
    }
    let absent: Vec<String> = missing
        .iter()
        .filter(|need| !(need.present)())
        .map(|need| {
            format!(
                "{}: {}, or as root: apt-get install {}",
                need.name,
                need.advice,
                need.packages.join(" | ")
            )
        })
        .collect();
    if !absent.is_empty() {
        bail!("the tests need what is not on this machine:\n  {}", absent.join("\n  "));
    }
    Ok(())
}

/// All at once first, since that is quickest; one by one with the second choices where a name is unknown.
fn by_apt(missing: &[&Need]) -> anyhow::Result<()> {
    // The lists of a fresh machine are empty or older than what tests were written against; without a network they have to do.
    step("update the lists of system packages", &mut command("apt-get", &["update", "-qq"])).ok();
    let wanted: Vec<&str> = missing.iter().filter_map(|need| need.packages.first().copied()).collect();
    if step("install system packages", &mut apt(&wanted)).is_ok() {
        return Ok(());
    }
    for need in missing.iter().filter(|need| !(need.present)()) {
        for package in need.packages {
            if step(&format!("install {package}"), &mut apt(&[package])).is_ok() {
                break;
            }
        }
    }
    Ok(())
}

fn apt(packages: &[&str]) -> Command {
    let mut install = command(
        "apt-get",
        &["install", "-y", "-qq", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=120"],
    );
    install.args(packages).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null());
    install
}

/// Whether any program of this name in PATH does as it is told.
fn runs(program: &str, arguments: &[&str]) -> bool {
    said(program, arguments).next().is_some()
}

/// What programs of this name in PATH say. The first may be rustup's stand-in for a component that is not installed; one
/// behind it may be real.
fn said(program: &str, arguments: &[&str]) -> impl Iterator<Item = String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let files: Vec<PathBuf> = std::env::split_paths(&path)
        .map(|folder| folder.join(program).with_extension(std::env::consts::EXE_EXTENSION))
        .filter(|candidate| candidate.is_file())
        .collect();
    files.into_iter().filter_map(move |file| output(&mut command(file, arguments)).ok())
}

/// Older ones list local variables and do not find wrong types by themselves.
const OLDEST_ANALYZER: u32 = 90;

/// Whether there is a rust-analyzer that knows what tests ask: of Rust 1.90 or later, or one of its own numbering.
fn analyzer() -> bool {
    said("rust-analyzer", &["--version"]).any(|said| is_current(&said))
}

fn is_current(said: &str) -> bool {
    let version = said.split_whitespace().nth(1).unwrap_or_default();
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or_default());
    match (parts.next(), parts.next()) {
        (Some(1), Some(minor)) => minor >= OLDEST_ANALYZER,
        (Some(0), Some(_)) => true,
        _ => false,
    }
}

/// Beside the compiler, or where Debian has them: rust-analyzer can be told to use those.
fn standard_library() -> bool {
    let beside = output(&mut command("rustc", &["--print", "sysroot"]))
        .map(|sysroot| PathBuf::from(sysroot.trim()))
        .unwrap_or_default();
    [beside.as_path(), Path::new("/usr")]
        .iter()
        .any(|sysroot| sysroot.join("lib/rustlib/src/rust/library/core/src/lib.rs").is_file())
}

/// Only a system with `id` has packages of apt.
fn administrator() -> bool {
    output(&mut command("id", &["-u"])).is_ok_and(|user| user.trim() == "0")
}

#[cfg(test)]
mod tests {
    use super::is_current;

    #[test]
    fn an_old_analyzer_is_not_enough() {
        for (said, wanted) in [
            ("rust-analyzer 1.96.0 (30a34c68 2026-05-25)", true),
            ("rust-analyzer 1.90.0", true),
            ("rust-analyzer 0.3.2500-standalone", true),
            ("rust-analyzer 1.85.0", false),
            ("error: unknown binary", false),
            ("", false),
        ] {
            assert_eq!(is_current(said), wanted, "{said}");
        }
    }
}

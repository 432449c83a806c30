//! Which lines of a manifest or a lock file bring a package in?
//!
//! Lines are looked at as text: a file that a parser would refuse (a template, a merge conflict) still says what it says, and
//! every answer has its line. One row for each kind of file.

mod lines;

use orienteer_base::triage::Package;

use lines::Find;

/// A kind of file.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    pub ecosystem: &'static str,
    /// Globs on names of files, or on a name and that of its folder.
    pub names: &'static [&'static str],
    /// Written by a program, with everything that comes along.
    pub lock: bool,
    find: Find,
}

/// A line that brings a package in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// 1-based.
    pub line: u32,
    pub text: String,
    pub version: Option<String>,
    /// Who asks for it, where that is another package.
    pub required_by: Option<String>,
    /// The name under which code knows it, where the manifest gives it another one.
    pub alias: Option<String>,
}

macro_rules! kinds {
    ($($ecosystem:literal $lock:literal $find:ident [$($name:literal)*];)*) => {
        &[$(Kind { ecosystem: $ecosystem, names: &[$($name),*], lock: $lock, find: lines::$find }),*]
    };
}

/// Every kind of file that is looked at.
pub static KINDS: &[Kind] = kinds! {
    "npm" false json_key ["package.json"];
    "npm" true npm_lock ["package-lock.json" "npm-shrinkwrap.json"];
    "npm" true yarn_lock ["yarn.lock"];
    "npm" true pnpm_lock ["pnpm-lock.yaml"];
    "npm" true bun_lock ["bun.lock" "bun.lockb"];
    "pypi" false requirement ["requirements*.txt" "requirements*.in" "*-requirements.txt" "constraints*.txt" "**/requirements/*.txt" "**/requirements/*.in"];
    "pypi" false python_manifest ["pyproject.toml" "setup.py" "setup.cfg" "Pipfile" "environment.yml" "environment.yaml"];
    "pypi" true toml_blocks ["poetry.lock" "uv.lock" "pdm.lock" "pylock.toml"];
    "pypi" true json_block ["Pipfile.lock"];
    "cargo" false cargo_toml ["Cargo.toml"];
    "cargo" true toml_blocks ["Cargo.lock"];
    "go" false go_mod ["go.mod"];
    "go" true go_sum ["go.sum"];
    "maven" false pom ["pom.xml"];
    "maven" false coordinates ["build.gradle" "build.gradle.kts" "libs.versions.toml" "ivy.xml" "build.sbt"];
    "maven" true coordinates ["gradle.lockfile" "buildscript-gradle.lockfile"];
    "rubygems" false gem ["Gemfile" "*.gemspec"];
    "rubygems" true gem_lock ["Gemfile.lock"];
    "composer" false json_key ["composer.json"];
    "composer" true json_name ["composer.lock"];
    "nuget" false attribute ["*.csproj" "*.fsproj" "*.vbproj" "packages.config" "Directory.Packages.props"];
    "nuget" true json_block ["packages.lock.json"];
};

/// The files in which packages of an ecosystem are named; all of them where the ecosystem is not known.
pub fn kinds(ecosystem: &str) -> Vec<&'static Kind> {
    let of = |kind: &&Kind| ecosystem.is_empty() || kind.ecosystem == ecosystem;
    KINDS.iter().filter(of).collect()
}

impl Kind {
    /// Whether a file at this path is one.
    pub fn takes(&self, path: &str) -> bool {
        let mut parts = path.rsplit(['/', '\\']);
        let (name, folder) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        self.names.iter().any(|glob| match glob.strip_prefix("**/").and_then(|glob| glob.split_once('/')) {
            Some((within, glob)) => folder == within && fits(name, glob),
            None => fits(name, glob),
        })
    }

    /// The lines of a file that bring a package in.
    pub fn find(&self, text: &str, package: &Package) -> Vec<Hit> {
        let text = text.trim_start_matches('\u{feff}');
        (self.find)(text, &Name { ecosystem: self.ecosystem, wanted: package.name.trim() })
    }
}

/// A glob with at most one star.
fn fits(name: &str, glob: &str) -> bool {
    match glob.split_once('*') {
        Some((before, after)) => {
            name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
        }
        None => name == glob,
    }
}

/// Longer lines are written by programs that put a whole file on one.
const LONGEST_LINE: usize = 100_000;

/// Whether a lock file is laid out so that its lines can be told apart: one that is written without line ends cannot.
pub fn has_lines(text: &str) -> bool {
    let packed = text.trim_start_matches('\u{feff}').trim_start().starts_with('{');
    !text.lines().any(|line| line.len() > LONGEST_LINE || (packed && line.contains("{\"")))
}

/// A name, compared as its ecosystem compares.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Name<'n> {
    ecosystem: &'n str,
    wanted: &'n str,
}

impl Name<'_> {
    fn is(&self, written: &str) -> bool {
        same(self.ecosystem, self.wanted, written)
    }

    /// Group and artifact.
    fn coordinates(&self) -> (&str, &str) {
        self.wanted.split_once([':', '/']).unwrap_or(("", self.wanted))
    }
}

/// Whether two names mean one package.
pub fn same(ecosystem: &str, one: &str, other: &str) -> bool {
    match ecosystem {
        "pypi" => pep503(one) == pep503(other),
        "cargo" => one.replace('-', "_") == other.replace('-', "_"),
        "nuget" | "composer" | "rubygems" => one.eq_ignore_ascii_case(other),
        _ => one == other,
    }
}

/// As PEP 503 has it.
pub(crate) fn pep503(name: &str) -> String {
    let mut out = String::new();
    for c in name.trim().to_lowercase().chars() {
        if matches!(c, '-' | '_' | '.') {
            if !out.ends_with('-') {
                out.push('-');
            }
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests;

//! What is a finding, and what was decided about it?

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A closed set of words, each written one way.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$of])* #[serde(rename = $word)] $variant),*
        }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),*
                }
            }

            /// Capitals and dashes do not matter.
            pub fn parse(word: &str) -> Option<Self> {
                let word = word.trim().to_ascii_lowercase().replace(['-', ' '], "_");
                Self::ALL.iter().copied().find(|one| one.as_str() == word)
            }

            /// All words, for messages.
            pub fn words() -> Vec<String> {
                Self::ALL.iter().map(|one| one.as_str().to_owned()).collect()
            }
        }
    };
}

words! {
    /// Who wrote a finding down, and in which shape.
    Format {
        Dependabot = "dependabot",
        AwsInspector = "aws_inspector",
        Sarif = "sarif",
        Osv = "osv",
        NpmAudit = "npm_audit",
        CargoAudit = "cargo_audit",
        PipAudit = "pip_audit",
        Generic = "generic",
    }
}

impl Format {
    /// What ids of its findings begin with.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Dependabot => "dep",
            Self::AwsInspector => "aws",
            Self::Sarif => "sarif",
            Self::Osv => "osv",
            Self::NpmAudit => "npm",
            Self::CargoAudit => "cargo",
            Self::PipAudit => "pip",
            Self::Generic => "gen",
        }
    }
}

words! {
    /// How bad a finding is, worst first.
    Severity {
        Critical = "critical",
        High = "high",
        Medium = "medium",
        Low = "low",
        Info = "info",
        /// Nobody said, or in words that nobody knows.
        Unknown = "unknown",
    }
}

words! {
    /// What somebody decided.
    Status {
        Fix = "fix",
        Accept = "accept",
        Defer = "defer",
        FalsePositive = "false_positive",
        NotAffected = "not_affected",
    }
}

words! {
    /// Why something is not affected, in the words of VEX.
    VexCode {
        ComponentNotPresent = "component_not_present",
        VulnerableCodeNotPresent = "vulnerable_code_not_present",
        VulnerableCodeNotInExecutePath = "vulnerable_code_not_in_execute_path",
        VulnerableCodeCannotBeControlledByAdversary = "vulnerable_code_cannot_be_controlled_by_adversary",
        InlineMitigationsAlreadyExist = "inline_mitigations_already_exist",
    }
}

words! {
    /// Where a finding stands now.
    Standing {
        /// Nobody has decided.
        Open = "open",
        /// A decision has run out: open again.
        Expired = "expired",
        /// A decision holds.
        Decided = "decided",
        /// Nobody decided here, and the source says that it is fixed, dismissed or suppressed.
        Closed = "closed",
    }
}

impl Standing {
    /// Somebody has to look at it.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Open | Self::Expired)
    }
}

/// What a source says about one weakness in one thing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Made of the source and the key: the same finding has the same id whenever it is taken in.
    pub id: String,
    pub source: Format,
    /// What tells it from others of its source.
    pub key: String,
    /// Who found it, where that is not said by the format: a scanner, a service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    pub vulnerability: Vulnerability,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<Package>,
    /// Places in files that the source names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<CodePlace>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asset: Option<Asset>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exposure: Option<Exposure>,
    /// As the source calls it: `open`, `fixed`, `dismissed`, `ACTIVE`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The source says that nothing is left to do.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub closed_at_source: bool,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub meta: BTreeMap<String, String>,
    /// What could not be read in the source's words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Finding {
    /// One of which nothing is known yet.
    pub fn new(source: Format) -> Self {
        Self {
            id: String::new(),
            source,
            key: String::new(),
            tool: None,
            service: None,
            environment: None,
            team: None,
            owner: None,
            repo: None,
            vulnerability: Vulnerability::default(),
            packages: Vec::new(),
            places: Vec::new(),
            asset: None,
            exposure: None,
            state: None,
            closed_at_source: false,
            meta: BTreeMap::new(),
            warnings: Vec::new(),
        }
    }
}

/// The weakness itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Vulnerability {
    /// The main one first: CVE, GHSA, RUSTSEC, …, or the rule of a checker.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    #[serde(default)]
    pub title: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    pub severity: Severity,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cvss: Vec<Cvss>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cwe: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epss: Option<Epss>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
    /// As the source writes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<String>,
}

impl Default for Vulnerability {
    fn default() -> Self {
        Self {
            ids: Vec::new(),
            aliases: Vec::new(),
            title: String::new(),
            description: String::new(),
            severity: Severity::Unknown,
            cvss: Vec::new(),
            cwe: Vec::new(),
            epss: None,
            references: Vec::new(),
            published: None,
            modified: None,
            withdrawn: None,
        }
    }
}

/// One rating.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Cvss {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vector: Option<String>,
    /// Who rated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// How likely it is to be used by somebody.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Epss {
    pub score: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentile: Option<f64>,
}

/// A package that is affected.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Package {
    /// One of ours where we know it (`npm`, `pypi`, `cargo`, `go`, `maven`, `rubygems`, `composer`, `nuget`, …), else as
    /// the source writes it, in small letters.
    pub ecosystem: String,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub installed: Option<String>,
    /// Which versions are affected, as the source writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub affected: Option<String>,
    /// The first version without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest_path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purl: Option<String>,
    /// Functions and types that are affected, as the advisory names them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<String>,
    /// The modules that hold them, where the advisory names those apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modules: Vec<String>,
}

/// A place in a file that a source names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodePlace {
    pub path: String,
    /// 1-based.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What has the weakness.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asset {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
}

/// Who can get at it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exposure {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub internet_exposed: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public_endpoint: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_sensitivity: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub business_criticality: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compensating_controls: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exploit_available: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_exploited: Option<String>,
}

/// What somebody decided about a finding. Never changed: a later one takes its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    pub id: String,
    /// The id of the finding.
    pub finding: String,
    /// 1 for the first about a finding.
    pub sequence: u32,
    pub status: Status,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub codes: Vec<VexCode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub justification: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// A date, which counts to its end in UTC, or a date and time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub meta: BTreeMap<String, String>,
    pub made_at: String,
    /// The decision whose place it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    /// Of the finding as it was, so that a later change of it shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding_sha256: Option<String>,
}

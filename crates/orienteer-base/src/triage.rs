//! What is known about security findings, what may be asked about them, and what comes of it.
//!
//! | module | question it answers |
//! | --- | --- |
//! | [`record`] | What is a finding, and what was decided about it? |
//! | [`ask`] | What may be asked, and what is told? |
//! | [`pack`] | What does this repository say about a finding? |

pub mod ask;
pub mod pack;
pub mod record;

pub use ask::{
    DecideQuery, Decided, Findings, IngestQuery, Ingested, ItemError, ListQuery, ListedFinding, PackOutput,
    PackQuery, Shown, StandingCounts,
};
pub use pack::{ContextPack, Evidence, EvidenceKind, Provenance, Searched, Verdict};
pub use record::{
    Asset, CodePlace, Cvss, Decision, Epss, Exposure, Finding, Format, Package, Severity, Standing, Status,
    VexCode, Vulnerability,
};

//! The tools, in the order of PairOfCleats' documentation.

mod bootstrap;
mod build_index;
mod build_sqlite_index;
mod cache_gc;
mod clean_artifacts;
mod compact_sqlite_index;
mod config_status;
mod download_dictionaries;
mod download_extensions;
mod download_models;
mod index_status;
mod report_artifacts;
mod search;
mod triage_context_pack;
mod triage_decision;
mod triage_ingest;
mod verify_extensions;

use crate::dialect::entry;
use crate::tool::Entry;

pub(super) static TOOLS: &[Entry] = &[
    entry::<index_status::IndexStatus>(),
    entry::<config_status::ConfigStatus>(),
    entry::<build_index::BuildIndex>(),
    entry::<build_sqlite_index::BuildSqliteIndex>(),
    entry::<compact_sqlite_index::CompactSqliteIndex>(),
    entry::<search::Search>(),
    entry::<triage_ingest::TriageIngest>(),
    entry::<triage_decision::TriageDecision>(),
    entry::<triage_context_pack::TriageContextPack>(),
    entry::<download_models::DownloadModels>(),
    entry::<download_dictionaries::DownloadDictionaries>(),
    entry::<download_extensions::DownloadExtensions>(),
    entry::<verify_extensions::VerifyExtensions>(),
    entry::<cache_gc::CacheGc>(),
    entry::<clean_artifacts::CleanArtifacts>(),
    entry::<bootstrap::Bootstrap>(),
    entry::<report_artifacts::ReportArtifacts>(),
];

//! PairOfCleats.

mod contract;
mod data;
mod errors;
mod filters;
mod indexing;
mod limits;
mod pages;
mod progress;
mod repositories;
mod search;
mod support;
mod transport;
mod triage;

//! The store of a workspace: which files there are, what they define, which words they hold, and how well each of them
//! answers a question.
//!
//! Everything here is synchronous and can be cancelled. It knows nothing of language servers and clients.
//!
//! | module | question it answers |
//! | --- | --- |
//! | [`analyse`] | Which words does a text have? |
//! | [`query`] | What is asked for? |
//! | [`risk`] | Which code takes in what others send, and which does harm with it? |
//! | [`store`] | Where is everything kept? |
//! | [`build`] | How does it get there, and how does it stay true? |
//! | [`upkeep`] | What does it take on disk, and how does it stay small? |
//! | [`trigram`] | Which files may match this expression? |
//! | [`vectors`] | What means something similar? |
//! | [`git`] | Who changed this, when, how often? |
//! | `positioned` | How is a part of a file read? |
//! | [`find`] | What answers the question best? |

pub mod analyse;
pub mod build;
pub mod find;
pub mod git;
mod positioned;
pub mod query;
pub mod risk;
pub mod store;
pub mod trigram;
pub mod upkeep;
pub mod vectors;

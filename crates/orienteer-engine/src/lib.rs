//! The façade: one method per question, plain answers, policy.
//!
//! An [`Engine`] exists once per process; a [`Session`] once per client. Neither knows rmcp, JSON or how an
//! answer is worded. Whatever lives longer than a call (plans, baselines, cursors) is held by the engine as
//! a handle bound to a principal and a root, never to a connection, so that a shared daemon can be added
//! without touching the tools.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`session`] | who asks: roots and policy as plain data |
//! | [`files`] | questions about the files on disk |
//! | [`servers`] | which language servers are configured, and the truth about them |
//! | `blocking` | how synchronous work runs, stops and fails |

mod blocking;
pub mod files;
pub mod servers;
pub mod session;

pub use orienteer_process as process;
pub use orienteer_search::{modified_ns, units};
pub use orienteer_syntax as syntax;
pub use servers::{ServerSpec, ServerState};
pub use session::{Session, SessionSpec};

use std::sync::Arc;

use orienteer_process::Environment;

/// What every session shares.
#[derive(Debug)]
pub struct Engine {
    servers: Vec<ServerSpec>,
    environment: Environment,
}

impl Engine {
    /// `environment` is the snapshot children are started from and programs are looked up in.
    pub fn new(servers: Vec<ServerSpec>, environment: Environment) -> Arc<Self> {
        Arc::new(Self { servers, environment })
    }

    pub fn session(self: &Arc<Self>, spec: SessionSpec) -> Session {
        Session::new(self.clone(), spec)
    }
}

//! Which package registries does the user's own configuration name?
//!
//! The package managers are asked themselves, so that their files, variables and built-in defaults count as they do when
//! a package is installed. They run in a folder of ours: what a project's own files say must not send questions, let
//! alone tokens, to an address of its choice.
//!
//! | module | question it answers |
//! | --- | --- |
//! | `run` | How is a package manager asked, and what if it is missing? |
//! | `npm`, `python`, `cargo` | What does this one say? |
//! | `settings` | What do lines of names and values in a settings file say? |

mod cargo;
mod npm;
mod python;
mod run;
mod settings;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use orienteer_base::remote::Ecosystem;
use orienteer_base::{ErrorKind, Problem};
use orienteer_process::{Environment, Launcher};
use orienteer_remote::{CargoRegistry, NpmRegistries, PythonIndexes, RegistrySpec, Tokens};
use tokio::sync::Mutex;

use run::Runner;

/// Settings change rarely, and a change should not need a restart.
const GOOD_FOR: Duration = Duration::from_secs(600);

/// Addresses that our own configuration has. They are taken instead of asking.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RegistryOverrides {
    pub npm: Option<String>,
    /// A simple index.
    pub python: Option<String>,
    /// A sparse index.
    pub cargo: Option<String>,
}

/// Asks the package managers, each when its registry is first needed.
#[derive(Debug)]
pub struct Registries {
    runner: Runner,
    overrides: RegistryOverrides,
    npm: Kept<NpmRegistries>,
    python: Kept<PythonIndexes>,
    cargo: Kept<CargoRegistry>,
}

/// What was answered, and when.
type Kept<T> = Mutex<Option<(Instant, T)>>;

impl Registries {
    /// `folder` is one of ours, outside every project.
    pub fn new(
        launcher: Launcher,
        environment: Environment,
        folder: PathBuf,
        overrides: RegistryOverrides,
    ) -> Self {
        let runner = Runner { launcher, environment, folder };
        Self { runner, overrides, npm: Mutex::default(), python: Mutex::default(), cargo: Mutex::default() }
    }

    /// What is known of one ecosystem; the others are not asked.
    pub async fn of(&self, ecosystem: Ecosystem) -> RegistrySpec {
        let other = Problem::new(ErrorKind::InternalError, "this package manager was not asked");
        let mut spec = RegistrySpec::unknown(&other);
        match ecosystem {
            Ecosystem::Npm => spec.npm = kept(&self.npm, self.npm()).await,
            Ecosystem::Python => spec.python = kept(&self.python, self.python()).await,
            Ecosystem::Cargo => spec.cargo = kept(&self.cargo, self.cargo()).await,
        }
        spec
    }

    async fn npm(&self) -> Result<NpmRegistries, Problem> {
        match &self.overrides.npm {
            Some(url) => {
                let mut tokens = Tokens::default();
                Ok(NpmRegistries { default: tokens.take_from(url), scopes: Vec::new(), tokens })
            }
            None => npm::ask(&self.runner).await,
        }
    }

    async fn python(&self) -> Result<PythonIndexes, Problem> {
        match &self.overrides.python {
            Some(url) => Ok(python::indexes(url, &[])),
            None => python::ask(&self.runner).await,
        }
    }

    async fn cargo(&self) -> Result<CargoRegistry, Problem> {
        match &self.overrides.cargo {
            Some(url) => Ok(cargo::registry(&self.runner, url.clone()).await),
            None => cargo::ask(&self.runner).await,
        }
    }
}

/// The kept answer, or a new one. Whoever asks meanwhile waits for the same; failures are not kept.
async fn kept<T: Clone>(kept: &Kept<T>, ask: impl Future<Output = Result<T, Problem>>) -> Result<T, Problem> {
    let mut kept = kept.lock().await;
    if let Some((at, known)) = kept.as_ref()
        && at.elapsed() < GOOD_FOR
    {
        return Ok(known.clone());
    }
    let found = ask.await?;
    *kept = Some((Instant::now(), found.clone()));
    Ok(found)
}

#[cfg(test)]
mod tests;

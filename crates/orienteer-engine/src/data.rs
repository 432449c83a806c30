//! Data files that somebody asked for by address: models, dictionaries, extensions.
//!
//! They are fetched into the cache when a person or a client says so, with the SHA-256 that they must have. A repository
//! can ask for nothing, and nothing of them is run.

use orienteer_base::{Cancel, ErrorKind, Problem};
use orienteer_process::Environment;
use orienteer_remote::data::{Data, DataError};
use orienteer_remote::{Client, FetchError, Proxies};

pub use orienteer_remote::data::{Delivery, Fault, Kind, Order, Verified};

use crate::Session;
use crate::blocking::blocking;

impl Session {
    fn data(&self) -> Result<&Data, Problem> {
        self.engine().data.as_ref().ok_or_else(|| {
            Problem::new(ErrorKind::NotEnabled, "there is no cache folder, so no data files can be kept")
        })
    }

    /// Whether something could be fetched at all, by its name and address. For whoever fetches several things and wants
    /// all of them or none.
    pub fn check_data(&self, order: &Order) -> Result<(), Problem> {
        self.data()?.check(order).map_err(problem)
    }

    /// Makes sure that something is there as it is meant. What is there already is not fetched again.
    pub async fn fetch_data(&self, order: &Order, cancel: &Cancel) -> Result<Delivery, Problem> {
        let data = self.data()?;
        let client =
            Client::new(&proxies(&self.engine().environment)).map_err(|error| network(error.to_string()))?;
        let name = order.name.clone();
        let progress = |here: u64, total: Option<u64>| match total {
            Some(total) => cancel.say(format!("fetching {name}: {here} of {total} bytes")),
            None => cancel.say(format!("fetching {name}: {here} bytes")),
        };
        data.fetch(&client, order, cancel, &progress).await.map_err(problem)
    }

    /// Everything that was fetched, read again and compared with what it was.
    pub async fn verify_data(&self, cancel: &Cancel) -> Result<Vec<Verified>, Problem> {
        let (data, flag) = (self.data()?.clone(), cancel.clone());
        blocking(cancel, move || data.verify(&flag).map_err(problem)).await
    }

    /// Forgets something that was fetched. Whether it was there.
    pub async fn remove_data(&self, kind: Kind, name: &str, cancel: &Cancel) -> Result<bool, Problem> {
        let (data, name) = (self.data()?.clone(), name.to_owned());
        blocking(cancel, move || data.remove(kind, &name).map_err(problem)).await
    }

    /// Where something that was fetched stands, whether or not it is there.
    pub fn data_folder(&self, kind: Kind, name: &str) -> Result<std::path::PathBuf, Problem> {
        self.data()?.content(kind, name).map_err(problem)
    }
}

/// As other programs spell them, in capitals or not.
pub(crate) fn proxies(environment: &Environment) -> Proxies {
    let variable = |name: &str| {
        let value = environment.get(name).or_else(|| environment.get(name.to_lowercase()))?;
        Some(value.to_str()?.to_owned()).filter(|value| !value.is_empty())
    };
    let all = variable("ALL_PROXY");
    Proxies {
        https: variable("HTTPS_PROXY").or_else(|| all.clone()),
        http: variable("HTTP_PROXY").or(all),
        except: variable("NO_PROXY"),
    }
}

fn network(message: String) -> Problem {
    Problem::new(ErrorKind::Network, message)
}

fn problem(error: DataError) -> Problem {
    let message = error.to_string();
    match error {
        DataError::Name { .. } => Problem::invalid("name", "invalid_name", message),
        DataError::Stopped | DataError::Fetch(FetchError::Stopped) => {
            Problem::new(ErrorKind::Cancelled, message)
        }
        DataError::Unpack(_) => Problem::invalid("url", "unsafe_archive", message),
        DataError::Disk { .. } | DataError::Fetch(FetchError::Disk { .. }) => {
            Problem::new(ErrorKind::InternalError, message).detail("disk")
        }
        DataError::Fetch(error) => match error {
            FetchError::Address(_) => Problem::invalid("url", "invalid_url", message),
            FetchError::OtherContent { expected, found, .. } => {
                Problem::invalid("sha256", "other_content", message)
                    .fact("expected", expected.to_string())
                    .fact("found", found.to_string())
            }
            FetchError::TooLarge { .. } => Problem::new(ErrorKind::TooLarge, message).field("url"),
            FetchError::Refused { status: 401 | 403, .. } => {
                Problem::new(ErrorKind::AuthRequired, message).field("url")
            }
            FetchError::Refused { .. } | FetchError::Redirect { .. } => {
                Problem::new(ErrorKind::NotFound, message).field("url")
            }
            FetchError::Busy { .. } => Problem::new(ErrorKind::Overloaded, message).retry_after_ms(2_000),
            FetchError::Unreachable { .. } => network(message),
            FetchError::Disk { .. } | FetchError::Stopped => Problem::new(ErrorKind::InternalError, message),
        },
    }
}

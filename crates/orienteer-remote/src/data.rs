//! Which data files were fetched, and are they still what they were?
//!
//! Models, dictionaries and extensions stand below one folder of the cache, each with a note of where it came from and what
//! its files were. Nothing of them is ever run.

mod record;

use std::fs;
use std::path::{Path, PathBuf};

use orienteer_base::{Cancel, Digest, private};

pub use self::record::{DataFile, Record};
use crate::client::{Client, address};
use crate::fetch::{FetchError, Progress, Wanted, fetch};
use crate::unpack::{Limits, UnpackError, unpack};

/// No single download is larger.
const MOST_BYTES: u64 = 1 << 30;
/// What was fetched stands in this folder beside its record.
const CONTENT: &str = "content";
const DOWNLOAD: &str = "download";

/// What a data file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Model,
    Dictionary,
    Extension,
}

impl Kind {
    pub const ALL: [Self; 3] = [Self::Model, Self::Dictionary, Self::Extension];

    /// The name of its folder.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Model => "models",
            Self::Dictionary => "dictionaries",
            Self::Extension => "extensions",
        }
    }
}

/// Something that should be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    pub kind: Kind,
    /// What it is called from now on.
    pub name: String,
    pub url: String,
    pub sha256: Digest,
    /// It is an archive whose files are wanted.
    pub unpack: bool,
}

/// What became of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    pub folder: PathBuf,
    pub record: Record,
    /// How many bytes came over the network; none when it was there already.
    pub received: u64,
}

/// Whether something that was fetched is as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    pub kind: Kind,
    pub name: String,
    /// Nothing is wrong with it when this is empty.
    pub faults: Vec<Fault>,
}

/// What is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    Missing {
        path: String,
    },
    Changed {
        path: String,
    },
    /// It was not there when everything was fetched.
    Added {
        path: String,
    },
    /// The note of what was fetched cannot be read.
    NoRecord {
        reason: String,
    },
}

/// Why an order was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    #[error(
        "`{name}` is not a name for data: letters, digits, `.`, `_` and `-`, at most 64, the first a letter or digit"
    )]
    Name { name: String },
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error(transparent)]
    Unpack(#[from] UnpackError),
    #[error("{} cannot be written: {source}", path.display())]
    Disk { path: PathBuf, source: std::io::Error },
    #[error("stopped")]
    Stopped,
}

fn disk(path: &Path) -> impl FnOnce(std::io::Error) -> DataError {
    let path = path.to_path_buf();
    move |source| DataError::Disk { path, source }
}

/// The folder of everything that was fetched.
#[derive(Debug, Clone)]
pub struct Data {
    folder: PathBuf,
}

impl Data {
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Where something is, whether or not it is there.
    pub fn content(&self, kind: Kind, name: &str) -> Result<PathBuf, DataError> {
        Ok(self.place(kind, name)?.join(CONTENT))
    }

    fn place(&self, kind: Kind, name: &str) -> Result<PathBuf, DataError> {
        let fits = name.len() <= 64
            && name.starts_with(|first: char| first.is_ascii_alphanumeric())
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-'));
        if fits {
            Ok(self.folder.join(kind.folder()).join(name))
        } else {
            Err(DataError::Name { name: name.to_owned() })
        }
    }

    /// Whether an order could be carried out at all: its name and its address are what they must be. Looks at nothing.
    pub fn check(&self, order: &Order) -> Result<(), DataError> {
        self.place(order.kind, &order.name)?;
        address(&order.url).map_err(FetchError::from)?;
        Ok(())
    }

    /// Fetches what is not there yet. What is there under the same name with other content is replaced at the end.
    pub async fn fetch(
        &self,
        client: &Client,
        order: &Order,
        cancel: &Cancel,
        progress: Progress<'_>,
    ) -> Result<Delivery, DataError> {
        let place = self.place(order.kind, &order.name)?;
        if let Ok(record) = Record::read(&place)
            && record.sha256 == order.sha256
            && record.unpacked == order.unpack
            && self.verify_one(order.kind, &order.name, cancel)?.faults.is_empty()
        {
            return Ok(Delivery { folder: place.join(CONTENT), record, received: 0 });
        }
        let wanted = Wanted {
            url: order.url.clone(),
            sha256: order.sha256,
            path: place.join(DOWNLOAD),
            most_bytes: MOST_BYTES,
        };
        let fetched = fetch(client, &wanted, cancel, progress).await?;
        let (order, cancel) = (order.clone(), cancel.clone());
        let record = tokio::task::spawn_blocking(move || {
            settle(&place, &order, &cancel).map(|record| (place, record))
        })
        .await
        .unwrap_or(Err(DataError::Stopped));
        let (place, record) = record?;
        Ok(Delivery { folder: place.join(CONTENT), record, received: fetched.received })
    }

    /// Everything that was fetched, by kind and name.
    pub fn list(&self) -> Vec<(Kind, String)> {
        let names = |kind: Kind| {
            let entries = fs::read_dir(self.folder.join(kind.folder())).into_iter().flatten().flatten();
            let mut names: Vec<String> =
                entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
            // An order that failed may leave its folder, and perhaps a part of a download.
            names.retain(|name| {
                self.place(kind, name)
                    .is_ok_and(|place| Record::is_at(&place) || place.join(CONTENT).exists())
            });
            names.sort();
            names.into_iter().map(move |name| (kind, name))
        };
        Kind::ALL.into_iter().flat_map(names).collect()
    }

    /// Reads everything that was fetched and compares it with what it was.
    pub fn verify(&self, cancel: &Cancel) -> Result<Vec<Verified>, DataError> {
        self.list().into_iter().map(|(kind, name)| self.verify_one(kind, &name, cancel)).collect()
    }

    pub fn verify_one(&self, kind: Kind, name: &str, cancel: &Cancel) -> Result<Verified, DataError> {
        let place = self.place(kind, name)?;
        let faults = match Record::read(&place) {
            Ok(record) => record.faults(&place.join(CONTENT), cancel).map_err(|_| DataError::Stopped)?,
            Err(reason) => vec![Fault::NoRecord { reason }],
        };
        Ok(Verified { kind, name: name.to_owned(), faults })
    }

    /// Forgets something that was fetched. Whether it was there.
    pub fn remove(&self, kind: Kind, name: &str) -> Result<bool, DataError> {
        let place = self.place(kind, name)?;
        match fs::remove_dir_all(&place) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(disk(&place)(error)),
        }
    }
}

/// Puts what was fetched where it is read, and notes what it is.
fn settle(place: &Path, order: &Order, cancel: &Cancel) -> Result<Record, DataError> {
    let (download, content) = (place.join(DOWNLOAD), place.join(CONTENT));
    let fresh = place.join("fresh");
    remove(&fresh)?;
    if order.unpack {
        unpack(&download, &fresh, Limits::default(), cancel)?;
    } else {
        private::folder(&fresh).map_err(disk(&fresh))?;
        let file = fresh.join(file_name(&order.url));
        fs::rename(&download, &file).map_err(disk(&file))?;
    }
    let record = Record::of(order, &fresh, cancel)?;
    // Without a record nothing is believed, so a crash between these steps is seen and mended by the next order.
    record.remove(place).map_err(disk(place))?;
    remove(&content)?;
    fs::rename(&fresh, &content).map_err(disk(&content))?;
    record.write(place).map_err(disk(place))?;
    if order.unpack {
        remove(&download)?;
    }
    Ok(record)
}

fn remove(path: &Path) -> Result<(), DataError> {
    let removed = match fs::symlink_metadata(path) {
        Ok(data) if data.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    };
    removed.map_err(disk(path))
}

/// The last part of an address, as far as it is a plain name.
fn file_name(url: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let last = path.rsplit('/').next().unwrap_or_default();
    let name: String = last
        .chars()
        .filter(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-'))
        .collect();
    match name.trim_start_matches('.') {
        "" => "data".to_owned(),
        name => name.chars().take(128).collect(),
    }
}

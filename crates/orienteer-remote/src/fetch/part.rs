//! What has come of a file so far?

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use orienteer_base::sha256::Sha256;
use orienteer_base::{Cancel, Digest, private};

use super::{FetchError, Wanted};

/// The beginning of a file, on disk and counted into a digest. Its lock tells other processes to keep away.
#[derive(Debug)]
pub(super) struct Part {
    path: PathBuf,
    open: Option<Open>,
    length: u64,
    finished: bool,
}

#[derive(Debug)]
struct Open {
    file: File,
    sum: Sha256,
}

impl Part {
    /// What an earlier attempt left, or nothing yet.
    pub(super) async fn open(wanted: &Wanted, cancel: &Cancel) -> Result<Self, FetchError> {
        let path = beside(&wanted.path, &wanted.sha256);
        let (limit, cancel) = (wanted.most_bytes, cancel.clone());
        blocking(move || {
            if let Some(folder) = path.parent() {
                private::folder(folder).map_err(FetchError::disk(folder))?;
            }
            let disk = FetchError::disk(&path);
            let mut file = match open(&path) {
                Ok(file) => file,
                Err(error) => return Err(disk(error)),
            };
            if file.try_lock().is_err() {
                return Err(FetchError::Busy { path });
            }
            let (sum, length) = match read(&mut file, limit, &cancel)? {
                Some(read) => read,
                None => {
                    empty(&mut file).map_err(disk)?;
                    (Sha256::new(), 0)
                }
            };
            Ok(Self { path, open: Some(Open { file, sum }), length, finished: false })
        })
        .await
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    pub(super) fn is_finished(&self) -> bool {
        self.finished
    }

    /// Nothing more comes.
    pub(super) fn finish(&mut self) {
        self.finished = true;
    }

    pub(super) async fn add(&mut self, bytes: &[u8]) -> Result<(), FetchError> {
        let bytes = bytes.to_vec();
        let count = bytes.len() as u64;
        self.with(move |open| {
            open.file.write_all(&bytes)?;
            open.sum.update(&bytes);
            Ok(())
        })
        .await?;
        self.length += count;
        Ok(())
    }

    /// Forgets what was there.
    pub(super) async fn restart(&mut self) -> Result<(), FetchError> {
        if self.length == 0 {
            return Ok(());
        }
        self.with(|open| {
            open.sum = Sha256::new();
            empty(&mut open.file)
        })
        .await?;
        self.length = 0;
        Ok(())
    }

    pub(super) async fn discard(self) -> Result<(), FetchError> {
        blocking(move || std::fs::remove_file(&self.path).map_err(FetchError::disk(&self.path))).await
    }

    /// Puts the file where it is wanted, if it is what was wanted.
    pub(super) async fn keep(self, wanted: &Wanted) -> Result<(), FetchError> {
        let wanted = wanted.clone();
        blocking(move || {
            let Some(open) = self.open else { return Err(FetchError::Stopped) };
            let found = open.sum.finish();
            if found != wanted.sha256 {
                std::fs::remove_file(&self.path).map_err(FetchError::disk(&self.path))?;
                return Err(FetchError::OtherContent { url: wanted.url, expected: wanted.sha256, found });
            }
            open.file.sync_all().map_err(FetchError::disk(&self.path))?;
            std::fs::rename(&self.path, &wanted.path).map_err(FetchError::disk(&wanted.path))
        })
        .await
    }

    /// Does something with the file where waiting harms nobody.
    async fn with(
        &mut self,
        work: impl FnOnce(&mut Open) -> io::Result<()> + Send + 'static,
    ) -> Result<(), FetchError> {
        let Some(mut open) = self.open.take() else { return Err(FetchError::Stopped) };
        let path = self.path.clone();
        let open = blocking(move || {
            work(&mut open).map_err(FetchError::disk(&path))?;
            Ok(open)
        })
        .await?;
        self.open = Some(open);
        Ok(())
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, FetchError> + Send + 'static,
) -> Result<T, FetchError> {
    tokio::task::spawn_blocking(work).await.unwrap_or(Err(FetchError::Stopped))
}

fn beside(path: &Path, digest: &Digest) -> PathBuf {
    let digest = digest.to_string();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{name}.{}.part", digest.get(..16).unwrap_or_default()))
}

/// A link that somebody put there is not followed.
fn open(path: &Path) -> io::Result<File> {
    if std::fs::symlink_metadata(path).is_ok_and(|data| !data.is_file()) {
        return Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            "something else has the name of the partial file",
        ));
    }
    private::open(path, OpenOptions::new().read(true).write(true).create(true).truncate(false))
}

/// Counts what is there into a digest; nothing when it is more than the file may have.
fn read(file: &mut File, limit: u64, cancel: &Cancel) -> Result<Option<(Sha256, u64)>, FetchError> {
    use std::io::Read;
    let mut sum = Sha256::new();
    let mut length = 0;
    let mut buffer = vec![0; 1 << 18];
    loop {
        cancel.check().map_err(|_| FetchError::Stopped)?;
        match file.read(&mut buffer) {
            Ok(0) => return Ok(Some((sum, length))),
            Ok(count) => {
                sum.update(buffer.get(..count).unwrap_or_default());
                length += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Ok(None),
        }
        if length > limit {
            return Ok(None);
        }
    }
}

fn empty(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()
}

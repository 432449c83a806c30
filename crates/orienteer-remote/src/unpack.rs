//! What is in this archive, and may it be written?
//!
//! An archive is written by others. It may name files outside its folder, hold links, be a thousand times larger than it
//! looks. All of it is refused as a whole: either everything that is in it stands in the folder, or nothing.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use orienteer_base::{Cancel, private};

/// How much is unpacked at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub bytes: u64,
    pub entries: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 2 << 30, entries: 20_000 }
    }
}

/// Why nothing was unpacked.
#[derive(Debug, thiserror::Error)]
pub enum UnpackError {
    #[error("{} is neither a zip file nor a tar file compressed with gzip", path.display())]
    Unknown { path: PathBuf },
    #[error("the entry `{entry}` would be written outside of its folder; the archive is not to be trusted")]
    Outside { entry: String },
    #[error("the entry `{entry}` is a {what}, which is not unpacked; the archive is not to be trusted")]
    Special { entry: String, what: &'static str },
    #[error("the entry `{entry}` is there twice")]
    Twice { entry: String },
    #[error("the archive has more than {limit} entries")]
    TooMany { limit: usize },
    #[error("the archive holds more than {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("the archive is damaged: {reason}")]
    Damaged { reason: String },
    #[error("{} cannot be written: {source}", path.display())]
    Disk { path: PathBuf, source: io::Error },
    #[error("stopped")]
    Stopped(#[from] orienteer_base::Stopped),
}

fn damaged(error: impl std::fmt::Display) -> UnpackError {
    UnpackError::Damaged { reason: error.to_string() }
}

fn disk(path: &Path) -> impl FnOnce(io::Error) -> UnpackError {
    let path = path.to_path_buf();
    move |source| UnpackError::Disk { path, source }
}

/// Unpacks an archive into a folder, which must not exist. Tells the paths of its files, sorted.
pub fn unpack(
    archive: &Path,
    folder: &Path,
    limits: Limits,
    cancel: &Cancel,
) -> Result<Vec<PathBuf>, UnpackError> {
    let unreadable = |error: io::Error| damaged(format_args!("{}: {error}", archive.display()));
    let mut file = File::open(archive).map_err(unreadable)?;
    let mut magic = [0; 4];
    let read = file.read(&mut magic).map_err(unreadable)?;
    let file = File::open(archive).map_err(unreadable)?;
    let parent = folder.parent().unwrap_or(Path::new("."));
    private::folder(parent).map_err(disk(parent))?;
    let target = tempfile::Builder::new().prefix(".unpacking-").tempdir_in(parent).map_err(disk(parent))?;
    private::close(target.path());
    let mut writer =
        Writer { folder: target.path(), limits, bytes: 0, seen: HashSet::new(), files: Vec::new(), cancel };
    match magic.get(..read).unwrap_or_default() {
        [b'P', b'K', 3, 4] => writer.zip(file)?,
        [0x1f, 0x8b, ..] => writer.tar(flate2::read::MultiGzDecoder::new(io::BufReader::new(file)))?,
        _ => return Err(UnpackError::Unknown { path: archive.to_path_buf() }),
    }
    let mut files = writer.files;
    files.sort();
    fs::rename(target.path(), folder).map_err(disk(folder))?;
    // It has moved; there is nothing left to remove.
    let _ = target.keep();
    Ok(files)
}

struct Writer<'w> {
    folder: &'w Path,
    limits: Limits,
    bytes: u64,
    /// In lower case: some file systems take two names for one.
    seen: HashSet<String>,
    files: Vec<PathBuf>,
    cancel: &'w Cancel,
}

impl Writer<'_> {
    fn zip(&mut self, file: File) -> Result<(), UnpackError> {
        let mut archive = zip::ZipArchive::new(io::BufReader::new(file)).map_err(damaged)?;
        for at in 0..archive.len() {
            let mut entry = archive.by_index(at).map_err(damaged)?;
            let name = entry.name().map_err(damaged)?.into_owned();
            if entry.is_symlink() {
                return Err(UnpackError::Special { entry: name, what: "link" });
            }
            if entry.is_dir() {
                self.check(&name)?;
                continue;
            }
            self.write(&name, &mut entry)?;
        }
        Ok(())
    }

    fn tar(&mut self, reader: impl Read) -> Result<(), UnpackError> {
        let mut archive = tar::Archive::new(reader);
        for entry in archive.entries().map_err(damaged)? {
            let mut entry = entry.map_err(damaged)?;
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            let kind = entry.header().entry_type();
            if kind.is_pax_global_extensions() {
                continue;
            }
            if kind.is_dir() {
                self.check(&name)?;
                continue;
            }
            let what = if kind.is_symlink() || kind.is_hard_link() { "link" } else { "device" };
            if !kind.is_file() {
                return Err(UnpackError::Special { entry: name, what });
            }
            self.write(&name, &mut entry)?;
        }
        Ok(())
    }

    /// The path of an entry, if it lies below the folder and is met for the first time.
    fn check(&mut self, name: &str) -> Result<PathBuf, UnpackError> {
        self.cancel.check()?;
        if self.seen.len() >= self.limits.entries {
            return Err(UnpackError::TooMany { limit: self.limits.entries });
        }
        let outside = || UnpackError::Outside { entry: name.to_owned() };
        if name.contains(['\\', ':', '\0']) {
            return Err(outside());
        }
        let mut path = PathBuf::new();
        for part in Path::new(name).components() {
            match part {
                Component::Normal(part) => path.push(part),
                Component::CurDir => {}
                _ => return Err(outside()),
            }
        }
        let is_folder = name.ends_with('/');
        if !self.seen.insert(path.to_string_lossy().to_lowercase()) && !is_folder {
            return Err(UnpackError::Twice { entry: name.to_owned() });
        }
        if path.as_os_str().is_empty() && !is_folder && name != "." {
            return Err(outside());
        }
        Ok(path)
    }

    fn write(&mut self, name: &str, content: &mut impl Read) -> Result<(), UnpackError> {
        let path = self.check(name)?;
        let whole = self.folder.join(&path);
        if let Some(folder) = whole.parent() {
            private::folder(folder).map_err(disk(folder))?;
        }
        // `create_new`: whatever an entry before it was called, nothing is written through it.
        let mut file =
            private::open(&whole, File::options().write(true).create_new(true)).map_err(disk(&whole))?;
        let mut buffer = vec![0; 64 << 10];
        loop {
            self.cancel.check()?;
            let count = match content.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(damaged(error)),
            };
            self.bytes += count as u64;
            if self.bytes > self.limits.bytes {
                return Err(UnpackError::TooLarge { limit: self.limits.bytes });
            }
            file.write_all(buffer.get(..count).unwrap_or_default()).map_err(disk(&whole))?;
        }
        self.files.push(path);
        Ok(())
    }
}

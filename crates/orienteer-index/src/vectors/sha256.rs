//! What is the SHA-256 of a model's file?

use std::fs::File;
use std::io::Read;
use std::path::Path;

use orienteer_base::sha256::Undigested;
use orienteer_base::{Cancel, Digest};

use super::error::ModelError;

/// The digest of a file of at most `limit` bytes.
pub fn sha256_of_file(path: &Path, limit: u64, cancel: &Cancel) -> Result<Digest, ModelError> {
    let mut file = File::open(path).map_err(ModelError::unreadable(path))?;
    of_reader(&mut file, path, limit, cancel)
}

/// Of everything that is still to be read.
pub(super) fn of_reader(
    file: &mut impl Read,
    path: &Path,
    limit: u64,
    cancel: &Cancel,
) -> Result<Digest, ModelError> {
    Digest::of(file, limit, cancel).map_err(|error| match error {
        Undigested::Stopped(stopped) => stopped.into(),
        Undigested::Io(error) => ModelError::unreadable(path)(error),
        Undigested::TooLarge { bytes, limit } => {
            ModelError::TooLarge { path: path.to_path_buf(), bytes, limit }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_over_the_limit_is_not_read_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large");
        std::fs::write(&path, vec![0; 5000]).unwrap();
        let error = sha256_of_file(&path, 4999, &Cancel::new()).unwrap_err();
        assert!(matches!(error, ModelError::TooLarge { bytes: 5000, limit: 4999, .. }), "{error}");
        sha256_of_file(&path, 5000, &Cancel::new()).unwrap();
    }
}

//! Which model is this, and is it the one that was meant?

use std::path::{Component, Path, PathBuf};

use orienteer_base::{Cancel, Digest};
use serde::{Deserialize, Serialize};

use super::error::ModelError;
use super::sha256::sha256_of_file;

/// No file of a model is larger: the largest static models that are published have 512 MB.
pub(super) const MOST_BYTES: u64 = 1 << 30;

/// Of the weights and of the tokenizer.
const WORDLLAMA: [Digest; 2] = [
    known(b"64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5"),
    known(b"93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68"),
];

/// Of lower-case digits that stand in this file.
const fn known(text: &[u8; 64]) -> Digest {
    const fn digit(byte: u8) -> u8 {
        if byte.is_ascii_digit() { byte - b'0' } else { byte.wrapping_sub(b'a').wrapping_add(10) }
    }
    let mut digest = [0; 32];
    let mut at = 0;
    while at < digest.len() {
        digest[at] = digit(text[2 * at]) << 4 | digit(text[2 * at + 1]);
        at += 1;
    }
    Digest(digest)
}

/// A model that is meant: which files, with which content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub name: String,
    /// How many dimensions may be kept, the most useful first.
    pub dims: Vec<usize>,
    pub weights: ModelFile,
    pub tokenizer: ModelFile,
}

/// A file of a model, relative to the model's folder, with `/` between names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFile {
    pub path: String,
    pub sha256: Digest,
}

/// Where the files of a model are, and what they should hold where that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFiles {
    pub weights: PathBuf,
    pub tokenizer: PathBuf,
    /// Of the weights and of the tokenizer.
    pub expected: Option<[Digest; 2]>,
}

impl Manifest {
    /// The model inside the Python package `wordllama` 0.4, as the package lays it out.
    pub fn wordllama() -> Self {
        let file = |path: &str, sha256| ModelFile { path: path.into(), sha256 };
        Self {
            name: "wordllama-l2-supercat-256".into(),
            dims: vec![256, 128, 64],
            weights: file("weights/l2_supercat_256.safetensors", WORDLLAMA[0]),
            tokenizer: file("tokenizers/l2_supercat_tokenizer_config.json", WORDLLAMA[1]),
        }
    }

    /// The files in a folder. Nothing is read; [`super::Model::load`] compares before it believes anything.
    pub fn files(&self, folder: &Path) -> Result<ModelFiles, ModelError> {
        Ok(ModelFiles {
            weights: inside(folder, &self.weights.path)?,
            tokenizer: inside(folder, &self.tokenizer.path)?,
            expected: Some([self.weights.sha256, self.tokenizer.sha256]),
        })
    }

    /// Whether the files are there with the content that was meant.
    pub fn verify(&self, folder: &Path, cancel: &Cancel) -> Result<(), ModelError> {
        let files = self.files(folder)?;
        verify(&files.weights, self.weights.sha256, cancel)?;
        verify(&files.tokenizer, self.tokenizer.sha256, cancel)
    }
}

fn verify(path: &Path, expected: Digest, cancel: &Cancel) -> Result<(), ModelError> {
    compare(path, expected, sha256_of_file(path, MOST_BYTES, cancel)?)
}

pub(super) fn compare(path: &Path, expected: Digest, found: Digest) -> Result<(), ModelError> {
    if expected == found {
        Ok(())
    } else {
        Err(ModelError::OtherContent { path: path.to_path_buf(), expected, found })
    }
}

/// A manifest is written by others: it names files below the model's folder and no others.
fn inside(folder: &Path, path: &str) -> Result<PathBuf, ModelError> {
    let plain = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    if plain && !path.is_empty() && !path.contains(['\\', ':', '\0']) {
        Ok(folder.join(path))
    } else {
        Err(ModelError::Outside { path: path.to_owned() })
    }
}

impl ModelFiles {
    /// Looks for the one file of weights and the one tokenizer of a folder, under the names that published models use.
    pub fn find(folder: &Path) -> Result<Self, ModelError> {
        let weights = the_one(folder, "weights", "model.safetensors", |name| name.ends_with(".safetensors"));
        let tokenizer = the_one(folder, "tokenizers", "tokenizer.json", |name| {
            name.ends_with(".json") && name.contains("tokenizer") && name != "tokenizer_config.json"
        });
        let missing = |wanted| ModelError::NotFound { folder: folder.to_path_buf(), wanted };
        Ok(Self {
            weights: weights.ok_or_else(|| missing("file of weights (model.safetensors)"))?,
            tokenizer: tokenizer.ok_or_else(|| missing("tokenizer (tokenizer.json)"))?,
            expected: None,
        })
    }
}

fn the_one(folder: &Path, below: &str, usual: &str, fits: impl Fn(&str) -> bool) -> Option<PathBuf> {
    let usual = folder.join(usual);
    if usual.is_file() {
        return Some(usual);
    }
    let mut found = None;
    for folder in [folder.to_path_buf(), folder.join(below)] {
        // A folder with more entries than this is not that of a model.
        for entry in folder.read_dir().into_iter().flatten().flatten().take(1000) {
            let path = entry.path();
            if entry.file_name().to_str().is_some_and(&fits)
                && path.is_file()
                && found.replace(path).is_some()
            {
                return None;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn manifest(weights: &str) -> Manifest {
        let file = |path: &str| ModelFile { path: path.into(), sha256: WORDLLAMA[0] };
        Manifest { name: "test".into(), dims: vec![8], weights: file(weights), tokenizer: file("t.json") }
    }

    #[test]
    fn a_manifest_is_read_from_its_own_writing_and_unknown_fields_are_refused() {
        let text = serde_json::to_string(&Manifest::wordllama()).unwrap();
        assert_eq!(serde_json::from_str::<Manifest>(&text).unwrap(), Manifest::wordllama());
        let error = serde_json::from_str::<Manifest>(&text.replacen("\"name\"", "\"nom\"", 1)).unwrap_err();
        assert!(error.to_string().contains("unknown field `nom`"), "{error}");
        let error = serde_json::from_str::<Manifest>(&text.replacen("64b4", "64", 1)).unwrap_err();
        assert!(error.to_string().contains("64 hexadecimal digits"), "{error}");
    }

    #[test]
    fn a_manifest_names_no_file_outside_its_folder() {
        for path in ["../w", "a/../../w", "/etc/w", "", ".", "c:\\w", "a\\..\\w", "a\0b"] {
            let error = manifest(path).files(Path::new("models")).unwrap_err();
            assert!(
                matches!(&error, ModelError::Outside { path: named } if named == path),
                "{path}: {error}"
            );
        }
        assert_eq!(manifest("a/w").files(Path::new("models")).unwrap().weights, Path::new("models/a/w"));
    }

    #[test]
    fn other_content_is_told_with_both_digests() {
        let folder = tempfile::tempdir().unwrap();
        let model = manifest("w");
        let error = model.verify(folder.path(), &Cancel::new()).unwrap_err();
        assert!(matches!(error, ModelError::Unreadable { .. }), "{error}");
        fs::write(folder.path().join("w"), "abc").unwrap();
        let error = model.verify(folder.path(), &Cancel::new()).unwrap_err();
        let ModelError::OtherContent { expected, found, .. } = error else { panic!("{error}") };
        assert_eq!(expected, WORDLLAMA[0]);
        assert!(found.to_string().starts_with("ba7816bf"), "{found}");
    }

    #[test]
    fn the_usual_layouts_of_a_model_are_found_and_two_candidates_are_not_guessed_between() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let error = ModelFiles::find(path).unwrap_err();
        assert!(error.to_string().contains("model.safetensors"), "{error}");
        fs::create_dir(path.join("weights")).unwrap();
        fs::create_dir(path.join("tokenizers")).unwrap();
        fs::write(path.join("weights/x.safetensors"), "").unwrap();
        fs::write(path.join("tokenizers/x_tokenizer_config.json"), "").unwrap();
        let found = ModelFiles::find(path).unwrap();
        assert_eq!(found.weights, path.join("weights/x.safetensors"));
        assert_eq!(found.tokenizer, path.join("tokenizers/x_tokenizer_config.json"));
        fs::write(path.join("y.safetensors"), "").unwrap();
        assert!(matches!(ModelFiles::find(path), Err(ModelError::NotFound { .. })));
        fs::write(path.join("model.safetensors"), "").unwrap();
        fs::write(path.join("tokenizer.json"), "").unwrap();
        let found = ModelFiles::find(path).unwrap();
        assert_eq!(found.weights, path.join("model.safetensors"));
        assert_eq!(found.tokenizer, path.join("tokenizer.json"));
    }
}

//! Small models, written as the published ones are.

use std::fs;
use std::path::Path;

use serde_json::{Map, json};

use super::super::ModelFiles;

/// A safetensors file of tensors given by name, type, shape and bytes.
pub(in super::super) fn safetensors(tensors: &[(&str, &str, &[usize], &[u8])]) -> Vec<u8> {
    let (mut header, mut data) = (Map::new(), Vec::new());
    for (name, kind, shape, bytes) in tensors {
        let start = data.len();
        data.extend_from_slice(bytes);
        let entry = json!({ "dtype": kind, "shape": shape, "data_offsets": [start, data.len()] });
        header.insert((*name).to_owned(), entry);
    }
    let header = serde_json::to_vec(&header).unwrap();
    [&(header.len() as u64).to_le_bytes()[..], &header, &data].concat()
}

pub(in super::super) fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Puts a model into a folder.
pub(in super::super) fn write(folder: &Path, weights: &[u8], tokenizer: &[u8]) -> ModelFiles {
    fs::write(folder.join("model.safetensors"), weights).unwrap();
    fs::write(folder.join("tokenizer.json"), tokenizer).unwrap();
    ModelFiles::find(folder).unwrap()
}

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

/// A tokenizer of whole words.
pub(in super::super) fn word_tokenizer(words: &[&str]) -> Vec<u8> {
    let mut vocabulary = Map::new();
    for (token, word) in std::iter::once(&"[UNK]").chain(words).enumerate() {
        vocabulary.insert((*word).to_owned(), json!(token));
    }
    let file = json!({
        "added_tokens": [],
        "normalizer": { "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                        "strip_accents": null, "lowercase": true },
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "model": { "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                   "max_input_chars_per_word": 100, "vocab": vocabulary },
    });
    serde_json::to_vec(&file).unwrap()
}

/// Puts a model into a folder.
pub(in super::super) fn write(folder: &Path, weights: &[u8], tokenizer: &[u8]) -> ModelFiles {
    fs::write(folder.join("model.safetensors"), weights).unwrap();
    fs::write(folder.join("tokenizer.json"), tokenizer).unwrap();
    ModelFiles::find(folder).unwrap()
}

//! A model of meanings that is small enough to be written down.

use std::path::Path;

use serde_json::{Map, json};

/// A model of a few words: `ship` and `vessel` mean the same, `tower` and `building` too.
pub fn write_model(folder: &Path) {
    let words = ["[UNK]", "ship", "vessel", "tower", "building"];
    let rows: [[f32; 4]; 5] = [
        [0.1, 0.1, 0.1, 0.1],
        [1.0, 0.1, 0.0, 0.0],
        [1.0, 0.0, 0.1, 0.0],
        [0.0, 1.0, 0.0, 0.1],
        [0.0, 1.0, 0.1, 0.0],
    ];
    let data: Vec<u8> = rows.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
    let header =
        json!({ "embeddings": { "dtype": "F32", "shape": [5, 4], "data_offsets": [0, data.len()] } });
    let header = header.to_string();
    let weights = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &data].concat();
    std::fs::write(folder.join("model.safetensors"), weights).unwrap();
    std::fs::write(folder.join("tokenizer.json"), word_tokenizer(&words[1..])).unwrap();
}

/// A tokenizer of whole words, as published ones are written. What is not among them has the number 0.
pub fn word_tokenizer(words: &[&str]) -> Vec<u8> {
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
    file.to_string().into_bytes()
}

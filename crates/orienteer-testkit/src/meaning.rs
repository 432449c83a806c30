//! A model of meanings that is small enough to be written down.

use std::path::Path;

use serde_json::{Value, json};

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
    let vocabulary: serde_json::Map<String, Value> =
        words.iter().enumerate().map(|(token, word)| ((*word).to_owned(), json!(token))).collect();
    let tokenizer = json!({
        "added_tokens": [],
        "normalizer": { "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                        "strip_accents": null, "lowercase": true },
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "model": { "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                   "max_input_chars_per_word": 100, "vocab": vocabulary },
    });
    std::fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).unwrap();
}

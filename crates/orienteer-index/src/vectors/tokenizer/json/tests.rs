//! Which tokenizers are understood, and that others are refused by name.

use serde_json::{Value, json};

use super::*;

fn wordpiece() -> Value {
    json!({
        "version": "1.0",
        "truncation": null,
        "added_tokens": [{ "id": 0, "content": "[UNK]", "single_word": false, "lstrip": false, "rstrip": false,
                           "normalized": false, "special": true }],
        "normalizer": { "type": "BertNormalizer", "lowercase": true },
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "decoder": { "type": "WordPiece" },
        "model": { "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                   "max_input_chars_per_word": 100, "vocab": { "[UNK]": 0, "un": 1, "##do": 2, ".": 3, "cafe": 4 } },
    })
}

fn bpe() -> Value {
    json!({
        "added_tokens": [{ "id": 0, "content": "<unk>" }],
        "normalizer": { "type": "Sequence", "normalizers": [
            { "type": "Prepend", "prepend": "_" },
            { "type": "Replace", "pattern": { "String": " " }, "content": "_" } ] },
        "pre_tokenizer": null,
        "model": { "type": "BPE", "dropout": null, "unk_token": "<unk>", "fuse_unk": true,
                   "vocab": { "<unk>": 0, "_": 1, "a": 2, "b": 3, "_a": 4, "_ab": 5, "__": 6 },
                   "merges": ["_ a", "_a b", "_ _"] },
    })
}

fn read(file: &Value) -> Result<Tokenizer, TokenizerError> {
    parse(&serde_json::to_vec(file).unwrap())
}

fn with(mut file: Value, pointer: &str, value: Value) -> Value {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    file.pointer_mut(parent).unwrap()[name] = value;
    file
}

fn refused(file: &Value) -> (&'static str, String) {
    match read(file).unwrap_err() {
        TokenizerError::Unsupported { part, found, .. } => (part, found),
        TokenizerError::Malformed(what) => ("malformed", what),
    }
}

#[test]
fn a_tokenizer_as_in_bert_is_followed() {
    let tokenizer = read(&wordpiece()).unwrap();
    assert_eq!(tokenizer.encode("Undo. Café[UNK]xy"), [1, 2, 3, 4, 0, 0]);
    assert_eq!(tokenizer.unknown(), Some(0));
    let bare = with(wordpiece(), "/model", json!({ "vocab": { "[UNK]": 0, "un": 1, "##do": 2 } }));
    assert_eq!(read(&bare).unwrap().encode("undo do"), [1, 2, 0]);
}

#[test]
fn a_tokenizer_as_in_llama_is_followed() {
    let tokenizer = read(&bpe()).unwrap();
    assert_eq!(tokenizer.cut, Cut::Before('_'));
    assert_eq!(tokenizer.encode("ab  b<unk>bxx"), [5, 6, 3, 0, 1, 3, 0]);
    let pairs = with(bpe(), "/model/merges", json!([["_", "a"], ["_a", "b"], ["_", "_"]]));
    assert_eq!(read(&pairs).unwrap().encode("ab  b<unk>bxx"), [5, 6, 3, 0, 1, 3, 0]);
    let without_type = with(bpe(), "/model/type", Value::Null);
    assert_eq!(read(&without_type).unwrap().encode("ab"), [5]);
    assert!(tokenizer.encode("").is_empty());
}

#[test]
fn a_text_is_not_cut_where_a_token_reaches_over() {
    let vocabulary = json!({ "<unk>": 0, "_": 1, "a": 2, "b": 3, "b_": 4, "_a": 5 });
    let file = with(bpe(), "/model/vocab", vocabulary);
    let file = with(file, "/model/merges", json!(["b _", "_ a"]));
    let tokenizer = read(&file).unwrap();
    assert_eq!(tokenizer.cut, Cut::Nowhere);
    assert_eq!(tokenizer.encode("b a"), [1, 4, 2]);
}

#[test]
fn what_is_not_supported_is_named() {
    assert_eq!(refused(&with(bpe(), "/model/type", json!("Unigram"))), ("model", "Unigram".into()));
    let unigram = json!({ "model": { "type": "Unigram", "unk_id": 0, "vocab": [["a", -1.5]] } });
    assert_eq!(refused(&unigram), ("model", "Unigram".into()));
    let metaspace = json!({ "type": "Metaspace", "replacement": "_" });
    assert_eq!(refused(&with(bpe(), "/pre_tokenizer", metaspace)), ("pre_tokenizer", "Metaspace".into()));
    assert_eq!(refused(&with(wordpiece(), "/pre_tokenizer", Value::Null)), ("pre_tokenizer", "none".into()));
    let normalizers = [
        json!({ "type": "NFKC" }),
        json!({ "type": "Replace", "pattern": { "Regex": "a+" }, "content": "b" }),
        json!({ "type": "Replace", "pattern": { "String": "" }, "content": "b" }),
        json!({ "type": "Sequence" }),
        json!({ "type": "Prepend" }),
        json!({}),
    ];
    for normalizer in normalizers {
        assert_eq!(refused(&with(bpe(), "/normalizer", normalizer.clone())).0, "normalizer", "{normalizer}");
    }
    for flag in ["single_word", "lstrip", "rstrip", "normalized"] {
        let token = json!([{ "id": 1, "content": "<x>", flag: true }]);
        assert_eq!(refused(&with(bpe(), "/added_tokens", token)), ("added token", "<x>".into()), "{flag}");
    }
    assert_eq!(refused(&with(bpe(), "/model/ignore_merges", json!(true))).0, "ignore_merges");
    assert_eq!(refused(&with(bpe(), "/model/dropout", json!(0.5))).0, "dropout");
    assert_eq!(refused(&with(bpe(), "/model/byte_fallback", json!(true))).0, "byte_fallback");
    assert_eq!(refused(&with(bpe(), "/model/end_of_word_suffix", json!("</w>"))).1, "</w>");
    assert_eq!(refused(&with(wordpiece(), "/model/continuing_subword_prefix", json!("x"))).1, "x");
}

#[test]
fn malformed_files_are_refused_with_a_reason() {
    for text in ["", "{", "[]", "{}", "null", r#"{"model":{}}"#, r#"{"model":{"vocab":{"a":-1}}}"#] {
        assert!(matches!(parse(text.as_bytes()), Err(TokenizerError::Malformed(_))), "{text}");
    }
    assert!(parse("[".repeat(100_000).as_bytes()).is_err());
    assert!(parse(&[0xff; 100]).is_err());
    let (_, what) = refused(&with(bpe(), "/model/merges", json!(["_ z"])));
    assert!(what.contains("`_ z`"), "{what}");
    for merges in [json!(["ab"]), json!([["a"]]), json!([["a", "b", "c"]]), json!([1]), json!({})] {
        assert_eq!(refused(&with(bpe(), "/model/merges", merges.clone())).0, "malformed", "{merges}");
    }
    let (_, what) = refused(&with(bpe(), "/model/unk_token", json!("<none>")));
    assert!(what.contains("`<none>`"), "{what}");
    assert_eq!(refused(&with(wordpiece(), "/model/vocab", json!({ "a": 1 }))).0, "malformed");
}

//! The real model of the Python package `wordllama`, which `cargo xtask test` installs, against what that package itself
//! makes of it. `wordllama.json` was written with it: texts, their tokens, the beginning of their vectors.

use std::path::PathBuf;

use orienteer_base::Cancel;
use orienteer_testkit::tools;
use serde::Deserialize;

use super::super::{Manifest, Model, ModelFiles, TextLimits, Vector};

#[derive(Deserialize)]
struct Reference {
    texts: Vec<Text>,
    similarities: Vec<(String, String, f32)>,
}

#[derive(Deserialize)]
struct Text {
    text: String,
    ids: Vec<u32>,
    first_of_256: Vec<f32>,
    first_of_64: Vec<f32>,
}

fn reference() -> Reference {
    serde_json::from_str(include_str!("wordllama.json")).unwrap()
}

/// Where the package was put.
fn folder() -> PathBuf {
    let folder = tools::tools().join("wordllama/wordllama");
    assert!(folder.is_dir(), "{} is missing; run `cargo xtask install`, which installs it", folder.display());
    folder
}

fn load(dims: usize) -> Model {
    let files = Manifest::wordllama().files(&folder()).unwrap();
    Model::load(&files, Some(dims), &Cancel::new()).unwrap()
}

fn numbers(vector: &Vector) -> Vec<f32> {
    vector.codes().iter().map(|code| f32::from(code.cast_signed()) * vector.scale()).collect()
}

#[test]
fn the_installed_model_is_the_one_that_is_meant() {
    Manifest::wordllama().verify(&folder(), &Cancel::new()).unwrap();
    let found = ModelFiles::find(&folder()).unwrap();
    let meant = Manifest::wordllama().files(&folder()).unwrap();
    assert_eq!((found.weights, found.tokenizer), (meant.weights, meant.tokenizer));
}

#[test]
fn tokens_are_those_of_the_library() {
    let model = load(64);
    for text in reference().texts {
        assert_eq!(model.tokenizer().encode(&text.text), text.ids, "{:?}", text.text);
    }
}

#[test]
fn vectors_are_those_of_the_library_up_to_rounding() {
    for dims in [64, 256] {
        let model = load(dims);
        let mut embedder = model.embedder(TextLimits::default());
        for text in reference().texts {
            let wanted = if dims == 64 { &text.first_of_64 } else { &text.first_of_256 };
            // The library counts the token that stands for nothing, we do not.
            if text.text.contains("<unk>") {
                continue;
            }
            let found = numbers(&embedder.embed_verbatim(&text.text).unwrap());
            for (found, wanted) in found.iter().zip(wanted) {
                assert!((found - wanted).abs() < 0.006, "{dims} {:?}: {found} {wanted}", text.text);
            }
        }
    }
}

#[test]
fn similarities_are_those_of_the_library_up_to_rounding() {
    let model = load(256);
    let mut embedder = model.embedder(TextLimits::default());
    let mut vector = |text: &str| embedder.embed_verbatim(text).unwrap();
    for (one, other, wanted) in reference().similarities {
        let found = vector(&one).similarity(&vector(&other));
        assert!((found - wanted).abs() < 0.01, "{one} / {other}: {found} {wanted}");
    }
}

#[test]
fn a_question_in_words_is_nearest_to_the_code_that_answers_it() {
    let model = load(256);
    let mut embedder = model.embedder(TextLimits::default());
    let codes = [
        "fn openFileForReading(path: &Path) -> io::Result<File>",
        "class DatabaseConnectionPool { acquire() { return this.idle.pop(); } }",
        "def sort_by_date(entries): return sorted(entries, key=lambda e: e.date)",
    ];
    let codes = codes.map(|code| embedder.embed(code).unwrap());
    for (question, wanted) in [("load a document from disk", 0), ("connect to sql", 1), ("order by time", 2)]
    {
        let question = embedder.embed(question).unwrap();
        let near = |at: &usize| question.similarity(&codes[*at]);
        let best = (0..3).max_by(|one, other| near(one).total_cmp(&near(other)));
        assert_eq!(best, Some(wanted));
    }
}

//! What a model gives, and what is refused, shown with models of a few words.

use orienteer_base::{Cancel, Stopped};
use orienteer_testkit::meaning::word_tokenizer;
use tempfile::TempDir;

use super::super::{Fields, Model, ModelError, ModelFiles, TextLimits};
use super::support::{floats, safetensors, write};

const WORDS: [&str; 3] = ["read", "file", "write"];

/// Rows for the unknown token and the three words.
const ROWS: [f32; 16] = [9.0, 9.0, 9.0, 9.0, 1.0, 0.0, 0.0, 0.5, 0.0, 1.0, 0.0, 0.0, 0.9, 0.0, 0.1, -0.5];

struct Made {
    folder: TempDir,
    files: ModelFiles,
}

fn made(tensors: &[(&str, &str, &[usize], &[u8])]) -> Made {
    let folder = tempfile::tempdir().unwrap();
    let files = write(folder.path(), &safetensors(tensors), &word_tokenizer(&WORDS));
    Made { folder, files }
}

fn usual() -> Made {
    made(&[("embeddings", "F32", &[4, 4], &floats(&ROWS))])
}

fn load(made: &Made, dims: Option<usize>) -> Result<Model, ModelError> {
    Model::load(&made.files, dims, &Cancel::new())
}

fn similarity(model: &Model, one: &str, other: &str) -> f32 {
    let mut embedder = model.embedder(TextLimits::default());
    embedder.embed(one).unwrap().similarity(&embedder.embed(other).unwrap())
}

#[test]
fn a_text_is_the_mean_of_its_words() {
    let model = load(&usual(), None).unwrap();
    assert!((similarity(&model, "readFile", "file, READ!") - 1.0).abs() < 1e-6);
    assert!(similarity(&model, "read", "file").abs() < 1e-6);
    // (1, 0, 0, 0.5) and (0.9, 0, 0.1, -0.5): 0.65 of lengths 1.118 and 1.034.
    assert!((similarity(&model, "read", "write") - 0.562).abs() < 0.01);
    // (1, 1, 0, 0.5) and (1, 0, 0, 0.5).
    assert!((similarity(&model, "read_file", "read") - 1.25 / (1.5 * 1.118)).abs() < 0.01);
}

#[test]
fn a_field_counts_the_same_however_long_it_is() {
    let model = load(&usual(), None).unwrap();
    let mut embedder = model.embedder(TextLimits::default());
    let short = Fields { name: "read", body: "file", ..Fields::default() };
    let long = Fields { name: "read", body: "file file file file xyzzy file", ..Fields::default() };
    let (short, long) = (embedder.embed_fields(&short).unwrap(), embedder.embed_fields(&long).unwrap());
    assert!((short.similarity(&long) - 1.0).abs() < 1e-6);
    // Once (1, 0, 0, 0.5) for the name and twice (0, 1, 0, 0) for the body.
    assert!((long.similarity(&embedder.embed("file").unwrap()) - 2.0 / 5.25f32.sqrt()).abs() < 0.01);
    assert_eq!(embedder.embed_fields(&Fields::default()), None);
}

#[test]
fn the_last_dimensions_can_be_left_out() {
    let made = usual();
    let model = load(&made, Some(2)).unwrap();
    assert_eq!(model.dims(), 2);
    assert!((similarity(&model, "read", "write") - 1.0).abs() < 1e-6);
    for asked in [0, 5, usize::MAX] {
        let error = load(&made, Some(asked)).unwrap_err();
        assert!(matches!(error, ModelError::Dimensions { available: 4, .. }), "{asked}: {error}");
    }
}

#[test]
fn unknown_words_do_not_count_and_alone_give_nothing() {
    let model = load(&usual(), None).unwrap();
    assert!((similarity(&model, "read xyzzy", "read") - 1.0).abs() < 1e-6);
    let mut embedder = model.embedder(TextLimits::default());
    for text in ["", "   ", "xyzzy", "{}();", "\u{0}\u{fffd}"] {
        assert_eq!(embedder.embed(text), None, "{text:?}");
    }
}

#[test]
fn only_the_beginning_of_a_long_text_counts() {
    let model = load(&usual(), None).unwrap();
    let mut short = model.embedder(TextLimits { max_bytes: 1000, max_tokens: 2 });
    let read = short.embed("read").unwrap();
    assert!((short.embed("read read file file file").unwrap().similarity(&read) - 1.0).abs() < 1e-6);
    let mut few = model.embedder(TextLimits { max_bytes: 7, max_tokens: 100 });
    assert!((few.embed("read éé file").unwrap().similarity(&read) - 1.0).abs() < 1e-6);
    let mut none = model.embedder(TextLimits { max_bytes: 0, max_tokens: 0 });
    assert_eq!(none.embed("read"), None);
}

#[test]
fn a_model_says_which_row_a_token_has_and_what_it_counts() {
    let rows = floats(&[1.0, 0.0, 0.0, 1.0]);
    let mapping: Vec<u8> = [0i64, 0, 1, 0].iter().flat_map(|row| row.to_le_bytes()).collect();
    let weights = floats(&[1.0, 1.0, 3.0, 1.0]);
    let model = load(
        &made(&[
            ("embeddings", "F32", &[2, 2], &rows),
            ("mapping", "I64", &[4], &mapping),
            ("weights", "F32", &[4], &weights),
        ]),
        None,
    )
    .unwrap();
    assert!((similarity(&model, "read", "write") - 1.0).abs() < 1e-6);
    assert!(similarity(&model, "read", "file").abs() < 1e-6);
    // One (1, 0) and three times (0, 1).
    assert!((similarity(&model, "read file", "file") - 3.0 / 10f32.sqrt()).abs() < 0.01);
}

#[test]
fn a_token_without_a_row_does_not_count() {
    let made = made(&[("embeddings", "F32", &[3, 4], &floats(&ROWS[..12]))]);
    let model = load(&made, None).unwrap();
    assert!((similarity(&model, "read write", "read") - 1.0).abs() < 1e-6);
}

#[test]
fn what_a_hostile_file_of_weights_says_is_not_believed() {
    let said =
        |tensors: &[(&str, &str, &[usize], &[u8])]| load(&made(tensors), None).unwrap_err().to_string();
    let mut numbers = ROWS;
    numbers[7] = f32::NAN;
    assert!(said(&[("embeddings", "F32", &[4, 4], &floats(&numbers))]).contains("row 1"));
    numbers[7] = f32::INFINITY;
    assert!(said(&[("embeddings", "F32", &[4, 4], &floats(&numbers))]).contains("row 1"));
    assert!(said(&[("embeddings", "F32", &[usize::MAX >> 1, 0], &[])]).contains("shape"));
    let error = load(&made(&[("embeddings", "F32", &[5 << 20, 0], &[])]), Some(1)).unwrap_err();
    assert!(matches!(error, ModelError::Dimensions { asked: 1, available: 0 }), "{error}");
    let rows = ("embeddings", "F32", &[4usize, 4][..], &floats(&ROWS)[..]);
    let mapping: Vec<u8> = [0i64, 0, 4, 0].iter().flat_map(|row| row.to_le_bytes()).collect();
    assert!(said(&[rows, ("mapping", "I64", &[4], &mapping)]).contains("`mapping`"));
    let mapping: Vec<u8> = [0i64, 0, -1, 0].iter().flat_map(|row| row.to_le_bytes()).collect();
    assert!(said(&[rows, ("mapping", "I64", &[4], &mapping)]).contains("`mapping`"));
    assert!(said(&[rows, ("weights", "F32", &[1], &floats(&[f32::NAN]))]).contains("`weights`"));
}

#[test]
fn a_matrix_of_no_rows_makes_every_text_unknown() {
    let model = load(&made(&[("embeddings", "F32", &[0, 4], &[])]), None).unwrap();
    assert_eq!(model.embedder(TextLimits::default()).embed("read"), None);
}

#[test]
fn content_other_than_expected_is_refused_before_it_is_read() {
    let made = usual();
    let mut files = made.files.clone();
    let right = [
        super::super::sha256_of_file(&files.weights, 1 << 20, &Cancel::new()).unwrap(),
        super::super::sha256_of_file(&files.tokenizer, 1 << 20, &Cancel::new()).unwrap(),
    ];
    files.expected = Some(right);
    Model::load(&files, None, &Cancel::new()).unwrap();
    for wrong in [[right[0], right[0]], [right[1], right[1]]] {
        files.expected = Some(wrong);
        let error = Model::load(&files, None, &Cancel::new()).unwrap_err();
        assert!(matches!(error, ModelError::OtherContent { .. }), "{error}");
    }
}

#[test]
fn the_identity_changes_with_weights_tokenizer_and_dimensions() {
    let one = usual();
    let identity = load(&one, None).unwrap().identity();
    assert_eq!(load(&usual(), None).unwrap().identity(), identity);
    assert_eq!(load(&one, Some(4)).unwrap().identity(), identity);
    assert_ne!(load(&one, Some(3)).unwrap().identity(), identity);
    let mut rows = ROWS;
    rows[3] = 8.0;
    let other = made(&[("embeddings", "F32", &[4, 4], &floats(&rows))]);
    assert_ne!(load(&other, None).unwrap().identity(), identity);
    let files =
        write(one.folder.path(), &std::fs::read(&one.files.weights).unwrap(), &word_tokenizer(&["read"]));
    assert_ne!(Model::load(&files, None, &Cancel::new()).unwrap().identity(), identity);
}

#[test]
fn a_cancelled_load_stops() {
    let cancel = Cancel::new();
    cancel.cancel();
    let error = Model::load(&usual().files, None, &cancel).unwrap_err();
    assert!(matches!(error, ModelError::Stopped(Stopped)), "{error}");
}

#[test]
fn a_broken_tokenizer_is_named() {
    let made = usual();
    std::fs::write(&made.files.tokenizer, "{").unwrap();
    let error = load(&made, None).unwrap_err().to_string();
    assert!(error.contains("tokenizer.json: not a tokenizer"), "{error}");
    std::fs::remove_file(&made.files.tokenizer).unwrap();
    assert!(matches!(load(&made, None).unwrap_err(), ModelError::Unreadable { .. }));
}

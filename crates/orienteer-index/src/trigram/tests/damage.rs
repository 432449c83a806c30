//! A damaged file is an error, never a wrong answer.

use std::path::Path;

use orienteer_base::Cancel;

use super::{Sample, candidates};
use crate::trigram::{Plan, TrigramError, Trigrams};

/// Small, but with more than one block, lists in the table and lists outside of it.
fn sample() -> Sample {
    let texts: Vec<String> = (0..40_u32)
        .map(|n| {
            let own: String =
                (0..12).map(|k| char::from(b'a' + ((n * n * 7 + n * k * 5 + k * 11) % 26) as u8)).collect();
            format!("common {own} {}\n", if n % 3 == 0 { "third" } else { "other words" })
        })
        .collect();
    Sample::new(&texts.iter().map(String::as_bytes).collect::<Vec<_>>())
}

const PATTERNS: [&str; 5] = ["common", "third", "other|third", "hlp", "nothing at all"];

/// What the questions are answered with, and whether the whole file can be read.
fn answers(path: &Path) -> Result<Vec<Vec<u32>>, TrigramError> {
    let trigrams = Trigrams::open(path)?;
    let ask = |pattern: &&str| candidates(&trigrams, &Plan::of_pattern(pattern, false, false, false));
    PATTERNS.iter().map(ask).collect()
}

fn is_typed(error: &TrigramError) -> bool {
    matches!(error, TrigramError::Damaged { .. } | TrigramError::Version { .. })
}

#[test]
fn every_byte_counts() {
    let sample = sample();
    let whole = std::fs::read(&sample.path).unwrap();
    let right = answers(&sample.path).unwrap();
    assert_eq!(right.iter().map(Vec::len).collect::<Vec<_>>()[..3], [40, 14, 40]);
    assert!(sample.summary.trigrams > 128 && sample.summary.postings > 1_000);
    let path = sample.path.with_extension("damaged");
    for at in 0..whole.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut damaged = whole.clone();
            damaged[at] ^= flip;
            std::fs::write(&path, &damaged).unwrap();
            // A question may not touch the damaged part; then it is answered as ever.
            match answers(&path) {
                Ok(answers) => assert_eq!(answers, right, "byte {at} with {flip}"),
                Err(error) => assert!(is_typed(&error), "byte {at} with {flip}: {error}"),
            }
            let verified = Trigrams::open(&path).and_then(|trigrams| trigrams.verify(&Cancel::new()));
            assert!(verified.as_ref().is_err_and(is_typed), "byte {at} with {flip}: {verified:?}");
        }
    }
}

#[test]
fn every_length_counts() {
    let sample = sample();
    let whole = std::fs::read(&sample.path).unwrap();
    let path = sample.path.with_extension("cut");
    for length in 0..whole.len() {
        std::fs::write(&path, &whole[..length]).unwrap();
        let error = Trigrams::open(&path).unwrap_err();
        assert!(is_typed(&error), "cut at {length}: {error}");
    }
    std::fs::write(&path, [&whole[..], b"\0"].concat()).unwrap();
    assert!(is_typed(&Trigrams::open(&path).unwrap_err()), "a byte too many");
}

#[test]
fn what_is_cut_while_it_is_open_is_an_error() {
    let sample = sample();
    let trigrams = sample.open();
    std::fs::File::options().write(true).open(&sample.path).unwrap().set_len(200).unwrap();
    let error = candidates(&trigrams, &Plan::of_pattern("common", false, false, false)).unwrap_err();
    assert!(matches!(error, TrigramError::Io { .. }), "{error}");
}

#[test]
fn another_format_says_which() {
    let sample = sample();
    let mut bytes = std::fs::read(&sample.path).unwrap();
    bytes[8] = 77;
    std::fs::write(&sample.path, bytes).unwrap();
    let error = Trigrams::open(&sample.path).unwrap_err();
    assert!(matches!(error, TrigramError::Version { found: 77, .. }), "{error}");
    std::fs::write(&sample.path, "something else, long enough to have a header\n".repeat(20)).unwrap();
    assert!(matches!(Trigrams::open(&sample.path), Err(TrigramError::Damaged { .. })));
    let missing = Trigrams::open(&sample.path.with_extension("missing")).unwrap_err();
    assert!(matches!(missing, TrigramError::Io { .. }), "{missing}");
}

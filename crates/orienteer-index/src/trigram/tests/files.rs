//! What is written is what is read, however it was collected.

use std::collections::{BTreeMap, BTreeSet};

use orienteer_base::Cancel;
use proptest::prelude::*;

use super::{Sample, candidates, found};
use crate::trigram::plan::Need;
use crate::trigram::{Builder, Candidates, Content, Coverage, Plan, Reading, TrigramError, Trigrams};

fn text(n: u32) -> Vec<u8> {
    let words = ["alpha", "Beta", "gamma"];
    let mut text = format!("file {n} says {} and {}\n", n * 7_919 % 1_000, words[n as usize % 3]);
    // Some are long enough for several pieces.
    for line in 0..if n % 97 == 5 { 6_000 } else { 0 } {
        text.push_str(&format!("line {line} of {n}, number {}\n", line * n));
    }
    text.into_bytes()
}

fn has(bytes: &[u8], word: &str) -> bool {
    String::from_utf8_lossy(bytes).to_lowercase().contains(word)
}

#[test]
fn several_threads_and_small_memory_make_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut written = Vec::new();
    for (threads, pairs, kept) in [(1, 1 << 20, 1 << 20), (3, 500, 2_000), (2, 1, 0)] {
        let builder = Builder::with_limits(folder.path(), pairs, kept);
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let mut collector = builder.collector();
                scope.spawn(move || {
                    for n in (0..600).filter(|n| n % threads == thread) {
                        collector.add(n * 3, &text(n)).unwrap();
                    }
                    collector.finish().unwrap();
                });
            }
        });
        let path = folder.path().join("trigrams.bin");
        let summary = builder.finish(&path, &Cancel::new()).unwrap();
        assert_eq!((summary.files, summary.bytes), (600, path.metadata().unwrap().len()));
        written.push(std::fs::read(&path).unwrap());
        let trigrams = Trigrams::open(&path).unwrap();
        trigrams.verify(&Cancel::new()).unwrap();
        for word in ["alpha", "beta", "and gamma", "says 919"] {
            let expected: Vec<u32> = (0..600).filter(|n| has(&text(*n), word)).map(|n| n * 3).collect();
            assert_eq!(found(&trigrams, word), expected, "{word}");
        }
    }
    assert!(written[0] == written[1] && written[1] == written[2]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
}

#[test]
fn a_long_file_is_known_by_its_pieces() {
    let filler = "nothing in particular\n".repeat(5_000);
    let apart = format!("alpha\n{filler}omega\n");
    let together = format!("{filler}alpha and omega\n{filler}");
    // Among so few files it would be quicker to open one than to read a list.
    let others = [b"quite different".as_slice(); 40];
    let sample: Vec<&[u8]> = [apart.as_bytes(), together.as_bytes(), b"alpha\nomega\n", b"alpha"]
        .into_iter()
        .chain(others)
        .collect();
    let trigrams = Sample::new(&sample).open();
    let ask = |pattern: &str, across_lines| {
        candidates(&trigrams, &Plan::of_pattern(pattern, false, false, across_lines)).unwrap()
    };
    assert_eq!(ask("alpha", false), [0, 1, 2, 3]);
    assert_eq!(ask("omega", true), [0, 1, 2]);
    assert_eq!(ask("alp.*ome", false), [1, 2], "on one line, so in one piece");
    assert_eq!(ask("(?s)alp.*ome", true), [0, 1, 2]);
    assert_eq!(ask("omega|particular", false), [0, 1, 2]);
}

#[test]
fn a_collector_that_does_not_finish_adds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let builder = Builder::with_limits(folder.path(), 100, 1 << 20);
    let (mut one, mut other) = (builder.collector(), builder.collector());
    one.add(1, b"kept text").unwrap();
    other.add(2, b"lost text").unwrap();
    drop(other);
    one.finish().unwrap();
    let path = folder.path().join("t");
    builder.finish(&path, &Cancel::new()).unwrap();
    let trigrams = Trigrams::open(&path).unwrap();
    assert_eq!((trigrams.len(), found(&trigrams, "text")), (1, vec![1]));
}

#[test]
fn a_number_is_given_once() {
    let folder = tempfile::tempdir().unwrap();
    let builder = Builder::new(folder.path());
    let mut collector = builder.collector();
    collector.add(7, b"one").unwrap();
    collector.add(7, b"two").unwrap();
    collector.finish().unwrap();
    let error = builder.finish(&folder.path().join("t"), &Cancel::new()).unwrap_err();
    assert!(matches!(error, TrigramError::Duplicate(7)), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_file_that_cannot_be_written_leaves_the_old_one() {
    let sample = Sample::new(&[b"old text"]);
    let collect = |folder: &std::path::Path| {
        let builder = Builder::new(folder);
        let mut collector = builder.collector();
        collector.add(1, b"new text").unwrap();
        collector.finish().unwrap();
        builder
    };
    let cancel = Cancel::new();
    cancel.cancel();
    let stopped = collect(sample.path.parent().unwrap()).finish(&sample.path, &cancel).unwrap_err();
    assert!(matches!(stopped, TrigramError::Stopped(_)), "{stopped}");
    assert_eq!(found(&sample.open(), "old"), [0]);
    assert_eq!(std::fs::read_dir(sample.path.parent().unwrap()).unwrap().count(), 1);
    let nowhere = sample.path.join("folder/t");
    let error = collect(sample.path.parent().unwrap()).finish(&nowhere, &Cancel::new()).unwrap_err();
    assert!(matches!(error, TrigramError::Io { .. }), "{error}");
}

#[test]
fn whoever_has_it_open_keeps_what_was_there() {
    let sample = Sample::new(&[b"old text"]);
    let old = sample.open();
    let builder = Builder::new(sample.path.parent().unwrap());
    let mut collector = builder.collector();
    collector.add(5, b"new text").unwrap();
    collector.finish().unwrap();
    builder.finish(&sample.path, &Cancel::new()).unwrap();
    assert_eq!((found(&old, "old"), found(&old, "new")), (vec![0], vec![]));
    assert_eq!(found(&sample.open(), "new"), [5]);
}

#[test]
fn nothing_is_a_file_too() {
    let sample = Sample::new(&[]);
    let trigrams = sample.open();
    trigrams.verify(&Cancel::new()).unwrap();
    assert!(
        trigrams.is_empty() && found(&trigrams, "anything").is_empty() && found(&trigrams, ".").is_empty()
    );
    let blank = Sample::new(&[b"", b"a\nb\n"]);
    assert_eq!(found(&blank.open(), "."), [0, 1]);
    assert!(found(&blank.open(), "abc").is_empty());
}

#[test]
fn what_cannot_be_told_is_always_a_candidate() {
    let late = [b"text\n".repeat(20_000), b"\0".to_vec()].concat();
    let texts: [&[u8]; 5] = [b"plain", b"\xff\xfep\0l\0a\0i\0n\0", b"\0plain", &late, b"other"];
    let trigrams = Sample::new(&texts).open();
    let readings: Vec<Reading> = trigrams.files().map(|file| file.reading).collect();
    assert_eq!(readings, [Reading::Text, Reading::Always, Reading::Binary, Reading::Always, Reading::Text]);
    assert_eq!(found(&trigrams, "plain"), [0, 1, 3]);
    assert_eq!(found(&trigrams, "never there"), [1, 3]);
}

#[test]
fn a_file_is_covered_only_with_the_content_it_was_indexed_with() {
    let texts: [&[u8]; 4] = [b"alpha one", b"alpha two", b"beta\0", b"gamma"];
    let trigrams = Sample::new(&texts).open();
    let now = |id: u32, bytes: &[u8]| Some((id, Content::of(bytes)));
    // In the order of a list that has nothing to do with the numbers; the fourth file of the index is gone.
    let list =
        [now(2, texts[2]), None, now(1, b"alpha 2nd"), now(0, texts[0]), now(9, b"new"), now(0, texts[0])];
    let mut coverage = Coverage::new(&trigrams, list);
    assert_eq!(coverage.covered(), 2);
    let narrow = |coverage: &Coverage, pattern: &str| {
        let plan = Plan::of_pattern(pattern, false, false, false);
        coverage.narrow(&trigrams.candidates(&plan, &Cancel::new()).unwrap())
    };
    let narrowed = narrow(&coverage, "alpha").unwrap();
    assert_eq!((&narrowed.open[..], &narrowed.binary[..]), (&[1, 2, 3, 4, 5][..], &[0][..]));
    assert_eq!(narrow(&coverage, "beta").unwrap().open, [0, 1, 2, 4, 5]);
    assert_eq!(narrow(&coverage, "gamma").unwrap().open, [1, 2, 4, 5]);
    assert_eq!(narrow(&coverage, "a.?b"), None, "nothing to go by");
    coverage.uncover(0);
    coverage.uncover(0);
    coverage.uncover(2);
    assert_eq!(coverage.covered(), 1);
    let narrowed = narrow(&coverage, "gamma").unwrap();
    assert_eq!((&narrowed.open[..], narrowed.binary.len()), (&[0, 1, 2, 4, 5][..], 0));
}

#[test]
fn threads_share_a_reader() {
    let texts: Vec<Vec<u8>> = (0..300).map(text).collect();
    let sample = Sample::new(&texts.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let trigrams = sample.open();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let trigrams = &trigrams;
            scope.spawn(move || {
                for n in 0..100 {
                    let word = ["alpha", "beta", "gamma"][(n + thread) % 3];
                    assert_eq!(found(trigrams, word).len(), 100, "{word}");
                }
            });
        }
    });
}

#[test]
fn a_cancelled_question_stops() {
    let trigrams = Sample::new(&[b"alpha"]).open();
    let cancel = Cancel::new();
    cancel.cancel();
    let plan = Plan::of_pattern("alpha", false, false, false);
    assert!(matches!(trigrams.candidates(&plan, &cancel), Err(TrigramError::Stopped(_))));
    assert_eq!(trigrams.candidates(&Plan::everything(), &cancel).unwrap(), Candidates::Everything);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Every list of every trigram, against sets made one by one.
    #[test]
    fn the_file_says_what_the_texts_have(texts in prop::collection::vec("[a-cX-Z \n\u{e9}]{0,40}", 1..60)) {
        let bytes: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
        let mut expected: BTreeMap<Vec<u8>, BTreeSet<u32>> = BTreeMap::new();
        for (id, text) in (0..).zip(&bytes) {
            for window in text.windows(3).filter(|window| !window.contains(&b'\n')) {
                expected.entry(window.to_ascii_lowercase()).or_default().insert(id);
            }
        }
        let sample = Sample::new(&bytes);
        prop_assert_eq!(sample.summary.trigrams as usize, expected.len());
        let trigrams = sample.open();
        for (trigram, files) in expected {
            let need = Need::Trigram(u32::from_be_bytes([0, trigram[0], trigram[1], trigram[2]]));
            let plan = Plan { need, across_lines: false };
            prop_assert_eq!(candidates(&trigrams, &plan).unwrap(), files.into_iter().collect::<Vec<_>>());
        }
    }
}

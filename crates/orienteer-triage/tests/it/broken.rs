//! Files that are not what they should be.

use std::collections::BTreeMap;

use orienteer_base::Cancel;
use orienteer_base::triage::Format;
use orienteer_triage::{Ingest, TriageError, ingest};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::shapes::npm_report;
use crate::shapes_code::{full, sarif};
use crate::support::{Place, files, generic};

#[test]
fn every_bad_item_is_told_with_its_place_and_the_good_ones_are_written() {
    let place = Place::new();
    let items = json!([generic("a", "A"), 3, null, { "title": "without a key" }, generic("b", "B"), ["x"], generic("c", "C")]);
    let done = place.take_as(&items.to_string(), Some(Format::Generic)).unwrap();
    assert_eq!((done.total, done.written, done.errors), (7, 3, 4));
    let told: Vec<_> = done.details.iter().map(|detail| detail.index.unwrap()).collect();
    assert_eq!(told, [1, 2, 3, 5]);
    assert!(done.details[0].reason.contains("a number"), "{:?}", done.details[0]);
    assert!(done.details[2].reason.contains("`key` or `id`"), "{:?}", done.details[2]);
    // Nobody said which source it is: the same, as long as some are known.
    let done = Place::new().take(&items.to_string());
    assert_eq!((done.written, done.errors), (3, 4));
}

#[test]
fn a_file_of_no_known_source_is_refused_with_the_list() {
    let told = Place::new().take_as(r#"[{"hello": "world"}, {"x": 1}]"#, None).unwrap_err();
    let TriageError::Unrecognised { items, legal, .. } = &told else { panic!("{told}") };
    assert_eq!((*items, legal.len()), (2, Format::ALL.len()));
    for nothing in ["", "   \n", "\u{feff}"] {
        assert!(matches!(Place::new().take_as(nothing, None), Err(TriageError::Input(_))), "{nothing:?}");
    }
    let done = Place::new().take_as("this is no JSON", Some(Format::Sarif)).unwrap();
    assert_eq!((done.errors, done.written, done.details[0].index), (1, 0, None));
}

#[test]
fn what_stands_before_the_end_of_a_cut_file_is_written() {
    let whole = json!([generic("a", "A"), generic("b", "B"), generic("c", "C")]).to_string();
    let place = Place::new();
    let done = place.take(&whole[..whole.len() - 10]);
    assert_eq!((done.written, done.errors), (2, 1));
    assert!(done.details[0].reason.contains("ends in the middle"), "{:?}", done.details);
    let again = place.take(&whole);
    assert_eq!((again.written, again.unchanged), (1, 2), "the whole file brings the rest");
}

#[test]
fn what_is_said_twice_is_one_record_and_the_last_one_counts() {
    let place = Place::new();
    // More than are written at one time.
    let mut items: Vec<Value> = (0..2_100).map(|at| generic(&format!("k{at}"), "first")).collect();
    items.push(generic("k0", "last"));
    items.push(generic("k2099", "last"));
    items.push(generic("k5", "first"));
    let done = place.take(&Value::Array(items).to_string());
    assert_eq!((done.total, done.written, done.duplicates), (2_103, 2_100, 3));
    assert_eq!(done.ids.len(), 2_100);
    let snapshot = place.snapshot();
    let title = |key: &str| {
        let of = |known: &&std::sync::Arc<orienteer_triage::Known>| known.finding.key == format!("|{key}");
        snapshot.findings.values().find(of).unwrap().finding.vulnerability.title.clone()
    };
    assert_eq!(
        (title("k0").as_str(), title("k2099").as_str(), title("k5").as_str()),
        ("last", "last", "first")
    );
}

#[test]
fn taking_the_same_in_again_writes_nothing() {
    let place = Place::new();
    let text = json!([generic("a", "A"), generic("b", "B")]).to_string();
    place.take(&text);
    let times = |place: &Place| -> BTreeMap<String, std::time::SystemTime> {
        let folder = place.folder().join("findings");
        files(&folder)
            .into_iter()
            .map(|name| (name.clone(), folder.join(name).metadata().unwrap().modified().unwrap()))
            .collect()
    };
    let before = times(&place);
    assert_eq!(before.len(), 4, "a JSON and a Markdown file each: {before:?}");
    let done = place.take(&text);
    assert_eq!((done.unchanged, done.written, done.updated), (2, 0, 0));
    assert_eq!(times(&place), before);
    let done = place.take(&json!([generic("a", "Another title"), generic("b", "B")]).to_string());
    assert_eq!((done.unchanged, done.updated), (1, 1));
}

#[test]
fn a_dry_run_says_the_same_and_writes_nothing() {
    let place = Place::new();
    let wanted = Ingest { dry_run: true, ..Ingest::default() };
    let done = ingest(&place.store, full().to_string().as_bytes(), &wanted, &Cancel::new()).unwrap();
    assert_eq!((done.written, done.dry_run), (1, true));
    assert!(!place.folder().exists());
}

#[test]
fn records_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.take(&full().to_string());
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&place.folder()), 0o700);
    for name in files(&place.folder()) {
        assert_eq!(mode(&place.folder().join(&name)), 0o600, "{name}");
    }
}

#[test]
fn a_record_that_somebody_broke_is_told_and_written_anew() {
    let place = Place::new();
    let done = place.take(&json!([generic("a", "A"), generic("b", "B")]).to_string());
    let path = place.store.finding_paths(&done.ids[0]).0;
    std::fs::write(&path, "{ broken").unwrap();
    std::fs::write(place.folder().join("findings/stranger.json"), "{}").unwrap();
    let snapshot = place.snapshot();
    assert_eq!((snapshot.findings.len(), snapshot.unreadable.len()), (1, 2), "{:?}", snapshot.unreadable);
    let again = place.take(&json!([generic("a", "A"), generic("b", "B")]).to_string());
    assert_eq!((again.written, again.unchanged), (1, 1));
    assert_eq!(place.snapshot().findings.len(), 2);
}

/// Every report with any one value replaced by any other.
fn twisted() -> impl Strategy<Value = Value> {
    let bases = vec![npm_report(), sarif(), full(), crate::shapes::osv()];
    let leaf = prop_oneof![
        Just(Value::Null),
        Just(json!(true)),
        Just(json!(-1)),
        Just(json!(1e308)),
        Just(json!("")),
        Just(json!("\u{202e}x\u{0}\n---\n# y")),
        Just(json!([])),
        Just(json!({})),
        Just(json!([[], {}, null, 1])),
        Just(json!({ "a": { "b": [] } })),
    ];
    (prop::sample::select(bases), any::<prop::sample::Index>(), leaf).prop_map(|(mut base, at, leaf)| {
        let mut paths = Vec::new();
        walk(&base, String::new(), &mut paths);
        let path = at.get(&paths).clone();
        if let Some(place) = base.pointer_mut(&path) {
            *place = leaf;
        }
        base
    })
}

fn walk(value: &Value, path: String, paths: &mut Vec<String>) {
    paths.push(path.clone());
    match value {
        Value::Array(entries) => {
            entries.iter().enumerate().for_each(|(at, one)| walk(one, format!("{path}/{at}"), paths))
        }
        Value::Object(fields) => fields.iter().for_each(|(name, one)| {
            walk(one, format!("{path}/{}", name.replace('~', "~0").replace('/', "~1")), paths)
        }),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn nothing_that_a_source_writes_panics_or_leaves_half_a_record(report in twisted()) {
        let place = Place::new();
        if let Ok(done) = place.take_as(&report.to_string(), None) {
            prop_assert_eq!(done.total, done.written + done.updated + done.unchanged + done.duplicates + done.errors);
            let snapshot = place.snapshot();
            prop_assert_eq!(snapshot.findings.len(), done.ids.len());
            prop_assert!(snapshot.unreadable.is_empty());
        }
        for format in Format::ALL {
            let _ = place.take_as(&report.to_string(), Some(*format));
        }
    }
}

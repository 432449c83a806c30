//! Several who change one tree at once.

use std::sync::Barrier;
use std::time::Duration;

use orienteer_edit::{EditError, Undo};

use crate::support::Place;

#[test]
fn of_two_plans_about_one_text_one_is_carried_out() {
    for _ in 0..20 {
        let place = Place::with(&[("a.txt", "one"), ("b.txt", "one")]);
        let plans =
            [place.plan(&["a.txt", "b.txt"], "one", "left"), place.plan(&["b.txt", "a.txt"], "one", "right")];
        let start = Barrier::new(2);
        let results: Vec<_> = std::thread::scope(|scope| {
            let apply = |plan| {
                start.wait();
                place.journal().apply(plan, "test", &place.roots())
            };
            let threads: Vec<_> = plans.iter().map(|plan| scope.spawn(move || apply(plan))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let winner = results.iter().position(Result::is_ok).unwrap();
        assert!(matches!(results[1 - winner], Err(EditError::Stale { .. })), "{results:?}");
        let word = ["left", "right"][winner];
        assert_eq!((place.read("a.txt").as_str(), place.read("b.txt").as_str()), (word, word));
    }
}

#[test]
fn plans_about_different_files_are_all_carried_out() {
    let names: Vec<String> = (0..8).map(|number| format!("f{number}.txt")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "one")).collect();
    let place = Place::with(&files);
    let before = place.tree();
    std::thread::scope(|scope| {
        for name in &names {
            let place = &place;
            scope.spawn(move || {
                let plan = place.plan(&[name], "one", "two");
                place.journal().apply(&plan, "test", &place.roots()).unwrap();
            });
        }
    });
    assert!(names.iter().all(|name| place.read(name) == "two"));
    place.journal().undo(&Undo::Last(8), &place.roots()).unwrap();
    assert_eq!(place.tree(), before);
}

#[test]
fn whoever_waits_too_long_is_told_so() {
    let place = Place::with(&[("a.txt", "one"), ("b.txt", "one")]);
    let (first, second) = (place.plan(&["a.txt"], "one", "two"), place.plan(&["b.txt"], "one", "two"));
    let (begun, has_begun) = std::sync::mpsc::channel();
    let (go, may_go) = std::sync::mpsc::channel::<()>();
    let may_go = std::sync::Mutex::new(may_go);
    let slow = place.journal().with_witness(std::sync::Arc::new(move |step| {
        if step == "mark" {
            begun.send(()).unwrap();
            let _ = may_go.lock().unwrap().recv();
        }
        Ok(())
    }));
    std::thread::scope(|scope| {
        let (place, first) = (&place, &first);
        let applying = scope.spawn(move || slow.apply(first, "slow", &place.roots()));
        has_begun.recv().unwrap();
        let hasty = place.journal().with_patience(Duration::from_millis(30));
        assert!(matches!(hasty.apply(&second, "hasty", &place.roots()), Err(EditError::Busy)));
        go.send(()).unwrap();
        applying.join().unwrap().unwrap();
    });
    place.journal().apply(&second, "now", &place.roots()).unwrap();
    assert_eq!((place.read("a.txt"), place.read("b.txt")), ("two".to_owned(), "two".to_owned()));
}

//! What a question costs. The figures are printed; the limits are wide enough for a busy machine.

use std::time::{Duration, Instant};

use orienteer_watch::{How, Options, Watch};

use crate::support::{Place, grow_old};

fn tree(files: usize) -> Place {
    let place = Place::new();
    for number in 0..files {
        place.write(&format!("d{}/e{}/f{number}.rs", number % 10, number / 10 % (files / 100)), "text");
    }
    place
}

fn percentile(mut times: Vec<Duration>, part: usize) -> Duration {
    times.sort();
    times[(times.len() - 1) * part / 100]
}

fn measure(files: usize, polling: bool, rounds: usize) -> (Duration, Vec<Duration>) {
    let place = tree(files);
    grow_old();
    let started = Instant::now();
    let watch = Watch::start(&place.root(), Options { polling, ..place.options() });
    let start = started.elapsed();
    let mut cursor = watch.cursor();
    let times = (0..rounds)
        .map(|_| {
            let changes = watch.changes(&mut cursor);
            assert!(changes.is_empty());
            assert_eq!(changes.how, if polling { How::Swept } else { How::Watched });
            changes.took
        })
        .collect();
    (start, times)
}

#[test]
fn cost_of_a_question_when_nothing_changed() {
    // Making the large tree takes longer than all other tests together.
    let full = std::env::var_os("ORIENTEER_TEST_FULL").is_some();
    for files in if full { vec![1_000, 20_000] } else { vec![1_000] } {
        for (polling, rounds) in [(false, 1_000), (true, 20)] {
            let (start, times) = measure(files, polling, rounds);
            let (half, most) = (percentile(times.clone(), 50), percentile(times, 95));
            let how = if polling { "swept" } else { "watched" };
            eprintln!("{files} files, {how}: start {start:.1?}, question p50 {half:.1?}, p95 {most:.1?}");
            let limit = if polling { Duration::from_secs(2) } else { Duration::from_millis(50) };
            assert!(half < limit, "{half:?}");
        }
    }
}

#[test]
fn cost_of_a_question_after_one_edit() {
    let place = tree(1_000);
    let watch = Watch::start(&place.root(), place.options());
    let mut cursor = watch.cursor();
    let times: Vec<Duration> = (0..500)
        .map(|number| {
            place.write("d1/e1/f11.rs", &number.to_string());
            let changes = watch.changes(&mut cursor);
            assert_eq!(changes.changed.len(), 1);
            changes.took
        })
        .collect();
    eprintln!(
        "1000 files, one edit: p50 {:.1?}, p95 {:.1?}",
        percentile(times.clone(), 50),
        percentile(times, 95)
    );
}

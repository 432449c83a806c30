//! Work on many files, shared by two threads: the system answers one while the other counts words.

use std::sync::atomic::{AtomicUsize, Ordering};

use orienteer_base::Cancel;

/// What comes of each of these, in no order. The second thread is begun when there are `many` of them: fewer are done sooner
/// than it has begun. Each thread has one of the two places to work in. What is cancelled, or what the other thread has
/// panicked over, is missing.
pub(super) fn shared<T: Sync, P: Send, R: Send>(
    all: &[T],
    many: usize,
    places: (&mut P, &mut P),
    cancel: &Cancel,
    work: impl Fn(&T, &mut P) -> R + Sync,
) -> Vec<(usize, R)> {
    let next = AtomicUsize::new(0);
    let share = |place: &mut P| {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(one) = all.get(at).filter(|_| !cancel.is_cancelled()) else { break done };
            done.push((at, work(one, place)));
        }
    };
    let (mine, others) = places;
    std::thread::scope(|scope| {
        let other = (all.len() >= many).then(|| {
            let share = || share(others);
            std::thread::Builder::new().name("search".to_owned()).spawn_scoped(scope, share).ok()
        });
        let mut done = share(mine);
        done.extend(other.flatten().and_then(|other| other.join().ok()).unwrap_or_default());
        done
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubled(all: &[usize], many: usize) -> Vec<(usize, usize)> {
        let (mut one, mut other) = (0, 0);
        let work = |number: &usize, place: &mut usize| {
            *place += 1;
            number * 2
        };
        let mut done = shared(all, many, (&mut one, &mut other), &Cancel::new(), work);
        assert_eq!(one + other, all.len(), "each is done once");
        done.sort_unstable();
        done
    }

    #[test]
    fn each_is_done_once_by_one_thread_or_two() {
        let all: Vec<usize> = (0..1_000).collect();
        let expected: Vec<(usize, usize)> = all.iter().map(|number| (*number, number * 2)).collect();
        for many in [0, 1_000, 1_001] {
            assert_eq!(doubled(&all, many), expected);
        }
        assert_eq!(doubled(&[], 0), []);
    }

    #[test]
    fn what_the_other_thread_panicked_over_is_missing_and_what_is_cancelled_is_not_begun() {
        let here = std::thread::current().id();
        let began = AtomicUsize::new(0);
        let work = |_: &usize, (): &mut ()| {
            if std::thread::current().id() != here {
                began.store(1, Ordering::SeqCst);
                panic!("on purpose");
            }
            // The other one has to have its chance.
            while began.load(Ordering::SeqCst) == 0 {
                std::thread::yield_now();
            }
        };
        let done = shared(&[1, 2, 3], 0, (&mut (), &mut ()), &Cancel::new(), work);
        assert_eq!(done.len(), 2);

        let cancel = Cancel::new();
        cancel.cancel();
        assert!(shared(&[1], 0, (&mut (), &mut ()), &cancel, |_, ()| ()).is_empty());
    }
}

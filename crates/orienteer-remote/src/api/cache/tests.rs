use super::*;

fn kept(body: &[u8]) -> Kept {
    Kept {
        headers: vec![("etag".into(), "\"1\"".into())],
        body: Arc::new(body.to_vec()),
        moved: None,
        confirmed: now(),
    }
}

fn key(number: u32) -> [u8; 32] {
    let mut key = [0; 32];
    key[..4].copy_from_slice(&number.to_le_bytes());
    key
}

fn body(store: &mut Store, number: u32) -> Option<Vec<u8>> {
    store.find(&key(number)).map(|kept| kept.body.to_vec())
}

#[test]
fn an_answer_is_found_again_by_another_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = Some(folder.path().join("deep/answers.sqlite"));
    let mut one = Store::open(path.clone(), CacheLimits::default());
    one.keep(&key(1), &kept(b"one"));
    let mut other = Store::open(path, CacheLimits::default());
    assert_eq!(body(&mut other, 1).unwrap(), b"one");
    assert_eq!(other.find(&key(1)).unwrap().header("etag"), Some("\"1\""));
    other.keep(&key(1), &kept(b"two"));
    assert_eq!(body(&mut one, 1).unwrap(), b"two");
    assert_eq!(body(&mut one, 2), None);
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_look() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("cache");
    let mut store = Store::open(Some(place.join("answers.sqlite")), CacheLimits::default());
    store.keep(&key(1), &kept(b"one"));
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&place), 0o700);
    for entry in std::fs::read_dir(&place).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

#[test]
fn a_damaged_file_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers.sqlite");
    std::fs::write(&path, b"this is no database, and it is longer than its head ".repeat(100)).unwrap();
    let mut store = Store::open(Some(path.clone()), CacheLimits::default());
    store.keep(&key(1), &kept(b"one"));
    assert_eq!(body(&mut store, 1).unwrap(), b"one");
    // Damage in the midst of use.
    for number in 0..200 {
        store.keep(&key(number), &kept(&[7; 5000]));
    }
    drop(store);
    let mut bytes = std::fs::read(&path).unwrap();
    let end = bytes.len();
    bytes[4096..end].fill(0xff);
    std::fs::write(&path, bytes).unwrap();
    let mut store = Store::open(Some(path), CacheLimits::default());
    for number in 0..200 {
        store.find(&key(number));
    }
    store.keep(&key(1), &kept(b"again"));
    assert_eq!(body(&mut store, 1).unwrap(), b"again");
}

#[test]
fn a_place_that_cannot_be_written_is_an_empty_cache() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let mut store =
        Store::open(Some(folder.path().join("file/below/answers.sqlite")), CacheLimits::default());
    store.keep(&key(1), &kept(b"one"));
    assert_eq!(body(&mut store, 1), None);
}

#[test]
fn it_stays_within_its_bounds_and_lets_go_of_what_was_not_used() {
    let limits = CacheLimits { bytes: 100_000, ..CacheLimits::default() };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers.sqlite");
    let mut store = Store::open(Some(path.clone()), limits);
    for number in 0..1000 {
        store.keep(&key(number), &kept(&[7; 2000]));
        let (_, bytes) = store.size();
        assert!(bytes <= limits.bytes, "{number}: {bytes}");
    }
    assert!(body(&mut store, 999).is_some() && body(&mut store, 0).is_none());
    store.keep(&key(5000), &kept(&[7; 90_000]));
    assert_eq!(body(&mut store, 5000), None, "one answer must not push out all others");
    drop(store);
    let size = std::fs::metadata(path).unwrap().len();
    assert!(size < 400_000, "{size}");
}

#[test]
fn what_is_too_old_is_not_given() {
    let limits = CacheLimits { age: Duration::from_secs(10), ..CacheLimits::default() };
    let mut store = Store::open(None, limits);
    let old = Kept { confirmed: now() - 11_000, ..kept(b"old") };
    store.keep(&key(1), &old);
    assert_eq!(body(&mut store, 1), None);
    store.keep(&key(2), &Kept { confirmed: now() - 9000, ..kept(b"young") });
    let age = store.find(&key(2)).unwrap().age();
    assert!(age >= Duration::from_secs(9) && age < Duration::from_secs(60), "{age:?}");
    store.confirm(&key(2));
    assert!(store.find(&key(2)).unwrap().age() < Duration::from_secs(5));
    // A clock that was set back must not make it fresh forever.
    store.keep(&key(3), &Kept { confirmed: now() + 1_000_000, ..kept(b"future") });
    assert!(store.find(&key(3)).unwrap().age() > Duration::from_secs(1_000_000));
}

#[test]
fn a_file_of_another_version_is_made_again_and_one_that_is_busy_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers.sqlite");
    let mut store = Store::open(Some(path.clone()), CacheLimits::default());
    store.keep(&key(1), &kept(b"one"));
    let other = rusqlite::Connection::open(&path).unwrap();
    other.pragma_update(None, "locking_mode", "EXCLUSIVE").unwrap();
    drop(store);
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let mut busy = Store::open(Some(path.clone()), CacheLimits::default());
    assert_eq!(body(&mut busy, 1), None);
    other.execute_batch("COMMIT").unwrap();
    drop(other);
    let mut store = Store::open(Some(path.clone()), CacheLimits::default());
    assert_eq!(body(&mut store, 1).unwrap(), b"one");
    drop(store);
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let mut store = Store::open(Some(path), CacheLimits::default());
    assert_eq!(body(&mut store, 1), None);
    store.keep(&key(1), &kept(b"two"));
    assert_eq!(body(&mut store, 1).unwrap(), b"two");
}

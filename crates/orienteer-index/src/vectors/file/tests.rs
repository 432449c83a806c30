//! That the file gives back what was put in, ranks exactly, and notices damage.

use std::fs;

use orienteer_base::{Cancel, Stopped};
use tempfile::TempDir;

use super::super::{Scored, rank};
use super::format::BLOCK_ROWS;
use super::*;

const MODEL: Identity = Identity([7; 32]);

/// Vectors that look random and are the same every time.
fn vectors(count: usize, dims: usize) -> Vec<(u64, Vector)> {
    let mut state = 1u64;
    let mut number = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f32 / (1u64 << 30) as f32 - 1.0
    };
    let mut vector = || Vector::quantised(&(0..dims).map(|_| number()).collect::<Vec<_>>()).unwrap();
    (0..count).map(|at| (3 * at as u64 + 1, vector())).collect()
}

struct Written {
    folder: TempDir,
    vectors: Vec<(u64, Vector)>,
}

impl Written {
    fn new(count: usize, dims: usize) -> Self {
        let written = Self { folder: tempfile::tempdir().unwrap(), vectors: vectors(count, dims) };
        let mut writer = VectorWriter::create(&written.path(), MODEL, dims).unwrap();
        written.vectors.iter().for_each(|(id, vector)| writer.push(*id, vector).unwrap());
        writer.finish().unwrap();
        written
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("vectors-1.bin")
    }

    fn open(&self) -> Result<VectorFile, VectorsError> {
        VectorFile::open(&self.path(), MODEL)
    }

    fn plain(&self, query: &Vector, limit: usize, keep: impl Fn(u64) -> bool) -> Vec<Scored> {
        rank(query, self.vectors.iter().filter(|(id, _)| keep(*id)).map(|(id, vector)| (*id, vector)), limit)
    }
}

#[test]
fn a_scan_is_exact_with_any_number_of_threads() {
    let written = Written::new(20 * BLOCK_ROWS + 17, 24);
    let file = written.open().unwrap();
    assert_eq!((file.len(), file.dims()), (written.vectors.len(), 24));
    for (_, query) in written.vectors.iter().step_by(5000) {
        for threads in [0, 1, 2, 3, 100] {
            let found = file.scan(query, 10, threads, &Cancel::new(), |_| true).unwrap();
            assert_eq!(found, written.plain(query, 10, |_| true), "{threads} threads");
        }
        let odd = |id: u64| id % 2 == 1;
        assert_eq!(file.scan(query, 7, 2, &Cancel::new(), odd).unwrap(), written.plain(query, 7, odd));
    }
}

#[test]
fn equally_near_ones_come_in_the_order_of_their_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("v");
    let vector = Vector::quantised(&[1.0, 2.0]).unwrap();
    let mut writer = VectorWriter::create(&path, MODEL, 2).unwrap();
    (0..30_000).for_each(|id| writer.push(id, &vector).unwrap());
    writer.finish().unwrap();
    let file = VectorFile::open(&path, MODEL).unwrap();
    for threads in [1, 2] {
        let found = file.scan(&vector, 4, threads, &Cancel::new(), |id| id > 9000).unwrap();
        assert_eq!(found.iter().map(|scored| scored.id).collect::<Vec<_>>(), [9001, 9002, 9003, 9004]);
    }
}

#[test]
fn a_vector_is_found_by_its_number() {
    let written = Written::new(BLOCK_ROWS + 5, 8);
    let file = written.open().unwrap();
    for at in [0, 1, BLOCK_ROWS - 1, BLOCK_ROWS, BLOCK_ROWS + 4] {
        let (id, vector) = &written.vectors[at];
        assert_eq!(file.get(*id).unwrap().as_ref(), Some(vector), "{at}");
    }
    for id in [0, 2, 3, u64::MAX] {
        assert_eq!(file.get(id).unwrap(), None, "{id}");
    }
}

#[test]
fn files_of_every_size_are_read_back() {
    for count in [0, 1, BLOCK_ROWS - 1, BLOCK_ROWS, BLOCK_ROWS + 1, 2 * BLOCK_ROWS] {
        let written = Written::new(count, 5);
        let file = written.open().unwrap();
        assert_eq!((file.len(), file.is_empty()), (count, count == 0));
        let query = Vector::quantised(&[1.0; 5]).unwrap();
        let found = file.scan(&query, usize::MAX, 1, &Cancel::new(), |_| true).unwrap();
        assert_eq!(found, written.plain(&query, usize::MAX, |_| true), "{count}");
        assert!(file.scan(&query, 0, 1, &Cancel::new(), |_| true).unwrap().is_empty());
    }
}

#[test]
fn a_byte_changed_anywhere_is_noticed() {
    let written = Written::new(BLOCK_ROWS + 100, 6);
    let whole = fs::read(written.path()).unwrap();
    let query = Vector::quantised(&[1.0; 6]).unwrap();
    for at in (0..whole.len()).step_by(97).chain([0, 8, 12, 16, 24, 60, 119, 120, whole.len() - 1]) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        fs::write(written.path(), &bytes).unwrap();
        let outcome = written.open().and_then(|file| file.scan(&query, 5, 1, &Cancel::new(), |_| true));
        let error = outcome.expect_err("a changed byte");
        let told = matches!(error, VectorsError::Damaged { .. } | VectorsError::OtherVersion { .. });
        assert!(told, "byte {at}: {error}");
    }
}

#[test]
fn a_file_cut_short_or_grown_is_noticed() {
    let written = Written::new(BLOCK_ROWS + 100, 6);
    let whole = fs::read(written.path()).unwrap();
    for length in [0, 1, HEADER - 1, HEADER, HEADER + 1, whole.len() / 2, whole.len() - 1] {
        fs::write(written.path(), &whole[..length]).unwrap();
        let error = written.open().unwrap_err();
        assert!(matches!(error, VectorsError::Damaged { .. }), "{length}: {error}");
    }
    fs::write(written.path(), [&whole[..], b"x"].concat()).unwrap();
    assert!(matches!(written.open().unwrap_err(), VectorsError::Damaged { .. }));
}

#[test]
fn a_file_cut_short_while_it_is_open_gives_an_error() {
    let written = Written::new(3 * BLOCK_ROWS, 6);
    let file = written.open().unwrap();
    let query = Vector::quantised(&[1.0; 6]).unwrap();
    file.scan(&query, 5, 1, &Cancel::new(), |_| true).unwrap();
    fs::OpenOptions::new().write(true).open(written.path()).unwrap().set_len(5000).unwrap();
    let error = file.scan(&query, 5, 1, &Cancel::new(), |_| true).unwrap_err();
    assert!(matches!(error, VectorsError::Unusable { .. }), "{error}");
}

#[test]
fn vectors_of_another_model_are_refused() {
    let written = Written::new(3, 6);
    let error = VectorFile::open(&written.path(), Identity([8; 32])).unwrap_err();
    assert!(matches!(error, VectorsError::OtherModel { .. }), "{error}");
    let file = written.open().unwrap();
    let error = file.scan(&Vector::quantised(&[1.0]).unwrap(), 5, 1, &Cancel::new(), |_| true).unwrap_err();
    assert!(matches!(error, VectorsError::Dimensions { found: 1, expected: 6 }), "{error}");
}

#[test]
fn a_hostile_header_with_a_right_checksum_is_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("v");
    for (dims, count) in [(0, 1), (5000, 1), (4, u64::MAX), (4, 1 << 32), (4096, 1 << 31)] {
        let header = Header { dims, count, model: MODEL, table_sum: [0; 32] };
        fs::write(&path, header.bytes()).unwrap();
        let error = VectorFile::open(&path, MODEL).unwrap_err();
        assert!(matches!(error, VectorsError::Damaged { .. }), "{dims} {count}: {error}");
    }
}

#[test]
fn numbers_ascend_and_dimensions_are_those_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = VectorWriter::create(&folder.path().join("v"), MODEL, 2).unwrap();
    let vector = Vector::quantised(&[1.0, 2.0]).unwrap();
    writer.push(5, &vector).unwrap();
    assert!(matches!(writer.push(5, &vector), Err(VectorsError::OutOfOrder { id: 5, last: 5 })));
    assert!(matches!(writer.push(4, &vector), Err(VectorsError::OutOfOrder { id: 4, last: 5 })));
    let other = Vector::quantised(&[1.0]).unwrap();
    assert!(matches!(writer.push(6, &other), Err(VectorsError::Dimensions { found: 1, expected: 2 })));
    writer.push(6, &vector).unwrap();
    writer.finish().unwrap();
    assert_eq!(VectorFile::open(&folder.path().join("v"), MODEL).unwrap().len(), 2);
}

#[test]
fn an_unfinished_file_leaves_the_old_one_and_nothing_else() {
    let written = Written::new(10, 4);
    let before = fs::read(written.path()).unwrap();
    let mut writer = VectorWriter::create(&written.path(), MODEL, 4).unwrap();
    vectors(5000, 4).iter().for_each(|(id, vector)| writer.push(*id, vector).unwrap());
    drop(writer);
    assert_eq!(fs::read(written.path()).unwrap(), before);
    assert_eq!(fs::read_dir(written.folder.path()).unwrap().count(), 1);
}

#[test]
fn whoever_has_the_old_file_open_goes_on_reading_it() {
    let written = Written::new(10, 4);
    let old = written.open().unwrap();
    let mut writer = VectorWriter::create(&written.path(), MODEL, 4).unwrap();
    writer.push(1, &written.vectors[0].1).unwrap();
    writer.finish().unwrap();
    let query = Vector::quantised(&[1.0; 4]).unwrap();
    assert_eq!(old.scan(&query, 20, 1, &Cancel::new(), |_| true).unwrap().len(), 10);
    assert_eq!(written.open().unwrap().len(), 1);
}

#[test]
fn a_folder_that_is_not_there_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none/v");
    assert!(matches!(VectorWriter::create(&path, MODEL, 4), Err(VectorsError::Unusable { .. })));
    assert!(matches!(VectorFile::open(&path, MODEL), Err(VectorsError::Unusable { .. })));
}

#[test]
fn a_cancelled_scan_stops() {
    let written = Written::new(10, 4);
    let cancel = Cancel::new();
    cancel.cancel();
    let query = Vector::quantised(&[1.0; 4]).unwrap();
    let error = written.open().unwrap().scan(&query, 5, 1, &cancel, |_| true).unwrap_err();
    assert!(matches!(error, VectorsError::Stopped(Stopped)), "{error}");
}

//! Is an archive unpacked whole, below its folder, or not at all?

use std::io::Write;
use std::path::{Path, PathBuf};

use orienteer_base::Cancel;
use orienteer_remote::{Limits, UnpackError, unpack};

/// A tar file of entries with names as they are, which the usual writers refuse to write.
pub(crate) fn tar(entries: &[(&str, tar::EntryType, &[u8])]) -> Vec<u8> {
    let mut builder =
        tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
    for (name, kind, content) in entries {
        let mut header = tar::Header::new_gnu();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(*kind);
        header.set_size(content.len() as u64);
        header.set_mode(0o777);
        if kind.is_symlink() || kind.is_hard_link() {
            header.set_link_name("/etc/passwd").unwrap();
        }
        header.set_cksum();
        builder.append(&header, *content).unwrap();
    }
    builder.into_inner().unwrap().finish().unwrap()
}

fn zip(entries: &[(&str, &[u8])], link: Option<&str>) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    for (name, content) in entries {
        writer.start_file(*name, options).unwrap();
        writer.write_all(content).unwrap();
    }
    if let Some(name) = link {
        writer.add_symlink(name, "/etc/passwd", options).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn unpacked(archive: &[u8], limits: Limits) -> (tempfile::TempDir, Result<Vec<PathBuf>, UnpackError>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive");
    std::fs::write(&path, archive).unwrap();
    let result = unpack(&path, &folder.path().join("out"), limits, &Cancel::new());
    if result.is_err() {
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(left.len(), 1, "nothing but the archive is left: {left:?}");
    }
    (folder, result)
}

const FILE: tar::EntryType = tar::EntryType::Regular;

#[test]
fn both_kinds_of_archives_are_unpacked_and_nothing_may_be_run() {
    let one =
        tar(&[("a/", tar::EntryType::Directory, b""), ("a/b.txt", FILE, b"one"), ("./c", FILE, b"two")]);
    let other = zip(&[("a/b.txt", b"one"), ("c", b"two")], None);
    for archive in [one, other] {
        let (folder, files) = unpacked(&archive, Limits::default());
        assert_eq!(files.unwrap(), [Path::new("a/b.txt"), Path::new("c")]);
        let file = folder.path().join("out/a/b.txt");
        assert_eq!(std::fs::read(&file).unwrap(), b"one");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o111, 0);
        }
    }
}

#[test]
fn names_that_lead_outside_are_refused() {
    for name in ["../evil", "a/../../evil", "/etc/evil", "a\\..\\evil", "c:evil", "a/\u{0}b"] {
        if !name.contains('\0') {
            let (_folder, result) =
                unpacked(&tar(&[("fine", FILE, b"x"), (name, FILE, b"x")]), Limits::default());
            assert!(
                matches!(&result, Err(UnpackError::Outside { entry }) if entry == name),
                "{name}: {result:?}"
            );
        }
        let (_folder, result) = unpacked(&zip(&[("fine", b"x"), (name, b"x")], None), Limits::default());
        assert!(matches!(&result, Err(UnpackError::Outside { .. })), "{name}: {result:?}");
    }
}

#[test]
fn links_and_devices_are_refused() {
    for kind in [tar::EntryType::Symlink, tar::EntryType::Link, tar::EntryType::Fifo, tar::EntryType::Char] {
        let (_folder, result) = unpacked(&tar(&[("x", kind, b"")]), Limits::default());
        assert!(
            matches!(&result, Err(UnpackError::Special { entry, .. }) if entry == "x"),
            "{kind:?}: {result:?}"
        );
    }
    let (_folder, result) = unpacked(&zip(&[("a", b"")], Some("x")), Limits::default());
    assert!(
        matches!(&result, Err(UnpackError::Special { entry, what: "link" }) if entry == "x"),
        "{result:?}"
    );
}

#[test]
fn an_archive_that_is_larger_than_it_looks_is_refused() {
    let zeros = vec![0; 4 << 20];
    let limits = Limits { bytes: 1 << 20, entries: 3 };
    for archive in [tar(&[("x", FILE, &zeros)]), zip(&[("x", &zeros)], None)] {
        assert!(archive.len() < 40_000);
        let (_folder, result) = unpacked(&archive, limits);
        assert!(matches!(result, Err(UnpackError::TooLarge { limit: 1_048_576 })), "{result:?}");
    }
    let many = [("a", FILE, b"".as_slice()), ("b", FILE, b""), ("c", FILE, b""), ("d", FILE, b"")];
    let (_folder, result) = unpacked(&tar(&many), limits);
    assert!(matches!(result, Err(UnpackError::TooMany { limit: 3 })), "{result:?}");
}

#[test]
fn the_same_name_twice_is_refused_also_in_capitals() {
    let (_folder, result) =
        unpacked(&tar(&[("Readme", FILE, b"x"), ("README", FILE, b"y")]), Limits::default());
    assert!(matches!(&result, Err(UnpackError::Twice { entry }) if entry == "README"), "{result:?}");
}

#[test]
fn what_is_no_archive_or_a_broken_one_is_told() {
    let whole = tar(&[("a", FILE, &[7; 100_000])]);
    let zipped = zip(&[("a", &[7; 100_000])], None);
    let (_folder, result) = unpacked(b"just text", Limits::default());
    assert!(matches!(result, Err(UnpackError::Unknown { .. })), "{result:?}");
    for broken in [&whole[..whole.len() / 2], &zipped[..zipped.len() / 2]] {
        let (_folder, result) = unpacked(broken, Limits::default());
        assert!(matches!(result, Err(UnpackError::Damaged { .. })), "{result:?}");
    }
}

//! What happens with files that nobody wrote for us?

use std::fs;

use orienteer_index::store::{FileFlags, Mode, RelativePath};

use crate::support::{Place, files, found, symbols};

#[test]
fn a_binary_file_is_found_by_its_name_alone() {
    let place = Place::new();
    place.write("logo_picture.png", b"\x89PNG\r\n\x1a\n\0\0\0secretword\0");
    let store = place.built();
    assert_eq!(found(&store, "logo picture"), ["logo_picture.png"]);
    assert_eq!(found(&store, "secretword"), [""; 0]);
    let file = store.read().unwrap().files().unwrap().remove(0);
    assert!(file.flags.has(FileFlags::BINARY));
    assert_eq!(store.read().unwrap().pieces_of(&file).unwrap().len(), 1);
}

#[test]
fn a_large_file_is_known_by_its_beginning() {
    let place = Place::new();
    let mut text = "beginning words\n".to_owned();
    text.push_str(&"filler line of no interest\n".repeat(200_000));
    text.push_str("fn at_the_end() {}\n");
    place.write("large.rs", &text);
    let store = place.built();
    assert_eq!(found(&store, "beginning"), ["large.rs"]);
    assert_eq!(found(&store, "at_the_end"), [""; 0]);
    assert_eq!(symbols(&store, "at_the_end"), [""; 0]);
    let file = store.read().unwrap().files().unwrap().remove(0);
    assert!(file.flags.has(FileFlags::TOO_LARGE));
    assert_eq!(file.stamp.size, text.len() as u64);
    assert!(file.trigrams.is_some(), "all of it was read, so a search for text need not");
    place.write("large.rs", text.replacen("beginning", "changed", 1));
    assert_eq!(place.update(&store, &["large.rs"]).changed, 1);
    assert_eq!(found(&store, "changed"), ["large.rs"]);
}

#[test]
fn a_hundred_megabytes_are_not_read_to_the_end() {
    let place = Place::new();
    place.write("huge.txt", "first words here\n");
    fs::File::options().write(true).open(place.path("huge.txt")).unwrap().set_len(100 << 20).unwrap();
    let store = place.built();
    // Behind the words there are only zeros, far from the beginning of what is looked at.
    assert_eq!(files(&store), ["huge.txt"]);
    let file = store.read().unwrap().files().unwrap().remove(0);
    assert!(file.flags.has(FileFlags::TOO_LARGE));
    assert_eq!(file.trigrams, None);
}

#[test]
fn other_encodings_are_read() {
    let place = Place::new();
    let wide: Vec<u8> = [0xFF, 0xFE]
        .into_iter()
        .chain("public class Größe {}".encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    place.write("Wide.java", wide);
    place.write("old.txt", b"Stra\xdfe und Gr\xf6\xdfe");
    let store = place.built();
    assert_eq!(found(&store, "straße"), ["old.txt"]);
    let mut both = found(&store, "größe");
    both.sort();
    assert_eq!(both, ["Wide.java", "old.txt"]);
    assert_eq!(symbols(&store, "Größe"), ["Größe"]);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_and_loops_end() {
    use std::os::unix::fs::symlink;
    let place = Place::with(&[("a/real.rs", "fn real() {}")]);
    symlink(place.path("a"), place.path("a/loop")).unwrap();
    symlink(place.path("a/real.rs"), place.path("link.rs")).unwrap();
    symlink("nowhere", place.path("dangling.rs")).unwrap();
    let store = place.built();
    assert_eq!(files(&store), ["a/real.rs"]);
    let report = place.update(&store, &["link.rs", "a/loop", "dangling.rs"]);
    assert_eq!((report.changed, report.deleted), (0, 0));
}

#[cfg(unix)]
#[test]
fn what_cannot_be_read_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let place =
        Place::with(&[("ok.rs", "fn ok() {}"), ("closed/x.rs", "fn x() {}"), ("secret.rs", "fn s() {}")]);
    let close = |name: &str, mode: u32| {
        fs::set_permissions(place.path(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    close("closed", 0o000);
    close("secret.rs", 0o000);
    // The super-user reads everything.
    let all_powerful = fs::read(place.path("secret.rs")).is_ok();
    let report = place.build();
    close("closed", 0o755);
    let skipped: Vec<(&str, &str)> =
        report.skipped.iter().map(|skipped| (skipped.path.as_str(), skipped.reason.as_str())).collect();
    if all_powerful {
        assert_eq!((report.files, skipped), (3, vec![]));
    } else {
        assert_eq!(skipped, [("closed", "permission denied"), ("secret.rs", "permission denied")]);
        assert_eq!((report.files, report.skipped_count), (1, 2));
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_does_not_stop_the_build() {
    let place = Place::with(&[("a.rs", "fn a() {}")]);
    let made = std::process::Command::new("mkfifo").arg(place.path("pipe.rs")).status().unwrap();
    assert!(made.success());
    let store = place.built();
    assert_eq!(files(&store), ["a.rs"]);
    place.update(&store, &["pipe.rs"]);
    assert_eq!(files(&store), ["a.rs"]);
}

#[test]
fn odd_texts_are_indexed() {
    let deep = format!("{}{}", "(".repeat(50_000), ")".repeat(50_000));
    let place = Place::with(&[
        ("deep.js", &deep),
        ("long_line.txt", &"word ".repeat(100_000)),
        ("only_newlines.py", &"\n".repeat(10_000)),
        ("cr.rs", "fn one() {}\rfn two() {}\r"),
        ("bom.rs", "\u{feff}fn marked() {}"),
        ("nul_later.rs", &format!("fn early() {{}}\n{}\0", "// filler\n".repeat(2000))),
        ("empty", ""),
        ("noext", "#!/usr/bin/env python3\ndef scripted():\n    pass\n"),
    ]);
    let report = place.build();
    assert_eq!((report.files, report.skipped_count), (8, 0));
    let store = place.store();
    assert_eq!(symbols(&store, "marked"), ["marked"]);
    assert_eq!(symbols(&store, "scripted"), ["scripted"]);
    assert_eq!(symbols(&store, "two"), ["two"]);
    assert_eq!(found(&store, "early")[0], "nul_later.rs");
    let reader = store.read().unwrap();
    let script = reader.file_at(&RelativePath::new("noext".as_ref())).unwrap().unwrap();
    assert_eq!((script.language.unwrap().id, script.mode), ("python", Mode::Code));
}

#[test]
fn a_root_that_is_not_there_is_an_error_that_names_it() {
    let place = Place::new();
    fs::remove_dir(place.root()).unwrap();
    let error = place.plan().run(&orienteer_base::Cancel::new(), &|_| {}).unwrap_err();
    assert!(error.to_string().contains("root"), "{error}");
    assert!(!place.folder().exists());
}

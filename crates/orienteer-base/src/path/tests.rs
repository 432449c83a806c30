//! Facts about paths that may be touched, and about opening what is at them.

use super::*;
use proptest::prelude::*;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

struct Tree {
    _temp: tempfile::TempDir,
    roots: Roots,
    outside: PathBuf,
}

fn tree() -> Tree {
    let temp = tempfile::tempdir().unwrap();
    let base = temp.path().canonicalize().unwrap();
    let workspace = base.join("work");
    fs::create_dir_all(workspace.join("src")).unwrap();
    fs::write(workspace.join("src/main.rs"), "").unwrap();
    let outside = base.join("outside");
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("secret"), "").unwrap();
    let roots = Roots::new(&workspace, &[]).unwrap();
    Tree { _temp: temp, roots, outside }
}

#[test]
fn paths_inside_resolve_and_are_shown_relative() {
    let tree = tree();
    for written in ["src/main.rs", "./src/../src/main.rs"] {
        assert_eq!(tree.roots.resolve(written).unwrap().shown(), "src/main.rs");
    }
    let absolute = tree.roots.workspace().join("src/main.rs");
    assert_eq!(tree.roots.resolve(absolute.to_str().unwrap()).unwrap().shown(), "src/main.rs");
    assert_eq!(tree.roots.resolve(".").unwrap().shown(), ".");
}

#[test]
fn paths_outside_are_refused_whether_or_not_they_exist() {
    let tree = tree();
    let secret = tree.outside.join("secret");
    for written in ["../outside/secret", "../outside/nothing", secret.to_str().unwrap(), "/etc/passwd"] {
        let error = tree.roots.resolve(written).unwrap_err();
        assert!(matches!(error, PathError::OutsideRoots { .. }), "{written}: {error:?}");
    }
}

#[test]
fn symlinks_are_followed_inside_and_refused_outside() {
    let tree = tree();
    let work = tree.roots.workspace();
    symlink("src/main.rs", work.join("inside")).unwrap();
    symlink(&tree.outside, work.join("escape")).unwrap();
    assert_eq!(tree.roots.resolve("inside").unwrap().shown(), "src/main.rs");
    for written in ["escape", "escape/secret"] {
        assert!(matches!(tree.roots.resolve(written), Err(PathError::SymlinkEscape { .. })), "{written}");
    }
    // Whatever is or is not at the end of a link that leads out, the words are the same.
    symlink(tree.outside.join("nothing"), work.join("dangling")).unwrap();
    let told = |written: &str| tree.roots.resolve(written).unwrap_err().to_string().replace(written, "X");
    assert_eq!(told("escape/nothing"), told("escape/secret"));
    assert_eq!(told("dangling"), told("escape/secret"));
    // A loop is an error, not a hang.
    symlink("loop", work.join("loop")).unwrap();
    assert!(tree.roots.resolve("loop").is_err());
}

fn says(opened: io::Result<File>) -> io::Result<String> {
    let mut text = String::new();
    opened?.read_to_string(&mut text)?;
    Ok(text)
}

#[test]
fn a_folder_that_became_a_link_is_gone_through_only_where_that_stays_inside() {
    let tree = tree();
    let work = tree.roots.workspace().to_owned();
    fs::write(work.join("src/secret"), "ours").unwrap();
    fs::write(tree.outside.join("secret"), "theirs").unwrap();
    let path = tree.roots.resolve("src/secret").unwrap();
    let open = |roots: &Roots| says(roots.open(path.absolute()));
    assert_eq!(open(&tree.roots).unwrap(), "ours");
    assert_eq!(says(open_exactly(path.absolute())).unwrap(), "ours");
    fs::rename(work.join("src"), work.join("moved")).unwrap();
    symlink(&tree.outside, work.join("src")).unwrap();
    for refused in [open(&tree.roots), says(tree.roots.open_path(&path)), says(open_exactly(path.absolute()))]
    {
        assert!(leads_elsewhere(&refused.unwrap_err()));
    }
    assert!(leads_elsewhere(&look_exactly(path.absolute()).unwrap_err()));
    assert!(look_exactly(&work.join("src")).unwrap().is_symlink(), "the link itself is an entry");
    assert_eq!(tree.roots.show_standing(&path.absolute().join("name")), "src");
    // The same file is theirs no more where their folder is a root as well.
    let both = Roots::new(&work, std::slice::from_ref(&tree.outside)).unwrap();
    assert_eq!(open(&both).unwrap(), "theirs");
    fs::remove_file(work.join("src")).unwrap();
    symlink("moved", work.join("src")).unwrap();
    assert_eq!(open(&tree.roots).unwrap(), "ours");
    assert!(leads_elsewhere(&open_exactly(path.absolute()).unwrap_err()), "elsewhere, though inside");
    assert!(tree.roots.open(&tree.outside.join("secret")).is_err(), "whatever is said about it");
}

#[test]
fn a_root_that_became_a_link_is_none() {
    let tree = tree();
    let work = tree.roots.workspace().to_owned();
    let same = SameFolder::new(&work).unwrap();
    same.check().unwrap();
    fs::write(tree.outside.join("file"), "theirs").unwrap();
    fs::rename(&work, work.with_file_name("moved")).unwrap();
    assert_eq!(same.check().unwrap_err().kind(), io::ErrorKind::NotFound);
    symlink(&tree.outside, &work).unwrap();
    assert!(same.check().is_err() && SameFolder::new(&work).is_err());
    assert!(leads_elsewhere(&tree.roots.open(&work.join("file")).unwrap_err()));
    assert_eq!(tree.roots.show_standing(&work.join("file")), ".");
    fs::remove_file(&work).unwrap();
    fs::create_dir(&work).unwrap();
    assert!(same.check().is_err(), "another folder");
}

#[test]
fn nobody_waits_for_a_pipe() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let tree = tree();
    let pipe = tree.roots.workspace().join("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    assert!(!tree.roots.open(&pipe).unwrap().metadata().unwrap().is_file());
    assert!(read_exactly(&pipe).is_err());
}

#[test]
fn missing_files_name_their_neighbours() {
    let tree = tree();
    let error = tree.roots.resolve("src/mian.rs").unwrap_err();
    assert_eq!(error.to_string(), "`src/mian.rs` does not exist; did you mean src/main.rs?");
}

#[test]
fn names_that_are_not_utf8_can_be_given_back() {
    let tree = tree();
    let name = OsStr::from_bytes(b"caf\xe9.txt");
    fs::write(tree.roots.workspace().join(name), "").unwrap();
    let shown = tree.roots.show(&tree.roots.workspace().join(name));
    assert_eq!(shown, "caf\\xE9.txt");
    assert_eq!(tree.roots.resolve(&shown).unwrap().absolute().file_name(), Some(name));
}

#[test]
fn impossible_paths_are_typed() {
    let tree = tree();
    assert!(matches!(tree.roots.resolve(" "), Err(PathError::Empty)));
    assert!(matches!(tree.roots.resolve("a\0b"), Err(PathError::NulByte)));
    assert!(matches!(tree.roots.resolve(&"x".repeat(1 << 20)), Err(PathError::TooLong(_))));
    assert!(tree.roots.resolve(&"y".repeat(300)).is_err());
    assert!(matches!(tree.roots.resolve("src/main.rs/x"), Err(PathError::NotFound { .. })));
    let main = tree.roots.resolve("src/main.rs").unwrap();
    assert!(matches!(main.require_directory(), Err(PathError::NotDirectory { .. })));
    let src = tree.roots.resolve("src").unwrap();
    assert!(matches!(src.require_file(), Err(PathError::IsDirectory { .. })));
}

proptest! {
    #[test]
    fn nothing_written_escapes(parts in prop::collection::vec(
        prop_oneof![Just(".."), Just("."), Just("src"), Just("main.rs"), Just("escape"), Just("\\xe9"), Just("")],
        0..8,
    ), absolute in any::<bool>()) {
        let tree = tree();
        symlink(&tree.outside, tree.roots.workspace().join("escape")).unwrap();
        let mut written = parts.join("/");
        if absolute {
            written.insert(0, '/');
        }
        if let Ok(path) = tree.roots.resolve(&written) {
            prop_assert!(tree.roots.contains(path.absolute()), "{}", written);
        }
    }
}

//! Is a file of the index still inside the roots?
//!
//! A folder may have been swapped for a link that leads elsewhere since the index was built. Nothing is opened twice: what
//! was opened is what was looked at.

use std::fs::File as DiskFile;

use orienteer_base::Roots;
use orienteer_index::find::{Now, read_opened};
use orienteer_index::store::File;

/// The file is not inside the roots any more.
pub(super) struct Foreign;

/// Opens the files of one question.
pub(super) struct Inside<'r> {
    roots: &'r Roots,
    beneath: Beneath,
}

impl<'r> Inside<'r> {
    pub(super) fn new(roots: &'r Roots) -> Self {
        Self { roots, beneath: Beneath::new(roots.workspace()) }
    }

    /// What a file says now; `None` when it cannot be read or is no text.
    pub(super) fn read(&self, file: &File) -> Result<Option<Now>, Foreign> {
        Ok(self.open(file)?.and_then(|mut opened| read_opened(&mut opened, file)))
    }

    /// `None` when there is no such file.
    pub(super) fn open(&self, file: &File) -> Result<Option<DiskFile>, Foreign> {
        if let Some(opened) = self.beneath.open(file) {
            return Ok(Some(opened));
        }
        let path = file.path.absolute(self.roots.workspace());
        // Asked first, because opening a pipe waits for its other end.
        if !std::fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file()) {
            return Ok(None);
        }
        let Ok(opened) = DiskFile::open(&path) else { return Ok(None) };
        // Asked afterwards, because a link may take the place of a folder between two looks.
        if self.roots.holds(&opened, &path) { Ok(Some(opened)) } else { Err(Foreign) }
    }
}

/// Linux can be told to follow no link and to stay below a folder: one call instead of three.
#[cfg(target_os = "linux")]
struct Beneath {
    /// `None` where the system cannot do it, or where the folder is not where it was.
    root: Option<std::os::fd::OwnedFd>,
}

#[cfg(target_os = "linux")]
impl Beneath {
    fn new(root: &std::path::Path) -> Self {
        use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Self { root: openat2(CWD, root, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS).ok() }
    }

    /// `None` for everything that is not plainly there: links, pipes and what is gone are looked at more closely.
    fn open(&self, file: &File) -> Option<DiskFile> {
        use rustix::fs::{AtFlags, FileType, Mode, OFlags, ResolveFlags, openat2, statat};
        let root = self.root.as_ref()?;
        // Opening alone does something to pipes and devices. The look is not relied upon for anything else.
        let seen = statat(root, file.path.as_bytes(), AtFlags::SYMLINK_NOFOLLOW).ok()?;
        if FileType::from_raw_mode(seen.st_mode) != FileType::RegularFile {
            return None;
        }
        // Without `NONBLOCK`, opening a pipe would wait for its other end.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let stay = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        let opened = openat2(root, file.path.as_bytes(), flags, Mode::empty(), stay).ok()?;
        Some(DiskFile::from(opened))
    }
}

#[cfg(not(target_os = "linux"))]
struct Beneath;

#[cfg(not(target_os = "linux"))]
impl Beneath {
    fn new(_: &std::path::Path) -> Self {
        Self
    }

    fn open(&self, _: &File) -> Option<DiskFile> {
        None
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::io::Read;
    use std::path::Path;

    use orienteer_index::store::{FileFlags, FileId, Mode, RelativePath, Stamp};

    use super::*;

    fn file(path: &str) -> File {
        File {
            id: FileId(0),
            path: RelativePath::new(Path::new(path)),
            language: None,
            mode: Mode::Code,
            flags: FileFlags::NONE,
            stamp: Stamp::default(),
            hash: [0; 16],
            lines: 1,
            trigrams: None,
            pieces: 0..1,
            symbols: 0..0,
        }
    }

    fn says(inside: &Inside<'_>, path: &str) -> Result<Option<String>, ()> {
        let opened = inside.open(&file(path)).map_err(|Foreign| ())?;
        Ok(opened.map(|mut opened| {
            let mut text = String::new();
            opened.read_to_string(&mut text).unwrap();
            text
        }))
    }

    #[test]
    fn only_what_lies_inside_is_opened_whatever_links_lead_to_it() {
        let temp = tempfile::tempdir().unwrap();
        let (root, other) = (temp.path().join("root"), temp.path().join("other"));
        for folder in [root.join("a/b"), other.clone()] {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(root.join("a/b/file"), "ours").unwrap();
        std::fs::write(other.join("file"), "theirs").unwrap();
        std::os::unix::fs::symlink(root.join("a"), root.join("within")).unwrap();
        std::os::unix::fs::symlink(&other, root.join("out")).unwrap();
        std::os::unix::fs::symlink(root.join("a/b/file"), root.join("link")).unwrap();
        let roots = Roots::new(&root, &[]).unwrap();
        let inside = Inside::new(&roots);
        assert_eq!(says(&inside, "a/b/file"), Ok(Some("ours".to_owned())));
        assert_eq!(says(&inside, "within/b/file"), Ok(Some("ours".to_owned())));
        assert_eq!(says(&inside, "out/file"), Err(()));
        // What the index knows is a file, and a link is none.
        assert_eq!(says(&inside, "link"), Ok(None));
        assert_eq!(says(&inside, "gone"), Ok(None));
        // The same file is theirs no more where their folder is a root as well.
        let both = Roots::new(&root, std::slice::from_ref(&other)).unwrap();
        assert_eq!(says(&Inside::new(&both), "out/file"), Ok(Some("theirs".to_owned())));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_takes_the_place_of_a_file_is_not_read_and_nobody_waits_for_it() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path();
        std::fs::create_dir(root.join("folder")).unwrap();
        mknodat(CWD, root.join("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let roots = Roots::new(root, &[]).unwrap();
        let inside = Inside::new(&roots);
        for path in ["folder", "pipe"] {
            assert!(matches!(inside.read(&file(path)), Ok(None)), "{path}");
        }
    }

    #[test]
    fn a_workspace_that_is_a_link_now_leads_nowhere() {
        let temp = tempfile::tempdir().unwrap();
        let (root, other) = (temp.path().join("root"), temp.path().join("other"));
        std::fs::create_dir(&root).unwrap();
        std::fs::create_dir(&other).unwrap();
        std::fs::write(other.join("file"), "theirs").unwrap();
        let roots = Roots::new(&root, &[]).unwrap();
        std::fs::remove_dir(&root).unwrap();
        std::os::unix::fs::symlink(&other, &root).unwrap();
        assert_eq!(says(&Inside::new(&roots), "file"), Err(()));
    }
}

//! Is a file of the index still inside the roots?
//!
//! A folder may have been swapped for a link that leads elsewhere since the index was built. Nothing is opened twice: what
//! was opened is what was looked at.

use std::fs::File as DiskFile;

use orienteer_base::Roots;
use orienteer_base::path::leads_elsewhere;
use orienteer_index::find::{Now, read_opened};
use orienteer_index::store::File;

/// The file is not inside the roots any more.
pub(super) struct Foreign;

/// Opens the files of one question.
pub(super) struct Inside<'r>(&'r Roots);

impl<'r> Inside<'r> {
    pub(super) fn new(roots: &'r Roots) -> Self {
        Self(roots)
    }

    /// What a file says now; `None` when it cannot be read or is no text.
    pub(super) fn read(&self, file: &File) -> Result<Option<Now>, Foreign> {
        Ok(self.open(file)?.and_then(|mut opened| read_opened(&mut opened, file)))
    }

    /// `None` when there is no such file.
    pub(super) fn open(&self, file: &File) -> Result<Option<DiskFile>, Foreign> {
        let path = file.path.absolute(self.0.workspace());
        // Asked first, because opening alone does something to pipes and devices.
        if !std::fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file()) {
            return Ok(None);
        }
        match self.0.open(&path) {
            Ok(opened) => Ok(Some(opened)),
            Err(error) if leads_elsewhere(&error) => Err(Foreign),
            Err(_) => Ok(None),
        }
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

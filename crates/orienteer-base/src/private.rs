//! Folders and files for their owner alone.
//!
//! Whatever we keep, an index, a log, a journal, says something about somebody's sources. So none of it is made in any other
//! way than through here: folders 0700 and files 0600, whatever the process was told about new files, and also where an
//! earlier version left them open. On systems without these modes folders of a user are the user's own anyway.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Entries that are looked at below a folder that an earlier version left open.
const MOST: usize = 100_000;

/// Makes a folder and those above it that are missing. One that is there is repaired.
pub fn folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        repair(path);
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Opens a file as the options say, which may make it.
pub fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    let file = options.open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let wide = |data: fs::Metadata| data.is_file() && data.permissions().mode() & 0o077 != 0;
        if file.metadata().is_ok_and(wide) {
            // Where somebody else owns it, they decide.
            let _ = file.set_permissions(fs::Permissions::from_mode(0o600));
        }
    }
    Ok(file)
}

/// A new or emptied file.
pub fn create(path: &Path) -> io::Result<File> {
    open(path, File::options().write(true).create(true).truncate(true))
}

/// A file with this content and nothing else.
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    create(path)?.write_all(content)
}

/// Closes a file or a folder that is there to others; links are left alone.
pub fn close(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let Ok(data) = fs::symlink_metadata(path) else { return };
        let mode = data.permissions().mode();
        if mode & 0o077 != 0 && (data.is_dir() || data.is_file()) {
            let _ = fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700));
        }
    }
    #[cfg(not(unix))]
    let _ = path;
}

/// Closes a folder with all that is in it, if an earlier version left it open and its path says that it is ours: somebody
/// may have named any folder of theirs in a setting. Its own mode is changed last: nobody gets past a folder that is closed,
/// so one that is need not be looked into again.
pub fn repair(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let open = |data: fs::Metadata| data.is_dir() && data.permissions().mode() & 0o077 != 0;
        if is_ours(path) && fs::symlink_metadata(path).is_ok_and(open) {
            close_below(path, &mut { MOST });
            close(path);
        }
    }
    #[cfg(not(unix))]
    let _ = path;
}

#[cfg(unix)]
fn close_below(folder: &Path, left: &mut usize) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Some(rest) = left.checked_sub(1) else { return };
        *left = rest;
        let path = entry.path();
        close(&path);
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            close_below(&path, left);
        }
    }
}

fn is_ours(path: &Path) -> bool {
    path.iter().any(|name| name == "orienteer" || name == ".orienteer")
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn opened(path: &Path) {
        let mode = if path.is_dir() { 0o777 } else { 0o666 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn what_is_made_is_for_its_owner_alone() {
        let temp = tempfile::tempdir().unwrap();
        let made = temp.path().join("a/b");
        folder(&made).unwrap();
        assert_eq!((mode(&made), mode(&temp.path().join("a"))), (0o700, 0o700));
        let file = made.join("file");
        write(&file, b"one").unwrap();
        assert_eq!(mode(&file), 0o600);
        opened(&file);
        open(&file, File::options().append(true)).unwrap();
        assert_eq!(mode(&file), 0o600, "and what was left open is closed");
        assert_eq!(fs::read(&file).unwrap(), b"one");
    }

    #[test]
    fn folders_of_others_keep_their_modes() {
        let temp = tempfile::tempdir().unwrap();
        let (theirs, ours) = (temp.path().join("theirs"), temp.path().join("orienteer/logs"));
        for path in [&theirs, &ours] {
            fs::create_dir_all(path).unwrap();
            opened(path);
            folder(path).unwrap();
        }
        assert_eq!((mode(&theirs), mode(&ours)), (0o777, 0o700));
    }

    #[test]
    fn what_an_earlier_version_left_open_is_closed_once() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().join("orienteer");
        let (file, link) = (top.join("x/file"), top.join("link"));
        fs::create_dir_all(top.join("x")).unwrap();
        fs::write(&file, "").unwrap();
        let outside = temp.path().join("outside");
        fs::write(&outside, "").unwrap();
        std::os::unix::fs::symlink(&outside, &link).unwrap();
        for path in [&top, &top.join("x"), &file, &outside] {
            opened(path);
        }
        repair(&top);
        assert_eq!((mode(&top), mode(&top.join("x")), mode(&file)), (0o700, 0o700, 0o600));
        assert_eq!(mode(&outside), 0o666, "a link leads to what is not ours");
    }
}

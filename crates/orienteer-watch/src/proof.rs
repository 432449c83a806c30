//! Does this system tell of a change before the call that made it returns?
//!
//! Linux does. Other kernels that run Linux programs may not, and then a question would be answered from before an edit. It
//! is shown once for each process, with a file of ours.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::changes::Unwatched;
use crate::queue::{Queue, Said};
use orienteer_base::private;

static SHOWN: AtomicBool = AtomicBool::new(false);

/// `folder`: of ours.
pub(crate) fn show(folder: &Path) -> Result<(), Unwatched> {
    if SHOWN.load(Ordering::Relaxed) {
        return Ok(());
    }
    show_with(folder)?;
    SHOWN.store(true, Ordering::Relaxed);
    Ok(())
}

fn show_with(folder: &Path) -> Result<(), Unwatched> {
    let failed = |error: std::io::Error| Unwatched::NoWatcher(format!("{}: {error}", folder.display()));
    private::folder(folder).map_err(failed)?;
    let queue = Queue::new().map_err(failed)?;
    queue.watch(folder).map_err(failed)?;
    let path = folder.join(format!("orienteer-proof-{}", std::process::id()));
    private::write(&path, b"").map_err(failed)?;
    let mut seen = false;
    queue.drain(|said| seen |= matches!(said, Said::Touched(touched, _) if touched == path));
    let _ = fs::remove_file(&path);
    if seen { Ok(()) } else { Err(Unwatched::Silent(folder.to_path_buf())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_shown_here_and_leaves_nothing_behind() {
        let tree = tempfile::tempdir().unwrap();
        let folder = tree.path().join("deep/folder");
        assert_eq!(show_with(&folder), Ok(()));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_that_cannot_be_made_proves_nothing() {
        let tree = tempfile::tempdir().unwrap();
        fs::write(tree.path().join("file"), "").unwrap();
        assert!(matches!(show_with(&tree.path().join("file/folder")), Err(Unwatched::NoWatcher(_))));
    }
}

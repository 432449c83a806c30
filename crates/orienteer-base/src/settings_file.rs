//! Reading files of settings that somebody else wrote.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Settings are written by hand; a larger file is something else.
const LARGEST: u64 = 1 << 20;

/// The text of a file of settings, if it is one. A link to a device, or a pipe, in its place must neither fill the memory nor
/// make anybody wait.
pub fn read_settings(path: &Path) -> Option<String> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NONBLOCK.bits().cast_signed(),
    );
    let file = options.open(path).ok()?;
    let is_settings = file.metadata().is_ok_and(|data| data.is_file() && data.len() <= LARGEST);
    let mut text = Vec::new();
    is_settings.then(|| file.take(LARGEST).read_to_end(&mut text))?.ok()?;
    String::from_utf8(text).ok()
}

#[cfg(all(test, unix))]
mod tests {
    use super::read_settings;

    #[test]
    fn only_a_file_of_a_size_that_somebody_wrote_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("settings"), "a = 1\n").unwrap();
        assert_eq!(read_settings(&path("settings")).as_deref(), Some("a = 1\n"));
        std::os::unix::fs::symlink("/dev/zero", path("zero")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, path("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0)
            .unwrap();
        std::fs::File::create(path("huge")).unwrap().set_len(1 << 30).unwrap();
        for name in ["zero", "pipe", "huge", "none"] {
            assert_eq!(read_settings(&path(name)), None, "{name}");
        }
    }
}

//! Does this file system report changes that were made elsewhere?

use std::path::Path;

/// The name of a file system whose files may change without an event on this machine. Those in user space count
/// too: they stand for sshfs and for the folders that virtual machines and containers share with their host.
#[cfg(target_os = "linux")]
pub(crate) fn foreign(folder: &Path) -> Option<&'static str> {
    const FOREIGN: &[(u64, &str)] = &[
        (0x6969, "nfs"),
        (0x517b, "smb"),
        (0xff53_4d42, "cifs"),
        (0xfe53_4d42, "smb"),
        (0x6573_5546, "fuse"),
        (0x0102_1997, "9p"),
        (0x5346_414f, "afs"),
        (0x00c3_6400, "ceph"),
        (0x7375_7245, "coda"),
        (0x786f_4256, "vboxsf"),
        (0x0bd0_0bd0, "lustre"),
        (0x0116_1970, "gfs2"),
    ];
    let kind = rustix::fs::statfs(folder).ok()?.f_type;
    // Some targets sign-extend the number.
    let kind = u64::try_from(i128::from(kind) & 0xffff_ffff).ok()?;
    FOREIGN.iter().find(|(number, _)| *number == kind).map(|(_, name)| *name)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn foreign(_folder: &Path) -> Option<&'static str> {
    None
}

/// Tells folders on different file systems apart.
pub(crate) fn device(folder: &Path) -> Option<u64> {
    identity(folder).map(|(device, _)| device)
}

/// Tells a folder from another one that took its name.
#[cfg(unix)]
pub(crate) fn identity(folder: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let metadata = std::fs::symlink_metadata(folder).ok()?;
    metadata.is_dir().then(|| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
pub(crate) fn identity(folder: &Path) -> Option<(u64, u64)> {
    folder.is_dir().then_some((0, 0))
}

//! How are bytes read at a place of a file, by several threads at once?
//!
//! Memory maps need `unsafe`, and a file cut short under one kills the process. Positioned reads need neither.

use std::fs::File;
use std::io;

/// Fills the buffer from this place; an error when the file ends before.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, buffer: &mut [u8], place: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, place)
}

/// Fills the buffer from this place; an error when the file ends before.
#[cfg(windows)]
pub(crate) fn read_at(file: &File, mut buffer: &mut [u8], mut place: u64) -> io::Result<()> {
    use std::os::windows::fs::FileExt;
    while !buffer.is_empty() {
        match file.seek_read(buffer, place) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                buffer = buffer.get_mut(count..).unwrap_or_default();
                place += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

//! Letting go of the program's own pages.
//!
//! Starting a server, reading settings or listing tools touches megabytes of the program that are not needed again for
//! hours. The system keeps them in its cache, and what is needed after all is back without a look at the disk; mapped into
//! a process, they count as its memory and are the last that the system takes when memory is short.

use std::ops::Range;

/// What the system says of a stretch of memory: where it is, what it is of, and whether it holds anything of our own.
#[derive(Debug, Default)]
struct Mapped<'m> {
    range: Range<usize>,
    writable: bool,
    path: &'m str,
    /// Nothing of our own is in memory, and nothing is in the swap.
    clean: (bool, bool),
}

/// Stretches that hold nothing but what stands in the file of the program: not written, not written before, such as the
/// tables that the loader fills in, and not changed by a debugger. What is not told counts as our own.
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only Linux tells"))]
fn plain(smaps: &str, program: &str) -> Vec<Range<usize>> {
    let mut all: Vec<Mapped<'_>> = Vec::new();
    for line in smaps.lines() {
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else { continue };
        if let Some(field) = first.strip_suffix(':') {
            let none = words.next() == Some("0");
            match (all.last_mut(), field) {
                (Some(last), "Anonymous") => last.clean.0 = none,
                (Some(last), "Swap") => last.clean.1 = none,
                _ => {}
            }
            continue;
        }
        let mut mapped = Mapped::default();
        if let Some((start, end)) = first.split_once('-') {
            let number = |text: &str| usize::from_str_radix(text, 16).unwrap_or_default();
            mapped.range = number(start)..number(end);
        }
        mapped.writable = words.next().is_none_or(|rights| rights.contains('w'));
        // Offset, device and inode come before the path, which may have blanks.
        mapped.path = words.nth(2).map_or("", |inode| {
            let end = inode.as_ptr() as usize - line.as_ptr() as usize + inode.len();
            line.get(end..).unwrap_or_default().trim_start()
        });
        all.push(mapped);
    }
    let ours = |mapped: &Mapped<'_>| {
        let clean = mapped.clean == (true, true);
        !mapped.writable && clean && mapped.path == program && !mapped.range.is_empty()
    };
    all.into_iter().filter(ours).map(|mapped| mapped.range).collect()
}

#[cfg(target_os = "linux")]
#[allow(
    unsafe_code,
    reason = "there is no other way to tell the system, and nothing that anybody wrote is lost"
)]
pub(super) fn let_go() {
    let program = std::fs::read_link("/proc/self/exe").ok();
    // One that is no text is written in another way there: then everything stays.
    let Some(program) = program.as_deref().and_then(std::path::Path::to_str) else { return };
    let Ok(smaps) = std::fs::read_to_string("/proc/self/smaps") else { return };
    for range in plain(&smaps, program) {
        // SAFETY: the range is mapped from a file, read-only and without a page of our own, so that whoever touches it
        // next finds the same bytes again. A program that runs cannot be unmapped or replaced.
        unsafe {
            libc::madvise(range.start as *mut libc::c_void, range.len(), libc::MADV_DONTNEED);
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn let_go() {}

#[cfg(test)]
mod tests {
    use super::*;

    const SMAPS: &str = "\
1000-3000 r--p 00000000 fd:00 42                         /opt/the tool
Size:                  8 kB
Rss:                   8 kB
Anonymous:             0 kB
Swap:                  0 kB
SwapPss:               0 kB
VmFlags: rd mr mw me sd
3000-9000 r-xp 00002000 fd:00 42                         /opt/the tool
Anonymous:             0 kB
Swap:                  0 kB
9000-a000 r--p 00008000 fd:00 42                         /opt/the tool
Anonymous:             4 kB
Swap:                  0 kB
a000-b000 r--p 00009000 fd:00 42                         /opt/the tool
Anonymous:             0 kB
Swap:                  4 kB
b000-c000 rw-p 0000a000 fd:00 42                         /opt/the tool
Anonymous:             0 kB
Swap:                  0 kB
c000-d000 r-xp 0000b000 fd:00 42                         /opt/the tool
Anonymous:             0 kB
d000-e000 rw-p 00000000 00:00 0                          [heap]
Anonymous:             4 kB
Swap:                  0 kB
e000-f000 r-xp 00000000 fd:00 43                         /lib/libc.so.6
Anonymous:             0 kB
Swap:                  0 kB
f000-10000 r--p 00000000 00:00 0
Anonymous:             0 kB
Swap:                  0 kB
";

    #[test]
    fn only_what_is_nothing_but_the_file_is_let_go() {
        assert_eq!(plain(SMAPS, "/opt/the tool"), [0x1000..0x3000, 0x3000..0x9000]);
        let broken = "zz-yy r-xp 0 0 0 /opt/the tool\nAnonymous: 0 kB\nSwap: 0 kB\n";
        for (smaps, program) in [(SMAPS, "/opt/other"), ("", "/opt/the tool"), (broken, "/opt/the tool")] {
            assert!(plain(smaps, program).is_empty(), "{smaps} {program}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_program_goes_on_without_its_pages() {
        let resident = || {
            let status = std::fs::read_to_string("/proc/self/status").unwrap();
            let line = status.lines().find(|line| line.starts_with("RssFile:")).unwrap();
            line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
        };
        let before = resident();
        let_go();
        let after = resident();
        assert!(after < before, "{before} kB, then {after} kB");
        // All of the program is still there for whoever needs it.
        assert_eq!(plain(SMAPS, "/opt/the tool").len(), 2);
    }
}

//! How much memory does a child's process group use?

/// The resident memory of every member of the group, summed up; `None` when the group has no member.
#[cfg(target_os = "linux")]
pub(super) fn group_rss_bytes(group: u32) -> Option<u64> {
    let members = std::fs::read_dir("/proc").ok()?.filter_map(|entry| {
        let folder = entry.ok()?.path();
        // Everything in `/proc` that is not a process has no number for a name.
        folder.file_name()?.to_str()?.parse::<u32>().ok()?;
        // A process can end between the look into the folder and the look into the file. It has no
        // memory then, so it is passed over.
        let stat = std::fs::read(folder.join("stat")).ok()?;
        (group_of(&String::from_utf8_lossy(&stat))? == group).then_some(folder)
    });
    let sizes = members.filter_map(|folder| {
        let status = std::fs::read(folder.join("status")).ok()?;
        rss_kilobytes(&String::from_utf8_lossy(&status))
    });
    let kilobytes = sizes.fold(None, |sum: Option<u64>, size| Some(sum.unwrap_or(0) + size))?;
    Some(kilobytes * 1024)
}

/// Only Linux has a process table that can be read as files.
#[cfg(not(target_os = "linux"))]
pub(super) fn group_rss_bytes(_group: u32) -> Option<u64> {
    None
}

/// The group number in the text of `/proc/<pid>/stat`. The program's name comes before it in brackets
/// and can itself hold spaces and brackets, so counting begins after the last bracket: state, parent,
/// group.
#[cfg(target_os = "linux")]
fn group_of(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(2)?.parse().ok()
}

/// The resident memory in the text of `/proc/<pid>/status`. A process that ended has no such line.
#[cfg(target_os = "linux")]
fn rss_kilobytes(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_program_name_cannot_confuse_the_parser() {
        assert_eq!(group_of("7 (a) R 9 9 (b)) S 1 42 42 0 -1"), Some(42));
        assert_eq!(group_of("7 (sh) S 1 42"), Some(42));
        assert_eq!(group_of("7"), None);
    }

    #[test]
    fn the_resident_size_is_found() {
        assert_eq!(rss_kilobytes("VmHWM:\t 99 kB\nVmRSS:\t   12 kB\nRssAnon:\t 3 kB\n"), Some(12));
        assert_eq!(rss_kilobytes("Name:\tsh\nState:\tZ (zombie)\n"), None);
    }
}

//! In which order are places told?
//!
//! The project's own first, and never by where somebody keeps his tools: a library under `/opt` would otherwise stand
//! before the project on one machine and behind it on another.

use std::path::Path;

use crate::lease::Spot;

/// Own before foreign, then by path, then by place. What is equal keeps its order.
pub(crate) fn own_first<T>(root: &Path, items: &mut [T], spot: impl Fn(&T) -> &Spot) {
    items.sort_by(|left, right| {
        let (left, right) = (spot(left), spot(right));
        let key = |spot: &Spot| is_foreign(root, &spot.path);
        let by_path = || left.path.as_os_str().cmp(right.path.as_os_str());
        key(left).cmp(&key(right)).then_with(by_path).then_with(|| left.range.cmp(&right.range))
    });
}

/// Whether a path is outside a folder.
pub(crate) fn is_foreign(root: &Path, path: &Path) -> bool {
    // As bytes: comparing paths part by part takes longer than everything else that is done with them.
    let root = root.as_os_str().as_encoded_bytes();
    let below = path.as_os_str().as_encoded_bytes().strip_prefix(root);
    !below.is_some_and(|below| root.ends_with(b"/") || below.starts_with(b"/"))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use orienteer_base::{Position, Range};

    use super::*;

    fn spot(path: &str, line: u32) -> Spot {
        let at = Position::new(line, 1);
        Spot { path: PathBuf::from(path), range: Range { start: at, end: at }, whole: None, unread: false }
    }

    fn ordered(root: &str, places: &[(&str, u32)]) -> Vec<String> {
        let mut spots: Vec<Spot> = places.iter().map(|(path, line)| spot(path, *line)).collect();
        own_first(Path::new(root), &mut spots, |spot| spot);
        spots.iter().map(|spot| format!("{}:{}", spot.path.display(), spot.range.start.line)).collect()
    }

    #[test]
    fn the_project_is_told_before_its_libraries_wherever_they_are() {
        for library in ["/a/lib.d.ts", "/z/lib.d.ts", "/m/project-tools/lib.d.ts"] {
            let places =
                [(library, 5), ("/m/project/b.ts", 2), ("/m/project/b.ts", 1), ("/m/project/a.ts", 9)];
            let expected = ["/m/project/a.ts:9", "/m/project/b.ts:1", "/m/project/b.ts:2"];
            let told = ordered("/m/project", &places);
            assert_eq!(told[..3], expected);
            assert_eq!(told[3], format!("{library}:5"));
        }
    }

    #[test]
    fn all_is_own_under_the_root_of_the_disk() {
        assert_eq!(ordered("/", &[("/b", 1), ("/a", 1)]), ["/a:1", "/b:1"]);
    }
}

//! Which files of a change, and which pieces of their patches, were asked for?

use orienteer_base::remote::{ChangeContent, ChangeFile};

/// The files that were asked for, with those hunks that were asked for; and the names that are not there.
pub(crate) fn chosen(files: Vec<ChangeFile>, content: &ChangeContent) -> (Vec<ChangeFile>, Vec<String>) {
    let ChangeContent::Partial(wanted) = content else { return (files, Vec::new()) };
    let missing = wanted.iter().map(|(name, _)| name);
    let missing = missing.filter(|name| !files.iter().any(|file| file.filename == **name)).cloned().collect();
    let mut kept = Vec::new();
    for mut file in files {
        let Some((_, ranges)) = wanted.iter().find(|(name, _)| *name == file.filename) else { continue };
        if let Some(patch) = file.patch.take() {
            let (patch, left_out) = hunks(&patch, ranges);
            if left_out > 0 {
                file.patch_note = Some(format!("{left_out} hunks touch other lines and are left out"));
            }
            file.patch = Some(patch);
        }
        kept.push(file);
    }
    (kept, missing)
}

/// The hunks of a patch that touch one of the ranges of lines of the new file; all of them where there are no ranges. And
/// how many were left out.
fn hunks(patch: &str, ranges: &[(usize, usize)]) -> (String, usize) {
    if ranges.is_empty() {
        return (patch.to_owned(), 0);
    }
    let (mut kept, mut left_out, mut keeping) = (String::new(), 0, true);
    for line in patch.split_inclusive('\n') {
        if let Some((start, count)) = header(line) {
            // A hunk that only removes has no lines: it stands after its line.
            let end = start + count.max(1) - 1;
            keeping = ranges.iter().any(|(from, to)| start <= *to && *from <= end);
            left_out += usize::from(!keeping);
        }
        if keeping {
            kept.push_str(line);
        }
    }
    (kept, left_out)
}

/// Of `@@ -1,2 +3,4 @@`: 3 and 4.
fn header(line: &str) -> Option<(usize, usize)> {
    let new = line.strip_prefix("@@ -")?.split(' ').nth(1)?.strip_prefix('+')?;
    let (start, count) = new.split_once(',').unwrap_or((new, "1"));
    Some((start.parse().ok()?, count.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str =
        "@@ -1,2 +1,3 @@ fn a\n a\n+b\n c\n@@ -10 +11,2 @@\n+x\n y\n@@ -20,3 +22,0 @@\n-z\n-z\n-z";

    #[test]
    fn hunks_are_chosen_by_lines_of_the_new_file() {
        assert_eq!(hunks(PATCH, &[]), (PATCH.to_owned(), 0));
        let (kept, left_out) = hunks(PATCH, &[(3, 3)]);
        assert_eq!((kept.as_str(), left_out), ("@@ -1,2 +1,3 @@ fn a\n a\n+b\n c\n", 2));
        let (kept, left_out) = hunks(PATCH, &[(12, 12), (22, 30)]);
        assert!(kept.starts_with("@@ -10 +11,2") && kept.ends_with("-z"), "{kept}");
        assert_eq!(left_out, 1);
        assert_eq!(hunks(PATCH, &[(100, 200)]), (String::new(), 3));
    }

    #[test]
    fn what_looks_odd_is_not_a_header() {
        for line in ["@@", "@@ -1", "@@ -1 +x @@", "-@@ -1,2 +1,3 @@", ""] {
            assert_eq!(header(line), None, "{line}");
        }
    }
}

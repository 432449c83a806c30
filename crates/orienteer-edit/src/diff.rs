//! How does a person see it?

use std::time::Duration;

use similar::{Algorithm, TextDiff};

/// After that long the rest is shown as replaced: a coarse preview is better than a late one.
const PATIENCE: Duration = Duration::from_millis(500);

/// Lines around a change.
const CONTEXT: usize = 3;

/// Two contents as a unified diff. Paths are shown as git does.
pub(crate) fn unified(from: Option<&str>, to: Option<&str>, before: &[u8], after: &[u8]) -> String {
    let name = |side: &str, path: Option<&str>| match path {
        Some(path) => format!("{side}/{path}"),
        None => "/dev/null".to_owned(),
    };
    if before == after {
        return String::new();
    }
    let (Ok(before), Ok(after)) = (std::str::from_utf8(before), std::str::from_utf8(after)) else {
        return format!("Binary files {} and {} differ\n", name("a", from), name("b", to));
    };
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).timeout(PATIENCE).diff_lines(before, after);
    diff.unified_diff().context_radius(CONTEXT).header(&name("a", from), &name("b", to)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_shown_with_its_surroundings() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let after = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n";
        let diff = unified(Some("x.txt"), Some("y.txt"), before.as_bytes(), after.as_bytes());
        assert_eq!(diff, "--- a/x.txt\n+++ b/y.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
    }

    #[test]
    fn a_missing_last_line_end_is_told() {
        let diff = unified(None, Some("x"), b"", b"a");
        assert_eq!(diff, "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n");
        assert_eq!(unified(Some("x"), Some("x"), b"same", b"same"), "");
        assert_eq!(unified(Some("x"), None, b"\xff", b""), "Binary files a/x and /dev/null differ\n");
    }
}

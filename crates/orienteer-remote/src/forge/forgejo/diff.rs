//! Which patch of a diff belongs to which file?

/// The patches of a diff as git writes it, by the name of the file (the new one, where it was renamed). `None`: there is
/// nothing to show, as for a binary file.
pub(super) fn patches(diff: &str) -> Vec<(String, Option<String>)> {
    let mut files = Vec::new();
    let mut file: Option<File> = None;
    for line in diff.split_inclusive('\n') {
        if line.starts_with("diff --git ") {
            files.extend(file.take().and_then(File::finish));
            file = Some(File { name: None, old: None, patch: String::new(), headed: named_twice(line) });
            continue;
        }
        let Some(file) = &mut file else { continue };
        if !file.patch.is_empty() || line.starts_with("@@ ") {
            file.patch.push_str(line);
        } else if let Some(name) = line.strip_prefix("+++ ") {
            file.name = path(name, "b/").or(file.name.take());
        } else if let Some(name) = line.strip_prefix("--- ") {
            file.old = path(name, "a/");
        } else if let Some(name) = line.strip_prefix("rename to ") {
            file.name = Some(unquoted(name.trim_end_matches(['\n', '\r'])));
        }
    }
    files.extend(file.and_then(File::finish));
    files
}

struct File {
    name: Option<String>,
    /// Of a file that was deleted.
    old: Option<String>,
    /// From the first line, where both sides have the same name.
    headed: Option<String>,
    patch: String,
}

impl File {
    fn finish(self) -> Option<(String, Option<String>)> {
        let name = self.name.or(self.old).or(self.headed)?;
        Some((name, Some(self.patch).filter(|patch| !patch.is_empty())))
    }
}

/// Of `diff --git a/x b/x`, the two names being the same, they are halves of one length.
fn named_twice(line: &str) -> Option<String> {
    let rest = line.strip_prefix("diff --git ")?.trim_end_matches(['\n', '\r']);
    let (one, other) = (rest.get(..rest.len() / 2)?, rest.get(rest.len() / 2 + 1..)?);
    let (one, other) = (unquoted(one), unquoted(other));
    let name = one.strip_prefix("a/")?;
    (other.strip_prefix("b/")? == name).then(|| name.to_owned())
}

/// The name behind `+++ b/` or `--- a/`; git ends it with a tab where it has spaces.
fn path(text: &str, side: &str) -> Option<String> {
    let name = unquoted(text.trim_end_matches(['\n', '\r', '\t']));
    name.strip_prefix(side).map(str::to_owned)
}

/// Git writes odd names in quotes, with their bytes in octal.
fn unquoted(text: &str) -> String {
    let Some(inner) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else {
        return text.to_owned();
    };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(first @ b'0'..=b'3') => {
                let digits = [Some(first), rest.next(), rest.next()];
                let value =
                    digits.into_iter().flatten().fold(0_u32, |sum, digit| sum * 8 + u32::from(digit & 7));
                bytes.push(value.to_le_bytes()[0]);
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_its_patch() {
        let diff = "diff --git a/old.bin b/moved.bin\nsimilarity index 100%\nrename from old.bin\nrename to moved.bin\n\
                    diff --git a/src/a b.rs b/src/a b.rs\nindex 1..2 100644\n--- a/src/a b.rs\t\n+++ b/src/a b.rs\t\n\
                    @@ -1 +1,2 @@\n a\n+--- b\n\
                    diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
                    diff --git a/pic.png b/pic.png\nindex 1..2 100644\nBinary files a/pic.png and b/pic.png differ\n\
                    diff --git \"a/\\303\\274 \\\"x\\\".txt\" \"b/\\303\\274 \\\"x\\\".txt\"\n--- /dev/null\n\
                    +++ \"b/\\303\\274 \\\"x\\\".txt\"\n@@ -0,0 +1 @@\n+hi\n";
        let some = |text: &str| Some(text.to_owned());
        let expected = [
            ("moved.bin".to_owned(), None),
            ("src/a b.rs".to_owned(), some("@@ -1 +1,2 @@\n a\n+--- b\n")),
            ("gone".to_owned(), some("@@ -1 +0,0 @@\n-x\n")),
            ("pic.png".to_owned(), None),
            ("ü \"x\".txt".to_owned(), some("@@ -0,0 +1 @@\n+hi\n")),
        ];
        assert_eq!(patches(diff), expected);
    }

    #[test]
    fn what_is_no_diff_has_no_files() {
        for text in ["", "hello\nworld", "+++ b/x\n@@ -1 +1 @@\n", "diff --git \n", "diff --git a"] {
            assert_eq!(patches(text), [], "{text}");
        }
    }
}

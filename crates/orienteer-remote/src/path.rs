//! May this path be asked for, and how is it written in an address?

use orienteer_base::Problem;
use orienteer_base::error::cut;

/// One part of a path in an address: everything but letters, digits and `-._~` is percent-encoded, slashes, too.
pub fn segment(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// A path inside a repository as its parts. Slashes at the ends and doubled ones mean nothing to git.
pub fn parts(path: &str) -> Result<Vec<&str>, Problem> {
    let refuse = |detail, why: &str| {
        Err(Problem::invalid(
            "path",
            detail,
            format!("`{}` is not a path inside the repository: {why}", cut(path)),
        ))
    };
    if path.contains('\0') {
        return refuse("bad_path", "it has a NUL in it");
    }
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    // Servers decode, some of them twice: what becomes `..` on the way is refused here.
    if parts.iter().any(|part| is_parent(part)) {
        return refuse(
            "parent_folder",
            "`..` is not followed; write the path from the root of the repository",
        );
    }
    Ok(parts)
}

/// A path inside a repository, percent-encoded once.
pub fn encoded(path: &str) -> Result<String, Problem> {
    Ok(parts(path)?.into_iter().map(segment).collect::<Vec<_>>().join("/"))
}

fn is_parent(part: &str) -> bool {
    let mut part = part.to_ascii_lowercase();
    for _ in 0..3 {
        if part.split(['/', '\\']).any(|piece| piece == "..") {
            return true;
        }
        let decoded = part.replace("%2e", ".").replace("%2f", "/").replace("%5c", "\\").replace("%25", "%");
        if decoded == part {
            return false;
        }
        part = decoded;
    }
    part.split(['/', '\\']).any(|piece| piece == "..")
}

/// The owner or the name of a repository: one part, which is a name.
pub fn name<'t>(field: &'static str, text: &'t str) -> Result<&'t str, Problem> {
    let text = text.trim();
    let fits = |character: char| character.is_alphanumeric() || "-._~".contains(character);
    if text.is_empty() || text.len() > 255 || !text.chars().all(fits) || text == "." || text == ".." {
        let message =
            format!("`{}` is not a name that a forge could have; write it as in the address", cut(text));
        return Err(Problem::invalid(field, "bad_name", message));
    }
    Ok(text)
}

/// Where a link of a repository leads, from the folder that it is in. `None`: outside, or nowhere.
pub fn follow(link: &str, target: &str) -> Option<String> {
    if target.starts_with('/') || target.contains('\0') {
        return None;
    }
    let mut at: Vec<&str> = link.split('/').filter(|part| !part.is_empty()).collect();
    at.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(at.pop()?),
            part => at.push(part),
        }
    }
    Some(at.join("/")).filter(|path| !path.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_encoded_once() {
        assert_eq!(encoded("src/a b#c?d%20e/ü.rs").unwrap(), "src/a%20b%23c%3Fd%2520e/%C3%BC.rs");
        assert_eq!(encoded("/a//./b/").unwrap(), "a/b");
        assert_eq!(encoded("").unwrap(), "");
        assert_eq!(segment("group/sub"), "group%2Fsub");
    }

    #[test]
    fn what_leads_upwards_is_refused_however_it_is_written() {
        for path in
            ["..", "a/../b", "%2e%2e/a", "a/%2E./b", "%252e%252e/x", "a%2f..%2fb", "a%5c..", "..\\a", "a\0b"]
        {
            assert!(encoded(path).is_err(), "{path}");
        }
        for path in ["a..b", "...", "..a/b", "a/b..", "%2e", "100%25"] {
            assert!(encoded(path).is_ok(), "{path}");
        }
    }

    #[test]
    fn names_are_names() {
        for good in ["rust-lang", "a.b", "_x", "日本"] {
            assert_eq!(name("owner", good).unwrap(), good);
        }
        for bad in ["", " ", "..", "a/b", "a b", "a%2fb", "a?b", "a#b", "a:b"] {
            assert_eq!(name("owner", bad).unwrap_err().field, Some("owner"), "{bad}");
        }
    }

    #[test]
    fn links_are_followed_inside_the_repository_only() {
        assert_eq!(follow("a/b/link", "../c/file").as_deref(), Some("a/c/file"));
        assert_eq!(follow("link", "./file").as_deref(), Some("file"));
        for target in ["/etc/passwd", "../x", "a/../../x", "", "."] {
            assert_eq!(follow("link", target), None, "{target}");
        }
    }
}

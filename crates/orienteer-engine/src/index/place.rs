//! Where is the index of a folder?

use std::path::{Path, PathBuf};

/// More letters of a name help nobody.
const LONGEST: usize = 40;

/// A folder with the name of the workspace, for people, and a hash of its path, because names repeat.
pub(crate) fn of_workspace(base: &Path, root: &Path) -> PathBuf {
    let name = root.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '_' };
    let name: String = name.chars().map(plain).take(LONGEST).collect();
    let hash = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
    base.join(format!("{}-{}", name.trim_start_matches('.'), &hash[..16]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_one_name_have_places_of_their_own() {
        let place = |root: &str| of_workspace(Path::new("/cache"), Path::new(root));
        let shown = place("/home/me/app").display().to_string();
        assert!(shown.starts_with("/cache/app-"), "{shown}");
        assert_eq!(place("/home/me/app"), place("/home/me/app"));
        assert_ne!(place("/home/me/app"), place("/home/you/app"));
    }

    #[test]
    fn no_name_leads_out_of_the_cache() {
        for root in ["/", "/a/..b", "/a/b\nc", "/a/.hidden", "/a/日本語", &format!("/{}", "x".repeat(300))]
        {
            let place = of_workspace(Path::new("/cache"), Path::new(root));
            assert_eq!(place.parent(), Some(Path::new("/cache")), "{root}");
            let name = place.file_name().unwrap().to_str().unwrap();
            assert!(name.len() < 80 && !name.starts_with('.') && name.is_ascii(), "{name}");
        }
    }
}

//! Is a marker in a folder?

use std::path::Path;

use globset::Glob;

/// How many names of a folder are compared with a glob. A folder with more is no project's root.
const MOST_NAMES: usize = 5_000;

/// A name, a path below the folder, a glob for one name, or with a slash at its end the name of a folder.
pub(super) fn is_in(marker: &str, folder: &Path) -> bool {
    if let Some(name) = marker.strip_suffix('/') {
        return folder.join(name).is_dir();
    }
    if !marker.contains(['*', '?', '[', '{']) {
        // A work tree's `.git` is a file.
        return folder.join(marker).exists();
    }
    let Ok(glob) = Glob::new(marker) else { return false };
    let glob = glob.compile_matcher();
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    entries.take(MOST_NAMES).flatten().any(|entry| glob.is_match(entry.file_name()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use orienteer_testkit::tree;

    #[test]
    fn names_paths_globs_and_folders() {
        let tree = tree("//- /App.csproj\n//- /build/compile_commands.json\n//- /.terraform\nfile\n");
        let found = |marker| is_in(marker, tree.root());
        assert!(found("App.csproj") && found("*.csproj") && found("*.{sln,csproj}"));
        assert!(found("build/compile_commands.json") && found("build/"));
        assert!(!found("*.sln") && !found("compile_commands.json") && !found(".terraform/"));
        assert!(!found("["), "a pattern that is none matches nothing");
    }
}

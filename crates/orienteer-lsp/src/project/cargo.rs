//! Which Cargo workspace does a folder belong to?
//!
//! Cargo takes the nearest manifest above a package that has a `[workspace]` table and does not exclude the package.
//! A nested crate that wants to stay alone (a fuzz target, a vendored tool) is excluded, or has a table of its own.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

/// The folder of the workspace, or of the package when it is in none.
pub(super) fn root<'p>(folders: &[&'p Path]) -> Option<&'p Path> {
    let mut manifests = folders.iter().filter_map(|folder| {
        let path = folder.join("Cargo.toml");
        // A manifest that cannot be understood is one all the same.
        path.is_file().then(|| (*folder, read(&path)))
    });
    let (package, manifest) = manifests.next()?;
    if manifest.contains_key("workspace") {
        return Some(package);
    }
    if let Some(root) = named_root(package, &manifest, folders) {
        return Some(root);
    }
    let workspace = manifests.find(|(folder, manifest)| {
        let workspace = manifest.get("workspace").and_then(Value::as_table);
        workspace.is_some_and(|workspace| !excludes(workspace, folder, package))
    });
    Some(workspace.map_or(package, |(folder, _)| folder))
}

fn read(path: &Path) -> Table {
    orienteer_base::settings_file::read_settings(path).and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// `package.workspace` names the root; only one that is above the file is of use to us.
fn named_root<'p>(package: &Path, manifest: &Table, folders: &[&'p Path]) -> Option<&'p Path> {
    let written = manifest.get("package")?.get("workspace")?.as_str()?;
    let named = std::fs::canonicalize(package.join(written)).ok()?;
    folders.iter().copied().find(|folder| *folder == named)
}

/// As Cargo has it: whatever is below an excluded path is out, unless it is below a member's path.
fn excludes(workspace: &Table, folder: &Path, package: &Path) -> bool {
    let listed = |key: &str| {
        let paths = workspace.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let mut paths = paths.iter().filter_map(Value::as_str).map(|path| join(folder, path));
        paths.any(|path| package.starts_with(path))
    };
    listed("exclude") && !listed("members")
}

/// `./fuzz` is `fuzz`.
fn join(folder: &Path, written: &str) -> PathBuf {
    folder.join(written).components().filter(|part| !matches!(part, std::path::Component::CurDir)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use orienteer_testkit::tree;

    fn check(fixture: &str, from: &str, expected: Option<&str>) {
        let tree = tree(fixture);
        let from = tree.root().join(from);
        std::fs::create_dir_all(&from).unwrap();
        let folders: Vec<&Path> =
            from.ancestors().take_while(|folder| folder.starts_with(tree.root())).collect();
        let expected = expected
            .map(|folder| if folder == "." { tree.root().to_path_buf() } else { tree.root().join(folder) });
        assert_eq!(root(&folders).map(Path::to_path_buf), expected);
    }

    #[test]
    fn a_member_belongs_to_the_workspace_above_it() {
        check("//- /Cargo.toml\n[workspace]\n//- /a/b/Cargo.toml\n[package]\n", "a/b/src", Some("."));
        check("//- /Cargo.toml\n[package]\n//- /a/Cargo.toml\n[package]\n", "a/src", Some("a"));
        check("//- /x\n", "a", None);
    }

    #[test]
    fn a_crate_that_stays_alone_is_its_own_root() {
        let excluded =
            "//- /Cargo.toml\n[workspace]\nexclude = [\"./tools\"]\n//- /tools/x/Cargo.toml\n[package]\n";
        check(excluded, "tools/x/src", Some("tools/x"));
        let own = "//- /Cargo.toml\n[workspace]\n//- /fuzz/Cargo.toml\n[package]\n[workspace]\n";
        check(own, "fuzz/src", Some("fuzz"));
        let member = "//- /Cargo.toml\n[workspace]\nmembers = [\"tools/x\"]\nexclude = [\"tools\"]\n//- /tools/x/Cargo.toml\n[package]\n";
        check(member, "tools/x/src", Some("."));
    }

    #[test]
    fn the_nearest_of_two_workspaces_counts_and_a_named_one_before_it() {
        let nested = "//- /Cargo.toml\n[workspace]\n//- /in/Cargo.toml\n[workspace]\n//- /in/a/Cargo.toml\n[package]\n";
        check(nested, "in/a/src", Some("in"));
        let named = "//- /Cargo.toml\n[workspace]\n//- /in/Cargo.toml\n[workspace]\n//- /in/a/Cargo.toml\n[package]\nworkspace = \"../..\"\n";
        check(named, "in/a/src", Some("."));
    }

    #[test]
    fn a_broken_manifest_is_still_a_package() {
        check("//- /a/Cargo.toml\n[pack\n", "a/src", Some("a"));
    }
}

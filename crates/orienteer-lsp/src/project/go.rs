//! Which Go workspace does a folder belong to?
//!
//! The go command takes the nearest `go.work`. Modules that it does not `use` are no part of it, and a server that is
//! started there knows nothing about them.

use std::path::Path;

/// The folder of the workspace that uses the module; `None` leaves the choice to the module.
pub(super) fn root<'p>(folders: &[&'p Path]) -> Option<&'p Path> {
    let workspace = folders.iter().copied().find(|folder| folder.join("go.work").is_file())?;
    let module = folders.iter().copied().find(|folder| folder.join("go.mod").is_file()).unwrap_or(workspace);
    let text = orienteer_base::settings_file::read_settings(&workspace.join("go.work"))?;
    let is_used =
        uses(&text).any(|path| std::fs::canonicalize(workspace.join(path)).is_ok_and(|used| used == module));
    // A file beside the `go.work`, outside of every module, has no better place.
    (is_used || module == workspace).then_some(workspace)
}

/// The folders of the `use` lines and blocks.
fn uses(text: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.lines().filter_map(move |line| {
        let line = line.split("//").next().unwrap_or_default().trim();
        let path = if inside {
            inside = line != ")";
            line
        } else {
            let rest = line.strip_prefix("use").filter(|rest| rest.starts_with([' ', '\t', '(']))?.trim();
            inside = rest.starts_with('(');
            rest.trim_start_matches('(').trim()
        };
        let path = path.trim_end_matches(')').trim().trim_matches(['"', '`']);
        (!path.is_empty()).then_some(path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use orienteer_testkit::tree;

    #[test]
    fn use_lines_and_blocks_are_read() {
        let text =
            "go 1.22\n\nuse ./a // first\nuse (\n\t./b\n\t\"./c d\"\n)\nuser ./no\nreplace x => ./no\n";
        assert_eq!(uses(text).collect::<Vec<_>>(), ["./a", "./b", "./c d"]);
    }

    #[test]
    fn only_used_modules_belong_to_the_workspace() {
        let tree = tree("//- /go.work\nuse ./a\n//- /a/go.mod\n//- /b/go.mod\n//- /c/x.go\n");
        let of = |folder: &str| {
            let folder = tree.root().join(folder);
            let folders: Vec<&Path> =
                folder.ancestors().take_while(|one| one.starts_with(tree.root())).collect();
            root(&folders).is_some()
        };
        assert!(of("a") && of("c"));
        assert!(!of("b"));
    }
}

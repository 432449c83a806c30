//! Which folder is the project of a file?
//!
//! A server's markers are tiers. The first tier that is found anywhere between the file and the allowed root decides,
//! so that a `package.json` beside the file does not hide the `tsconfig.json` above it. Within a tier the nearest
//! folder is taken, or the outermost for build systems whose outer project holds the inner ones. Cargo and Go say in
//! their own files which folders belong together; they are asked (`project/cargo.rs`, `project/go.rs`).

mod cargo;
mod go;
mod marker;

use std::path::{Path, PathBuf};

use orienteer_base::Roots;

use crate::definition::{Definition, RootChoice};

/// Folders of things that were installed: what lies in them belongs to the project around them, whatever manifests
/// they brought along.
const INSTALLED: &[&str] = &["node_modules", "bower_components", "site-packages", "vendor", ".venv", "venv"];

/// The project of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectRoot {
    pub path: PathBuf,
    /// What showed it: a marker as it is written in the definition, or `root_dir`. `None`: nothing did, and `path` is
    /// the file's folder, which deserves a warning.
    pub marker: Option<String>,
    /// Every marker that would have counted.
    pub looked_for: Vec<String>,
}

/// The project that `file`, a canonical path, belongs to.
///
/// Nothing above an allowed root is looked at. `None`: the file lies outside every allowed root, as dependencies and
/// standard libraries do; it belongs to whichever project led to it.
pub fn project_root(definition: &Definition, file: &Path, roots: &Roots) -> Option<ProjectRoot> {
    let top = allowed_root(file, roots)?;
    let looked_for: Vec<String> =
        definition.root_markers.iter().flat_map(|tier| tier.split('|')).map(str::to_owned).collect();
    if let Some(written) = &definition.root_dir {
        return Some(fixed(written, file, roots));
    }
    let folders = folders(file, top);
    let found = definition.root_markers.iter().find_map(|tier| {
        let found = by_tier(tier, definition.root_choice, &folders, top);
        found.map(|(path, marker)| (path.to_path_buf(), marker.to_owned()))
    });
    Some(match found {
        Some((path, marker)) => ProjectRoot { path, marker: Some(marker), looked_for },
        None => ProjectRoot { path: parent(file).to_path_buf(), marker: None, looked_for },
    })
}

/// The outermost allowed root that holds the file: a root inside another one does not narrow what is allowed.
pub(crate) fn allowed_root<'r>(path: &Path, roots: &'r Roots) -> Option<&'r Path> {
    roots.all().filter(|root| path.starts_with(root)).min_by_key(|root| root.components().count())
}

fn parent(file: &Path) -> &Path {
    if file.is_dir() { file } else { file.parent().unwrap_or(file) }
}

/// The user has said where it is, absolute or below the workspace root.
fn fixed(written: &str, file: &Path, roots: &Roots) -> ProjectRoot {
    let path = roots.workspace().join(written);
    match std::fs::canonicalize(&path) {
        Ok(path) if path.is_dir() => {
            ProjectRoot { path, marker: Some("root_dir".to_owned()), looked_for: vec!["root_dir".to_owned()] }
        }
        _ => ProjectRoot {
            path: parent(file).to_path_buf(),
            marker: None,
            looked_for: vec![format!("root_dir = {written} (no such folder)")],
        },
    }
}

/// The folders that may be the project, the nearest first.
fn folders<'p>(file: &'p Path, top: &Path) -> Vec<&'p Path> {
    let all: Vec<&Path> = parent(file).ancestors().take_while(|folder| folder.starts_with(top)).collect();
    let installed = |folder: &&Path| {
        **folder != *top
            && folder.file_name().is_some_and(|name| INSTALLED.iter().any(|known| name == *known))
    };
    let outside = all.iter().rposition(installed).map_or(0, |at| at + 1);
    all.get(outside..).unwrap_or_default().to_vec()
}

fn by_tier<'a>(
    tier: &'a str,
    choice: RootChoice,
    folders: &[&'a Path],
    top: &Path,
) -> Option<(&'a Path, &'a str)> {
    match tier {
        "." => return folders.iter().find(|folder| **folder == top).map(|folder| (*folder, tier)),
        "Cargo.toml" => return cargo::root(folders).map(|folder| (folder, tier)),
        "go.work" => return go::root(folders).map(|folder| (folder, tier)),
        _ => {}
    }
    let markers: Vec<&str> = tier.split('|').collect();
    let hit = |folder: &&'a Path| {
        let marker = markers.iter().find(|marker| marker::is_in(marker, folder))?;
        Some((*folder, *marker))
    };
    match choice {
        RootChoice::Nearest => folders.iter().find_map(hit),
        RootChoice::Outermost => folders.iter().rev().find_map(hit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::built_in;
    use orienteer_testkit::{Tree, tree};

    fn server(id: &str) -> Definition {
        built_in().unwrap().into_iter().find(|definition| definition.id == id).unwrap()
    }

    fn roots(tree: &Tree) -> Roots {
        Roots::new(tree.root(), &[]).unwrap()
    }

    /// The root below the tree, with its marker.
    fn found(tree: &Tree, server: &Definition, file: &str) -> (String, Option<String>) {
        let root = project_root(server, &tree.root().join(file), &roots(tree)).unwrap();
        (root.path.strip_prefix(tree.root()).unwrap().display().to_string(), root.marker)
    }

    fn check(tree: &Tree, id: &str, file: &str, folder: &str, marker: &str) {
        assert_eq!(
            found(tree, &server(id), file),
            (folder.to_owned(), Some(marker.to_owned())),
            "{id}: {file}"
        );
    }

    #[test]
    fn a_repository_of_packages_has_one_typescript_server() {
        let tree = tree(
            "//- /tsconfig.json\n{}\n//- /packages/a/package.json\n{}\n//- /packages/a/src/x.ts\n\
             //- /packages/b/tsconfig.json\n{}\n//- /packages/b/src/deep/y.ts\n//- /packages/b/package.json\n",
        );
        for id in ["typescript-native", "typescript-language-server"] {
            check(&tree, id, "packages/a/src/x.ts", "", "tsconfig.json");
            check(&tree, id, "packages/b/src/deep/y.ts", "", "tsconfig.json");
        }
    }

    #[test]
    fn the_nearest_configuration_of_python_wins() {
        let tree = tree(
            "//- /pyproject.toml\n//- /services/a/pyproject.toml\n//- /services/a/src/deep/x.py\n//- /tools/y.py\n",
        );
        check(&tree, "pyright", "services/a/src/deep/x.py", "services/a", "pyproject.toml");
        check(&tree, "pyright", "tools/y.py", "", "pyproject.toml");
    }

    #[test]
    fn an_installed_package_belongs_to_the_project_around_it() {
        let tree = tree(
            "//- /app/tsconfig.json\n{}\n//- /app/node_modules/x/package.json\n{}\n//- /app/node_modules/x/tsconfig.json\n{}\n\
             //- /app/node_modules/x/node_modules/y/i.d.ts\n//- /py/pyproject.toml\n\
             //- /py/.venv/lib/python3/site-packages/p/pyproject.toml\n//- /py/.venv/lib/python3/site-packages/p/m.py\n",
        );
        check(&tree, "typescript-native", "app/node_modules/x/node_modules/y/i.d.ts", "app", "tsconfig.json");
        check(&tree, "pyright", "py/.venv/lib/python3/site-packages/p/m.py", "py", "pyproject.toml");
    }

    #[test]
    fn outer_builds_hold_inner_ones() {
        let tree = tree(
            "//- /pom.xml\n//- /mod/pom.xml\n//- /mod/src/A.java\n//- /umbrella/mix.exs\n//- /umbrella/apps/x/mix.exs\n\
             //- /umbrella/apps/x/lib/x.ex\n//- /net/Shop.sln\n//- /net/web/Web.csproj\n//- /net/web/a.cs\n\
             //- /lone/B.csproj\n//- /lone/src/b.cs\n",
        );
        check(&tree, "jdtls", "mod/src/A.java", "", "pom.xml");
        check(&tree, "elixir", "umbrella/apps/x/lib/x.ex", "umbrella", "mix.exs");
        check(&tree, "csharp", "net/web/a.cs", "net", "*.sln");
        check(&tree, "csharp", "lone/src/b.cs", "lone", "*.csproj");
    }

    #[test]
    fn a_compilation_database_may_be_in_the_build_folder() {
        let tree =
            tree("//- /lib/build/compile_commands.json\n[]\n//- /lib/src/a.c\n//- /lib/src/CMakeLists.txt\n");
        check(&tree, "clangd", "lib/src/a.c", "lib", "build/compile_commands.json");
    }

    #[test]
    fn languages_without_projects_have_the_whole_root() {
        let tree = tree("//- /a/b/run.sh\n//- /a/.git/HEAD\n");
        check(&tree, "bash", "a/b/run.sh", "", ".");
    }

    #[test]
    fn without_a_marker_it_is_the_file_s_folder_and_says_what_was_looked_for() {
        let tree = tree("//- /a/b/x.py\n");
        let root = project_root(&server("pyright"), &tree.root().join("a/b/x.py"), &roots(&tree)).unwrap();
        assert_eq!((root.path, root.marker), (tree.root().join("a/b"), None));
        assert!(root.looked_for.contains(&"pyproject.toml".to_owned()), "{:?}", root.looked_for);
        assert!(root.looked_for.contains(&"setup.cfg".to_owned()), "equals are named one by one");
    }

    #[test]
    fn nothing_above_an_allowed_root_counts() {
        let tree = tree("//- /package.json\n{}\n//- /inner/src/x.ts\n//- /other/y.ts\n");
        let inner = Roots::new(&tree.root().join("inner"), &[]).unwrap();
        let server = server("typescript-native");
        let root = project_root(&server, &tree.root().join("inner/src/x.ts"), &inner).unwrap();
        assert_eq!(root.marker, None);
        assert_eq!(project_root(&server, &tree.root().join("other/y.ts"), &inner), None);
        // The other way round, a root around the workspace is allowed too.
        let both = Roots::new(&tree.root().join("inner"), &[tree.root().to_path_buf()]).unwrap();
        let root = project_root(&server, &tree.root().join("inner/src/x.ts"), &both).unwrap();
        assert_eq!(root.path, tree.root());
    }

    #[test]
    fn a_user_s_folder_is_the_project() {
        let tree = tree("//- /front/tsconfig.json\n{}\n//- /front/x.ts\n");
        let mut server = server("typescript-native");
        server.root_dir = Some(".".into());
        assert_eq!(found(&tree, &server, "front/x.ts"), (String::new(), Some("root_dir".into())));
        server.root_dir = Some(tree.root().join("front").display().to_string());
        assert_eq!(found(&tree, &server, "front/x.ts").0, "front");
        server.root_dir = Some("gone".into());
        let root = project_root(&server, &tree.root().join("front/x.ts"), &roots(&tree)).unwrap();
        assert_eq!(root.marker, None);
        assert!(root.looked_for[0].contains("gone"), "{:?}", root.looked_for);
    }

    #[test]
    fn cargo_and_go_workspaces_are_found_through_their_members() {
        let tree = tree(
            "//- /Cargo.toml\n[workspace]\nmembers = [\"crates/*\"]\nexclude = [\"fuzz\"]\n//- /crates/a/Cargo.toml\n[package]\n\
             //- /crates/a/src/lib.rs\n//- /fuzz/Cargo.toml\n[package]\n//- /fuzz/src/main.rs\n//- /svc/go.work\nuse ./api\n\
             //- /svc/api/go.mod\n//- /svc/api/x.go\n//- /svc/tool/go.mod\n//- /svc/tool/y.go\n",
        );
        check(&tree, "rust-analyzer", "crates/a/src/lib.rs", "", "Cargo.toml");
        check(&tree, "rust-analyzer", "fuzz/src/main.rs", "fuzz", "Cargo.toml");
        check(&tree, "gopls", "svc/api/x.go", "svc", "go.work");
        check(&tree, "gopls", "svc/tool/y.go", "svc/tool", "go.mod");
    }
}

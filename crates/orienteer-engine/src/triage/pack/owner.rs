//! Does a definition belong to the package?

use std::path::Path;

use orienteer_base::triage::Package;
use orienteer_triage::manifest;

use super::libraries::Crate;

/// Folders above a file that are looked into for a manifest.
const HIGHEST: usize = 40;
/// A manifest is not longer.
const LARGEST: u64 = 4 << 20;

/// Whether a file is part of a package; `None` where nobody can tell by its path.
pub(super) fn belongs(package: &Package, modules: &[String], path: &Path) -> Option<bool> {
    let shown = path.to_string_lossy().replace('\\', "/");
    let name = package.name.as_str();
    match package.ecosystem.as_str() {
        "npm" => {
            // What others wrote down about the types of a package stands for the package.
            let installed = |name: &str| {
                let types = name.trim_start_matches('@').replace('/', "__");
                shown.contains(&format!("/node_modules/{name}/"))
                    || shown.contains(&format!("/node_modules/@types/{types}/"))
            };
            // A manifest may give it another name, and that is its folder.
            if installed(name) || modules.iter().any(|module| installed(module)) {
                return Some(true);
            }
            if shown.contains("/node_modules/") {
                return Some(false);
            }
            Some(above(path, "package.json", |text| {
                let value: serde_json::Value = serde_json::from_str(text).ok()?;
                Some(value.get("name")?.as_str()? == name)
            }))
        }
        "cargo" => Some(above(path, "Cargo.toml", |text| {
            Crate::read(text).map(|found| manifest::same("cargo", &found.name, name))
        })),
        "pypi" => Some(is_python(modules, &shown)),
        // The standard library lies below the folder of the language.
        "go" if matches!(name, "stdlib" | "toolchain") => {
            let folder = shown.rsplit_once('/').map_or("", |(folder, _)| folder);
            Some(modules.iter().any(|module| folder.ends_with(&format!("/src/{module}"))))
        }
        "go" => {
            let inside = |module: &str| {
                shown.contains(&format!("/{module}@")) || shown.contains(&format!("/vendor/{module}/"))
            };
            // The name may be that of a package inside its module.
            let mut module = name;
            loop {
                if inside(module) {
                    return Some(true);
                }
                match module.rsplit_once('/') {
                    Some((above, _)) if above.contains('/') => module = above,
                    _ => return Some(false),
                }
            }
        }
        _ => None,
    }
}

/// Whether the nearest manifest above a file says yes; one that does not say who it is about is passed over.
fn above(path: &Path, name: &str, says: impl Fn(&str) -> Option<bool>) -> bool {
    path.ancestors().skip(1).take(HIGHEST).find_map(|folder| {
        let file = folder.join(name);
        let small = file.metadata().is_ok_and(|data| data.is_file() && data.len() <= LARGEST);
        says(&small.then(|| std::fs::read_to_string(file).ok()).flatten()?)
    }) == Some(true)
}

/// Installed, shipped with a checker, or copied into the repository.
fn is_python(modules: &[String], shown: &str) -> bool {
    let homes = ["/site-packages/", "/dist-packages/", "/typings/", "/vendor/", "/_vendor/", "/third_party/"];
    modules.iter().any(|module| {
        let module = module.replace('.', "/");
        let is = |rest: &str| {
            rest.strip_prefix(&module)
                .is_some_and(|rest| rest.starts_with(['/', '.']) || rest.starts_with("-stubs/"))
        };
        let installed = homes.iter().any(|home| shown.rsplit_once(home).is_some_and(|(_, rest)| is(rest)));
        // Typeshed has a folder for each distribution.
        let stub = shown
            .rsplit_once("/stubs/")
            .and_then(|(_, rest)| rest.split_once('/'))
            .is_some_and(|(_, rest)| is(rest));
        installed || stub
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(ecosystem: &str, name: &str) -> Package {
        Package { ecosystem: ecosystem.to_owned(), name: name.to_owned(), ..Package::default() }
    }

    #[test]
    fn installed_packages_are_known_by_their_folders() {
        let yes = |ecosystem: &str, name: &str, module: &str, path: &str| {
            belongs(&package(ecosystem, name), &[module.to_owned()], Path::new(path))
        };
        assert_eq!(yes("npm", "lodash", "lodash", "/w/node_modules/lodash/index.js"), Some(true));
        assert_eq!(yes("npm", "@a/b", "@a/b", "/w/node_modules/@types/a__b/index.d.ts"), Some(true));
        assert_eq!(yes("npm", "lodash", "lodash", "/w/node_modules/lodash-es/x.js"), Some(false));
        assert_eq!(
            yes("pypi", "PyYAML", "yaml", "/v/lib/python3.11/site-packages/yaml/__init__.py"),
            Some(true)
        );
        assert_eq!(yes("pypi", "six", "six", "/v/lib/site-packages/six.py"), Some(true));
        assert_eq!(yes("pypi", "PyYAML", "yaml", "/t/stubs/PyYAML/yaml/__init__.pyi"), Some(true));
        assert_eq!(yes("pypi", "PyYAML", "yaml", "/w/src/yaml_tools/x.py"), Some(false));
        assert_eq!(
            yes("go", "golang.org/x/net/html", "", "/go/pkg/mod/golang.org/x/net@v0.1/html/x.go"),
            Some(true)
        );
        assert_eq!(yes("go", "golang.org/x/net", "", "/go/pkg/mod/golang.org/x/text@v0.1/x.go"), Some(false));
        assert_eq!(yes("go", "stdlib", "net/http", "/usr/lib/go/src/net/http/server.go"), Some(true));
        assert_eq!(yes("go", "stdlib", "net/http", "/usr/lib/go/src/net/url/url.go"), Some(false));
        assert_eq!(yes("npm", "lodash", "l4", "/w/node_modules/l4/index.js"), Some(true));
        assert_eq!(yes("maven", "a:b", "a", "/x.java"), None);
    }

    #[test]
    fn a_package_that_lies_in_the_repository_is_known_by_its_manifest() {
        let temp = tempfile::tempdir().unwrap();
        let source = temp.path().join("parts/clock/src");
        std::fs::create_dir_all(&source).unwrap();
        std::fs::write(
            temp.path().join("parts/clock/Cargo.toml"),
            "[package]\nname = \"old-clock\"\n[lib]\nname = \"x\"\n",
        )
        .unwrap();
        let file = source.join("lib.rs");
        assert_eq!(belongs(&package("cargo", "old_clock"), &[], &file), Some(true));
        assert_eq!(belongs(&package("cargo", "clock"), &[], &file), Some(false));
        std::fs::write(temp.path().join("parts/clock/package.json"), "{\"name\": \"clock\"}").unwrap();
        assert_eq!(belongs(&package("npm", "clock"), &[], &file), Some(true));
    }
}

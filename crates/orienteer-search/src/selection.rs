//! Does this file take part, by its type and by the globs of the question?
//!
//! Globs are those of `.gitignore`: without a slash they match at any depth, with one they start at the
//! workspace root or at the folder searched. Unlike ripgrep's `-g`, `include` only narrows: it never brings
//! back what is hidden or ignored, because `**/*` would otherwise search `.git` and every build output.

use std::path::Path;

use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};
use orienteer_base::error::cut;
use orienteer_base::language::LANGUAGES;
use orienteer_base::nearest::nearest;
use orienteer_base::question::Selection;
use orienteer_base::{Language, Problem, RootedPath, Roots};

/// The file types selected; `None` when none are.
pub(crate) fn types(names: &[String]) -> Result<Option<Types>, Problem> {
    if names.is_empty() {
        return Ok(None);
    }
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    let known: Vec<String> =
        builder.definitions().iter().map(|definition| definition.name().to_owned()).collect();
    let is_known = |name: &str| name == "all" || known.iter().any(|known| known == name);
    for written in names {
        let name = written.trim().trim_start_matches(['*', '.']).to_ascii_lowercase();
        let language = Language::by_word(&name).or_else(|| Language::by_extension(&name));
        match language {
            _ if is_known(&name) => builder.select(&name),
            Some(language) if is_known(language.id) => builder.select(language.id),
            Some(language) => {
                let id = add_language(&mut builder, language).map_err(|error| {
                    Problem::invalid("file_types", "unknown_file_type", error.to_string())
                })?;
                builder.select(&id)
            }
            None => return Err(unknown_type(written, &name, &known)),
        };
    }
    builder
        .build()
        .map(Some)
        .map_err(|error| Problem::invalid("file_types", "unknown_file_type", error.to_string()))
}

/// Teaches the type table a language it does not know, under a name it accepts.
fn add_language(builder: &mut TypesBuilder, language: &Language) -> Result<String, ignore::Error> {
    let id: String = "language".chars().chain(language.id.chars().filter(|c| c.is_alphanumeric())).collect();
    for glob in language_globs(language) {
        builder.add(&id, &glob)?;
    }
    Ok(id)
}

/// Globs for the names of a language's files, in either case.
pub(crate) fn language_globs(language: &Language) -> Vec<String> {
    let caseless = |word: &str| -> String {
        word.chars()
            .map(|c| match c {
                _ if c.is_ascii_alphabetic() => {
                    format!("[{}{}]", c.to_ascii_lowercase(), c.to_ascii_uppercase())
                }
                _ => c.to_string(),
            })
            .collect()
    };
    let extensions = language.extensions.iter().map(|extension| format!("*.{}", caseless(extension)));
    let names = language.file_names.iter().map(|name| caseless(name));
    extensions.chain(names).collect()
}

fn unknown_type(written: &str, name: &str, known: &[String]) -> Problem {
    let ids = LANGUAGES.iter().map(|language| language.id);
    let mut candidates = nearest(name, known.iter().map(String::as_str).chain(ids), 8);
    candidates.dedup();
    candidates.truncate(5);
    let candidates: Vec<String> = candidates.into_iter().map(str::to_owned).collect();
    Problem::invalid("file_types", "unknown_file_type", {
        let hint = if candidates.is_empty() {
            "examples are rust, ts, py and md".to_owned()
        } else {
            format!("did you mean {}?", candidates.join(" or "))
        };
        format!("`{}` is no known file type; {hint}", cut(written))
    })
    .candidates(candidates)
}

/// The globs of a question, ready to ask.
#[derive(Debug)]
pub(crate) struct Globs {
    include: Option<Override>,
    exclude: Option<Override>,
}

impl Globs {
    pub(crate) fn new(roots: &Roots, scope: &RootedPath, selection: &Selection) -> Result<Self, Problem> {
        // A `!` is how ripgrep and `.gitignore` say exclude; it means that in either list.
        let (negated, include): (Vec<&String>, Vec<&String>) =
            selection.include.iter().partition(|glob| glob.starts_with('!'));
        let exclude = || {
            let negated = negated.iter().map(|glob| ("include", glob.as_str()));
            let plain = selection.exclude.iter().map(|glob| ("exclude", glob.as_str()));
            negated.chain(plain).map(|(field, glob)| (field, glob.trim_start_matches('!')))
        };
        let base = Base::new(roots, scope);
        Ok(Self {
            include: base.compile("", include.iter().map(|glob| ("include", glob.as_str())))?,
            exclude: base.compile("!", exclude())?,
        })
    }

    /// Whether a folder is left out with all it holds.
    pub(crate) fn prunes(&self, folder: &Path) -> bool {
        self.exclude.as_ref().is_some_and(|globs| globs.matched(folder, true).is_ignore())
    }

    pub(crate) fn takes(&self, file: &Path) -> bool {
        self.include.as_ref().is_none_or(|globs| globs.matched(file, false).is_whitelist())
            && self.exclude.as_ref().is_none_or(|globs| !globs.matched(file, false).is_ignore())
    }
}

fn slashed(path: &str) -> String {
    if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() }
}

/// Where globs with a slash start.
struct Base<'a> {
    root: &'a Path,
    /// The folder searched, below the root, as a glob with slashes around it.
    inner: Option<String>,
}

impl<'a> Base<'a> {
    fn new(roots: &'a Roots, scope: &'a RootedPath) -> Self {
        match scope.absolute().strip_prefix(roots.workspace()) {
            Ok(relative) => {
                let inner = relative.to_str().filter(|inner| !inner.is_empty());
                let inner = inner.map(|inner| format!("/{}/", globset::escape(&slashed(inner))));
                Self { root: roots.workspace(), inner }
            }
            Err(_) => Self { root: scope.absolute(), inner: None },
        }
    }

    fn compile<'g>(
        &self,
        prefix: &str,
        globs: impl Iterator<Item = (&'static str, &'g str)>,
    ) -> Result<Option<Override>, Problem> {
        let mut builder = OverrideBuilder::new(self.root);
        let mut last = None;
        for (field, glob) in globs {
            last = Some((field, glob));
            for variant in self.variants(glob) {
                builder
                    .add(&format!("{prefix}{variant}"))
                    .map_err(|error| invalid_glob(field, glob, &error.to_string()))?;
            }
        }
        let Some((field, glob)) = last else { return Ok(None) };
        builder.build().map(Some).map_err(|error| invalid_glob(field, glob, &error.to_string()))
    }

    /// A glob as written, and as it reads from the folder searched. A plain name also stands for the folder
    /// of that name, with all it holds.
    fn variants(&self, glob: &str) -> Vec<String> {
        let glob = glob.strip_prefix("./").unwrap_or(glob);
        let mut all = vec![glob.to_owned()];
        if let Some(inner) = &self.inner
            && glob.trim_end_matches('/').contains('/')
            && !glob.starts_with("**/")
        {
            all.push(format!("{inner}{}", glob.trim_start_matches('/')));
        }
        if !glob.contains(['*', '?', '[', '{']) {
            let folders: Vec<String> = all
                .iter()
                .map(|name| {
                    let name = name.trim_end_matches('/');
                    let anywhere = if name.contains('/') { "" } else { "**/" };
                    format!("{anywhere}{name}/**")
                })
                .collect();
            all.extend(folders);
        }
        all
    }
}

pub(crate) fn invalid_glob(field: &'static str, glob: &str, error: &str) -> Problem {
    let message = format!("`{}` is not a valid glob: {}", cut(glob), cut(error));
    Problem::invalid(field, "invalid_glob", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_known_by_type_name_language_and_alias() {
        let takes = |name: &str, file: &str| {
            !types(&[name.to_owned()]).unwrap().unwrap().matched(file, false).is_ignore()
        };
        assert!(takes("rust", "a.rs") && !takes("rust", "a.c"));
        for word in ["golang", "Go", ".go", "*.go"] {
            assert!(takes(word, "a.go") && !takes(word, "a.rs"), "{word}");
        }
        assert!(takes("tsx", "A.tsx") && !takes("tsx", "a.ts"));
        assert!(takes("c++", "a.cpp") && takes("javascript", "a.MJS") && takes("objective-c", "a.m"));
        assert!(types(&[]).unwrap().is_none());
    }

    #[test]
    fn unknown_types_name_their_neighbours() {
        let problem = types(&["rsut".to_owned()]).unwrap_err();
        assert_eq!((problem.field, problem.detail), (Some("file_types"), Some("unknown_file_type")));
        assert!(problem.candidates.contains(&"rust".to_owned()), "{:?}", problem.candidates);
    }

    #[test]
    fn globs_narrow_and_exclude_wins() {
        let temp = tempfile::tempdir().unwrap();
        let roots = Roots::new(temp.path(), &[]).unwrap();
        std::fs::create_dir_all(roots.workspace().join("sub/src")).unwrap();
        let scope = roots.resolve("sub").unwrap();
        let globs = |include: &[&str], exclude: &[&str]| {
            let owned = |globs: &[&str]| globs.iter().map(|glob| (*glob).to_owned()).collect();
            let selection =
                Selection { include: owned(include), exclude: owned(exclude), ..Default::default() };
            Globs::new(&roots, &scope, &selection).unwrap()
        };
        let path = |shown: &str| roots.workspace().join(shown);
        assert!(globs(&["*.rs"], &[]).takes(&path("sub/deep/a.rs")));
        assert!(!globs(&["*.rs"], &["a.*"]).takes(&path("sub/deep/a.rs")));
        assert!(!globs(&["*.rs", "!a.rs"], &[]).takes(&path("sub/a.rs")));
        for include in ["sub/src/*.rs", "src/*.rs", "src", "./src/", "sub/src", "**/src/**"] {
            assert!(globs(&[include], &[]).takes(&path("sub/src/a.rs")), "{include}");
            assert!(!globs(&[include], &[]).takes(&path("sub/other/a.rs")), "{include}");
        }
        assert!(globs(&[], &["src"]).prunes(&path("sub/src")));
        assert!(!globs(&[], &["src"]).prunes(&path("sub/other")));
        let bad = Selection { include: vec!["[".to_owned()], ..Default::default() };
        let problem = Globs::new(&roots, &scope, &bad).unwrap_err();
        assert_eq!((problem.field, problem.detail), (Some("include"), Some("invalid_glob")));
    }
}

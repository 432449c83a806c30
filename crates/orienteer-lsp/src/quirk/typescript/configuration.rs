//! Does a `tsconfig.json` name a file as one of its project's?
//!
//! The compiler's rules, as far as they are plain. Whatever is not understood here is [`Verdict::Unknown`]: nothing may be
//! concluded from it.

use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use serde_json::Value;

/// Configurations that one extends or refers to, with those that they do.
const MOST_READ: usize = 32;

const LARGEST: u64 = 1 << 20;

/// Patterns of one list, and letters of one pattern: each is compiled for each document that is opened.
const MOST_PATTERNS: usize = 64;
const LONGEST_PATTERN: usize = 1 << 10;

/// Whether two names that differ in case alone are two files.
const CASE_MATTERS: bool = cfg!(target_os = "linux");

/// Folders that wildcards do not reach into.
const SKIPPED: [&str; 3] = ["node_modules", "bower_components", "jspm_packages"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Named,
    NotNamed,
    Unknown,
}

/// Whether the project of a configuration has a file because the configuration says so, and no project that it refers to
/// does, which would be the file's own then.
pub(super) fn is_own(configuration: &Path, file: &Path) -> bool {
    let mut left = MOST_READ;
    let Some(read) = Configuration::read(configuration, &mut left) else { return false };
    read.verdict(file) == Verdict::Named && read.none_below_names(file, &mut left)
}

/// What decides which files a project has. Each list with the folder that it counts from.
#[derive(Debug, Default)]
struct Configuration {
    files: Option<(PathBuf, Vec<String>)>,
    include: Option<(PathBuf, Vec<String>)>,
    exclude: Option<(PathBuf, Vec<String>)>,
    outputs: Vec<PathBuf>,
    references: Vec<PathBuf>,
    folder: PathBuf,
}

impl Configuration {
    /// With what it extends; `None` where something of it cannot be read. `left`: of the files that may be read.
    fn read(path: &Path, left: &mut usize) -> Option<Self> {
        Self::read_for(path, path.parent()?, left)
    }

    /// `for_folder`: of the configuration that extends this one, or its own.
    fn read_for(path: &Path, for_folder: &Path, left: &mut usize) -> Option<Self> {
        *left = left.checked_sub(1)?;
        let folder = path.parent()?;
        let data = path.metadata().ok()?;
        if !data.is_file() || data.len() > LARGEST {
            return None;
        }
        let text = std::fs::read_to_string(path).ok()?;
        let json: Value = serde_json::from_str(&orienteer_base::json::plain(&text)).ok()?;
        json.as_object()?;
        let mut read = Self::default();
        for base in texts(&json["extends"])? {
            let path = extended(folder, &base)?;
            // The compiler complains and goes on without it.
            if !path.exists() {
                continue;
            }
            let extended = Self::read_for(&path, for_folder, left)?;
            // A later one covers what an earlier one says.
            read.files = extended.files.or(read.files);
            read.include = extended.include.or(read.include);
            read.exclude = extended.exclude.or(read.exclude);
            read.outputs.extend(extended.outputs);
        }
        let list = |name: &str| match &json[name] {
            Value::Null => Some(None),
            Value::Array(_) => texts(&json[name]).map(|list| Some((folder.to_path_buf(), list))),
            _ => None,
        };
        read.files = list("files")?.or(read.files);
        read.include = list("include")?.or(read.include);
        read.exclude = list("exclude")?.or(read.exclude);
        if [&read.include, &read.exclude]
            .iter()
            .any(|list| list.as_ref().is_some_and(|(_, patterns)| patterns.len() > MOST_PATTERNS))
        {
            return None;
        }
        for name in ["outDir", "declarationDir"] {
            if let Some(output) = json["compilerOptions"][name].as_str() {
                read.outputs.push(placed(folder, output, for_folder)?);
            }
        }
        for reference in json["references"].as_array().into_iter().flatten() {
            let path = placed(folder, reference["path"].as_str()?, for_folder)?;
            let is_file = path.extension().is_some_and(|extension| extension == "json");
            read.references.push(if is_file { path } else { path.join("tsconfig.json") });
        }
        read.folder = for_folder.to_path_buf();
        Some(read)
    }

    fn verdict(&self, file: &Path) -> Verdict {
        let Some(kind) = Kind::of(file) else { return Verdict::Unknown };
        if let Some((folder, files)) = &self.files {
            for name in files {
                match placed(folder, name, &self.folder) {
                    Some(path) if path == file => return Verdict::Named,
                    Some(_) => {}
                    None => return Verdict::Unknown,
                }
            }
        }
        let everything = (self.folder.clone(), vec!["**/*".to_owned()]);
        let (folder, include) = match (&self.include, &self.files) {
            (Some(include), _) => include,
            (None, None) => &everything,
            (None, Some(_)) => return Verdict::NotNamed,
        };
        let mut included = Verdict::NotNamed;
        for pattern in include {
            match includes(folder, pattern, &self.folder, file) {
                Some(true) => {
                    included = Verdict::Named;
                    break;
                }
                Some(false) => {}
                None => included = Verdict::Unknown,
            }
        }
        if included == Verdict::NotNamed {
            return included;
        }
        match self.excludes(file) {
            Some(true) => Verdict::NotNamed,
            Some(false) if included == Verdict::Named && !kind.gives_way(file) => Verdict::Named,
            _ => Verdict::Unknown,
        }
    }

    /// Whether a file is left out although it is included; `None` where nobody can tell.
    fn excludes(&self, file: &Path) -> Option<bool> {
        let Some((folder, exclude)) = &self.exclude else {
            // Of several, the last one counts, or none where it is taken back.
            return (!self.outputs.iter().any(|output| file.starts_with(output))).then_some(false);
        };
        let mut excluded = Some(false);
        for pattern in exclude {
            match placed(folder, pattern, &self.folder).as_deref().and_then(glob) {
                // What is in a folder that is left out is, too.
                Some(glob) if file.ancestors().any(|path| glob.is_match(path)) => return Some(true),
                Some(_) => {}
                None => excluded = None,
            }
        }
        excluded
    }

    /// Whether no project that this one refers to, directly or not, has the file.
    fn none_below_names(&self, file: &Path, left: &mut usize) -> bool {
        self.references.iter().all(|path| {
            Self::read(path, left).is_some_and(|below| {
                below.verdict(file) == Verdict::NotNamed && below.none_below_names(file, left)
            })
        })
    }
}

/// Sources by their ending. Others (declarations, JavaScript) depend on options and on what stands beside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Markup,
}

impl Kind {
    fn of(file: &Path) -> Option<Self> {
        let name = file.file_name()?.to_str()?;
        let (stem, ending) = name.rsplit_once('.')?;
        match ending {
            _ if stem.ends_with(".d") || stem.contains(".d.") => None,
            "ts" | "mts" | "cts" => Some(Self::Plain),
            "tsx" => Some(Self::Markup),
            _ => None,
        }
    }

    /// Of two files that differ in their ending alone, wildcards take one.
    fn gives_way(self, file: &Path) -> bool {
        self == Self::Markup && file.with_extension("ts").exists()
    }
}

/// One text or several; `None` for anything else.
fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Null => Some(Vec::new()),
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(all) => all.iter().map(|text| text.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

/// The file that is extended. Where a package's is, only the compiler can tell.
fn extended(folder: &Path, named: &str) -> Option<PathBuf> {
    if !named.starts_with("./") && !named.starts_with("../") && !Path::new(named).is_absolute() {
        return None;
    }
    let path = placed(folder, named, folder)?;
    if path.is_file() {
        return Some(path);
    }
    let mut longer = path.into_os_string();
    longer.push(".json");
    Some(PathBuf::from(longer))
}

/// A path of a configuration, without steps back; `None` for what is none, or means something only to the compiler.
fn placed(folder: &Path, named: &str, for_folder: &Path) -> Option<PathBuf> {
    if named.is_empty() {
        return None;
    }
    let (folder, named) = match named.strip_prefix("${configDir}") {
        Some(rest) => (for_folder, rest.trim_start_matches('/')),
        None => (folder, named),
    };
    if named.contains("${") {
        return None;
    }
    let mut path = PathBuf::new();
    for component in folder.join(named).components() {
        match component {
            Component::CurDir => {}
            // There is no way back from any folder.
            Component::ParentDir if path.ends_with("**") => return None,
            Component::ParentDir => {
                path.pop();
            }
            other => path.push(other),
        }
    }
    Some(path)
}

/// Whether an entry of `include` reaches a file; `None` where nobody can tell.
fn includes(folder: &Path, pattern: &str, for_folder: &Path, file: &Path) -> Option<bool> {
    let mut path = placed(folder, pattern, for_folder)?;
    let last = path.file_name()?.to_str()?.to_owned();
    if last == "**" {
        return None;
    }
    // A folder: everything in it.
    let mut wild = pattern.contains(['*', '?']);
    if !last.contains(['.', '*', '?']) {
        path.push("**/*");
        wild = true;
    }
    if !glob(&path)?.is_match(file) {
        return Some(false);
    }
    // What wildcards do not see, unless it is named: rarely the case, and not worth finding out.
    let hidden = |name: &str| name.starts_with('.') || SKIPPED.contains(&name);
    let below = file.strip_prefix(for_folder).ok()?;
    let is_plain = below.iter().all(|name| name.to_str().is_some_and(|name| !hidden(name)));
    (is_plain || !wild).then_some(true)
}

/// The compiler's patterns have two signs that stand for others, and folders between.
fn glob(path: &Path) -> Option<GlobMatcher> {
    let pattern = path.to_str()?;
    let odd = pattern.contains(['[', ']', '{', '}', '\\', '!']) || pattern.len() > LONGEST_PATTERN;
    let halves = path.iter().any(|name| name.to_string_lossy().contains("**") && name != "**");
    if odd || halves {
        return None;
    }
    Some(
        GlobBuilder::new(pattern)
            .literal_separator(true)
            .case_insensitive(!CASE_MATTERS)
            .build()
            .ok()?
            .compile_matcher(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use orienteer_testkit::tree;

    /// Which of the files a configuration names for certain.
    fn own(configuration: &str, files: &[&str]) -> Vec<String> {
        own_in("", configuration, files)
    }

    fn own_in(others: &str, configuration: &str, files: &[&str]) -> Vec<String> {
        let tree = tree(&format!("{others}//- /p/tsconfig.json\n{configuration}\n"));
        for file in files {
            tree.write(file, "");
        }
        let path = tree.root().join("p/tsconfig.json");
        let named = |file: &&&str| is_own(&path, &tree.root().join(file));
        files.iter().filter(named).map(|file| (*file).to_owned()).collect()
    }

    const SOURCES: [&str; 8] = [
        "p/a.ts",
        "p/src/b.tsx",
        "p/src/deep/c.mts",
        "p/src/b.test.ts",
        "p/src/t.d.ts",
        "p/src/e.js",
        "p/node_modules/x/i.ts",
        "q/o.ts",
    ];

    #[test]
    fn without_a_word_everything_below_is_named() {
        let all = ["p/a.ts", "p/src/b.tsx", "p/src/deep/c.mts", "p/src/b.test.ts"];
        for configuration in ["{}", "{ \"compilerOptions\": {}, }", "// nothing\n{ \"include\": [\"**/*\"] }"]
        {
            assert_eq!(own(configuration, &SOURCES), all, "{configuration}");
        }
        assert_eq!(own("{ \"compilerOptions\": { \"outDir\": \"src\" } }", &SOURCES), ["p/a.ts"]);
    }

    #[test]
    fn what_is_included_and_not_excluded_is_named() {
        let src = ["p/src/b.tsx", "p/src/deep/c.mts", "p/src/b.test.ts"];
        for include in ["src", "./src/", "src/**/*", "../p/src"] {
            assert_eq!(own(&format!("{{ \"include\": [\"{include}\"] }}"), &SOURCES), src, "{include}");
        }
        assert_eq!(own(r#"{ "include": ["src/*"] }"#, &SOURCES), ["p/src/b.tsx", "p/src/b.test.ts"]);
        assert_eq!(own(r#"{ "include": ["**/*.ts"] }"#, &SOURCES), ["p/a.ts", "p/src/b.test.ts"]);
        let tested = r#"{ "include": ["src"], "exclude": ["**/*.test.ts"] }"#;
        assert_eq!(own(tested, &SOURCES), ["p/src/b.tsx", "p/src/deep/c.mts"]);
        assert_eq!(
            own(r#"{ "exclude": ["src/deep", "*.ts"] }"#, &SOURCES),
            ["p/src/b.tsx", "p/src/b.test.ts"]
        );
        assert_eq!(own(r#"{ "files": ["./a.ts"] }"#, &SOURCES), ["p/a.ts"]);
        let both = r#"{ "files": ["a.ts"], "include": ["src/deep"], "exclude": ["**"] }"#;
        assert_eq!(own(both, &SOURCES), ["p/a.ts"], "a file that is named is not excluded");
    }

    #[test]
    fn of_two_files_with_one_name_wildcards_take_one() {
        assert_eq!(own("{}", &["p/x.ts", "p/x.tsx"]), ["p/x.ts"]);
        assert_eq!(own(r#"{ "files": ["x.tsx"] }"#, &["p/x.ts", "p/x.tsx"]), ["p/x.tsx"]);
    }

    #[test]
    fn what_is_not_understood_names_nothing() {
        for configuration in [
            "",
            "[]",
            "{ \"include\": \"src\" }",
            "{ \"include\": [7] }",
            "{ \"include\": [\"src/**\"] }",
            "{ \"include\": [\"\"] }",
            "{ \"include\": [\"**/../src\"] }",
            "{ \"include\": [\"src\"], \"exclude\": [\"\"] }",
            "{ \"include\": [\"src\"], \"exclude\": [\"**/../src\"] }",
            "{ \"include\": [\"s[r]c\"] }",
            "{ \"include\": [\"src\"], \"exclude\": [\"{a,b}\"] }",
            "{ \"include\": [\"${other}/src\"] }",
            "{ \"extends\": \"a-package/tsconfig.json\" }",
            "{ \"extends\": \"./tsconfig.json\" }",
            "{ \"references\": [{ \"path\": \"../missing\" }] }",
            "{ \"references\": [{}] }",
        ] {
            assert_eq!(own(configuration, &SOURCES), [""; 0], "{configuration}");
        }
        assert_eq!(own("{}", &["p/.hidden/a.ts", "p/.b.ts"]), [""; 0], "wildcards do not see them");
        // What a repository says costs little and ends nothing.
        let long = "*".repeat(900_000);
        let many = "\"src\",".repeat(MOST_PATTERNS + 1);
        for list in ["include", "exclude"] {
            assert_eq!(own(&format!("{{ \"{list}\": [\"{long}\"] }}"), &SOURCES), [""; 0]);
            assert_eq!(own(&format!("{{ \"{list}\": [{many}] }}"), &SOURCES), [""; 0]);
        }
    }

    #[test]
    fn what_is_extended_counts_from_where_it_stands() {
        let base = "//- /base.json\n{ \"include\": [\"p/src\"], \"exclude\": [\"p/src/deep\"], \"compilerOptions\": { \"outDir\": \"${configDir}/src\" } }\n";
        for extends in [r#""../base""#, r#"["../base.json"]"#] {
            let named = own_in(base, &format!("{{ \"extends\": {extends} }}"), &SOURCES);
            assert_eq!(named, ["p/src/b.tsx", "p/src/b.test.ts"], "{extends}");
        }
        let own_list = r#"{ "extends": "../base.json", "include": ["a.ts", "src/deep"] }"#;
        assert_eq!(own_in(base, own_list, &SOURCES), ["p/a.ts"]);
        let missing = r#"{ "extends": "./missing", "include": ["src/deep"] }"#;
        assert_eq!(own(missing, &SOURCES), ["p/src/deep/c.mts"]);
        let no_lists = "//- /base.json\n{ \"compilerOptions\": { \"outDir\": \"${configDir}/src\" } }\n";
        let extends = r#"{ "extends": "../base.json", "files": ["a.ts"] }"#;
        assert_eq!(own_in(no_lists, extends, &SOURCES), ["p/a.ts"]);
        assert_eq!(own_in(no_lists, r#"{ "extends": "../base.json" }"#, &SOURCES), ["p/a.ts"]);
    }

    #[test]
    fn where_a_referred_project_puts_its_output_decides_nothing() {
        let others = "//- /base.json\n{ \"compilerOptions\": { \"outDir\": \"${configDir}/src\" } }\n\
                      //- /p/tsconfig.lib.json\n{ \"extends\": \"../base.json\", \"include\": [\"src\"], \
                      \"compilerOptions\": { \"outDir\": \"out\" } }\n";
        let refers = r#"{ "exclude": [], "references": [{ "path": "./tsconfig.lib.json" }] }"#;
        assert_eq!(own_in(others, refers, &SOURCES), ["p/a.ts"]);
    }

    #[test]
    fn a_project_that_is_referred_to_may_have_the_file_as_its_own() {
        let others = "//- /q/tsconfig.json\n{ \"references\": [{ \"path\": \"../r/tsconfig.app.json\" }] }\n\
                      //- /r/tsconfig.app.json\n{ \"include\": [\"../p/src/deep\"] }\n";
        let named = own_in(others, r#"{ "references": [{ "path": "../q" }] }"#, &SOURCES);
        assert_eq!(named, ["p/a.ts", "p/src/b.tsx", "p/src/b.test.ts"]);
        let solution = r#"{ "files": [], "references": [{ "path": "../q" }] }"#;
        assert_eq!(own_in(others, solution, &SOURCES), [""; 0]);
        let round = "//- /q/tsconfig.json\n{ \"references\": [{ \"path\": \"../p\" }] }\n";
        assert_eq!(own_in(round, r#"{ "references": [{ "path": "../q" }] }"#, &SOURCES), [""; 0]);
    }
}

//! How does code name a package, and how does it import it?

use orienteer_base::triage::Package;

use crate::manifest::{pep503, same};

/// What to look for, in which files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imports {
    /// Names under which code knows the package.
    pub modules: Vec<String>,
    /// A regular expression for lines that import one of them.
    pub pattern: String,
    /// Globs of the files that could.
    pub files: &'static [&'static str],
    /// Whether the names follow from rules of the ecosystem; otherwise they are guessed, and nothing found means little.
    pub certain: bool,
    pub note: Option<&'static str>,
}

/// What is known of how code calls a package, beside its name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Called {
    /// Names that manifests give it.
    pub aliases: Vec<String>,
    /// What its libraries are called, by its own manifests.
    pub libraries: Vec<String>,
    /// There can be no others.
    pub all: bool,
}

const SCRIPTS: &[&str] = &[
    "*.js", "*.jsx", "*.ts", "*.tsx", "*.mjs", "*.cjs", "*.mts", "*.cts", "*.vue", "*.svelte", "*.astro",
    "*.coffee", "*.html",
];

/// Distributions whose modules have other names: the usual surprises, not all there are.
const PYTHON: &[(&str, &[&str])] = &[
    ("pyyaml", &["yaml"]),
    ("pillow", &["PIL"]),
    ("beautifulsoup4", &["bs4"]),
    ("python-dateutil", &["dateutil"]),
    ("scikit-learn", &["sklearn"]),
    ("opencv-python", &["cv2"]),
    ("pyjwt", &["jwt"]),
    ("python-jose", &["jose"]),
    ("pycryptodome", &["Crypto"]),
    ("pycrypto", &["Crypto"]),
    ("pyopenssl", &["OpenSSL"]),
    ("attrs", &["attr", "attrs"]),
    ("msgpack-python", &["msgpack"]),
    ("mysqlclient", &["MySQLdb"]),
    ("psycopg2-binary", &["psycopg2"]),
    ("python-multipart", &["multipart", "python_multipart"]),
    ("gitpython", &["git"]),
    ("setuptools", &["setuptools", "pkg_resources"]),
    ("protobuf", &["google.protobuf"]),
    ("djangorestframework", &["rest_framework"]),
];

/// Distributions whose module has their own name, as everybody knows.
const PYTHON_SAME: &[&str] = &[
    "aiohttp",
    "boto3",
    "botocore",
    "certifi",
    "celery",
    "click",
    "cryptography",
    "django",
    "fastapi",
    "flask",
    "gunicorn",
    "h11",
    "httpx",
    "idna",
    "jinja2",
    "lxml",
    "mako",
    "markdown",
    "numpy",
    "pandas",
    "paramiko",
    "pip",
    "pydantic",
    "pygments",
    "redis",
    "requests",
    "rsa",
    "scrapy",
    "sqlalchemy",
    "sqlparse",
    "starlette",
    "tornado",
    "tqdm",
    "twisted",
    "ujson",
    "urllib3",
    "uvicorn",
    "waitress",
    "werkzeug",
    "wheel",
];

/// Crates whose library has another name, for machines on which their sources are not.
const CRATES: &[(&str, &str)] = &[
    ("md-5", "md5"),
    ("sha-1", "sha1"),
    ("rust-crypto", "crypto"),
    ("openssl-src", "openssl_src"),
    ("xml-rs", "xml"),
    ("rust-ini", "ini"),
];

/// Artifacts whose packages do not begin with their group.
const JAVA: &[(&str, &[&str])] = &[
    ("com.fasterxml.jackson.core:jackson-databind", &["com.fasterxml.jackson.databind"]),
    ("com.google.guava:guava", &["com.google.common"]),
    ("commons-collections:commons-collections", &["org.apache.commons.collections"]),
    ("commons-fileupload:commons-fileupload", &["org.apache.commons.fileupload"]),
    ("commons-io:commons-io", &["org.apache.commons.io"]),
    ("junit:junit", &["org.junit", "junit"]),
    ("log4j:log4j", &["org.apache.log4j"]),
    ("mysql:mysql-connector-java", &["com.mysql"]),
    ("org.yaml:snakeyaml", &["org.yaml.snakeyaml"]),
];

/// How a package is imported; `None` where nobody can tell.
pub fn imports(package: &Package, called: &Called) -> Option<Imports> {
    let name = package.name.trim();
    // A name of several lines stands on none.
    if name.is_empty() || name.contains(char::is_control) {
        return None;
    }
    let named: Vec<String> = package
        .modules
        .iter()
        .map(|module| module.trim().to_owned())
        .filter(|module| !module.is_empty() && !module.contains(char::is_control))
        .collect();
    match package.ecosystem.as_str() {
        "npm" => Some(npm(with(vec![name.to_owned()], &called.aliases, &named))),
        "pypi" => Some(python(name, &named)),
        "cargo" => Some(rust(name, called, &named)),
        "go" => Some(go(name, &named)),
        "maven" => Some(java(name, &named)),
        "rubygems" => Some(ruby(name, &named)),
        "nuget" => Some(guessed(
            with(vec![name.to_owned()], &[], &named),
            |module| format!(r"^\s*(?:global\s+)?using\s+(?:static\s+)?(?:\w+\s*=\s*)?{}\b", escape(module)),
            &["*.cs", "*.fs", "*.vb"],
        )),
        "composer" => {
            let spaces: Vec<String> = name.split('/').map(studly).collect();
            Some(guessed(
                with(vec![spaces.first().cloned().unwrap_or_default()], &[], &named),
                |module| {
                    let module = module.trim_matches('\\');
                    format!(r"^\s*use\s+(?:function\s+|const\s+)?\\?{}(?:\\|\s*;|\s+as\b)", escape(module))
                },
                &["*.php"],
            ))
        }
        _ => None,
    }
}

/// Names that follow from that of the package, those of manifests, and those that the advisory has, each once.
fn with(mut modules: Vec<String>, aliases: &[String], named: &[String]) -> Vec<String> {
    for more in aliases.iter().chain(named) {
        if !more.trim().is_empty() && !more.contains(char::is_control) && !modules.contains(more) {
            modules.push(more.clone());
        }
    }
    modules
}

fn npm(modules: Vec<String>) -> Imports {
    let pattern = format!(
        r#"(?:\bfrom|\bimport|\brequire(?:\.resolve)?|\bmock|\bexternal)\s*\(?\s*["'`](?:{})(?:/[^"'`]*)?["'`]"#,
        alternatives(&modules)
    );
    Imports { modules, pattern, files: SCRIPTS, certain: true, note: None }
}

fn python(name: &str, named: &[String]) -> Imports {
    let normal = pep503(name);
    let known = PYTHON.iter().find(|(known, _)| *known == normal).map(|(_, modules)| *modules);
    let certain = known.is_some() || PYTHON_SAME.contains(&normal.as_str());
    let modules: Vec<String> = match known {
        Some(modules) => modules.iter().map(|module| (*module).to_owned()).collect(),
        None => {
            let plain = normal.replace('-', "_");
            let mut guesses = vec![plain.clone()];
            let bare = plain
                .strip_prefix("python_")
                .or_else(|| plain.strip_suffix("_python"))
                .or_else(|| plain.strip_prefix("py_"));
            guesses.extend(bare.map(str::to_owned));
            // Parts of a name with dots are modules inside each other.
            guesses.extend(name.contains('.').then(|| name.to_lowercase()));
            guesses
        }
    };
    let modules = with(modules, &[], named);
    let any = alternatives(&modules);
    // Lines of a notebook stand in quotes, each on a line of its own or all of a cell on one.
    let pattern = format!(
        r#"(?:^\s*(?:>>>\s*)?"?\s*|"source"\s*:.*(?:"|\\n)\s*)(?:from\s+(?:{any})(?:\.[\w.]+)?\s+import\b|import\s+(?:[\w.]+(?:\s+as\s+\w+)?\s*,\s*)*(?:{any})(?:\.[\w.]+)?(?:\s|,|;|\\n|"|$))|(?:import_module|__import__)\(\s*\\?["'](?:{any})(?:\.[\w.]+)?\\?["']"#
    );
    let note = (!certain).then_some("the module's name is guessed from that of the distribution");
    Imports { modules, pattern, files: &["*.py", "*.pyi", "*.pyx", "*.ipynb"], certain, note }
}

fn rust(name: &str, called: &Called, named: &[String]) -> Imports {
    let known =
        CRATES.iter().find(|(known, _)| same("cargo", known, name)).map(|(_, library)| (*library).to_owned());
    let certain = called.all || known.is_some();
    let written = |names: &[String]| names.iter().map(|name| name.replace('-', "_")).collect::<Vec<_>>();
    // What most are called is looked for whatever manifests say: other code here may be built with another version.
    let usual = known.unwrap_or_else(|| name.replace('-', "_"));
    let modules = with(vec![usual], &written(&called.libraries), &written(&called.aliases));
    let modules = with(modules, &[], &written(named));
    let any = alternatives(&modules);
    let pattern = format!(
        r"\bextern\s+crate\s+(?:{any})\b|\buse\s+(?:::)?(?:{any})\s*(?:;|as\b|::)|(?:^|[^\w:.])(?:::)?(?:{any})::[\w{{*<]"
    );
    let note = (!certain)
        .then_some("what its library is called is guessed: the package's source is not on this machine");
    Imports { modules, pattern, files: &["*.rs"], certain, note }
}

fn go(name: &str, named: &[String]) -> Imports {
    // Go's database has two modules that nobody imports by their names; their packages have paths without a module.
    let (standard, tools) = (name == "stdlib", name == "toolchain");
    let own = !(standard || tools) || named.is_empty();
    let modules = with(if own { vec![name.to_owned()] } else { Vec::new() }, &[], named);
    // A module holds what is below it, a package does not.
    let mut paths: Vec<String> = named.iter().map(|path| escape(path)).collect();
    paths.extend(own.then(|| format!(r#"{}(?:/[^"]*)?"#, escape(name))));
    let pattern = format!(r#"^\s*(?:import\s+)?(?:[\w.]+\s+)?"(?:{})"\s*;?\s*(?://.*)?$"#, paths.join("|"));
    let note = match (standard, tools) {
        (true, _) if named.is_empty() => {
            Some("the source does not say which packages of the standard library")
        }
        (_, true) => Some("what builds a program is not imported by it"),
        _ => None,
    };
    Imports { modules, pattern, files: &["*.go"], certain: note.is_none(), note }
}

fn java(name: &str, named: &[String]) -> Imports {
    let known = JAVA.iter().find(|(known, _)| *known == name).map(|(_, packages)| *packages);
    let group = name.split([':', '/']).next().unwrap_or(name);
    let modules: Vec<String> = match known {
        Some(packages) => packages.iter().map(|package| (*package).to_owned()).collect(),
        None => vec![group.to_owned()],
    };
    let modules = with(modules, &[], named);
    let pattern = format!(r"^\s*import\s+(?:static\s+)?(?:{})\.", alternatives(&modules));
    Imports {
        modules,
        pattern,
        files: &["*.java", "*.kt", "*.kts", "*.scala", "*.groovy"],
        certain: known.is_some(),
        note: known.is_none().then_some("packages of an artifact are guessed from its group"),
    }
}

fn ruby(name: &str, named: &[String]) -> Imports {
    let mut modules = vec![name.to_owned()];
    modules.extend(name.contains('-').then(|| name.replace('-', "/")));
    let modules = with(modules, &[], named);
    let pattern = format!(r#"^\s*require\s*\(?\s*["'](?:{})(?:/[^"']*)?["']"#, alternatives(&modules));
    let note = Some("Bundler may load a gem without any line that says so");
    Imports { modules, pattern, files: &["*.rb", "*.rake", "*.ru"], certain: false, note }
}

fn guessed(
    modules: Vec<String>,
    pattern: impl Fn(&str) -> String,
    files: &'static [&'static str],
) -> Imports {
    let pattern = modules.iter().map(|module| pattern(module)).collect::<Vec<_>>().join("|");
    let note = Some("the name in code is guessed from that of the package");
    Imports { modules, pattern, files, certain: false, note }
}

fn alternatives(modules: &[String]) -> String {
    modules.iter().map(|module| escape(module)).collect::<Vec<_>>().join("|")
}

/// Only what means something in an expression gets a backslash: before anything else it would be a mistake, or a meaning.
fn escape(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, c| {
        if r"\.+*?()|[]{}^$#&-~".contains(c) {
            out.push('\\');
        }
        out.push(c);
        out
    })
}

fn studly(part: &str) -> String {
    part.split(['-', '_'])
        .map(|word| {
            let mut letters = word.chars();
            letters
                .next()
                .map(|first| first.to_uppercase().chain(letters).collect::<String>())
                .unwrap_or_default()
        })
        .collect()
}

/// The last name of an affected symbol: `time::at`, `_.template`, `Parser#parse`, `golang.org/x/net/html.Parse`, `f()`.
pub fn last_name(symbol: &str) -> Option<String> {
    let head =
        symbol.split(['(', '<', ' ']).next().unwrap_or_default().trim_end_matches(['.', ':', '/', '#']);
    let last = head.rsplit(['.', ':', '/', '#', '\\']).next().unwrap_or_default();
    let good = last.chars().next().is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '$'))
        && last.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '!' | '?'));
    good.then(|| last.trim_end_matches(['!', '?']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ecosystem: &str, name: &str) -> Imports {
        imports(
            &Package { ecosystem: ecosystem.to_owned(), name: name.to_owned(), ..Package::default() },
            &Called::default(),
        )
        .unwrap()
    }

    fn check(ecosystem: &str, name: &str, yes: &[&str], no: &[&str]) {
        let pattern = regex::Regex::new(&of(ecosystem, name).pattern).unwrap();
        for line in yes {
            assert!(pattern.is_match(line), "{name}: {line}");
        }
        for line in no {
            assert!(!pattern.is_match(line), "{name}: {line}");
        }
    }

    #[test]
    fn lines_that_import_are_told_from_lines_that_do_not() {
        check(
            "npm",
            "@babel/core",
            &[
                "import x from '@babel/core';",
                "const y = require(\"@babel/core/lib/z\")",
                "} from \"@babel/core\"",
                "await import(`@babel/core`)",
            ],
            &["import x from '@babel/core-js'", "// see @babel/core", "import '@babel'"],
        );
        check(
            "pypi",
            "PyYAML",
            &[
                "import yaml",
                "  import yaml as y",
                "from yaml import load",
                "from yaml.loader import X",
                "import os, yaml",
                "import yaml.reader, os",
                "importlib.import_module('yaml')",
            ],
            &["import yamlish", "from myyaml import x", "x = yaml", "import os", "# import yaml2"],
        );
        check(
            "cargo",
            "serde-json",
            &[
                "use serde_json::Value;",
                "extern crate serde_json;",
                "let x = serde_json::to_string(&y);",
                "use serde_json as json;",
                "use {serde_json::from_str};",
                "::serde_json::json!({})",
            ],
            &["use my_serde_json::x;", "use crate::serde_json::x;", "// serde_json", "serde_json.x"],
        );
        check(
            "go",
            "golang.org/x/net",
            &[
                "\t\"golang.org/x/net/html\"",
                "import h \"golang.org/x/net/html\" // c",
                "import \"golang.org/x/net\"",
            ],
            &["\"golang.org/x/network\"", "x := \"golang.org/x/net\" + y"],
        );
        check(
            "maven",
            "com.google.guava:guava",
            &["import com.google.common.base.X;", "import static com.google.common.Y.z;"],
            &["import com.google.gson.X;"],
        );
    }

    fn named(ecosystem: &str, name: &str, modules: &[&str]) -> Imports {
        let modules = modules.iter().map(|module| (*module).to_owned()).collect();
        imports(
            &Package {
                ecosystem: ecosystem.to_owned(),
                name: name.to_owned(),
                modules,
                ..Package::default()
            },
            &Called::default(),
        )
        .unwrap()
    }

    #[test]
    fn modules_that_the_advisory_names_are_looked_for() {
        for (ecosystem, name, module, line) in [
            ("npm", "x", "@x/inner", "import a from '@x/inner';"),
            ("pypi", "x", "other.part", "from other.part import y"),
            ("cargo", "x", "other-lib", "use other_lib::z;"),
            ("go", "example.com/x", "example.org/moved", "import \"example.org/moved\""),
            ("maven", "a:b", "org.other", "import org.other.C;"),
            ("rubygems", "x", "other", "require 'other'"),
            ("nuget", "X", "Other.Space", "using Other.Space;"),
            ("composer", "a/b", "Other\\Space", "use Other\\Space\\C;"),
        ] {
            let found = named(ecosystem, name, &[module]);
            assert!(
                regex::Regex::new(&found.pattern).unwrap().is_match(line),
                "{ecosystem}: {}",
                found.pattern
            );
            assert!(!regex::Regex::new(&of(ecosystem, name).pattern).unwrap().is_match(line), "{ecosystem}");
        }
    }

    #[test]
    fn the_standard_library_of_go_is_known_by_the_packages_that_are_named() {
        let found = named("go", "stdlib", &["net/http", "archive/zip"]);
        assert_eq!((found.modules.len(), found.certain), (2, true));
        let pattern = regex::Regex::new(&found.pattern).unwrap();
        for line in ["\t\"net/http\"", "import \"archive/zip\"", "import z \"archive/zip\"; // c"] {
            assert!(pattern.is_match(line), "{line}");
        }
        for line in ["\t\"net/http/httptest\"", "\t\"net\"", "\t\"stdlib\"", "\t\"\""] {
            assert!(!pattern.is_match(line), "{line}");
        }
        assert!(!of("go", "stdlib").certain, "nobody says which package");
        assert!(!of("go", "toolchain").certain && !named("go", "toolchain", &["cmd/go"]).certain);
        assert!(of("go", "golang.org/x/net").certain);
    }

    #[test]
    fn lines_of_notebooks_are_read() {
        check(
            "pypi",
            "PyYAML",
            &[
                r#"    "import yaml\n","#,
                r#"    "import yaml""#,
                r#"    "    from yaml import load\n","#,
                r#"    "import os, yaml\n","#,
                r#"{"cells":[{"source":["import os\n","import yaml\n"]}]}"#,
                r#"   "source": "import os\nimport yaml\nx = 1""#,
            ],
            &[r#"    "import yamlish\n","#, r#"    "x = yaml\n","#, r#"    "import os\n","#],
        );
    }

    #[test]
    fn no_name_is_too_odd_for_a_pattern() {
        for name in
            ["a<b>", "“x”", "ä-ö", "a b", "x\\y", "a.b*c", "\u{1f600}", "[", "a{2}", "$", "-", "&&", "~~"]
        {
            for ecosystem in ["npm", "pypi", "cargo", "go", "maven", "rubygems", "nuget", "composer"] {
                let pattern = of(ecosystem, name).pattern;
                assert!(regex::Regex::new(&pattern).is_ok(), "{ecosystem} {name}: {pattern}");
            }
        }
        check("npm", "a<b", &["import 'a<b'"], &["import 'ab'"]);
        let package = Package { ecosystem: "npm".to_owned(), name: "a\nb".to_owned(), ..Package::default() };
        assert_eq!(imports(&package, &Called::default()), None);
    }

    #[test]
    fn guesses_are_called_guesses() {
        assert!(
            of("npm", "x").certain
                && of("cargo", "xml-rs").certain
                && of("pypi", "PyYAML").certain
                && of("pypi", "Requests").certain
        );
        assert!(
            !of("cargo", "x").certain
                && !of("pypi", "some-thing").certain
                && !of("maven", "a:b").certain
                && !of("rubygems", "rails").certain
        );
        assert_eq!(of("pypi", "python-foo").modules, ["python_foo", "foo"]);
        let package = Package { ecosystem: "os".to_owned(), name: "bash".to_owned(), ..Package::default() };
        assert_eq!(imports(&package, &Called::default()), None);
    }

    #[test]
    fn names_from_manifests_are_looked_for_too() {
        let package =
            Package { ecosystem: "cargo".to_owned(), name: "time".to_owned(), ..Package::default() };
        let aliased = |name: &str| Called { aliases: vec![name.to_owned()], ..Called::default() };
        assert_eq!(imports(&package, &aliased("old-time")).unwrap().modules, ["time", "old_time"]);
        let package =
            Package { ecosystem: "npm".to_owned(), name: "lodash".to_owned(), ..Package::default() };
        assert_eq!(imports(&package, &aliased("l4")).unwrap().modules, ["lodash", "l4"]);
        assert_eq!(of("cargo", "xml-rs").modules, ["xml"]);
        assert_eq!(of("cargo", "rust-ini").modules, ["ini"]);
    }

    #[test]
    fn what_a_library_says_of_itself_is_looked_for_beside_the_name_of_its_package() {
        let package =
            Package { ecosystem: "cargo".to_owned(), name: "odd-name".to_owned(), ..Package::default() };
        let told = |libraries: &[&str], all: bool| {
            let libraries = libraries.iter().map(|name| (*name).to_owned()).collect();
            let found = imports(&package, &Called { libraries, all, ..Called::default() }).unwrap();
            (found.modules, found.certain)
        };
        let both = || vec!["odd_name".to_owned(), "plain".to_owned()];
        assert_eq!(told(&["plain"], true), (both(), true));
        assert_eq!(told(&["plain", "plain"], false), (both(), false));
        assert_eq!(told(&[], true), (vec!["odd_name".to_owned()], true));
    }

    #[test]
    fn the_last_name_of_a_symbol_is_what_stands_in_code() {
        for (symbol, name) in [
            ("time::at", "at"),
            ("_.template", "template"),
            ("Decoder.Decode", "Decode"),
            ("golang.org/x/net/html.Parse", "Parse"),
            ("Foo::bar<T>", "bar"),
            ("load()", "load"),
            ("yaml.load(data, Loader=None)", "load"),
            ("Class#method", "method"),
            ("$.extend", "extend"),
        ] {
            assert_eq!(last_name(symbol).as_deref(), Some(name), "{symbol}");
        }
        for odd in ["", "()", "::", "1a", "a-b", "*"] {
            assert_eq!(last_name(odd), None, "{odd}");
        }
    }
}

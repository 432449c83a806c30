use super::*;

fn found(file: &str, package: &str, text: &str) -> Vec<String> {
    let kind = KINDS.iter().find(|kind| kind.takes(file)).unwrap_or_else(|| panic!("{file}"));
    let package = Package { name: package.to_owned(), ..Package::default() };
    let told = |hit: Hit| {
        let version = hit.version.map(|version| format!(" {version}")).unwrap_or_default();
        let by = hit.required_by.map(|by| format!(" by {by}")).unwrap_or_default();
        let alias = hit.alias.map(|alias| format!(" as {alias}")).unwrap_or_default();
        format!("{}{version}{by}{alias}", hit.line)
    };
    kind.find(text, &package).into_iter().map(told).collect()
}

#[test]
fn npm_files_say_who_brings_a_package_in() {
    let manifest = "{\n  \"name\": \"lodash\",\n  \"dependencies\": {\n    \"lodash\": \"^4.17.15\",\n    \"lodash-es\": \"1\"\n  }\n}\n";
    assert_eq!(found("package.json", "lodash", manifest), ["4 ^4.17.15"]);
    assert_eq!(found("package.json", "lodash-es", &manifest.replace('\n', "\r\n")), ["5 1"]);
    assert_eq!(
        found("package.json", "minimist", r#"{"dependencies":{"a":"1","minimist":"1.2.0"}}"#),
        ["1 1.2.0"]
    );
    let lock = r#"{
  "packages": {
    "": {
      "dependencies": {
        "mkdirp": "^0.5.1"
      }
    },
    "node_modules/minimist": {
      "version": "1.2.0",
      "resolved": "x"
    },
    "node_modules/mkdirp": {
      "version": "0.5.1",
      "dependencies": {
        "minimist": "0.0.8"
      }
    },
    "node_modules/mkdirp/node_modules/minimist": {
      "version": "0.0.8"
    }
  }
}"#;
    assert_eq!(found("package-lock.json", "minimist", lock), ["8 1.2.0", "15 0.0.8 by mkdirp", "18 0.0.8"]);
    let old = "{\n  \"dependencies\": {\n    \"minimist\": {\n      \"version\": \"1.2.0\"\n    }\n  }\n}";
    assert_eq!(found("package-lock.json", "minimist", old), ["3 1.2.0"]);
    let yarn = "# yarn lockfile v1\n\n\"@babel/core@^7.0.0\", \"@babel/core@^7.1.0\":\n  version \"7.1.2\"\n  dependencies:\n    lodash \"^4.17.10\"\n\nlodash@^4.17.10:\n  version \"4.17.11\"\n";
    assert_eq!(found("yarn.lock", "lodash", yarn), ["6 ^4.17.10 by @babel/core", "8 4.17.11"]);
    assert_eq!(found("yarn.lock", "@babel/core", yarn), ["3 7.1.2"]);
    let berry = "\"lodash@npm:^4.17.10\":\n  version: 4.17.11\n  dependencies:\n    minimist: \"npm:^1\"\n";
    assert_eq!(found("yarn.lock", "lodash", berry), ["1 4.17.11"]);
    assert_eq!(found("yarn.lock", "minimist", berry), ["4 npm:^1 by lodash"]);
    let pnpm = "importers:\n  .:\n    dependencies:\n      lodash:\n        specifier: ^4\n        version: 4.17.21\npackages:\n  /lodash@4.17.21:\n    resolution: {}\n  '@a/b@1.0.0(x@2)':\n    resolution: {}\n  /old/1.2.3:\n";
    assert_eq!(found("pnpm-lock.yaml", "lodash", pnpm), ["4 4.17.21", "8 4.17.21"]);
    assert_eq!(found("pnpm-lock.yaml", "@a/b", pnpm), ["10 1.0.0"]);
    assert_eq!(found("pnpm-lock.yaml", "old", pnpm), ["12 1.2.3"]);
    assert_eq!(found("bun.lock", "lodash", "  \"lodash\": [\"lodash@4.17.21\", \"\", {}],\n"), ["1 4.17.21"]);
}

#[test]
fn python_names_are_compared_as_python_does() {
    let text = "# PyYAML==1\nflask>=2\npyyaml == 5.3 ; python_version > '3'\nPyYAML-extra==1\nruamel.yaml[jinja2]==0.16\n-r pyyaml.txt\n";
    assert_eq!(found("requirements-dev.txt", "PyYAML", text), ["3 5.3"]);
    assert_eq!(found("requirements.txt", "ruamel_yaml", text), ["5 0.16"]);
    assert_eq!(found("requirements.txt", "Flask", text), ["2 >=2"]);
    let project = "[project]\nname = \"x\"\ndependencies = [\n  \"requests>=2.0\",\n  'PyYAML',\n]\n[tool.poetry.dependencies]\njinja2 = \"^2.0\"\nhttpx = { version = \"0.1\", optional = true }\n";
    assert_eq!(found("pyproject.toml", "requests", project), ["4 >=2.0"]);
    assert_eq!(found("pyproject.toml", "pyyaml", project), ["5"]);
    assert_eq!(found("pyproject.toml", "Jinja2", project), ["8 ^2.0"]);
    assert_eq!(found("pyproject.toml", "httpx", project), ["9 0.1"]);
    assert_eq!(found("pyproject.toml", "x", project), [""; 0], "its own name asks for nothing");
    assert_eq!(found("setup.py", "requests", "setup(install_requires=['requests==2.1', 'x'])\n"), ["1 2.1"]);
    let lock = "[[package]]\nname = \"requests\"\nversion = \"2.0\"\ndependencies = [\n    { name = \"urllib3\" },\n]\n\n[package.dependencies]\ncertifi = \">=2017\"\n";
    assert_eq!(found("uv.lock", "urllib3", lock), ["5 by requests"]);
    assert_eq!(found("poetry.lock", "certifi", lock), ["9 by requests"]);
    assert_eq!(found("poetry.lock", "requests", lock), ["2 2.0"]);
    assert_eq!(
        found(
            "Pipfile.lock",
            "flask",
            "{\n \"default\": {\n  \"flask\": {\n   \"version\": \"==1.0\"\n  }\n }\n}"
        ),
        ["3 1.0"]
    );
    assert_eq!(found("Pipfile", "flask", "[packages]\nflask = \"*\"\n"), ["2 *"]);
}

#[test]
fn a_package_under_another_name_is_found() {
    let manifest = "{\n \"dependencies\": {\n  \"l4\": \"npm:lodash@4\",\n  \"b\": \"npm:@babel/core@^7\",\n  \"any\": \"npm:minimist\"\n }\n}\n";
    assert_eq!(found("package.json", "lodash", manifest), ["3 4 as l4"]);
    assert_eq!(found("package.json", "@babel/core", manifest), ["4 ^7 as b"]);
    assert_eq!(found("package.json", "minimist", manifest), ["5 as any"]);
    assert_eq!(found("package.json", "x", r#"{"dependencies":{"x":"npm:^1"}}"#), ["1 npm:^1"]);
    let lock = "{\n \"name\": \"lodash\",\n \"packages\": {\n  \"\": {\n   \"name\": \"lodash\"\n  },\n  \"node_modules/l4\": {\n   \"name\": \"lodash\",\n   \"version\": \"4.1.0\"\n  }\n }\n}";
    assert_eq!(found("package-lock.json", "lodash", lock), ["8 4.1.0"]);
    let yarn = "\"l4@npm:lodash@^4\":\n  version \"4.17.11\"\n";
    assert_eq!(found("yarn.lock", "lodash", yarn), ["1 4.17.11"]);
    assert_eq!(found("yarn.lock", "l4", yarn), ["1 4.17.11"]);
}

#[test]
fn requirements_may_lie_in_a_folder_of_their_own() {
    assert_eq!(found("requirements/base.txt", "flask", "flask==1.0\n"), ["1 1.0"]);
    assert_eq!(found("deploy/requirements/base.in", "flask", "flask\n"), ["1"]);
    assert!(!KINDS.iter().any(|kind| kind.takes("notes/base.txt") || kind.takes("base.txt")));
    assert!(KINDS.iter().any(|kind| kind.takes("a/bun.lockb") && kind.lock));
}

#[test]
fn a_lock_file_without_line_ends_is_told_from_one_with() {
    assert!(has_lines("{\n  \"packages\": {\n    \"a\": {}\n  }\n}\n"));
    assert!(has_lines("a@1:\n  version \"1\"\n"));
    assert!(!has_lines(r#"{"packages":{"node_modules/a":{"version":"1"}}}"#));
    assert!(!has_lines(&"x".repeat(100_001)));
}

#[test]
fn cargo_files_say_under_which_name_code_knows_a_crate() {
    let toml = "[package]\nname = \"time\"\nversion = \"0.1.0\"\n\n[dependencies]\ntime = \"0.1\"\nclock = { package = \"time\", version = \"0.2\" }\nserde-json = { version = \"1\" }\nlog.workspace = true\n\n[target.'cfg(unix)'.dependencies.libc]\nversion = \"0.2\"\n\n[dev-dependencies.again]\nversion = \"1\"\npackage = \"time\"\n[features]\ntime = []\n";
    assert_eq!(found("Cargo.toml", "time", toml), ["6 0.1", "7 0.2 as clock", "16 as again"]);
    assert_eq!(found("Cargo.toml", "serde_json", toml), ["8 1"]);
    assert_eq!(found("Cargo.toml", "log", toml), ["9"]);
    assert_eq!(found("Cargo.toml", "libc", toml), ["11 0.2"]);
    let lock = "[[package]]\nname = \"chrono\"\nversion = \"0.4.19\"\ndependencies = [\n \"libc\",\n \"time 0.1.43\",\n]\n\n[[package]]\nname = \"time\"\nversion = \"0.1.43\"\n";
    assert_eq!(found("Cargo.lock", "time", lock), ["6 by chrono", "10 0.1.43"]);
}

#[test]
fn other_ecosystems_are_read_too() {
    let go = "module example.com/x\n\nrequire golang.org/x/net v0.1.0\nrequire (\n\tgolang.org/x/text v0.3.0 // indirect\n)\n";
    assert_eq!(found("go.mod", "golang.org/x/net", go), ["3 v0.1.0"]);
    assert_eq!(found("go.mod", "golang.org/x/text/language", go), ["5 v0.3.0"], "a package of the module");
    assert_eq!(found("go.mod", "golang.org/x/ne", go), [""; 0]);
    let sum = "golang.org/x/net v0.1.0 h1:a=\ngolang.org/x/net v0.1.0/go.mod h1:b=\n";
    assert_eq!(found("go.sum", "golang.org/x/net", sum), ["1 v0.1.0"]);
    let pom = "<dependency>\n  <groupId>org.apache.logging.log4j</groupId>\n  <artifactId>log4j-core</artifactId>\n  <version>2.14.1</version>\n</dependency>\n";
    assert_eq!(found("pom.xml", "org.apache.logging.log4j:log4j-core", pom), ["3 2.14.1"]);
    assert_eq!(found("pom.xml", "org.other:log4j-core", pom), [""; 0]);
    let gradle = "dependencies {\n  implementation 'org.a:b:1.2'\n  implementation \"org.a:b-extra:1\"\n  // org.a:b:0\n  implementation group: 'org.a', name: 'b'\n}\n";
    assert_eq!(found("build.gradle", "org.a:b", gradle), ["2 1.2", "5"]);
    assert_eq!(found("Gemfile", "rails", "gem 'rails', '~> 5.0'\n# gem 'rails'\n"), ["1 ~> 5.0"]);
    let gems =
        "GEM\n  specs:\n    rails (5.0.0)\n      rack (~> 2.0)\n    rack (2.0.1)\n\nDEPENDENCIES\n  rails\n";
    assert_eq!(found("Gemfile.lock", "rack", gems), ["4 ~> 2.0 by rails", "5 2.0.1"]);
    let composer = "{\n \"packages\": [\n  {\n   \"name\": \"symfony/http\",\n   \"version\": \"v4.0\",\n   \"require\": {\n    \"psr/log\": \"~1.0\"\n   }\n  }\n ]\n}";
    assert_eq!(found("composer.lock", "psr/log", composer), ["7 ~1.0 by symfony/http"]);
    assert_eq!(found("composer.lock", "Symfony/HTTP", composer), ["4 v4.0"]);
    let project = "<PackageReference Include=\"Newtonsoft.Json\" Version=\"12.0.1\" />\n";
    assert_eq!(found("App.csproj", "newtonsoft.json", project), ["1 12.0.1"]);
}

#[test]
fn no_file_is_too_odd_to_be_looked_at() {
    let odd = [
        "",
        "\n\n",
        "\"",
        "\"a\":",
        "ä = \"ö\"\r\n",
        "@",
        "a@",
        "[[",
        "[a.",
        "=",
        "name = ",
        "<artifactId>",
        "\u{0}\u{ffff}",
    ];
    let package = Package { name: "a".to_owned(), ..Package::default() };
    for kind in KINDS {
        for text in odd {
            let _ = kind.find(text, &package);
            let _ = kind.find(&text.repeat(1000), &package);
        }
    }
    assert_eq!(kinds("os").len(), 0);
    assert_eq!(kinds("").len(), KINDS.len());
}

#[test]
fn lines_are_long_enough_for_whoever_hides_what_is_secret_in_them() {
    let line = format!("require example.com/x v1.0.0 // {} end", "x".repeat(500));
    let kind = KINDS.iter().find(|kind| kind.takes("go.mod")).unwrap();
    let package = Package { name: "example.com/x".to_owned(), ..Package::default() };
    let texts = |text: &str| kind.find(text, &package).into_iter().map(|hit| hit.text).collect::<Vec<_>>();
    assert_eq!(texts(&line), std::slice::from_ref(&line));
    let long = texts(&line.replace("end", &"y".repeat(5_000)));
    assert!(long.len() == 1 && long[0].len() < 3_000, "{}", long[0].len());
}

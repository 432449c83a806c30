//! Does `packageSearch` answer as documented, with the registries of this machine's own package managers?

use orienteer_testkit::emulator::{Emulator, TOKEN};
use orienteer_testkit::tree;
use serde_json::{Value, json};

use super::stub::Stub;
use super::support::{Asking, goals, hints, host, keys, with};

fn package(more: Value) -> Value {
    with(Value::Object(goals()), more)
}

/// With the package managers of this machine, and the settings of whoever runs the tests.
fn installed() -> (Asking, tempfile::TempDir) {
    let cache = tempfile::tempdir().unwrap();
    let place = cache.path().to_str().unwrap();
    let home = std::env::var("HOME").unwrap();
    let variables = [
        ("HOME", home.as_str()),
        ("XDG_CACHE_HOME", place),
        ("XDG_STATE_HOME", place),
        ("XDG_DATA_HOME", place),
        ("XDG_CONFIG_HOME", place),
    ];
    (Asking::with(tree("//- /a\n"), "", &variables), cache)
}

#[test]
fn the_examples_of_packages_run() {
    let (mut asking, _cache) = installed();
    // Their sources are on GitHub, which no test asks.
    let rows = asking.unfollowed(
        "packageSearch",
        json!([
            {
                "mainResearchGoal": "Research axios implementation",
                "researchGoal": "Find axios repository",
                "reasoning": "Need repository URL to explore source code",
                "name": "axios",
                "ecosystem": "npm",
                "searchLimit": 1
            },
            {
                "mainResearchGoal": "Study requests library",
                "researchGoal": "Locate requests package",
                "reasoning": "Package metadata reveals repository",
                "name": "requests",
                "ecosystem": "python",
                "searchLimit": 1
            },
        ]),
    );
    for (row, name, owner, repo) in
        [(&rows[0], "axios", "axios", "axios"), (&rows[1], "requests", "psf", "requests")]
    {
        assert_eq!(row["status"], "success", "{row:#}");
        assert_eq!(keys(&row["data"]), ["packages"]);
        let packages = row["data"]["packages"].as_array().unwrap();
        assert_eq!(packages.len(), 1, "{row:#}");
        let found = &packages[0];
        assert_eq!(found["name"], name);
        assert!(
            found["version"].as_str().unwrap().contains('.')
                && !found["description"].as_str().unwrap().is_empty()
        );
        let repository = &found["repository"];
        assert_eq!(
            (&repository["type"], &repository["owner"], &repository["repo"]),
            (&json!("git"), &json!(owner), &json!(repo))
        );
        assert!(repository["url"].as_str().unwrap().contains(&format!("{owner}/{repo}")), "{repository}");
        assert!(found["license"].is_string() && found["deprecated"] == json!(false), "{found:#}");
        assert!(
            hints(row)
                .contains("See its source: githubViewRepoStructure {\"queries\":[{\"mainResearchGoal\":"),
            "{row:#}"
        );
    }
    let metadata = package(
        json!({ "name": "is-number", "ecosystem": "npm", "npmFetchMetadata": true, "pythonFetchMetadata": true }),
    );
    let row = asking.once("packageSearch", metadata);
    let told = &row["data"]["packages"][0]["metadata"];
    assert!(
        told["distTags"]["latest"].is_string() && !told["releases"].as_array().unwrap().is_empty(),
        "{row:#}"
    );
    let none = package(json!({ "name": "no-such-package-of-this-name-at-all", "ecosystem": "npm" }));
    let row = asking.once("packageSearch", none);
    assert!(hints(&row).contains("no-such-package-of-this-name-at-all"), "{row:#}");
}

/// One document of a registry, about a package whose repository is on this machine.
fn registry(repository: String) -> Stub {
    Stub::start(move |path| {
        if !path.starts_with("/greeting") {
            return (404, Vec::new(), "{}".to_owned());
        }
        let version = json!({ "name": "greeting", "version": "1.2.3", "description": "Says hello", "license": "MIT",
            "homepage": "https://example.org", "author": { "name": "Somebody" }, "deprecated": "use another",
            "repository": { "type": "git", "url": repository } });
        let body = json!({ "name": "greeting", "dist-tags": { "latest": "1.2.3" }, "versions": { "1.2.3": version } });
        (200, vec![("Content-Type", "application/json".into())], body.to_string())
    })
}

#[test]
fn the_way_from_a_package_to_its_source_is_a_call_that_runs() {
    let emulator = Emulator::start();
    let registry = registry(format!("git+http://{}/octocat/hello-world.git", emulator.name()));
    let hosts = host(&emulator.name(), "github", Some(&emulator.api()));
    let settings = format!("[packages]\nnpm_registry = 'http://{}/'\n{hosts}", registry.name);
    let mut asking = Asking::with(tree("//- /a\n"), &settings, &[("MINE", TOKEN)]);
    let data = asking.get("packageSearch", package(json!({ "name": "greeting", "ecosystem": "npm" })));
    let found = &data["packages"][0];
    let names =
        ["author", "deprecated", "description", "homepage", "license", "name", "repository", "version"];
    assert_eq!(keys(found), names);
    assert_eq!((&found["version"], &found["deprecated"]), (&json!("1.2.3"), &json!(true)));
    assert_eq!((&found["author"], &found["homepage"]), (&json!("Somebody"), &json!("https://example.org")));
    let row = asking.row("packageSearch", package(json!({ "name": "greeting", "ecosystem": "npm" })));
    assert!(hints(&row).contains("greeting is deprecated: use another"), "{row:#}");
    assert!(hints(&row).contains("See its source: githubViewRepoStructure"), "{row:#}");
    for (more, told) in [
        (json!({ "name": "x", "ecosystem": "cargo" }), "legal values are npm, python"),
        (json!({ "name": "", "ecosystem": "npm" }), "at least 1"),
        (json!({ "name": "x", "ecosystem": "npm", "searchLimit": 11 }), "from 1 to 10"),
        (json!({ "name": "x" }), "`ecosystem` is required"),
    ] {
        let row = asking.refused("packageSearch", package(more));
        assert_eq!(row["code"], "VALIDATION_ERROR", "{row:#}");
        assert!(row["error"].as_str().unwrap().contains(told), "{row:#}");
    }
}

#[test]
fn a_registry_that_refuses_is_told_apart_from_a_forge() {
    let stub = Stub::start(|path| {
        let headers = vec![("Content-Type", "application/json".to_owned())];
        if path.contains("busy") {
            return (429, [headers, vec![("Retry-After", "900".to_owned())]].concat(), "{}".to_owned());
        }
        (401, headers, "{}".to_owned())
    });
    let place = format!("http://{}", stub.name);
    let settings = format!(
        "[remote]\nask_programs = false\n[packages]\nnpm_registry = '{place}/'\npython_index = '{place}/simple/'\n"
    );
    for (ecosystem, way) in [("npm", "npm login --registry"), ("python", "pip config set global.index-url")] {
        // A limit is remembered for the whole host, so each is asked by a client of its own.
        let mut asking = Asking::with(tree("//- /package.json\n\"busy\"\n"), &settings, &[]);
        let row = asking
            .refused("packageSearch", package(json!({ "name": "secret-thing", "ecosystem": ecosystem })));
        assert_eq!(row["code"], "AUTHENTICATION_ERROR", "{row:#}");
        assert!(hints(&row).contains(way) && hints(&row).contains(&stub.name), "{row:#}");
        assert!(!hints(&row).contains("gh auth") && !hints(&row).contains("GITHUB_TOKEN"), "{row:#}");
        let row = asking.refused("packageSearch", package(json!({ "name": "busy", "ecosystem": ecosystem })));
        assert_eq!(row["code"], "RATE_LIMIT_EXCEEDED", "{row:#}");
        assert!(row["rateLimitReset"].is_u64(), "{row:#}");
        assert!(hints(&row).contains("Results are cached for 10 minutes"), "{row:#}");
        assert!(hints(&row).contains("Use local tools as alternative: localSearchCode"), "{row:#}");
        assert!(hints(&row).contains(way) && !hints(&row).contains("GITHUB_TOKEN"), "{row:#}");
    }
}

/// Three packages of npm and one of Python.
fn both() -> Stub {
    Stub::start(|path| {
        let body = if path == "/greeting/latest" {
            json!({ "name": "greeting", "version": "1.2.3", "description": "Says hello" })
        } else if path.starts_with("/-/v1/search?text=greeting") {
            let named = |name: &str| json!({ "package": { "name": name, "version": "1.0.0" } });
            json!({ "objects": [named("greeting"), named("greeting-two"), named("greeting-three")] })
        } else if path == "/pypi/greeting/json" {
            json!({ "info": { "name": "greeting", "version": "2.10", "summary": "Greets", "requires_dist": ["idna<4"] },
                "releases": { "2.9": [{}], "2.10": [{}] } })
        } else {
            return (404, Vec::new(), "{}".to_owned());
        };
        (200, vec![("Content-Type", "application/json".into())], body.to_string())
    })
}

#[test]
fn as_many_packages_come_as_were_asked_for_and_metadata_where_it_was() {
    let stub = both();
    let place = format!("http://{}", stub.name);
    let settings = format!(
        "[remote]\nask_programs = false\n[packages]\nnpm_registry = '{place}/'\npython_index = '{place}/simple/'\n"
    );
    let mut asking = Asking::with(tree("//- /a\n"), &settings, &[]);
    let mut found = |ecosystem: &str, more: Value| -> Vec<Value> {
        let query = with(package(json!({ "name": "greeting", "ecosystem": ecosystem })), more);
        let row = asking.row("packageSearch", query);
        assert_eq!(row["status"], "success", "{row:#}");
        row["data"]["packages"].as_array().unwrap().clone()
    };
    let names = |packages: &[Value]| -> Vec<String> {
        packages.iter().map(|package| package["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&found("npm", json!({}))), ["greeting"], "one unless it says otherwise");
    let two = found("npm", json!({ "searchLimit": 2 }));
    assert_eq!(names(&two), ["greeting", "greeting-two"]);
    let all = found("npm", json!({ "searchLimit": 10 }));
    assert_eq!(names(&all), ["greeting", "greeting-two", "greeting-three"]);
    let python = found("python", json!({ "pythonFetchMetadata": true }));
    assert_eq!((&python[0]["version"], &python[0]["description"]), (&json!("2.10"), &json!("Greets")));
    let metadata = &python[0]["metadata"];
    assert_eq!(metadata["dependencies"], json!({ "idna": "<4" }), "{python:#?}");
    let releases: Vec<&str> =
        metadata["releases"].as_array().unwrap().iter().map(|one| one["version"].as_str().unwrap()).collect();
    assert_eq!(releases, ["2.10", "2.9"]);
    // Each flag is for its own registry.
    assert!(found("python", json!({ "npmFetchMetadata": true }))[0].get("metadata").is_none());
    assert!(found("npm", json!({ "pythonFetchMetadata": true }))[0].get("metadata").is_none());
}

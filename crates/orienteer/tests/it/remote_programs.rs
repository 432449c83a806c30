//! Tokens that the forges' own programs know: asked of them for one host, and sent to that host alone.

#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use orienteer_testkit::Proxy;
use orienteer_testkit::emulator::{Emulator, TOKEN};
use serde_json::json;

use crate::remote::Asking;
use crate::remote_network::header;

/// What is sent to a forge, seen by a proxy on the way.
struct Watched {
    emulator: Emulator,
    proxy: Proxy,
}

impl Watched {
    fn start() -> Self {
        let emulator = Emulator::start();
        let proxy = Proxy::start(emulator.address(), None);
        Self { emulator, proxy }
    }

    fn host(&self, provider: &str) -> String {
        format!(
            "[[hosts]]\nhost = '{}'\nprovider = '{provider}'\napi_url = '{}'\n",
            self.emulator.name(),
            self.emulator.api()
        )
    }

    /// The `Authorization` of every request that one question makes.
    fn sent(&self, settings: &str, variables: &[(&str, &str)]) -> Vec<Option<String>> {
        let address = format!("http://{}", self.proxy.name());
        let way = [("HTTP_PROXY", address.as_str()), ("NO_PROXY", "")];
        let before = self.proxy.heads().len();
        let mut asking = Asking::with(settings, &[variables, &way].concat());
        let file = json!({ "host": self.emulator.name(), "owner": "octocat", "repo": "hello-world", "path": "README.md" });
        asking.ask("remote_read_file", file);
        let heads = self.proxy.heads().split_off(before);
        assert!(!heads.is_empty(), "nothing was asked");
        heads.iter().map(|head| header(head, "authorization").map(str::to_owned)).collect()
    }
}

#[test]
fn a_token_that_gh_knows_is_sent_to_its_host_alone() {
    orienteer_testkit::tools::require("gh");
    let watched = Watched::start();
    let host = watched.host("github");
    let logged_in = |host: &str| {
        let folder = tempfile::tempdir().unwrap();
        let known =
            format!("\"{host}\":\n    oauth_token: {TOKEN}\n    user: octocat\n    git_protocol: https\n");
        std::fs::write(folder.path().join("hosts.yml"), known).unwrap();
        folder
    };
    let expected = Some(format!("Bearer {TOKEN}"));
    let here = logged_in(&watched.emulator.name());
    let variables = [("GH_CONFIG_DIR", here.path().to_str().unwrap())];
    assert!(watched.sent(&host, &variables).iter().all(|sent| *sent == expected));
    // Who does not want programs to be asked is not known to the forge.
    let unasked = format!("[remote]\nask_programs = false\n{host}");
    assert!(watched.sent(&unasked, &variables).iter().all(Option::is_none));
    // A token of another forge stays at home.
    let elsewhere = logged_in("github.example.org");
    let variables = [("GH_CONFIG_DIR", elsewhere.path().to_str().unwrap())];
    assert!(watched.sent(&host, &variables).iter().all(Option::is_none));
}

/// No package brings `glab`; this says what its manual says that it says.
fn pretended_glab(folder: &Path, host: &str) {
    let script = format!(
        "#!/bin/sh\n[ \"$GLAB_CONFIG_DIR\" = /its/settings ] && [ \"$*\" = 'config get token --host {host}' ] && echo '{TOKEN}'\n"
    );
    let program = folder.join("glab");
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_token_that_glab_knows_is_sent_to_its_host_alone() {
    let watched = Watched::start();
    let programs = tempfile::tempdir().unwrap();
    let path = format!("{}:{}", programs.path().display(), std::env::var("PATH").unwrap());
    let variables = [("PATH", path.as_str()), ("GLAB_CONFIG_DIR", "/its/settings")];
    pretended_glab(programs.path(), &watched.emulator.name());
    let expected = Some(format!("Bearer {TOKEN}"));
    assert!(watched.sent(&watched.host("gitlab"), &variables).iter().all(|sent| *sent == expected));
    // The same host as one of GitHub: another program is asked, and that knows nothing.
    assert!(watched.sent(&watched.host("github"), &variables).iter().all(Option::is_none));
    pretended_glab(programs.path(), "gitlab.example.org");
    assert!(watched.sent(&watched.host("gitlab"), &variables).iter().all(Option::is_none));
}

//! Which registries does npm use?

use std::path::Path;

use orienteer_base::Problem;
use orienteer_remote::{NpmRegistries, Scheme, Secret, Tokens};
use serde_json::{Map, Value};

use super::run::{Runner, Tool, missing, silent};
use super::settings;

const NPM: &[Tool] = &[Tool {
    program: "npm",
    before: &[],
    variables: &["npm_config_*", "NPM_CONFIG_*", "NVM_*", "VOLTA_HOME", "ASDF_*", "FNM_*"],
}];
const SETTING: &str = "packages.npm_registry";
const WHAT: &str = "npm packages";

/// All settings at once: npm takes longer to start than to answer.
pub(super) async fn ask(runner: &Runner) -> Result<NpmRegistries, Problem> {
    let question = ["config", "list", "--long", "--json"];
    let quiet = [("NO_UPDATE_NOTIFIER", "1"), ("npm_config_update_notifier", "false")];
    let Some(finished) = runner.ask(NPM, &question, &quiet).await? else {
        return Err(missing(&["npm"], WHAT, SETTING));
    };
    let settings = serde_json::from_str::<Map<String, Value>>(&finished.stdout.text()).unwrap_or_default();
    if settings.is_empty() {
        return Err(silent("npm config", WHAT, SETTING, &finished.stderr.text()));
    }
    // npm tells neither tokens nor addresses with a password, but it tells in which files they are. The user's own file
    // goes before the global one.
    let mut lines = Vec::new();
    for file in ["userconfig", "globalconfig"] {
        if let Some(path) = text(&settings, file)
            && let Some(content) = runner.file(Path::new(&path)).await
        {
            lines.extend(settings::npmrc(&content, |name| runner.variable(name)));
        }
    }
    let written = |name: &str| lines.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    let variable =
        || runner.variable("npm_config_registry").or_else(|| runner.variable("NPM_CONFIG_REGISTRY"));
    let registry = text(&settings, "registry").or_else(variable).or_else(|| written("registry"));
    let Some(registry) = registry else {
        return Err(silent("npm config", WHAT, SETTING, &finished.stderr.text()));
    };
    let mut tokens = Tokens::default();
    add_tokens(&mut tokens, &lines);
    let scopes =
        scopes(&settings, &lines).into_iter().map(|(scope, url)| (scope, tokens.take_from(&url))).collect();
    Ok(NpmRegistries { default: tokens.take_from(&registry), scopes, tokens })
}

fn text(settings: &Map<String, Value>, name: &str) -> Option<String> {
    settings.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// `@scope:registry` and its address, first as npm tells it.
fn scopes(settings: &Map<String, Value>, lines: &[(String, String)]) -> Vec<(String, String)> {
    let told = settings.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)));
    let written = lines.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let mut scopes: Vec<(String, String)> = Vec::new();
    for (name, url) in told.chain(written) {
        if let Some(scope) = name.strip_suffix(":registry").filter(|scope| scope.starts_with('@'))
            && !scopes.iter().any(|(known, _)| known == scope)
        {
            scopes.push((scope.to_owned(), url.to_owned()));
        }
    }
    scopes
}

/// `//host/path/:_authToken`, `…:_auth`, and pairs of `…:username` and `…:_password`.
fn add_tokens(tokens: &mut Tokens, lines: &[(String, String)]) {
    for (name, value) in lines {
        let Some((place, kind)) = name.rsplit_once(':').filter(|(place, _)| place.starts_with("//")) else {
            continue;
        };
        match kind {
            "_authToken" => {
                if let Some(secret) = Secret::new(value) {
                    tokens.add(place, &secret, &Scheme::Bearer);
                }
            }
            "_auth" => {
                if let Some(secret) = Secret::new(&format!("Basic {value}")) {
                    tokens.add(place, &secret, &Scheme::Bare);
                }
            }
            "_password" => {
                let user = format!("{place}:username");
                if let Some((_, user)) = lines.iter().find(|(name, _)| *name == user) {
                    tokens.add_encoded(place, user, value);
                }
            }
            _ => {}
        }
    }
}

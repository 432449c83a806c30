//! What octocode's variables say. The only place that reads them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use orienteer_base::remote::{Forge, Where};

use crate::config::Given;
use crate::config::layers::ConfigError;
use crate::config::places::Variables;
use crate::dialect::Foreign;

/// Tokens of GitHub; whoever has one of these means GitHub.
const OF_GITHUB: &[&str] = &["GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"];

/// What only this dialect understands.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    /// Who is asked where neither a query nor the configuration says so.
    pub(super) usual: Option<Where>,
}

pub(super) fn read(given: &Given, _root: &Path) -> Result<Foreign, ConfigError> {
    let mut values = Vec::new();
    let variable = |name: &str| given.variables.get(name).map(str::trim).filter(|text| !text.is_empty());
    if let Some(root) = variable("WORKSPACE_ROOT") {
        values.push(("workspace.root", root.to_owned(), "WORKSPACE_ROOT".to_owned()));
    }
    if let Some(paths) = variable("ALLOWED_PATHS") {
        values.push(("workspace.allowed_roots", joined(paths), "ALLOWED_PATHS".to_owned()));
    }
    let own = Settings { usual: gitlab_alone(&given.variables) };
    Ok(Foreign { values, own: Some(Arc::new(own)), ..Foreign::default() })
}

/// Its own users separate paths with commas; elsewhere the platform's separator is usual. Both are taken.
fn joined(paths: &str) -> String {
    let separator = if cfg!(windows) { ";" } else { ":" };
    paths.split(',').map(str::trim).filter(|path| !path.is_empty()).collect::<Vec<_>>().join(separator)
}

/// Whoever has credentials of GitLab and none of GitHub means GitLab.
fn gitlab_alone(variables: &Variables) -> Option<Where> {
    variables.get("GITLAB_TOKEN")?;
    if OF_GITHUB.iter().any(|name| variables.get(name).is_some()) || knows_github(variables) {
        return None;
    }
    let host = variables.get("GITLAB_HOST").map(str::to_owned);
    Some(Where { provider: Some(Forge::Gitlab), host })
}

/// Whether GitHub's own program is logged in somewhere.
fn knows_github(variables: &Variables) -> bool {
    let folder =
        |name: &str, below: &str| variables.get(name).map(|folder| PathBuf::from(folder).join(below));
    let folder = folder("GH_CONFIG_DIR", "")
        .or_else(|| folder("XDG_CONFIG_HOME", "gh"))
        .or_else(|| folder("HOME", ".config/gh"))
        .or_else(|| folder("APPDATA", "GitHub CLI"));
    folder.is_some_and(|folder| folder.join("hosts.yml").exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Foreign {
        let variables = Variables::from_pairs(pairs.iter().copied());
        read(&Given { variables, ..Given::default() }, Path::new("/")).unwrap()
    }

    fn usual(pairs: &[(&str, &str)]) -> Option<Where> {
        let own = of(pairs).own.unwrap().downcast::<Settings>().unwrap();
        own.usual.clone()
    }

    #[test]
    fn folders_are_named_by_variables() {
        let told = of(&[("WORKSPACE_ROOT", "/w"), ("ALLOWED_PATHS", "/a, /b")]).values;
        let separated = if cfg!(windows) { "/a;/b" } else { "/a:/b" };
        let expected = [
            ("workspace.root", "/w".to_owned(), "WORKSPACE_ROOT".to_owned()),
            ("workspace.allowed_roots", separated.to_owned(), "ALLOWED_PATHS".to_owned()),
        ];
        assert_eq!(told, expected);
        assert!(of(&[("WORKSPACE_ROOT", " ")]).values.is_empty());
    }

    #[test]
    fn gitlab_is_asked_when_nothing_is_known_of_github() {
        assert_eq!(usual(&[]), None);
        let alone = Where { provider: Some(Forge::Gitlab), host: None };
        assert_eq!(usual(&[("GITLAB_TOKEN", "x")]), Some(alone));
        let named = usual(&[("GITLAB_TOKEN", "x"), ("GITLAB_HOST", "https://git.example.org")]);
        assert_eq!(named.unwrap().host.as_deref(), Some("https://git.example.org"));
        assert_eq!(usual(&[("GITLAB_TOKEN", "x"), ("GITHUB_TOKEN", "y")]), None);
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().to_str().unwrap();
        assert!(usual(&[("GITLAB_TOKEN", "x"), ("GH_CONFIG_DIR", place)]).is_some());
        std::fs::write(folder.path().join("hosts.yml"), "github.com:\n").unwrap();
        assert_eq!(usual(&[("GITLAB_TOKEN", "x"), ("GH_CONFIG_DIR", place)]), None);
    }
}

//! Which repository is meant, and how does the forge spell it?

use orienteer_base::Problem;
use reqwest::Url;

use crate::path;

/// A repository, by the names that were checked.
#[derive(Debug, Clone)]
pub(crate) struct Repository {
    owner: String,
    name: String,
}

impl Repository {
    pub(crate) fn new(owner: &str, repo: &str) -> Result<Self, Problem> {
        let name = path::name("repo", repo)?;
        // As addresses for cloning end.
        let name = name.strip_suffix(".git").filter(|name| !name.is_empty()).unwrap_or(name);
        Ok(Self { owner: path::name("owner", owner)?.to_owned(), name: name.to_owned() })
    }

    pub(crate) fn path(&self, below: &str) -> String {
        format!("repos/{}/{}/{below}", path::segment(&self.owner), path::segment(&self.name))
    }

    pub(crate) fn full_name(&self) -> String {
        format!("{}/{}", self.owner, self.name)
    }
}

/// `owner/name` as the forge spells it now, from an address of its API: it differs after a rename.
pub(crate) fn spelled(url: Option<&str>) -> Option<String> {
    let url = Url::parse(url?).ok()?;
    let mut parts = url.path_segments()?.skip_while(|part| *part != "repos").skip(1);
    let (owner, name) = (parts.next()?, parts.next()?);
    (!owner.is_empty() && !name.is_empty()).then(|| format!("{owner}/{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_after_a_rename_are_read_from_addresses() {
        let of = |url| spelled(Some(url));
        assert_eq!(of("https://api.github.com/repos/New/name/contents/a?ref=x").as_deref(), Some("New/name"));
        assert_eq!(of("https://ghe.example.org/api/v3/repos/a/b").as_deref(), Some("a/b"));
        for other in ["https://api.github.com/repositories/42", "https://api.github.com/repos/a", "x"] {
            assert_eq!(of(other), None, "{other}");
        }
    }

    #[test]
    fn a_repository_is_named_with_or_without_git() {
        assert_eq!(Repository::new("a", "b.git").unwrap().path("x"), "repos/a/b/x");
        assert_eq!(Repository::new("a", ".git").unwrap().full_name(), "a/.git");
        assert_eq!(Repository::new("a/b", "c").unwrap_err().field, Some("owner"));
        assert_eq!(Repository::new("a", "../c").unwrap_err().field, Some("repo"));
    }
}

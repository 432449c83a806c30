//! Which repository does a package name, however it is spelled?
//!
//! `git+https://…`, `git+ssh://git@…`, `git@host:owner/name.git`, `github:owner/name`, `owner/name`, a page of a web
//! interface: all of them become an address that a browser opens, and owner and name where they can be told.

use orienteer_base::remote::PackageRepository;
use reqwest::Url;

/// The longest text that is looked at; addresses are shorter.
const LONGEST: usize = 2_000;

/// Hosts whose addresses are always `owner/name` and then a page of the web interface.
const TWO_PARTS: &[&str] = &["github.com", "codeberg.org", "bitbucket.org", "gitea.com"];

/// Reads one spelling. Nothing when it names no repository.
pub(crate) fn parse(written: &str) -> Option<PackageRepository> {
    let written = written.trim();
    if written.is_empty() || written.len() > LONGEST || written.contains(char::is_whitespace) {
        return None;
    }
    // Branches and the like say nothing that we could show.
    let written = written.split_once('#').map_or(written, |(before, _)| before);
    let plain = written.strip_prefix("git+").unwrap_or(written);
    shorthand(plain).or_else(|| address(plain)).or_else(|| scp(plain))
}

/// `owner/name`, which npm takes for GitHub, and the same with a forge in front.
fn shorthand(written: &str) -> Option<PackageRepository> {
    let (host, path) = match written.split_once(':') {
        Some(("github", path)) => ("github.com", path),
        Some(("gitlab", path)) => ("gitlab.com", path),
        Some(("bitbucket", path)) => ("bitbucket.org", path),
        Some(("gist", id)) => {
            let url = format!("https://gist.github.com/{id}");
            return is_word(id).then(|| PackageRepository { url, ..nothing("gist.github.com") });
        }
        Some(_) => return None,
        None => ("github.com", written),
    };
    let parts: Vec<&str> = path.trim_end_matches(".git").split('/').collect();
    let deep = host == "gitlab.com" && parts.len() > 2;
    if !(parts.len() == 2 || deep) || !parts.iter().all(|part| is_word(part)) {
        return None;
    }
    Some(made(host, host, &parts))
}

/// Anything with `://`.
fn address(written: &str) -> Option<PackageRepository> {
    let (scheme, rest) = written.split_once("://")?;
    if !matches!(scheme, "https" | "http" | "git" | "ssh") {
        return None;
    }
    // Some write the path after a colon in an address, too, where only a port may stand.
    let (place, path) = rest.split_once('/').unwrap_or((rest, ""));
    // Whoever wrote a user and a password there did not mean to show them to everybody.
    let place = place.rsplit_once('@').map_or(place, |(_, place)| place);
    let (place, path) = match place.rsplit_once(':') {
        Some((host, first)) if !first.is_empty() && first.parse::<u16>().is_err() && !host.is_empty() => {
            (host, format!("{first}/{path}"))
        }
        _ => (place, path.to_owned()),
    };
    let url = Url::parse(&format!("https://{place}/{path}")).ok()?;
    let host = url.host_str()?.to_ascii_lowercase();
    // A port of SSH or of git's own protocol is not the one that a browser asks.
    let host = host.strip_prefix("www.").unwrap_or(&host);
    let with_port = match url.port() {
        Some(port) if scheme.starts_with("http") => format!("{host}:{port}"),
        _ => host.to_owned(),
    };
    let parts: Vec<&str> = url.path().split('/').filter(|part| !part.is_empty()).collect();
    Some(made(host, &with_port, &parts))
}

/// `git@host:owner/name.git`.
fn scp(written: &str) -> Option<PackageRepository> {
    let (place, path) = written.split_once(':')?;
    let (_, host) = place.split_once('@')?;
    let sound =
        |host: &str| host.contains('.') && host.chars().all(|c| c.is_alphanumeric() || ".-".contains(c));
    if !sound(host) || path.starts_with("//") {
        return None;
    }
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let host = host.to_ascii_lowercase();
    (!parts.is_empty()).then(|| made(&host, &host, &parts))
}

/// The parts of a path, with what belongs to the web interface taken off.
fn made(host: &str, with_port: &str, parts: &[&str]) -> PackageRepository {
    let mut parts: Vec<&str> = parts.to_vec();
    let mut directory = None;
    // GitLab separates its pages with a dash of their own; the older and the other forges do not.
    if let Some(dash) = parts.iter().position(|part| *part == "-").filter(|at| *at >= 2) {
        directory = below(&parts, dash + 1);
        parts.truncate(dash);
    } else if let Some(page) = parts
        .iter()
        .position(|part| matches!(*part, "tree" | "blob" | "src" | "issues" | "wiki" | "releases" | "pulls"))
        .filter(|at| *at >= 2 && (*at == 2 || !TWO_PARTS.contains(&host)))
    {
        directory = below(&parts, page);
        parts.truncate(page);
    } else if TWO_PARTS.contains(&host) && parts.len() > 2 {
        parts.truncate(2);
    }
    let mut path = parts.join("/");
    if let Some(short) = path.strip_suffix(".git") {
        path = short.to_owned();
    }
    let mut repository = PackageRepository {
        url: format!("https://{with_port}/{path}").trim_end_matches('/').to_owned(),
        directory,
        ..nothing(with_port)
    };
    if let Some((owner, repo)) = path.rsplit_once('/')
        && is_forge_like(host, &parts)
    {
        repository.owner = Some(owner.to_owned());
        repository.repo = Some(repo.to_owned());
    }
    repository
}

/// Where `tree/BRANCH/FOLDER` points below the root.
fn below(parts: &[&str], page: usize) -> Option<String> {
    if !matches!(parts.get(page), Some(&"tree" | &"blob")) {
        return None;
    }
    let folder = parts.get(page + 2..)?.join("/");
    (!folder.is_empty()).then_some(folder)
}

/// Whether the last part is a repository and what is before it its owner.
fn is_forge_like(host: &str, parts: &[&str]) -> bool {
    if TWO_PARTS.contains(&host) { parts.len() == 2 } else { parts.len() >= 2 }
}

fn nothing(host: &str) -> PackageRepository {
    PackageRepository {
        url: String::new(),
        host: Some(host.to_owned()),
        owner: None,
        repo: None,
        directory: None,
    }
}

fn is_word(part: &str) -> bool {
    !part.is_empty()
        && !part.starts_with('.')
        && !part.starts_with('@')
        && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

/// Whether an address that is called something else (a home page) is a repository after all.
pub(crate) fn is_certain(repository: &PackageRepository) -> bool {
    let host = repository.host.as_deref().unwrap_or_default();
    repository.repo.is_some()
        && (TWO_PARTS.contains(&host) || host == "gitlab.com" || host.starts_with("gitlab."))
}

#[cfg(test)]
mod tests;

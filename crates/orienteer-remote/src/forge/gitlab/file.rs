//! What stands in a file on GitLab?

use std::time::Duration;

use base64::Engine as _;
use orienteer_base::remote::{EntryKind, NoText, RemoteFile, RemoteFileQuery};
use orienteer_base::{ErrorKind, Problem};
use serde::Deserialize;

use super::tree::{Item, items};
use super::{Known, Project, commit, known, pinned};
use crate::api::{ApiError, Expected, Request};
use crate::forge::{Caller, FILES};
use crate::held::Held;
use crate::path;
use crate::text::{self, Content};

/// A description has the content in it, as base64; more than this is asked for without one.
const MOST_OF_A_DESCRIPTION: usize = 4 << 20;
const MOST_OF_A_FILE: usize = 100 << 20;
/// The target of a link is a path, and links end without a line break.
const MOST_OF_A_LINK: usize = 1024;

#[derive(Debug, Deserialize)]
struct Described {
    content: String,
    #[serde(default)]
    encoding: Option<String>,
    #[serde(default)]
    blob_id: Option<String>,
}

/// The bytes at a path.
struct Bytes {
    bytes: Vec<u8>,
    sha: Option<String>,
}

/// What a path leads to.
enum Found {
    Bytes(Bytes),
    Submodule(NoText),
}

pub async fn read_file(caller: &Caller, query: &RemoteFileQuery) -> Result<RemoteFile, Problem> {
    let project = Project::new(&query.repo.owner, &query.repo.repo)?;
    let asked = path::parts(&query.path)?.join("/");
    if asked.is_empty() {
        return Err(is_folder("/"));
    }
    let known = known(caller, &project).await?;
    let mut fresh_for = FILES;
    loop {
        let pinned = commit(caller, &project, &known, &query.repo, fresh_for).await?;
        let reader = Reader { caller, project: &project, known: &known, commit: &pinned.commit };
        let read = read(&reader, &asked, query).await;
        if !pinned.may_have_moved(&read) {
            return read;
        }
        fresh_for = Duration::ZERO;
    }
}

async fn read(reader: &Reader<'_>, asked: &str, query: &RemoteFileQuery) -> Result<RemoteFile, Problem> {
    let (mut at, mut link_target) = (asked.to_owned(), None);
    let mut found = reader.find(&at).await?;
    if let Found::Bytes(bytes) = &found
        && let Some(target) = reader.link(&at, &bytes.bytes).await
    {
        let Some(next) = path::follow(&at, &target) else {
            let message = format!("`{asked}` is a link to `{target}`, which is outside the repository");
            return Err(Problem::new(ErrorKind::NotFound, message).detail("link").field("path"));
        };
        found = reader.find(&next).await?;
        if let Found::Bytes(bytes) = &found
            && reader.link(&next, &bytes.bytes).await.is_some()
        {
            let message = format!("`{asked}` is a link to `{next}`, which is a link, too; ask for that one");
            return Err(Problem::new(ErrorKind::NotFound, message).detail("link").field("path"));
        }
        link_target = Some(next.clone());
        at = next;
    }
    let (content, size, sha) = match found {
        Found::Bytes(Bytes { bytes, sha }) => {
            let size = bytes.len() as u64;
            (text::read(bytes), size, sha)
        }
        Found::Submodule(instead) => (Content::Instead(instead), 0, None),
    };
    let held = Held::of(content, &query.part)?;
    let cut = held.piece;
    let last_author = reader.last_author(&at).await;
    let (known, commit) = (reader.known, reader.commit);
    let url = format!("{}/-/blob/{commit}/{}", known.web_url, path::encoded(&at)?);
    Ok(RemoteFile {
        path: asked.to_owned(),
        size,
        sha,
        content: cut.content,
        start_line: cut.start_line,
        end_line: cut.end_line,
        total_lines: cut.total_lines,
        total_chars: cut.total_chars,
        char_offset: cut.char_offset,
        has_more: cut.has_more,
        matched_lines: cut.matched_lines,
        stretches: cut.stretches,
        whole: held.whole,
        instead: held.instead,
        bytes: held.bytes,
        link_target,
        url: Some(url),
        last_author,
        from: reader.caller.provenance(Some(known.path_with_namespace.clone()), Some(commit.to_owned())),
    })
}

/// Reads at one commit of one project.
struct Reader<'a> {
    caller: &'a Caller,
    project: &'a Project,
    known: &'a Known,
    commit: &'a str,
}

impl Reader<'_> {
    fn request(&self, at: &str, raw: bool) -> Request {
        let below = if raw { "/raw" } else { "" };
        let path = self.project.path(&format!("repository/files/{}{below}", path::segment(at)));
        pinned(self.caller.request(path)).query("ref", self.commit)
    }

    async fn find(&self, at: &str) -> Result<Found, Problem> {
        match self.bytes(at).await {
            // GitLab shows a submodule as a file with nothing in it.
            Ok(bytes) if bytes.bytes.is_empty() => match self.entry(at).await {
                Some(item) if item.kind() == EntryKind::Submodule => Ok(self.submodule(at, item).await),
                _ => Ok(Found::Bytes(bytes)),
            },
            Ok(bytes) => Ok(Found::Bytes(bytes)),
            Err(ApiError::TooLarge { .. }) => Err(beyond(at)),
            Err(error) if error.status() == Some(404) => self.instead(at, error).await,
            Err(error) => Err(error.into()),
        }
    }

    async fn bytes(&self, at: &str) -> Result<Bytes, ApiError> {
        let described = Request { max_bytes: MOST_OF_A_DESCRIPTION, ..self.request(at, false) };
        match self.caller.json::<Described>(&described).await {
            Ok(described) if described.encoding.as_deref().unwrap_or("base64") == "base64" => {
                let joined: String = described.content.split_ascii_whitespace().collect();
                let decoded = base64::engine::general_purpose::STANDARD.decode(joined);
                let bytes = decoded.map_err(|error| ApiError::Unreadable {
                    host: self.caller.host.name.clone(),
                    status: 200,
                    reason: format!("its content is not base64: {error}"),
                })?;
                Ok(Bytes { bytes, sha: described.blob_id })
            }
            Ok(_) | Err(ApiError::TooLarge { .. }) => {
                let raw = Request {
                    accept: "*/*",
                    expected: Expected::Bytes,
                    max_bytes: MOST_OF_A_FILE,
                    ..self.request(at, true)
                };
                let reply = self.caller.get(&raw).await?;
                Ok(Bytes { bytes: reply.body.to_vec(), sha: None })
            }
            Err(error) => Err(error),
        }
    }

    /// What is there that is no file.
    async fn instead(&self, at: &str, error: ApiError) -> Result<Found, Problem> {
        let Some(item) = self.entry(at).await else {
            let name = &self.known.path_with_namespace;
            let message = format!("there is no `{at}` in {name} at {}", self.commit);
            return Err(Problem { message, ..Problem::from(error) }.field("path"));
        };
        match item.kind() {
            EntryKind::Submodule => Ok(self.submodule(at, item).await),
            EntryKind::Directory => Err(is_folder(at)),
            EntryKind::File | EntryKind::Symlink => Err(error.into()),
        }
    }

    /// The entry of a path in its folder.
    async fn entry(&self, at: &str) -> Option<Item> {
        let folder = at.rsplit_once('/').map_or("", |(folder, _)| folder);
        let (items, _) = items(self.caller, self.project, folder, self.commit, false).await.ok()?;
        items.into_iter().find(|item| item.path == at)
    }

    /// Where a link leads. The folder is asked only when the content could be a link.
    async fn link(&self, at: &str, bytes: &[u8]) -> Option<String> {
        let text = std::str::from_utf8(bytes).ok()?;
        let may_be = !text.is_empty() && text.len() <= MOST_OF_A_LINK && !text.contains(['\n', '\0']);
        if !may_be || self.entry(at).await?.kind() != EntryKind::Symlink {
            return None;
        }
        Some(text.to_owned())
    }

    /// With where it comes from, as `.gitmodules` has it.
    async fn submodule(&self, at: &str, item: Item) -> Found {
        let modules = self.bytes(".gitmodules").await.ok();
        let text = modules.map(|modules| String::from_utf8_lossy(&modules.bytes).into_owned());
        let url = text.and_then(|text| submodule_url(&text, at));
        Found::Submodule(NoText::Submodule { url, commit: item.id })
    }

    /// Who changed it last; nobody misses it where it cannot be told.
    async fn last_author(&self, at: &str) -> Option<String> {
        #[derive(Deserialize)]
        struct Commit {
            author_name: Option<String>,
        }
        let asked = pinned(self.caller.request(self.project.path("repository/commits")));
        let asked = asked.query("ref_name", self.commit).query("path", at).query("per_page", 1);
        self.caller.json::<Vec<Commit>>(&asked).await.ok()?.into_iter().next()?.author_name
    }
}

/// The `url` of the section whose `path` is this one.
fn submodule_url(text: &str, at: &str) -> Option<String> {
    for section in text.split("[submodule").skip(1) {
        let value = |wanted: &str| {
            let lines = section.lines().filter_map(|line| line.split_once('='));
            lines.map(|(name, value)| (name.trim(), value.trim())).find(|(name, _)| *name == wanted)
        };
        if value("path").is_some_and(|(_, path)| path == at) {
            return value("url").map(|(_, url)| url.to_owned());
        }
    }
    None
}

fn is_folder(at: &str) -> Problem {
    let message = format!("`{at}` is a folder; list it, and ask for a file in it");
    Problem::invalid("path", "is_directory", message)
}

fn beyond(at: &str) -> Problem {
    let message = format!(
        "`{at}` has more than {} MB, which is more than is read over the API; clone the repository to read it",
        MOST_OF_A_FILE >> 20
    );
    Problem::new(ErrorKind::TooLarge, message).field("path").detail("beyond_network")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_submodule_is_found_by_its_path() {
        let text = "[submodule \"a\"]\n\tpath = libs/a\n\turl = https://example.org/a.git\n\
            [submodule \"b\"]\n\turl=../b.git\n\tpath=libs/b\n";
        assert_eq!(submodule_url(text, "libs/a").as_deref(), Some("https://example.org/a.git"));
        assert_eq!(submodule_url(text, "libs/b").as_deref(), Some("../b.git"));
        assert_eq!(submodule_url(text, "libs"), None);
    }
}

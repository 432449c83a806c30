//! What stands in a file, where a forge describes files as GitHub does?

use base64::Engine as _;
use orienteer_base::remote::{NoText, RemoteFile, RemoteFileQuery};
use orienteer_base::{ErrorKind, Problem};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::Caller;
use super::repository::{Repository, spelled};
use crate::api::{ApiError, Expected, FOREVER, Request};
use crate::held::Held;
use crate::path;
use crate::text::{self, Content};

/// Nobody gets more from GitHub's API, and nobody reads more.
pub(crate) const MOST_OF_A_FILE: usize = 100 << 20;

/// What is different from forge to forge.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dialect {
    /// A request as this forge wants it.
    pub(crate) request: fn(&Caller, String) -> Request,
    /// Where the bytes themselves are: in place of `contents`.
    pub(crate) raw: &'static str,
    pub(crate) raw_accept: &'static str,
    /// Up to this size a description brings the content along.
    pub(crate) most_of_a_description: usize,
}

/// As the forge describes what is at a path.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Described {
    One(Box<Entry>),
    /// A list of what is in it.
    Folder(IgnoredAny),
}

#[derive(Debug, Deserialize)]
struct Entry {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    size: u64,
    sha: Option<String>,
    content: Option<String>,
    encoding: Option<String>,
    url: Option<String>,
    html_url: Option<String>,
    /// Of a link.
    target: Option<String>,
    /// Of a submodule.
    submodule_git_url: Option<String>,
    /// Not on GitHub.
    last_commit_sha: Option<String>,
}

/// A file, and where to ask who changed it.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) file: RemoteFile,
    /// After links.
    pub(crate) at: String,
    pub(crate) last_commit: Option<String>,
}

/// Reads a file at a commit.
pub(crate) async fn read(
    caller: &Caller,
    dialect: Dialect,
    repository: &Repository,
    commit: &str,
    query: &RemoteFileQuery,
) -> Result<Read, Problem> {
    let asked = wanted(query)?;
    let at = Place { caller, dialect, repository, commit };
    let (mut path, mut link_target) = (asked.clone(), None);
    let mut entry = at.describe(&path).await?;
    // Some resolve links to files themselves and describe the others. One step is taken here.
    if entry.kind == "symlink" {
        let target = entry.target.clone().unwrap_or_default();
        let Some(next) = path::follow(&path, &target) else {
            let message = format!("`{asked}` is a link to `{target}`, which is outside the repository");
            return Err(Problem::new(ErrorKind::NotFound, message).detail("link").field("path"));
        };
        entry = at.describe(&next).await?;
        if entry.kind == "symlink" {
            let message = format!("`{asked}` is a link to `{next}`, which is a link, too; ask for that one");
            return Err(Problem::new(ErrorKind::NotFound, message).detail("link").field("path"));
        }
        link_target = Some(next.clone());
        path = next;
    }
    let (content, size) = at.content(&path, &entry).await?;
    let held = Held::of(content, &query.part)?;
    let cut = held.piece;
    let name = spelled(entry.url.as_deref()).unwrap_or_else(|| repository.full_name());
    let file = RemoteFile {
        path: asked,
        size,
        sha: entry.sha,
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
        url: entry.html_url,
        last_author: None,
        from: caller.provenance(Some(name), Some(commit.to_owned())),
    };
    Ok(Read { file, at: path, last_commit: entry.last_commit_sha })
}

/// The path in one spelling. It is checked before anybody is asked.
pub(crate) fn wanted(query: &RemoteFileQuery) -> Result<String, Problem> {
    let path = path::parts(&query.path)?.join("/");
    if path.is_empty() { Err(is_folder("/")) } else { Ok(path) }
}

#[derive(Debug, Clone, Copy)]
struct Place<'a> {
    caller: &'a Caller,
    dialect: Dialect,
    repository: &'a Repository,
    commit: &'a str,
}

impl Place<'_> {
    fn request(self, kind: &str, path: &str) -> Result<Request, Problem> {
        let path = self.repository.path(&format!("{kind}/{}", path::encoded(path)?));
        let asked = (self.dialect.request)(self.caller, path).query("ref", self.commit);
        Ok(Request { fresh_for: FOREVER, ..asked })
    }

    async fn describe(self, path: &str) -> Result<Entry, Problem> {
        // Base64 takes a third more, and there is text around it.
        let max_bytes = self.dialect.most_of_a_description / 3 * 4 + (64 << 10);
        let asked = Request { max_bytes, ..self.request("contents", path)? };
        match self.caller.json(&asked).await.map_err(|error| too_large(error, path))? {
            Described::One(entry) if entry.kind != "dir" => Ok(*entry),
            Described::One(_) | Described::Folder(_) => Err(is_folder(path)),
        }
    }

    /// What the file holds, and how many bytes that is.
    async fn content(self, path: &str, entry: &Entry) -> Result<(Content, u64), Problem> {
        if entry.kind == "submodule" {
            let (url, commit) = (entry.submodule_git_url.clone(), entry.sha.clone().unwrap_or_default());
            return Ok((Content::Instead(NoText::Submodule { url, commit }), 0));
        }
        let here = entry.content.as_deref().filter(|_| entry.encoding.as_deref() == Some("base64"));
        if let Some(encoded) = here.filter(|encoded| !encoded.is_empty() || entry.size == 0) {
            let bytes = self.decoded(encoded)?;
            let size = bytes.len() as u64;
            return Ok((text::read(bytes), size));
        }
        if entry.size > MOST_OF_A_FILE as u64 {
            return Err(beyond(path));
        }
        let asked = Request {
            accept: self.dialect.raw_accept,
            expected: Expected::Bytes,
            max_bytes: MOST_OF_A_FILE,
            ..self.request(self.dialect.raw, path)?
        };
        let reply = self.caller.get(&asked).await.map_err(|error| too_large(error, path))?;
        Ok((text::read(reply.body.to_vec()), reply.body.len() as u64))
    }

    fn decoded(self, encoded: &str) -> Result<Vec<u8>, ApiError> {
        let joined: String = encoded.split_ascii_whitespace().collect();
        base64::engine::general_purpose::STANDARD.decode(joined).map_err(|error| {
            let host = self.caller.host.name.clone();
            ApiError::Unreadable { host, status: 200, reason: format!("the content is not base64: {error}") }
        })
    }
}

fn is_folder(at: &str) -> Problem {
    let message = format!("`{at}` is a folder; list it, and ask for a file in it");
    Problem::invalid("path", "is_directory", message)
}

/// GitHub refuses files over its limit with a status that otherwise means that a token is missing.
fn too_large(error: ApiError, at: &str) -> Problem {
    match &error {
        ApiError::Refused { status: 403, message, .. } if message.contains("too large") => beyond(at),
        ApiError::TooLarge { .. } => beyond(at),
        _ => error.into(),
    }
}

fn beyond(at: &str) -> Problem {
    let message = format!(
        "`{at}` has more than 100 MB, which is not given over the network, not in parts either; clone the repository to \
         read it"
    );
    Problem::new(ErrorKind::TooLarge, message).field("path").detail("beyond_network")
}

//! What may be asked of forges and package registries, and what they return.

use serde::{Deserialize, Serialize};

use crate::question::Part;

/// Which kind of forge a host runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Forge {
    Github,
    Gitlab,
    Forgejo,
}

impl Forge {
    pub const ALL: &[Self] = &[Self::Github, Self::Gitlab, Self::Forgejo];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Github => "github",
            Self::Gitlab => "gitlab",
            Self::Forgejo => "forgejo",
        }
    }
}

/// Who is asked: both are optional and decided by the configuration otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Where {
    pub provider: Option<Forge>,
    /// A name such as `git.example.org`, with a port where it has one.
    pub host: Option<String>,
}

/// One repository and a state of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RepoRef {
    pub at: Where,
    /// User, organisation, or a path of groups.
    pub owner: String,
    pub repo: String,
    /// Branch, tag or commit; the default branch when absent.
    pub reference: Option<String>,
}

/// Where a text must match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodeMatch {
    File,
    Path,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodeSearch {
    pub at: Where,
    /// 1 to 5.
    pub keywords: Vec<String>,
    pub owner: Option<String>,
    pub repo: Option<String>,
    pub extension: Option<String>,
    pub filename: Option<String>,
    pub path: Option<String>,
    pub match_in: Option<CodeMatch>,
    /// 1 to 100.
    pub limit: usize,
    /// From 1.
    pub page: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteFileQuery {
    pub repo: RepoRef,
    pub path: String,
    pub part: Part,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemoteTreeQuery {
    pub repo: RepoRef,
    /// A folder; empty for the root.
    pub path: String,
    /// 1 to 10.
    pub depth: usize,
    pub skip: usize,
    pub limit: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepoField {
    Name,
    Description,
    Readme,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepoOrder {
    #[default]
    BestMatch,
    Stars,
    Forks,
    Updated,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RepoSearch {
    pub at: Where,
    pub keywords: Vec<String>,
    pub topics: Vec<String>,
    pub owner: Option<String>,
    pub language: Option<String>,
    /// As forges write ranges: `>1000`, `10..50`, `42`.
    pub stars: Option<String>,
    /// In kilobytes.
    pub size: Option<String>,
    pub created: Option<String>,
    pub updated: Option<String>,
    pub match_in: Vec<RepoField>,
    pub order: RepoOrder,
    pub limit: usize,
    pub page: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeState {
    Open,
    Closed,
}

/// How much of a change is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ChangeContent {
    #[default]
    Metadata,
    /// Patches of these files only, and of each only hunks that touch these lines; of all lines when empty.
    Partial(Vec<(String, Vec<(usize, usize)>)>),
    Full,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangeSearch {
    pub at: Where,
    pub owner: Option<String>,
    pub repo: Option<String>,
    /// That one, whatever the filters say.
    pub number: Option<u64>,
    pub query: Option<String>,
    pub state: Option<ChangeState>,
    pub author: Option<String>,
    pub assignee: Option<String>,
    pub labels: Vec<String>,
    pub merged: Option<bool>,
    pub draft: Option<bool>,
    pub created: Option<String>,
    pub updated: Option<String>,
    pub content: ChangeContent,
    pub with_comments: bool,
    pub with_commits: bool,
    pub limit: usize,
    pub page: usize,
}

/// Where an answer came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Provenance {
    pub provider: Forge,
    pub host: String,
    /// `owner/name`, as the forge spells it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// Everything was read at this commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// From our cache, and how old; `None`: asked just now, or the forge said that nothing has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_ms: Option<u64>,
    /// The forge could not be reached; the cached answer is given instead.
    pub offline: bool,
}

/// A piece of text that matched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TextMatch {
    pub fragment: String,
    /// Ranges in the fragment, in Unicode scalar values.
    pub matches: Vec<(usize, usize)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CodeHit {
    pub repository: String,
    pub path: String,
    pub url: String,
    /// The commit or branch that was searched, where the forge says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub text_matches: Vec<TextMatch>,
}

/// A page of something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    pub rows: Vec<T>,
    /// As the forge counts; `None` when it does not.
    pub total: Option<u64>,
    pub has_more: bool,
    /// The forge itself says that it did not look everywhere.
    pub incomplete: Option<String>,
    pub from: Provenance,
}

/// What a path of a repository is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    File,
    Directory,
    Symlink,
    Submodule,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TreeEntry {
    pub path: String,
    #[serde(rename = "type")]
    pub kind: EntryKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteTree {
    pub entries: Vec<TreeEntry>,
    pub total: usize,
    pub files: usize,
    pub directories: usize,
    /// Something is missing, and why.
    pub incomplete: Option<String>,
    pub from: Provenance,
}

/// What stands in a file instead of text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NoText {
    Binary,
    /// Git LFS keeps the content elsewhere.
    LfsPointer {
        oid: String,
        size: u64,
    },
    Submodule {
        url: Option<String>,
        commit: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteFile {
    pub path: String,
    pub size: u64,
    pub sha: Option<String>,
    /// The part that was asked for.
    pub content: String,
    pub start_line: usize,
    pub end_line: usize,
    pub total_lines: usize,
    pub total_chars: usize,
    /// Where the part begins, in Unicode scalar values.
    pub char_offset: usize,
    /// There is more after it.
    pub has_more: bool,
    /// Lines that matched.
    pub matched_lines: Vec<usize>,
    /// The stretches of lines in `content`, first and last; between two of them stands one line that says what is left out.
    pub stretches: Vec<(usize, usize)>,
    /// The whole text where `content` is a part: whether a line is secret may be told by another one.
    pub whole: Option<String>,
    pub instead: Option<NoText>,
    /// All of a binary file, for contracts that hand on bytes; empty where there is text, or nothing of its own.
    pub bytes: Vec<u8>,
    /// The path was a link to this one.
    pub link_target: Option<String>,
    pub url: Option<String>,
    pub last_author: Option<String>,
    pub from: Provenance,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RepoHit {
    pub full_name: String,
    pub description: Option<String>,
    pub url: String,
    pub stars: u64,
    pub forks: u64,
    pub language: Option<String>,
    pub topics: Vec<String>,
    pub default_branch: Option<String>,
    pub created_at: Option<String>,
    pub updated_at: Option<String>,
    pub size_kb: Option<u64>,
    pub archived: bool,
    pub license: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangeComment {
    pub author: String,
    /// As the forge tells it: owner, member, contributor, none.
    pub association: Option<String>,
    pub body: String,
    pub created_at: Option<String>,
    /// Of a comment on a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangeCommit {
    pub sha: String,
    pub message: String,
    pub author: String,
    pub date: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangeFile {
    pub filename: String,
    /// Before a rename.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
    /// added, modified, removed, renamed.
    pub status: String,
    pub additions: u64,
    pub deletions: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// Why the patch is missing or short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch_note: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    pub repository: String,
    pub number: u64,
    pub title: String,
    pub state: ChangeState,
    pub merged: bool,
    pub draft: bool,
    pub author: String,
    pub association: Option<String>,
    pub body: Option<String>,
    pub labels: Vec<String>,
    pub assignees: Vec<String>,
    pub base: Option<String>,
    pub head: Option<String>,
    pub created_at: Option<String>,
    pub updated_at: Option<String>,
    pub merged_at: Option<String>,
    pub url: String,
    /// `None`: not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments: Option<Vec<ChangeComment>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commits: Option<Vec<ChangeCommit>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<ChangeFile>>,
}

/// Whose registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ecosystem {
    Npm,
    Python,
    Cargo,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageSearch {
    pub name: String,
    pub ecosystem: Ecosystem,
    /// 1 to 10.
    pub limit: usize,
    /// Releases, dist-tags, dependencies, too.
    pub metadata: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PackageRepository {
    pub url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Below the repository's root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
}

/// How a package was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FoundBy {
    /// It has this name.
    Exact,
    /// The registry's own search.
    Search,
    /// The registry has no search: names that look like it were tried.
    SimilarName,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Package {
    pub name: String,
    pub version: String,
    pub description: Option<String>,
    pub license: Option<String>,
    pub repository: Option<PackageRepository>,
    pub homepage: Option<String>,
    pub author: Option<String>,
    /// What the author says about that, or the reason of a yank.
    pub deprecated: Option<String>,
    pub found_by: FoundBy,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub releases: Vec<PackageRelease>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dist_tags: Vec<(String, String)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PackageRelease {
    pub version: String,
    pub published_at: Option<String>,
    pub yanked: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packages {
    pub rows: Vec<Package>,
    /// How names were looked for, where no package has exactly this one.
    pub note: Option<String>,
    /// From our cache, and how old.
    pub cached_ms: Option<u64>,
    pub offline: bool,
}

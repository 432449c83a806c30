//! Which commit wrote these lines?

use std::collections::HashMap;
use std::ffi::OsStr;
use std::ops::RangeInclusive;
use std::path::{Component, Path};
use std::sync::Arc;

use orienteer_base::Cancel;

use super::{Git, GitError};

/// Neighbouring lines of one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlamedLine {
    /// Counted from 1, as they are on disk.
    pub lines: RangeInclusive<u32>,
    /// `None` for lines that are not committed yet.
    pub by: Option<Arc<Writer>>,
}

/// Who wrote something, when, in which commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Writer {
    pub commit: String,
    pub author: String,
    pub email: String,
    /// Seconds since 1970 when it was written.
    pub time: i64,
    /// The history ends here (a shallow clone), so the lines are of this commit or older.
    pub border: bool,
}

impl Git {
    /// Who wrote the lines of a file, in their order. Lines after the last one of the file do not count. `None` also for
    /// a file that no commit has.
    pub fn blame(
        &self,
        root: &Path,
        path: &Path,
        lines: RangeInclusive<u32>,
        cancel: &Cancel,
    ) -> Result<Option<Vec<BlamedLine>>, GitError> {
        let inside = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !inside || path.as_os_str().is_empty() {
            return Err(GitError::BadPath { path: path.display().to_string() });
        }
        let (first, last) = (*lines.start(), *lines.end());
        let no_line = |line| GitError::NoSuchLine { path: path.display().to_string(), line };
        if first == 0 || last < first {
            return Err(no_line(first));
        }
        let range = format!("-L{first},{last}");
        let mut arguments: Vec<&OsStr> =
            ["blame", "--incremental", "--root", &range, "--"].map(OsStr::new).to_vec();
        arguments.push(path.as_os_str());
        let Some(answer) = self.0.answer(root, &arguments, cancel)? else { return Ok(None) };
        if answer.code == Some(0) {
            let borders = self.shallow_borders(root, cancel)?;
            return Ok(Some(read(&String::from_utf8_lossy(&answer.bytes), &borders)));
        }
        let said = |words: &[&str]| words.iter().any(|words| answer.said.contains(words));
        if said(&["has only"]) {
            return Err(no_line(first));
        }
        // Not committed, not there, or no commit yet.
        if said(&[
            "no such path",
            "cannot stat path",
            "Cannot lstat",
            "no such ref: HEAD",
            "bad revision 'HEAD'",
        ]) {
            return Ok(None);
        }
        Ok(answer.failed("blame")?)
    }
}

/// Groups of lines come in the order in which git finds them. What is known of a commit comes with its first group.
fn read(text: &str, borders: &[String]) -> Vec<BlamedLine> {
    let mut writers: HashMap<String, Writer> = HashMap::new();
    let mut groups: Vec<(RangeInclusive<u32>, String)> = Vec::new();
    let mut current: Option<String> = None;
    for line in text.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let Some(commit) = &current else {
            let mut numbers = rest.split(' ').map(|number| number.parse::<u32>().ok());
            if let (Some(Some(_)), Some(Some(first)), Some(Some(count @ 1..))) =
                (numbers.next(), numbers.next(), numbers.next())
            {
                groups.push((first..=first.saturating_add(count - 1), word.to_owned()));
                writers.entry(word.to_owned()).or_insert_with(|| Writer {
                    commit: word.to_owned(),
                    border: borders.iter().any(|border| border == word),
                    ..Writer::default()
                });
                current = Some(word.to_owned());
            }
            continue;
        };
        let Some(writer) = writers.get_mut(commit) else { continue };
        match word {
            "author" => writer.author = rest.to_owned(),
            "author-mail" => writer.email = rest.trim_matches(['<', '>']).to_owned(),
            "author-time" => writer.time = rest.parse().unwrap_or_default(),
            // The last line of a group.
            "filename" => current = None,
            _ => {}
        }
    }
    let uncommitted = |commit: &str| commit.bytes().all(|byte| byte == b'0');
    let writers: HashMap<String, Arc<Writer>> =
        writers.into_iter().map(|(commit, writer)| (commit, Arc::new(writer))).collect();
    groups.sort_by_key(|(lines, _)| *lines.start());
    let mut blamed: Vec<BlamedLine> = Vec::new();
    for (lines, commit) in groups {
        let by = if uncommitted(&commit) { None } else { writers.get(&commit).cloned() };
        match blamed.last_mut() {
            Some(last) if last.by == by && *last.lines.end() + 1 == *lines.start() => {
                last.lines = *last.lines.start()..=*lines.end();
            }
            _ => blamed.push(BlamedLine { lines, by }),
        }
    }
    blamed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_blame_is_passed_over() {
        assert_eq!(read("", &[]), []);
        assert_eq!(read("abc\nabc 1\nabc 1 x 1\nabc 1 1 0\n", &[]), []);
        let most = u32::MAX;
        let text = format!("abc 1 {most} {most}\nauthor A\nfilename x\n");
        assert_eq!(read(&text, &[])[0].lines, most..=most);
    }
}

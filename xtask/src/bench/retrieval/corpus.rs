//! The trees that are searched: what the packages hold, without the documentation of their functions.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use orienteer_base::Language;

use super::documentation::{self, Documented, LANGUAGES};
use super::packages::{Package, Set};
use super::tree::Tree;

/// Larger files are data.
const MOST_BYTES: u64 = 1 << 20;

/// One file of a tree.
#[derive(Debug)]
pub(super) struct File {
    /// From the root of the tree; the first folder is the package.
    pub(super) path: String,
    /// Where functions are taken from it.
    pub(super) language: Option<&'static Language>,
    pub(super) text: String,
    /// What was taken out of it.
    pub(super) documented: Vec<Documented>,
}

/// One tree on disk and in memory.
#[derive(Debug)]
pub(super) struct Corpus {
    pub(super) set: Set,
    pub(super) root: PathBuf,
    pub(super) files: Vec<File>,
    /// Of all paths and texts: whether answers of another day are answers about this tree.
    pub(super) digest: String,
}

impl Corpus {
    pub(super) fn make(set: Set, packages: &[Package], unpacked: &[PathBuf]) -> anyhow::Result<Self> {
        let mut files = Vec::new();
        for (package, folder) in packages.iter().zip(unpacked).filter(|(package, _)| package.set == Some(set))
        {
            let mut paths = Vec::new();
            for part in &package.take {
                list(&folder.join(part), &mut paths)?;
            }
            for path in paths {
                let inside =
                    path.strip_prefix(folder)?.to_str().context("a path is not text")?.replace('\\', "/");
                if let Some(file) = read(&path, format!("{}/{inside}", package.folder()))? {
                    files.push(file);
                }
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let digest = files
            .iter()
            .fold(hash(&[set.id()]), |all, file| hash(&[&all.to_string(), &file.path, &file.text]));
        let corpus =
            Self { set, root: super::trees()?.join(set.id()), files, digest: format!("{digest:016x}") };
        corpus.write()?;
        Ok(corpus)
    }

    pub(super) fn bytes(&self) -> usize {
        self.files.iter().map(|file| file.text.len()).sum()
    }

    fn write(&self) -> anyhow::Result<()> {
        let made = self.root.with_extension("made");
        if fs::read_to_string(&made).ok().as_deref() == Some(self.digest.as_str()) {
            return Ok(());
        }
        fs::remove_file(&made).ok();
        if self.root.exists() {
            fs::remove_dir_all(&self.root)?;
        }
        for file in &self.files {
            let path = self.root.join(&file.path);
            fs::create_dir_all(path.parent().context("a file without a folder")?)?;
            fs::write(path, &file.text)?;
        }
        fs::write(made, &self.digest)?;
        Ok(())
    }
}

fn read(path: &Path, name: String) -> anyhow::Result<Option<File>> {
    if fs::metadata(path)?.len() > MOST_BYTES {
        return Ok(None);
    }
    // What is not text is nothing to search in.
    let Ok(original) = String::from_utf8(fs::read(path)?) else { return Ok(None) };
    let language = Language::by_path(path).filter(|language| LANGUAGES.contains(&language.id));
    let Some(known) = language else {
        return Ok(Some(File { path: name, language, text: original, documented: Vec::new() }));
    };
    let documented = documentation::find(&original, known).with_context(|| name.clone())?;
    let text = documentation::without(&original, &documented);
    ensure!(text.lines().count() == original.lines().count(), "{name} lost lines with its documentation");
    let is_broken = |text: &str| Ok::<_, anyhow::Error>(Tree::of(text, known)?.has_errors);
    ensure!(
        !is_broken(&text)? || is_broken(&original)?,
        "{name} is no {} without its documentation",
        known.name
    );
    Ok(Some(File { path: name, language, text, documented }))
}

fn list(path: &Path, all: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            list(&entry?.path(), all)?;
        }
    } else {
        all.push(path.to_owned());
    }
    Ok(())
}

/// FNV-1a with a last stir: the same everywhere and for ever, which is all that is asked of it.
pub(super) fn hash(parts: &[&str]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for part in parts {
        for byte in part.bytes().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash ^ (hash >> 27)
}

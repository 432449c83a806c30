//! The limit of building: how long do the grammars alone need for the same files?

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use orienteer_base::{Cancel, Language};
use orienteer_syntax::{Arena, Limits, grammar, parse_in};
use tree_sitter::Parser;

const THREADS: usize = 2;
/// Larger files are not parsed for the index either.
const LARGEST: usize = 4 << 20;

type Text = (&'static Language, String);

/// Seconds in which two threads parse all files of a tree that have a grammar. They are read before, and nothing is done
/// with the trees.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bare {
    /// As it is done for the index; what takes too long is given up.
    pub(super) ours: f64,
    /// With the parser as it is published, one for each thread.
    pub(super) published: f64,
}

pub(super) fn measure(tree: &Path) -> anyhow::Result<Bare> {
    let texts = texts(tree)?;
    let limits = Limits { max_bytes: LARGEST, ..Limits::default() };
    let cancel = Cancel::new();
    let ours = seconds(&texts, Arena::default, |arena, (language, text)| {
        drop(parse_in(arena, text, language, &limits, &cancel));
    });
    let published = seconds(&texts, Parser::new, |parser, (language, text)| {
        if let Some(grammar) = grammar(language)
            && parser.set_language(&grammar).is_ok()
        {
            drop(parser.parse(text, None));
        }
    });
    Ok(Bare { ours, published })
}

/// Every thread does it with something of its own.
fn seconds<T>(texts: &[Text], own: impl Fn() -> T + Sync, parse: impl Fn(&mut T, &Text) + Sync) -> f64 {
    let next = AtomicUsize::new(0);
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let mut own = own();
                while let Some(text) = texts.get(next.fetch_add(1, Ordering::Relaxed)) {
                    parse(&mut own, text);
                }
            });
        }
    });
    begun.elapsed().as_secs_f64()
}

fn texts(tree: &Path) -> anyhow::Result<Vec<Text>> {
    let mut texts = Vec::new();
    let mut folders = vec![tree.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)?.flatten() {
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file()
                && let Some(language) = Language::by_path(&path)
                && let Ok(text) = fs::read_to_string(&path)
                && text.len() <= LARGEST
            {
                texts.push((language, text));
            }
        }
    }
    Ok(texts)
}

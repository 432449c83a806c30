//! The limit of building: how long do the grammars alone need for the same files?

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use orienteer_base::{Cancel, Language};
use orienteer_syntax::{Arena, Limits, parse_in};

const THREADS: usize = 2;
/// Larger files are not parsed for the index either.
const LARGEST: usize = 4 << 20;

/// Seconds in which two threads parse all files of a tree that have a grammar. They are read before, nothing is done with
/// the trees, and what takes too long is given up, as for the index.
pub(super) fn seconds(tree: &Path) -> anyhow::Result<f64> {
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
            {
                texts.push((language, text));
            }
        }
    }
    let limits = Limits { max_bytes: LARGEST, ..Limits::default() };
    let (next, cancel) = (AtomicUsize::new(0), Cancel::new());
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let mut arena = Arena::default();
                while let Some((language, text)) = texts.get(next.fetch_add(1, Ordering::Relaxed)) {
                    drop(parse_in(&mut arena, text, language, &limits, &cancel));
                }
            });
        }
    });
    Ok(begun.elapsed().as_secs_f64())
}

//! One text search, timed from outside: `bench_text FOLDER PATTERN [smart] [word] [fixed] [counts] [context=N]
//! [cancel=MILLISECONDS]`; the last tells how long a call goes on after it was cancelled.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use orienteer_base::question::{After, Case, Detail, FileOrder, Selection, TextQuery};
use orienteer_base::{Cancel, Conceal, Roots};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, pattern, flags @ ..] = arguments.as_slice() else {
        return Err("usage: bench_text FOLDER PATTERN [FLAG…]".into());
    };
    let flag = |name: &str| flags.iter().any(|flag| flag == name);
    let context = flags.iter().find_map(|flag| flag.strip_prefix("context="));
    let path = Path::new(folder);
    let roots = Roots::new(if path.is_dir() { path } else { path.parent().ok_or("no folder")? }, &[])?;
    let query = TextQuery {
        pattern: pattern.clone(),
        scope: roots.resolve(folder)?,
        fixed_string: flag("fixed"),
        case: if flag("smart") { Case::Smart } else { Case::Sensitive },
        whole_word: flag("word"),
        multiline: flag("multiline"),
        selection: Selection::default(),
        detail: match () {
            () if flag("counts") => Detail::Counts,
            () if flag("files") => Detail::FilesOnly,
            () => Detail::Matches,
        },
        context_lines: context.map_or(Ok(0), str::parse)?,
        matches_per_file: 50,
        files_per_page: 100,
        order: FileOrder::Path,
        after: After::default(),
        conceal: Conceal::default(),
    };
    let cancel = Cancel::new();
    if let Some(delay) = flags.iter().find_map(|flag| flag.strip_prefix("cancel=")) {
        let (flag, delay) = (cancel.clone(), Duration::from_millis(delay.parse()?));
        let canceller = std::thread::spawn(move || {
            std::thread::sleep(delay);
            flag.cancel();
            Instant::now()
        });
        let result = orienteer_search::search_text(&roots, &query, &cancel).map(|answer| answer.value.stats);
        let ended = Instant::now();
        let at = canceller.join().map_err(|_| "the canceller failed")?;
        println!("{:?} after being cancelled: {result:?}", ended.saturating_duration_since(at));
        return Ok(());
    }
    let answer = orienteer_search::search_text(&roots, &query, &cancel)?;
    println!("{:?} remaining {}", answer.value.stats, answer.value.remaining);
    Ok(())
}

//! Facts about trigram files and plans, on files and expressions that are made for them.

mod damage;
mod expressions;
mod files;
mod scan;

use std::path::PathBuf;

use orienteer_base::Cancel;

use super::{Builder, Candidates, Plan, Summary, TrigramError, Trigrams};

/// A trigram file of some texts, numbered by their places.
struct Sample {
    _folder: tempfile::TempDir,
    path: PathBuf,
    summary: Summary,
}

impl Sample {
    fn new(texts: &[&[u8]]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let builder = Builder::new(folder.path());
        let mut collector = builder.collector();
        for (id, text) in (0..).zip(texts) {
            collector.add(id, text).unwrap();
        }
        collector.finish().unwrap();
        let path = folder.path().join("trigrams-1.bin");
        let summary = builder.finish(&path, &Cancel::new()).unwrap();
        Self { _folder: folder, path, summary }
    }

    fn open(&self) -> Trigrams {
        Trigrams::open(&self.path).unwrap()
    }
}

/// The numbers of the candidates; all of them where nothing can be said.
fn candidates(trigrams: &Trigrams, plan: &Plan) -> Result<Vec<u32>, TrigramError> {
    let places = match trigrams.candidates(plan, &Cancel::new())? {
        Candidates::Everything => (0..trigrams.len() as u32).collect(),
        Candidates::Files(places) => places,
    };
    Ok(places.into_iter().map(|place| trigrams.file(place).unwrap().id).collect())
}

fn found(trigrams: &Trigrams, pattern: &str) -> Vec<u32> {
    candidates(trigrams, &Plan::of_pattern(pattern, false, false, false)).unwrap()
}

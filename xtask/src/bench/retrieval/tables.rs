//! The figures as tables, and where ours is not ahead.

use super::corpus::Corpus;
use super::judge::{Figures, Rank, figures};
use super::make::SEED;
use super::packages::{Package, Set};
use super::queries::{Class, Query};
use crate::bench::report::Report;

/// With this much both are as good as right; nobody has to be ahead of perfect.
const PERFECT: f64 = 0.99;

/// One system and where it had the answers.
pub(super) struct System {
    pub(super) name: &'static str,
    pub(super) ranks: Vec<Rank>,
    /// It answers places, not only files.
    pub(super) functions: bool,
    /// Ours has to be ahead of it.
    pub(super) rival: bool,
}

/// All that was measured on one tree.
pub(super) struct Measured {
    pub(super) corpus: Corpus,
    pub(super) queries: Vec<Query>,
    /// Ours first, where it was asked.
    pub(super) systems: Vec<System>,
    pub(super) ours: bool,
    /// How ours was while it was asked.
    pub(super) times: Option<String>,
}

impl Measured {
    fn figures(&self, system: &System, class: Class) -> (Figures, Figures) {
        let of = |rank: fn(&Rank) -> Option<usize>| {
            let all = self.queries.iter().zip(&system.ranks).filter(|(query, _)| query.class == class);
            figures(all.map(move |(_, found)| rank(found)))
        };
        (of(|rank| rank.function), of(|rank| rank.file))
    }

    fn count(&self, class: Class) -> usize {
        self.queries.iter().filter(|query| query.class == class).count()
    }
}

pub(super) fn write(all: &[Measured], packages: &[Package], report: &mut Report) {
    for measured in all {
        let set = measured.corpus.set;
        let mut rows = Vec::new();
        for class in Class::ALL {
            for system in &measured.systems {
                let (functions, files) = measured.figures(system, class);
                let functions =
                    if system.functions { row(&functions) } else { "– | – | – | – | –".to_owned() };
                rows.push(format!(
                    "| {} ({}) | {} | {functions} | {} |",
                    class.id(),
                    measured.count(class),
                    system.name,
                    row(&files)
                ));
            }
        }
        let title = match set {
            Set::Tuning => "Retrieval: packages that the ranking was made with",
            Set::HeldOut => "Retrieval: packages that nobody looked at",
        };
        report.section(
            title,
            &how(measured, packages),
            "| questions | system | function: MRR | R@1 | R@5 | R@10 | nDCG@10 | file: MRR | R@1 | R@5 | R@10 | nDCG@10 |\n\
             | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
            &rows,
        );
        if measured.ours && set == Set::HeldOut {
            behind(measured, report);
        }
    }
}

fn row(figures: &Figures) -> String {
    let [one, five, ten] = figures.recall;
    format!("**{:.3}** | {one:.3} | {five:.3} | {ten:.3} | {:.3}", figures.mrr, figures.ndcg)
}

fn named(figures: &Figures) -> [(&'static str, f64); 5] {
    let [one, five, ten] = figures.recall;
    [("MRR", figures.mrr), ("R@1", one), ("R@5", five), ("R@10", ten), ("nDCG@10", figures.ndcg)]
}

/// Every class and figure in which ours is not ahead of a rival.
fn behind(measured: &Measured, report: &mut Report) {
    let Some((ours, others)) = measured.systems.split_first() else { return };
    for class in Class::ALL {
        let (functions, files) = measured.figures(ours, class);
        for rival in others.iter().filter(|other| other.rival) {
            let (their_functions, their_files) = measured.figures(rival, class);
            let mut compare = |what: &str, ours: &Figures, theirs: &Figures| {
                for ((name, ours), (_, theirs)) in named(ours).into_iter().zip(named(theirs)) {
                    if ours <= theirs && ours < PERFECT {
                        report.miss(format!(
                            "retrieval, {} questions, {what}: {name} {ours:.3}, {} has {theirs:.3}",
                            class.id(),
                            rival.name
                        ));
                    }
                }
            };
            if rival.functions {
                compare("functions", &functions, &their_functions);
            }
            compare("files", &files, &their_files);
        }
    }
}

fn how(measured: &Measured, packages: &[Package]) -> String {
    let corpus = &measured.corpus;
    let names: Vec<String> = packages
        .iter()
        .filter(|package| package.set == Some(corpus.set))
        .map(|package| format!("{} {}", package.name, package.version))
        .collect();
    let tree = format!(
        "{} in one tree: {} files, {:.1} MB.",
        names.join(", "),
        corpus.files.len(),
        corpus.bytes() as f64 / 1e6
    );
    let times = measured.times.as_deref().map(|times| format!(" {times}")).unwrap_or_default();
    match corpus.set {
        Set::HeldOut => format!(
            "{tree} The questions were made by rules from a seed ({SEED}) before any ranking was written, and are \
             committed in `xtask/data/retrieval`. The documentation of every function is taken out of the tree \
             (lines keep their numbers). doc: its first sentence, unless it is repeated elsewhere ({}). identifier: \
             a unique name, or a qualified one. acronym: the initials of four and more words, or every word cut \
             after three letters. substring: a stretch out of the middle that cuts through a word. path: a folder, \
             a file and a name that other files have too. error: a message of the source with values for its \
             placeholders. A function is right when the result is in the same file, covers the line of the name and is \
             not much longer than the definition, or is a part of it, and has its name where the system gives names; \
             a file is right when it is the same. Lists are read to the tenth; a function's list gives its files in the order of \
             their first results, of {} results. One standard error of the MRR is at most {:.2} for doc and {:.2} \
             for the others. ripgrep: all words but idle ones, without case; definitions (by our outlines) with the \
             most different words, then the most matches, then the shortest; a word in the path counts. FTS5 on \
             files: `unicode61`, a column for the path and one for the text, words joined by OR, `bm25()`; on \
             definitions: the same with one row for each definition, which is no longer plain and shown for \
             comparison only. probe: `probe search --no-merge`, sorted by its scores, for \
             words and, in its other way, for the question as it stands (`--exact`); it was asked once, its ranks are \
             committed and some of them asked again in this run, since it reads the whole tree for each question.{times}",
            given_away(measured),
            super::RESULTS,
            0.5 / (measured.count(Class::Doc) as f64).sqrt(),
            0.5 / (measured.count(Class::Error) as f64).sqrt(),
        ),
        Set::Tuning => format!("{tree} Made in the same way ({}).{times}", given_away(measured)),
    }
}

/// How many sentences say the name.
fn given_away(measured: &Measured) -> String {
    let docs: Vec<&Query> = measured.queries.iter().filter(|query| query.class == Class::Doc).collect();
    let share = |count: usize| 100.0 * count as f64 / docs.len().max(1) as f64;
    let whole = docs.iter().filter(|query| says_name(query)).count();
    let parts = docs.iter().filter(|query| says_words(query)).count();
    format!("{:.0} % say the name itself, {:.0} % all of its words", share(whole), share(parts))
}

fn says_name(query: &Query) -> bool {
    let name = query.name.trim_matches('_');
    query
        .text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|word| word.trim_matches('_').eq_ignore_ascii_case(name))
}

/// `Opens a connection` says all the words of `open_connection`.
fn says_words(query: &Query) -> bool {
    let said: Vec<String> = super::sentence::words(&query.text).collect();
    super::make::pieces(&query.name).iter().all(|piece| {
        let piece = piece.to_lowercase();
        said.iter().any(|word| word.starts_with(&piece))
    })
}

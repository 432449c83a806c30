//! Is a result the right one, and how good is a list of them?

use super::queries::Query;

/// Lists are read to here.
pub(super) const DEPTH: usize = 10;

/// A result may be this much longer than the definition it stands for: twice it and some lines around.
const MOST_LINES_AROUND: usize = 10;

/// One result of a system that answers places in files.
#[derive(Debug, Clone)]
pub(super) struct Hit {
    /// From the root of the tree.
    pub(super) file: String,
    /// Where the system says what it found.
    pub(super) name: Option<String>,
    /// First and last line, from 1.
    pub(super) lines: (usize, usize),
}

/// What a system answered, best first.
#[derive(Debug, Clone, Default)]
pub(super) struct Answer {
    /// Empty where the system answers files only.
    pub(super) hits: Vec<Hit>,
    /// Each once.
    pub(super) files: Vec<String>,
}

impl Answer {
    /// The files of results, in the order in which they appear.
    pub(super) fn of_hits(hits: Vec<Hit>) -> Self {
        let mut files: Vec<String> = Vec::new();
        for hit in &hits {
            if !files.contains(&hit.file) {
                files.push(hit.file.clone());
            }
        }
        Self { hits, files }
    }
}

/// Where the right result stood, from 1; `None` is not among the first ten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Rank {
    pub(super) function: Option<usize>,
    pub(super) file: Option<usize>,
}

pub(super) fn rank(query: &Query, answer: &Answer) -> Rank {
    let first = |found: Option<usize>| found.map(|at| at + 1).filter(|at| *at <= DEPTH);
    Rank {
        function: first(answer.hits.iter().position(|hit| is_right(query, hit))),
        file: first(answer.files.iter().position(|file| *file == query.file)),
    }
}

/// It names the function: the same file, and either the line of the name is inside and it is not a whole class or
/// file that happens to hold the line, or it is a part of the function. Where a system gives names, the name too.
fn is_right(query: &Query, hit: &Hit) -> bool {
    let (first, last) = hit.lines;
    let (from, to) = query.lines;
    let around = (first..=last).contains(&query.line) && last - first <= 2 * (to - from) + MOST_LINES_AROUND;
    let inside = from <= first && last <= to;
    hit.file == query.file && (around || inside) && hit.name.as_ref().is_none_or(|name| *name == query.name)
}

/// What is told about the ranks of many questions.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Figures {
    /// Mean reciprocal rank, 0 beyond the tenth.
    pub(super) mrr: f64,
    /// Shares of questions whose answer is among the first 1, 5, 10.
    pub(super) recall: [f64; 3],
    /// With one right answer: 1 / log2(rank + 1).
    pub(super) ndcg: f64,
}

pub(super) fn figures(ranks: impl Iterator<Item = Option<usize>>) -> Figures {
    let mut all = Figures::default();
    let mut count = 0.0_f64;
    for rank in ranks {
        count += 1.0;
        let Some(rank) = rank else { continue };
        all.mrr += 1.0 / rank as f64;
        all.ndcg += 1.0 / ((rank + 1) as f64).log2();
        for (share, within) in all.recall.iter_mut().zip([1, 5, 10]) {
            *share += if rank <= within { 1.0 } else { 0.0 };
        }
    }
    let count = count.max(1.0);
    Figures { mrr: all.mrr / count, recall: all.recall.map(|share| share / count), ndcg: all.ndcg / count }
}

#[cfg(test)]
mod tests {
    use super::super::queries::Class;
    use super::*;

    fn query() -> Query {
        Query {
            class: Class::Doc,
            text: "x".to_owned(),
            file: "a.rs".to_owned(),
            name: "open".to_owned(),
            line: 20,
            lines: (19, 23),
        }
    }

    fn hit(file: &str, name: Option<&str>, lines: (usize, usize)) -> Hit {
        Hit { file: file.to_owned(), name: name.map(str::to_owned), lines }
    }

    #[test]
    fn only_the_function_itself_is_right() {
        assert!(is_right(&query(), &hit("a.rs", None, (18, 25))));
        assert!(is_right(&query(), &hit("a.rs", Some("open"), (20, 24))));
        assert!(!is_right(&query(), &hit("a.rs", Some("Door"), (18, 25))), "another name");
        assert!(!is_right(&query(), &hit("b.rs", None, (18, 25))), "another file");
        assert!(is_right(&query(), &hit("a.rs", None, (21, 22))), "a part of it");
        assert!(!is_right(&query(), &hit("a.rs", None, (21, 25))), "another place");
        assert!(!is_right(&query(), &hit("a.rs", None, (1, 400))), "the whole file");
    }

    #[test]
    fn ranks_of_files_pass_over_repetitions() {
        let answer = Answer::of_hits(vec![
            hit("b.rs", None, (1, 2)),
            hit("b.rs", None, (5, 9)),
            hit("a.rs", None, (1, 2)),
            hit("a.rs", None, (19, 24)),
        ]);
        assert_eq!(rank(&query(), &answer), Rank { function: Some(4), file: Some(2) });
    }

    #[test]
    fn figures_are_means() {
        let figures = figures([Some(1), Some(3), None, Some(10)].into_iter());
        assert!((figures.mrr - (1.0 + 1.0 / 3.0 + 0.1) / 4.0).abs() < 1e-9);
        assert_eq!(figures.recall, [0.25, 0.5, 0.75]);
        assert!((figures.ndcg - (1.0 + 0.5 + 1.0 / 11f64.log2()) / 4.0).abs() < 1e-9);
    }
}

//! What can be said without an index?
//!
//! While it is being built, the words are looked for as text. That finds the same places in a worse order, and the answer
//! says so. A question that text cannot answer, or to which it finds nothing, is not answered: nobody could tell an empty
//! list from the truth.

use orienteer_base::answer::Warning;
use orienteer_base::listing::{FileMatches, Match};
use orienteer_base::question::{After, Case, Detail, FileOrder, Selection, TextQuery};
use orienteer_base::search::{HitLine, SearchHit, SearchHits, SearchMode};
use orienteer_base::{
    Answer, Cancel, Completeness, Conceal, ErrorKind, Language, Position, Problem, Reason, Roots, Source,
};
use orienteer_index::query::{Need, Query};

use super::hits::word_at;
use super::search::SearchQuery;
use crate::Session;
use crate::blocking::blocking;
use crate::scenery::unknown_id;

/// Files and lines that are looked at.
const MOST_FILES: usize = 400;
const MOST_LINES: usize = 40;
/// Words that are looked for.
const MOST_WORDS: usize = 24;

impl Session {
    /// The words as text, when the index cannot answer for this reason; the reason itself where words alone would answer
    /// another question.
    pub(super) async fn search_text_instead(
        &self,
        query: &Query,
        asked: &SearchQuery,
        problem: Problem,
        cancel: &Cancel,
    ) -> Result<Answer<SearchHits>, Problem> {
        let helps = !matches!(problem.kind, ErrorKind::Cancelled | ErrorKind::InvalidParams);
        let Some(needles) = Needles::of(query).filter(|_| helps && everywhere(&asked.modes)) else {
            return Err(problem);
        };
        let (roots, conceal) = (self.roots().clone(), self.engine().conceal.clone());
        let (flag, window) = (cancel.clone(), asked.window);
        let (mut hits, more, warnings) =
            blocking(cancel, move || look(&roots, &needles, conceal, &flag)).await?;
        if hits.is_empty() {
            return Err(problem);
        }
        let total = hits.len();
        hits = hits.into_iter().skip(window.skip).take(window.limit).collect();
        let completeness =
            Completeness::Partial { reason: Reason::NotIndexed, retry_after_ms: problem.retry_after_ms };
        let value = SearchHits { hits, total, more, ranking: "words" };
        let mut answer = Answer::new(value, completeness, Source::Text);
        let kind = problem.detail.unwrap_or("not_indexed");
        let message = format!(
            "{}; the words were looked for as text instead: not everything, and not in order of relevance",
            problem.message
        );
        answer.warnings.push(Warning::new(kind, message));
        answer.warnings.extend(query.warnings.iter().map(|said| Warning::new("query", said.clone())));
        answer.warnings.extend(warnings);
        Ok(answer)
    }
}

/// Text knows nothing of modes: it answers who wants all, or the usual ones.
fn everywhere(modes: &[SearchMode]) -> bool {
    let usual = [SearchMode::Code, SearchMode::Prose, SearchMode::Comments];
    modes.is_empty() || usual.iter().all(|mode| modes.contains(mode))
}

/// What is looked for.
#[derive(Debug)]
struct Needles {
    /// In lower case.
    words: Vec<String>,
    pattern: String,
    case: Case,
}

impl Needles {
    /// What a search for text answers with the same places: words of which any will do, or one thing that must stand
    /// there. `None` for everything else.
    fn of(query: &Query) -> Option<Self> {
        let needs = query.terms.iter().map(|term| term.need);
        let needs = needs.chain(query.phrases.iter().map(|phrase| phrase.need));
        let needs: Vec<Need> = needs.chain(query.expressions.iter().map(|one| one.need)).collect();
        let soft = needs.iter().all(|need| *need == Need::Should);
        let one = matches!(needs.as_slice(), [Need::Must]);
        if needs.is_empty() || !(soft || one) || !query.filters.is_empty() || query.filters.case {
            return None;
        }
        if let [expression] = query.expressions.as_slice() {
            // Its flags stand inside.
            return Some(Self {
                words: Vec::new(),
                pattern: expression.pattern.clone(),
                case: Case::Sensitive,
            });
        }
        let mut words: Vec<String> = Vec::new();
        let telling = query.terms.iter().any(|term| !term.common);
        for term in query.terms.iter().filter(|term| !(telling && term.common)) {
            words.extend(term.wholes.iter().cloned());
        }
        words.extend(query.phrases.iter().map(|phrase| phrase.text.to_lowercase()));
        words.retain(|word| !word.trim().is_empty());
        words.dedup();
        words.truncate(MOST_WORDS);
        let parts: Vec<String> = words.iter().map(|word| escape(word)).collect();
        let pattern = parts.join("|");
        (!pattern.is_empty()).then_some(Self { pattern, words, case: Case::Insensitive })
    }

    /// How many of the words stand in a text.
    fn count(&self, text: &str) -> usize {
        let text = text.to_lowercase();
        self.words.iter().filter(|word| text.contains(word.as_str())).count()
    }
}

fn escape(text: &str) -> String {
    text.chars()
        .flat_map(|c| if c.is_alphanumeric() || c == '_' || c == ' ' { vec![c] } else { vec!['\\', c] })
        .collect()
}

/// Hits, best first, whether there are more files with any, and what to say about it.
fn look(
    roots: &Roots,
    needles: &Needles,
    conceal: Conceal,
    cancel: &Cancel,
) -> Result<(Vec<SearchHit>, bool, Vec<Warning>), Problem> {
    let query = TextQuery {
        pattern: needles.pattern.clone(),
        scope: roots.workspace_path(),
        fixed_string: false,
        case: needles.case,
        whole_word: false,
        multiline: false,
        selection: Selection::default(),
        detail: Detail::Matches,
        context_lines: 0,
        matches_per_file: MOST_LINES,
        files_per_page: MOST_FILES,
        order: FileOrder::Path,
        after: After::default(),
        conceal,
    };
    let answer = orienteer_search::search_text(roots, &query, cancel)?;
    let found = answer.value;
    let mut hits: Vec<SearchHit> = found.files.iter().filter_map(|file| hit(file, needles)).collect();
    hits.sort_by(|one, other| {
        other.score.total_cmp(&one.score).then_with(|| one.file_path.cmp(&other.file_path))
    });
    Ok((hits, found.remaining > 0, answer.warnings))
}

/// The best line of a file. More words of the query in the file count most, then more of them on the line.
fn hit(file: &FileMatches, needles: &Needles) -> Option<SearchHit> {
    let best =
        file.matches.iter().max_by_key(|found| (needles.count(&found.content), u64::MAX - found.line))?;
    let all: Vec<&str> = file.matches.iter().map(|found| found.content.as_str()).collect();
    #[allow(clippy::cast_precision_loss, reason = "a few words")]
    let part = |count: usize| count as f64 / needles.words.len().max(1) as f64;
    let score = part(needles.count(&all.join("\n"))) + part(needles.count(&best.content)) / 10.0;
    let Match { line, column, content, .. } = best;
    let number = u32::try_from(*line).unwrap_or(u32::MAX);
    let column = u32::try_from(*column).unwrap_or(1).max(1);
    let at = Position::new(number.max(1), column);
    // What was cut out of a long line has other columns.
    let word = if best.shortened { String::new() } else { word_at(content, column) };
    Some(SearchHit {
        symbol_id: unknown_id(&file.file_path, &word, at),
        mode: mode_of(&file.file_path),
        kind: "text",
        name: None,
        name_path: None,
        line: number,
        end_line: u32::try_from(best.end_line).unwrap_or(number),
        language: Language::by_path(file.file_path.as_ref()).map(|language| language.id),
        signature: None,
        doc: None,
        snippet: vec![HitLine { number, text: content.clone(), matched: true }],
        score,
        why: Vec::new(),
        stale: false,
        blame: None,
        source: Source::Text,
        file_path: file.file_path.clone(),
    })
}

/// What a file is for, as far as its name tells.
fn mode_of(path: &str) -> SearchMode {
    match Language::by_path(path.as_ref()) {
        Some(language) if language.id == "markdown" => SearchMode::Prose,
        Some(language) if language.is_data() => SearchMode::Config,
        Some(_) => SearchMode::Code,
        None => SearchMode::Prose,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needles(query: &str) -> Option<Needles> {
        Needles::of(&Query::parse(query).unwrap())
    }

    #[test]
    fn common_words_are_not_looked_for_beside_others() {
        assert_eq!(needles("where is the parseConfig").unwrap().words, ["parseconfig"]);
    }

    #[test]
    fn one_thing_that_must_be_there_is_looked_for_as_it_was_written() {
        assert_eq!(needles("\"a.b (c)\"").unwrap().pattern, r"a\.b \(c\)");
        let expression = needles("/X+y/").unwrap();
        assert_eq!((expression.pattern.as_str(), expression.case), ("X+y", Case::Sensitive));
        assert_eq!(needles("/X+y/i").unwrap().pattern, "(?i)X+y");
        assert_eq!(needles("+needle").unwrap().words, ["needle"]);
    }

    #[test]
    fn what_text_would_answer_differently_is_not_asked_of_it() {
        for query in [
            "parse -test",
            "parse -\"x y\"",
            "parse -/x/",
            "+one +two",
            "+one two",
            "/x/ word",
            "word lang:rust",
            "Word case:true",
        ] {
            assert!(needles(query).is_none(), "{query}");
        }
    }

    #[test]
    fn text_answers_for_the_usual_modes_and_no_fewer() {
        use SearchMode::{Code, Comments, Config, Prose, Records};
        assert!(everywhere(&[]) && everywhere(&[Code, Config, Prose, Comments]));
        assert!(!everywhere(&[Code]) && !everywhere(&[Prose, Comments]) && !everywhere(&[Records]));
    }
}

//! What answers the question best?
//!
//! Every source gives candidates (words, names, exact text, meaning), and one ranking over all of them is the answer.
//!
//! | module | question it answers |
//! | --- | --- |
//! | `find/means` | What may be used to answer, and what does a file say now? |
//! | `find/narrow`, `find/conditions` | Which part of the index may answer at all? |
//! | `find/words`, `find/forms` | Which words are looked for, in which forms, and how much does each tell? |
//! | `find/names` | Is a symbol called like something that was asked for? |
//! | `find/exact`, `find/stands`, `find/places` | Where does a text stand exactly as it was asked for? |
//! | `find/meaning` | What means something similar? |
//! | `find/list` | What passes filters, when nothing else was asked for? |
//! | `find/pool`, `find/unit` | Which places may be answers, and what is one answer? |
//! | `find/known`, `find/relocate` | What is known about the files of a question, and where is what has moved? |
//! | `find/check` | Does an answer have what it must have? |
//! | `find/glance` | What do the parts of files say that may be answers? |
//! | `find/matches`, `find/score`, `find/scales` | How good is an answer, and what is its score made of? |
//! | `find/rank` | In which order are answers told? |
//! | `find/instead` | What answers a sentence when nothing has what it quotes? |
//! | `find/innermost` | Which definition inside an answer says it? |
//! | `find/snippet`, `find/hit`, `find/blame` | How is an answer shown, and who wrote it? |
//! | `find/unchecked` | What could not be looked at? |

mod blame;
mod check;
mod conditions;
mod error;
mod exact;
mod forms;
mod glance;
mod glimpses;
mod hit;
mod innermost;
mod instead;
mod known;
mod list;
mod matches;
mod meaning;
mod means;
mod names;
mod narrow;
mod places;
mod pool;
mod rank;
mod relocate;
mod scales;
mod score;
mod shared;
mod snippet;
mod stands;
mod unchecked;
mod unit;
mod words;

use std::path::Path;

use orienteer_base::{Cancel, Language, SymbolKind};

use crate::query::{Need, Presence, Query};
use crate::store::{FileFlags, Mode, Modes, Reader, RelativePath};

pub use blame::Blame;
pub use error::FindError;
pub use means::{
    Glimpse, GlimpseOf, HistoryOf, Meaning, Means, Now, PartsOf, TextOf, Wanted, read_now, read_opened,
    read_parts, read_wanted,
};
pub use scales::Scales;
pub use unchecked::Unchecked;

use check::Checks;
use hit::Teller;
use known::Files;
use matches::Matches;
use names::Names;
use narrow::Narrowed;
use pool::Pool;
use rank::{Ranked, order};
use score::{Judge, Score};
use stands::Within;
use unit::Unit;
use words::{Pieces, Words};

/// Blocks that are looked at for one page.
const MOST_BLOCKS: usize = 12;

/// A question to the index.
#[derive(Debug, Clone)]
pub struct Ask<'a> {
    pub query: &'a Query,
    pub modes: Modes,
    /// Where files are read from, for snippets and for what the index holds no text of.
    pub root: &'a Path,
    pub skip: usize,
    pub limit: usize,
    /// Say what each score is made of.
    pub explain: bool,
    /// Longer snippets, whole signatures and documentation.
    pub full: bool,
}

/// The answer.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// Best first; ties by path, then by place.
    pub hits: Vec<Hit>,
    /// How many there are in all, as far as was looked.
    pub total: usize,
    /// There may be more than were looked at.
    pub capped: bool,
    /// What the order of the hits comes from.
    pub ranking: Ranking,
    /// A filter that the tables of these languages do not fill: nothing can be said about their files.
    pub unsupported: Vec<Unsupported>,
    /// What could not be looked at, so that hits may be missing. There is a note of the same kind for each.
    pub unchecked: Vec<Unchecked>,
    /// What was understood in a way that may surprise, and what could not be used (no model, no git).
    pub notes: Vec<Note>,
}

/// What the order of an answer comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ranking {
    /// Nothing to rank by: a list in the order of paths.
    #[default]
    Path,
    Words,
    WordsAndMeaning,
}

impl Ranking {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Words => "words",
            Self::WordsAndMeaning => "words and meaning",
        }
    }
}

/// Something the asker should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// One word, for programs.
    pub kind: &'static str,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    /// The filter as the query box spells it.
    pub filter: &'static str,
    pub languages: Vec<&'static str>,
    /// Files of those languages that were passed over.
    pub files: usize,
}

/// One place that answers.
#[derive(Debug, Clone)]
pub struct Hit {
    pub mode: Mode,
    pub path: RelativePath,
    pub language: Option<&'static Language>,
    /// The symbol it belongs to; `None` for what stands between definitions.
    pub symbol: Option<HitSymbol>,
    /// 1-based, both inside: the piece, or the symbol where it was found by its name.
    pub lines: (u32, u32),
    /// 1-based, where the first match stands, or the name.
    pub line: u32,
    pub column: u32,
    pub snippet: Vec<SnippetLine>,
    pub score: f64,
    /// Parts of the score, largest first; empty unless asked for.
    pub why: Vec<(&'static str, f64)>,
    /// The file on disk is not what was indexed, and could not be read again: place and snippet may be off.
    pub stale: bool,
    /// Who wrote the newest of its lines; only with [`Means::blame`].
    pub blame: Option<Blame>,
}

#[derive(Debug, Clone)]
pub struct HitSymbol {
    pub name: String,
    pub name_path: String,
    /// Which of the symbols of its path it is, from 1.
    pub nth: u32,
    pub kind: SymbolKind,
    pub signature: String,
    pub doc: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnippetLine {
    /// 1-based.
    pub number: u32,
    pub text: String,
    pub matched: bool,
}

/// Answers a question.
pub fn find(
    reader: &Reader<'_>,
    ask: &Ask<'_>,
    means: &Means<'_>,
    cancel: &Cancel,
) -> Result<Found, FindError> {
    let mut found = Found::default();
    found
        .notes
        .extend(ask.query.warnings.iter().map(|warning| Note { kind: "query", message: warning.clone() }));
    let mut narrowed = narrow::narrow(reader, ask, means, cancel)?;
    found.notes.append(&mut narrowed.notes);
    found.unsupported = std::mem::take(&mut narrowed.unsupported);
    found.unchecked.append(&mut narrowed.unchecked);
    if narrowed.nothing {
        return Ok(found);
    }
    let question = Question::new(reader, ask, means, &narrowed, cancel)?;
    let mut files = Files::new(reader, means, ask.root, cancel);
    let mut ranked = question.ranked(&mut files, &mut found)?;
    // Where not everything could be looked at, there may be what was quoted.
    let certainly_nothing = ranked.is_empty() && !found.capped && files.unread().is_empty();
    if let Some(plain) = ask.query.by_words().filter(|_| certainly_nothing) {
        return instead::answer(plain, reader, ask, means, cancel);
    }
    found.total = ranked.len();
    let teller = Teller {
        words: &question.words,
        explain: ask.explain,
        full: ask.full,
        innermost: question.words.must.is_empty() && narrow::is_about_files(&ask.query.filters),
    };
    let page = ranked.drain(ask.skip.min(ranked.len())..).take(ask.limit);
    found.hits = page.map(|ranked| teller.tell(&files, ranked)).collect::<Result<_, _>>()?;
    unchecked::unread(&files, &mut found);
    unchecked::partly_indexed(reader, &question, &mut found)?;
    if let Some(git) = means.blame {
        blame::blame(git, ask.root, &mut found, cancel)?;
    }
    Ok(found)
}

/// A question, made ready.
struct Question<'q> {
    ask: &'q Ask<'q>,
    means: &'q Means<'q>,
    narrowed: &'q Narrowed,
    words: Words,
    names: Names,
    checks: Checks<'q>,
    cancel: &'q Cancel,
}

impl<'q> Question<'q> {
    fn new(
        reader: &Reader<'_>,
        ask: &'q Ask<'q>,
        means: &'q Means<'q>,
        narrowed: &'q Narrowed,
        cancel: &'q Cancel,
    ) -> Result<Self, FindError> {
        let words = Words::new(ask.query, reader, &narrowed.files, &means.scales)?;
        let names = Names::new(ask.query, &words, &means.scales);
        let checks = Checks::new(ask.query, narrowed)?;
        Ok(Self { ask, means, narrowed, words, names, checks, cancel })
    }

    /// Everything that answers, best first.
    fn ranked(&self, files: &mut Files<'_>, found: &mut Found) -> Result<Vec<Ranked>, FindError> {
        let wanted = self.ask.skip.saturating_add(self.ask.limit);
        let query = self.ask.query;
        let mut pool = Pool::default();
        if !query.has_words() && query.expressions.iter().all(|expression| expression.need == Need::Not) {
            found.capped = list::gather(self, files, wanted, &mut pool)?;
            return Ok(listed(pool));
        }
        found.ranking = Ranking::Words;
        if !self.checks.must.is_empty() {
            return self.exactly(files, wanted, found);
        }
        let mut lexical = self.words.lexical(0, &self.means.scales);
        lexical.modes = self.narrowed.modes;
        lexical.plan = self.narrowed.plan.clone();
        let Pieces { block, named, together } = self.words.pieces();
        let blocks = (wanted / (block / 2) + 1).min(MOST_BLOCKS);
        lexical.limit = block * blocks;
        let [candidates, named, together] =
            files.reader.candidates_and(&lexical, (words::BY_NAME, named), together, self.cancel)?;
        found.capped = candidates.len() >= lexical.limit;
        for symbol in self.names.look_up(files.reader, &self.narrowed.plan, self.cancel)? {
            pool.add_name(files, symbol.symbol)?;
        }
        if let Some(meaning) = &self.means.meaning
            && meaning::gather(
                files,
                self.narrowed,
                meaning,
                &query.text,
                &mut pool,
                &mut found.notes,
                self.cancel,
            )?
        {
            found.ranking = Ranking::WordsAndMeaning;
        }
        let mut all: Vec<Ranked> = Vec::new();
        let mut blocks = candidates.chunks(block);
        pool.add_words(files, &named)?;
        pool.add_words(files, blocks.next().unwrap_or_default())?;
        pool.add_together(files, &together)?;
        all.extend(self.block(files, pool)?);
        for block in blocks {
            let mut pool = Pool::default();
            pool.add_words(files, block)?;
            let known = |unit: &Unit| all.iter().any(|ranked: &Ranked| ranked.unit.overlaps(unit));
            let more: Vec<Ranked> =
                self.block(files, pool)?.into_iter().filter(|ranked| !known(&ranked.unit)).collect();
            all.extend(more);
        }
        Ok(all)
    }

    /// Everything that has what must stand there exactly. The words around it only rank.
    fn exactly(
        &self,
        files: &mut Files<'_>,
        wanted: usize,
        found: &mut Found,
    ) -> Result<Vec<Ranked>, FindError> {
        let mut search = exact::Search::new(self, files.reader, &mut found.notes)?;
        let mut all = Vec::new();
        while !search.has_ended() && all.len() <= wanted {
            let pool = search.block(self, files)?;
            all.extend(self.block(files, pool)?);
        }
        found.capped = search.is_partial();
        Ok(all)
    }

    /// Judges and orders what was gathered.
    fn block(&self, files: &mut Files<'_>, pool: Pool) -> Result<Vec<Ranked>, FindError> {
        let query = self.ask.query;
        let judge = Judge {
            words: &self.words,
            names: &self.names,
            scales: &self.means.scales,
            places: self.places(),
            spared: spared(query),
            mixed: self.narrowed.modes == Modes::ALL,
            exact: !self.checks.must.is_empty(),
        };
        let mut ranked = Vec::new();
        let needs_text = |unit: &Unit| !unit.checked && self.checks.needs_text();
        let mut units = pool.into_units();
        units.retain(|unit| unit.checked || self.allows(unit));
        let seen = glance::glance(self, files, &units, &needs_text)?;
        for (mut unit, seen) in units.into_iter().zip(seen) {
            self.cancel.check()?;
            if let Some(matches) = seen {
                self.judged(&judge, unit, Some(&matches), &mut ranked);
                continue;
            }
            let known = unit.known.clone();
            let needs_text = needs_text(&unit);
            let now = if needs_text { files.needed(&known) } else { files.now(&known) };
            if !unit.checked && now.as_ref().is_some_and(|now| !now.same) {
                move_to(files, &mut unit);
            }
            let matches = match &now {
                Some(now) if !needs_text || self.passes_text(files, &unit, now)? => {
                    Some(Matches::of(&now.text, &unit.looked_at(), &self.words))
                }
                Some(_) => continue,
                None if needs_text => continue,
                None => None,
            };
            self.judged(&judge, unit, matches.as_ref(), &mut ranked);
        }
        let one_file = narrow::names_a_file(&query.filters) || !self.checks.must.is_empty();
        Ok(order(ranked, one_file))
    }

    fn judged(&self, judge: &Judge<'_>, unit: Unit, matches: Option<&Matches>, ranked: &mut Vec<Ranked>) {
        // Long pieces have many words by chance; these were taken for what stands there word by word.
        if unit.together && matches.is_none_or(|matches| matches.run < words::LEAST_RUN) {
            return;
        }
        let score = judge.score(&unit, matches);
        if !self.words.case || score.covers > 0.0 || !self.checks.must.is_empty() {
            ranked.push(Ranked { unit, score });
        }
    }

    fn allows(&self, unit: &Unit) -> bool {
        self.narrowed.modes.has(unit.mode) && self.checks.passes(unit)
    }

    /// By what its file says: exact texts and words that must be there, or must not.
    fn passes_text(&self, files: &Files<'_>, unit: &Unit, now: &Now) -> Result<bool, FindError> {
        if !self.checks.must.is_empty() || !self.checks.not.is_empty() {
            let known = unit.known.clone();
            let comments = match unit.mode {
                Mode::Comments => files.comments(&known, now)?,
                _ => &[],
            };
            let within = match unit.mode {
                Mode::Comments if !comments.is_empty() => Within::Comments(comments),
                _ => Within::Anything,
            };
            let stands = files.stands(&known, now, &self.checks)?;
            if stands.is_none_or(|stands| stands.inside(&unit.extent, within).is_none()) {
                return Ok(false);
            }
        }
        Ok(self.checks.passes_words(unit, &now.text))
    }

    /// What in the question may be names of folders and files.
    fn places(&self) -> Vec<(String, f64)> {
        let terms = self.ask.query.terms.iter().enumerate().filter(|(_, term)| term.need != Need::Not);
        terms
            .map(|(at, term)| {
                let concepts = self.words.concepts.iter().filter(|concept| concept.term == at);
                let text = term.text.trim_matches(|c: char| {
                    matches!(c, '/' | ',' | ';' | ':' | '?' | '!' | '(' | ')' | '`' | '\'')
                });
                (text.trim_end_matches('.').to_lowercase(), concepts.map(|concept| concept.share).sum())
            })
            .filter(|(text, share)| !text.is_empty() && *share > 0.0)
            .map(|(text, share)| (format!("/{text}/"), share))
            .collect()
    }
}

/// A list in the order of paths and places.
fn listed(pool: Pool) -> Vec<Ranked> {
    let units = pool.into_units().into_iter();
    let mut ranked: Vec<Ranked> = units.map(|unit| Ranked { unit, score: Score::default() }).collect();
    ranked.sort_by(|one, other| {
        let place =
            |ranked: &Ranked| (ranked.unit.start(), ranked.unit.symbol.as_ref().map(|symbol| symbol.id));
        let path = |ranked: &Ranked| ranked.unit.known.file.path.clone();
        path(one).cmp(&path(other)).then_with(|| place(one).cmp(&place(other)))
    });
    ranked
}

/// Finds a definition again in a file that has changed.
fn move_to(files: &Files<'_>, unit: &mut Unit) {
    let known = unit.known.clone();
    let moved = unit.symbol.as_mut().and_then(|symbol| {
        let all = files.moved(&known);
        let same = all.iter().filter(|moved| moved.name_path == symbol.name_path);
        // The same of several, or the only one.
        let mut same: Vec<_> = same.collect();
        let at = if same.len() == 1 { 0 } else { same.iter().position(|moved| moved.nth == symbol.nth)? };
        let moved = same.swap_remove(at);
        symbol.range = moved.range.clone();
        symbol.name_range = moved.name_range.clone();
        symbol.signature = moved.signature.clone();
        Some(moved.range.clone())
    });
    match moved {
        Some(range) => unit.extent = vec![range],
        None => unit.stale = true,
    }
}

/// What is usually put last, but is asked for.
fn spared(query: &Query) -> FileFlags {
    let said = |words: &[&str]| {
        query
            .terms
            .iter()
            .filter(|term| term.need != Need::Not)
            .any(|term| term.wholes.iter().chain(&term.parts).any(|word| words.contains(&word.as_str())))
    };
    let asked = |presence: Option<Presence>| matches!(presence, Some(Presence::Include | Presence::Only));
    let filters = &query.filters;
    FileFlags::NONE
        .when(
            FileFlags::TEST,
            asked(filters.test)
                || said(&["test", "tests", "spec", "specs", "fixture", "fixtures", "mock", "mocks"]),
        )
        .when(
            FileFlags::GENERATED.with(FileFlags::MINIFIED),
            asked(filters.generated) || said(&["generated", "minified", "lock"]),
        )
        .when(FileFlags::VENDORED, asked(filters.vendored) || said(&["vendor", "vendored"]))
}

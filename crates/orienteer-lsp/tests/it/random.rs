//! The truth about files, at random: somebody does a few things to the tree, and the question comes at once.
//!
//! A run prints its seed; `ORIENTEER_FUZZ_SEED` repeats it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use orienteer_base::ask::Relation;
use orienteer_base::{Position, Range};
use orienteer_lsp::Failure;
use orienteer_testkit::fake::{Death, Rule, Script, When};
use orienteer_testkit::tree;

use crate::support::{LONG, Stage, ms, patience};

const TRIES: usize = 200;
const FOLDERS: [&str; 4] = ["", "one", "two", "two/three"];
const FILES: [&str; 5] = ["a.fake", "b.fake", "c.fake", "d é.fake", "e#1.fake"];

pub(crate) fn git(root: &Path, arguments: &[&str]) {
    let output = Command::new("git")
        .current_dir(root)
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .output()
        .expect("git starts; install it with the system's package manager");
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// xorshift64*: enough to choose by, and the same on every machine.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new() -> Self {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        let seed = std::env::var("ORIENTEER_FUZZ_SEED").ok().and_then(|text| text.parse().ok());
        let seed = seed.unwrap_or_else(|| u64::try_from(now.as_nanos() & u128::from(u64::MAX)).unwrap()) | 1;
        eprintln!("ORIENTEER_FUZZ_SEED={seed}");
        Self(seed)
    }

    /// One that others may use meanwhile.
    pub(crate) fn forked(other: &mut Self) -> Self {
        Self(other.below(1 << 30) << 20 | 1)
    }

    pub(crate) fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % most
    }

    pub(crate) fn choose<T: Clone>(&mut self, of: &[T]) -> T {
        of[usize::try_from(self.below(of.len() as u64)).unwrap()].clone()
    }
}

/// A text of nearly always the same length, so that stamps differ as little as they can.
fn text(dice: &mut Dice) -> String {
    let lines = [
        "use shared  \n",
        "def shared  \n",
        "bad luck    \n",
        "😀 use shared\n",
        "            \n",
        "def other   \n",
    ];
    (0..4).map(|_| dice.choose(&lines)).collect()
}

/// Does one thing to the tree, as some other program would. It may fail: then nothing happened.
fn act(dice: &mut Dice, root: &Path, outside: &Path) -> std::io::Result<()> {
    let folder = |dice: &mut Dice| root.join(dice.choose(&FOLDERS));
    let file = |dice: &mut Dice| folder(dice).join(dice.choose(&FILES));
    let there = |dice: &mut Dice| {
        let all = texts(root);
        let names: Vec<&PathBuf> = all.keys().collect();
        if names.is_empty() { root.join("a.fake") } else { dice.choose(&names).clone() }
    };
    match dice.below(12) {
        0..=2 => fs::write(there(dice), text(dice)),
        3 => {
            let path = file(dice);
            fs::create_dir_all(path.parent().unwrap())?;
            fs::write(path, text(dice))
        }
        4 => {
            use std::io::Write;
            let mut open = fs::File::options().append(true).open(there(dice))?;
            open.write_all(b"use shared\n")
        }
        5 => fs::remove_file(there(dice)),
        6 => fs::rename(there(dice), file(dice)),
        7 | 8 => {
            let path = there(dice);
            let time = fs::metadata(&path)?.modified()?;
            let new = outside.join("new");
            fs::write(&new, text(dice))?;
            if dice.below(2) == 0 {
                fs::File::options().write(true).open(&new)?.set_modified(time)?;
            }
            fs::rename(new, path)
        }
        9 => fs::rename(root.join("two"), root.join("one/moved"))
            .or_else(|_| fs::rename(root.join("one/moved"), root.join("two"))),
        10 => fs::remove_dir_all(root.join(dice.choose(&FOLDERS[1..]))),
        _ => {
            // Whatever is in the way is thrown away.
            git(root, &["checkout", "-qf", dice.choose(&["main", "other"])]);
            Ok(())
        }
    }
}

/// Every file of the fake language, as it is on disk now.
fn texts(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && entry.file_name() != ".git" {
            found.extend(texts(&path));
        } else if path.extension().is_some_and(|extension| extension == "fake") {
            found.insert(path.clone(), fs::read_to_string(path).unwrap());
        }
    }
    found
}

/// Where `keyword shared` stands, the place of `shared`.
fn places(text: &str, keyword: &str) -> Vec<Position> {
    let wanted = format!("{keyword} shared");
    let lines = text.lines().enumerate();
    lines
        .filter_map(|(line, text)| {
            let before = &text[..text.find(&wanted)?];
            let column = before.chars().count() + keyword.len() + 2;
            Some(Position::new(u32::try_from(line).unwrap() + 1, u32::try_from(column).unwrap()))
        })
        .collect()
}

fn all_places(texts: &BTreeMap<PathBuf, String>, keywords: &[&str]) -> Vec<(PathBuf, Position)> {
    let mut all: Vec<_> = texts
        .iter()
        .flat_map(|(path, text)| {
            keywords
                .iter()
                .flat_map(move |keyword| places(text, keyword).into_iter().map(move |at| (path.clone(), at)))
        })
        .collect();
    all.sort();
    all
}

/// Asks something about the tree as it is now and compares with the disk.
pub(crate) async fn question(stage: &Stage, dice: &mut Dice) {
    let texts = texts(stage.tree.root());
    let Some((file, text)) = texts.iter().nth(usize::try_from(dice.below(20)).unwrap() % texts.len().max(1))
    else {
        let gone = stage.path("a.fake");
        let lease = stage.fleet.lease(&gone).await.unwrap();
        let failure = lease.document_symbols(&gone, &patience(LONG)).await.unwrap_err();
        assert!(matches!(failure, Failure::File { .. }), "{failure:?}");
        return;
    };
    let lease = stage.fleet.lease(file).await.unwrap();
    let patience = patience(LONG);
    let spots = |spots: Vec<orienteer_lsp::Spot>| -> Vec<(PathBuf, Position)> {
        spots.into_iter().map(|spot| (spot.path, spot.range.start)).collect()
    };
    let at = places(text, "use").into_iter().chain(places(text, "def")).next();
    match (at, dice.below(4)) {
        (Some(at), 0 | 1) => {
            let found = lease.references(file, at, true, &patience).await.unwrap().value;
            assert_eq!(spots(found), all_places(&texts, &["use", "def"]), "references");
        }
        (Some(at), 2) => {
            let found = lease.definition(file, at, Relation::Definition, &patience).await.unwrap().value;
            assert_eq!(spots(found), all_places(&texts, &["def"]), "definitions");
        }
        (_, 3) => {
            let checked = lease.check(std::slice::from_ref(file), &patience).await.unwrap().value;
            let lines = |range: &Range| range.start.line as usize;
            let found: Vec<usize> = checked.files[0].findings.iter().map(|one| lines(&one.range)).collect();
            let bad: Vec<usize> = text
                .lines()
                .enumerate()
                .filter(|(_, line)| line.starts_with("bad "))
                .map(|(number, _)| number + 1)
                .collect();
            assert!(checked.files[0].done);
            assert_eq!(found, bad, "findings of {}", file.display());
        }
        _ => {
            let found = lease.document_symbols(file, &patience).await.unwrap().value;
            let names: Vec<String> = found.into_iter().map(|symbol| symbol.name).collect();
            let defined: Vec<&str> = text
                .lines()
                .filter_map(|line| line.split("def ").nth(1))
                .filter_map(|rest| rest.split_whitespace().next())
                .collect();
            assert_eq!(names, defined, "symbols of {}", file.display());
        }
    }
}

/// A small project in a repository with two branches.
pub(crate) fn repository(script: Script, dice: &mut Dice) -> Stage {
    // It checks a file before it reads the next message: there is little to wait for.
    let stage = Stage::of(tree(""), script, |definition| definition.settle = ms(30), |_| {});
    let root = stage.tree.root();
    git(root, &["init", "-q"]);
    for branch in ["main", "other"] {
        for folder in FOLDERS {
            let file = Path::new(folder).join(dice.choose(&FILES));
            stage.tree.write(file.to_str().unwrap(), text(dice));
        }
        git(root, &["checkout", "-qB", branch]);
        git(root, &["add", "-A"]);
        git(root, &["commit", "-qm", branch]);
    }
    stage
}

pub(crate) fn acts(stage: &Stage, dice: &mut Dice) {
    let outside = stage.tree.beside("editor");
    for _ in 0..=dice.below(4) {
        let _ = act(dice, stage.tree.root(), &outside);
    }
}

async fn run(script: Script, before: impl Fn(&Stage)) -> Stage {
    let mut dice = Dice::new();
    let stage = repository(script, &mut dice);
    question(&stage, &mut dice).await;
    for _ in 0..TRIES {
        acts(&stage, &mut dice);
        before(&stage);
        question(&stage, &mut dice).await;
    }
    stage.finish().await;
    stage
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_answer_is_right_after_whatever_happened() {
    let stage = run(Script::new(), |_| {}).await;
    assert_eq!(stage.record.starts(), 1);
    assert_eq!(stage.fleet.watch(stage.tree.root()).unwatched(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_answer_is_right_when_events_are_lost() {
    run(Script::new(), |stage| stage.fleet.watch(stage.tree.root()).pretend_overflow()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_answer_is_right_when_the_server_crashes_now_and_then() {
    let crash = |method: &str, nth| Rule::on(method).from(nth).crash(When::Before, Death::Kill).once();
    let script = Script::new()
        .rule(crash("textDocument/references", 20))
        .rule(crash("textDocument/didChange", 30))
        .rule(crash("textDocument/documentSymbol", 20));
    let stage = run(script, |_| {}).await;
    assert!((2..=4).contains(&stage.record.starts()), "{}", stage.record.starts());
}

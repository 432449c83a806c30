//! With the real program, in repositories that are made for each test.

use super::*;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use orienteer_process::GitError as Refusal;
use orienteer_testkit::{Tree, tree};

/// A repository, and a home without settings.
struct Repository {
    tree: Tree,
    home: PathBuf,
}

fn machine_path() -> OsString {
    #[expect(clippy::disallowed_methods, reason = "tests find git where the machine has it")]
    std::env::var_os("PATH").expect("a PATH")
}

impl Repository {
    fn new(fixture: &str) -> Self {
        let tree = tree(fixture);
        let home = tree.beside("home");
        let repository = Self { tree, home };
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository
    }

    fn root(&self) -> &Path {
        self.tree.root()
    }

    fn git(&self, arguments: &[&str]) -> String {
        self.git_in(self.root(), arguments, &[])
    }

    fn git_in(&self, folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> String {
        #[expect(clippy::disallowed_methods, reason = "tests make repositories")]
        let output = Command::new("git")
            .args(arguments)
            .current_dir(folder)
            .env_clear()
            .env("PATH", machine_path())
            .env("HOME", &self.home)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs([("GIT_AUTHOR_NAME", "Ann"), ("GIT_AUTHOR_EMAIL", "ann@example.org")])
            .envs([("GIT_COMMITTER_NAME", "Carl"), ("GIT_COMMITTER_EMAIL", "carl@example.org")])
            .envs(variables.iter().copied())
            .output()
            .expect("git is installed");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {said}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// Commits everything at so many seconds, and says which commit it is.
    fn commit(&self, author: &str, seconds: u32) -> String {
        self.git(&["add", "--all", "--", "."]);
        let date = format!("@{seconds} +0000");
        let email = format!("{}@example.org", author.to_lowercase());
        let variables = [
            ("GIT_AUTHOR_NAME", author),
            ("GIT_AUTHOR_EMAIL", email.as_str()),
            ("GIT_AUTHOR_DATE", date.as_str()),
            ("GIT_COMMITTER_DATE", date.as_str()),
        ];
        self.git_in(self.root(), &["commit", "--quiet", "--allow-empty", "--message=x"], &variables);
        self.git(&["rev-parse", "HEAD"])
    }

    fn environment(&self) -> Environment {
        Environment::from_pairs([("PATH", machine_path()), ("HOME", self.home.clone().into())])
            .with("GIT_DIR", "/nowhere")
            .with("GIT_INDEX_FILE", "/nowhere")
    }

    fn asked(&self) -> Git {
        let git = Git::new(&self.environment());
        assert!(git.is_present(), "git is installed");
        git
    }

    fn history_in(&self, folder: &Path) -> History {
        self.asked().history(folder, 1_000, &Cancel::new()).unwrap().expect("a repository")
    }

    /// Path, author, seconds, commits; in order.
    fn told(&self, folder: &Path) -> Vec<String> {
        let mut told: Vec<String> = self
            .history_in(folder)
            .files
            .iter()
            .map(|(path, file)| {
                format!("{} {} {} {}", path.display(), file.last_author, file.last_time, file.commits)
            })
            .collect();
        told.sort();
        told
    }
}

/// What looks like a repository to us; the programs that are asked about it are none of git's.
fn with_a_repository() -> Tree {
    tree("//- /.git/HEAD\nref: refs/heads/main\n")
}

/// A program called git that does something else.
#[cfg(unix)]
fn pretender(folder: &Path, script: &str) -> Git {
    use std::os::unix::fs::PermissionsExt;
    std::fs::create_dir_all(folder).unwrap();
    let program = folder.join("git");
    std::fs::write(&program, format!("#!/bin/sh\nPATH=/usr/bin:/bin\n{script}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    Git::new(&Environment::default().with("PATH", folder))
}

#[test]
fn the_head_is_a_commit_on_a_branch_or_on_none() {
    let repository = Repository::new("//- /a.txt\none\n");
    let head = || repository.asked().head(repository.root(), &Cancel::new()).unwrap().unwrap();
    assert_eq!(head(), Head { commit: None, branch: Some("main".to_owned()) });
    let commit = repository.commit("Ann", 1_000);
    assert_eq!(head(), Head { commit: Some(commit.clone()), branch: Some("main".to_owned()) });
    repository.git(&["checkout", "--quiet", "-b", "feature/x"]);
    assert_eq!(head().branch.as_deref(), Some("feature/x"));
    repository.git(&["checkout", "--quiet", "--detach"]);
    assert_eq!(head(), Head { commit: Some(commit), branch: None });
}

#[test]
fn without_git_or_a_repository_nothing_is_known_and_nothing_is_wrong() {
    let repository = Repository::new("//- /a.txt\none\n");
    let outside = repository.tree.beside("outside");
    let commit = repository.commit("Ann", 1_000);
    let cancel = Cancel::new();
    let absent = Git::new(&Environment::default().with("PATH", "/nowhere"));
    assert!(!absent.is_present());
    for (git, folder) in [
        (repository.asked(), outside.as_path()),
        (repository.asked(), Path::new("/nowhere/at/all")),
        (repository.asked(), &repository.root().join(".git")),
        (absent, repository.root()),
    ] {
        assert_eq!(git.history(folder, 10, &cancel).unwrap(), None, "{folder:?}");
        assert_eq!(git.changed_since(folder, &commit, &cancel).unwrap(), None, "{folder:?}");
        assert_eq!(git.blame(folder, Path::new("a.txt"), 1..=1, &cancel).unwrap(), None, "{folder:?}");
    }
    assert_eq!(repository.asked().head(&outside, &cancel).unwrap(), None);
}

#[test]
fn the_history_tells_the_last_author_the_time_and_the_churn() {
    let repository = Repository::new("//- /a.txt\none\n//- /dir/b.txt\none\n//- /old.txt\nx\n");
    repository.commit("Ann", 1_000);
    repository.tree.write("a.txt", "two\n");
    repository.commit("Bob", 2_000);
    std::fs::remove_file(repository.root().join("old.txt")).unwrap();
    repository.tree.write("a.txt", "three\n");
    repository.commit("Cleo", 3_000);
    repository.commit("Nobody", 4_000);
    assert_eq!(repository.told(repository.root()), ["a.txt Cleo 3000 3", "dir/b.txt Ann 1000 1"]);
    let history = repository.history_in(repository.root());
    assert!(history.complete && history.commits == 4, "{history:?}");
    assert_eq!(&*history.files[Path::new("a.txt")].last_email, "cleo@example.org");
}

#[test]
fn a_folder_of_a_repository_has_paths_of_its_own() {
    let repository = Repository::new("//- /a.txt\none\n//- /dir/b.txt\none\n//- /dir/deep/c.txt\none\n");
    repository.commit("Ann", 1_000);
    repository.tree.write("a.txt", "two\n");
    repository.commit("Bob", 2_000);
    let folder = repository.root().join("dir");
    assert_eq!(repository.told(&folder), ["b.txt Ann 1000 1", "deep/c.txt Ann 1000 1"]);
    // Commits elsewhere do not use up the limit.
    let history = repository.asked().history(&folder, 1, &Cancel::new()).unwrap().unwrap();
    assert!(history.complete && history.files.len() == 2, "{history:?}");
}

#[test]
fn a_limit_or_a_shallow_clone_is_said() {
    let repository = Repository::new("//- /a.txt\none\n//- /b.txt\none\n");
    repository.commit("Ann", 1_000);
    repository.tree.write("a.txt", "two\n");
    repository.commit("Bob", 2_000);
    repository.tree.write("a.txt", "three\n");
    repository.commit("Cleo", 3_000);
    let limited = repository.asked().history(repository.root(), 1, &Cancel::new()).unwrap().unwrap();
    assert_eq!((limited.commits, limited.complete, limited.files.len()), (1, false, 1));
    let exact = repository.asked().history(repository.root(), 3, &Cancel::new()).unwrap().unwrap();
    assert_eq!((exact.commits, exact.complete), (3, true));

    let clone = repository.tree.beside("clones").join("shallow");
    let source = format!("file://{}", repository.root().display());
    repository.git(&["clone", "--quiet", "--depth=2", &source, clone.to_str().unwrap()]);
    let history = repository.history_in(&clone);
    assert!(!history.complete);
    // The border commit looks as if it had made every file; that is not told.
    assert_eq!(repository.told(&clone), ["a.txt Cleo 3000 1"]);
    let blamed =
        repository.asked().blame(&clone, Path::new("b.txt"), 1..=1, &Cancel::new()).unwrap().unwrap();
    assert!(blamed[0].by.as_ref().unwrap().border);
}

#[test]
fn an_empty_repository_has_an_empty_history() {
    let repository = Repository::new("//- /a.txt\none\n");
    let history = repository.history_in(repository.root());
    assert_eq!(history, History { complete: true, ..History::default() });
    let blamed = repository.asked().blame(repository.root(), Path::new("a.txt"), 1..=1, &Cancel::new());
    assert_eq!(blamed.unwrap(), None);
}

#[test]
fn worktrees_and_submodules_are_repositories_of_their_own() {
    let repository = Repository::new("//- /a.txt\none\n");
    repository.commit("Ann", 1_000);
    let second = repository.tree.beside("trees").join("second");
    repository.git(&["worktree", "add", "--quiet", "-b", "second", second.to_str().unwrap()]);
    assert_eq!(repository.told(&second), ["a.txt Ann 1000 1"]);
    let head = repository.asked().head(&second, &Cancel::new()).unwrap().unwrap();
    assert_eq!(head.branch.as_deref(), Some("second"));

    let outer = Repository::new("//- /own.txt\none\n");
    let source = repository.root().to_str().unwrap();
    outer.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", source, "inner"]);
    let commit = outer.commit("Bob", 2_000);
    assert_eq!(outer.told(outer.root()), [".gitmodules Bob 2000 1", "own.txt Bob 2000 1"]);
    assert_eq!(outer.told(&outer.root().join("inner")), ["a.txt Ann 1000 1"]);
    std::fs::write(outer.root().join("inner/a.txt"), "changed").unwrap();
    std::fs::write(outer.root().join("inner/new.txt"), "new").unwrap();
    assert_eq!(outer.asked().changed_since(outer.root(), &commit, &Cancel::new()).unwrap(), Some(Vec::new()));
}

#[cfg(unix)]
#[test]
fn odd_names_of_files_and_people_are_kept() {
    use std::os::unix::ffi::OsStrExt;
    let repository = Repository::new("//- /with blank.txt\none\n//- /ünï😀.txt\none\n");
    repository.tree.write("new\nline \u{1}\t\"quoted\".txt", "one\n");
    repository.tree.write("-n", "one\n");
    repository.tree.write(":(glob)*", "one\n");
    let odd = Path::new(OsStr::from_bytes(b"not-\xff-utf8"));
    std::fs::write(repository.root().join(odd), "one\n").unwrap();
    let commit = repository.commit("Jürgen \"J\" O'Neil", 1_000);
    let history = repository.history_in(repository.root());
    let files = [
        Path::new("with blank.txt"),
        Path::new("ünï😀.txt"),
        Path::new("new\nline \u{1}\t\"quoted\".txt"),
        Path::new("-n"),
        Path::new(":(glob)*"),
        odd,
    ];
    assert_eq!(history.files.len(), files.len());
    for path in files {
        assert_eq!(&*history.files[path].last_author, "Jürgen \"J\" O'Neil", "{path:?}");
        let blamed =
            repository.asked().blame(repository.root(), path, 1..=1, &Cancel::new()).unwrap().unwrap();
        assert_eq!(blamed[0].by.as_ref().unwrap().commit, commit, "{path:?}");
        std::fs::write(repository.root().join(path), "two\n").unwrap();
    }
    let changed =
        repository.asked().changed_since(repository.root(), &commit, &Cancel::new()).unwrap().unwrap();
    assert_eq!(changed.len(), 6);
    assert!(changed.iter().all(|one| one.change == Change::Modified));
}

#[test]
fn merges_are_not_counted_and_their_branches_are() {
    let repository = Repository::new("//- /a.txt\none\n//- /b.txt\none\n");
    repository.commit("Ann", 1_000);
    repository.git(&["checkout", "--quiet", "-b", "side"]);
    repository.tree.write("b.txt", "two\n");
    repository.commit("Bob", 2_000);
    repository.git(&["checkout", "--quiet", "main"]);
    repository.tree.write("a.txt", "two\n");
    repository.commit("Cleo", 3_000);
    repository.git(&["merge", "--quiet", "--no-ff", "--no-edit", "side"]);
    assert_eq!(repository.told(repository.root()), ["a.txt Cleo 3000 2", "b.txt Bob 2000 2"]);
}

#[test]
fn changed_files_are_those_that_differ_now() {
    let repository = Repository::new(
        "//- /.gitignore\n*.log\n//- /a.txt\none\n//- /b.txt\none\n//- /dir/c.txt\none\n//- /d.txt\none\n//- /e.txt\none\n",
    );
    let commit = repository.commit("Ann", 1_000);
    let changed = |folder: &Path| {
        let changed = repository.asked().changed_since(folder, &commit, &Cancel::new()).unwrap().unwrap();
        changed.iter().map(|one| format!("{:?} {}", one.change, one.path.display())).collect::<Vec<_>>()
    };
    assert_eq!(changed(repository.root()), [""; 0]);
    repository.tree.write("a.txt", "two\n");
    repository.commit("Bob", 2_000);
    repository.tree.write("dir/c.txt", "two\n");
    repository.tree.write("dir/new.txt", "new\n");
    repository.tree.write("noise.log", "x\n");
    std::fs::remove_file(repository.root().join("b.txt")).unwrap();
    repository.git(&["mv", "d.txt", "moved.txt"]);
    repository.git(&["rm", "--quiet", "--cached", "e.txt"]);
    assert_eq!(
        changed(repository.root()),
        [
            "Modified a.txt",
            "Deleted b.txt",
            "Deleted d.txt",
            "Modified dir/c.txt",
            "Added dir/new.txt",
            "Modified e.txt",
            "Added moved.txt"
        ]
    );
    assert_eq!(changed(&repository.root().join("dir")), ["Modified c.txt", "Added new.txt"]);
}

#[test]
fn a_commit_that_is_none_is_refused_and_one_that_is_gone_is_said() {
    let repository = Repository::new("//- /a.txt\none\n");
    repository.commit("Ann", 1_000);
    let changed = |commit: &str| repository.asked().changed_since(repository.root(), commit, &Cancel::new());
    for wrong in ["", "HEAD", "--output=x", "abc", "main..x", &"a".repeat(65)] {
        assert!(matches!(changed(wrong), Err(GitError::BadCommit { .. })), "{wrong}");
    }
    assert!(matches!(changed(&"1".repeat(40)), Err(GitError::UnknownCommit { .. })));
    assert!(matches!(changed("abcdef0123"), Err(GitError::UnknownCommit { .. })));
    assert!(!repository.root().join("x").exists());
}

#[test]
fn lines_are_blamed_on_commits_and_new_ones_on_nobody() {
    let repository = Repository::new("//- /dir/a.txt\none\ntwo\nthree\nfour\n");
    let first = repository.commit("Ann", 1_000);
    repository.tree.write("dir/a.txt", "one\nTWO\nTHREE\nfour\n");
    let second = repository.commit("Bob", 2_000);
    repository.tree.write("dir/a.txt", "one\nTWO\nTHREE\nfour\nfive\n");
    let blame = |folder: &str, path: &str, lines| {
        repository.asked().blame(&repository.root().join(folder), Path::new(path), lines, &Cancel::new())
    };
    let told = |blamed: Vec<BlamedLine>| {
        let commit = |line: &BlamedLine| line.by.as_ref().map(|by| by.commit.clone());
        blamed.iter().map(|line| (line.lines.clone(), commit(line))).collect::<Vec<_>>()
    };
    let all = blame("", "dir/a.txt", 1..=100).unwrap().unwrap();
    let by = all[1].by.as_ref().unwrap();
    assert_eq!(
        (by.author.as_str(), by.email.as_str(), by.time, by.border),
        ("Bob", "bob@example.org", 2_000, false)
    );
    assert_eq!(
        told(all),
        [(1..=1, Some(first.clone())), (2..=3, Some(second.clone())), (4..=4, Some(first)), (5..=5, None)]
    );
    assert_eq!(told(blame("dir", "a.txt", 2..=2).unwrap().unwrap()), [(2..=2, Some(second))]);
    assert!(matches!(blame("", "dir/a.txt", 9..=10), Err(GitError::NoSuchLine { line: 9, .. })));
    assert!(matches!(blame("", "dir/a.txt", 0..=10), Err(GitError::NoSuchLine { .. })));
    #[expect(clippy::reversed_empty_ranges, reason = "that is what is refused")]
    let backwards = blame("", "dir/a.txt", 5..=2);
    assert!(matches!(backwards, Err(GitError::NoSuchLine { .. })));
    repository.tree.write("new.txt", "new\n");
    assert_eq!(blame("", "new.txt", 1..=1).unwrap(), None);
    assert_eq!(blame("", "missing.txt", 1..=1).unwrap(), None);
    for outside in ["../x", "/etc/passwd", "", "dir/../../x"] {
        assert!(matches!(blame("", outside, 1..=1), Err(GitError::BadPath { .. })), "{outside}");
    }
}

#[cfg(unix)]
#[test]
fn a_program_inside_the_repository_is_not_git() {
    let repository = Repository::new("//- /a.txt\none\n");
    pretender(repository.root(), "echo evil");
    assert!(!Git::new(&Environment::from_pairs([("PATH", ".:"), ("HOME", "/")])).is_present());
    assert!(!Git::new(&Environment::default().with("HOME", "/")).is_present());
}

#[cfg(unix)]
#[test]
fn a_program_that_hangs_is_stopped_and_can_be_cancelled() {
    let tree = with_a_repository();
    let git = pretender(&tree.beside("slow"), "exec sleep 60").with_patience(Duration::from_millis(200));
    let started = Instant::now();
    assert!(matches!(git.head(tree.root(), &Cancel::new()), Err(GitError::Git(Refusal::TimedOut { .. }))));
    let git = git.with_patience(Duration::MAX);
    let cancel = Cancel::new();
    let other = cancel.clone();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        other.cancel();
    });
    assert!(matches!(git.head(tree.root(), &cancel), Err(GitError::Git(Refusal::Stopped(_)))));
    stopper.join().unwrap();
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[cfg(unix)]
#[test]
fn odd_answers_are_errors_or_partial_and_never_endless() {
    let tree = with_a_repository();
    let cancel = Cancel::new();
    let git = |name: &str, script: &str| pretender(&tree.beside(name), script);
    let broken = git("broken", "echo 'fatal: bad object store' >&2; exit 128");
    let wrong = broken.history(tree.root(), 10, &cancel).unwrap_err().to_string();
    assert!(wrong.contains("bad object store"), "{wrong}");
    let endless = git("endless", "while :; do printf '%s' 0123456789012345678901234567890123456789; done");
    let endless = endless.with_patience(Duration::from_millis(300));
    assert!(matches!(
        endless.head(tree.root(), &cancel),
        Err(GitError::Git(Refusal::TimedOut { .. } | Refusal::TooMuch { .. }))
    ));
    let noise = git(
        "noise",
        "case \"$*\" in *rev-parse*) printf 'true\\nfalse\\n\\n';; *) yes '' | head -c 300000;; esac",
    );
    let history = noise.history(tree.root(), 10, &cancel).unwrap().unwrap();
    assert!(!history.complete && history.files.is_empty());
    let loud = git("loud", "yes complaint | head -c 3000000 >&2; exit 3");
    assert!(matches!(loud.head(tree.root(), &cancel), Err(GitError::Git(Refusal::Failed { .. }))));
}

//! With the real program, in repositories that are made for each test.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use orienteer_testkit::{Tree, tree};

use super::*;

struct Place {
    tree: Tree,
    home: PathBuf,
}

fn machine_path() -> OsString {
    #[expect(clippy::disallowed_methods, reason = "tests find git where the machine has it")]
    std::env::var_os("PATH").expect("a PATH")
}

impl Place {
    fn new(fixture: &str) -> Self {
        let tree = tree(fixture);
        let home = tree.beside("home");
        Self { tree, home }
    }

    fn repository(fixture: &str) -> Self {
        let place = Self::new(fixture);
        place.git(&["init", "--quiet", "--initial-branch=main"]);
        place
    }

    fn root(&self) -> &Path {
        self.tree.root()
    }

    fn git(&self, arguments: &[&str]) -> String {
        self.git_in(self.root(), arguments)
    }

    fn git_in(&self, folder: &Path, arguments: &[&str]) -> String {
        #[expect(clippy::disallowed_methods, reason = "tests make repositories")]
        let output = Command::new("git")
            .args(["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "protocol.file.allow=always"])
            .args(arguments)
            .current_dir(folder)
            .env_clear()
            .env("PATH", machine_path())
            .env("HOME", &self.home)
            .output()
            .expect("git is installed");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {said}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message=x"]);
    }

    fn asked(&self) -> Git {
        Git::new(&Environment::from_pairs([("PATH", machine_path()), ("HOME", self.home.clone().into())]))
    }

    /// What is tracked below a folder, by name.
    fn tracked(&self, folder: &Path) -> Result<Option<Vec<String>>, GitError> {
        let list = ["ls-files", "-z", "--", "."].map(OsStr::new);
        let answer = self.asked().answer(folder, &list, &Cancel::new())?;
        Ok(answer.map(|answer| {
            let text = String::from_utf8_lossy(&answer.bytes);
            text.split_terminator('\0').map(str::to_owned).collect()
        }))
    }

    fn script(&self, path: &Path, body: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("#!/bin/sh\n{body}\n")).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// Everything that git's documentation lets a configuration name a program for, and that the commands that are asked here
/// could come across.
const PROGRAMS: &[&str] = &[
    "core.fsmonitor",
    "core.pager",
    "core.editor",
    "core.sshCommand",
    "core.askPass",
    "core.gitProxy",
    "core.alternateRefsCommand",
    "credential.helper",
    "credential.https://example.org.helper",
    "filter.evil.clean",
    "filter.evil.smudge",
    "filter.with blank.and.dots.process",
    "filter.with blank.and.dots.clean",
    "diff.evil.textconv",
    "diff.evil.command",
    "diff.external",
    "gpg.program",
    "gpg.ssh.program",
    "gpg.ssh.defaultKeyCommand",
    "gpg.x509.program",
    "pager.log",
    "pager.diff",
    "pager.blame",
    "pager.ls-files",
    "pager.config",
    "alias.log",
    "alias.diff",
    "alias.ls-files",
    "alias.rev-parse",
    "interactive.diffFilter",
    "merge.evil.driver",
    "uploadpack.packObjectsHook",
    "sequence.editor",
    "trailer.x.command",
    "remote.origin.uploadpack",
    "remote.origin.vcs",
];

/// Asks each of the commands that are asked at all.
fn ask_everything(git: &Git, folder: &Path) -> Vec<String> {
    let cancel = Cancel::new();
    let commands: [&[&str]; 8] = [
        &["symbolic-ref", "--quiet", "HEAD"],
        &["rev-parse", "--quiet", "--verify", "HEAD^{commit}"],
        &["ls-files", "-z", "--others", "--exclude-standard", "--", "."],
        &["ls-files", "--debug", "-z", "--", "."],
        &["config", "--list"],
        &["log", "-z", "--format=%H%n%G?", "--name-status", "HEAD", "--"],
        &["diff", "-z", "--name-status", "HEAD", "--", "."],
        &["blame", "--incremental", "-L1,1", "--", "a.txt"],
    ];
    let mut failed = Vec::new();
    for command in commands {
        let arguments: Vec<&OsStr> = command.iter().map(OsStr::new).collect();
        match git.answer(folder, &arguments, &cancel) {
            Ok(Some(answer)) if answer.code == Some(0) => {}
            other => failed.push(format!("{command:?}: {other:?}")),
        }
    }
    failed
}

#[test]
fn nothing_that_the_repository_names_is_run() {
    let place = Place::repository(
        "//- /a.txt\none\n//- /b.txt\none\n//- /.gitattributes\na.txt filter=evil diff=evil\n\
         b.txt filter=\"with blank.and.dots\"\n",
    );
    place.commit();
    let marks = place.tree.beside("marks");
    let program = place.tree.beside("evil").join("evil");
    place.script(&program, &format!(": > '{}'/\"ran-$1\"\ncat", marks.display()));
    let program = program.to_str().unwrap();
    let hooks = place.root().join(".git/hooks");
    std::fs::create_dir_all(&hooks).unwrap();
    for hook in ["post-index-change", "reference-transaction", "fsmonitor-watchman"] {
        std::fs::copy(program, hooks.join(hook)).unwrap();
    }
    // What an included file says counts as well as what stands in the configuration itself.
    let included = place.root().join(".git/more");
    for (at, key) in PROGRAMS.iter().enumerate() {
        let file = if at % 2 == 0 { ".git/config" } else { ".git/more" };
        let value = match key.strip_prefix("alias.") {
            Some(word) => format!("!{program} alias-{word}"),
            None => format!("{program} {}", key.replace(['/', ' '], "_")),
        };
        place.git(&["config", "--file", file, key, &value]);
    }
    place.git(&["config", "include.path", included.to_str().unwrap()]);
    for (key, value) in [("log.showSignature", "true"), ("filter.evil.required", "true")] {
        place.git(&["config", key, value]);
    }
    place.git(&["config", "remote.origin.url", &format!("ext::{program} ext")]);
    place.git(&["config", "remote.origin.promisor", "true"]);
    place.git(&["config", "extensions.partialClone", "origin"]);
    place.tree.write("a.txt", "two\n");
    place.tree.write("b.txt", "two\n");
    let _ = std::fs::remove_dir_all(&marks);
    std::fs::create_dir_all(&marks).unwrap();
    let marks_left = || std::fs::read_dir(&marks).unwrap().flatten().count();

    assert_eq!(ask_everything(&place.asked(), place.root()), [""; 0]);
    assert_eq!(marks_left(), 0, "{:?}", std::fs::read_dir(&marks).unwrap().collect::<Vec<_>>());

    // Unguarded, the same repository does run them: the trap is one.
    place.git(&["diff"]);
    assert!(marks_left() > 1, "a trap that springs for nobody");

    place.git(&["config", "filter.a=b.clean", "true"]);
    let diff = ["diff", "HEAD"].map(OsStr::new);
    let refused = place.asked().answer(place.root(), &diff, &Cancel::new());
    assert!(matches!(refused, Err(GitError::Filter { name }) if name == "a=b"));
}

#[test]
fn a_command_that_nobody_looked_into_is_refused() {
    let place = Place::repository("//- /a.txt\n");
    for command in ["status", "fetch", "-c", ""] {
        let refused = place.asked().answer(place.root(), &[OsStr::new(command)], &Cancel::new());
        assert!(matches!(refused, Err(GitError::NotAllowed { .. })), "{command}: {refused:?}");
    }
}

/// `HEAD`, `config`, `objects` and `refs` are names that any repository can track.
#[test]
fn a_folder_that_is_laid_out_like_a_repository_is_none() {
    let place = Place::new("//- /HEAD\nref: refs/heads/main\n//- /objects/x\n//- /refs/x\n//- /sub/a.txt\n");
    let mark = place.tree.beside("marks").join("ran");
    let program = place.root().join("evil");
    place.script(&program, &format!(": > '{}'", mark.display()));
    let settings = format!("[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = {}\n", program.display());
    place.tree.write("config", &settings);
    for folder in [place.root().to_path_buf(), place.root().join("sub")] {
        assert_eq!(place.tracked(&folder).unwrap(), None);
        assert_eq!(place.asked().repository(&folder, &Cancel::new()).unwrap(), None);
    }
    assert!(!mark.exists());
}

#[test]
fn the_nearest_repository_is_the_one_also_above_and_through_links() {
    let place = Place::repository("//- /a/b/c.txt\n//- /a/empty/x.txt\n");
    place.git(&["add", "."]);
    std::fs::create_dir_all(place.root().join("a/empty/.git")).unwrap();
    assert_eq!(place.tracked(&place.root().join("a/b")).unwrap().unwrap(), ["c.txt"]);
    assert_eq!(
        place.tracked(&place.root().join("a/empty")).unwrap().unwrap(),
        ["x.txt"],
        "an empty folder of that name is no repository"
    );
    let link = place.tree.beside("links").join("to");
    std::os::unix::fs::symlink(place.root().join("a"), &link).unwrap();
    assert_eq!(place.tracked(&link).unwrap().unwrap(), ["b/c.txt", "empty/x.txt"]);
}

#[test]
fn worktrees_and_submodules_lead_back_and_nothing_else_counts() {
    let place = Place::repository("//- /a.txt\n");
    place.commit();
    let other = place.tree.beside("other");
    place.git(&["worktree", "add", "--quiet", other.join("tree").to_str().unwrap()]);
    assert_eq!(place.tracked(&other.join("tree")).unwrap().unwrap(), ["a.txt"]);
    let outer = other.join("outer");
    std::fs::create_dir_all(&outer).unwrap();
    place.git_in(&outer, &["init", "--quiet"]);
    place.git_in(&outer, &["submodule", "add", "--quiet", place.root().to_str().unwrap(), "inner"]);
    assert_eq!(place.tracked(&outer.join("inner")).unwrap().unwrap(), ["a.txt"]);
    assert_eq!(place.tracked(&outer).unwrap().unwrap(), [".gitmodules", "inner"]);

    // A folder that says of itself that it belongs to a repository, which knows nothing of it.
    let liar = other.join("liar");
    std::fs::create_dir_all(liar.join("fake/objects")).unwrap();
    std::fs::create_dir_all(liar.join("fake/refs")).unwrap();
    std::fs::write(liar.join("fake/HEAD"), "ref: refs/heads/main\n").unwrap();
    for (text, back) in [
        (format!("gitdir: {}\n", place.root().join(".git").display()), None),
        ("gitdir: fake\n".to_owned(), None),
        ("gitdir: fake\n".to_owned(), Some("/somewhere/.git")),
        ("gitdir: nowhere\n".to_owned(), None),
        ("not that\n".to_owned(), None),
    ] {
        std::fs::write(liar.join(".git"), &text).unwrap();
        if let Some(back) = back {
            std::fs::write(liar.join("fake/gitdir"), back).unwrap();
        }
        let refused = place.tracked(&liar);
        assert!(matches!(refused, Err(GitError::Detached { .. })), "{text}: {refused:?}");
    }
}

#[test]
fn a_repository_of_somebody_else_is_asked_only_where_the_user_says_so() {
    let place = Place::repository("//- /a.txt\n");
    place.git(&["add", "."]);
    assert_eq!(place.tracked(place.root()).unwrap().unwrap(), ["a.txt"]);
    let nobody = Some(rustix::fs::Uid::from_raw(65_534));
    if rustix::fs::chown(place.root().join(".git"), nobody, None).is_err() {
        // Only the administrator can give files away; whose they are is then shown by the rule alone.
        let found = place.asked().repository(place.root(), &Cancel::new()).unwrap().unwrap();
        assert!(owner::check_for(&found, 65_533, || Ok(Vec::new())).is_err());
        return;
    }
    let refused = place.tracked(place.root()).unwrap_err();
    assert!(matches!(refused, GitError::Foreign { .. }), "{refused:?}");
    let advice = format!("git config --global --add safe.directory '{}'", place.root().display());
    assert!(refused.to_string().contains(&advice), "{refused}");
    // The repository cannot speak for itself.
    place.git(&["config", "--file", ".git/config", "safe.directory", "*"]);
    assert!(place.tracked(place.root()).is_err());
    place.git_in(
        &place.home,
        &["config", "--global", "--add", "safe.directory", place.root().to_str().unwrap()],
    );
    assert_eq!(place.tracked(place.root()).unwrap().unwrap(), ["a.txt"]);
}

#[test]
fn a_program_that_lies_in_the_repository_is_not_git() {
    let place = Place::repository("//- /a.txt\n");
    let mark = place.tree.beside("marks").join("ran");
    place.script(&place.root().join("bin/git"), &format!(": > '{}'", mark.display()));
    let path = std::env::join_paths([place.root().join("bin")]).unwrap();
    let git = Git::new(&Environment::default().with("PATH", path));
    let list = ["ls-files"].map(OsStr::new);
    assert!(git.answer(place.root(), &list, &Cancel::new()).unwrap().is_none());
    assert!(!mark.exists());
}

//! Who may open a file by its path alone. Whatever lies in a workspace is opened by `orienteer_base::path`, which follows
//! no link that was put on the path meanwhile; a reader that forgets it shows what lies outside the roots.

/// What opens or lists by path.
const BY_PATH: &[&str] =
    &["File::open(", "fs::read(", "fs::read_to_string(", "fs::read_dir(", ".read_dir()", "File::options("];

/// Files and folders that may, by what they read.
const MAY: &[(&str, &[&str])] = &[
    ("the one door itself", &["crates/orienteer-base/src/path.rs", "crates/orienteer-base/src/path/door.rs"]),
    (
        "files of our own, which no project can swap",
        &[
            "crates/orienteer-base/src/private.rs",
            "crates/orienteer-edit/src/journal",
            "crates/orienteer-engine/src/index/caches.rs",
            "crates/orienteer-engine/src/index/folders.rs",
            "crates/orienteer-engine/src/index/meaning.rs",
            "crates/orienteer-index/src/store/",
            "crates/orienteer-index/src/trigram/",
            "crates/orienteer-index/src/upkeep/",
            "crates/orienteer-index/src/vectors/",
            "crates/orienteer-process/src/child/memory.rs",
            "crates/orienteer-remote/src/",
            "crates/orienteer-triage/src/store",
            "crates/orienteer/src/logging",
            "crates/orienteer/src/memory/program.rs",
        ],
    ),
    (
        "settings of the user",
        &[
            "crates/orienteer-engine/src/index.rs",
            "crates/orienteer-engine/src/registries/run.rs",
            "crates/orienteer-search/src/text/listed.rs",
            "crates/orienteer/src/cli/",
            "crates/orienteer/src/config/layers.rs",
            "crates/orienteer/src/dialects/swissarmyhammer/programs.rs",
        ],
    ),
    (
        "settings of a project and of its packages, which decide something and are not shown",
        &[
            "crates/orienteer-base/src/settings_file.rs",
            "crates/orienteer-engine/src/check/projects.rs",
            "crates/orienteer-engine/src/check/pyright.rs",
            "crates/orienteer-engine/src/check/python.rs",
            "crates/orienteer-engine/src/edit/formatter/refusal.rs",
            "crates/orienteer-engine/src/edit/formatter/table.rs",
            "crates/orienteer-engine/src/triage/pack/libraries.rs",
            "crates/orienteer-engine/src/triage/pack/owner.rs",
            "crates/orienteer-index/src/git/history.rs",
            "crates/orienteer-lsp/src/program/",
            "crates/orienteer-lsp/src/project/",
            "crates/orienteer-lsp/src/quirk/",
            "crates/orienteer-lsp/src/searches.rs",
            "crates/orienteer-lsp/src/sentinel.rs",
            "crates/orienteer-process/src/git/repository.rs",
        ],
    ),
    (
        "whether something is there, or has changed",
        &[
            "crates/orienteer-engine/src/index/unwatched.rs",
            "crates/orienteer-index/src/build.rs",
            "crates/orienteer-watch/src/",
            "crates/orienteer/src/dialects/pyright/workspace.rs",
        ],
    ),
    (
        "what a change is made in, beneath folders that are held open",
        &["crates/orienteer-edit/src/folder/", "crates/orienteer-edit/src/overlay.rs"],
    ),
];

/// What is wrong with a file of source.
pub(super) fn check(name: &str, text: &str, wrong: &mut Vec<String>) {
    let is_source = name.starts_with("crates/") && name.contains("/src/") && !name.contains("/tests");
    let may = || MAY.iter().flat_map(|(_, files)| *files).any(|file| name.starts_with(file));
    if !is_source || name.starts_with("crates/orienteer-testkit/") || may() {
        return;
    }
    let lines = text
        .lines()
        .take_while(|line| !line.starts_with("#[cfg(test)]") && !line.starts_with("#[cfg(all(test"));
    for (number, line) in lines.enumerate() {
        let is_other = |at: usize| line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let met = BY_PATH.iter().find(|way| line.match_indices(**way).any(|(at, _)| !is_other(at)));
        if let Some(way) = met.filter(|_| !line.trim_start().starts_with("//")) {
            wrong.push(format!(
                "{name}:{}: `{way}` follows whatever is at its path by then; open files of a workspace with \
                 `Roots::open` or `open_exactly`, or say in xtask/src/tidy/reads.rs what is read here",
                number + 1
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(name: &str, text: &str) -> usize {
        let mut wrong = Vec::new();
        check(name, text, &mut wrong);
        wrong.len()
    }

    #[test]
    fn opening_by_path_is_found_where_it_may_not_be() {
        let text = "use std::fs;\nfn a() {\n    // fs::read(\"x\")\n    fs::read(\"x\").ok();\n}\n";
        assert_eq!(wrong("crates/orienteer-search/src/new.rs", text), 1);
        assert_eq!(wrong("crates/orienteer-search/src/new.rs", "let file = DiskFile::open(path);"), 0);
        assert_eq!(wrong("crates/orienteer-search/tests/it/new.rs", text), 0);
        assert_eq!(wrong("crates/orienteer-index/src/store/new.rs", text), 0);
        assert_eq!(wrong("crates/orienteer-search/src/new.rs", &format!("#[cfg(test)]\n{text}")), 0);
    }
}

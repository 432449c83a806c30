//! Developer commands. `cargo xtask test` is what CI runs; nothing else is needed to work on the project.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a developer's command talks to the terminal and starts programs"
)]

mod bench;
mod install;
mod licences;
mod shell;
mod test;
mod tidy;

use std::process::ExitCode;

const HELP: &str = "cargo xtask COMMAND

  test [--full]   install what the tests need, then format, lints, tests, docs, licences, tidy;
                  --full adds the long ones: large trees, long fuzzing, benchmarks with their limits
  install         only install what the tests need (into the target folder)
  tidy            the rules that the compiler cannot check
  licences        licences and bans over all dependencies
  docs            rewrite docs/tools.md, docs/config.md and the contract snapshots from the code
  bench           measure against the peers and write docs/benchmarks.md
  bench lsp [quick] [SERVER…]
                  only the language servers; quick, or some of them: shown and not written
  bench index     only building, changing and asking the index
  bench pyright   only the times that pyright-mcp's document asks for
  bench remote    only questions about remote code: several at once, repeated, very many
  bench renames [quick]
                  only 500 renames, each compiled and taken back; quick: few, shown and not written
  bench retrieval [baselines] [tuning|held-out]
                  only whether questions find their functions; without ours, or one set: shown and not written
  bench retrieval peer|queries [tuning|held-out]
                  ask the peer everything anew (half an hour); make the questions, or show that they are the same";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["test"] => test::run(false),
        ["test", "--full"] => test::run(true),
        ["install"] => install::run().map(|_| ()),
        ["tidy"] => tidy::run(),
        ["licences"] => licences::run(),
        ["docs"] => test::rewrite_docs(),
        ["bench"] => bench::run(),
        ["bench", "lsp", words @ ..] => bench::language_servers(words),
        ["bench", "index"] => bench::the_index(),
        ["bench", "pyright"] => bench::pyright_dialect(),
        ["bench", "remote"] => bench::remote_code(),
        ["bench", "renames", words @ ..] => bench::renames(words),
        ["bench", "retrieval", words @ ..] => bench::questions(words),
        _ => {
            eprintln!("{HELP}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

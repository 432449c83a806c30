//! `orienteer search QUERY`: the `search` tool for people.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;

use super::ask::ask;
use super::{House, Settings};

/// The longest that the tool waits for an index.
const LONGEST_WAIT_MS: u64 = 600_000;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Words, +must, -not, "phrase", /regex/, and filters such as lang:rust kind:function path:src
    #[arg(required = true)]
    query: Vec<String>,
    /// What to look at: code, prose, comments, config, records [default: code, prose, comments]
    #[arg(long, value_name = "MODE", value_delimiter = ',')]
    mode: Vec<String>,
    /// One list for each mode
    #[arg(long)]
    apart: bool,
    /// How many results
    #[arg(long, short = 'n', value_name = "N")]
    max_results: Option<usize>,
    /// Longer snippets and documentation
    #[arg(long)]
    full: bool,
    /// Say what each score is made of
    #[arg(long)]
    explain: bool,
    /// Print the structured result instead of the text
    #[arg(long)]
    json: bool,
    /// Folder to search [default: the current folder]
    #[arg(long, value_name = "DIR")]
    workspace_root: Option<PathBuf>,
    /// Show secrets in answers instead of hiding their values
    #[arg(long)]
    no_redact: bool,
    /// How much is logged: error, warn, info, debug, trace
    #[arg(long)]
    log_level: Option<String>,
}

/// Lets `-word`, `-"phrase"` and `-/regex/` through to the query: to the parser of arguments they would be flags. A blank
/// in front means nothing in a query.
pub(super) fn with_exclusions(mut arguments: Vec<OsString>) -> Vec<OsString> {
    if arguments.get(1).is_none_or(|command| command != "search") {
        return arguments;
    }
    let ends = arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len());
    for argument in &mut arguments[2..ends] {
        let Some(text) = argument.to_str() else { continue };
        let excludes = text.strip_prefix('-').is_some_and(|rest| {
            let is_flag = rest == "h" || rest.strip_prefix('n').is_some_and(is_number);
            !is_flag && rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '"' | '/'))
        });
        if excludes {
            *argument = format!(" {text}").into();
        }
    }
    arguments
}

/// What may follow `-n`: nothing, or a number.
fn is_number(rest: &str) -> bool {
    rest.strip_prefix('=').unwrap_or(rest).chars().all(|c| c.is_ascii_digit())
}

pub(super) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let settings = Settings {
        workspace_root: args.workspace_root,
        no_redact: args.no_redact,
        log_level: args.log_level,
        ..Settings::default()
    };
    let house = House::build(&settings.or_all_tools()?.patient(), true)?;
    let modes = (!args.mode.is_empty()).then_some(args.mode);
    let arguments = json!({
        "query": args.query.join(" "),
        "modes": modes,
        "apart": args.apart,
        "max_results": args.max_results,
        "output": args.full.then_some("full"),
        "explain": args.explain,
        "wait_ms": LONGEST_WAIT_MS,
    });
    ask(&house, "search", arguments, args.json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_to_leave_out_are_no_flags() {
        let given =
            ["orienteer", "search", "foo", "-bar", "-\"x y\"", "-/re/", "-n", "5", "-n3", "--json", "-h"];
        let seen = with_exclusions(given.iter().map(OsString::from).collect());
        let expected =
            ["orienteer", "search", "foo", " -bar", " -\"x y\"", " -/re/", "-n", "5", "-n3", "--json", "-h"];
        assert_eq!(seen, expected.map(OsString::from));
        let other = ["orienteer", "index", "-bar"].map(OsString::from);
        assert_eq!(with_exclusions(other.to_vec()), other);
    }
}

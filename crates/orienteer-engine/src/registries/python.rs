//! Which index do pip and uv use?
//!
//! What somebody has set counts, whichever of the two it was set for, pip's first. Otherwise the built-in default of the
//! one that is installed, which both tell in their help. uv has no command that tells its settings, so of uv the
//! variables count.

use orienteer_base::Problem;
use orienteer_remote::{PythonIndexes, Tokens};

use super::run::{Runner, Tool, missing, silent};

const VARIABLES: &[&str] = &["PIP_*", "UV_*", "VIRTUAL_ENV", "PYENV_*", "ASDF_*"];
const PIP: &[Tool] = &[
    Tool { program: "pip", before: &[], variables: VARIABLES },
    Tool { program: "pip3", before: &[], variables: VARIABLES },
    Tool { program: "python3", before: &["-m", "pip"], variables: VARIABLES },
    Tool { program: "python", before: &["-m", "pip"], variables: VARIABLES },
];
const UV: &[Tool] = &[Tool { program: "uv", before: &[], variables: VARIABLES }];
const SETTING: &str = "packages.python_index";
const WHAT: &str = "Python packages";
/// Wide enough that no address is broken over lines.
const WIDE: &[(&str, &str)] =
    &[("COLUMNS", "1000"), ("PIP_DISABLE_PIP_VERSION_CHECK", "1"), ("NO_COLOR", "1"), ("PIP_NO_COLOR", "1")];

pub(super) async fn ask(runner: &Runner) -> Result<PythonIndexes, Problem> {
    let pip = runner.ask(PIP, &["config", "list"], WIDE).await?;
    let settings = pip.as_ref().map(|finished| lines(&finished.stdout.text())).unwrap_or_default();
    let set = |name: &str| setting(&settings, name);
    let variable = |names: &[&str]| names.iter().find_map(|name| runner.variable(name));
    let index = set("index-url").or_else(|| variable(&["UV_DEFAULT_INDEX", "UV_INDEX_URL"]));
    let extra = set("extra-index-url").or_else(|| variable(&["UV_INDEX", "UV_EXTRA_INDEX_URL"]));
    let extra: Vec<String> = extra.iter().flat_map(|text| text.split_whitespace()).map(unnamed).collect();
    if let Some(index) = index {
        return Ok(indexes(&unnamed(&index), &extra));
    }
    let (tools, program, marker) = match pip {
        Some(_) => (PIP, "pip install --help", "--index-url"),
        None => (UV, "uv pip install --help", "--default-index"),
    };
    let question: &[&str] =
        if pip.is_some() { &["install", "--help"] } else { &["pip", "install", "--help"] };
    let Some(help) = runner.ask(tools, question, WIDE).await? else {
        return Err(missing(&["pip", "uv"], WHAT, SETTING));
    };
    let help = help.stdout.text();
    match default_in(&help, marker) {
        Some(index) => Ok(indexes(&index, &extra)),
        None => Err(silent(program, WHAT, SETTING, &help)),
    }
}

/// Addresses without what must not be shown.
pub(super) fn indexes(index: &str, extra: &[String]) -> PythonIndexes {
    let mut tokens = Tokens::default();
    let index_url = tokens.take_from(index);
    let extra = extra.iter().map(|url| tokens.take_from(url)).collect();
    PythonIndexes { index_url, extra, tokens }
}

/// uv lets an index have a name: `name=https://…`.
fn unnamed(text: &str) -> String {
    match text.split_once('=') {
        Some((name, url)) if !name.contains(['/', ':']) => url.to_owned(),
        _ => text.to_owned(),
    }
}

/// `section.name='value'`, as pip prints them in Python's own way.
fn lines(text: &str) -> Vec<(String, String)> {
    text.lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, value)| {
            let value = value.trim().trim_matches(['\'', '"']).replace("\\n", "\n").replace("\\\\", "\\");
            (name.trim().to_owned(), value.trim().to_owned())
        })
        .collect()
}

/// Variables go before what is set for installing, and that before what is set for all.
fn setting(lines: &[(String, String)], name: &str) -> Option<String> {
    [":env:", "install", "global"].iter().find_map(|section| {
        let full = format!("{section}.{name}");
        lines
            .iter()
            .find(|(known, value)| *known == full && !value.is_empty())
            .map(|(_, value)| value.clone())
    })
}

/// The address after `default` behind an option in a help text.
fn default_in(help: &str, option: &str) -> Option<String> {
    let words: Vec<&str> = help.split_whitespace().collect();
    let at = words.iter().position(|word| word.trim_end_matches(',') == option)?;
    let near = words.get(at..)?.iter().take(40);
    let marked = near.skip_while(|word| !word.contains("default"));
    let address = marked.skip(1).find(|word| word.contains("://"))?;
    let address = address.trim_matches(|c: char| "()<>[],;".contains(c) || c == '.');
    let end = address.find([')', '>']).unwrap_or(address.len());
    address.get(..end).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_go_before_files_and_installing_before_all() {
        let lines = lines(
            "global.index-url='https://a.example.org/simple'\ninstall.index-url='https://b.example.org/simple'\n\
             global.extra-index-url='\\nhttps://c.example.org/simple\\nhttps://d.example.org/simple'\n",
        );
        assert_eq!(setting(&lines, "index-url").as_deref(), Some("https://b.example.org/simple"));
        let extra = setting(&lines, "extra-index-url").unwrap();
        assert_eq!(extra.split_whitespace().count(), 2);
        let mut with_variable = lines;
        with_variable.push((":env:.index-url".into(), "https://e.example.org/simple".into()));
        assert_eq!(setting(&with_variable, "index-url").as_deref(), Some("https://e.example.org/simple"));
    }

    #[test]
    fn the_default_is_found_in_the_help() {
        let pip = "  -i, --index-url <url>  Base URL of the index (default\n  https://i.example.org/simple). This should\n\
            --extra-index-url <url> Extra URLs";
        assert_eq!(default_in(pip, "--index-url").as_deref(), Some("https://i.example.org/simple"));
        let uv = "--default-index <DEFAULT_INDEX>\n  The default package index (by default: <https://u.example.org/simple>) [env: X]";
        assert_eq!(default_in(uv, "--default-index").as_deref(), Some("https://u.example.org/simple"));
        assert_eq!(default_in("nothing here", "--index-url"), None);
    }

    #[test]
    fn an_index_may_have_a_name() {
        assert_eq!(unnamed("team=https://a.example.org/simple"), "https://a.example.org/simple");
        assert_eq!(unnamed("https://a.example.org/simple?x=1"), "https://a.example.org/simple?x=1");
    }
}

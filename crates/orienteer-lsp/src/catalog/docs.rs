//! What does `docs/servers.md` say?

use std::fmt::Write as _;

use super::block::MOST_OPEN;
use crate::definition::{Candidate, Definition, Readiness, Reporting, RootChoice};
use crate::searches::Searches;

/// The body of `docs/servers.md`: an overview, then a table for each server.
pub fn markdown(catalog: &[Definition]) -> String {
    let mut page = String::from("| server | language | extensions | tested |\n| --- | --- | --- | --- |\n");
    for definition in catalog {
        let _ = writeln!(
            page,
            "| [{id}](#{id}) | {} | {} | {} |",
            cell(&definition.language),
            cell(&names(definition)),
            tested(definition),
            id = definition.id,
        );
    }
    for definition in catalog {
        section(&mut page, definition);
    }
    page
}

fn section(page: &mut String, definition: &Definition) {
    let _ = write!(page, "\n## {}\n\n| | |\n| --- | --- |\n", definition.id);
    let commands: Vec<String> =
        definition.candidates.iter().map(|candidate| code(&command(candidate))).collect();
    let markers: Vec<String> =
        definition.root_markers.iter().map(|tier| code(&tier.replace('|', ", "))).collect();
    let choice = match definition.root_choice {
        RootChoice::Nearest => "nearest",
        RootChoice::Outermost => "outermost",
    };
    let mut rows = vec![
        ("language", definition.language.clone()),
        ("extensions", names(definition)),
        ("command", commands.join(" or ")),
        ("install", definition.install_hint.clone().unwrap_or_default()),
        (
            "needs",
            definition.requires.iter().map(|(program, _)| code(program)).collect::<Vec<_>>().join(", "),
        ),
        ("project", format!("the {choice} folder with {}", markers.join(", else "))),
        ("ready for a file", readiness(definition.ready_file, definition)),
        ("ready for the project", readiness(definition.ready_project, definition)),
        ("diagnostics", reporting(definition.reporting).to_owned()),
        ("tested", tested(definition).to_owned()),
    ];
    if let Some(finds) = &definition.finds {
        rows.push(("finds", finds.clone()));
    }
    if let Some(mute) = &definition.mute {
        rows.push(("finds nothing without", mute.lacking.clone()));
    }
    if let Some(most) = definition.most_symbols {
        let most = if most == 0 { "some".to_owned() } else { format!("at most {most}") };
        rows.push(("lists", format!("{most} symbols of a name")));
    }
    if let Some(most) = definition.most_uses {
        rows.push(("tells", format!("at most {most} uses where it does not take the argument against that")));
    }
    if definition.keeps_open != MOST_OPEN {
        rows.push((
            "open at one time",
            format!("{} documents, where others have {MOST_OPEN}", definition.keeps_open),
        ));
    }
    if let Some(searches) = definition.searches {
        let Searches { files, holding, shortest } = searches;
        let words = format!(
            "{files} files for the uses of a name and reads {holding} with it; names of fewer than {shortest} letters in their \
             own file only"
        );
        rows.push(("searches", words));
    }
    let named = format!("when your configuration names it (`[[servers]]` with `id = \"{}\"`)", definition.id);
    let trusted = "in a project that you trust (`orienteer trust`)";
    let alone = definition.candidates.iter().filter(|candidate| candidate.trusted_only);
    let alone: Vec<String> = alone.map(|candidate| code(&candidate.program)).collect();
    rows.push((
        "started",
        match (definition.optional, definition.trusted_only) {
            (true, true) => format!("only {named}, and {trusted}"),
            (true, false) => format!("only {named}"),
            (false, true) => format!("only {trusted}"),
            (false, false) if !alone.is_empty() => format!("{} only {trusted}", alone.join(", ")),
            (false, false) => String::new(),
        },
    ));
    for (name, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(page, "| {name} | {} |", cell(value));
    }
}

fn names(definition: &Definition) -> String {
    let extensions = definition.extensions.keys().map(|extension| code(&format!(".{extension}")));
    extensions.chain(definition.file_names.keys().map(|name| code(name))).collect::<Vec<_>>().join(" ")
}

fn command(candidate: &Candidate) -> String {
    let words = std::iter::once(candidate.program.as_str()).chain(candidate.args.iter().map(String::as_str));
    words.collect::<Vec<_>>().join(" ")
}

fn tested(definition: &Definition) -> &'static str {
    if definition.live_tested { "live" } else { "untested" }
}

fn readiness(ready: Readiness, definition: &Definition) -> String {
    match ready {
        Readiness::Immediate => "at once: its answers wait for what they need".to_owned(),
        Readiness::Status => "when its `experimental/serverStatus` says that it is quiescent".to_owned(),
        Readiness::Progress => "when the work it reports by `$/progress` has ended".to_owned(),
        Readiness::Message => {
            let messages: Vec<String> =
                definition.ready_messages.iter().map(|message| code(message.trim())).collect();
            format!("when it has logged {}", messages.join(" or "))
        }
    }
}

fn reporting(reporting: Reporting) -> &'static str {
    match reporting {
        Reporting::Auto => "pulled where it offers that, else published with versions",
        Reporting::Unversioned => "published; the last word counts once it is quiet",
        Reporting::Saved => "published when a file is saved; counted once it is quiet",
        Reporting::Flycheck => "pulled and published, and the compiler run that it starts on save",
        Reporting::Never => "none",
    }
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

/// A bar would end the cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::built_in;

    /// `docs/programs.md` says of each what a project's configuration can have it run. rust-analyzer is told of elsewhere.
    #[test]
    fn every_server_has_a_row_in_the_page_about_programs() {
        let repository = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let page = std::fs::read_to_string(repository.join("docs/programs.md")).unwrap();
        let (_, rows) = page.split_once("## Language servers").unwrap();
        let (rows, _) = rows.split_once("## Compilers").unwrap();
        let rows: Vec<Vec<&str>> = rows
            .lines()
            .filter_map(|line| Some(line.strip_prefix("| ")?.trim_end_matches(" |").split(" | ").collect()))
            .skip(2)
            .collect();
        let catalog = built_in().unwrap();
        let ids: Vec<&str> = catalog.iter().map(|definition| definition.id.as_str()).collect();
        assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), ids);
        for (row, definition) in rows.iter().zip(&catalog).skip(1) {
            assert_eq!(definition.trusted_only, row[2] == "not started", "{row:?}");
            let tried = row[3] != "from its documentation";
            assert_eq!(definition.live_tested, tried, "{row:?}");
            // What nobody tried is started by a stranger's project only where it has no configuration that could matter.
            assert!(tried || definition.trusted_only || definition.id == "markdown", "{row:?}");
        }
        let tests = repository.join("crates/orienteer/tests");
        let named = page.split('`').filter_map(|word| word.split_once("::"));
        for (module, name) in named.filter(|(module, _)| !matches!(*module, "program" | "git")) {
            let places = ["it", "live"].map(|folder| tests.join(folder).join(format!("{module}.rs")));
            let texts = places.iter().filter_map(|place| std::fs::read_to_string(place).ok());
            assert!(texts.into_iter().any(|text| text.contains(&format!("fn {name}("))), "{module}::{name}");
        }
    }

    #[test]
    fn every_server_has_its_table() {
        let catalog = built_in().unwrap();
        let page = markdown(&catalog);
        for definition in &catalog {
            let section = page
                .split(&format!("\n## {}\n", definition.id))
                .nth(1)
                .unwrap_or_else(|| panic!("{}", definition.id));
            let section = section.split("\n## ").next().unwrap();
            assert!(section.contains(definition.install_hint.as_ref().unwrap()), "{}", definition.id);
            let state = if definition.live_tested { "| tested | live |" } else { "| tested | untested |" };
            assert!(section.contains(state), "{}", definition.id);
            assert!(section.contains("| ready for the project | ") && section.contains("| diagnostics | "));
        }
        assert!(page.contains(
            "| command | `clangd --background-index --limit-references=0 --rename-file-limit=0` or `clangd"
        ));
        let named =
            "| started | only when your configuration names it (`[[servers]]` with `id = \"ruff\"`) |";
        assert!(page.contains(named));
        for line in page.lines().filter(|line| line.starts_with('|')) {
            let bars = line.replace("\\|", "").matches('|').count();
            assert!(bars == 3 || bars == 5, "{line}");
        }
    }
}

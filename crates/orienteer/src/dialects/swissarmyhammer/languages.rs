//! Which language server has which language: the document's table, with the settings laid over it.

use std::path::Path;

use orienteer_base::nearest::nearest;
use orienteer_engine::ServerSpec;
use orienteer_engine::servers::Definition;

use super::section::{Language, Section};
use super::yaml::Fault;

/// A language as it is without settings.
struct Usual {
    name: &'static str,
    command: &'static str,
    /// Tiers, as the catalog has them.
    root_markers: &'static [&'static str],
    install_hint: &'static str,
    requires: &'static [&'static str],
}

const USUAL: &[Usual] = &[
    Usual {
        name: "rust",
        command: "rust-analyzer",
        root_markers: &["Cargo.toml", "Cargo.lock"],
        install_hint: "rustup component add rust-analyzer",
        requires: &[],
    },
    Usual {
        name: "typescript",
        command: "typescript-language-server",
        root_markers: &["package.json|tsconfig.json|jsconfig.json"],
        install_hint: "npm install -g typescript-language-server typescript",
        requires: &["node>=14", "npm"],
    },
    Usual {
        name: "python",
        command: "pyright-langserver",
        root_markers: &["pyproject.toml", "setup.py", "requirements.txt"],
        install_hint: "npm install -g pyright",
        requires: &[],
    },
];

/// The servers that the settings and the document's table ask for.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Servers {
    /// Written by somebody.
    pub(super) configured: Vec<ServerSpec>,
    /// As they are without settings.
    pub(super) usual: Vec<ServerSpec>,
    /// Built-in ones for the same languages: each language has one server, and no other takes its place.
    pub(super) passed_over: Vec<String>,
}

pub(super) fn servers(section: &Section, built_in: &[Definition]) -> Result<Servers, Fault> {
    let mut servers = Servers::default();
    let mut paths: Vec<_> = section.server_paths.iter().collect();
    let names = USUAL.iter().map(|usual| usual.name);
    let others = section.languages.keys().map(String::as_str).filter(|name| usual(name).is_none());
    for name in names.chain(others) {
        let written = section.languages.get(name);
        let (mut spec, program) = spec(name, written, built_in)?;
        let mut touched = written.is_some();
        let is_meant = |named: &str| same(named, &program) || same(named, &spec.id) || same(named, name);
        if let Some(at) = paths.iter().position(|(named, _)| is_meant(named)) {
            let (_, (path, _)) = paths.remove(at);
            spec.command.clone_from(path);
            touched = true;
        }
        let base = built_in.iter().find(|definition| definition.id == spec.id);
        let is_rival = |other: &&Definition| {
            other.id != spec.id
                && (base.is_some_and(|base| base.language == other.language) || same(&other.language, name))
        };
        servers.passed_over.extend(built_in.iter().filter(is_rival).map(|other| other.id.clone()));
        if touched { &mut servers.configured } else { &mut servers.usual }.push(spec);
    }
    for (named, (path, line)) in paths {
        let Some(known) = by_program(named, built_in) else {
            return Err(nobody(named, *line, built_in));
        };
        let command = path.clone();
        servers.configured.push(ServerSpec { id: known.id.clone(), command, ..ServerSpec::default() });
    }
    Ok(servers)
}

/// The server of a language, and the program that is looked for when no path is given.
fn spec(
    name: &str,
    written: Option<&Language>,
    built_in: &[Definition],
) -> Result<(ServerSpec, String), Fault> {
    let usual = usual(name);
    let written = written.cloned().unwrap_or_default();
    let Some(program) = written.command.clone().or_else(|| usual.map(|usual| usual.command.to_owned()))
    else {
        let message = format!("`lsp.languages.{name}` needs a `command`: the program of its language server");
        return Err(Fault::new(written.line, message));
    };
    let known = by_program(&program, built_in);
    if known.is_none() && usual.is_none() && written.extensions.is_empty() {
        let message = format!("`lsp.languages.{name}` needs `extensions`, such as [\".{name}\"]");
        return Err(Fault::new(written.line, message));
    }
    // A known program by its plain name keeps what is known about it: its arguments, and how to tell it from a proxy.
    let plain = known
        .is_some_and(|known| known.candidates.first().is_some_and(|candidate| candidate.program == program));
    let of_table = |of: fn(&Usual) -> &'static [&'static str]| {
        let words = usual.map(of).unwrap_or_default();
        words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>()
    };
    let or = |written: Vec<String>, usual: Vec<String>| if written.is_empty() { usual } else { written };
    // Another program than the table's need not have its needs.
    let same_program = usual.is_some_and(|usual| same(stem(&program), usual.command));
    let needs = if same_program { of_table(|usual| usual.requires) } else { Vec::new() };
    let hint = usual.filter(|_| same_program).map(|usual| usual.install_hint.to_owned());
    let spec = ServerSpec {
        id: known.map_or_else(|| name.to_owned(), |known| known.id.clone()),
        command: if plain { String::new() } else { program.clone() },
        args: written.args.unwrap_or_default(),
        extensions: or(written.extensions, of_default(known, usual)),
        language_id: known.is_none().then(|| name.to_owned()).filter(|_| usual.is_none()),
        root_markers: or(written.root_markers, of_table(|usual| usual.root_markers)),
        install_hint: written.install_hint.or(hint),
        requires: or(written.requires, needs),
        ..ServerSpec::default()
    };
    Ok((spec, program))
}

/// A program that nobody knows still has the files of the language that it is configured for.
fn of_default(known: Option<&Definition>, usual: Option<&Usual>) -> Vec<String> {
    let extensions: &[&str] = match (known, usual.map(|usual| usual.name)) {
        (None, Some("rust")) => &["rs"],
        (None, Some("typescript")) => &["ts", "tsx", "js", "jsx"],
        (None, Some("python")) => &["py"],
        _ => &[],
    };
    extensions.iter().map(|extension| (*extension).to_owned()).collect()
}

fn usual(name: &str) -> Option<&'static Usual> {
    USUAL.iter().find(|usual| usual.name == name)
}

/// The built-in server that a program, or a path to it, is.
fn by_program<'d>(program: &str, built_in: &'d [Definition]) -> Option<&'d Definition> {
    let is = |definition: &&Definition| {
        same(&definition.id, program)
            || definition.candidates.iter().any(|candidate| same(&candidate.program, stem(program)))
    };
    built_in.iter().find(is)
}

fn stem(program: &str) -> &str {
    Path::new(program).file_stem().and_then(|stem| stem.to_str()).unwrap_or(program)
}

fn same(left: &str, right: &str) -> bool {
    left.eq_ignore_ascii_case(right)
}

fn nobody(named: &str, line: usize, built_in: &[Definition]) -> Fault {
    let programs = built_in.iter().flat_map(|definition| &definition.candidates);
    let close = nearest(named, programs.map(|candidate| candidate.program.as_str()), 1);
    let hint = close.first().map(|close| format!("; did you mean `{close}`?")).unwrap_or_default();
    let named: String = named.chars().take(60).collect();
    Fault::new(line, format!("`lsp.server_paths.{named}` is the program of no language server{hint}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use orienteer_engine::catalog;

    fn of(section: &Section) -> Servers {
        servers(section, &catalog::built_in().unwrap()).unwrap()
    }

    fn language(command: &str, extensions: &[&str]) -> Language {
        let extensions = extensions.iter().map(|extension| (*extension).to_owned()).collect();
        Language { command: Some(command.to_owned()), extensions, ..Language::default() }
    }

    fn with(name: &str, one: Language) -> Section {
        Section { languages: BTreeMap::from([(name.to_owned(), one)]), ..Section::default() }
    }

    #[test]
    fn without_settings_the_table_of_the_document_counts() {
        let servers = of(&Section::default());
        assert!(servers.configured.is_empty());
        let ids: Vec<&str> = servers.usual.iter().map(|spec| spec.id.as_str()).collect();
        assert_eq!(ids, ["rust-analyzer", "typescript-language-server", "pyright"]);
        let markers = |at: usize| servers.usual[at].root_markers.join("|");
        assert_eq!(markers(0), "Cargo.toml|Cargo.lock");
        assert_eq!(markers(1), "package.json|tsconfig.json|jsconfig.json");
        assert_eq!(markers(2), "pyproject.toml|setup.py|requirements.txt");
        let hints = [0, 2].map(|at| servers.usual[at].install_hint.as_deref());
        assert_eq!(hints, [Some("rustup component add rust-analyzer"), Some("npm install -g pyright")]);
        let typescript = &servers.usual[1];
        assert_eq!(typescript.requires, ["node>=14", "npm"]);
        assert_eq!(
            typescript.install_hint.as_deref(),
            Some("npm install -g typescript-language-server typescript")
        );
        assert!(typescript.command.is_empty(), "what is known of the program stays known");
        assert!(servers.passed_over.contains(&"typescript-native".to_owned()), "{:?}", servers.passed_over);
        assert!(!servers.passed_over.contains(&"rust-analyzer".to_owned()));
        // What the table leaves to the catalog is as the table has it.
        let catalog =
            catalog::merge(catalog::built_in().unwrap(), &servers.usual, &catalog::CatalogOptions::default());
        for (id, program, args, extensions) in [
            ("rust-analyzer", "rust-analyzer", &[][..], &["rs"][..]),
            (
                "typescript-language-server",
                "typescript-language-server",
                &["--stdio"],
                &["ts", "tsx", "js", "jsx"],
            ),
            ("pyright", "pyright-langserver", &["--stdio"], &["py"]),
        ] {
            let server = catalog.iter().find(|definition| definition.id == id).unwrap();
            let first = &server.candidates[0];
            assert_eq!((first.program.as_str(), first.args.join(" ")), (program, args.join(" ")));
            for extension in extensions {
                assert!(server.extensions.contains_key(*extension), "{id} {extension}");
            }
        }
    }

    #[test]
    fn another_program_for_a_language_takes_the_place_of_the_usual_one() {
        let servers = of(&with("typescript", language("tsgo", &[])));
        assert_eq!(
            (servers.configured[0].id.as_str(), servers.configured[0].command.as_str()),
            ("typescript-native", "tsgo")
        );
        assert!(servers.configured[0].requires.is_empty());
        assert_eq!(servers.usual.len(), 2);
        assert!(servers.passed_over.contains(&"typescript-language-server".to_owned()));
        let servers = of(&with("python", language("pylsp", &[])));
        assert_eq!(
            (servers.configured[0].id.as_str(), servers.configured[0].command.as_str()),
            ("pylsp", "")
        );
        let servers = of(&with("python", language("pypy-ls", &[])));
        assert_eq!(
            (servers.configured[0].id.as_str(), &servers.configured[0].extensions[..]),
            ("python", &["py".to_owned()][..])
        );
        assert!(servers.passed_over.contains(&"pyright".to_owned()));
    }

    #[test]
    fn a_language_of_its_own_has_its_own_name() {
        let servers = of(&with("go", language("gopls", &[".go"])));
        assert_eq!(
            (servers.configured[0].id.as_str(), servers.configured[0].command.as_str()),
            ("gopls", "")
        );
        let servers = of(&with("quux", language("/opt/quux-ls", &[".qx"])));
        let quux = &servers.configured[0];
        assert_eq!((quux.id.as_str(), quux.language_id.as_deref()), ("quux", Some("quux")));
        assert_eq!(quux.command, "/opt/quux-ls");
    }

    #[test]
    fn what_a_language_lacks_is_said_with_its_line() {
        let catalog = catalog::built_in().unwrap();
        let lacking = Language { line: 7, ..Language::default() };
        let fault = servers(&with("quux", lacking), &catalog).unwrap_err();
        assert!(fault.line == 7 && fault.message.contains("needs a `command`"), "{fault:?}");
        let fault = servers(&with("quux", language("x", &[])), &catalog).unwrap_err();
        assert!(fault.message.contains("needs `extensions`"), "{fault:?}");
    }

    #[test]
    fn a_path_goes_to_the_server_that_it_is_the_program_of() {
        let paths = |named: &str| Section {
            server_paths: BTreeMap::from([(named.to_owned(), ("/x/y".to_owned(), 3))]),
            ..Section::default()
        };
        for (named, id) in [
            ("rust-analyzer", "rust-analyzer"),
            ("pyright-langserver", "pyright"),
            ("gopls", "gopls"),
            ("clangd", "clangd"),
        ] {
            let servers = of(&paths(named));
            assert_eq!(
                (servers.configured[0].id.as_str(), servers.configured[0].command.as_str()),
                (id, "/x/y")
            );
        }
        assert_eq!(of(&paths("typescript-language-server")).configured[0].requires, ["node>=14", "npm"]);
        let fault = servers(&paths("rust-analyser"), &catalog::built_in().unwrap()).unwrap_err();
        assert!(fault.line == 3 && fault.message.contains("did you mean `rust-analyzer`?"), "{fault:?}");
    }
}

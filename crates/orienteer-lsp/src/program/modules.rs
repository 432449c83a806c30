//! The modules that a server which runs on Node may load in a project that nobody trusts: none of the project's.
//!
//! Such servers load what a project's configuration names: `vueCompilerOptions.plugins` of a `tsconfig.json`, a
//! `.prettierrc.js` by Svelte's, and whatever the next version knows. Words in configurations cannot be listed, so Node
//! itself is told before the server begins. What the user installed into the project counts as the user's, as it does for
//! programs.

use std::path::{Path, PathBuf};

use orienteer_process::Environment;
use serde_json::json;

use super::Found;
use crate::definition::Definition;

const VARIABLE: &str = "NODE_OPTIONS";
const SCRIPT: &str = include_str!("modules.mjs");

/// The environment of a server with the word to Node in it, where Node will look at it.
pub(crate) fn guarded(environment: Environment, definition: &Definition, found: &Found) -> Environment {
    let runs_on_node = definition.environment.iter().any(|name| name == VARIABLE);
    let Some((roots, installed)) = found.trusted.limits().filter(|_| runs_on_node) else {
        return environment;
    };
    let installed: Vec<PathBuf> = installed.iter().cloned().chain(home(&found.path)).collect();
    let list = |folders: &[PathBuf]| {
        json!(folders.iter().map(|folder| folder.to_string_lossy()).collect::<Vec<_>>()).to_string()
    };
    let script = format!("const roots = {}, installed = {};\n{SCRIPT}", list(roots), list(&installed));
    let import = format!("--import=data:text/javascript,{}", encoded(&script));
    let options = match environment.get(VARIABLE).and_then(|given| given.to_str()) {
        Some(given) => format!("{given} {import}"),
        None => import,
    };
    environment.with(VARIABLE, options)
}

/// Where the server itself is installed. That may be in a root, such as the home folder, and is the user's all the same.
fn home(program: &Path) -> Option<PathBuf> {
    let real = std::fs::canonicalize(program).ok()?;
    let packages = real.ancestors().filter(|folder| folder.ends_with("node_modules")).last();
    packages.or_else(|| real.parent()).map(Path::to_path_buf)
}

/// Neither spaces nor quotes, which would divide the variable.
fn encoded(script: &str) -> String {
    let mut text = String::with_capacity(script.len() * 2);
    for byte in script.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::catalog::built_in;
    use crate::program::Trusted;
    use orienteer_base::Roots;
    use orienteer_process::{CancellationToken, Launcher, ProcessSpec};
    use orienteer_testkit::{tools, tree};

    /// Node with the options that a server would get, asked to load modules in every way.
    #[tokio::test]
    async fn node_loads_nothing_of_the_project_but_data_and_what_is_installed() {
        let program = "const tries = {
  script: () => require('/in/a.cjs'), module: () => import('/in/a.mjs'), link: () => import('/link.mjs'),
  words: () => import('data:text/javascript,0'), data: () => require('/in/a.json'), beside: () => require('/b.cjs'),
  builtin: () => import('node:path'), typed: () => import('/in/a.mts'),
  worker: () => new Promise((yes, no) => new (require('worker_threads').Worker)('/in/a.cjs').on('exit', yes).on('error', no)),
};
(async () => { for (const [name, load] of Object.entries(tries)) {
  try { await load(); console.log(name) } catch (error) { console.log('no ' + name, /needs trust/.test(error.message)) }
} })();";
        let tree = tree("//- /in/a.json\n{}\n//- /in/a.mts\n\n");
        let (root, mark) = (tree.root(), tree.root().join("ran"));
        tree.write("in/a.cjs", format!("require('fs').writeFileSync('{}', '')", mark.display()));
        tree.write("in/a.mjs", format!("import fs from 'fs'; fs.writeFileSync('{}', '')", mark.display()));
        tree.write("b.cjs", "");
        let at = |path: &str| root.join(path).display().to_string();
        std::os::unix::fs::symlink(at("in/a.mjs"), at("link.mjs")).unwrap();
        let program = program
            .replace("'/in", &format!("'{}", at("in")))
            .replace("'/link", &format!("'{}", at("link")))
            .replace("'/b", &format!("'{}", at("b")));
        let main = tree.beside("server").join("main.cjs");
        std::fs::write(&main, program).unwrap();
        let roots = Roots::new(&root.join("in"), &[]).unwrap();
        let found =
            Found { path: main.clone(), trusted: Trusted::nothing_for_tests(&roots), ..Found::default() };
        let definitions = built_in().unwrap();
        let svelte = definitions.iter().find(|known| known.id == "svelte").unwrap();
        let environment = guarded(Environment::default().with(VARIABLE, "--no-warnings"), svelte, &found);
        let options = environment.get(VARIABLE).unwrap();
        assert!(options.to_str().unwrap().starts_with("--no-warnings --import=data:"));
        let environment = Environment::default().with("PATH", tools::server_path()).with(VARIABLE, options);
        let node = ProcessSpec::new(tools::require("node"), root, environment).args([&main]);
        let finished = Launcher::without_reaper().run(&node, &CancellationToken::new()).await.unwrap();
        let expected = "no script true\nno module true\nno link true\nno words true\ndata\nno beside true\nbuiltin\nno typed true\nno worker true\n";
        assert_eq!(finished.stdout.text(), expected, "{}", finished.stderr.text());
        assert!(!mark.exists());
        let trusted = Found { trusted: Trusted::everything_for_tests(), ..Found::default() };
        assert_eq!(guarded(Environment::default(), svelte, &trusted).get(VARIABLE), None);
        let gopls = definitions.iter().find(|known| known.id == "gopls").unwrap();
        assert_eq!(guarded(Environment::default(), gopls, &found).get(VARIABLE), None);
    }

    #[test]
    fn a_server_may_load_itself_wherever_it_is_installed() {
        let tree = tree("//- /lib/node_modules/server/node_modules/inner/main.js\n\n//- /bin/other\n\n");
        let of = |path: &str| home(&tree.root().join(path)).unwrap();
        assert_eq!(
            of("lib/node_modules/server/node_modules/inner/main.js"),
            tree.root().join("lib/node_modules")
        );
        assert_eq!(of("bin/other"), tree.root().join("bin"));
    }
}

//! A client of the dialect that follows every hint which proposes a call.

use orienteer_testkit::emulator::{Emulator, TOKEN};
use orienteer_testkit::fake::{Script, fake_lsp_binary};
use orienteer_testkit::{Framing, Server, Tree, tools, tree};
use serde_json::{Map, Value, json};

use crate::ORIENTEER;

/// A project of TypeScript about coming in, as the document's examples are.
pub(crate) const AUTH: &str = r#"//- /package.json
{ "name": "auth", "private": true }
//- /tsconfig.json
{
  "compilerOptions": {
    "strict": true, "target": "es2022", "module": "esnext", "moduleResolution": "bundler", "types": [], "noEmit": true
  },
  "include": ["src"]
}
//- /src/services/AuthService.ts
import { validateToken } from "../utils";

/** Who may come in. */
export class AuthService {
  private seen = 0;

  authenticate(token: string): boolean {
    this.seen += 1;
    return this.known(token) && validateToken(token);
  }

  known(token: string): boolean {
    return token.length > this.seen;
  }
}
//- /src/utils.ts
/** Whether a token looks like one. */
export function validateToken(token: string): boolean {
  return token.startsWith("tok-");
}

export function lonely(): string {
  return "nobody calls";
}
//- /src/index.ts
import { AuthService } from "./services/AuthService";

const service = new AuthService();

export function login(token: string): string {
  return service.authenticate(token) ? "welcome" : "go away";
}

export function enter(): string {
  return login("tok-1");
}
const party = "🎉"; export const twice = login(party) + login("x");
//- /src/index.test.ts
import { AuthService } from "./services/AuthService";

export const tested = new AuthService().authenticate("tok-2");
"#;

/// A running program and its workspace.
pub(crate) struct Asking {
    pub(crate) server: Server,
    pub(crate) tree: Tree,
}

impl Asking {
    pub(crate) fn over(fixture: &str) -> Self {
        Self::with(tree(fixture), "", &[])
    }

    /// With these settings of the user and these variables; every installed server is in PATH.
    pub(crate) fn with(tree: Tree, settings: &str, variables: &[(&str, &str)]) -> Self {
        Self::speaking("octocode", tree, settings, variables)
    }

    pub(crate) fn speaking(dialect: &str, tree: Tree, settings: &str, variables: &[(&str, &str)]) -> Self {
        let folder = tree.beside("home").join(".config/orienteer");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), settings).unwrap();
        let path = tools::server_path();
        let mut all = vec![("PATH", path.to_str().unwrap())];
        // Nobody's own tokens and logins count in tests.
        for name in
            ["GH_TOKEN", "GITHUB_TOKEN", "GITLAB_TOKEN", "GITLAB_HOST", "GH_CONFIG_DIR", "WORKSPACE_ROOT"]
        {
            all.push((name, ""));
        }
        all.extend(variables);
        let arguments = ["--dialect", dialect, "--log-level", "warn"];
        let mut server = Server::start_with(ORIENTEER, tree.root(), &arguments, &all, Framing::Lines);
        server.initialize("2025-11-25");
        Self { server, tree }
    }

    /// Asks an emulator of GitHub.
    pub(crate) fn of(emulator: &Emulator) -> Self {
        let settings = host(&emulator.name(), "github", Some(&emulator.api()));
        Self::with(tree("//- /README.md\nuseState\n"), &settings, &[("MINE", TOKEN)])
    }

    /// With a language server that does what the script says.
    pub(crate) fn of_fake(fixture: &str, script: &Script) -> Self {
        let tree = tree(fixture);
        let script = script.write(&tree.beside("fake"));
        let settings = format!(
            "[lsp]\nwait_ms = 6000\n[[servers]]\nid = 'fake'\ncommand = '{}'\nargs = ['{}']\nextensions = ['fake']\nroot_markers = ['.']\n",
            fake_lsp_binary().display(),
            script.display()
        );
        Self::with(tree, &settings, &[])
    }

    /// The whole answer of a call, and whether it is an error as MCP has it.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> (Value, bool) {
        let result = self.server.call(tool, arguments);
        assert!(result.get("structuredContent").is_none(), "{result}");
        assert_eq!(result["content"].as_array().unwrap().len(), 1, "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(!text.contains(TOKEN), "{text}");
        (serde_json::from_str(text).unwrap(), result["isError"] == json!(true))
    }

    /// The rows of a call. What their hints propose is followed.
    pub(crate) fn rows(&mut self, tool: &str, queries: Value) -> Vec<Value> {
        let rows = self.unfollowed(tool, queries);
        rows.iter().for_each(|row| self.follow(row));
        rows
    }

    /// The same, for where the other side answers one question only, or is not there in tests.
    pub(crate) fn unfollowed(&mut self, tool: &str, queries: Value) -> Vec<Value> {
        let (answer, _) = self.call(tool, json!({ "queries": queries }));
        assert_eq!(keys(&answer), ["results"], "{answer:#}");
        let rows = answer["results"].as_array().unwrap().clone();
        for (index, row) in rows.iter().enumerate() {
            assert_eq!(row["queryIndex"], index, "{row:#}");
            let hints = row["hints"].as_array().unwrap();
            assert!(hints.iter().all(Value::is_string), "{row:#}");
            assert!(!hints.is_empty(), "nothing leads on from here: {tool} {row:#}");
            match row["status"].as_str() {
                Some("success") => {
                    assert_eq!(keys(row), ["data", "hints", "queryIndex", "status"], "{row:#}")
                }
                Some("error") => assert!(row["error"].is_string() && row["code"].is_string(), "{row:#}"),
                _ => panic!("{row:#}"),
            }
        }
        rows
    }

    pub(crate) fn row(&mut self, tool: &str, query: Value) -> Value {
        self.rows(tool, json!([query])).remove(0)
    }

    /// The row of one query whose hints are not followed.
    pub(crate) fn once(&mut self, tool: &str, query: Value) -> Value {
        self.unfollowed(tool, json!([query])).remove(0)
    }

    /// The data of a query that succeeds.
    pub(crate) fn get(&mut self, tool: &str, query: Value) -> Value {
        let row = self.row(tool, query.clone());
        assert_eq!(row["status"], "success", "{tool} {query}: {row:#}\n{}", self.server.stderr());
        row["data"].clone()
    }

    /// The row of a query that fails.
    pub(crate) fn refused(&mut self, tool: &str, query: Value) -> Value {
        let row = self.row(tool, query.clone());
        assert_eq!(row["status"], "error", "{tool} {query}: {row:#}");
        row
    }

    /// Every call that a hint proposes runs as given. Those that depend on something say so first.
    fn follow(&mut self, row: &Value) {
        for hint in row["hints"].as_array().unwrap() {
            let Some((tool, arguments)) = proposed(hint.as_str().unwrap()) else { continue };
            let (answer, _) = self.call(&tool, arguments);
            let found = &answer["results"][0];
            let text = hint.as_str().unwrap();
            if text.starts_with("If ") || text.starts_with("Ask again") {
                let code = found["code"].as_str().unwrap_or_default();
                assert!(!["VALIDATION_ERROR", "INVALID_QUERY"].contains(&code), "{hint}: {answer:#}");
            } else {
                assert_eq!(found["status"], "success", "{hint}: {answer:#}");
            }
        }
    }
}

/// The names of an object's fields, in order of the alphabet.
pub(crate) fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// The call that a hint proposes: `why: tool {"queries":[…]}`.
pub(crate) fn proposed(hint: &str) -> Option<(String, Value)> {
    let (before, _) = hint.split_once(" {\"queries\":")?;
    let tool = before.rsplit(' ').next()?.to_owned();
    let arguments = serde_json::from_str(hint[before.len()..].trim()).unwrap_or_else(|_| panic!("{hint}"));
    Some((tool, arguments))
}

/// The hints of a row as one text.
pub(crate) fn hints(row: &Value) -> String {
    let hints = row["hints"].as_array().unwrap().iter();
    hints.map(|hint| hint.as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

/// Two objects in one.
pub(crate) fn with(mut query: Value, more: Value) -> Value {
    query.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    query
}

/// The fields that queries to other machines have to have.
pub(crate) fn goals() -> Map<String, Value> {
    let goals = json!({ "mainResearchGoal": "understand hooks", "researchGoal": "find the source", "reasoning": "it is there" });
    goals.as_object().unwrap().clone()
}

/// A query to a forge on this machine.
pub(crate) fn there(host: &str, more: Value) -> Value {
    with(with(Value::Object(goals()), json!({ "host": host })), more)
}

/// A `[[hosts]]` block of the user's settings, with a token in `MINE`.
pub(crate) fn host(name: &str, provider: &str, api: Option<&str>) -> String {
    let api = api.map(|api| format!("api_url = '{api}'\n")).unwrap_or_default();
    format!(
        "[remote]\nask_programs = false\n[[hosts]]\nhost = '{name}'\nprovider = '{provider}'\n{api}token_variable = 'MINE'\n"
    )
}

/// Everything of a list that is paged by number: asked for page after page, by the hint that leads on.
pub(crate) fn all_pages(asking: &mut Asking, tool: &str, query: Value, list: &str) -> (Vec<Value>, Value) {
    let (mut found, mut query, mut pages) = (Vec::new(), query, 0);
    loop {
        let row = asking.once(tool, query.clone());
        assert_eq!(row["status"], "success", "{row:#}");
        found.extend(row["data"][list].as_array().unwrap_or_else(|| panic!("{row:#}")).clone());
        pages += 1;
        let pagination = &row["data"]["pagination"];
        assert_eq!(pagination["currentPage"], pages, "{row:#}");
        if pagination["hasMore"] == json!(false) {
            if let Some(total) = pagination.get("totalPages") {
                assert_eq!(total, pages, "{row:#}");
            }
            return (found, row["data"].clone());
        }
        let hints = row["hints"].as_array().unwrap();
        let next = hints.iter().find(|hint| hint.as_str().unwrap().starts_with("Page "));
        let (same, arguments) =
            proposed(next.unwrap_or_else(|| panic!("{row:#}")).as_str().unwrap()).unwrap();
        assert_eq!(same, tool);
        query = arguments["queries"][0].clone();
    }
}

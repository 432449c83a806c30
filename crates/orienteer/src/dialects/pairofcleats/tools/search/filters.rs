//! Which filters may a client write, and what are they in our words?

mod table;

use orienteer_base::answer::Warning;
use orienteer_base::{Completeness, ErrorKind, Problem, Reason};
use orienteer_engine::Session;
use orienteer_engine::index::Filters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use table::Means::{Case, Days, Declared, Flow, Is, Lines, MetaJson, Role, Unknown};
use table::{DECLARED, TABLE};

pub(super) use table::{in_their_words, spoken};

/// As a client writes them.
#[derive(Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Written {
    /// Kind: function, method, class, heading, …
    r#type: Option<String>,
    /// Part of the name or address of who changed the file last.
    author: Option<String>,
    /// Part of the name of who wrote the newest of its lines.
    chunk_author: Option<String>,
    /// Module, package or name that the file imports.
    import: Option<String>,
    /// Name of something that it calls.
    calls: Option<String>,
    /// Type or constant that it names.
    uses: Option<String>,
    /// Part of the signature.
    signature: Option<String>,
    /// Name or type of a parameter.
    param: Option<String>,
    /// Decorator, attribute or annotation.
    decorator: Option<String>,
    /// Type of a parameter or of what it returns, as declared; no other types are known.
    inferred_type: Option<String>,
    /// Type that it is declared to return.
    return_type: Option<String>,
    /// Error that it throws.
    throws: Option<String>,
    /// Unsupported for every language.
    awaits: Option<String>,
    /// Field or variable that it reads.
    reads: Option<String>,
    /// Field or variable that it writes.
    writes: Option<String>,
    /// Unsupported for every language; see writes.
    mutates: Option<String>,
    /// Unsupported for every language.
    alias: Option<String>,
    /// Base class, interface or trait.
    extends: Option<String>,
    /// public, protected, internal or private.
    visibility: Option<String>,
    r#async: Option<bool>,
    generator: Option<bool>,
    /// Unsupported for every language; see returnType.
    returns: Option<bool>,
    /// Least number of branches.
    branches_min: Option<u64>,
    /// Least number of loops.
    loops_min: Option<u64>,
    /// Unsupported for every language.
    breaks_min: Option<u64>,
    /// Unsupported for every language.
    continues_min: Option<u64>,
    /// Least number of commits that changed the file.
    churn_min: Option<u64>,
    /// source, sink, flow, or a tag such as sql.
    risk: Option<String>,
    /// A tag such as sql or request.
    risk_tag: Option<String>,
    /// Tag of a source: request, env, …
    risk_source: Option<String>,
    /// Tag of a sink: exec, sql, …
    risk_sink: Option<String>,
    /// A tag such as sql or request.
    risk_category: Option<String>,
    /// request->sql, or the tag of the sink.
    risk_flow: Option<String>,
    /// Changed after a date, a time, or an age such as 7d.
    modified_after: Option<String>,
    /// Changed within so many days.
    modified_since: Option<u64>,
    /// Part of the path, or a glob.
    path: Option<String>,
    /// Name of the file, the end of a path, or a glob.
    file: Option<String>,
    /// Extension, with or without the dot.
    ext: Option<String>,
    lang: Option<String>,
    /// Branch that the index was built on.
    branch: Option<String>,
    /// Capitals count, in words and in filters.
    case: Option<bool>,
    /// Capitals count in path, file and ext.
    case_file: Option<bool>,
    /// Capitals count in words.
    case_tokens: Option<bool>,
    /// Files that the grammar cannot read in full.
    lint: Option<bool>,
    /// Metadata of records: {"severity": "high"}.
    meta: Option<Map<String, Value>>,
    /// The same as JSON text.
    meta_json: Option<String>,
}

/// Those that are about names of files.
const OF_FILES: [&str; 3] = ["path", "file", "ext"];

/// Filters in our words.
pub(super) struct Translated {
    pub(super) filters: Filters,
    pub(super) written_by: Option<String>,
    pub(super) warnings: Vec<Warning>,
    pub(super) completeness: Completeness,
}

impl Written {
    pub(super) fn translate(&self, session: &Session) -> Result<Translated, Problem> {
        let given = json!(self);
        let mut translated = Translated {
            filters: Filters::default(),
            written_by: None,
            warnings: Vec::new(),
            completeness: Completeness::Complete,
        };
        let set = |flag: Option<bool>| flag == Some(true);
        let (words, files) = (set(self.case) || set(self.case_tokens), set(self.case) || set(self.case_file));
        if words && !files && OF_FILES.iter().any(|name| !given[*name].is_null()) {
            let message = "with `caseTokens`, capitals count in `path`, `file` and `ext` as well";
            translated.warnings.push(Warning::new("case", message));
        }
        if words {
            translated.take(session, json!({ "case": true }))?;
        }
        for (name, means) in TABLE {
            let value = &given[*name];
            if value.is_null() {
                continue;
            }
            let read = |problem: Problem| blame(problem, name);
            match means {
                Is("kind") => translated.take(session, json!({ "kind": kind(value) })).map_err(read)?,
                Is("ext") | Is("path") | Is("file") if files && !words => {
                    let own = session.search_filters(&json!({ *name: bare(name, value), "case": true }));
                    let mut own = own.map_err(read)?;
                    // Only these names are compared so, not the words of the query.
                    own.case = false;
                    translated.lay(own)?;
                }
                Is("ext") => translated.take(session, json!({ "ext": bare(name, value) })).map_err(read)?,
                Is(ours) => translated.take(session, json!({ *ours: value })).map_err(read)?,
                Role(role) => {
                    let tag = format!("{role}:{}", value.as_str().unwrap_or_default().trim());
                    translated.take(session, json!({ "risk": tag })).map_err(read)?;
                }
                Flow => {
                    for risk in flow(value.as_str().unwrap_or_default()) {
                        translated.take(session, json!({ "risk": risk })).map_err(read)?;
                    }
                }
                Days => translated
                    .take(session, json!({ "modified_after": format!("{value}d") }))
                    .map_err(read)?,
                MetaJson => {
                    let meta = object(value.as_str().unwrap_or_default())?;
                    translated.take(session, json!({ "meta": meta })).map_err(read)?;
                }
                Declared => {
                    translated.take(session, json!({ DECLARED: value })).map_err(read)?;
                    let message = "`inferredType`: types are not inferred; those that are declared for parameters and \
                                   results were compared";
                    translated.warnings.push(Warning::new("declared_types", message));
                    translated.completeness = Completeness::partial(Reason::NotChecked);
                }
                Lines => translated.written_by = value.as_str().map(str::to_owned),
                Case => {}
                Unknown { instead } => return Err(unknown(name, instead)),
            }
        }
        Ok(translated)
    }
}

impl Translated {
    /// One more filter, which must hold as well.
    fn take(&mut self, session: &Session, ours: Value) -> Result<(), Problem> {
        let own = session.search_filters(&ours)?;
        self.lay(own)
    }

    fn lay(&mut self, own: Filters) -> Result<(), Problem> {
        self.filters = std::mem::take(&mut self.filters).merged(own)?;
        Ok(())
    }
}

fn unknown(name: &'static str, instead: &str) -> Problem {
    let message = format!(
        "`{name}` is known for no language, so nothing can be said about it; take it away: {instead}"
    );
    Problem::new(ErrorKind::Unsupported, message)
        .field(name)
        .detail("unsupported_filter")
        .fact("filters", vec![name.to_owned()])
}

/// The filter as the client calls it.
fn blame(mut problem: Problem, name: &'static str) -> Problem {
    problem.field = Some(name);
    spoken(&mut problem);
    problem
}

/// `FunctionDeclaration`, as parsers call it, is a function.
fn kind(value: &Value) -> String {
    let word = value.as_str().unwrap_or_default().trim();
    let ends = ["Declaration", "Definition", "Statement"];
    ends.iter()
        .find_map(|end| word.strip_suffix(end))
        .filter(|word| !word.is_empty())
        .unwrap_or(word)
        .to_owned()
}

/// Without the dot of an extension.
fn bare(name: &str, value: &Value) -> String {
    let text = value.as_str().unwrap_or_default().trim();
    if name == "ext" { text.trim_start_matches('.') } else { text }.to_owned()
}

/// What must be there for a flow from one tag to another.
fn flow(written: &str) -> Vec<String> {
    let parts: Vec<&str> = written.split("->").map(str::trim).collect();
    match parts.as_slice() {
        [source, sink] => vec![format!("source:{source}"), format!("flow:{sink}")],
        ["flow" | "true" | "any"] => vec!["flow".to_owned()],
        _ => vec![format!("flow:{}", written.trim())],
    }
}

fn object(text: &str) -> Result<Value, Problem> {
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Ok(Value::Object(object)),
        _ => {
            let message = "`metaJson` must be a JSON object, such as {\"severity\": \"high\"}";
            Err(Problem::invalid("metaJson", "wrong_type", message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_filter_once_and_each_of_ours_exists() {
        let given = json!(Written::default());
        let mut written: Vec<&str> = given.as_object().unwrap().keys().map(String::as_str).collect();
        let mut table: Vec<&str> = TABLE.iter().map(|(name, _)| *name).collect();
        assert_eq!(table.len(), 46);
        written.sort_unstable();
        table.sort_unstable();
        assert_eq!(written, table);
        let ours: Vec<&str> = orienteer_engine::index::filters().map(|(name, ..)| name).collect();
        for (name, means) in TABLE {
            if let Is(native) = means {
                assert!(ours.contains(native), "{name}: {native}");
            }
        }
        assert!(ours.contains(&DECLARED));
        for (name, means) in TABLE {
            if let Unknown { instead } = means {
                assert!(!instead.is_empty(), "{name}");
            }
        }
    }

    #[test]
    fn values_are_read_as_clients_write_them() {
        assert_eq!(
            ["ClassDeclaration", "Declaration", " method "].map(|word| kind(&json!(word))),
            ["Class", "Declaration", "method"]
        );
        assert_eq!((bare("ext", &json!(".rs")), bare("path", &json!(".git"))), ("rs".into(), ".git".into()));
        assert_eq!(flow("request -> sql"), ["source:request", "flow:sql"]);
        assert_eq!((flow("sql"), flow("flow")), (vec!["flow:sql".to_owned()], vec!["flow".to_owned()]));
        assert!(object("[]").is_err() && object("{\"a\": 1}").is_ok());
    }
}

//! How prettier is asked to format a file of a project that nobody trusts.
//!
//! Its configuration may be a program, or name modules that are. So prettier looks for none: what the project configures
//! is found and read here, and handed over as options of a list. What is not plain data is refused.

mod options;
mod yaml;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use serde_json::Value;

use super::editor_config;
use super::refusal::{Refusal, read_settings};

/// How a file of the configuration is read.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Json,
    Yaml,
    Toml,
    /// With the configuration, if there is one, as the value of `prettier`.
    PackageJson,
    PackageYaml,
    Program,
}

/// In the order in which prettier looks for them in a folder. Old ones know fewer: what they would not see is refused all
/// the same.
const NAMES: &[(&str, Kind)] = &[
    ("package.json", Kind::PackageJson),
    ("package.yaml", Kind::PackageYaml),
    (".prettierrc", Kind::Yaml),
    (".prettierrc.json", Kind::Json),
    (".prettierrc.yaml", Kind::Yaml),
    (".prettierrc.yml", Kind::Yaml),
    (".prettierrc.json5", Kind::Json),
    (".prettierrc.js", Kind::Program),
    ("prettier.config.js", Kind::Program),
    (".prettierrc.ts", Kind::Program),
    ("prettier.config.ts", Kind::Program),
    (".prettierrc.mjs", Kind::Program),
    ("prettier.config.mjs", Kind::Program),
    (".prettierrc.mts", Kind::Program),
    ("prettier.config.mts", Kind::Program),
    (".prettierrc.cjs", Kind::Program),
    ("prettier.config.cjs", Kind::Program),
    (".prettierrc.cts", Kind::Program),
    ("prettier.config.cts", Kind::Program),
    (".prettierrc.toml", Kind::Toml),
];

/// Where the project is trusted, prettier finds everything by itself.
pub(super) fn trusted(file: &Path) -> Vec<OsString> {
    let mut arguments = vec![OsString::from("--stdin-filepath"), file.as_os_str().to_owned()];
    arguments.extend(ignore(file));
    arguments
}

pub(super) fn untrusted(file: &Path) -> Result<Vec<OsString>, Refusal> {
    let mut options = editor_config::options(file)?;
    options.extend(configured(file)?);
    let mut arguments: Vec<OsString> = ["--no-config", "--no-editorconfig"].map(OsString::from).into();
    arguments.extend(trusted(file));
    arguments.extend(options.iter().map(|(name, value)| options::argument(name, value).into()));
    Ok(arguments)
}

/// Whose patterns are those of the folder that it is in. Prettier by itself looks only where it was started.
fn ignore(file: &Path) -> [OsString; 2] {
    let mut places = file.ancestors().skip(1).map(|folder| folder.join(".prettierignore"));
    let found = places.find(|place| place.is_file());
    // One that is not there keeps it from those of the folder that it is started in.
    let place = found.unwrap_or_else(|| file.with_file_name(".prettierignore"));
    [OsString::from("--ignore-path"), place.into()]
}

/// Whether the project says how prettier is to format a file, in whatever form.
pub(super) fn is_configured(file: &Path) -> bool {
    file.ancestors().skip(1).any(|folder| {
        NAMES.iter().any(|(name, kind)| {
            let path = folder.join(name);
            path.is_file() && !matches!(read(&path, *kind), Ok(None))
        })
    })
}

/// What the nearest configuration says about a file.
fn configured(file: &Path) -> Result<BTreeMap<&'static str, String>, Refusal> {
    for folder in file.ancestors().skip(1) {
        for (name, kind) in NAMES {
            let path = folder.join(name);
            if !path.is_file() {
                continue;
            }
            let Some(configuration) = read(&path, *kind)? else { continue };
            let refuse = |why| Refusal::new(&path, why);
            let relative = file.strip_prefix(folder).ok().and_then(Path::to_str);
            let relative = relative.ok_or_else(|| refuse("the name of the file is not UTF-8".to_owned()))?;
            return options::read(&configuration, &relative.replace('\\', "/")).map_err(refuse);
        }
    }
    Ok(BTreeMap::new())
}

/// The configuration in a file; `None` where it has none, which packages need not.
fn read(path: &Path, kind: Kind) -> Result<Option<Value>, Refusal> {
    if matches!(kind, Kind::Program) {
        return Err(Refusal::new(path, "it is a program"));
    }
    let text = read_settings(path)?;
    let read = match kind {
        Kind::Json | Kind::PackageJson => {
            serde_json::from_str(&text).map_err(|error| format!("it is not plain JSON: {error}"))
        }
        Kind::Toml => {
            toml::from_str(&text).map_err(|error| format!("it is not plain TOML: {}", error.message()))
        }
        Kind::Yaml | Kind::PackageYaml | Kind::Program => yaml::read(&text),
    };
    let value: Value = read.map_err(|why| Refusal::new(path, why))?;
    Ok(match kind {
        Kind::PackageJson | Kind::PackageYaml => value.get("prettier").filter(|value| counts(value)).cloned(),
        _ => Some(value),
    })
}

/// Whether a value is something to JavaScript.
fn counts(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        _ => true,
    }
}

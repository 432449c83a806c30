//! How is a package written in each kind of file?

use super::{Hit, Name};

pub(super) type Find = fn(&str, &Name<'_>) -> Vec<Hit>;

/// Lines behind a name in which its version stands.
const NEAR: usize = 6;
/// Hits of one file; a name that stands there more often is told by these.
const MOST: usize = 200;
/// A line of a machine may be a whole file. Whoever shows it cuts it to what people read, after secrets in it are hidden:
/// those are recognised as a whole only.
const LONGEST: usize = 2_000;

fn hit(at: usize, line: &str, version: Option<String>) -> Hit {
    let text = line.trim().chars().take(LONGEST).collect();
    Hit { line: u32::try_from(at + 1).unwrap_or(u32::MAX), text, version, required_by: None, alias: None }
}

/// Gives each line with its number; what `look` makes of it is kept.
fn each(text: &str, mut look: impl FnMut(usize, &str, &[&str]) -> Option<Hit>) -> Vec<Hit> {
    let lines: Vec<&str> = text.lines().collect();
    let mut hits = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        hits.extend(look(at, line, lines.get(at + 1..).unwrap_or_default()));
        if hits.len() >= MOST {
            break;
        }
    }
    hits
}

/// `"key": value` of a line of JSON.
fn entry(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim().strip_prefix('"')?;
    let (key, rest) = rest.split_once('"')?;
    Some((key, rest.trim_start().strip_prefix(':')?.trim().trim_end_matches(',')))
}

fn unquoted(value: &str) -> Option<String> {
    let value = value.trim().trim_end_matches(',').trim_matches(['"', '\'']).trim();
    (!value.is_empty() && !value.starts_with(['{', '['])).then(|| value.to_owned())
}

/// The value of a key in the next few lines: `"version": "1"`, `version = "1"`, `version "1"`, `version: 1`.
fn near(following: &[&str], key: &str) -> Option<String> {
    following.iter().take(NEAR).find_map(|line| {
        let line = line.trim().trim_start_matches('"');
        let rest = line.strip_prefix(key)?.trim_start_matches('"').trim_start();
        unquoted(rest.trim_start_matches(['=', ':']).trim_start())
    })
}

/// `"name": "^1.0"`, also when a whole object stands on one line.
pub(super) fn json_key(text: &str, name: &Name<'_>) -> Vec<Hit> {
    each(text, |at, line, _| {
        let parts = line.split(['{', ',']).filter_map(entry);
        parts
            .filter(|(_, value)| value.starts_with('"'))
            .filter_map(|(key, value)| {
                let value = unquoted(value.trim_end_matches(['}', ' ']));
                if let Some((package, range)) = value.as_deref().and_then(alias_of)
                    && name.is(package)
                {
                    let alias = (package != key).then(|| key.to_owned());
                    return Some(Hit { alias, ..hit(at, line, range.map(str::to_owned)) });
                }
                name.is(key).then(|| hit(at, line, value))
            })
            .next()
    })
}

/// The package and the range of `npm:name@range`, which stands under another name.
fn alias_of(value: &str) -> Option<(&str, Option<&str>)> {
    let written = value.strip_prefix("npm:")?;
    match before_range(written) {
        Some(package) => Some((package, written.get(package.len() + 1..))),
        // `npm:^1` is a range of the package itself.
        None => written.starts_with(|c: char| c == '@' || c.is_alphabetic()).then_some((written, None)),
    }
}

/// `"name": {` with a version inside.
pub(super) fn json_block(text: &str, name: &Name<'_>) -> Vec<Hit> {
    each(text, |at, line, following| {
        let (key, value) = entry(line)?;
        if !name.is(key) || !value.starts_with('{') {
            return None;
        }
        let version = near(following, "version").or_else(|| near(following, "resolved"));
        Some(hit(at, line, version.map(|version| version.trim_start_matches('=').to_owned())))
    })
}

/// `"name": "vendor/package"` with a version behind it.
pub(super) fn json_name(text: &str, name: &Name<'_>) -> Vec<Hit> {
    let mut owner: Option<String> = None;
    each(text, |at, line, following| {
        let (key, value) = entry(line)?;
        let value = unquoted(value);
        if key == "name" {
            owner.clone_from(&value);
            return value.filter(|value| name.is(value)).map(|_| hit(at, line, near(following, "version")));
        }
        let asked = name.is(key).then_some(value).flatten()?;
        Some(Hit { required_by: owner.clone(), ..hit(at, line, Some(asked)) })
    })
}

/// All versions of the file: `"node_modules/a/node_modules/name": {`, or `"name": {` in nested lists.
pub(super) fn npm_lock(text: &str, name: &Name<'_>) -> Vec<Hit> {
    let mut owner: Option<String> = None;
    each(text, |at, line, following| {
        let (key, value) = entry(line)?;
        let package = key.rsplit_once("node_modules/").map(|(_, package)| package);
        if value.starts_with('{') {
            if key.is_empty() || package.is_some() {
                owner = package.map(str::to_owned);
            }
            let named = name.is(package.unwrap_or(key));
            return named.then(|| hit(at, line, near(following, "version")));
        }
        // A package that is installed under another name says its own.
        if key == "name" && owner.is_some() && unquoted(value).is_some_and(|own| name.is(&own)) {
            return Some(hit(at, line, near(following, "version")));
        }
        let asked = unquoted(value)?;
        let other = alias_of(&asked).is_some_and(|(package, _)| name.is(package));
        (other || name.is(key)).then(|| Hit { required_by: owner.clone(), ..hit(at, line, Some(asked)) })
    })
}

/// The name before the last `@` of `name@range`, `"@scope/name@npm:range"`.
fn before_range(descriptor: &str) -> Option<&str> {
    let text = descriptor.trim().trim_matches('"');
    let at = text.get(1..)?.find('@')? + 1;
    text.get(..at)
}

/// Both generations of the file.
pub(super) fn yarn_lock(text: &str, name: &Name<'_>) -> Vec<Hit> {
    let mut owner: Option<String> = None;
    each(text, |at, line, following| {
        if line.starts_with('#') || line.trim().is_empty() {
            return None;
        }
        if !line.starts_with(' ') {
            let header = line.trim_end_matches(':');
            owner = before_range(header.split(", ").next().unwrap_or_default()).map(str::to_owned);
            let named = header.split(", ").filter_map(before_range).any(|one| name.is(one))
                || header.split(", ").any(|one| {
                    let one = one.trim().trim_matches('"');
                    let range = before_range(one).and_then(|key| one.get(key.len() + 1..));
                    range.and_then(alias_of).is_some_and(|(package, _)| name.is(package))
                });
            return named.then(|| hit(at, line, near(following, "version")));
        }
        let inner = line.strip_prefix("    ")?;
        let (key, range) = inner.split_once([' ', ':'])?;
        let key = key.trim_matches('"');
        name.is(key.trim_end_matches(':'))
            .then(|| Hit { required_by: owner.clone(), ..hit(at, line, unquoted(range)) })
    })
}

/// `/name@1.0:`, `name@1.0(peer):`, `/name/1.0:` and `name:` below importers.
pub(super) fn pnpm_lock(text: &str, name: &Name<'_>) -> Vec<Hit> {
    each(text, |at, line, following| {
        let key =
            line.trim().strip_suffix(':').or_else(|| line.trim().split_once(": ").map(|(key, _)| key))?;
        let key = key.trim_matches(['\'', '"']);
        if name.is(key) {
            let own = line.split_once(": ").and_then(|(_, value)| unquoted(value));
            return Some(hit(at, line, own.or_else(|| near(following, "version"))));
        }
        let key = key.trim_start_matches('/');
        let (package, rest) = match before_range(key) {
            Some(package) => (package, key.get(package.len() + 1..)?),
            None => key.rsplit_once('/')?,
        };
        let version = rest.split(['(', '_']).next().unwrap_or_default();
        let digit = version.starts_with(|c: char| c.is_ascii_digit());
        (digit && name.is(package)).then(|| hit(at, line, Some(version.to_owned())))
    })
}

/// `"name": ["name@1.0", …]`, and ranges of those who ask for it.
pub(super) fn bun_lock(text: &str, name: &Name<'_>) -> Vec<Hit> {
    each(text, |at, line, _| {
        let (key, value) = entry(line)?;
        if let Some(list) = value.strip_prefix('[') {
            let first = list.split(',').next().unwrap_or_default().trim().trim_matches('"');
            let package = before_range(first)?;
            let version = first.get(package.len() + 1..).map(str::to_owned);
            return name.is(package).then(|| hit(at, line, version));
        }
        (name.is(key) && value.starts_with('"')).then(|| hit(at, line, unquoted(value)))
    })
}

/// The name at the beginning of a requirement as PEP 508 writes it, and what stands behind it.
fn pep508(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = text
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))
        .unwrap_or(text.len());
    text.split_at(end)
}

/// Whether what stands behind a name makes it a requirement, and which version it asks for.
fn range_of(rest: &str) -> Option<Option<String>> {
    let rest = rest.trim_start();
    let rest = match rest.strip_prefix('[') {
        Some(extras) => extras.split_once(']')?.1.trim_start(),
        None => rest,
    };
    let rest = rest.trim_start_matches('(');
    let range = rest.split([';', '#', '"', '\'', ')', '\\']).next().unwrap_or_default().trim();
    if range.is_empty() {
        return (rest.is_empty() || rest.starts_with([';', '#', '"', '\'', ')', '\\'])).then_some(None);
    }
    let exact = range.strip_prefix("===").or_else(|| range.strip_prefix("==")).map(str::trim);
    range.starts_with(['=', '<', '>', '~', '!', '@']).then(|| Some(exact.unwrap_or(range).to_owned()))
}

pub(super) fn requirement(text: &str, name: &Name<'_>) -> Vec<Hit> {
    each(text, |at, line, _| {
        let plain = line.trim();
        if plain.starts_with(['#', '-']) {
            return None;
        }
        let (written, rest) = pep508(plain);
        let version = (!written.is_empty() && name.is(written)).then(|| range_of(rest)).flatten()?;
        Some(hit(at, line, version))
    })
}

/// Keys of TOML and of lists in quotes: `requests = "^2"`, `"requests>=2"`, `- requests=2`.
pub(super) fn python_manifest(text: &str, name: &Name<'_>) -> Vec<Hit> {
    each(text, |at, line, _| {
        let plain = line.trim();
        let own_name = plain.strip_prefix("name").is_some_and(|rest| rest.trim_start().starts_with('='));
        if plain.starts_with('#') || own_name {
            return None;
        }
        if let Some((key, value)) = plain.split_once('=')
            && name.is(key.trim().trim_matches('"'))
            && value.trim_start().starts_with(['"', '\'', '{', '['])
        {
            return Some(hit(at, line, version_in(value)));
        }
        if plain.starts_with('[')
            && plain
                .trim_matches(['[', ']'])
                .rsplit_once('.')
                .is_some_and(|(table, key)| table.ends_with("dependencies") && name.is(key))
        {
            return Some(hit(at, line, None));
        }
        // What stands in quotes, and what stands alone on a line of setup.cfg or environment.yml.
        let quoted = plain.split(['"', '\'']).skip(1).step_by(2);
        for one in quoted.chain(std::iter::once(plain.trim_start_matches("- "))) {
            let (written, rest) = pep508(one);
            if !written.is_empty()
                && name.is(written)
                && let Some(version) = range_of(rest)
            {
                return Some(hit(at, line, version));
            }
        }
        None
    })
}

/// The first text in quotes, behind `version` where that is named.
fn version_in(value: &str) -> Option<String> {
    let value = value.trim();
    if value.starts_with('{') {
        let (_, rest) = value.split_once("version")?;
        return version_in(rest.trim_start().strip_prefix('=')?);
    }
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value.get(1..)?.split(quote).next().map(|version| version.trim_start_matches("==").to_owned())
}

/// `name = "x"` with a version behind it, and lists of what it asks for.
pub(super) fn toml_blocks(text: &str, name: &Name<'_>) -> Vec<Hit> {
    let mut owner: Option<String> = None;
    let mut listed = false;
    each(text, |at, line, following| {
        let plain = line.trim();
        if let Some(value) = plain.strip_prefix("name = ") {
            let written = unquoted(value)?;
            owner = Some(written.clone());
            return name.is(&written).then(|| hit(at, line, near(following, "version")));
        }
        if plain.starts_with('[') && !plain.starts_with("[[") {
            listed = plain.contains("dependencies");
        }
        if plain.starts_with("dependencies = [") {
            listed = true;
        } else if plain == "]" {
            listed = false;
        }
        // ` "time 0.1.43",`, `{ name = "time" },`, `time = ">=1"`.
        let written = if let Some(rest) = plain.strip_prefix("{ name = \"") {
            rest.split('"').next()?
        } else if let Some(rest) = plain.strip_prefix('"') {
            rest.split([' ', '"', '>', '<', '=', '~', '!', ';', '[']).next()?
        } else if listed {
            plain.split_once(" = ")?.0.trim_matches('"')
        } else {
            return None;
        };
        (listed && name.is(written)).then(|| Hit { required_by: owner.clone(), ..hit(at, line, None) })
    })
}

pub(super) fn cargo_toml(text: &str, name: &Name<'_>) -> Vec<Hit> {
    let mut table = String::new();
    each(text, |at, line, following| {
        let plain = line.trim();
        if plain.starts_with('#') {
            return None;
        }
        if let Some(header) = plain.strip_prefix('[') {
            table = header.trim_end_matches(']').trim_matches('[').to_owned();
            let (above, key) = table.rsplit_once('.')?;
            let asks = above.ends_with("dependencies") && name.is(key.trim_matches('"'));
            return asks.then(|| hit(at, line, near(following, "version")));
        }
        let (key, value) = plain.split_once('=')?;
        let key = key.trim().trim_matches('"');
        if let Some(renamed) =
            value.split_once("package").and_then(|(_, rest)| rest.trim_start().strip_prefix('='))
            && table.ends_with("dependencies")
            && version_in(renamed).is_some_and(|written| name.is(&written))
        {
            return Some(Hit { alias: Some(key.to_owned()), ..hit(at, line, version_in(value)) });
        }
        if key == "package"
            && table.contains("dependencies.")
            && version_in(value).is_some_and(|written| name.is(&written))
        {
            let alias = table.rsplit('.').next().map(str::to_owned);
            return Some(Hit { alias, ..hit(at, line, None) });
        }
        let other = value.contains("package =") || value.contains("package=");
        let own = key.split('.').next().unwrap_or_default();
        (table.ends_with("dependencies") && !other && name.is(own)).then(|| hit(at, line, version_in(value)))
    })
}

pub(super) fn go_mod(text: &str, name: &Name<'_>) -> Vec<Hit> {
    each(text, |at, line, _| {
        let code = line.split("//").next().unwrap_or_default();
        let mut words =
            code.split_whitespace().filter(|word| !matches!(*word, "require" | "replace" | "exclude" | "("));
        let module = words.next()?;
        let inside =
            name.is(module) || name.wanted.strip_prefix(module).is_some_and(|rest| rest.starts_with('/'));
        let version = words.next().filter(|word| word.starts_with('v'));
        let named = code.trim_start().starts_with("replace") || version.is_some();
        (inside && named).then(|| hit(at, line, version.map(str::to_owned)))
    })
}

pub(super) fn go_sum(text: &str, name: &Name<'_>) -> Vec<Hit> {
    each(text, |at, line, _| {
        let mut words = line.split_whitespace();
        let (module, version) = (words.next()?, words.next()?);
        let inside =
            name.is(module) || name.wanted.strip_prefix(module).is_some_and(|rest| rest.starts_with('/'));
        // The second line of each module is about its go.mod alone.
        (inside && !version.ends_with("/go.mod")).then(|| hit(at, line, Some(version.to_owned())))
    })
}

/// The artifact, with its group in the lines around it.
pub(super) fn pom(text: &str, name: &Name<'_>) -> Vec<Hit> {
    let (group, artifact) = name.coordinates();
    let lines: Vec<&str> = text.lines().collect();
    let tag = |line: &str, tag: &str| {
        let rest = line.split_once(&format!("<{tag}>"))?.1;
        rest.split_once("</").map(|(value, _)| value.trim().to_owned())
    };
    let mut hits = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if tag(line, "artifactId").as_deref() != Some(artifact) || hits.len() >= MOST {
            continue;
        }
        let around = lines.get(at.saturating_sub(NEAR)..(at + NEAR).min(lines.len())).unwrap_or_default();
        let in_group =
            group.is_empty() || around.iter().any(|line| tag(line, "groupId").as_deref() == Some(group));
        if in_group {
            let version = lines.get(at..(at + NEAR).min(lines.len())).unwrap_or_default();
            let version = version
                .iter()
                .take_while(|line| !line.contains("</dependency>"))
                .find_map(|line| tag(line, "version"));
            hits.push(hit(at, line, version));
        }
    }
    hits
}

/// `group:artifact:version` in any kind of quotes, or the two apart.
pub(super) fn coordinates(text: &str, name: &Name<'_>) -> Vec<Hit> {
    let (group, artifact) = name.coordinates();
    let whole = format!("{group}:{artifact}");
    each(text, |at, line, _| {
        let code = line.trim();
        if code.starts_with("//") || code.starts_with('#') || code.starts_with('*') {
            return None;
        }
        if let Some((_, rest)) = code.split_once(&whole)
            && !group.is_empty()
            && !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
        {
            let version = rest
                .strip_prefix(':')
                .map(|rest| rest.split(['"', '\'', ')', '=', '@', ' ']).next().unwrap_or_default());
            return Some(hit(at, line, version.filter(|version| !version.is_empty()).map(str::to_owned)));
        }
        let quoted =
            |word: &str| code.contains(&format!("\"{word}\"")) || code.contains(&format!("'{word}'"));
        (!group.is_empty() && quoted(group) && quoted(artifact)).then(|| hit(at, line, None))
    })
}

pub(super) fn gem(text: &str, name: &Name<'_>) -> Vec<Hit> {
    each(text, |at, line, _| {
        let plain = line.trim();
        let asks = plain.starts_with("gem ") || plain.starts_with("gem(") || plain.contains("_dependency");
        let mut quoted = plain.split(['"', '\'']).skip(1).step_by(2);
        let written = quoted.next()?;
        (asks && !plain.starts_with('#') && name.is(written))
            .then(|| hit(at, line, quoted.next().map(str::to_owned)))
    })
}

pub(super) fn gem_lock(text: &str, name: &Name<'_>) -> Vec<Hit> {
    let mut owner: Option<String> = None;
    each(text, |at, line, _| {
        let indent = line.len() - line.trim_start().len();
        let (written, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let version = rest.trim_matches(['(', ')']).to_owned();
        let version = (!version.is_empty()).then_some(version);
        if indent == 4 {
            owner = Some(written.to_owned());
        }
        let listed = matches!(indent, 2 | 4 | 6) && name.is(written.trim_end_matches('!'));
        let required_by = if indent == 6 { owner.clone() } else { None };
        listed.then(|| Hit { required_by, ..hit(at, line, version) })
    })
}

/// `Include="Name" Version="1"`.
pub(super) fn attribute(text: &str, name: &Name<'_>) -> Vec<Hit> {
    let value = |line: &str, attribute: &str| {
        let rest = line.split_once(&format!("{attribute}=\""))?.1;
        rest.split('"').next().map(str::to_owned)
    };
    each(text, |at, line, _| {
        let written = ["Include", "Update", "id"].iter().find_map(|attribute| value(line, attribute))?;
        let version = value(line, "Version").or_else(|| value(line, "version"));
        name.is(&written).then(|| hit(at, line, version))
    })
}

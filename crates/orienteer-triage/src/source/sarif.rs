//! Results in SARIF 2.1.0, which most checkers can write.

mod base;

use orienteer_base::triage::{CodePlace, Cvss, Finding, Format, Severity};
use serde_json::Value;

use super::field::{LONG, Notes, first, get, line, list, long_text, number, plain, text, texts};
use super::{Given, finish, severity};
use crate::{cvss, ecosystem};

/// Places of one result that are kept.
const MOST_PLACES: usize = 50;

pub(super) fn recognise(piece: &Value) -> bool {
    get(piece, "runs").is_some_and(Value::is_array) || get(piece, "tool.driver").is_some_and(Value::is_object)
}

pub(super) fn read(piece: &Value, _: &Value, given: &mut Given) {
    if let Some(version) =
        get(piece, "version").and_then(Value::as_str).filter(|version| !version.starts_with("2.1"))
    {
        given.note(format!("this is SARIF {version}; it is read as 2.1.0"));
    }
    match get(piece, "runs").and_then(Value::as_array) {
        Some(runs) => runs.iter().for_each(|run| self::run(run, given)),
        None => run(piece, given),
    }
}

fn run(run: &Value, given: &mut Given) {
    let mut notes = Notes::default();
    if get(run, "tool.driver").is_none() {
        given.refuse("a run has no `tool.driver`");
        return;
    }
    if get(run, "results").is_none() {
        given.lack("a run has no `results`: its tool did not look, or did not finish");
    }
    let failed = |one: &Value| get(one, "executionSuccessful") == Some(&Value::Bool(false));
    if list(run, "invocations", &mut notes).iter().any(failed) {
        given.lack("a run says that its tool did not succeed: results may be missing");
    }
    let mut passed = 0;
    for result in list(run, "results", &mut notes) {
        let kind = get(result, "kind").and_then(Value::as_str);
        if matches!(kind, Some("pass" | "notApplicable" | "informational")) {
            passed += 1;
            continue;
        }
        given.give(self::result(result, run), result);
    }
    if passed > 0 {
        given.note(format!(
            "{passed} results say that something passed or does not apply; they are no findings"
        ));
    }
}

fn result(result: &Value, run: &Value) -> Result<Finding, String> {
    if !result.is_object() {
        return Err(format!("it is {}, not an object", super::kind(result)));
    }
    let mut notes = Notes::default();
    let nothing = Value::Null;
    let rule = rule(result, run).unwrap_or(&nothing);
    let rule_id =
        text(result, &["ruleId", "rule.id"], &mut notes).or_else(|| text(rule, &["id"], &mut notes));
    let message = message(result, rule, run);
    let Some(rule_id) = rule_id.or_else(|| (!message.is_empty()).then(|| "no-rule".to_owned())) else {
        return Err("it has neither a rule nor a message".to_owned());
    };
    let mut finding = Finding::new(Format::Sarif);
    finding.tool = text(run, &["tool.driver.name"], &mut notes);
    let known = &mut finding.vulnerability;
    known.ids = vec![rule_id.clone()];
    known.title = text(rule, &["shortDescription.text", "name"], &mut notes)
        .unwrap_or_else(|| message.lines().next().unwrap_or(&rule_id).chars().take(200).collect());
    let about = long_text(rule, &["fullDescription.text", "help.text"], LONG, &mut notes);
    known.description = match about.filter(|about| *about != message) {
        Some(about) if message.is_empty() => about,
        Some(about) => format!("{message}\n\n{about}"),
        None => message.clone(),
    };
    known.severity = how_bad(result, rule, &mut known.cvss, &mut notes);
    known.cwe = weaknesses(rule, &mut notes);
    known.references = texts(rule, &["helpUri"], &[], &mut notes);
    finding.places = places(result, run, &mut notes);
    let suppressed = list(result, "suppressions", &mut notes);
    let holds =
        |one: &Value| get(one, "status").and_then(Value::as_str).is_none_or(|status| status == "accepted");
    let state = get(result, "baselineState").and_then(Value::as_str);
    // One that is rejected or still looked at keeps the result open, as the standard has it.
    if !suppressed.is_empty() && suppressed.iter().all(holds) {
        finding.state = Some("suppressed".to_owned());
        finding.closed_at_source = true;
    } else if let Some(state) = state {
        finding.state = Some(state.to_owned());
        finding.closed_at_source = state == "absent";
    }
    if let Some(category) = text(run, &["automationDetails.id"], &mut notes) {
        finding.meta.insert("category".to_owned(), category);
    }
    if let Some(first) = list(run, "versionControlProvenance", &mut notes).first() {
        finding.repo = text(first, &["repositoryUri"], &mut notes);
    }
    let identity = identity(result, &finding, &message);
    let tool = finding.tool.clone().unwrap_or_default();
    Ok(finish(finding, &[&tool, &rule_id, &identity], notes))
}

/// What stays the same when the result is found again: what the tool says about that, or the place and the message.
fn identity(result: &Value, finding: &Finding, message: &str) -> String {
    if let Some(id) = get(result, "correlationGuid").and_then(plain) {
        return id;
    }
    let path = finding.places.first().map(|place| place.path.as_str()).unwrap_or_default();
    for field in ["fingerprints", "partialFingerprints"] {
        if let Some(prints) =
            get(result, field).and_then(Value::as_object).filter(|prints| !prints.is_empty())
        {
            let mut prints: Vec<String> = prints
                .iter()
                .map(|(name, print)| format!("{name}={}", plain(print).unwrap_or_default()))
                .collect();
            prints.sort();
            return format!("{path}|{}", prints.join("|"));
        }
    }
    let line = finding.places.first().and_then(|place| place.line).unwrap_or_default();
    format!("{path}|{line}|{message}")
}

/// The rule of a result: by index, in an extension or the driver, or by name; `CA1000/1` is a case of `CA1000`.
fn rule<'r>(result: &'r Value, run: &'r Value) -> Option<&'r Value> {
    let component = get(result, "rule.toolComponent.index").and_then(Value::as_u64);
    let rules = match component {
        Some(at) => run.pointer(&format!("/tool/extensions/{at}/rules")),
        None => get(run, "tool.driver.rules"),
    };
    let rules = rules.and_then(Value::as_array);
    let index = first(result, &["ruleIndex", "rule.index"]).and_then(Value::as_u64);
    let by_index = index.and_then(|at| rules?.get(usize::try_from(at).ok()?));
    let id = first(result, &["ruleId", "rule.id"]).and_then(Value::as_str);
    by_index.or_else(|| {
        let id = id?;
        let extensions = get(run, "tool.extensions").and_then(Value::as_array).into_iter().flatten();
        let all = extensions
            .filter_map(|one| get(one, "rules")?.as_array())
            .flatten()
            .chain(rules.into_iter().flatten());
        let named = |rule: &&Value, name: &str| get(rule, "id").and_then(Value::as_str) == Some(name);
        let all: Vec<&Value> = all.collect();
        let whole = all.iter().find(|rule| named(rule, id));
        let parent = id.rsplit_once('/').map(|(parent, _)| parent);
        whole.or_else(|| all.iter().find(|rule| parent.is_some_and(|parent| named(rule, parent)))).copied()
    })
}

/// What the result says, with what belongs into its braces.
fn message(result: &Value, rule: &Value, run: &Value) -> String {
    let own = first(result, &["message.text", "message.markdown"]).and_then(Value::as_str);
    let id = get(result, "message.id").and_then(Value::as_str);
    let kept = id.and_then(|id| {
        let strings = [get(rule, "messageStrings"), get(run, "tool.driver.globalMessageStrings")];
        strings.into_iter().flatten().find_map(|strings| strings.get(id)?.get("text")?.as_str())
    });
    let mut message = own.or(kept).unwrap_or_default().to_owned();
    let arguments = get(result, "message.arguments").and_then(Value::as_array).into_iter().flatten();
    for (at, argument) in arguments.enumerate().take(20) {
        message = message.replace(&format!("{{{at}}}"), &plain(argument).unwrap_or_default());
    }
    message.chars().take(LONG).collect()
}

fn how_bad(result: &Value, rule: &Value, ratings: &mut Vec<Cvss>, notes: &mut Notes) -> Severity {
    // A property that GitHub defined and most checkers write.
    for place in [result, rule] {
        let score = get(place, "properties").and_then(|found| found.get("security-severity"));
        let score = score.and_then(|_| number(place, &["properties.security-severity"], notes));
        if let Some(score) = score {
            ratings.push(Cvss {
                score: Some(score),
                source: Some("security-severity".to_owned()),
                ..Cvss::default()
            });
            return cvss::severity(score);
        }
    }
    let level =
        text(result, &["level"], notes).or_else(|| text(rule, &["defaultConfiguration.level"], notes));
    severity(&level.unwrap_or_else(|| "warning".to_owned()), notes)
}

/// `external/cwe/cwe-079` and its like.
fn weaknesses(rule: &Value, notes: &mut Notes) -> Vec<String> {
    let mut found = Vec::new();
    for tag in texts(rule, &["properties.tags", "properties.cwe"], &[], notes) {
        let upper = tag.to_ascii_uppercase();
        if let Some(at) = upper.find("CWE-") {
            let digits: String = upper.chars().skip(at + 4).take_while(char::is_ascii_digit).collect();
            let number = digits.trim_start_matches('0');
            let id = format!("CWE-{number}");
            if !number.is_empty() && !found.contains(&id) {
                found.push(id);
            }
        }
    }
    found
}

fn places(result: &Value, run: &Value, notes: &mut Notes) -> Vec<CodePlace> {
    let mut places = Vec::new();
    let locations = list(result, "locations", notes);
    if locations.len() > MOST_PLACES {
        notes.add(format!("it names {} places; the first {MOST_PLACES} are kept", locations.len()));
    }
    for location in locations.iter().take(MOST_PLACES) {
        let Some(physical) = get(location, "physicalLocation") else { continue };
        let artifact = get(physical, "artifactLocation");
        let listed = artifact.and_then(|one| get(one, "index")).and_then(Value::as_u64);
        let listed = listed.and_then(|at| run.pointer(&format!("/artifacts/{at}/location")));
        let named = [artifact, listed].into_iter().flatten().find(|one| get(one, "uri").is_some());
        let Some((named, uri)) = named.and_then(|one| Some((one, get(one, "uri")?.as_str()?))) else {
            notes.add("a location has no `uri`");
            continue;
        };
        let below = base::folder(named, uri, run, notes);
        places.push(CodePlace {
            path: path_of(&format!("{below}{}", uri.strip_prefix("./").unwrap_or(uri))),
            line: line(physical, &["region.startLine"]),
            end_line: line(physical, &["region.endLine"]),
            message: text(location, &["message.text"], notes),
        });
    }
    places
}

fn path_of(uri: &str) -> String {
    let path = uri.strip_prefix("file://").unwrap_or(uri);
    // A drive stands behind another slash.
    let path = path.strip_prefix('/').filter(|rest| rest.get(1..2) == Some(":")).unwrap_or(path);
    ecosystem::decode(path.strip_prefix("./").unwrap_or(path))
}

#[cfg(test)]
mod tests {
    use super::path_of;

    #[test]
    fn addresses_of_files_become_paths() {
        for (uri, path) in [
            ("src/a%20b.py", "src/a b.py"),
            ("file:///srv/x.py", "/srv/x.py"),
            ("file:///C:/app/x.py", "C:/app/x.py"),
            ("./x.py", "x.py"),
            ("100%", "100%"),
        ] {
            assert_eq!(path_of(uri), path);
        }
    }
}

//! How is a record told to people?
//!
//! What a source or a person wrote is quoted line by line, so that it cannot pass for a heading of ours.

use orienteer_base::triage::{Decision, Finding, Package};

/// One line without what would end it, turn it around or hide in it.
fn line(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            c if c.is_control() => ' ',
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' => {
                '\u{fffd}'
            }
            c => c,
        })
        .collect::<String>()
        .trim()
        .to_owned()
}

/// A value of the head: always one line, in quotes where YAML would read it otherwise.
fn value(text: &str) -> String {
    let text = line(text);
    let plain = !text.is_empty()
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '@' | ' ' | '+'))
        && text.starts_with(|c: char| c.is_alphanumeric());
    if plain { text } else { format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")) }
}

pub(crate) fn quote(text: &str) -> String {
    text.lines().map(|one| format!("> {}", line(one))).collect::<Vec<_>>().join("\n")
}

struct Page(String);

impl Page {
    fn head(&mut self, name: &str, text: &str) {
        if !text.is_empty() {
            self.0.push_str(&format!("{name}: {}\n", value(text)));
        }
    }

    fn heads<'t>(&mut self, name: &str, texts: impl IntoIterator<Item = &'t String>) {
        let texts: Vec<String> = texts.into_iter().map(|text| line(text)).collect();
        self.head(name, &texts.join(", "));
    }

    fn say(&mut self, text: impl AsRef<str>) {
        self.0.push_str(text.as_ref());
        self.0.push('\n');
    }

    fn item(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text.map(line).filter(|text| !text.is_empty()) {
            self.say(format!("- {name}: {text}"));
        }
    }
}

/// A finding with what was decided about it.
pub fn finding(finding: &Finding, first_seen: &str, updated: &str, history: &[Decision]) -> String {
    let known = &finding.vulnerability;
    let mut page = Page("---\n".to_owned());
    page.head("id", &finding.id);
    page.head("kind", "finding");
    page.head("source", finding.source.as_str());
    page.head("severity", known.severity.as_str());
    page.heads("vulnerability", &known.ids);
    page.heads("packages", finding.packages.iter().map(|package| &package.name));
    for (name, text) in [
        ("service", &finding.service),
        ("environment", &finding.environment),
        ("team", &finding.team),
        ("owner", &finding.owner),
        ("repo", &finding.repo),
        ("state", &finding.state),
    ] {
        page.head(name, text.as_deref().unwrap_or_default());
    }
    page.head("decision", history.last().map_or("none", |last| last.status.as_str()));
    // Whoever reads the page knows what day it is; whoever wrote it did not.
    page.head(
        "decision_expires",
        history.last().and_then(|last| last.expires.as_deref()).unwrap_or_default(),
    );
    page.say("---");
    page.say(format!("# {}", line(&known.title)));
    page.say("");
    page.item("ids", Some(&known.ids.join(", ")));
    page.item("aliases", Some(&known.aliases.join(", ")));
    page.item("weaknesses", Some(&known.cwe.join(", ")));
    for rating in &known.cvss {
        let score = rating.score.map(|score| format!("{score:.1} ")).unwrap_or_default();
        let parts = [rating.version.as_deref(), rating.vector.as_deref(), rating.source.as_deref()];
        page.item(
            "CVSS",
            Some(&format!("{score}{}", parts.into_iter().flatten().collect::<Vec<_>>().join(" "))),
        );
    }
    if let Some(epss) = known.epss {
        page.say(format!("- EPSS: {}", epss.score));
    }
    page.item("found by", finding.tool.as_deref());
    page.item("published", known.published.as_deref());
    page.item("withdrawn", known.withdrawn.as_deref());
    page.item("first seen", Some(first_seen));
    page.item("updated", Some(updated));
    for package in &finding.packages {
        page.item("package", Some(&package_line(package)));
    }
    for place in &finding.places {
        let at = place.line.map(|line| format!(":{line}")).unwrap_or_default();
        let said = place.message.as_deref().map(|said| format!(" {said}")).unwrap_or_default();
        page.item("place", Some(&format!("{}{at}{said}", place.path)));
    }
    if let Some(asset) = &finding.asset {
        let parts = [&asset.kind, &asset.name, &asset.id, &asset.account, &asset.region];
        page.item("asset", Some(&parts.into_iter().flatten().cloned().collect::<Vec<_>>().join(" ")));
    }
    exposure(finding, &mut page);
    for (name, text) in &finding.meta {
        page.item(&line(name), Some(text));
    }
    for warning in &finding.warnings {
        page.item("could not be read", Some(warning));
    }
    if !known.description.is_empty() {
        page.say("\n## What the source says\n");
        page.say(quote(&known.description));
    }
    if !known.references.is_empty() {
        page.say("\n## References\n");
        known.references.iter().for_each(|link| page.say(format!("- {}", line(link))));
    }
    decisions(history, &mut page);
    page.0
}

pub(crate) fn package_line(package: &Package) -> String {
    let mut said = format!("{} {}", package.ecosystem, package.name);
    for (name, text) in [
        ("installed", &package.installed),
        ("affected", &package.affected),
        ("fixed in", &package.fixed),
        ("in", &package.manifest_path),
        ("purl", &package.purl),
    ] {
        if let Some(text) = text {
            said.push_str(&format!(", {name} {text}"));
        }
    }
    if !package.symbols.is_empty() {
        said.push_str(&format!(", affected names {}", package.symbols.join(" ")));
    }
    said.trim().to_owned()
}

fn exposure(finding: &Finding, page: &mut Page) {
    let Some(exposure) = &finding.exposure else { return };
    let flag = |flag: Option<bool>| flag.map(|flag| if flag { "yes" } else { "no" });
    page.item("reachable from the internet", flag(exposure.internet_exposed));
    page.item("public endpoint", flag(exposure.public_endpoint));
    page.item("exploit available", flag(exposure.exploit_available));
    page.item("last exploited", exposure.last_exploited.as_deref());
    page.item("sensitivity of data", exposure.data_sensitivity.as_deref());
    page.item("criticality", exposure.business_criticality.as_deref());
    page.item("controls", Some(&exposure.compensating_controls.join(", ")));
}

/// Decisions, oldest first. Whether one still holds depends on the day and is not written down.
fn decisions(history: &[Decision], page: &mut Page) {
    if history.is_empty() {
        return;
    }
    page.say("\n## Decisions\n");
    for decision in history {
        page.say(format!("- {}", line(&decision_line(decision))));
        if let Some(why) = &decision.justification {
            page.say(quote(why).lines().map(|one| format!("  {one}")).collect::<Vec<_>>().join("\n"));
        }
    }
}

pub(crate) fn decision_line(decision: &Decision) -> String {
    let mut said = format!("{} {} on {}", decision.id, decision.status.as_str(), decision.made_at);
    if let Some(reviewer) = &decision.reviewer {
        said.push_str(&format!(" by {reviewer}"));
    }
    if let Some(expires) = &decision.expires {
        said.push_str(&format!(", until {expires}"));
    }
    if !decision.codes.is_empty() {
        let codes: Vec<&str> = decision.codes.iter().map(|code| code.as_str()).collect();
        said.push_str(&format!(", {}", codes.join(", ")));
    }
    if !decision.evidence.is_empty() {
        said.push_str(&format!(", evidence: {}", decision.evidence.join(" ")));
    }
    said
}

/// A decision.
pub fn decision(decision: &Decision, about: &Finding) -> String {
    let mut page = Page("---\n".to_owned());
    page.head("id", &decision.id);
    page.head("kind", "decision");
    page.head("finding", &decision.finding);
    page.head("status", decision.status.as_str());
    page.head("reviewer", decision.reviewer.as_deref().unwrap_or_default());
    page.head("made_at", &decision.made_at);
    page.head("expires", decision.expires.as_deref().unwrap_or_default());
    page.head("supersedes", decision.supersedes.as_deref().unwrap_or_default());
    page.say("---");
    page.say(format!("# {}: {}", decision.status.as_str(), line(&about.vulnerability.title)));
    page.say("");
    for code in &decision.codes {
        page.say(format!("- {}", code.as_str()));
    }
    for evidence in &decision.evidence {
        page.item("evidence", Some(evidence));
    }
    for (name, text) in &decision.meta {
        page.item(&line(name), Some(text));
    }
    if let Some(why) = &decision.justification {
        page.say("");
        page.say(quote(why));
    }
    page.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_was_written_can_forge_a_line() {
        assert_eq!(value("a\nseverity: none"), "\"a severity: none\"");
        assert_eq!(value("plain-1.2"), "plain-1.2");
        assert_eq!(value("say \"x\""), "\"say \\\"x\\\"\"");
        assert_eq!(quote("# one\n\u{202e}two"), "> # one\n> \u{fffd}two");
    }
}

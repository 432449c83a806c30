//! What is a record called?

use orienteer_base::sha256::Sha256;
use orienteer_base::triage::{Finding, Format};

/// Digits of the hash: 2⁶⁴ keys, so that two of a million findings have one name once in 37 million stores.
const DIGITS: usize = 16;

/// The same source and key have the same id, today and later.
pub(crate) fn of_finding(source: Format, key: &str) -> String {
    let mut sum = Sha256::new();
    sum.update(source.as_str().as_bytes());
    sum.update(&[0]);
    sum.update(key.as_bytes());
    let digest = sum.finish().to_string();
    format!("{}-{}", source.prefix(), digest.get(..DIGITS).unwrap_or_default())
}

/// Of the n-th decision about a finding.
pub(crate) fn of_decision(finding: &str, sequence: u32) -> String {
    format!("{finding}.d{sequence}")
}

/// Whether a word could be the id of a finding. Ids become names of files, so nothing else may.
pub fn is_finding(word: &str) -> bool {
    word.split_once('-').is_some_and(|(prefix, digits)| {
        Format::ALL.iter().any(|format| format.prefix() == prefix)
            && digits.len() == DIGITS
            && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// The finding and the number of a decision's id.
pub fn parse_decision(word: &str) -> Option<(&str, u32)> {
    let (finding, number) = word.rsplit_once(".d")?;
    let number: u32 = number.parse().ok()?;
    (is_finding(finding) && of_decision(finding, number) == word).then_some((finding, number))
}

/// A hash of what a decision about a finding rests on: what it is, where it is, how bad it is. What changes from day to day
/// without changing that, such as the odds of an attack, does not count.
pub fn substance(finding: &Finding) -> String {
    let known = &finding.vulnerability;
    let parts = (
        (&known.ids, known.severity, &known.withdrawn),
        (&finding.packages, &finding.places, &finding.exposure),
        (&finding.state, finding.closed_at_source),
    );
    let mut sum = Sha256::new();
    // Plain data is always written.
    sum.update(&serde_json::to_vec(&parts).unwrap_or_default());
    sum.finish().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_stable_and_tell_sources_apart() {
        let id = of_finding(Format::Osv, "RUSTSEC-2020-0071");
        assert_eq!(id, of_finding(Format::Osv, "RUSTSEC-2020-0071"));
        assert_eq!(id, "osv-6400c669d31b9111", "records on disk are named so");
        assert_ne!(of_finding(Format::Generic, "a"), of_finding(Format::Osv, "a"));
        assert!(is_finding(&id));
        assert_eq!(parse_decision(&of_decision(&id, 12)), Some((id.as_str(), 12)));
    }

    #[test]
    fn no_other_word_is_taken_for_an_id() {
        for word in [
            "",
            "osv-",
            "osv-../../etc/passwd",
            "osv-ABCDEF0123456789",
            "x-0123456789abcdef",
            "osv-0123456789abcde",
        ] {
            assert!(!is_finding(word), "{word}");
        }
        for word in [
            "osv-0123456789abcdef",
            "osv-0123456789abcdef.d",
            "osv-0123456789abcdef.d01",
            "osv-0123456789abcdef.d-1",
        ] {
            assert_eq!(parse_decision(word), None, "{word}");
        }
    }
}

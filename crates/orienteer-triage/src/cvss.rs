//! Which score does a CVSS vector have?
//!
//! Many sources give the vector alone. The base scores of 2.0, 3.0 and 3.1 are computed as their specifications say. That of
//! 4.0 is looked up in large tables and left to those who have them.

use orienteer_base::triage::{Cvss, Severity};

/// A rating from its vector, with the score where it can be computed.
pub fn from_vector(vector: &str) -> Cvss {
    let vector = vector.trim();
    let version = version(vector);
    let score = match version {
        Some("3.0" | "3.1") => three(vector),
        Some("2.0") => two(vector),
        _ => None,
    };
    Cvss { version: version.map(str::to_owned), score, vector: Some(vector.to_owned()), source: None }
}

/// The version that a vector is written in.
pub fn version(vector: &str) -> Option<&'static str> {
    ["4.0", "3.1", "3.0"]
        .into_iter()
        .find(|version| vector.starts_with(&format!("CVSS:{version}/")))
        .or_else(|| vector.trim_start_matches('(').starts_with("AV:").then_some("2.0"))
}

/// The word for a score, as the specification of 3.1 has it.
pub fn severity(score: f64) -> Severity {
    match score {
        score if !score.is_finite() => Severity::Unknown,
        score if score >= 9.0 => Severity::Critical,
        score if score >= 7.0 => Severity::High,
        score if score >= 4.0 => Severity::Medium,
        score if score > 0.0 => Severity::Low,
        _ => Severity::Info,
    }
}

/// The word for the worst of several ratings.
pub fn worst(ratings: &[Cvss]) -> Option<Severity> {
    ratings.iter().filter_map(|rating| rating.score).map(severity).min()
}

fn metric<'v>(vector: &'v str, name: &str) -> Option<&'v str> {
    vector
        .trim_matches(['(', ')'])
        .split('/')
        .find_map(|part| part.split_once(':').filter(|(known, _)| *known == name))
        .map(|(_, value)| value)
}

fn weight(vector: &str, name: &str, weights: &[(&str, f64)]) -> Option<f64> {
    let value = metric(vector, name)?;
    weights.iter().find(|(known, _)| *known == value).map(|(_, weight)| *weight)
}

fn three(vector: &str) -> Option<f64> {
    let changed = match metric(vector, "S")? {
        "C" => true,
        "U" => false,
        _ => return None,
    };
    let impact_of = |name| weight(vector, name, &[("H", 0.56), ("L", 0.22), ("N", 0.0)]);
    let (c, i, a) = (impact_of("C")?, impact_of("I")?, impact_of("A")?);
    let base = 1.0 - (1.0 - c) * (1.0 - i) * (1.0 - a);
    let impact = if changed { 7.52 * (base - 0.029) - 3.25 * (base - 0.02).powi(15) } else { 6.42 * base };
    let privileges: &[(&str, f64)] = if changed {
        &[("N", 0.85), ("L", 0.68), ("H", 0.5)]
    } else {
        &[("N", 0.85), ("L", 0.62), ("H", 0.27)]
    };
    let ease = 8.22
        * weight(vector, "AV", &[("N", 0.85), ("A", 0.62), ("L", 0.55), ("P", 0.2)])?
        * weight(vector, "AC", &[("L", 0.77), ("H", 0.44)])?
        * weight(vector, "PR", privileges)?
        * weight(vector, "UI", &[("N", 0.85), ("R", 0.62)])?;
    if impact <= 0.0 {
        return Some(0.0);
    }
    let sum = if changed { 1.08 * (impact + ease) } else { impact + ease };
    Some(round_up(sum.min(10.0)))
}

/// To one decimal, upwards, without the errors of floating point (appendix A of 3.1).
fn round_up(score: f64) -> f64 {
    let whole = (score * 100_000.0).round();
    if whole % 10_000.0 == 0.0 { whole / 100_000.0 } else { ((whole / 10_000.0).floor() + 1.0) / 10.0 }
}

fn two(vector: &str) -> Option<f64> {
    let impact_of = |name| weight(vector, name, &[("N", 0.0), ("P", 0.275), ("C", 0.66)]);
    let impact = 10.41 * (1.0 - (1.0 - impact_of("C")?) * (1.0 - impact_of("I")?) * (1.0 - impact_of("A")?));
    let ease = 20.0
        * weight(vector, "AV", &[("L", 0.395), ("A", 0.646), ("N", 1.0)])?
        * weight(vector, "AC", &[("H", 0.35), ("M", 0.61), ("L", 0.71)])?
        * weight(vector, "Au", &[("M", 0.45), ("S", 0.56), ("N", 0.704)])?;
    let factor = if impact == 0.0 { 0.0 } else { 1.176 };
    Some((((0.6 * impact) + (0.4 * ease) - 1.5) * factor * 10.0).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the examples that come with the specifications, and well-known records.
    #[test]
    fn known_vectors_have_their_published_scores() {
        for (vector, score) in [
            ("CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H", 10.0),
            ("CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", 9.8),
            ("CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N", 7.5),
            ("CVSS:3.0/AV:N/AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N", 6.4),
            ("CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:N/A:N", 3.1),
            ("CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:U/C:N/I:N/A:N", 0.0),
            ("CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N", 6.1),
            ("AV:N/AC:L/Au:N/C:N/I:N/A:C", 7.8),
            ("(AV:N/AC:L/Au:N/C:C/I:C/A:C)", 10.0),
            ("AV:L/AC:H/Au:N/C:C/I:C/A:C", 6.2),
        ] {
            assert_eq!(from_vector(vector).score, Some(score), "{vector}");
        }
    }

    #[test]
    fn what_cannot_be_computed_has_no_score() {
        let four = from_vector("CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N");
        assert_eq!((four.version.as_deref(), four.score), (Some("4.0"), None));
        for odd in ["", "CVSS:3.1/", "CVSS:3.1/AV:X/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", "7.5", "ä/ö"] {
            assert_eq!(from_vector(odd).score, None, "{odd}");
        }
    }

    #[test]
    fn scores_have_the_words_of_the_specification() {
        use Severity::{Critical, High, Info, Low, Medium, Unknown};
        for (score, word) in [
            (0.0, Info),
            (0.1, Low),
            (3.9, Low),
            (4.0, Medium),
            (6.9, Medium),
            (7.0, High),
            (9.0, Critical),
            (f64::NAN, Unknown),
        ] {
            assert_eq!(severity(score), word, "{score}");
        }
    }
}

//! What follows from what was found?

use orienteer_base::triage::{Evidence, EvidenceKind, Provenance, Verdict};

use super::Gathered;

pub(super) struct Concluded {
    pub(super) verdict: Verdict,
    pub(super) rests_on: String,
}

/// The strongest thing that was found. That nothing was found counts only when everything was looked for to its end.
pub(super) fn conclude(gathered: &mut Gathered) -> Concluded {
    gathered.evidence.sort_by_key(|one| (one.kind, strength(one.provenance), one.in_test));
    for search in gathered.searches.iter().filter(|search| !search.completeness.is_complete()) {
        let why = search.note.as_deref().unwrap_or("not everything could be looked at");
        gathered.missing.push(format!("{} ({}): {why}", search.what, search.looked_for));
    }
    let of = |kind: EvidenceKind| gathered.evidence.iter().filter(move |one| one.kind == kind);
    let calls: Vec<&Evidence> = of(EvidenceKind::Call).collect();
    let (imports, manifests, locks, places) = (
        of(EvidenceKind::Import).count(),
        of(EvidenceKind::Manifest).count(),
        of(EvidenceKind::Lock).count(),
        of(EvidenceKind::Place).count(),
    );
    if !calls.is_empty() {
        let by = |provenance| calls.iter().filter(|one| one.provenance == provenance).count();
        let (server, index, text) = (by(Provenance::Lsp), by(Provenance::Index), by(Provenance::Text));
        let parts = [
            (server, "confirmed by a language server"),
            (index, "known to the index by the grammar"),
            (text, "found as text only"),
        ];
        let said: Vec<String> = parts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, how)| format!("{count} {how}"))
            .collect();
        return told(
            Verdict::Called,
            format!("{} of affected symbols: {}", plural(calls.len(), "use"), said.join(", ")),
        );
    }
    if imports > 0 {
        let symbols = gathered.searches.iter().any(|search| search.what == "calls");
        let why = if symbols {
            "no use of an affected symbol was found"
        } else {
            "the source names no affected symbol"
        };
        return told(Verdict::Imported, format!("{}; {why}", plural(imports, "import")));
    }
    if manifests + locks + places > 0 {
        let parts = [
            (manifests, "line of manifests"),
            (locks, "line of lock files"),
            (places, "place that the source names"),
        ];
        let said: Vec<String> =
            parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| counted(*count, what)).collect();
        return told(Verdict::Present, said.join(", "));
    }
    if gathered.missing.is_empty() && !gathered.searches.is_empty() {
        let count = gathered.searches.len();
        return told(Verdict::NotFound, format!("{}, all complete, found nothing", searches(count)));
    }
    told(Verdict::Unknown, "nothing was found, and not everything could be looked for".to_owned())
}

fn strength(provenance: Provenance) -> u8 {
    match provenance {
        Provenance::Lsp => 0,
        Provenance::Index => 1,
        Provenance::Source => 2,
        Provenance::Text => 3,
    }
}

fn told(verdict: Verdict, rests_on: String) -> Concluded {
    Concluded { verdict, rests_on }
}

fn searches(count: usize) -> String {
    if count == 1 { "1 search".to_owned() } else { format!("{count} searches") }
}

fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// `2 lines of manifests`.
fn counted(count: usize, what: &str) -> String {
    match what.split_once(' ') {
        Some((noun, rest)) => format!("{} {rest}", plural(count, noun)),
        None => plural(count, what),
    }
}

#[cfg(test)]
mod tests {
    use super::super::evidence;
    use super::*;
    use orienteer_base::triage::Searched;
    use orienteer_base::{Completeness, Reason};

    fn search(completeness: Completeness) -> Searched {
        Searched {
            what: "imports",
            looked_for: "x".to_owned(),
            looked_in: "y".to_owned(),
            found: 0,
            provenance: Provenance::Text,
            completeness,
            note: None,
        }
    }

    fn verdict(kinds: &[EvidenceKind], searches: Vec<Searched>) -> (Verdict, Vec<String>) {
        let open = orienteer_base::Conceal::default();
        let found = kinds
            .iter()
            .enumerate()
            .map(|(at, kind)| evidence(*kind, "a", u32::try_from(at).unwrap(), "", Provenance::Text, &open));
        let mut gathered = Gathered { evidence: found.collect(), searches, missing: Vec::new() };
        let concluded = conclude(&mut gathered);
        (concluded.verdict, gathered.missing)
    }

    #[test]
    fn the_strongest_evidence_counts() {
        use EvidenceKind::{Call, Import, Lock, Manifest, Place, Test};
        let whole = || vec![search(Completeness::Complete)];
        assert_eq!(verdict(&[Lock, Import, Call], whole()).0, Verdict::Called);
        assert_eq!(verdict(&[Lock, Import], whole()).0, Verdict::Imported);
        for kind in [Lock, Manifest, Place] {
            assert_eq!(verdict(&[kind], whole()).0, Verdict::Present);
        }
        assert_eq!(verdict(&[Test], whole()).0, Verdict::NotFound, "a test alone shows nothing");
    }

    #[test]
    fn nothing_counts_only_when_everything_was_looked_for() {
        assert_eq!(verdict(&[], vec![search(Completeness::Complete)]).0, Verdict::NotFound);
        let part = search(Completeness::partial(Reason::Heuristic));
        let (found, missing) = verdict(&[], vec![search(Completeness::Complete), part.clone()]);
        assert_eq!((found, missing.len()), (Verdict::Unknown, 1));
        assert_eq!(verdict(&[], Vec::new()).0, Verdict::Unknown, "nobody looked");
        let (found, missing) = verdict(&[EvidenceKind::Import], vec![part]);
        assert_eq!((found, missing.len()), (Verdict::Imported, 1), "what is missing is told beside");
    }
}

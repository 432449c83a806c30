//! Finding the legal word that was probably meant, for errors that give advice.

/// The candidates closest to `word`, best first, at most `limit`, only plausible ones.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>, limit: usize) -> Vec<&'a str> {
    // A word of a megabyte is not a typing error, and the distance is quadratic.
    if word.len() > 200 {
        return Vec::new();
    }
    let lower = word.to_lowercase();
    let mut scored: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| {
            let other = candidate.to_lowercase();
            let distance = distance(&lower, &other);
            let contains = lower.len() >= 3 && (other.contains(&lower) || lower.contains(&other));
            let allowed = (lower.chars().count().max(other.chars().count()) / 3).max(1);
            (distance <= allowed || contains).then_some((distance, candidate))
        })
        .collect();
    scored.sort();
    // Beside a good guess, much worse ones only distract.
    let worst = scored.first().map_or(0, |(best, _)| best + 1);
    scored.retain(|(distance, _)| *distance <= worst);
    scored.into_iter().take(limit).map(|(_, candidate)| candidate).collect()
}

/// Edit distance with transpositions, since swapped letters are the commonest slip.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut rows = vec![vec![0usize; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let substitution = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = substitution.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_meant_word_first() {
        let keys = ["file_path", "start_line", "end_line", "match_string"];
        assert_eq!(nearest("filepath", keys, 2), ["file_path"]);
        assert_eq!(nearest("strat_line", keys, 1), ["start_line"]);
        assert_eq!(nearest("path", keys, 3), ["file_path"]);
        assert!(nearest("zzzzzzzz", keys, 3).is_empty());
    }
}

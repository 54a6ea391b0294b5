//! Suggestions for misspelt words.

/// The candidate nearest to `word`, if it is within two edits.
pub(crate) fn nearest<'c>(word: &str, candidates: &[&'c str]) -> Option<&'c str> {
    if !(3..=20).contains(&word.len()) {
        return None;
    }
    let most = if word.len() < 5 { 1 } else { 2 };
    let rated = candidates.iter().map(|c| (distance(word, c), *c)).filter(|(d, _)| *d <= most);
    rated.min_by_key(|(d, _)| *d).map(|(_, c)| c)
}

/// Levenshtein distance, where swapping two neighbours counts as one edit.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut rows = vec![vec![0usize; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let same = usize::from(a[i - 1] != b[j - 1]);
                let mut best = (rows[i - 1][j - 1] + same).min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(rows[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised() {
        for (word, expected) in [("gaurd", Some("guard")), ("effct", Some("effect")), ("xyz", None), ("g", None)] {
            assert_eq!(nearest(word, &["guard", "effect", "sync"]), expected, "{word}");
        }
    }
}

//! The name that somebody probably meant.

/// Longer ones are nobody's slip of the finger.
const LONGEST: usize = 64;

/// The nearest of `known`, if it is near enough to be a slip.
pub(super) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.to_lowercase().chars().take(LONGEST + 1).collect();
    if word.len() > LONGEST {
        return None;
    }
    let distances = known.into_iter().map(|name| {
        let letters: Vec<char> = name.chars().collect();
        let limit = (word.len().max(letters.len()) / 3).max(1);
        (distance(&word, &letters), limit, name)
    });
    let near = distances.filter(|(distance, limit, _)| distance <= limit);
    near.min_by_key(|(distance, ..)| *distance).map(|(.., name)| name)
}

/// Letters to add, leave out, replace, or swap with their neighbour.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let replaced = last[j] + usize::from(x != y);
            let mut best = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_is_what_was_meant_or_nothing() {
        let known = ["dwell", "debug_options", "enable", "theme"];
        let cases = [
            ("dwel", Some("dwell")),
            ("dwlel", Some("dwell")),
            ("Enable", Some("enable")),
            ("debug-option", Some("debug_options")),
            ("colour", None),
            ("", None),
            ("日本語", None),
        ];
        for (word, expected) in cases {
            assert_eq!(nearest(word, known), expected, "{word}");
        }
        assert_eq!(nearest(&"x".repeat(100_000), known), None);
    }

    #[test]
    fn distance_counts_slips() {
        let of = |a: &str, b: &str| {
            distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>())
        };
        assert_eq!((of("", "abc"), of("abc", "abc"), of("acb", "abc")), (3, 0, 1));
        assert_eq!((of("kitten", "sitting"), of("ab", "")), (3, 2));
    }
}

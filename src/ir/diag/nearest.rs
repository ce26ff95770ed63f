//! How far one name is from another, for "did you mean".

/// Names longer than this many bytes are near to nothing: the work grows with the product of the lengths, and nobody
/// mistypes one letter of a name of a megabyte.
const LONGEST: usize = 64;

/// The Levenshtein distance of two names: `canonicalise` is 1 from `canonicalize`. `usize::MAX` when either has more
/// than 64 bytes.
pub fn edit_distance(a: &str, b: &str) -> usize {
    if a.len().max(b.len()) > LONGEST {
        return usize::MAX;
    }
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &cb) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn insertions_deletions_and_substitutions_count_one_each() {
        assert_eq!(edit_distance("canonicalise", "canonicalize"), 1);
        assert_eq!(edit_distance("wait", "awaits"), 2);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("é", "e"), 1);
    }

    #[test]
    fn long_names_cost_nothing() {
        let (a, b) = ("a".repeat(4_000_000), "a".repeat(3_999_999));
        assert_eq!(edit_distance(&a, &b), usize::MAX);
    }
}

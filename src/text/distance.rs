//! How far two words are from each other: what was meant by one that nobody knows.

/// How many letters have to be put in, taken out, changed or swapped to get from one to the other.
pub fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = changed.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_put_in_taken_out_changed_or_swapped_is_one_step() {
        for (typed, meant, far) in [
            ("findng", "finding", 1),
            ("findding", "finding", 1),
            ("fimding", "finding", 1),
            ("fniding", "finding", 1),
            ("fidning", "finding", 1),
            ("finding", "finding", 0),
            ("fndng", "finding", 2),
            ("", "tag", 3),
        ] {
            assert_eq!((distance(typed, meant), distance(meant, typed)), (far, far), "{typed} {meant}");
        }
    }
}

//! The place of a part of a text.

use std::ops::Range;

/// Returns the range of `part`, which is a slice of `whole`.
pub fn part_range(whole: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize);
    start..start + part.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_part_is_found() {
        let whole = "eins zwei drei";
        let part = whole.split(' ').nth(1).unwrap();
        assert_eq!(&whole[part_range(whole, part)], "zwei");
    }
}

//! Fake secrets, which open nothing, made with [`DemoRng`] at run time. Their prefixes are split in
//! two, so that no file of the project contains what a scanner takes for a token.

use super::rng::DemoRng;

const DIGITS: &str = "0123456789";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const MIXED: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const URL_SAFE: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

/// Returns a fake secret of a kind that is in `assets/demo/secrets.txt`.
pub fn fake_secret(kind: &str, chance: &mut DemoRng) -> String {
    let mut token = |pieces: [&str; 2], alphabet, length| pieces.concat() + &chance.text(alphabet, length);
    match kind {
        "anthropic" => token(["sk-", "ant-api03-"], URL_SAFE, 93) + "AA",
        "github" => token(["gh", "p_"], MIXED, 36),
        "aws" => token(["AK", "IA"], UPPER, 16),
        "slack" => {
            let number = token(["xo", "xb-"], DIGITS, 12);
            number + "-" + &chance.text(DIGITS, 12) + "-" + &chance.text(MIXED, 24)
        }
        "stripe" => token(["sk_", "live_"], MIXED, 24),
        "google" => token(["AI", "za"], URL_SAFE, 35),
        "gitlab" => token(["gl", "pat-"], MIXED, 20),
        "npm" => token(["np", "m_"], MIXED, 36),
        "huggingface" => token(["h", "f_"], LETTERS, 34),
        // A private key.
        _ => {
            let fence = |word: &str| ["-----", word, " OPENSSH PRIVATE", " KEY-----"].concat();
            let lines: Vec<String> = (0..6).map(|_| chance.text(MIXED, 70)).collect();
            format!("{}\n{}\n{}\n", fence("BEGIN"), lines.join("\n"), fence("END"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_that_the_texts_name_has_a_form_of_its_own() {
        let mut chance = DemoRng::new(5);
        for line in include_str!("../../assets/demo/secrets.txt").lines().skip(1) {
            let kind = line.split(" | ").nth(1).unwrap();
            let secret = fake_secret(kind, &mut chance);
            assert_eq!(secret.starts_with("-----BEGIN"), kind == "private-key", "{kind}");
            assert!(secret.len() >= 20, "{kind}: {secret}");
        }
    }
}

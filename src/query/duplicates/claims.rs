//! What a text says with dates and numbers, and where two texts that say nearly the same contradict each other.
//!
//! What is dated makes no claim: a file or a heading with a date, and a list of dated lines. Of a numbered series each
//! part is about something else. A number counts only where a value is expected: after "is", "to", "port" or a colon.

use crate::text::fold::fold;

/// Texts of fewer words are not compared.
const FEW_WORDS: usize = 5;
/// More figures than this that differ are no contradiction, but another text of the same form.
const MOST_DIFFERING: usize = 2;
/// The most digits of a number. Longer ones are names.
const MOST_DIGITS: usize = 9;
/// The longest unit behind a number, in letters.
const UNIT: usize = 3;

/// Words before a number that is a value.
const BEFORE_VALUES: &str =
    " is are was be of to at after for than most least about within every by has have takes holds port = ";
/// Words before a date that says when the text was written.
const BEFORE_STAMPS: &str = " updated modified created date saved written reviewed ";
const MONTHS: &str = " january february march april may june july august september october november december \
                      jan feb mar apr jun jul aug sep sept oct nov dec ";

/// Two memories say nearly the same, but with different dates or numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// True if dates differ; false if numbers do.
    pub is_of_dates: bool,
    /// The first values that differ: that of the first memory, and that of the other.
    pub values: [String; 2],
}

impl Contradiction {
    /// Returns what differs, in words. Untrusted text.
    pub fn told(&self) -> String {
        let [one, other] = &self.values;
        format!("different {}: {one} and {other}", self.what())
    }

    /// Returns the kind of what differs.
    pub fn what(&self) -> &'static str {
        if self.is_of_dates { "dates" } else { "numbers" }
    }
}

/// A date or a number in a text.
#[derive(Debug, PartialEq)]
struct Figure {
    text: String,
    is_date: bool,
    /// False if it names something, or says when the text was written.
    is_value: bool,
}

/// A text that says something with dates or numbers.
pub struct Claim {
    /// The text with the same word in place of each figure.
    pub masked: String,
    figures: Vec<Figure>,
    /// The numbers in the path of the file and in the heading.
    numbered: [Vec<String>; 2],
}

impl Claim {
    /// Reads the claim of a text in a file. `None` if it makes none.
    pub fn of(path: &str, text: &str) -> Option<Claim> {
        let heading = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let is_heading = heading.starts_with('#');
        if has_date(path) || is_heading && has_date(heading) || is_journal(text, heading) {
            return None;
        }
        let mut reader = ClaimReader::default();
        text.lines().for_each(|line| reader.line(line));
        let heading = if is_heading { digits(heading) } else { Vec::new() };
        let own = Claim {
            masked: reader.words.join(" "),
            figures: reader.figures,
            numbered: [digits(path), heading],
        };
        (reader.count >= FEW_WORDS && !own.figures.is_empty()).then_some(own)
    }

    /// Returns where another text that says nearly the same contradicts this one.
    pub fn contradicts(&self, other: &Claim) -> Option<Contradiction> {
        let mut numbered = self.numbered.iter().zip(&other.numbered);
        if numbered.any(|(one, other)| !one.is_empty() && !other.is_empty() && one != other) {
            return None;
        }
        let is_alike = |(one, other): (&Figure, &Figure)| one.is_date == other.is_date;
        if self.figures.len() != other.figures.len() || !self.figures.iter().zip(&other.figures).all(is_alike)
        {
            return None;
        }
        let differs = |(one, other): &(&Figure, &Figure)| fold(&one.text) != fold(&other.text);
        let differing: Vec<_> = self.figures.iter().zip(&other.figures).filter(differs).collect();
        let (one, second) = differing.first()?;
        // If both a date and a number differ, the texts are about two events.
        let is_claim = |(own, _): &(&Figure, &Figure)| own.is_value && own.is_date == one.is_date;
        let is_contradiction = differing.len() <= MOST_DIFFERING && differing.iter().all(is_claim);
        is_contradiction.then(|| Contradiction {
            is_of_dates: one.is_date,
            values: [one.text.clone(), second.text.clone()],
        })
    }
}

#[derive(Default)]
struct ClaimReader {
    /// Words, and a figure as `0`.
    words: Vec<String>,
    figures: Vec<Figure>,
    /// The number of words with letters.
    count: usize,
}

impl ClaimReader {
    fn line(&mut self, line: &str) {
        let spaced = line.replace('=', " = ");
        let all: Vec<&str> = without_ordinal(spaced.trim()).split_whitespace().collect();
        let mut at = 0;
        while let Some(raw) = all.get(at) {
            let before = at.checked_sub(1).and_then(|at| all.get(at)).copied().unwrap_or_default();
            at += self.token(raw, before, all.get(at + 1..).unwrap_or_default());
        }
    }

    /// Takes a token, and what belongs to it of those that follow. Returns how many.
    fn token(&mut self, raw: &str, before: &str, next: &[&str]) -> usize {
        let word = plain(raw);
        if is_in(MONTHS, word) {
            let day = is_day(plain(before)) && self.words.last().is_some_and(|own| own == "0");
            let parts = next.iter().map(|own| plain(own)).take(2);
            let after: Vec<&str> = parts.take_while(|own| is_day(own) || is_year(own)).collect();
            if day || !after.is_empty() {
                let first = if day { self.take_last() } else { None };
                let parts: Vec<&str> =
                    first.as_deref().into_iter().chain([word]).chain(after.clone()).collect();
                self.figure(parts.join(" "), true, true);
                return 1 + after.len();
            }
        }
        match () {
            () if is_date(word) => self.figure(word.to_owned(), true, !is_in(BEFORE_STAMPS, plain(before))),
            () if is_number(word) && !raw.starts_with('#') => {
                let is_value = before.ends_with(':') || before == "=" || is_in(BEFORE_VALUES, plain(before));
                self.figure(word.to_owned(), false, is_value);
            }
            () => {
                self.count += usize::from(word.chars().any(char::is_alphabetic));
                self.words.push(word.to_owned());
            }
        }
        1
    }

    fn take_last(&mut self) -> Option<String> {
        self.words.pop();
        self.figures.pop().map(|own| own.text)
    }

    fn figure(&mut self, text: String, is_date: bool, is_value: bool) {
        self.words.push("0".to_owned());
        self.figures.push(Figure { text, is_date, is_value });
    }
}

/// Returns a word without the signs around it.
fn plain(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

fn is_in(words: &str, word: &str) -> bool {
    !word.is_empty() && !word.contains(' ') && words.contains(&format!(" {} ", word.to_lowercase()))
}

/// Returns a line without its number in a list.
fn without_ordinal(line: &str) -> &str {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_ordinal = rest.len() < line.len() && (rest.starts_with(". ") || rest.starts_with(") "));
    if is_ordinal { rest.get(2..).unwrap_or_default() } else { line }
}

/// True if a text is a list of dated lines, or begins with a date.
fn is_journal(text: &str, first: &str) -> bool {
    let is_dated =
        |line: &str| line.split_whitespace().map(plain).find(|own| !own.is_empty()).is_some_and(is_date);
    is_dated(first) || text.lines().filter(|line| is_dated(line)).nth(1).is_some()
}

fn has_date(text: &str) -> bool {
    let is_between = |c: char| !(c.is_ascii_digit() || c == '-');
    text.split(is_between).map(|own| own.trim_start_matches('-')).any(|own| {
        let ends = (own.match_indices('-').map(|(at, _)| at)).chain([own.len()]);
        ends.map(|end| own.get(..end).unwrap_or_default()).any(is_date)
    })
}

fn digits(text: &str) -> Vec<String> {
    let runs = text.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty());
    runs.map(str::to_owned).collect()
}

/// True for `2026-03-01`, `2026-03`, `2026/3/1`, `1.3.2026`, with or without a time behind `T`.
fn is_date(word: &str) -> bool {
    let day = word.split('T').next().unwrap_or_default();
    let Some(sign) = day.chars().find(|c| !c.is_ascii_digit()).filter(|c| matches!(c, '-' | '/' | '.'))
    else {
        return false;
    };
    let parts: Vec<&str> = day.split(sign).collect();
    match parts.as_slice() {
        [year, month] => sign == '-' && is_year(year) && month.len() == 2 && is_day(month),
        [year, month, day] if is_year(year) => is_day(month) && is_day(day),
        [day, month, year] => is_day(day) && is_day(month) && is_year(year),
        _ => false,
    }
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && word.parse::<u32>().is_ok_and(|year| (1900..=2100).contains(&year))
}

/// True for the number of a day or a month: `3`, `03`, `3rd`.
fn is_day(word: &str) -> bool {
    let number = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
    number.len() <= 2 && number.parse::<u32>().is_ok_and(|day| (1..=31).contains(&day))
}

/// True for a number, with or without a unit: `40`, `3.5`, `2,200`, `10:30`, `80%`, `40s`, `5GB`.
fn is_number(word: &str) -> bool {
    let number = word.trim_end_matches(|c: char| c.is_alphabetic() || c == '%');
    let count = number.chars().filter(char::is_ascii_digit).count();
    word.starts_with(|c: char| c.is_ascii_digit())
        && word.len() - number.len() <= UNIT
        && (1..=MOST_DIGITS).contains(&count)
        && number.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | ':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(one: &str, other: &str) -> Option<String> {
        let [one, other] = [one, other].map(|text| Claim::of("a.md", text));
        one?.contradicts(&other?).map(|own| own.told())
    }

    #[test]
    fn another_date_or_value_in_the_same_sentence_is_a_contradiction() {
        let dates = Some("different dates: 2026-03-01 and 2026-04-02".to_owned());
        let text = |day: &str| format!("The old sign-in is switched off on {day}, for all.");
        assert_eq!(told(&text("2026-03-01"), &text("2026-04-02")), dates);
        let words = Some("different dates: 1 March 2026 and 12 April 2026".to_owned());
        assert_eq!(told(&text("1 March 2026"), &text("12 April 2026")), words);
        let port = |port: &str| format!("The test server of the shop listens on port {port}.");
        assert_eq!(told(&port("3000"), &port("8080")), Some("different numbers: 3000 and 8080".into()));
        let wait = |time: &str| format!("A till waits for the card reader, timeout: {time} and no more");
        assert_eq!(told(&wait("40s"), &wait("60s")), Some("different numbers: 40s and 60s".into()));
        assert_eq!(told(&text("2026-03-01"), &text("2026-03-01")), None);
    }

    #[test]
    fn journals_series_and_stamps_are_none() {
        let none = [
            ("2026-03-01: the shop was closed all day long", "2026-03-02: the shop was closed all day long"),
            (
                "# Session 2026-03-01\nAll of the tests were green again",
                "# Session 2026-03-02\nAll of the tests were green again",
            ),
            (
                "What happened here:\n- 2026-03-01 a\n- 2026-03-02 b",
                "What happened here:\n- 2026-03-01 a\n- 2026-03-03 b",
            ),
            (
                "## Sprint 3\nThe team did what it had planned to do at 10",
                "## Sprint 4\nThe team did what it had planned to do at 11",
            ),
            ("Sprint 3 went as it was planned by all", "Sprint 4 went as it was planned by all"),
            ("How the team works. Last updated: 2026-03-01", "How the team works. Last updated: 2026-04-01"),
            (
                "Release to 4.2 was made by hand on 2026-03-01",
                "Release to 4.3 was made by hand on 2026-04-01",
            ),
            ("See the fix of #123 in the file of taxes", "See the fix of #124 in the file of taxes"),
            ("It is 3 now", "It is 4 now"),
        ];
        for (one, other) in none {
            assert_eq!(told(one, other), None, "{one}");
        }
        let text = |day: &str| format!("The old sign-in is switched off on {day}, for all.");
        let one = Claim::of("sprint-1.md", &text("2026-03-01")).unwrap();
        let other = Claim::of("sprint-2.md", &text("2026-04-02")).unwrap();
        assert_eq!(one.contradicts(&other), None);
        assert!(Claim::of("daily/2026-03-01.md", &text("2026-03-01")).is_none());
        assert!(Claim::of("daily/2026-03-01-deploy.md", &text("2026-03-01")).is_none());
    }
}

//! Finds numbers that have a form: payment cards (ISO/IEC 7812), account numbers (ISO 13616), telephone
//! numbers (E.164 and national forms). Cards and accounts count only if their check digits are right.

use std::ops::Range;

use super::{Detection, Kind};
use crate::text::names;

/// The most characters a number has, with its separators.
const LONGEST: usize = 48;
/// Digits of a telephone number in international form.
const PHONE: Range<usize> = 8..16;

/// Lengths of account numbers by country, from the registry of ISO 13616.
const IBAN_LENGTHS: &str = "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 \
     DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 \
     IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 \
     NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 \
     TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30";

/// Words near which digits of an unusual length are the number of a card.
const CARD_WORDS: [&str; 8] = ["card", "visa", "maestro", "unionpay", "amex", "karte", "tarjeta", "carte"];
/// Words near which digits are the number of an article.
const ARTICLE_WORDS: [&str; 3] = ["ean", "isbn", "gtin"];
/// Words near which digits are a telephone number.
const PHONE_WORDS: [&str; 22] = names(
    "手机 电话 联系 tél appel rappel phone tel mobile cell call fax whatsapp sms number telefon handy mobil \
     rufnummer portable móvil signal",
);
/// Up to this length in bytes, a word is also a part of others.
const SHORT_WORD: usize = 4;
/// How many bytes before digits are searched for such a word.
const BESIDE: usize = 32;

/// Returns the numbers in a text, in any order.
pub fn numbers(bytes: &[u8]) -> Vec<Detection> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(u8::is_ascii_digit)) {
        let start = at + found;
        let end = start + bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let own = iban(bytes, start).or_else(|| card(bytes, start, end)).or_else(|| phone(bytes, start, end));
        at = own.as_ref().map_or(end, |own| own.span.end.max(end));
        all.extend(own);
    }
    all
}

/// Returns the digits of a number, and where it ends. Single separators may stand between groups.
fn digits(bytes: &[u8], start: usize, separators: &[u8]) -> (Vec<u8>, Vec<usize>) {
    let (mut own, mut ends) = (Vec::new(), Vec::new());
    let mut was_separator = true;
    for (at, byte) in bytes.iter().enumerate().skip(start).take(LONGEST) {
        if byte.is_ascii_digit() {
            own.push(byte - b'0');
            ends.push(at + 1);
            was_separator = false;
        } else if separators.contains(byte) && !was_separator {
            was_separator = true;
        } else {
            break;
        }
    }
    (own, ends)
}

/// True if no letter, digit or decimal point is at the border of a number.
fn is_free(bytes: &[u8], span: &Range<usize>) -> bool {
    let before = span.start.checked_sub(1).and_then(|at| bytes.get(at));
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let escape = span.start >= 2 && bytes[span.start - 2] == b'\\' && b"nrt".contains(&bytes[span.start - 1]);
    let follows = bytes.get(span.end..).unwrap_or_default();
    let goes_on = match follows {
        [b'.' | b',', next, ..] => next.is_ascii_digit(),
        [next, ..] => is_word(next),
        [] => false,
    };
    let begins = !escape && before.is_some_and(|byte| is_word(byte) || b".-".contains(byte));
    !begins && !goes_on
}

fn card(bytes: &[u8], start: usize, end: usize) -> Option<Detection> {
    let separator = bytes.get(end).copied().filter(|byte| b" -".contains(byte));
    let separators = separator.as_slice();
    // A group of the printed form has three digits or more.
    let is_group =
        end - start > 2 && separator.is_some() && bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
    if end - start < 12 && !is_group {
        return None;
    }
    let (all, ends) = digits(bytes, start, separators);
    let len = (12..=19).rev().find(|len| {
        let own = all.get(..*len);
        own.is_some_and(|own| is_card(own) && is_free(bytes, &(start..ends[*len - 1])))
    })?;
    let span = start..ends[len - 1];
    let is_same = all[..len].iter().all(|digit| *digit == all[0]);
    // Numbers in code are often that long.
    let groups = bytes[span.clone()].split(|byte| separators.contains(byte)).map(<[u8]>::len);
    let groups: Vec<usize> = groups.collect();
    let is_printed = groups.len() == 1
        || groups[..groups.len() - 1].iter().all(|len| *len == 4)
        || groups.len() == 3 && groups[..2] == [4, 6];
    if !is_printed {
        return None;
    }
    let is_named = separator.is_some() || len < 17 || is_near(bytes, start, &CARD_WORDS);
    let is_article = groups.len() == 1 && len < 15 && is_near(bytes, start, &ARTICLE_WORDS);
    (!is_same && is_named && !is_article).then(|| Detection::hidden_whole(Kind::Card, "card", span))
}

/// True if digits have the start and the length of an issuer, and the check digit is right (ISO/IEC 7812-1,
/// annex B).
fn is_card(own: &[u8]) -> bool {
    let start = |count: usize| own[..count].iter().fold(0_u32, |all, digit| all * 10 + u32::from(*digit));
    let is_issued = match own.len() {
        13 => own[0] == 4,
        14 => matches!(start(3), 300..=305 | 309) || matches!(start(2), 36 | 38 | 39),
        15 => matches!(start(2), 34 | 37),
        16..=19 => {
            own[0] == 4
                || own.len() == 16 && matches!(start(4), 2200..=2204 | 2221..=2720 | 5100..=5599)
                || matches!(start(4), 3528..=3589 | 6011)
                || matches!(start(3), 644..=649)
                || matches!(start(2), 50 | 56..=58 | 60..=63 | 65 | 67 | 81)
        }
        _ => false,
    };
    is_issued && luhn(own)
}

fn luhn(digits: &[u8]) -> bool {
    let double = |(at, digit): (usize, &u8)| match (at % 2, u32::from(*digit) * 2) {
        (0, _) => u32::from(*digit),
        (_, double) => double / 10 + double % 10,
    };
    digits.iter().rev().enumerate().map(double).sum::<u32>().is_multiple_of(10)
}

/// Returns the account number whose check digits are at `at`.
fn iban(bytes: &[u8], at: usize) -> Option<Detection> {
    let start = at.checked_sub(2)?;
    let country = bytes.get(start..at).filter(|own| own.iter().all(u8::is_ascii_alphabetic))?;
    bytes.get(at + 1).filter(|byte| byte.is_ascii_digit())?;
    let country = country.to_ascii_uppercase();
    let known = IBAN_LENGTHS.split_ascii_whitespace().find(|own| own.as_bytes().starts_with(&country))?;
    let len: usize = known.get(2..)?.parse().ok()?;
    let (mut own, mut end) = (Vec::new(), start);
    for (place, byte) in bytes.iter().enumerate().skip(start).take(LONGEST) {
        if own.len() == len {
            break;
        }
        match byte {
            _ if byte.is_ascii_alphanumeric() => own.push(byte.to_ascii_uppercase()),
            // In print, groups of four.
            b' ' | b'-' if own.len() % 4 == 0 => continue,
            _ => break,
        }
        end = place + 1;
    }
    (own.len() == len && is_free(bytes, &(start..end)) && mod_97(&own))
        .then(|| Detection::hidden_whole(Kind::Iban, "iban", start..end))
}

/// True if the check digits are right (ISO/IEC 7064, MOD 97-10).
fn mod_97(own: &[u8]) -> bool {
    let turned = own[4..].iter().chain(&own[..4]);
    let rest = turned.fold(0_u32, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        _ => (rest * 100 + u32::from(byte - b'A') + 10) % 97,
    });
    rest == 1
}

fn phone(bytes: &[u8], start: usize, end: usize) -> Option<Detection> {
    let (before, text) = (&bytes[..start], &bytes[start..]);
    let is_open = before.last() == Some(&b'(');
    let from = if is_open { start - 1 } else { start };
    let plus = from.checked_sub(1).filter(|at| bytes[*at] == b'+');
    let (count, last) = spread(text)?;
    let span = plus.unwrap_or(from)..start + last;
    let own = &text[..last];
    // One point alone is that of a decimal number.
    let points = own.iter().filter(|byte| **byte == b'.').count();
    let is_decimal = points == 1 && !own.iter().any(|byte| b" -/(".contains(byte));
    // Digits before it, after one separator: it is a part of a longer number.
    let is_part = plus.is_none()
        && matches!(&bytes[..span.start], [.., digit, b' ' | b'-' | b'.'] if digit.is_ascii_digit());
    if !is_free(bytes, &span) || is_date(own) || is_decimal || is_part {
        return None;
    }
    let is_named = || is_near(bytes, span.start, &PHONE_WORDS);
    let groups = text[..last].split(|byte| !byte.is_ascii_digit()).filter(|own| !own.is_empty());
    let lens: Vec<usize> = groups.map(<[u8]>::len).collect();
    let is_american = lens == [3, 3, 4] || count == 11 && text[0] == b'1' && lens == [1, 3, 3, 4];
    let is_double_zero =
        text.starts_with(b"00") && text.get(2).is_some_and(|byte| (b'1'..=b'9').contains(byte));
    let is_phone = match plus {
        Some(_) => {
            let least = if lens.len() > 1 { PHONE.start } else { PHONE.start + 2 };
            (least..PHONE.end).contains(&count) && text[0] != b'0'
        }
        None if is_american => text[0] > b'0' || is_named(),
        None if is_double_zero => (10..16).contains(&count) && (lens.len() > 1 || is_named()),
        // National forms begin with a trunk prefix, and are written in groups or named.
        None if text[0] == b'0' => {
            let is_french = lens == [2, 2, 2, 2, 2];
            let is_grouped = (2..6).contains(&lens.len()) && lens[0] >= 3 && lens.iter().all(|len| *len > 1);
            (9..13).contains(&count) && (is_grouped || is_french || is_named())
        }
        None if lens == [11] => text[0] == b'1' && text[1] > b'2' && is_named(),
        None => (7..13).contains(&count) && end - start < 12 && is_named() && lens.len() > 1,
    };
    is_phone.then(|| Detection::hidden_whole(Kind::Phone, "phone", span))
}

/// True if one of the words is before a place. A short word is one only at its start: `Bestellung` has no `tel`.
fn is_near(bytes: &[u8], at: usize, words: &[&str]) -> bool {
    let near = String::from_utf8_lossy(&bytes[at.saturating_sub(BESIDE)..at]).to_lowercase();
    let begins = |at: usize| !near[..at].chars().next_back().is_some_and(char::is_alphabetic);
    let has = |word: &str| near.match_indices(word).any(|(at, _)| word.len() > SHORT_WORD || begins(at));
    words.iter().any(|word| has(word))
}

/// Returns how many digits a telephone number in any form has, and where it ends in `text`.
fn spread(text: &[u8]) -> Option<(usize, usize)> {
    let (mut count, mut end, mut gap) = (0, 0, 0);
    let is_slash = |at: usize| text.get(at.saturating_sub(2)..=at) == Some(b" / ");
    for (at, byte) in text.iter().enumerate().take(LONGEST) {
        match byte {
            b'0'..=b'9' => (count, end, gap) = (count + 1, at + 1, 0),
            b' ' | b'-' | b'.' | b'/' | b'(' | b')' if gap < 2 || is_slash(at) => gap += 1,
            _ => break,
        }
    }
    (count >= 7).then_some((count, end))
}

/// True if a text is a date or a time, or begins with one.
fn is_date(text: &[u8]) -> bool {
    let year = |own: &[u8]| own.starts_with(b"19") || own.starts_with(b"20");
    let parts: Vec<&[u8]> = text.split(|byte| b"- ".contains(byte)).collect();
    // Years far away have more digits.
    if let [years, month, day, ..] = parts.as_slice()
        && years.len() > 3
        && month.len() <= 2
        && day.len() <= 2
    {
        return true;
    }
    match text {
        [a, b, c, d, b'-' | b'/' | b'.', e, f, ..] => {
            year(&[*a, *b, *c, *d]) && e.is_ascii_digit() && (f.is_ascii_digit() || *f == b'-')
        }
        [a, b, b'.' | b'/' | b'-', c, d, b'.' | b'/' | b'-', rest @ ..] => {
            [a, b, c, d].iter().all(|own| own.is_ascii_digit()) && year(rest)
        }
        _ => false,
    }
}

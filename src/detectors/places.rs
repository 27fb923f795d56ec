//! Finds addresses: of people (e-mail, RFC 5322 without quoted forms), of machines (IPv4, IPv6, MAC, host names
//! of private networks), and home folders.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use super::redaction_mark::starts_redacted;
use super::{Detection, Kind};
use crate::text::names;

/// Endings of files that stand where a top-level domain would.
const FILE_ENDINGS: [&str; 16] = names("png jpg jpeg gif svg webp css js ts tsx json md py rs txt html");
/// Top-level domains of private networks.
const PRIVATE_DOMAINS: [&str; 7] =
    [".internal", ".local", ".lan", ".corp", ".intranet", ".localdomain", ".intern"];
/// Words beside which a name that ends in `.local` is a host: files and settings end so, too.
const HOST_WORDS: [&str; 6] = ["host", "server", "ssh ", "ping ", "machine", "printer"];
/// Words after which four numbers are no address.
const VERSION_WORDS: [&str; 7] = ["version", "release", "phase", "section", "chapter", "upgrade", "package"];
/// Where home folders are, and names there that are no user.
const HOMES: [&str; 3] = ["/home/", "/Users/", "Users\\"];
const NO_USER: [&str; 17] = names(
    "shared public default runner user username you me name linuxbrew node vscode your circleci gitpod \
     codespace jovyan",
);

/// Returns the addresses in a text, in any order.
pub fn places(bytes: &[u8]) -> Vec<Detection> {
    let mut all = Vec::new();
    all.extend(memchr::memchr_iter(b'@', bytes).filter_map(|at| email(bytes, at)));
    all.extend(memchr::memchr3_iter(b':', b'.', b'-', bytes).filter_map(|at| machine(bytes, at)));
    for start in HOMES {
        let found = memchr::memmem::find_iter(bytes, start);
        all.extend(found.filter_map(|at| home(bytes, at, start)));
    }
    all
}

fn email(bytes: &[u8], at: usize) -> Option<Detection> {
    let text = email_host(bytes.get(at + 1..)?);
    let end = at + 1 + text.len();
    let start = email_start(bytes, at, bytes.get(end) == Some(&b'\''));
    let local = &bytes[start..at];
    let (name, top) = text.rsplit_once('.')?;
    let is_top = top.chars().count() >= 2 && top.chars().all(char::is_alphabetic) || top.starts_with("xn--");
    let is_file = FILE_ENDINGS.contains(&top.to_ascii_lowercase().as_str());
    let is_clone = local == b"git" && matches!(bytes.get(end), Some(b':' | b'/'));
    // `https://user:password@host`
    let is_login = bytes[..start].last() == Some(&b':') && is_in_url(&bytes[..start]);
    let is_it =
        !local.is_empty() && !is_login && !name.is_empty() && !name.starts_with('.') && !text.contains("..");
    (is_it && is_top && !is_file && !is_clone && local.last() != Some(&b'.'))
        .then(|| Detection::hidden_whole(Kind::Email, "email", start..end))
}

/// Returns where the local part of an address begins, whose `@` is at a place. Text in a script without spaces may be before
/// it, so its letters are Latin, Greek or Cyrillic.
fn email_start(bytes: &[u8], at: usize, is_quoted: bool) -> usize {
    let is_letter = |c: char| c < '\u{530}' && c.is_alphanumeric() || ('\u{300}'..'\u{370}').contains(&c);
    let is_local = |c: &char| is_letter(*c) || ".!#$%&'*+-/=?^_`{|}~".contains(*c);
    let part = bytes[at.saturating_sub(64)..at].utf8_chunks().last();
    let text = part.filter(|own| own.invalid().is_empty()).map_or("", |own| own.valid());
    let len: usize = text.chars().rev().take_while(is_local).map(char::len_utf8).sum();
    // Marks around an address are not a part of it.
    let local = text[text.len() - len..].trim_start_matches(|c| !is_letter(c) && c != '_');
    let is_mark = |(place, c): &(usize, char)| match c {
        '\'' => is_quoted || !local[..*place].ends_with(is_letter),
        c => "/=?`{}|".contains(*c),
    };
    // A path or a URL may be before it: `https://user@host`.
    let local = local.char_indices().rfind(is_mark).map_or(local, |(place, _)| &local[place + 1..]);
    let start = at - local.len();
    // In JSON, `\n` may be before it.
    let is_escape =
        start > 0 && bytes[start - 1] == b'\\' && bytes.get(start).is_some_and(|own| b"nrt".contains(own));
    if is_escape { start + 1 } else { start }
}

/// Returns the name of a host at the start of the bytes. It may have letters of any script.
fn email_host(bytes: &[u8]) -> &str {
    let part = &bytes[..bytes.len().min(255)];
    let valid = std::str::from_utf8(part).map_or_else(|error| error.valid_up_to(), str::len);
    let text = std::str::from_utf8(&part[..valid]).unwrap_or_default();
    let is_host = |c: char| c.is_alphanumeric() || ".-".contains(c);
    let host = &text[..text.find(|c| !is_host(c)).unwrap_or(text.len())];
    // Text in a script without spaces may follow a letter of ASCII.
    let mut pairs = host.char_indices().zip(host.chars().skip(1));
    let follows = |((at, c), next): ((usize, char), char)| {
        (c.is_ascii_alphanumeric() && next >= '\u{530}').then_some(at + 1)
    };
    let end = pairs.find_map(follows).unwrap_or(host.len());
    host[..end].trim_end_matches(['.', '-'])
}

/// True if a whole path of folders is at the end of the bytes, as in `/opt/sdk/1.2.3.4/lib`.
fn is_path_before(before: &[u8]) -> bool {
    let is_path = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-".contains(byte);
    let len = before.iter().rev().take(128).take_while(|byte| is_path(byte)).count();
    let path = &before[before.len() - len..];
    path.starts_with(b"/") && path.ends_with(b"/") && path.len() > 2 && !path.starts_with(b"//")
}

/// True if a URL begins in the word at the end of the bytes.
fn is_in_url(before: &[u8]) -> bool {
    let word = before.iter().rev().take(128).take_while(|byte| !byte.is_ascii_whitespace()).count();
    memchr::memmem::find(&before[before.len() - word..], b"://").is_some()
}

/// Returns the address of a machine whose first separator is at `at`. Most signs end a word or a sentence.
fn machine(bytes: &[u8], at: usize) -> Option<Detection> {
    let next = bytes.get(at + 1)?;
    match bytes[at] {
        b'.' if next.is_ascii_digit() => ipv4(bytes, at).or_else(|| short_mac(bytes, at)),
        b'.' if next.is_ascii_alphabetic() => short_mac(bytes, at).or_else(|| host(bytes, at)),
        b'-' | b':' if next.is_ascii_hexdigit() || *next == b':' => {
            mac(bytes, at).or_else(|| ipv6(bytes, at))
        }
        _ => None,
    }
}

fn run(bytes: &[u8], at: usize, is: fn(u8) -> bool) -> Range<usize> {
    let before = bytes[..at].iter().rev().take(64).take_while(|byte| is(**byte)).count();
    let after = bytes[at..].iter().take(64).take_while(|byte| is(**byte)).count();
    at - before..at + after
}

fn ipv4(bytes: &[u8], at: usize) -> Option<Detection> {
    let mut span = run(bytes, at, |byte| byte.is_ascii_digit() || byte == b'.');
    while span.end > span.start && bytes[span.end - 1] == b'.' {
        span.end -= 1;
    }
    // Only the first point of an address finds it.
    if bytes[span.start..at].contains(&b'.') {
        return None;
    }
    let before = bytes[..span.start].last();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    let is_cut = before.is_some_and(is_part) && !is_after_escape(bytes, span.start)
        || bytes.get(span.end).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    let own: Ipv4Addr = std::str::from_utf8(&bytes[span.clone()]).ok()?.parse().ok()?;
    let is_usual =
        own.is_loopback() || own.is_broadcast() || own.is_multicast() || matches!(own.octets()[0], 0 | 255);
    let is_folder = bytes.get(span.end) == Some(&b'/') && is_path_before(&bytes[..span.start]);
    // `1.2.3.4` after such a word is a version or a number of a part.
    let near = &bytes[span.start.saturating_sub(16)..span.start].to_ascii_lowercase();
    let is_version = VERSION_WORDS.iter().any(|word| memchr::memmem::find(near, word.as_bytes()).is_some());
    (!is_cut && !is_usual && !is_folder && !is_version)
        .then(|| Detection::hidden_whole(Kind::Address, "ipv4", span))
}

fn ipv6(bytes: &[u8], at: usize) -> Option<Detection> {
    let mut span = run(bytes, at, |byte| byte.is_ascii_hexdigit() || byte == b':' || byte == b'.');
    if bytes[span.start..at].contains(&b':') {
        return None;
    }
    while span.end > span.start && bytes[span.end - 1] == b'.'
        || span.end > span.start + 1 && bytes[span.end - 1] == b':' && bytes[span.end - 2] != b':'
    {
        span.end -= 1;
    }
    let text = std::str::from_utf8(&bytes[span.clone()]).ok()?;
    let colons = text.bytes().filter(|byte| *byte == b':').count();
    let own: Ipv6Addr = if colons < 3 { None } else { text.parse().ok() }?;
    let is_cut = bytes[..span.start].last().is_some_and(u8::is_ascii_alphanumeric)
        && !is_after_escape(bytes, span.start)
        || bytes.get(span.end).is_some_and(u8::is_ascii_alphanumeric);
    let is_usual = IpAddr::from(own).is_loopback() || own.is_unspecified();
    // Otherwise `09:00::` would be one.
    let is_long = text.split(':').any(|group| group.len() > 2);
    (is_long && text.len() >= 7 && !is_cut && !is_usual)
        .then(|| Detection::hidden_whole(Kind::Address, "ipv6", span))
}

fn mac(bytes: &[u8], at: usize) -> Option<Detection> {
    let span = at.checked_sub(2)?..at + 15;
    let own = bytes.get(span.clone())?;
    let fits = |(place, byte): (usize, &u8)| match place % 3 {
        2 => *byte == bytes[at],
        _ => byte.is_ascii_hexdigit(),
    };
    let is_edge =
        |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != bytes[at]);
    let starts = is_edge(bytes[..span.start].last()) || is_after_escape(bytes, span.start);
    // The address of all machines, or of none.
    let is_usual = || [b'0', b'f', b'F'].iter().any(|digit| own.iter().step_by(3).all(|byte| byte == digit));
    let is_it = own.iter().enumerate().all(fits) && starts && !is_usual() && is_edge(bytes.get(span.end));
    is_it.then(|| Detection::hidden_whole(Kind::Address, "mac", span))
}

/// Returns a MAC address in three groups: `0011.22ff.3344`.
fn short_mac(bytes: &[u8], at: usize) -> Option<Detection> {
    let span = at.checked_sub(4)?..at + 10;
    let own = bytes.get(span.clone())?;
    let fits =
        |(place, byte): (usize, &u8)| if place % 5 == 4 { *byte == b'.' } else { byte.is_ascii_hexdigit() };
    let is_edge = |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'.');
    let end = bytes
        .get(span.end)
        .filter(|byte| **byte != b'.' || bytes.get(span.end + 1).is_some_and(u8::is_ascii_alphanumeric));
    let has_both = || own.iter().any(u8::is_ascii_alphabetic) && own.iter().any(u8::is_ascii_digit);
    let is_it =
        own.iter().enumerate().all(fits) && has_both() && is_edge(bytes[..span.start].last()) && is_edge(end);
    is_it.then(|| Detection::hidden_whole(Kind::Address, "mac", span))
}

/// Returns the host name of a private network whose last point is at `at`.
fn host(bytes: &[u8], at: usize) -> Option<Detection> {
    bytes.get(at + 1).filter(|next| b"ilc".contains(next))?;
    let ending = PRIVATE_DOMAINS.iter().find(|own| bytes[at..].starts_with(own.as_bytes()))?;
    let end = at + ending.len();
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
    let goes_on = bytes.get(end).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"-_(".contains(byte))
        || matches!(bytes.get(end..), Some([b'.', next, ..]) if next.is_ascii_alphanumeric());
    let start = run(bytes, at, is_name).start;
    let before = bytes[..start].last();
    // A path, an address and a member of an object end in the same way.
    let is_other = before.is_some_and(|byte| b"/@_$~\\".contains(byte)) && !bytes[..start].ends_with(b"//");
    let name = &bytes[start..at];
    let is_it = name.len() >= 2 && name.iter().any(u8::is_ascii_alphabetic) && !name.starts_with(b".");
    let is_code = matches!(name, b"self" | b"this" | b"process" | b"window" | b"settings" | b"env");
    let near = &bytes[start.saturating_sub(24)..start].to_ascii_lowercase();
    let is_near = || HOST_WORDS.iter().any(|word| memchr::memmem::find(near, word.as_bytes()).is_some());
    let is_named = *ending != ".local" || bytes[..start].ends_with(b"//") || is_near();
    (is_it && is_named && !goes_on && !is_other && !is_code)
        .then(|| Detection::hidden_whole(Kind::Address, "host", start..end))
}

fn home(bytes: &[u8], at: usize, start: &str) -> Option<Detection> {
    let mut from = at + start.len();
    // Windows writes a drive before it, and JSON doubles the backslash.
    let mut begin = at;
    if start.ends_with('\\') {
        while bytes.get(from) == Some(&b'\\') {
            from += 1;
        }
        let drive = bytes[..at].iter().rev().take_while(|byte| **byte == b'\\').count();
        begin = at - drive;
        if begin >= 2 && bytes[begin - 1] == b':' && bytes[begin - 2].is_ascii_alphabetic() {
            begin -= 2;
        } else {
            return None;
        }
    } else if bytes[..at].last().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(byte))
        && !is_after_escape(bytes, at)
        && !is_after_drive(&bytes[..at])
    {
        return None;
    }
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte) || *byte > 127;
    let mut name =
        &bytes[from..from + bytes[from..].iter().take(64).take_while(|byte| is_name(byte)).count()];
    while let [head @ .., b'.' | b'-'] = name {
        name = head;
    }
    let text = String::from_utf8_lossy(name).to_lowercase();
    (!name.is_empty()
        && !name.starts_with(b".")
        && !starts_redacted(name)
        && !NO_USER.contains(&text.as_str()))
    .then(|| Detection::hidden_whole(Kind::Home, "home-folder", begin..from + name.len()))
}

/// True if the bytes end in a drive of Windows as Unix programs write it: `/c` or `/mnt/c`.
fn is_after_drive(before: &[u8]) -> bool {
    let [head @ .., b'/', drive] = before else { return false };
    let is_start = head.last().is_none_or(|byte| !byte.is_ascii_alphanumeric() && !b"._-/".contains(byte));
    drive.is_ascii_alphabetic() && (is_start || head.ends_with(b"/mnt"))
}

fn is_after_escape(bytes: &[u8], at: usize) -> bool {
    at >= 2 && bytes[at - 2] == b'\\' && b"nrtbf".contains(&bytes[at - 1])
}

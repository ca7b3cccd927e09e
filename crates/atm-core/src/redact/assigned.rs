//! Secrets that show by what stands before them: `password=`, `"api_key": …`, headers, URLs with a
//! password, and lines of `.env` files whose value looks like a key.

use super::{Found, has, is_word};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Password,
    /// Made by a machine: has digits.
    Secret,
    Header,
    Cookie,
}

/// How name and value are joined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Join {
    /// `NAME=value` at the start of a line, `?name=value`, `--name=value`, `--name value`.
    Tight,
    Equals,
    Colon,
}

/// Longest name and longest value in quotes. In a line without breaks, as large as a file, a search
/// without end would be done over and over.
const MAX_NAME: usize = 80;
const MAX_VALUE: usize = 4096;

/// One `name … value` in the text.
struct Pair<'t> {
    name: &'t str,
    class: Option<Class>,
    join: Join,
    /// Where the value begins, after an opening quote.
    start: usize,
    value: &'t str,
    is_quoted: bool,
}

pub(super) fn find(text: &str, found: &mut Vec<Found>) {
    for (at, byte) in text.bytes().enumerate() {
        let pair = match byte {
            b'=' | b':' => joined(text, at),
            b' ' => option(text, at),
            _ => None,
        };
        if let Some(pair) = pair
            && let Some((skipped, kind)) = judge(&pair)
        {
            found.push(Found { at: pair.start + skipped..pair.start + pair.value.len(), kind });
        }
        if byte == b':' && text[at..].starts_with("://") {
            found.extend(url_password(text, at + 3));
        }
        if byte == b' ' && is_scheme(&text[..at]) {
            found.extend(credentials(text, at + 1));
        }
    }
}

fn ends_with(text: &str, end: &str) -> bool {
    let from = text.len().checked_sub(end.len());
    let tail = from.and_then(|from| text.as_bytes().get(from..));
    tail.is_some_and(|tail| tail.eq_ignore_ascii_case(end.as_bytes()))
}

fn joined(text: &str, at: usize) -> Option<Pair<'_>> {
    let bytes = text.as_bytes();
    let before = text[..at].trim_end_matches([' ', '\t', ':']);
    let before = before.trim_end_matches(['"', '\'', '`', '\\']);
    let name = last_name(before)?;
    let mut after = at + 1;
    match (bytes[at], bytes.get(after)) {
        (_, Some(b'=')) | (b':', Some(b':')) => return None,
        (b'=', Some(b'>')) => after += 1,
        _ => {}
    }
    let class = class(name);
    let join = match bytes[at] {
        b':' => Join::Colon,
        _ if is_tight(text, at, before, name) => Join::Tight,
        _ => Join::Equals,
    };
    // Without a telling name only a line of an `.env` file counts.
    if class.is_none() && join != Join::Tight {
        return None;
    }
    Some(value_from(text, after, join, (name, class)))
}

/// Joined as in an `.env` file, a URL or an option, not as in code.
fn is_tight(text: &str, at: usize, before: &str, name: &str) -> bool {
    if text[..at].ends_with(' ') || text[at + 1..].starts_with([' ', '>']) {
        return false;
    }
    let lead = &before[..before.len() - name.len()];
    if name.starts_with("--") || lead.ends_with(['?', '&']) {
        return true;
    }
    let near = &lead[lead.floor_char_boundary(lead.len().saturating_sub(MAX_NAME))..];
    let line = near.rsplit(['\n', '"']).next().unwrap_or_default();
    !name.bytes().any(|b| b.is_ascii_lowercase())
        && matches!(line.trim(), "" | "export" | "set" | "-")
}

/// `--name value`
fn option(text: &str, at: usize) -> Option<Pair<'_>> {
    let name = last_name(&text[..at]).filter(|name| name.starts_with("--"))?;
    let is_option_next = text[at + 1..].starts_with('-');
    let class = class(name).filter(|_| !is_option_next)?;
    Some(value_from(text, at + 1, Join::Tight, (name, Some(class))))
}

fn last_name(before: &str) -> Option<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    let name = &before[before.trim_end_matches(is_name).len()..];
    (!name.is_empty() && name.len() <= MAX_NAME).then_some(name)
}

fn value_from<'t>(
    text: &'t str,
    after: usize,
    join: Join,
    (name, class): (&'t str, Option<Class>),
) -> Pair<'t> {
    let text = &text[..text.floor_char_boundary(after + MAX_VALUE)];
    let spaces = text[after..].len() - text[after..].trim_start_matches([' ', '\t']).len();
    let mut start = after + spaces;
    let rest = &text[start..];
    let quote = ["\\\"", "\"", "'", "`"].into_iter().find(|quote| rest.starts_with(quote));
    let end = match quote {
        Some(quote) => {
            start += quote.len();
            let line = text[start..].find('\n').unwrap_or(text.len() - start);
            text[start..start + line].find(quote).unwrap_or(line)
        }
        None => text[start..].find(is_value_end).unwrap_or(text.len() - start),
    };
    Pair { name, class, join, start, value: &text[start..start + end], is_quoted: quote.is_some() }
}

fn is_value_end(c: char) -> bool {
    c.is_whitespace() || "\"'`,;&<>)]}|".contains(c)
}

/// How much of the value is left standing, and what the rest is.
fn judge(pair: &Pair<'_>) -> Option<(usize, &'static str)> {
    match pair.class {
        Some(Class::Header) => header(pair),
        Some(Class::Cookie) => {
            (pair.value.len() >= 8 && pair.value.contains('=')).then_some((0, "cookie"))
        }
        Some(Class::Password) => is_password(pair).then_some((0, "password")),
        Some(Class::Secret) => is_secret(pair).then_some((0, "secret")),
        None => is_env_key(pair).then_some((0, "environment value")),
    }
}

/// By the last words of a name: `DB_PASSWORD`, `clientSecret`, `x-api-key`.
fn class(name: &str) -> Option<Class> {
    let ends = |words: &[&str]| words.iter().any(|word| is_end(name, word));
    let is_short = is_end(name, "pass") && name.contains(['_', '-', '.']);
    let keys = ["apikey", "secretkey", "accesskey", "privatekey", "signingkey", "encryptionkey"];
    if ends(&["authorization"]) {
        Some(Class::Header)
    } else if matches!(name.to_ascii_lowercase().as_str(), "cookie" | "set-cookie") {
        Some(Class::Cookie)
    } else if is_short || ends(&["password", "passwd", "passphrase"]) || name.ends_with("PWD") {
        Some(Class::Password)
    } else if ends(&["secret", "token", "credential", "credentials", "accountkey", "authkey"])
        || ends(&keys)
    {
        Some(Class::Secret)
    } else {
        None
    }
}

/// Whether the letters of a name end in `word`, whatever stands between them.
fn is_end(name: &str, word: &str) -> bool {
    let mut letters = name.bytes().rev().filter(u8::is_ascii_alphanumeric);
    word.bytes()
        .rev()
        .all(|wanted| letters.next().is_some_and(|b| b.to_ascii_lowercase() == wanted))
}

/// A reference, a call, a type or a stand-in: nothing to hide.
fn is_stand_in(pair: &Pair<'_>) -> bool {
    const WORDS: &[&str] = &[
        "true",
        "false",
        "none",
        "null",
        "undefined",
        "nil",
        "string",
        "str",
        "bytes",
        "required",
        "optional",
        "hidden",
        "text",
        "password",
        "passwd",
        "secret",
        "token",
        "changeme",
        "empty",
        "missing",
        "invalid",
        "incorrect",
        "prompt",
        "input",
        "value",
        "default",
        "disabled",
        "enabled",
    ];
    const PARTS: &[&str] = &["example", "placeholder", "your", "redacted", "dummy", "xxx", "***"];
    let value = pair.value;
    let lower = value.to_ascii_lowercase();
    value.starts_with(['$', '<', '{', '[', '(', '%', '/', '~', '.', '*', '&', '@', '#', '!', '='])
        || value.contains(['(', '{'])
        || value.contains("...")
        || value.contains('…')
        || value.contains("://")
        || lower == pair.name.to_ascii_lowercase()
        || WORDS.contains(&lower.as_str())
        || PARTS.iter().any(|part| lower.contains(part))
        || (!pair.is_quoted && pair.join != Join::Tight && is_path_of_names(value))
}

/// `config.db.password`, `self->token`, `Option`, `user2.token`
fn is_path_of_names(value: &str) -> bool {
    let is_name = |part: &str| {
        part.bytes().next().is_none_or(|b| b.is_ascii_alphabetic() || b == b'_')
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    let is_plain = !has(value, |b| b.is_ascii_digit());
    let is_path = value.contains(['.', ':']) || value.contains("->");
    (is_plain || is_path) && value.split(['.', ':', '>', '-', '?']).all(is_name)
}

fn is_password(pair: &Pair<'_>) -> bool {
    let value = pair.value;
    let is_sentence = value.contains(' ') && pair.join != Join::Tight;
    if value.len() < 4 || is_stand_in(pair) || is_sentence {
        return false;
    }
    let is_mixed = has(value, |b| !b.is_ascii_alphabetic() && b.is_ascii_graphic());
    let is_lower = value.bytes().all(|b| b.is_ascii_lowercase());
    match (pair.join, pair.is_quoted) {
        (Join::Tight, _) | (Join::Equals, true) => true,
        (Join::Colon, true) => is_mixed || (is_lower && value.len() >= 6),
        (Join::Equals | Join::Colon, false) => {
            value.len() >= 6 && has(value, |b| b.is_ascii_digit())
        }
    }
}

fn is_secret(pair: &Pair<'_>) -> bool {
    let value = pair.value;
    let least = if pair.is_quoted || pair.join == Join::Tight { 8 } else { 12 };
    value.len() >= least
        && !is_stand_in(pair)
        && !value.contains(' ')
        && has(value, |b| b.is_ascii_digit())
        && has(value, |b| b.is_ascii_alphabetic())
}

/// The scheme stays: `Authorization: Bearer [redacted: authorization]`.
fn header(pair: &Pair<'_>) -> Option<(usize, &'static str)> {
    let is_hidden = |value: &str| {
        value.len() >= 6 && !value.starts_with(['$', '<', '{', '*']) && !value.contains("...")
    };
    // Not quoted, the value ends at the first space: what follows a scheme is found by itself.
    let scheme = pair.value.split_once(' ');
    let (skipped, value) = scheme.map_or((0, pair.value), |(word, rest)| (word.len() + 1, rest));
    let is_value = is_hidden(value) && has(value, |b| b.is_ascii_digit() || b == b'=');
    is_value.then_some((skipped, "authorization"))
}

/// `Bearer` anywhere, any other word only behind the header's name.
fn is_scheme(before: &str) -> bool {
    if ends_with(before, "bearer") {
        return true;
    }
    let line = before.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let name = line.trim_end_matches([' ', ':', '=', '"', '\'', '\\']);
    name.len() < line.len() && ends_with(name, "authorization")
}

fn credentials(text: &str, start: usize) -> Option<Found> {
    let rest = &text[start..];
    let length = rest.bytes().take_while(|b| is_word(*b) || b".~+/=".contains(b)).count();
    let value = &rest[..length];
    let is_mixed = has(value, |b| b.is_ascii_digit()) || has(value, |b| b.is_ascii_uppercase());
    let is_token = length >= 12 && is_mixed;
    is_token.then_some(Found { at: start..start + length, kind: "authorization" })
}

/// `scheme://user:password@host`
fn url_password(text: &str, start: usize) -> Option<Found> {
    let rest = &text[start..text.floor_char_boundary(start + MAX_VALUE)];
    let end = rest.find(|c: char| c.is_whitespace() || "/\"'`<>".contains(c));
    let (login, _) = rest[..end.unwrap_or(rest.len())].rsplit_once('@')?;
    let (user, password) = login.split_once(':')?;
    let is_stand_in = password.is_empty()
        || password.starts_with(['$', '<', '{', '*', '%'])
        || matches!(password.to_ascii_lowercase().as_str(), "password" | "pass" | "pwd" | "secret");
    let at = start + user.len() + 1;
    (!is_stand_in).then_some(Found { at: at..at + password.len(), kind: "URL password" })
}

/// A line of an `.env` file with letters of all sorts and no words in them.
fn is_env_key(pair: &Pair<'_>) -> bool {
    let value = pair.value;
    let is_key = |b: u8| b.is_ascii_alphanumeric() || b"+/=_-".contains(&b);
    pair.join == Join::Tight
        && !pair.name.starts_with('-')
        && !has(pair.name, |b| b.is_ascii_lowercase())
        && value.len() >= 24
        && value.bytes().all(is_key)
        && !value.starts_with(['/', '-'])
        && has(value, |b| b.is_ascii_digit())
        && has(value, |b| b.is_ascii_uppercase())
        && has(value, |b| b.is_ascii_lowercase())
        && value.split(|c: char| !c.is_ascii_lowercase()).all(|run| run.len() <= 6)
}

//! Secrets that show by themselves what they are: keys with a known beginning, private keys.

use memchr::memmem;

use super::{Found, has, is_word};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Letters {
    Hex,
    Upper,
    Alnum,
    /// With `_` and `-`.
    Word,
    /// With `_`, `-` and `.`.
    Dotted,
}

/// Beginning, kind, letters that follow, and how many at least.
type Shape = (&'static str, &'static str, Letters, usize);

const SHAPES: &[Shape] = &[
    ("sk-ant-", "Anthropic key", Letters::Word, 20),
    ("sk-proj-", "OpenAI key", Letters::Word, 20),
    ("sk-svcacct-", "OpenAI key", Letters::Word, 20),
    ("sk-or-v1-", "OpenRouter key", Letters::Hex, 32),
    ("sk-", "API key", Letters::Alnum, 32),
    ("ghp_", "GitHub token", Letters::Alnum, 36),
    ("gho_", "GitHub token", Letters::Alnum, 36),
    ("ghu_", "GitHub token", Letters::Alnum, 36),
    ("ghs_", "GitHub token", Letters::Alnum, 36),
    ("ghr_", "GitHub token", Letters::Alnum, 36),
    ("github_pat_", "GitHub token", Letters::Word, 40),
    ("glpat-", "GitLab token", Letters::Word, 20),
    ("xoxb-", "Slack token", Letters::Word, 20),
    ("xoxa-", "Slack token", Letters::Word, 20),
    ("xoxp-", "Slack token", Letters::Word, 20),
    ("xoxr-", "Slack token", Letters::Word, 20),
    ("xoxs-", "Slack token", Letters::Word, 20),
    ("xapp-", "Slack token", Letters::Word, 20),
    ("AKIA", "AWS key", Letters::Upper, 16),
    ("ASIA", "AWS key", Letters::Upper, 16),
    ("AIza", "Google key", Letters::Word, 35),
    ("ya29.", "Google token", Letters::Word, 20),
    ("GOCSPX-", "Google secret", Letters::Word, 20),
    ("sk_live_", "Stripe key", Letters::Alnum, 16),
    ("sk_test_", "Stripe key", Letters::Alnum, 16),
    ("rk_live_", "Stripe key", Letters::Alnum, 16),
    ("rk_test_", "Stripe key", Letters::Alnum, 16),
    ("whsec_", "webhook secret", Letters::Alnum, 24),
    ("npm_", "npm token", Letters::Alnum, 36),
    ("pypi-", "PyPI token", Letters::Word, 50),
    ("hf_", "Hugging Face token", Letters::Alnum, 30),
    ("gsk_", "Groq key", Letters::Alnum, 40),
    ("xai-", "xAI key", Letters::Alnum, 60),
    ("dop_v1_", "DigitalOcean token", Letters::Hex, 64),
    ("SG.", "SendGrid key", Letters::Dotted, 50),
    ("shpat_", "Shopify token", Letters::Hex, 32),
    ("dckr_pat_", "Docker token", Letters::Word, 20),
    ("tskey-", "Tailscale key", Letters::Word, 20),
    ("lin_api_", "Linear key", Letters::Alnum, 32),
    ("hvs.", "Vault token", Letters::Word, 24),
    ("glsa_", "Grafana token", Letters::Word, 32),
    ("ATATT3", "Atlassian token", Letters::Word, 50),
    ("AGE-SECRET-KEY-1", "age key", Letters::Upper, 50),
    ("eyJ", "token", Letters::Dotted, 40),
];

pub(super) fn find(text: &str, found: &mut Vec<Found>) {
    private_keys(text, found);
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let first = rest[0];
        let hit = (is_beginning(first) && is_start(bytes, at)).then(|| shape_of(rest)).flatten();
        if let Some((length, kind)) = hit {
            found.push(Found { at: at..at + length, kind });
            at += length;
        } else {
            at += 1;
        }
    }
}

fn is_beginning(first: u8) -> bool {
    matches!(first, b'A' | b'G' | b'S' | b'd' | b'e' | b'g' | b'h' | b'l' | b'n' | b'p' | b'r')
        || matches!(first, b's' | b't' | b'w' | b'x' | b'y')
}

/// Not inside of a word; an escaped line break before it, as in JSON, is none.
fn is_start(bytes: &[u8], at: usize) -> bool {
    match (at.checked_sub(1).map(|i| bytes[i]), at.checked_sub(2).map(|i| bytes[i])) {
        (Some(b'n' | b'r' | b't'), Some(b'\\')) => true,
        (Some(before), _) => !is_word(before),
        (None, _) => true,
    }
}

fn shape_of(rest: &[u8]) -> Option<(usize, &'static str)> {
    SHAPES.iter().find_map(|(begin, kind, letters, least)| {
        // One byte sorts nearly all of them out.
        let is_likely = begin.as_bytes().first() == rest.first();
        let after = is_likely.then(|| rest.strip_prefix(begin.as_bytes())).flatten()?;
        let length = after.iter().take_while(|byte| letters.has(**byte)).count();
        let body = std::str::from_utf8(&after[..length]).ok()?;
        let is_key = length >= *least && is_random(begin, body);
        is_key.then_some((begin.len() + length, *kind))
    })
}

/// Words joined by dashes are no key: those have digits.
fn is_random(begin: &str, body: &str) -> bool {
    match begin {
        // Exactly so long.
        "AKIA" | "ASIA" => body.len() == 16 && has(body, |b| b.is_ascii_digit()),
        // Header, payload, signature.
        "eyJ" => body.split('.').filter(|part| part.len() >= 8).count() == 3,
        _ => has(body, |b| b.is_ascii_digit()) && has(body, |b| b.is_ascii_alphabetic()),
    }
}

impl Letters {
    fn has(self, byte: u8) -> bool {
        match self {
            Letters::Hex => byte.is_ascii_hexdigit(),
            Letters::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Letters::Alnum => byte.is_ascii_alphanumeric(),
            Letters::Word => is_word(byte),
            Letters::Dotted => is_word(byte) || byte == b'.',
        }
    }
}

/// Longer than any private key.
const MAX_KEY: usize = 32 * 1024;

fn private_keys(text: &str, found: &mut Vec<Found>) {
    const BEGIN: &str = "-----BEGIN ";
    let mut done = 0;
    for start in memmem::find_iter(text.as_bytes(), BEGIN.as_bytes()) {
        let label = &text[start + BEGIN.len()..];
        let label = &label[..label.floor_char_boundary(60)];
        let Some(length) = label.find("-----").filter(|_| start >= done) else { continue };
        if !label[..length].contains("PRIVATE KEY") {
            continue;
        }
        let body = start + BEGIN.len() + length + 5;
        let end = key_end(text, body);
        // A mention of the mark in code has no key behind it.
        if has(&text[body..end], |b| b.is_ascii_digit()) {
            found.push(Found { at: start..end, kind: "private key" });
        }
        done = end;
    }
}

/// Behind the END mark that belongs to it; of a key that was cut, behind its last letter.
fn key_end(text: &str, body: usize) -> usize {
    const END: &str = "-----END ";
    let is_key = |b: &u8| b.is_ascii_alphanumeric() || b"+/=\\\r\n".contains(b);
    let near = &text[body..text.floor_char_boundary(body + MAX_KEY)];
    let end = near.find(END).and_then(|at| {
        let label = at + END.len();
        near[label..].find("-----").map(|length| body + label + length + 5)
    });
    end.unwrap_or_else(|| body + near.bytes().take_while(|b| is_key(b)).count())
}

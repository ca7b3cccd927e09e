//! The client's name for a project directory, as in `<config>/projects/<name>/`.

pub mod decode;

use std::fmt::Write;

/// Longest name before the client cuts it and appends a hash (z9_path_encoding.jsonl).
const MAX_UNITS: usize = 200;

/// Every UTF-16 unit that is no ASCII letter or digit becomes `-`; over 200 units the name is cut
/// and a hash of the whole path follows.
pub fn encode(path: &str) -> String {
    let units: Vec<u16> = path.encode_utf16().collect();
    let mut name: String = units.iter().take(MAX_UNITS).map(|unit| letter(*unit)).collect();
    if units.len() > MAX_UNITS {
        // Writing into a String cannot fail.
        write!(name, "-{}", base36(hash(&units).unsigned_abs())).ok();
    }
    name
}

fn letter(unit: u16) -> char {
    match u8::try_from(unit) {
        Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
        _ => '-',
    }
}

fn hash(units: &[u16]) -> i32 {
    units.iter().fold(0_i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(*unit)))
}

fn base36(mut n: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(n % 36, 36).unwrap_or('0'));
        n /= 36;
        if n == 0 {
            return digits.iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::encode;

    #[test]
    fn path_over_the_limit_is_cut_and_hashed() {
        // Suffixes worked out apart from this code, by the rule that the client was seen to follow.
        let path = format!("/home/dev/run/p/{}/{}", "a".repeat(100), "b".repeat(100));
        assert!(encode(&path).ends_with("bbb-vaaru7"), "{}", encode(&path));
        let path = format!("/p/{}", "😀".repeat(110));
        assert_eq!(encode(&path), format!("-p-{}-8yunwo", "-".repeat(197)));
    }

    #[test]
    fn path_encoded_follows_the_clients_rule() {
        let cases = [
            ("/home/dev/project", "-home-dev-project"),
            ("/p/dots.and_under-score", "-p-dots-and-under-score"),
            ("/p/é", "-p--"),
            ("/p/emoji-😀-x", "-p-emoji----x"),
            ("/Users/mike/Projects/bstock-projects", "-Users-mike-Projects-bstock-projects"),
            ("/Users/mike/.claude/agents", "-Users-mike--claude-agents"),
            // Seed 001 leaves the slash away and counts it.
            ("/$!@#%^&*()--helloworld!+5_4<>x?.foo", "-------------helloworld--5-4--x--foo"),
        ];
        for (path, expected) in cases {
            assert_eq!(encode(path), expected, "{path}");
        }
    }
}

//! Patterns of rules: `*` stands for anything, slashes too; everything else for itself.

/// An empty pattern matches everything.
pub fn is_match(pattern: &str, text: &str) -> bool {
    if pattern.is_empty() {
        return true;
    }
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// A directory and all below it; `~` is the user's home.
pub fn is_directory_match(pattern: &str, directory: &str, home: Option<&str>) -> bool {
    let expanded = match (pattern.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            format!("{}{rest}", home.trim_end_matches('/'))
        }
        _ => pattern.to_owned(),
    };
    let whole = expanded.trim_end_matches('/');
    is_match(whole, directory) || (!whole.is_empty() && is_match(&format!("{whole}/*"), directory))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pattern_matches_as_people_expect() {
        let cases = [
            ("", "anything", true),
            ("a", "a", true),
            ("a", "ab", false),
            ("*", "", true),
            ("a*", "abc", true),
            ("*c", "abc", true),
            ("a*b*c", "a--b--c", true),
            ("a*b*c", "a--c", false),
            ("aa*aa", "aaa", false),
            ("*日*", "x日y", true),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(is_match(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn directory_pattern_covers_what_is_below_and_knows_home() {
        let cases = [
            ("~/work", "/home/u/work", true),
            ("~/work", "/home/u/work/api", true),
            ("~/work", "/home/u/workshop", false),
            ("~/work/*", "/home/u/work/api", true),
            ("/srv/*/api", "/srv/a/b/api", true),
            ("~other/x", "/home/u/x", false),
            ("", "/any", true),
        ];
        for (pattern, directory, expected) in cases {
            assert_eq!(
                is_directory_match(pattern, directory, Some("/home/u")),
                expected,
                "{pattern}"
            );
        }
    }
}

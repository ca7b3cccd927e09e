//! Where a webhook may go: over TLS anywhere, in the clear to this machine only.

const LOOPBACK: [&str; 3] = ["127.0.0.1", "[::1]", "localhost"];

pub fn is_allowed(url: &str) -> bool {
    let has_odd = url.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\');
    if has_odd {
        return false;
    }
    if let Some(rest) = url.strip_prefix("https://") {
        return !host(rest).is_empty();
    }
    is_loopback(url)
}

/// Whether it is `http` to this machine.
pub fn is_loopback(url: &str) -> bool {
    url.strip_prefix("http://").is_some_and(|rest| LOOPBACK.contains(&host(rest)))
}

/// Empty if somebody could mistake it for another one.
fn host(rest: &str) -> &str {
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return "";
    }
    let (host, port) = match authority.strip_prefix('[') {
        Some(inner) => match inner.find(']') {
            Some(end) => authority.split_at(end + 2),
            None => return "",
        },
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let is_port = port.is_empty()
        || port.strip_prefix(':').is_some_and(|digits| digits.parse::<u16>().is_ok());
    if is_port { host } else { "" }
}

#[cfg(test)]
mod tests {
    use super::is_allowed;

    #[test]
    fn webhook_goes_over_tls_or_to_this_machine_only() {
        let good = [
            "https://hooks.example.com/a?b=c",
            "https://example.com:8443",
            "http://127.0.0.1:9000/x",
            "http://[::1]:80/",
            "http://localhost/hook",
        ];
        let bad = [
            "",
            "http://example.com/",
            "http://127.0.0.1.example.com/",
            "http://127.0.0.1@example.com/",
            "http://localhost:80@example.com/",
            "https://",
            "https://user:secret@example.com/",
            "ftp://127.0.0.1/",
            "http://localhost:port/",
            "https://exa mple.com",
            "http://localhost\\@example.com/",
        ];
        assert_eq!(good.map(is_allowed), [true; 5]);
        for url in bad {
            assert!(!is_allowed(url), "{url}");
        }
    }
}

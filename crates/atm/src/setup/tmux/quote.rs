//! Words for tmux: one level of quoting for each of its parsers.

use atm_core::settings;

/// One word for the parser of configuration files and command strings.
pub(crate) fn word(text: &str) -> String {
    // Within single quotes everything is itself, but a line break eats the spaces that follow.
    if !text.contains(['\'', '\n']) {
        return format!("'{text}'");
    }
    let escape = |c: char| match c {
        '\\' | '"' | '$' => format!("\\{c}"),
        '\n' => "\\n".to_owned(),
        // Would be somebody's home at the beginning.
        '~' => "\\176".to_owned(),
        c => c.to_string(),
    };
    format!("\"{}\"", text.chars().map(escape).collect::<String>())
}

/// A path that `source-file` takes as it is, and not as a pattern.
pub(crate) fn path(path: &str) -> String {
    let escape = |c: char| match c {
        '*' | '?' | '[' | '\\' => format!("\\{c}"),
        c => c.to_string(),
    };
    path.chars().map(escape).collect()
}

/// One word for a shell, in a command that tmux expands as a format before.
pub(crate) fn program(path: &str) -> String {
    // Not even doubled would `#[` be a plain text: it begins a style.
    settings::quote(path).replace("#[", "#''[").replace('#', "##")
}

/// One argument on tmux's command line, where a last `;` would end the command.
pub(crate) fn argument(text: &str) -> String {
    match text.strip_suffix(';') {
        Some(start) => format!("{start}\\;"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_is_quoted_as_plainly_as_it_can_be() {
        assert_eq!(word("/a b/#{x}$y;\\"), "'/a b/#{x}$y;\\'");
        assert_eq!(word("it's $1 \\ \"q\"\n x"), "\"it's \\$1 \\\\ \\\"q\\\"\\n x\"");
    }

    #[test]
    fn path_is_no_pattern_and_program_no_format() {
        assert_eq!(path("/a*[b]?\\c"), "/a\\*\\[b]\\?\\\\c");
        assert_eq!(program("/a#{b}/#[c]/it's"), "'/a##{b}/##''[c]/it'\\''s'");
        assert_eq!((argument("a;"), argument("a")), ("a\\;".into(), "a".into()));
    }
}

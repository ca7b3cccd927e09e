//! The mark of our entries: which commands are ours.

use jsonc_parser::ast::Object;

use super::document::{live, live_text};

const PROGRAM: &str = "atm";
const HOOK: &str = "hook";
const STATUS_LINE: &str = "statusline";

/// Quotes one word for a POSIX shell.
pub fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// What a command hook starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Invocation {
    pub(super) program: String,
    pub(super) args: Vec<String>,
    pub(super) is_ours: bool,
}

impl Invocation {
    /// `None` for a handler of another type, or one without a command.
    pub(super) fn of(handler: &Object<'_>) -> Option<Invocation> {
        live_text(handler, "type").filter(|kind| *kind == "command")?;
        let command = live_text(handler, "command")?;
        let Some(args) = live(handler, "args") else { return Some(Invocation::shell(command)) };
        let words = args.value.as_array()?.elements.iter();
        let args = words.map(|word| word.as_string_lit().map(|word| word.value.to_string()));
        Some(Invocation::exec(command, args.collect::<Option<Vec<_>>>()?))
    }

    pub(super) fn exec(command: &str, args: Vec<String>) -> Invocation {
        let is_ours = is_atm(command) && args.first().is_some_and(|arg| arg == HOOK);
        Invocation { program: command.to_owned(), args, is_ours }
    }

    pub(super) fn shell(command: &str) -> Invocation {
        let is_ours = runs(command, HOOK);
        let loosely = || command.split_whitespace().map(str::to_owned).collect();
        let mut words = words(command).unwrap_or_else(loosely).into_iter();
        Invocation { program: words.next().unwrap_or_default(), args: words.collect(), is_ours }
    }
}

pub(super) fn is_our_status_line(command: &str) -> bool {
    runs(command, STATUS_LINE)
}

/// `atm statusline`, with the user's own command line as its one argument if there is one.
pub(super) fn our_status_line(program: &str, users: Option<&str>) -> String {
    let ours = format!("{} {STATUS_LINE}", quote(program));
    users.map_or(ours.clone(), |users| format!("{ours} -- {}", quote(users)))
}

/// The user's command line within ours.
pub(super) fn within_status_line(command: &str) -> Option<String> {
    match words(command)?.as_slice() {
        [program, first, dashes, users]
            if is_atm(program) && first == STATUS_LINE && dashes == "--" =>
        {
            Some(users.clone())
        }
        _ => None,
    }
}

fn runs(command: &str, subcommand: &str) -> bool {
    words(command).is_some_and(|words| match words.as_slice() {
        [program, first, ..] => is_atm(program) && first == subcommand,
        _ => false,
    })
}

fn is_atm(program: &str) -> bool {
    program.rsplit('/').next() == Some(PROGRAM)
}

/// The words of one plain command; `None` if the shell would do more than start it. A user's
/// `atm hook; mine` is the user's.
fn words(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = command.chars();
    while let Some(character) = rest.next() {
        match character {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => single_quoted(&mut rest, word.get_or_insert_default())?,
            '"' => double_quoted(&mut rest, word.get_or_insert_default())?,
            '\\' => word.get_or_insert_default().push(rest.next()?),
            ';' | '|' | '&' | '<' | '>' | '(' | ')' | '`' | '\n' => return None,
            '#' if word.is_none() => return None,
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    Some(words)
}

fn single_quoted(rest: &mut std::str::Chars<'_>, word: &mut String) -> Option<()> {
    loop {
        match rest.next()? {
            '\'' => return Some(()),
            character => word.push(character),
        }
    }
}

fn double_quoted(rest: &mut std::str::Chars<'_>, word: &mut String) -> Option<()> {
    loop {
        match rest.next()? {
            '"' => return Some(()),
            '\\' => {
                let escaped = rest.next()?;
                if !matches!(escaped, '"' | '\\' | '$' | '`') {
                    word.push('\\');
                }
                word.push(escaped);
            }
            character => word.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &str, ours: bool) {
        assert_eq!(Invocation::shell(command).is_ours, ours, "{command}");
    }

    #[test]
    fn shell_command_is_ours_only_if_it_is_plainly_atm_hook() {
        check("atm hook", true);
        check("/usr/local/bin/atm hook --guard", true);
        check(r#""$HOME/my bin/atm" hook"#, true);
        check(r"/my\ bin/atm   hook", true);
        check(r"'/it'\''s/atm' 'hook'", true);
        check("atm", false);
        check("atm list", false);
        check("atm hooks", false);
        check("/usr/bin/atmosphere hook", false);
        check("/opt/atm/run hook", false);
        check("atm hook; mine", false);
        check("atm hook | tee log", false);
        check("mine && atm hook", false);
        check("X=$(date) atm hook", false);
        check("'atm hook", false);
        check("'atm hook'", false);
        check("# atm hook", false);
        check("", false);
    }

    #[test]
    fn quoted_path_is_one_word_whatever_it_holds() {
        for path in ["/a b/atm", "/it's/atm", "/\"q\"/#1/$x/`y`;z/atm", "/new\nline/atm", "/é/atm"]
        {
            assert_eq!(words(&format!("{} hook", quote(path))).unwrap(), [path, "hook"]);
            check(&format!("{} hook", quote(path)), true);
        }
    }

    #[test]
    fn status_line_of_the_user_comes_out_of_ours_as_it_went_in() {
        for users in ["mine", "it's \"my\" line | sed 's/a/b/' # $x", "two\nlines", " ", "é"] {
            let ours = our_status_line("/a 'b'/atm", Some(users));
            assert!(is_our_status_line(&ours));
            assert_eq!(within_status_line(&ours).as_deref(), Some(users));
        }
        assert_eq!(our_status_line("/a/atm", None), "'/a/atm' statusline");
        for none in ["'/a/atm' statusline", "mine -- 'x'", "atm statusline --plain 'x'"] {
            assert_eq!(within_status_line(none), None, "{none}");
        }
    }

    #[test]
    fn compound_command_is_still_shown_with_program_and_arguments() {
        let found = Invocation::shell("atm hook | tee log");
        assert_eq!(found.program, "atm");
        assert_eq!(found.args, ["hook", "|", "tee", "log"]);
    }
}

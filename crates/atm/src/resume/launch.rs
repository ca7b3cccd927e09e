//! The client in place of this program: in a directory, with the arguments it is to get.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::place::is_same;
use crate::error::CliError;
use crate::exit::Exit;

const CLIENT: &str = "claude";
const CONFIG: &str = "CLAUDE_CONFIG_DIR";

/// The client's configuration directory, as its environment says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Config {
    AsItIs,
    Default,
    At(PathBuf),
}

#[derive(Debug)]
pub(crate) struct Launch {
    /// None: where we are.
    pub(crate) dir: Option<PathBuf>,
    pub(crate) config: Config,
    pub(crate) words: Vec<OsString>,
}

impl Launch {
    pub(crate) fn claude(words: &[OsString]) -> Launch {
        Launch { dir: None, config: Config::AsItIs, words: words.to_vec() }
    }

    /// Returns only if it failed.
    #[expect(clippy::disallowed_methods, reason = "this is where the client takes our place")]
    pub(crate) fn exec(&self) -> CliError {
        let mut command = Command::new(CLIENT);
        command.args(&self.words);
        match &self.config {
            Config::AsItIs => {}
            Config::Default => drop(command.env_remove(CONFIG)),
            Config::At(dir) => drop(command.env(CONFIG, dir)),
        }
        if let Some(dir) = &self.dir {
            if let Err(error) = std::env::set_current_dir(dir) {
                return CliError::failed(&format!("cannot go to {}", dir.display()), &error);
            }
            command.env("PWD", dir);
        }
        let error = command.exec();
        if error.kind() == io::ErrorKind::NotFound {
            return CliError::new(Exit::Failed, "cannot find `claude` on the PATH")
                .hint("install Claude Code, or put the directory of `claude` on the PATH");
        }
        CliError::failed("cannot start `claude`", &error)
    }

    /// The same in one line for a shell.
    pub(crate) fn line(&self) -> String {
        let mut words = Vec::new();
        if let Some(dir) = &self.dir {
            words.extend(["cd".to_owned(), quote(dir.as_os_str()), "&&".to_owned()]);
        }
        match &self.config {
            Config::AsItIs => {}
            Config::Default => words.extend(["env", "-u", CONFIG].map(str::to_owned)),
            Config::At(dir) => words.push(format!("{CONFIG}={}", quote(dir.as_os_str()))),
        }
        words.push(CLIENT.to_owned());
        words.extend(self.words.iter().map(|word| quote(word)));
        words.join(" ")
    }
}

/// For sh; text with control characters for bash and zsh, so that it stays in one line.
fn quote(word: &OsStr) -> String {
    let text = word.to_string_lossy();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@%+,".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.into_owned();
    }
    if !text.chars().any(char::is_control) {
        return format!("'{}'", text.replace('\'', r"'\''"));
    }
    let escaped = text.chars().map(|c| match c {
        '\'' | '\\' => format!("\\{c}"),
        c if c.is_ascii_control() => format!("\\x{:02x}", u32::from(c)),
        c if c.is_control() => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    });
    format!("$'{}'", escaped.collect::<String>())
}

/// How the client finds the configuration directory `wanted`, if `effective` is what it would take.
pub(crate) fn config(wanted: &Path, effective: Option<&Path>, home: Option<&Path>) -> Config {
    match effective {
        Some(effective) if is_same(wanted, effective) => Config::AsItIs,
        // Named, the usual one would keep its `.claude.json` elsewhere.
        _ if home.is_some_and(|home| is_same(wanted, &home.join(".claude"))) => Config::Default,
        _ => Config::At(wanted.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_words_are_what_a_shell_reads_back() {
        let cases = [
            ("/home/u/app", "/home/u/app"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("$(rm -rf ~)", "'$(rm -rf ~)'"),
            ("~/x", "'~/x'"),
            ("two\nlines'\x1b", r"$'two\x0alines\'\x1b'"),
        ];
        for (word, expected) in cases {
            assert_eq!(quote(OsStr::new(word)), expected, "{word:?}");
        }
    }

    #[test]
    fn line_names_directory_configuration_and_arguments() {
        let words = ["--resume", "id", "a b"].map(OsString::from).to_vec();
        let launch = Launch { dir: Some("/p q".into()), config: Config::At("/c d".into()), words };
        let expected = "cd '/p q' && CLAUDE_CONFIG_DIR='/c d' claude --resume id 'a b'";
        assert_eq!(launch.line(), expected);
    }

    #[test]
    fn config_is_named_only_where_the_client_would_look_elsewhere() {
        let (home, other) = (Path::new("/nowhere/home"), Path::new("/nowhere/other"));
        let usual = home.join(".claude");
        assert_eq!(config(&usual, Some(&usual), Some(home)), Config::AsItIs);
        assert_eq!(config(other, Some(&usual), Some(home)), Config::At(other.into()));
        assert_eq!(config(&usual, Some(other), Some(home)), Config::Default);
    }
}

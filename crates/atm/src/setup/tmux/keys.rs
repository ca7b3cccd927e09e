//! Keys that get you to an agent. A key that the user has bound stays the user's, when we come and
//! when we go.

use super::quote::{program, word};

pub(crate) struct Key {
    /// After the prefix; tmux itself has none of these.
    name: &'static str,
    /// For people who ask tmux for its keys.
    note: &'static str,
    /// What atm is told.
    args: &'static str,
    place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Popup,
    Background,
}

pub(crate) const KEYS: [Key; 3] = [
    Key { name: "a", note: "Choose an agent", args: "pick", place: Place::Popup },
    Key {
        name: "N",
        note: "Go to the next agent that needs you",
        args: "jump --next --client '#{client_name}'",
        place: Place::Background,
    },
    Key {
        name: "B",
        note: "Go back to where you were before",
        args: "jump --last --client '#{client_name}'",
        place: Place::Background,
    },
];

impl Key {
    /// A line that binds the key if nobody else has.
    pub(crate) fn bind(&self, atm: &str) -> String {
        let command = match self.place {
            // Not expanded by tmux, so nothing is doubled.
            Place::Popup => {
                let shell = format!("exec {} {}", atm_core::settings::quote(atm), self.args);
                format!("display-popup -E -w 80% -h 80% {}", word(&shell))
            }
            Place::Background => {
                let shell = format!("exec {} {}", program(atm), self.args);
                format!("run-shell -b {}", word(&shell))
            }
        };
        let bind =
            format!("bind-key -T prefix -N {} {} {command}", word(self.note), word(self.name));
        let others = format!("{} | grep -v {}", self.lines(), self.pattern());
        let is_free = format!("k=$(tmux list-keys -T prefix) && ! {others} >/dev/null");
        format!("if-shell {} {}", word(&is_free), word(&bind))
    }

    /// A line that takes our binding out, if it is there.
    pub(crate) fn unbind(&self) -> String {
        let ours = format!("{} | grep {}", self.lines(), self.pattern());
        let is_ours = format!("k=$(tmux list-keys -T prefix) && {ours} >/dev/null");
        let unbind = format!("unbind-key -T prefix {}", word(self.name));
        format!("if-shell {} {}", word(&is_ours), word(&unbind))
    }

    /// For a shell: the lines of `$k` with this key.
    fn lines(&self) -> String {
        format!(r#"printf '%s\n' "$k" | grep -E '^bind-key +(-r +)?-T prefix +{} '"#, self.name)
    }

    /// For a shell: what our command looks like, whatever the path of atm.
    fn pattern(&self) -> String {
        format!(r#""{}""#, self.shape().join(".*"))
    }

    fn shape(&self) -> [&'static str; 2] {
        ["exec '", self.args.split(" '").next().unwrap_or_default()]
    }

    /// Whether this line of `list-keys` is of our making.
    pub(crate) fn is_in(&self, line: &str) -> bool {
        let words: Vec<&str> = line.split_whitespace().filter(|word| *word != "-r").collect();
        let [start, end] = self.shape();
        let command = line.split_once(start).map(|(_, command)| command);
        words.get(..4) == Some(&["bind-key", "-T", "prefix", self.name])
            && command.is_some_and(|command| command.contains(end))
    }

    /// Arguments that unbind it.
    pub(crate) fn removal(&self) -> Vec<String> {
        ["unbind-key", "-T", "prefix", self.name].map(str::to_owned).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binding_is_ours_by_key_and_command() {
        let pick = &KEYS[0];
        assert!(pick.is_in(
            r#"bind-key    -T prefix a       display-popup -E -h "80%" -w "80%" "exec '/x y/atm' pick""#
        ));
        for other in [
            r#"bind-key    -T prefix a       display-popup -E "atm pick""#,
            r#"bind-key    -T prefix b       display-popup -E "exec '/x/atm' pick""#,
            r#"bind-key -r -T prefix a       send-prefix"#,
            "",
        ] {
            assert!(!pick.is_in(other), "{other}");
        }
    }
}

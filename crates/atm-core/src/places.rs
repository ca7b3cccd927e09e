//! Where atm keeps its things. One resolver for hook, daemon and commands, so that they can never
//! disagree; it gets the environment as a function and touches nothing.

use std::ffi::OsString;
use std::path::PathBuf;

/// Longest path a Unix socket address holds, without its final NUL (Linux 108, macOS 104).
pub const SOCKET_PATH_MAX: usize = 103;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    pub state: PathBuf,
    pub config: PathBuf,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("neither {variable} nor HOME is set to an absolute path")]
pub struct NoPlace {
    pub variable: &'static str,
}

impl Places {
    /// `ATM_STATE_DIR` / `ATM_CONFIG_DIR`, then the XDG directories, then their defaults in HOME.
    pub fn resolve(env: &dyn Fn(&str) -> Option<OsString>) -> Result<Places, NoPlace> {
        let absolute = |name: &str| env(name).map(PathBuf::from).filter(|p| p.is_absolute());
        let pick = |own: &'static str, xdg: &str, default: &str| {
            absolute(own)
                .or_else(|| absolute(xdg).map(|p| p.join("atm")))
                .or_else(|| absolute("HOME").map(|p| p.join(default).join("atm")))
                .ok_or(NoPlace { variable: own })
        };
        Ok(Places {
            state: pick("ATM_STATE_DIR", "XDG_STATE_HOME", ".local/state")?,
            config: pick("ATM_CONFIG_DIR", "XDG_CONFIG_HOME", ".config")?,
        })
    }

    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    pub fn journal_dir(&self) -> PathBuf {
        self.state.join("journal")
    }

    /// The segment that hooks append to.
    pub fn journal(&self) -> PathBuf {
        self.journal_dir().join(JOURNAL_CURRENT)
    }

    pub fn database(&self) -> PathBuf {
        self.state.join("atm.db")
    }

    /// The index of all transcripts; a cache.
    pub fn index(&self) -> PathBuf {
        self.state.join("index.db")
    }

    /// Prices of the user's own.
    pub fn prices(&self) -> PathBuf {
        self.config.join("prices.toml")
    }

    /// Requests and answers, a stream.
    pub fn socket(&self) -> PathBuf {
        self.state.join("atm.sock")
    }

    /// Datagrams that only say "look into the journal", and those of status lines.
    pub fn poke_socket(&self) -> PathBuf {
        self.state.join("poke.sock")
    }

    /// Held by the one daemon of this state directory as long as it lives.
    pub fn lock(&self) -> PathBuf {
        self.state.join("daemon.lock")
    }

    /// Its time of change says when somebody last tried to start a daemon. A daemon that serves
    /// removes it, so that its successor can be started at once; one that cannot says why in it.
    pub fn start_mark(&self) -> PathBuf {
        self.state.join(START_MARK)
    }

    /// There as long as nothing of ours is to be in tmux, whoever starts the daemon.
    pub fn tmux_off(&self) -> PathBuf {
        self.state.join("tmux.off")
    }

    pub fn log(&self) -> PathBuf {
        self.state.join("atm.log")
    }
}

pub const JOURNAL_CURRENT: &str = "current.jsonl";
pub const START_MARK: &str = "daemon.start";

/// The client's configuration directory: `CLAUDE_CONFIG_DIR`, else `~/.claude`.
pub fn claude_dir(env: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name: &str| env(name).map(PathBuf::from).filter(|p| p.is_absolute());
    absolute("CLAUDE_CONFIG_DIR").or_else(|| absolute("HOME").map(|home| home.join(".claude")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(vars: &[(&str, &str)]) -> Result<Places, NoPlace> {
        Places::resolve(&|name| vars.iter().find(|(k, _)| *k == name).map(|(_, v)| v.into()))
    }

    #[test]
    fn places_own_variable_wins_over_xdg_and_home() {
        let vars = [
            ("ATM_STATE_DIR", "/s"),
            ("XDG_STATE_HOME", "/x"),
            ("XDG_CONFIG_HOME", "/c"),
            ("HOME", "/h"),
        ];
        let places = resolve(&vars).unwrap();
        assert_eq!((places.state, places.config), ("/s".into(), "/c/atm".into()));
    }

    #[test]
    fn places_relative_values_are_passed_over() {
        let places = resolve(&[("ATM_STATE_DIR", "rel"), ("HOME", "/h")]).unwrap();
        assert_eq!(places.state, PathBuf::from("/h/.local/state/atm"));
    }

    #[test]
    fn places_without_home_is_an_error() {
        assert_eq!(resolve(&[]), Err(NoPlace { variable: "ATM_STATE_DIR" }));
    }
}

//! One thing that a check has to say.

use std::path::PathBuf;

use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    /// Stable, for other programs: `hooks.missing`.
    pub(crate) id: &'static str,
    pub(crate) group: Group,
    pub(crate) level: Level,
    pub(crate) what: String,
    /// What it means for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) means: Option<String>,
    /// The command, or the act, that mends it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) remedy: Option<String>,
    #[serde(rename = "fixable", serialize_with = "is_some")]
    pub(crate) fix: Option<Fix>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Level {
    Ok,
    Note,
    Warning,
    Problem,
}

/// In the order in which they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Group {
    Claude,
    Hooks,
    Daemon,
    State,
    Tmux,
    Program,
    SelfTest,
}

/// What `--fix` can do by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fix {
    /// `atm setup` for the hooks in the user's settings.
    Register,
    /// Takes our hooks out of one settings file.
    TakeOut(PathBuf),
    RestartDaemon,
    /// Takes away the rights of others.
    MakePrivate(Vec<PathBuf>),
    RemoveSockets(Vec<PathBuf>),
    SourceTmux {
        socket: PathBuf,
        file: PathBuf,
    },
}

impl Finding {
    fn new(id: &'static str, level: Level, what: impl Into<String>) -> Finding {
        let what = what.into();
        Finding { id, group: Group::of(id), level, what, means: None, remedy: None, fix: None }
    }

    pub(crate) fn ok(id: &'static str, what: impl Into<String>) -> Finding {
        Finding::new(id, Level::Ok, what)
    }

    pub(crate) fn note(id: &'static str, what: impl Into<String>) -> Finding {
        Finding::new(id, Level::Note, what)
    }

    pub(crate) fn warning(id: &'static str, what: impl Into<String>) -> Finding {
        Finding::new(id, Level::Warning, what)
    }

    pub(crate) fn problem(id: &'static str, what: impl Into<String>) -> Finding {
        Finding::new(id, Level::Problem, what)
    }

    pub(crate) fn means(self, words: impl Into<String>) -> Finding {
        Finding { means: Some(words.into()), ..self }
    }

    pub(crate) fn remedy(self, words: impl Into<String>) -> Finding {
        Finding { remedy: Some(words.into()), ..self }
    }

    pub(crate) fn fix(self, fix: Fix) -> Finding {
        Finding { fix: Some(fix), ..self }
    }
}

impl Group {
    /// The first word of an id names its group.
    fn of(id: &str) -> Group {
        match id.split('.').next().unwrap_or_default() {
            "claude" => Group::Claude,
            "hooks" | "settings" | "trust" => Group::Hooks,
            "daemon" => Group::Daemon,
            "state" | "clock" | "disk" => Group::State,
            "tmux" => Group::Tmux,
            "self-test" => Group::SelfTest,
            _ => Group::Program,
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Group::Claude => "Claude Code",
            Group::Hooks => "Hooks",
            Group::Daemon => "Daemon",
            Group::State => "State",
            Group::Tmux => "tmux",
            Group::Program => "Program",
            Group::SelfTest => "Self-test",
        }
    }
}

#[expect(clippy::ref_option, reason = "the signature serde asks for")]
fn is_some<S: serde::Serializer>(fix: &Option<Fix>, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_bool(fix.is_some())
}

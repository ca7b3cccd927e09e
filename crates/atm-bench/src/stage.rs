//! A sealed place for one measure: its own home and state directory, and the programs that run
//! in it.

use std::fs;
use std::path::{Path, PathBuf};

use atm_core::places::Places;

use crate::Outcome;
use crate::program::Program;
use crate::speaker::Speaker;

const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

#[derive(Debug)]
pub(crate) struct Stage {
    atm: PathBuf,
    pub(crate) home: PathBuf,
    pub(crate) places: Places,
}

impl Stage {
    pub(crate) fn set(dir: &Path, name: &str, atm: &Path) -> Outcome<Stage> {
        let home = dir.join(name).join("home");
        fs::create_dir_all(home.join(".claude/sessions"))?;
        let places = Places { state: dir.join(name).join("state"), config: home.join("config") };
        Ok(Stage { atm: atm.to_owned(), home, places })
    }

    pub(crate) fn atm(&self, args: &[&'static str]) -> Program {
        self.program(&self.atm, args)
    }

    pub(crate) fn program(&self, path: impl Into<PathBuf>, args: &[&'static str]) -> Program {
        let env = vec![
            ("HOME", self.home.display().to_string()),
            ("ATM_STATE_DIR", self.places.state.display().to_string()),
            ("ATM_CONFIG_DIR", self.places.config.display().to_string()),
            ("PATH", PATH.to_owned()),
        ];
        Program { path: path.into(), args: args.to_vec(), env }
    }

    /// The hook, and the empty program, in the environment that the client gives to hooks
    /// (fixtures/recordings/b_bash_allowed.jsonl).
    pub(crate) fn hook_and_empty(&self, speaker: &Speaker) -> (Program, Program) {
        let mut hook = self.atm(&["hook"]);
        hook.env.extend([
            ("CLAUDECODE", "1".to_owned()),
            ("CLAUDE_CODE_ENTRYPOINT", "cli".to_owned()),
            ("CLAUDE_CODE_SESSION_ATTENDED", "1".to_owned()),
            ("CLAUDE_CODE_SESSION_ID", speaker.id.clone()),
            ("CLAUDE_PID", speaker.process.pid.to_string()),
            ("CLAUDE_PROJECT_DIR", speaker.cwd.clone()),
            ("TMUX", format!("{}/no-tmux,1,0", self.home.display())),
            ("TMUX_PANE", "%0".to_owned()),
        ]);
        let empty = Program { path: "/bin/true".into(), args: Vec::new(), env: hook.env.clone() };
        (hook, empty)
    }
}

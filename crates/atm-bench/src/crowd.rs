//! Sessions whose processes are real: as many `sleep`s, which end with the crowd.

use std::fs::{self, File};
use std::process::Child;

use atm_core::process::Stat;
use atm_core::record::Process;

use crate::Outcome;
use crate::speaker::{self, Speaker};
use crate::stage::Stage;

/// A bench that was killed leaves them behind for no longer than this.
const LIFETIME: &str = "900";

pub(crate) struct Crowd {
    pub(crate) speakers: Vec<Speaker>,
    _sleepers: Sleepers,
}

struct Sleepers(Vec<Child>);

impl Crowd {
    pub(crate) fn gather(stage: &Stage, count: usize) -> Outcome<Crowd> {
        let projects = stage.home.join(".claude/projects/-home-dev-project");
        fs::create_dir_all(&projects)?;
        let sleep = stage.program("/bin/sleep", &[LIFETIME]);
        let mut sleepers = Sleepers(Vec::new());
        let mut speakers = Vec::new();
        for number in 0..count {
            let child = sleep.spawn(File::open("/dev/null")?)?;
            let pid = i32::try_from(child.id())?;
            sleepers.0.push(child);
            let id = format!("{number:08x}-2672-407b-bb83-ba77a79ba409");
            let transcript = projects.join(format!("{id}.jsonl"));
            fs::write(&transcript, speaker::TRANSCRIPT)?;
            let process = Process { pid, start: Some(started(pid)?) };
            speakers.push(Speaker {
                transcript: transcript.display().to_string(),
                cwd: format!("/home/dev/project{number}"),
                config_dir: stage.home.join(".claude").display().to_string(),
                id,
                process,
            });
        }
        Ok(Crowd { speakers, _sleepers: sleepers })
    }
}

impl Drop for Sleepers {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // Gone already is as good.
            child.kill().ok();
        }
        for child in &mut self.0 {
            child.wait().ok();
        }
    }
}

fn started(pid: i32) -> Outcome<u64> {
    let stat = fs::read(format!("/proc/{pid}/stat"))?;
    Ok(Stat::parse(&stat).ok_or("unknown form of /proc/PID/stat")?.start)
}

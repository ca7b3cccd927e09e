//! Sends one marked event the way the client does, and looks for it at every stage.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use atm_core::hook::self_test::payload;
use atm_core::places::Places;
use atm_core::proto::message::{Reply, Request};
use atm_core::text::clean;

use super::super::dump::{Answer, Dump, HookRun, Place, Reached, SelfTest};
use super::identity::Ask;
use super::settings::{is_agreed, program_of};
use super::{Look, daemon, journal};
use crate::client::{Client, failure};
use crate::program::{self, Said};

/// What belongs to the session in which the doctor may run.
const SESSION_VARIABLES: [&str; 6] = [
    "CLAUDE_PID",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_SESSION_ID",
    "CLAUDE_CODE_ENTRYPOINT",
    "TMUX",
    "TMUX_PANE",
];
const PAUSE: Duration = Duration::from_millis(10);

pub(super) fn run(look: &Look<'_>, places: &Places, dump: &Dump) -> SelfTest {
    let program = registered(look, dump).or_else(|| dump.program.clone()).unwrap_or_default();
    let nonce = nonce();
    let mut test = SelfTest { program, ..SelfTest::default() };
    let hook = OsStr::new("hook");
    let path = test.program.0.as_os_str();
    let ran = match program::run_with(path, &[hook], payload(&nonce).as_bytes(), &SESSION_VARIABLES)
    {
        Ok(ran) => ran,
        Err(error) => {
            test.hook.fault = Some(error.to_string());
            return test;
        }
    };
    test.hook = hook_run(&ran);
    test.in_journal = match journal::has(places, &nonce) {
        Ok(true) => Reached::Yes,
        Ok(false) => Reached::No { why: "the hook ran, but its record is not there".to_owned() },
        Err(error) => Reached::No { why: error.to_string() },
    };
    if test.in_journal == Reached::Yes {
        test.in_daemon = match &dump.daemon.before {
            Some(Answer::Bad { why }) => Reached::No { why: why.clone() },
            _ => wait_for_daemon(look, places, &nonce),
        };
    }
    if test.in_daemon == Reached::Yes {
        test.hidden = is_hidden(look, places, &nonce, ran.pid);
    }
    test
}

/// The program that the client runs everywhere; one that only a project names is not run.
fn registered(look: &Look<'_>, dump: &Dump) -> Option<Place> {
    let mut sources = dump.read().filter(|(settings, _)| is_agreed(settings));
    let hook = sources.find_map(|(_, read)| read.ours.first())?;
    let program = program_of(&hook.program, look.env, dump.program.as_ref(), Ask::No);
    // One that is not there is told elsewhere; here it fails to run.
    Some(program.found.unwrap_or_else(|| Place(PathBuf::from(&hook.program))))
}

fn hook_run(ran: &Said) -> HookRun {
    HookRun {
        millis: u64::try_from(ran.took.as_millis()).unwrap_or(u64::MAX),
        code: ran.status.code(),
        stdout_bytes: ran.out.len(),
        stderr: clean(&ran.err, 200),
        fault: None,
    }
}

/// Its hook starts one if there is none, which takes a moment.
fn wait_for_daemon(look: &Look<'_>, places: &Places, nonce: &str) -> Reached {
    let deadline = Instant::now() + look.patience;
    loop {
        let answer = daemon::ask(places, look.patience);
        let why = match answer {
            Answer::Up(status) if status.self_test.as_deref() == Some(nonce) => {
                return Reached::Yes;
            }
            Answer::Up(status) if status.version != env!("CARGO_PKG_VERSION") => {
                format!("the daemon is version {}, which may not know self-tests", status.version)
            }
            Answer::Up(_) => "the daemon runs, but has not heard of it".to_owned(),
            Answer::Nobody => match failure::read(places) {
                Some(error) => return Reached::No { why: error.message },
                None => "no daemon came up".to_owned(),
            },
            Answer::Bad { why } => return Reached::No { why },
        };
        if Instant::now() >= deadline {
            return Reached::No { why };
        }
        std::thread::sleep(PAUSE);
    }
}

fn is_hidden(look: &Look<'_>, places: &Places, nonce: &str, pid: Option<i32>) -> Reached {
    let no = |why: String| Reached::No { why };
    let asked = Client::connect(places, look.patience)
        .map_err(|error| error.into_cli(places, look.patience))
        .and_then(|mut client| client.ask(&Request::List { all: true }));
    match asked {
        Ok(Reply::Sessions { sessions }) => {
            let is_it =
                |id: &str, of: Option<i32>| id.contains(nonce) || (of.is_some() && of == pid);
            match sessions.iter().find(|session| is_it(&session.id, session.pid)) {
                None => Reached::Yes,
                Some(session) => no(format!("it is listed as session {}", clean(&session.id, 80))),
            }
        }
        Ok(_) => no("the daemon gave no list".to_owned()),
        Err(error) => no(error.message),
    }
}

fn nonce() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    format!("{:x}x{now:x}", std::process::id())
}

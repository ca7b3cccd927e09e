//! The state directory, its disk, and clocks.

use atm_core::places::SOCKET_PATH_MAX;

use super::super::dump::{Dump, Place, State};
use super::super::finding::{Finding, Fix};

const FREE_LOW: u64 = 100 << 20;
const FREE_NONE: u64 = 10 << 20;
const INODES_NONE: u64 = 100;
/// Milliseconds; less is the grain of file systems and a busy machine.
const CLOCK_OFF: i64 = 2000;

pub(super) fn check(dump: &Dump) -> Vec<Finding> {
    let Some(state) = &dump.state else { return Vec::new() };
    let mut findings: Vec<Finding> = [
        directory(state),
        open_files(state),
        disk(state),
        database(state),
        journal(dump),
        clock(dump),
        file_clock(state),
        socket_path(state),
        inotify(state),
    ]
    .into_iter()
    .flatten()
    .collect();
    if findings.is_empty() {
        let words =
            if state.exists { sizes(dump, state) } else { "to be made on first use".to_owned() };
        findings.push(Finding::ok("state.dir", format!("{}: {words}", state.dir)));
    }
    findings
}

fn sizes(dump: &Dump, state: &State) -> String {
    let free = state.free_bytes.map_or("? free".to_owned(), |free| format!("{} free", size(free)));
    let database =
        state.database_bytes.map_or(String::new(), |b| format!(", database {}", size(b)));
    format!("private, journal {}{database}, {free}", size(dump.journal.bytes))
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} KiB", bytes >> 10),
        1_048_576..1_073_741_824 => format!("{} MiB", bytes >> 20),
        _ => format!("{} GiB", bytes >> 30),
    }
}

fn directory(state: &State) -> Option<Finding> {
    let dir = &state.dir;
    if let Some(why) = &state.refused {
        return Some(
            Finding::problem("state.refused", why.clone())
                .means("atm keeps nothing there, and no command works: whoever controls it could read and change everything.")
                .remedy("make it a directory of your own, or set ATM_STATE_DIR to another one"),
        );
    }
    if state.is_read_only {
        return Some(
            Finding::problem(
                "state.read-only",
                format!("{dir} is on a disk that cannot be written"),
            )
            .means("Nothing is recorded: hooks are lost and the daemon cannot run.")
            .remedy("set ATM_STATE_DIR to a directory on another disk"),
        );
    }
    if state.exists && state.is_writable == Some(false) {
        return Some(
            Finding::problem("state.not-writable", format!("you may not write into {dir}"))
                .means("Nothing is recorded: hooks are lost and the daemon cannot run.")
                .remedy(format!("run `chmod 700 {}`", dir.as_word()))
                .fix(Fix::MakePrivate(vec![dir.0.clone()])),
        );
    }
    let mode = state.mode.filter(|mode| mode & 0o077 != 0)?;
    let finding = if mode & 0o022 == 0 {
        Finding::warning("state.mode", format!("others may look into {dir} (mode {mode:04o})"))
            .means("The names of its files are open; what is in them is private on its own.")
    } else {
        Finding::problem("state.mode", format!("others may write into {dir} (mode {mode:04o})"))
            .means("Another user of this computer can remove or replace what atm records.")
    };
    let fix = Fix::MakePrivate(vec![dir.0.clone()]);
    Some(finding.remedy(format!("run `chmod 700 {}`", dir.as_word())).fix(fix))
}

fn open_files(state: &State) -> Option<Finding> {
    let first = state.open_files.first()?;
    let more = match state.open_files.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let paths = state.open_files.iter().map(|place: &Place| place.0.clone()).collect();
    Some(
        Finding::warning("state.file-mode", format!("others may read {first}{more}"))
            .means("Prompts and commands of your sessions are in there.")
            .remedy(format!("run `chmod -R go= {}`", state.dir.as_word()))
            .fix(Fix::MakePrivate(paths)),
    )
}

fn disk(state: &State) -> Option<Finding> {
    if state.is_read_only {
        return None;
    }
    let dir = &state.dir;
    let free = state.free_bytes.unwrap_or(u64::MAX);
    let means = "When the disk is full, events of hooks are lost and nothing is stored.";
    if free < FREE_NONE || state.free_inodes.is_some_and(|free| free < INODES_NONE) {
        let what = format!("the disk of {dir} is full ({} free)", size(free));
        return Some(Finding::problem("disk.full", what).means(means).remedy("make room there"));
    }
    (free < FREE_LOW).then(|| {
        Finding::warning("disk.low", format!("the disk of {dir} has {} left", size(free)))
            .means(means)
            .remedy("make room there, or set ATM_STATE_DIR to another disk")
    })
}

fn database(state: &State) -> Option<Finding> {
    let why = state.database_fault.as_ref()?;
    Some(
        Finding::problem("state.database", why.clone())
            .means("The history may be incomplete. The daemon sets a damaged database aside and builds it anew from the journal when it starts.")
            .remedy("run `atm daemon stop`, then `atm list`")
            .fix(Fix::RestartDaemon),
    )
}

fn journal(dump: &Dump) -> Option<Finding> {
    let why = dump.journal.fault.as_ref()?;
    Some(
        Finding::problem("state.journal", format!("the journal cannot be read: {why}"))
            .means("Events that the daemon has not stored yet cannot be taken in.")
            .remedy("see to it that its files are yours and readable"),
    )
}

fn clock(dump: &Dump) -> Option<Finding> {
    let last = dump.journal.last_hook.as_ref()?;
    let ahead = last.ts.0 - dump.now.0;
    (ahead > CLOCK_OFF).then(|| {
        Finding::warning(
            "clock.future",
            format!("the last event is {} s in the future", ahead / 1000),
        )
        .means("The clock was set back. Live sessions are put right; times in the history are off.")
        .remedy("check the clock with `date`")
    })
}

fn file_clock(state: &State) -> Option<Finding> {
    let off = state.file_clock_off.filter(|off| off.abs() > CLOCK_OFF)?;
    let (seconds, dir) = (off / 1000, &state.dir);
    Some(
        Finding::warning("clock.files", format!("files in {dir} get times that are {seconds} s off"))
            .means("It is on a disk of another computer whose clock differs; nor do locks and sockets always work there.")
            .remedy("set ATM_STATE_DIR to a directory on a local disk"),
    )
}

fn socket_path(state: &State) -> Option<Finding> {
    let (length, dir) = (state.socket_length, &state.dir);
    (length > SOCKET_PATH_MAX).then(|| {
        let what = format!(
            "the path of {dir} is too long for a socket ({length} bytes, {SOCKET_PATH_MAX} fit)"
        );
        let remedy = "set ATM_STATE_DIR to a directory with a shorter path";
        if cfg!(target_os = "linux") {
            Finding::note("state.long-path", what)
                .means("On Linux atm finds a way round.")
                .remedy(remedy)
        } else {
            Finding::problem("state.long-path", what)
                .means("The daemon cannot listen.")
                .remedy(remedy)
        }
    })
}

fn inotify(state: &State) -> Option<Finding> {
    let why = state.inotify_fault.as_ref()?;
    Some(
        Finding::warning("state.inotify", format!("no more directories can be watched: {why}"))
            .means("A daemon that starts now sees session files late.")
            .remedy("raise it: `sudo sysctl fs.inotify.max_user_instances=1024`"),
    )
}

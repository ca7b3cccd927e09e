//! The state directory: whose it is, who may look into it, and whether it has room.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use atm_core::places::Places;
use atm_daemon::store::Reader;
use rustix::fs::{Access, StatVfsMountFlags, access, statvfs};

use super::super::dump::{Place, Reached, SelfTest, State};

/// A larger database is not checked: that takes 1 ms per MiB.
const CHECKED_MAX: u64 = 256 << 20;

pub(super) fn collect(places: &Places, test: Option<&SelfTest>) -> State {
    let dir = &places.state;
    let mut state = State {
        dir: Place::of(dir),
        config: Place::of(&places.config),
        socket_length: places.socket().as_os_str().len(),
        inotify_fault: inotify_fault(),
        ..State::default()
    };
    look_at_disk(dir, &mut state);
    if let Err(error) = atm_daemon::vet_state_dir(dir) {
        state.refused = Some(error.to_string());
        return state;
    }
    let Ok(meta) = fs::symlink_metadata(dir) else { return state };
    state.exists = true;
    state.mode = Some(meta.mode() & 0o7777);
    state.is_writable = Some(access(dir, Access::WRITE_OK | Access::EXEC_OK).is_ok());
    state.open_files = open_files(places);
    look_at_database(places, &mut state);
    if test.is_some_and(|test| test.in_journal == Reached::Yes) {
        state.file_clock_off = clock_off(&places.journal()).ok();
    }
    state
}

fn look_at_disk(dir: &Path, state: &mut State) {
    // One that is to be made yet will be on the disk of what is there of its path.
    let Some(disk) = dir.ancestors().find_map(|path| statvfs(path).ok()) else { return };
    state.free_bytes = Some(disk.f_bavail.saturating_mul(disk.f_frsize));
    // Some file systems do not count them.
    state.free_inodes = (disk.f_files > 0).then_some(disk.f_favail);
    state.is_read_only = disk.f_flag.contains(StatVfsMountFlags::RDONLY);
}

fn open_files(places: &Places) -> Vec<Place> {
    let folders = [places.state.clone(), places.journal_dir()];
    let entries = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let is_open = |entry: &fs::DirEntry| {
        let meta = entry.metadata();
        meta.is_ok_and(|meta| !meta.is_symlink() && meta.mode() & 0o077 != 0)
    };
    let mut open: Vec<Place> = entries.filter(is_open).map(|entry| Place(entry.path())).collect();
    open.sort();
    open
}

fn look_at_database(places: &Places, state: &mut State) {
    let path = places.database();
    let Ok(meta) = path.metadata() else { return };
    state.database_bytes = Some(meta.len());
    if meta.len() > 0 && meta.len() <= CHECKED_MAX {
        let checked = Reader::open(&path).and_then(|reader| reader.check());
        state.database_fault = checked.err().map(|error| error.to_string());
    }
}

/// The file was written a moment ago; what is far from now is another computer's clock.
fn clock_off(path: &Path) -> io::Result<i64> {
    let written = path.metadata()?.modified()?;
    let now = SystemTime::now();
    let millis = |span: Duration| i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
    Ok(match written.duration_since(now) {
        Ok(ahead) => millis(ahead),
        Err(error) => -millis(error.duration()),
    })
}

#[cfg(target_os = "linux")]
fn inotify_fault() -> Option<String> {
    use rustix::fs::inotify::{CreateFlags, init};
    let made = init(CreateFlags::CLOEXEC);
    made.err().map(|error| io::Error::from(error).to_string())
}

#[cfg(not(target_os = "linux"))]
fn inotify_fault() -> Option<String> {
    None
}

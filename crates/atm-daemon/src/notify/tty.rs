//! Writing to the terminal of a tmux client, past tmux. Never waits: a terminal that takes nothing
//! is left alone.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};

use rustix::fs::OFlags;

pub(super) fn write(tty: &str, bytes: &[u8]) -> Result<(), String> {
    let failed = |why: &str| format!("the terminal {tty} {why}");
    if !tty.starts_with("/dev/") || tty.contains("..") {
        return Err(failed("is none"));
    }
    let flags = (OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::NOFOLLOW).bits().cast_signed();
    let file = OpenOptions::new().write(true).custom_flags(flags).open(tty);
    let mut file = file.map_err(|error| failed(&format!("cannot be opened: {error}")))?;
    let meta = file.metadata().map_err(|error| failed(&error.to_string()))?;
    let is_ours = meta.uid() == rustix::process::geteuid().as_raw();
    if !meta.file_type().is_char_device() || !is_ours {
        return Err(failed("is not the user's"));
    }
    // One write: half a sequence would swallow what comes after it.
    match file.write(bytes) {
        Ok(written) if written == bytes.len() => Ok(()),
        Ok(_) => Err(failed("took only a part")),
        Err(error) => Err(failed(&format!("takes nothing: {error}"))),
    }
}

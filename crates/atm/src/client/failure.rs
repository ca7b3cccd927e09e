//! Why a daemon that was started in the background did not come up. It has no terminal to say so:
//! it leaves word in the start mark for whoever started it.

use std::fs::{self, File};
use std::io::{self, Write};

use atm_core::places::Places;

use crate::error::CliError;
use crate::exit::Exit;

/// Written into the mark of whoever tried to start us; without one nobody waits for us.
pub(crate) fn write(places: &Places, error: &CliError) -> io::Result<()> {
    let mut mark = File::options().write(true).truncate(true).open(places.start_mark())?;
    let hint = error.hint.as_deref().unwrap_or_default();
    // In one piece, so that nobody reads half of it.
    mark.write_all(format!("{}\n{hint}\n", error.message.replace('\n', " ")).as_bytes())
}

/// `None` if the last try is under way still, or went well.
pub(crate) fn read(places: &Places) -> Option<CliError> {
    let text = fs::read_to_string(places.start_mark()).ok()?;
    let (message, hint) = text.strip_suffix('\n')?.split_once('\n')?;
    Some(CliError::new(Exit::Unreachable, message).hint(hint))
}

/// Whatever was wrong may be right by now: whoever asks gets a try of its own.
pub(super) fn forget(places: &Places) {
    if read(places).is_some() {
        // Gone already is as good.
        drop(fs::remove_file(places.start_mark()));
    }
}

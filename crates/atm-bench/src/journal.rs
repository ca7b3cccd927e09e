//! The journal from the hook's side: records straight into it, and the poke.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::os::unix::net::UnixDatagram;

use atm_core::places::Places;
use rustix::fs::{FlockOperation, flock};

/// Appends under the shared lock, as hooks do, so that the daemon may rotate at any time.
/// Returns the segment and where in it the bytes are.
pub(crate) fn append(places: &Places, bytes: &[u8]) -> io::Result<(File, u64)> {
    DirBuilder::new().recursive(true).mode(0o700).create(places.journal_dir())?;
    let path = places.journal();
    loop {
        let mut options = File::options();
        let mut file = options.read(true).append(true).create(true).mode(0o600).open(&path)?;
        flock(&file, FlockOperation::LockShared)?;
        if fs::metadata(&path).is_ok_and(|named| same(&named, &file)) {
            let offset = file.metadata()?.len();
            file.write_all(bytes)?;
            flock(&file, FlockOperation::Unlock)?;
            return Ok((file, offset));
        }
    }
}

fn same(named: &fs::Metadata, file: &File) -> bool {
    file.metadata().is_ok_and(|own| (own.dev(), own.ino()) == (named.dev(), named.ino()))
}

pub(crate) fn poke(places: &Places) -> io::Result<()> {
    let socket = UnixDatagram::unbound()?;
    socket.send_to(b"!", places.poke_socket()).map(drop)
}

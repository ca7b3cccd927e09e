//! Systems without `/proc`. Never built so far.

use std::convert::Infallible;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use atm_core::record::Process;

pub(crate) fn process_start(_pid: i32) -> Option<u64> {
    None
}

pub(crate) fn agent_above() -> Option<Process> {
    None
}

pub(crate) struct Sink(Infallible);

impl Sink {
    pub(crate) fn open() -> Option<Sink> {
        None
    }

    pub(crate) fn swallow(&self, _input: impl AsFd) -> io::Result<usize> {
        match self.0 {}
    }
}

pub(crate) fn nameless_file() -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) struct ShortPath {
    pub(crate) path: PathBuf,
}

impl ShortPath {
    pub(crate) fn of(_path: &Path) -> io::Result<ShortPath> {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is too long for a socket"))
    }
}

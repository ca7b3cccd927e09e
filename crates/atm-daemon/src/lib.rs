//! The daemon: sensors feed one dispatcher, which alone owns the state machine; what the machine
//! asks for is carried out in `effects`. Nothing flows back upstream.

mod archive;
mod clock;
pub mod config_file;
mod detach;
mod dispatcher;
mod effects;
pub mod journal;
mod keeper;
mod log;
pub mod notify;
mod painter;
mod projector;
mod quit;
mod sensors;
mod server;
mod state_dir;
pub mod store;
mod subscribers;
mod tmux;

use std::io;

use atm_core::places::Places;
pub use state_dir::{StateDirError, vet as vet_state_dir};

/// How the process was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// By a person or a service manager: stays where it is.
    Foreground,
    /// By a hook or a command: leaves its starter's session and descriptors behind.
    Detached,
}

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("another daemon already serves {state_dir}")]
    AlreadyRunning { state_dir: String },
    #[error(transparent)]
    StateDir(#[from] state_dir::StateDirError),
    #[error(transparent)]
    Store(#[from] store::StoreError),
    #[error(transparent)]
    Journal(#[from] journal::JournalError),
    #[error("cannot listen at {path}")]
    Listen {
        path: String,
        #[source]
        source: io::Error,
    },
    #[error("cannot start the event loop")]
    Runtime(#[source] io::Error),
}

/// Serves until it is told to stop. Returns at once if another daemon holds the directory.
pub fn run(places: Places, how: Start) -> Result<(), RunError> {
    if how == Start::Detached {
        detach::leave_starter();
    }
    detach::allow_many_descriptors();
    state_dir::prepare(&places)?;
    let _lock = state_dir::lock(&places)?;
    let log = log::Log::open(&places.log());
    log.debug(|| {
        format!("daemon {} starts, pid {}", env!("CARGO_PKG_VERSION"), std::process::id())
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(4)
        .build()
        .map_err(RunError::Runtime)?;
    let result = runtime.block_on(dispatcher::serve(places, log));
    // A sensor's blocking read must not hold up the end.
    runtime.shutdown_timeout(std::time::Duration::from_millis(200));
    result
}

//! What can go wrong with the index as a whole. A single transcript that cannot be read is no
//! error: it is left out and told of.

use std::io;
use std::path::PathBuf;

use rusqlite::ErrorCode;

#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error("cannot {action} {}", path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the index cannot be read or written")]
    Database(#[from] rusqlite::Error),
    #[error("another atm has been bringing {} up to date for too long", path.display())]
    Busy { path: PathBuf },
}

impl IndexError {
    /// The file is no index any more; a new one can be made.
    pub(crate) fn is_damage(&self) -> bool {
        let IndexError::Database(error) = self else { return false };
        let code = error.sqlite_error_code();
        let is_broken = matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase));
        // A table that is missing, or a value of the wrong kind: somebody else wrote it.
        is_broken || matches!(error, rusqlite::Error::InvalidColumnType(..)) || is_foreign(error)
    }
}

fn is_foreign(error: &rusqlite::Error) -> bool {
    matches!(error, rusqlite::Error::SqlInputError { .. })
        || matches!(error, rusqlite::Error::SqliteFailure(code, Some(_))
            if code.code == ErrorCode::Unknown)
}

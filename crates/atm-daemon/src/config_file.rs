//! The text of the configuration file. Whatever lies in its place, reading ends soon.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use atm_core::config::{MAX_BYTES, size};
use rustix::fs::OFlags;

#[derive(Debug, thiserror::Error)]
pub enum ConfigFileError {
    #[error("{path} is not a regular file")]
    NoFile { path: PathBuf },
    #[error("{path} is larger than {}", size::render(MAX_BYTES))]
    TooLarge { path: PathBuf },
    #[error("{path} is not UTF-8 text (byte {at})")]
    NoText { path: PathBuf, at: usize },
    #[error("cannot read {path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// None if there is no such file.
pub fn read(path: &Path) -> Result<Option<String>, ConfigFileError> {
    let owned = || path.to_owned();
    let io = |source| ConfigFileError::Io { path: owned(), source };
    // A pipe in its place must not hold us up.
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file.map_err(io)?,
    };
    if !file.metadata().map_err(io)?.is_file() {
        return Err(ConfigFileError::NoFile { path: owned() });
    }
    let mut bytes = Vec::new();
    let read = file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(io)?;
    if read as u64 > MAX_BYTES {
        return Err(ConfigFileError::TooLarge { path: owned() });
    }
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        ConfigFileError::NoText { path: owned(), at }
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn config_file_is_read_or_told_what_it_is_instead() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("config.toml");
        let told = || read(&path).unwrap_err().to_string().replace(path.to_str().unwrap(), "F");
        assert_eq!(read(&path).unwrap(), None);
        fs::create_dir(&path).unwrap();
        assert_eq!(told(), "F is not a regular file");
        fs::remove_dir(&path).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RUSR).unwrap();
        assert_eq!(told(), "F is not a regular file");
        fs::remove_file(&path).unwrap();
        fs::write(&path, b"a = '\xff'").unwrap();
        assert_eq!(told(), "F is not UTF-8 text (byte 5)");
        let full = usize::try_from(MAX_BYTES).unwrap();
        fs::write(&path, " ".repeat(full + 1)).unwrap();
        assert_eq!(told(), "F is larger than 1MiB");
        fs::write(&path, " ".repeat(full)).unwrap();
        assert_eq!(read(&path).unwrap().unwrap().len(), full);
    }
}

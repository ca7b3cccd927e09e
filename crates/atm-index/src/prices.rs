//! The user's own prices, from `prices.toml` beside the settings.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use atm_core::prices::{BadPrice, PriceFile, Prices};

#[derive(Debug, thiserror::Error)]
pub enum PricesError {
    #[error("cannot read {}", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("{}", path.display())]
    Syntax {
        path: PathBuf,
        #[source]
        source: Box<toml::de::Error>,
    },
    #[error("{}", path.display())]
    Price {
        path: PathBuf,
        #[source]
        source: BadPrice,
    },
}

/// List prices, and those of the file `path` if there is one.
pub fn load(path: &Path) -> Result<Prices, PricesError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Prices::list()),
        Err(source) => return Err(PricesError::Io { path: path.to_owned(), source }),
    };
    let file: PriceFile = toml::from_str(&text)
        .map_err(|error| PricesError::Syntax { path: path.to_owned(), source: Box::new(error) })?;
    Prices::with(file.price).map_err(|source| PricesError::Price { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use atm_core::stamp::Stamp;
    use atm_core::transcript::usage::Usage;

    use super::*;

    #[test]
    fn prices_of_a_file_are_used_and_a_wrong_file_is_refused() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("prices.toml");
        let usage = Usage { at: Stamp(1_794_769_560_123), input: 1_000_000, ..Usage::default() };
        assert_eq!(load(&path).unwrap().cost("my-model", &usage), None);
        let price = "[[price]]\nmodel = \"my-model\"\nfrom = \"2026-01-01\"\ninput = 1.5\noutput = 2\n\
            cache_write_5m = 0\ncache_write_1h = 0\ncache_read = 0\n";
        fs::write(&path, price).unwrap();
        let cost = load(&path).unwrap().cost("my-model", &usage);
        assert_eq!(cost, Some(1_500_000_000_000));
        for wrong in ["[[price]]\nmodel = 1", "prices = 1", "[[price]]\nmodel=\"m\"\ninput=1"] {
            fs::write(&path, wrong).unwrap();
            assert!(load(&path).is_err(), "{wrong}");
        }
    }
}

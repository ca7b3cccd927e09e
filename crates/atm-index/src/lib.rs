//! The index of all transcripts: which sessions there are, what was said in them, what they cost.
//! A cache: it is brought up to date by reading what was appended, and can be made anew from the
//! transcripts at any time. Synchronous; nothing here talks to a daemon.

#![forbid(unsafe_code)]

#[cfg(feature = "corpus")]
pub mod corpus;
mod error;
mod ledger;
mod lines;
mod prices;
mod refresh;
mod scan;
mod search;
mod snippet;
mod store;
mod text;
mod walk;

pub use self::error::IndexError;
pub use self::ledger::{Answer, Cost, Ledger, Session, Tokens};
pub use self::prices::{PricesError, load as load_prices};
pub use self::refresh::Refreshed;
pub use self::search::{Finds, Hit, Query};
pub use self::snippet::Snippet;
pub use self::store::{FullText, Index, Limits, Want};

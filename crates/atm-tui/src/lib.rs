//! The screens of atm: full-screen views of sessions and the keys to act on them. Knows the core
//! and the terminal; whatever else it needs, it asks of a [`World`].

#![forbid(unsafe_code)]

mod cell;
mod inbox;
mod pick;
mod run;
mod sgr;
mod terminal;
mod theme;

pub use inbox::{Heard, News, World};
pub use pick::{Choice, Outcome, pick};
pub use theme::{Colour, Look};

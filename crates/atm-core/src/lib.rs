//! The pure heart of atm: reads what agents and sensors say, keeps the state of every session,
//! and derives from it what each view shows. No IO, clock, environment, logging or async.

#![forbid(unsafe_code)]
#![warn(clippy::wildcard_enum_match_arm)]

pub mod config;
pub mod effect;
pub mod event;
pub mod explain;
pub mod hook;
pub mod ids;
pub mod machine;
pub mod notify;
pub mod paths;
pub mod places;
pub mod process;
pub mod proto;
pub mod record;
pub mod select;
pub mod session;
pub mod session_file;
pub mod settings;
pub mod span;
pub mod stamp;
pub mod stats;
pub mod text;
pub mod tmux;
pub mod transcript;
pub mod view;

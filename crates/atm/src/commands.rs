//! One file per subcommand: what can be typed (the docs are the help), and one function.

pub(crate) mod config;
pub(crate) mod cost;
pub(crate) mod daemon;
pub(crate) mod demo;
pub(crate) mod dismiss;
pub(crate) mod doctor;
pub(crate) mod events;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod generate;
pub(crate) mod jump;
pub(crate) mod list;
pub(crate) mod notify;
pub(crate) mod path;
pub(crate) mod pick;
pub(crate) mod resume;
pub(crate) mod sessions;
pub(crate) mod setup;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod status;
pub(crate) mod statusline;
pub(crate) mod uninstall;
pub(crate) mod wait;
pub(crate) mod watch;

#[cfg(test)]
mod tests;

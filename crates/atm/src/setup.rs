//! Changes to the user's configuration: planned whole, shown as a diff, agreed to, then applied.

pub(crate) mod claude;
pub(crate) mod consent;
pub(crate) mod content;
pub(crate) mod diff;
pub(crate) mod files;
pub(crate) mod hooks;
pub(crate) mod ledger;
pub(crate) mod plan;
pub(crate) mod purge;
pub(crate) mod settings;
pub(crate) mod task;
pub(crate) mod tmux;

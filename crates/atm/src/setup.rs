//! Changes to the user's configuration: planned whole, shown as a diff, agreed to, then applied.

pub(crate) mod consent;
pub(crate) mod diff;
pub(crate) mod files;
pub(crate) mod hooks;
pub(crate) mod ledger;
pub(crate) mod plan;
pub(crate) mod purge;

//! Views as text for people. Everything foreign is cleaned on its way into a cell.

pub(crate) use atm_core::words::{age, mark, place, what};

pub(crate) mod change;
pub(crate) mod chart;
pub(crate) mod explain;
pub(crate) mod gist;
pub(crate) mod local;
pub(crate) mod money;
pub(crate) mod past;
pub(crate) mod sessions;
pub(crate) mod stats;
pub(crate) mod table;
pub(crate) mod width;

#[cfg(test)]
pub(crate) mod sample;

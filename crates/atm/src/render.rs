//! Views as text for people. Everything foreign is cleaned on its way into a cell.

pub(crate) mod age;
pub(crate) mod change;
pub(crate) mod explain;
pub(crate) mod gist;
pub(crate) mod local;
pub(crate) mod mark;
pub(crate) mod place;
pub(crate) mod sessions;
pub(crate) mod stats;
pub(crate) mod summary;
pub(crate) mod table;
pub(crate) mod what;
pub(crate) mod width;

#[cfg(test)]
pub(crate) mod sample;

//! What works and what does not: first everything is looked at and put into one [`dump::Dump`], then
//! pure checks judge it, then it is shown. Only `collect` and `fix` touch the world.

pub(crate) mod checks;
pub(crate) mod collect;
pub(crate) mod dump;
pub(crate) mod finding;
pub(crate) mod fix;
pub(crate) mod render;
#[cfg(test)]
mod sample;

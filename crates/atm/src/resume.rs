//! Going on with a session that has ended: which one is meant, where it belongs, how it is started.

pub(crate) mod known;
pub(crate) mod launch;
pub(crate) mod moved;
pub(crate) mod place;
pub(crate) mod question;
pub(crate) mod world;

//! What goes over the daemon's socket: length-framed JSON with a version in every message.

pub mod frame;
pub mod message;

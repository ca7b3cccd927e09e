//! Hook payloads of agents: cutting them to size, reading them, and what they mean to us.

pub mod cut;
pub mod event;
pub mod self_test;
pub mod wire;

pub use event::{Hook, HookKind};

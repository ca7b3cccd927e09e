//! What differs between operating systems: facts about processes, throwing input away, long socket
//! paths. Linux is tested; elsewhere the hook does without.

#[cfg(target_os = "linux")]
#[path = "platform/linux.rs"]
mod system;
#[cfg(not(target_os = "linux"))]
#[path = "platform/other.rs"]
mod system;

pub(crate) use system::*;

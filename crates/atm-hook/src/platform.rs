//! What differs between operating systems: facts about processes, throwing input away, long socket
//! paths, files without a name. Linux is tested; elsewhere the hook does without.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;

#[cfg(target_os = "linux")]
pub(crate) use linux::*;
#[cfg(not(target_os = "linux"))]
pub(crate) use other::*;

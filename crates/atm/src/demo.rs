//! The demonstration: simulated agents, played from recordings of the real client, in a tmux server
//! and a state directory of their own. Everything but the agents is the real thing.

pub(crate) mod agent;
pub(crate) mod board;
pub(crate) mod cast;
pub(crate) mod score;
pub(crate) mod stage;

//! What atm shows in tmux, as an attached client displays it on a terminal.

mod desk;
mod dismissal;
mod economy;
pub(crate) mod eye;
mod hostile;
mod labels;
mod leave;
mod look;
mod moves;
mod states;
mod styles;
mod summary;

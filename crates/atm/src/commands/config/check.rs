//! `atm config check`: every problem with its place, for people and for editors.

use atm_core::text::clean;

use super::{Presence, load};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;

pub(super) fn run(context: &mut Context<'_>) -> Result<Exit, CliError> {
    let path = context.places.config_file();
    let (loaded, presence) = load(&path)?;
    let name = clean(&path.to_string_lossy(), 1000);
    for problem in &loaded.problems {
        writeln!(context.out, "{name}:{problem}")?;
    }
    match (loaded.problems.is_empty(), presence) {
        (false, _) => return Ok(Exit::Failed),
        (true, Presence::Missing) => writeln!(context.out, "{name} does not exist, which is fine")?,
        (true, Presence::There) => writeln!(context.out, "{name} is fine")?,
    }
    Ok(Exit::Ok)
}

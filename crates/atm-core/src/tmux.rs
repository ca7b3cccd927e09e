//! What to ask of tmux and how to read its answers: strings only, no process.

pub mod reach;

use crate::event::Pane;
use crate::ids::{PaneId, WindowId};
use crate::text::clean;

/// The global option that our generated file sets when all of it has been loaded.
pub const SETUP_MARK: &str = "@atm_setup";

/// Arguments that list all panes of a server; the session's name comes last because it may hold
/// anything but a line break.
pub const LIST_PANES: [&str; 4] = [
    "list-panes",
    "-a",
    "-F",
    "#{pid} #{version} #{?@atm_setup,1,0} #{pane_id} #{window_id} #{session_name}",
];

/// A server as it was when it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Its process.
    pub server: i32,
    /// Such as `3.3a`.
    pub version: String,
    /// Whether it has loaded the file that setup generates.
    pub is_set_up: bool,
    pub panes: Vec<Pane>,
}

impl Listing {
    /// `None` if not one line makes sense.
    pub fn parse(text: &str) -> Option<Listing> {
        let mut rows = text.lines().filter_map(row);
        let mut listing = rows.next()?;
        listing.panes.extend(rows.flat_map(|row| row.panes));
        Some(listing)
    }
}

fn row(line: &str) -> Option<Listing> {
    let mut parts = line.splitn(6, ' ');
    let server = parts.next()?.parse().ok()?;
    let version = clean(parts.next()?, 40);
    let is_set_up = parts.next()? == "1";
    let id = PaneId::new(parts.next().filter(|id| id.starts_with('%'))?);
    let window = WindowId::new(parts.next().filter(|id| id.starts_with('@'))?);
    let session = clean(parts.next()?, 200);
    Some(Listing { server, version, is_set_up, panes: vec![Pane { id, window, session }] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panes_of_a_session_with_spaces_in_its_name_are_read() {
        let text = "812 3.3a 1 %0 @0 my work\n812 3.3a 1 %1 @0 my work\nnonsense\n";
        let listing = Listing::parse(text).unwrap();
        assert_eq!((listing.server, listing.panes.len()), (812, 2));
        assert_eq!((listing.version.as_str(), listing.is_set_up), ("3.3a", true));
        assert_eq!(listing.panes[1].id.as_str(), "%1");
        assert_eq!(listing.panes[1].session, "my work");
        assert_eq!(Listing::parse(""), None);
        assert!(!Listing::parse("8 next-3.6 0 %0 @0 x").unwrap().is_set_up);
        assert!(LIST_PANES[3].contains(SETUP_MARK));
    }
}

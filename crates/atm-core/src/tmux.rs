//! What to ask of tmux and how to read its answers: strings only, no process.

pub mod reach;

use crate::event::Pane;
use crate::ids::{PaneId, WindowId};
use crate::text::clean;

/// Arguments that list all panes of a server; the session's name comes last because it may hold
/// anything but a line break.
pub const LIST_PANES: [&str; 4] =
    ["list-panes", "-a", "-F", "#{pid} #{pane_id} #{window_id} #{session_name}"];

/// The server's process number and its panes; `None` if not one line makes sense.
pub fn parse_panes(text: &str) -> Option<(i32, Vec<Pane>)> {
    let rows: Vec<(i32, Pane)> = text.lines().filter_map(parse_pane).collect();
    let server = rows.first()?.0;
    Some((server, rows.into_iter().map(|(_, pane)| pane).collect()))
}

fn parse_pane(line: &str) -> Option<(i32, Pane)> {
    let mut parts = line.splitn(4, ' ');
    let server = parts.next()?.parse().ok()?;
    let id = parts.next().filter(|id| id.starts_with('%'))?;
    let window = parts.next().filter(|id| id.starts_with('@'))?;
    let session = clean(parts.next()?, 200);
    Some((server, Pane { id: PaneId::new(id), window: WindowId::new(window), session }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panes_of_a_session_with_spaces_in_its_name_are_read() {
        let (server, panes) =
            parse_panes("812 %0 @0 my work\n812 %1 @0 my work\nnonsense\n").unwrap();
        assert_eq!((server, panes.len()), (812, 2));
        assert_eq!(panes[1].id.as_str(), "%1");
        assert_eq!(panes[1].session, "my work");
        assert_eq!(parse_panes(""), None);
    }
}

//! Where a session is: its directory, its pane, and the short form of its id.

use crate::view::SessionView;

pub const ID_PREFIX: usize = 8;

/// The directory with `~` for the home.
pub fn directory(view: &SessionView, home: Option<&str>) -> String {
    let path = view.cwd.as_deref().or(view.session_dir.as_deref()).unwrap_or_default();
    tilde(path, home)
}

pub fn tilde(path: &str, home: Option<&str>) -> String {
    let home = home.map(|home| home.trim_end_matches('/')).filter(|home| !home.is_empty());
    match home.and_then(|home| path.strip_prefix(home)) {
        Some("") => "~".to_owned(),
        Some(rest) if rest.starts_with('/') => format!("~{rest}"),
        _ => path.to_owned(),
    }
}

/// `main:@1.%3`, which tmux takes as a target; less where less is known.
pub fn pane(view: &SessionView) -> String {
    let Some(pane) = &view.pane else { return String::new() };
    let session = view.tmux.as_ref().and_then(|tmux| tmux.session.as_ref());
    match (session, &view.window) {
        (Some(session), Some(window)) => format!("{session}:{window}.{pane}"),
        _ => pane.clone(),
    }
}

pub fn short(id: &str) -> &str {
    id.char_indices().nth(ID_PREFIX).map_or(id, |(at, _)| &id[..at])
}

/// One of several sessions that a name could mean.
pub fn candidate(view: &SessionView, home: Option<&str>) -> String {
    let parts = [short(&view.id).to_owned(), pane(view), directory(view, home)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tilde_stands_for_the_home_and_nothing_beside_it() {
        let cases = [
            ("/home/u", "~"),
            ("/home/u/src", "~/src"),
            ("/home/user2", "/home/user2"),
            ("/srv", "/srv"),
        ];
        for (path, expected) in cases {
            assert_eq!(tilde(path, Some("/home/u/")), expected);
        }
        assert_eq!(tilde("/srv", Some("/")), "/srv");
        assert_eq!(tilde("/srv", None), "/srv");
    }

    #[test]
    fn short_cuts_by_characters() {
        assert_eq!(short("日本語日本語日本語日本語"), "日本語日本語日本");
        assert_eq!(short("abc"), "abc");
    }
}

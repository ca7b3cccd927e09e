//! Which session is meant by what a user typed: an id, a unique beginning of one, a managed id,
//! a name, or a pane.

use crate::view::SessionView;

/// Shorter beginnings are refused: they would hit by accident.
pub const MIN_PREFIX: usize = 4;

#[derive(Debug, PartialEq)]
pub enum Choice<'a> {
    One(&'a SessionView),
    None,
    Several(Vec<&'a SessionView>),
}

/// Looks among `sessions`; exact matches beat beginnings, live sessions beat ended ones.
pub fn select<'a>(sessions: &'a [SessionView], who: &str) -> Choice<'a> {
    let tests: [&dyn Fn(&SessionView) -> bool; 4] = [
        &|s| s.id == who || s.key == who || s.managed_id.as_deref() == Some(who),
        &|s| who.starts_with('%') && s.pane.as_deref() == Some(who),
        &|s| s.name.as_deref() == Some(who) || s.title.as_deref() == Some(who),
        &|s| {
            let begins = |id: &String| id.starts_with(who);
            who.len() >= MIN_PREFIX && (begins(&s.id) || s.lineage.iter().any(begins))
        },
    ];
    for test in tests {
        let found: Vec<&SessionView> = sessions.iter().filter(|s| test(s)).collect();
        match narrowed(found) {
            Choice::None => {}
            choice @ (Choice::One(_) | Choice::Several(_)) => return choice,
        }
    }
    Choice::None
}

fn prefer<'a>(
    list: Vec<&'a SessionView>,
    good: &dyn Fn(&SessionView) -> bool,
) -> Vec<&'a SessionView> {
    let better: Vec<_> = list.iter().copied().filter(|s| good(s)).collect();
    if better.is_empty() { list } else { better }
}

/// Of several, the live ones count; in one pane, the attended one (y2_nested.jsonl); of one
/// conversation, the newest process.
fn narrowed(found: Vec<&SessionView>) -> Choice<'_> {
    let found = prefer(found, &|s| s.ended.is_none());
    let found = prefer(found, &|s| s.attended != Some(false));
    let is_one_conversation = found.windows(2).all(|pair| pair[0].id == pair[1].id);
    match found.as_slice() {
        [] => Choice::None,
        [one] => Choice::One(one),
        _ if is_one_conversation && found.iter().all(|s| s.ended.is_some()) => {
            found.into_iter().max_by_key(|s| s.started).map_or(Choice::None, Choice::One)
        }
        _ => Choice::Several(found),
    }
}

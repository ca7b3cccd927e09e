//! Changes as arguments for tmux: commands joined by `;`, values as data.

use super::options::{Change, Target};

/// tmux takes no message over 16 KiB, and what it wraps around the arguments counts.
const MAX_BYTES: usize = 14 * 1024;

/// Argument lists, each for one tmux process: one, unless there is very much to say. `-q` passes
/// over what has gone in the meantime; without it the rest of the list would be lost.
pub fn commands(changes: &[Change]) -> Vec<Vec<String>> {
    batches(changes.iter().map(set_option).collect())
}

fn set_option(change: &Change) -> Vec<String> {
    let unset = if change.value.is_none() { "u" } else { "" };
    let (scope, id) = match &change.target {
        Target::Global => ("g", None),
        Target::Window(id) => ("w", Some(id.as_str())),
        Target::Pane(id) => ("p", Some(id.as_str())),
    };
    let mut words = vec!["set-option".to_owned(), format!("-{scope}q{unset}")];
    words.extend(id.into_iter().flat_map(|id| ["-t".to_owned(), id.to_owned()]));
    words.push(change.option.to_owned());
    words.extend(change.value.as_deref().map(literal));
    words
}

/// tmux takes an argument that ends in `;` for the end of a command.
fn literal(value: &str) -> String {
    match value.strip_suffix(';') {
        Some(rest) => format!("{rest}\\;"),
        None => value.to_owned(),
    }
}

/// Joins commands, as many to one list as tmux takes at once.
pub(super) fn batches(commands: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let mut lists: Vec<Vec<String>> = Vec::new();
    let mut room = 0;
    for command in commands {
        let size = command.iter().map(|word| word.len() + 1).sum::<usize>() + 2;
        match lists.last_mut() {
            Some(list) if size <= room => {
                list.push(";".to_owned());
                list.extend(command);
                room -= size;
            }
            _ => {
                lists.push(command);
                room = MAX_BYTES.saturating_sub(size);
            }
        }
    }
    lists
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::PaneId;

    fn change(value: &str) -> Change {
        let target = Target::Pane(PaneId::new("%1"));
        Change { target, option: "@x", value: Some(value.to_owned()) }
    }

    #[test]
    fn value_that_looks_like_an_end_of_command_is_escaped() {
        for (value, expected) in [("a;", "a\\;"), (";", "\\;"), ("a;b", "a;b"), ("a\\;", "a\\\\;")]
        {
            assert_eq!(commands(&[change(value)])[0].last().unwrap(), expected);
        }
    }

    #[test]
    fn changes_are_one_list_until_tmux_would_refuse_it() {
        let few = commands(&[change("1"), Change { value: None, ..change("") }]);
        assert_eq!(
            few,
            [[
                "set-option",
                "-pq",
                "-t",
                "%1",
                "@x",
                "1",
                ";",
                "set-option",
                "-pqu",
                "-t",
                "%1",
                "@x"
            ]]
        );
        let many = commands(&vec![change(&"y".repeat(1000)); 100]);
        let bytes = |list: &Vec<String>| list.iter().map(|word| word.len() + 1).sum::<usize>();
        assert!(many.len() > 1 && many.iter().all(|list| bytes(list) < 16 * 1024 - 64));
        assert_eq!(many.iter().flatten().filter(|word| *word == "set-option").count(), 100);
        assert!(commands(&[]).is_empty());
    }
}

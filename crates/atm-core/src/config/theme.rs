//! Three colours: from the theme, and what the user puts over it.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::colour::Colour;
use super::kind::quoted;
use super::nearest::nearest;
use super::node::{Node, Origin};
use super::problem::Problem;
use super::types::{Config, Overrides};

pub const DEFAULT: &str = "default";

/// Name, running, waiting, idle.
const BUILT_IN: [(&str, [&str; 3]); 5] = [
    (DEFAULT, ["#6699cc", "#EC5f67", "#cdd3de"]),
    ("catppuccin", ["#89b4fa", "#f38ba8", "#cdd6f4"]),
    ("nord", ["#81a1c1", "#bf616a", "#d8dee9"]),
    ("gruvbox", ["#83a598", "#fb4934", "#ebdbb2"]),
    ("plain", ["blue", "red", "default"]),
];

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Colours {
    pub running: Colour,
    pub waiting: Colour,
    pub idle: Colour,
}

impl Colours {
    /// `tmux.colours`, then the user's theme of this name, then ours, then the default theme.
    pub fn of(config: &Config) -> Colours {
        let name = config.tmux.theme.as_str();
        let base = built_in(name).unwrap_or(BUILT_IN[0].1);
        let layers = [Some(&config.tmux.colours), config.themes.get(name)];
        let pick = |part: fn(&Overrides) -> &Option<Colour>, at: usize| {
            let own = layers.iter().flatten().find_map(|layer| part(layer).clone());
            own.or_else(|| Colour::parse(base[at])).expect("ours are colours, as a test shows")
        };
        Colours {
            running: pick(|layer| &layer.running, 0),
            waiting: pick(|layer| &layer.waiting, 1),
            idle: pick(|layer| &layer.idle, 2),
        }
    }
}

impl Default for Colours {
    fn default() -> Colours {
        Colours::of(&Config::default())
    }
}

fn built_in(name: &str) -> Option<[&'static str; 3]> {
    BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, colours)| *colours)
}

/// Puts the default theme in the place of one that does not exist.
pub(super) fn check(root: &mut Node) -> Option<Problem> {
    let own = match root.get("themes") {
        Some(Node::Table(rows)) => rows.iter().map(|(name, _)| name.clone()).collect(),
        _ => BTreeSet::new(),
    };
    let Node::Value(value, origin) = root.get_mut("tmux")?.get_mut("theme")? else { return None };
    let Origin::File(at) = *origin else { return None };
    let name = value.as_str().unwrap_or_default().to_owned();
    if built_in(&name).is_some() || own.contains(&name) {
        return None;
    }
    *value = Value::from(DEFAULT);
    *origin = Origin::Default;
    let known = BUILT_IN.iter().map(|(known, _)| *known);
    let known: Vec<&str> = known.chain(own.iter().map(String::as_str)).collect();
    let advice = match nearest(&name, known.iter().copied()) {
        Some(near) => format!("did you mean {}?", quoted(near)),
        None => format!("there are {};", crate::text::clean(&known.join(", "), 200)),
    };
    let message = format!("no theme is called {}; {advice} \"{DEFAULT}\" is used", quoted(&name));
    Some(Problem { at, key: "tmux.theme".to_owned(), message })
}

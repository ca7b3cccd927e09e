//! Whatever is painted, in whatever order, by however many daemons: at the end tmux is as it was.

use std::collections::BTreeMap;
use std::fmt::Write;

use proptest::prelude::*;

use super::super::options::{PANES, SAVED, STATE, STYLES};
use super::super::*;
use super::{SERVER, panes};
use crate::ids::WindowId;

/// A tmux server: what is set where.
#[derive(Clone, Debug, Default, PartialEq)]
struct Tmux(BTreeMap<Target, Options>);

impl Tmux {
    fn run(&mut self, changes: &[Change]) {
        for Change { target, option, value } in changes {
            let options = self.0.entry(target.clone()).or_default();
            match value {
                Some(value) => drop(options.insert(option, value.clone())),
                None => drop(options.remove(option)),
            }
        }
        self.0.retain(|_, options| !options.is_empty());
    }

    fn get(&self, window: &str, option: &str) -> Option<&String> {
        self.0.get(&Target::Window(WindowId::new(window)))?.get(option)
    }

    /// As tmux answers a survey.
    fn answer(&self) -> String {
        let mut text = format!("atm-reads server {SERVER}\n");
        for window in ["@1", "@2"] {
            for option in [STATE, PANES, SAVED[0], SAVED[1]] {
                let value = self.get(window, option).map(String::as_str).unwrap_or_default();
                writeln!(text, "{option} {window} {value}").unwrap();
            }
        }
        for style in STYLES {
            writeln!(text, "atm-reads global {style}\ndefault").unwrap();
        }
        for window in ["@1", "@2"] {
            for style in STYLES {
                writeln!(text, "atm-reads {window} {style}").unwrap();
                if let Some(value) = self.get(window, style) {
                    writeln!(text, "{value}").unwrap();
                }
            }
        }
        text + "atm-reads end\n"
    }
}

fn own() -> impl Strategy<Value = Tmux> {
    let style = || proptest::option::of("[a-z=,#{}?;-]{0,12}");
    (style(), style(), style(), style()).prop_map(|(a, b, c, d)| {
        let mut tmux = Tmux::default();
        for (window, option, value) in [("@1", 0, a), ("@1", 1, b), ("@2", 0, c), ("@2", 1, d)] {
            let target = Target::Window(WindowId::new(window));
            tmux.run(&[Change { target, option: STYLES[option], value }]);
        }
        tmux
    })
}

fn picture() -> impl Strategy<Value = Paint> {
    let tab = || {
        prop_oneof![
            Just(None),
            "#[0-9a-f]{6}".prop_map(|colour| Some(Tab::Live(colour))),
            "#[0-9a-f]{6}".prop_map(|colour| Some(Tab::Ended(colour))),
        ]
    };
    (tab(), tab()).prop_map(|(one, two)| {
        let mut paint = Paint { server: SERVER, panes: panes(), ..Paint::default() };
        for (id, tab) in [("@1", one), ("@2", two)] {
            if tab.is_some() {
                let values = Options::from([(STATE, "idle".to_owned())]);
                let window = Window { state: State::Idle, tab, values };
                paint.windows.insert(WindowId::new(id), window);
            }
        }
        paint
    })
}

/// What a painter does with one order.
fn write(tmux: &mut Tmux, painted: &mut Option<Painted>, paint: &Paint) {
    if painted.as_ref().is_none_or(|painted| painted.is_blind(paint)) {
        *painted = Painted::parse(&tmux.answer());
    }
    let painted = painted.as_mut().unwrap();
    let changes = diff(painted, paint).firm;
    tmux.run(&changes);
    painted.apply(&changes, paint);
    assert_eq!(diff(painted, paint).firm, [], "once is enough");
}

proptest! {
    #[test]
    fn tmux_is_as_it_was_when_everything_is_taken_out(
        before in own(),
        pictures in proptest::collection::vec((picture(), any::<bool>()), 0..8),
    ) {
        let mut tmux = before.clone();
        let mut painted = None;
        for (paint, is_new_daemon) in pictures {
            if is_new_daemon {
                painted = None;
            }
            write(&mut tmux, &mut painted, &paint);
            for (id, window) in &paint.windows {
                if let Some(Tab::Live(colour)) = &window.tab {
                    let style = tmux.get(id.as_str(), STYLES[0]).unwrap();
                    prop_assert!(style.ends_with(&format!("fg={colour}")), "{style}");
                }
            }
        }
        let nothing = Paint { server: SERVER, panes: panes(), ..Paint::default() };
        write(&mut tmux, &mut painted, &nothing);
        prop_assert_eq!(tmux, before);
    }
}

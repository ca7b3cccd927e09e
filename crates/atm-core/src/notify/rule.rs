//! What the configuration wants done about a session: the usual, or what its first matching rule
//! says.

use super::glob::{is_directory_match, is_match};
use super::{Channel, Occasion};
use crate::config::notify::{Notify, Rule};
use crate::session::Session;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    Tell {
        channels: Vec<Channel>,
        escalate: Vec<Channel>,
    },
    /// By the rule of this number, counted from one.
    Mute(usize),
}

impl Plan {
    pub(super) fn of(
        session: &Session,
        occasion: Occasion,
        config: &Notify,
        home: Option<&str>,
    ) -> Plan {
        let found = config.rule.iter().position(|rule| fits(rule, session, occasion, home));
        let rule = found.map(|at| (at, &config.rule[at]));
        if let Some((at, _)) = rule.filter(|(_, rule)| rule.mute) {
            return Plan::Mute(at + 1);
        }
        let pick = |own: fn(&Rule) -> &Vec<Channel>, usual: &[Channel]| {
            let own = rule.map(|(_, rule)| own(rule)).filter(|list| !list.is_empty());
            own.map_or_else(|| usual.to_vec(), Clone::clone)
        };
        Plan::Tell {
            channels: pick(|rule| &rule.channels, config.channels(occasion)),
            escalate: match occasion {
                Occasion::Attention => pick(|rule| &rule.escalate, &config.escalate),
                Occasion::Finish | Occasion::Error | Occasion::Lost => Vec::new(),
            },
        }
    }
}

fn fits(rule: &Rule, session: &Session, occasion: Occasion, home: Option<&str>) -> bool {
    let about = &session.about;
    let word = |text: &Option<String>| text.clone().unwrap_or_default();
    let names = [word(&about.name), word(&about.title)];
    let directories = [word(&about.cwd), word(&about.session_dir)];
    (rule.event.is_empty() || rule.event.contains(&occasion))
        && is_match(&rule.role, &word(&about.role))
        && is_match(&rule.mode, &crate::view::mode(session))
        && names.iter().any(|name| is_match(&rule.name, name))
        && directories.iter().any(|dir| is_directory_match(&rule.project, dir, home))
}

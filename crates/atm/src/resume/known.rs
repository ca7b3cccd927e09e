//! The sessions that can be gone on with: what the daemon tracked and what lies on disk, joined by id,
//! and which of them is meant.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::PathBuf;

use atm_core::past::Past;
use atm_core::select::MIN_PREFIX;
use atm_core::stamp::Stamp;
use atm_core::view::SessionView;

use crate::transcripts::Transcript;

/// Near misses that are named when nothing fits.
const MAX_NEAR: usize = 5;
/// A beginning of this length makes an id a near miss.
const NEAR_PREFIX: usize = 3;

#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) id: String,
    /// As tracked: the live process if there is one, else the last.
    pub(crate) view: Option<SessionView>,
    pub(crate) transcript: Option<Transcript>,
    past: OnceCell<Past>,
}

impl Known {
    /// What the transcript tells; nothing of one that is not there or cannot be read.
    pub(crate) fn past(&self) -> &Past {
        self.past.get_or_init(|| {
            let past = self.transcript.as_ref().map(|transcript| transcript.past());
            past.and_then(Result::ok).unwrap_or_default()
        })
    }

    /// The process that has this session open now.
    pub(crate) fn live(&self) -> Option<&SessionView> {
        self.view.as_ref().filter(|view| view.ended.is_none() && view.id == self.id)
    }

    pub(crate) fn last_activity(&self) -> Stamp {
        let changed = self.transcript.as_ref().map(|transcript| transcript.changed);
        changed.or(self.view.as_ref().map(|view| view.last_activity)).unwrap_or_default()
    }

    /// Where it was, for a list.
    pub(crate) fn directory(&self) -> Option<&str> {
        let past = self.past();
        let tracked = self.view.as_ref().and_then(|view| view.session_dir.as_deref());
        past.home.as_deref().or(tracked).or(past.first_cwd.as_deref())
    }

    fn has_exactly(&self, who: &str) -> bool {
        let tracked = self.view.as_ref().filter(|view| view.id == self.id);
        self.id == who
            || tracked.is_some_and(|view| {
                view.key == who || view.managed_id.as_deref() == Some(who) || is_in_pane(view, who)
            })
    }

    fn is_called(&self, who: &str) -> bool {
        let view = self.view.as_ref().filter(|view| view.id == self.id);
        view.is_some_and(|view| {
            view.name.as_deref() == Some(who) || view.title.as_deref() == Some(who)
        })
    }
}

fn is_in_pane(view: &SessionView, who: &str) -> bool {
    who.starts_with('%') && view.ended.is_none() && view.pane.as_deref() == Some(who)
}

/// Newest first. Of two transcripts of one session the one in `preferred` counts, then the newer.
pub(crate) fn join(
    views: Vec<SessionView>,
    transcripts: Vec<Transcript>,
    preferred: Option<&PathBuf>,
) -> Vec<Known> {
    let mut all: HashMap<String, Known> = HashMap::new();
    for transcript in transcripts {
        let known = entry(&mut all, &transcript.id);
        let is_better = known.transcript.as_ref().is_none_or(|other| {
            let rank = |t: &Transcript| (Some(&t.config) == preferred, t.changed);
            rank(&transcript) > rank(other)
        });
        if is_better {
            known.transcript = Some(transcript);
        }
    }
    for view in views {
        for id in view.lineage.iter().chain([&view.id]) {
            let known = entry(&mut all, id);
            let rank = |v: &SessionView| (v.id == *id, v.ended.is_none(), v.started);
            if known.view.as_ref().is_none_or(|other| rank(&view) > rank(other)) {
                known.view = Some(view.clone());
            }
        }
    }
    let mut all: Vec<Known> = all.into_values().collect();
    all.sort_by(|a, b| (b.last_activity(), &a.id).cmp(&(a.last_activity(), &b.id)));
    all
}

fn entry<'a>(all: &'a mut HashMap<String, Known>, id: &str) -> &'a mut Known {
    all.entry(id.to_owned()).or_insert_with(|| Known { id: id.to_owned(), ..Known::default() })
}

#[derive(Debug)]
pub(crate) enum Choice<'a> {
    One(&'a Known),
    Several(Vec<&'a Known>),
    /// With those that come near.
    None(Vec<&'a Known>),
}

/// Exact ids beat names, names beat beginnings of ids; titles on disk are read last, for it takes long.
pub(crate) fn choose<'a>(all: &'a [Known], who: &str) -> Choice<'a> {
    let tests: [&dyn Fn(&Known) -> bool; 4] = [
        &|known| known.has_exactly(who),
        &|known| known.is_called(who),
        &|known| who.len() >= MIN_PREFIX && known.id.starts_with(who),
        &|known| known.past().title.as_deref() == Some(who),
    ];
    for test in tests {
        let found: Vec<&Known> =
            all.iter().filter(|known| test(known) && !known.past().is_sidechain).collect();
        match found.as_slice() {
            [] => {}
            [one] => return Choice::One(one),
            _ => return Choice::Several(found),
        }
    }
    Choice::None(near(all, who))
}

fn near<'a>(all: &'a [Known], who: &str) -> Vec<&'a Known> {
    let lower = who.to_lowercase();
    let begins_alike = |known: &Known| {
        let alike = known.id.bytes().zip(lower.bytes()).take_while(|(a, b)| a == b).count();
        alike >= NEAR_PREFIX
    };
    let is_called_alike = |known: &Known| {
        let view = known.view.as_ref().filter(|view| view.id == known.id);
        let names = view.iter().flat_map(|view| [&view.name, &view.title]).flatten();
        names.into_iter().any(|name| name.to_lowercase().contains(&lower))
    };
    let is_part = |known: &Known| lower.len() >= MIN_PREFIX && known.id.contains(&lower);
    let near = |known: &&Known| begins_alike(known) || is_called_alike(known) || is_part(known);
    all.iter().filter(near).take(MAX_NEAR).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::sample;
    use atm_core::session::status::Class;

    const OLD: &str = "aaaa1111-0000-4000-8000-000000000001";
    const NEW: &str = "aaaa2222-0000-4000-8000-000000000002";

    fn on_disk(id: &str, config: &str, changed: i64) -> Transcript {
        Transcript {
            id: id.to_owned(),
            path: format!("/nonexistent/{config}/projects/-p/{id}.jsonl").into(),
            folder: "-p".to_owned(),
            config: format!("/nonexistent/{config}").into(),
            changed: Stamp(changed),
            size: 0,
        }
    }

    fn id_of(choice: &Choice<'_>) -> String {
        match choice {
            Choice::One(known) => known.id.clone(),
            Choice::Several(all) => format!("{} candidates", all.len()),
            Choice::None(near) => format!("none, {} near", near.len()),
        }
    }

    #[test]
    fn choice_by_id_name_prefix_and_pane() {
        let view = SessionView {
            id: NEW.to_owned(),
            lineage: vec![OLD.to_owned()],
            name: Some("web api".to_owned()),
            pane: Some("%3".to_owned()),
            managed_id: Some("job-17".to_owned()),
            ended: None,
            ..sample::view("x", Class::Idle, 5)
        };
        let all = join(vec![view], vec![on_disk(OLD, "a", 1), on_disk(NEW, "a", 2)], None);
        let cases = [
            (NEW, NEW),
            (OLD, OLD),
            ("aaaa1", OLD),
            ("aaaa", "2 candidates"),
            ("aaa", "none, 2 near"),
            ("web api", NEW),
            ("job-17", NEW),
            ("%3", NEW),
            ("WEB", "none, 1 near"),
            ("zzzz", "none, 0 near"),
        ];
        for (who, expected) in cases {
            assert_eq!(id_of(&choose(&all, who)), expected, "{who}");
        }
        let live: Vec<bool> = all.iter().map(|known| known.live().is_some()).collect();
        assert_eq!(live, [true, false], "after /clear only the new id is open");
    }

    #[test]
    fn transcript_of_the_preferred_configuration_counts_then_the_newer() {
        let both = || vec![on_disk(OLD, "a", 1), on_disk(OLD, "b", 2)];
        let config = |all: &[Known]| all[0].transcript.as_ref().unwrap().config.clone();
        assert_eq!(config(&join(vec![], both(), None)), PathBuf::from("/nonexistent/b"));
        let a = PathBuf::from("/nonexistent/a");
        assert_eq!(config(&join(vec![], both(), Some(&a))), a);
    }
}

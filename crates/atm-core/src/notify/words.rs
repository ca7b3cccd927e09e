//! What a notification says: the usual words, and the fields that templates may use.

use std::time::Duration;

use serde::Serialize;

use super::{Occasion, Step};
use crate::stamp::Stamp;
use crate::text::clean;
use crate::view::SessionView;

const TITLE_MAX: usize = 120;
const BODY_MAX: usize = 400;
const FIELD_MAX: usize = 300;
/// Names that a message about several sessions lists.
const NAMED: usize = 6;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Message {
    pub title: String,
    pub body: String,
    /// Of the session that it is about; of the first, if there are several.
    #[serde(flatten)]
    pub fields: Fields,
    pub count: usize,
}

/// Every text is clean and short.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Fields {
    pub event: String,
    pub step: String,
    pub name: String,
    pub project: String,
    pub directory: String,
    pub status: String,
    pub reason: String,
    pub detail: String,
    pub age: String,
    pub id: String,
    pub id8: String,
    pub pane: String,
    pub window: String,
    pub role: String,
    pub mode: String,
    pub model: String,
    pub prompt: String,
    pub host: String,
}

/// A session as people call it: its name, else its title, else its directory and id.
pub fn name(view: &SessionView) -> String {
    let id8: String = view.id.chars().take(8).collect();
    let own = view.name.as_deref().or(view.title.as_deref()).filter(|name| !name.is_empty());
    let name = match (own, project(view)) {
        (Some(name), _) => name.to_owned(),
        (None, "") => id8,
        (None, project) => format!("{project} {id8}"),
    };
    clean(&name, 60)
}

fn directory(view: &SessionView) -> &str {
    view.session_dir.as_deref().or(view.cwd.as_deref()).unwrap_or_default()
}

fn project(view: &SessionView) -> &str {
    directory(view).trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

pub fn reason(view: &SessionView) -> String {
    let words = match &view.ended {
        Some(ended) => Some(ended.reason.clone()),
        None => view.reason.clone().or_else(|| view.why.clone()),
    };
    clean(&words.unwrap_or_default(), FIELD_MAX)
}

impl Fields {
    pub fn of(view: &SessionView, occasion: Occasion, step: Step, now: Stamp) -> Fields {
        let text = |value: Option<&str>| clean(value.unwrap_or_default(), FIELD_MAX);
        Fields {
            event: occasion.word().to_owned(),
            step: step.word().to_owned(),
            name: name(view),
            project: clean(project(view), FIELD_MAX),
            directory: clean(directory(view), FIELD_MAX),
            status: view.status.word().to_owned(),
            reason: reason(view),
            detail: text(view.subject.as_deref().or(view.detail.as_deref())),
            age: age(now.since(view.since)),
            id: text(Some(&view.id)),
            id8: clean(&view.id.chars().take(8).collect::<String>(), 8),
            pane: text(view.pane.as_deref()),
            window: text(view.window.as_deref()),
            role: text(view.role.as_deref()),
            mode: text(Some(&view.mode)),
            model: text(view.model.as_deref()),
            prompt: text(view.last_prompt.as_deref()),
            host: text(Some(&view.host)),
        }
    }

    /// Every field under its name.
    pub fn all(&self) -> Vec<(String, String)> {
        let all = serde_json::to_value(self).unwrap_or_default();
        let all = all.as_object().into_iter().flatten();
        all.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
    }

    pub fn get(&self, name: &str) -> Option<String> {
        self.all().into_iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

impl Message {
    /// In the usual words. `views` is not empty.
    pub fn usual(views: &[SessionView], occasion: Occasion, step: Step, now: Stamp) -> Message {
        let fields = match views.first() {
            Some(view) => Fields::of(view, occasion, step, now),
            None => Fields::default(),
        };
        let (title, body) = match views {
            [_] | [] => (title(&fields, occasion, step), body(&fields, occasion)),
            several => (several_title(several.len(), occasion, step), names(several)),
        };
        let (title, body) = (clean(&title, TITLE_MAX), clean(&body, BODY_MAX));
        Message { title, body, fields, count: views.len() }
    }

    /// With texts of the user's; what is empty stays as usual.
    pub fn with(self, title: Option<&str>, body: Option<&str>) -> Message {
        let pick = |own: Option<&str>, usual: String, max| {
            own.map(|own| clean(own, max)).filter(|own| !own.is_empty()).unwrap_or(usual)
        };
        let title = pick(title, self.title, TITLE_MAX);
        Message { title, body: pick(body, self.body, BODY_MAX), ..self }
    }
}

fn title(fields: &Fields, occasion: Occasion, step: Step) -> String {
    let name = &fields.name;
    match (occasion, step) {
        (Occasion::Attention, Step::First) => format!("{name} needs you"),
        (Occasion::Attention, Step::Again) => {
            format!("{name} still needs you, for {}", fields.age)
        }
        (Occasion::Finish, _) => format!("{name} has finished"),
        (Occasion::Error, _) => format!("{name} has stopped"),
        (Occasion::Lost, _) => format!("{name} is gone"),
    }
}

fn body(fields: &Fields, occasion: Occasion) -> String {
    match occasion {
        Occasion::Attention
            if fields.detail.is_empty() || fields.reason.contains(&fields.detail) =>
        {
            fields.reason.clone()
        }
        Occasion::Attention => format!("{}: {}", fields.reason, fields.detail),
        Occasion::Finish => fields.prompt.clone(),
        Occasion::Error => fields.reason.clone(),
        Occasion::Lost => "its process has ended without a word".to_owned(),
    }
}

fn several_title(count: usize, occasion: Occasion, step: Step) -> String {
    let what = match (occasion, step) {
        (Occasion::Attention, Step::First) => "need you",
        (Occasion::Attention, Step::Again) => "still need you",
        (Occasion::Finish, _) => "have finished",
        (Occasion::Error, _) => "have stopped",
        (Occasion::Lost, _) => "are gone",
    };
    format!("{count} sessions {what}")
}

fn names(views: &[SessionView]) -> String {
    let mut names: Vec<String> = views.iter().take(NAMED).map(name).collect();
    if views.len() > NAMED {
        names.push("…".to_owned());
    }
    names.join(", ")
}

fn age(span: Duration) -> String {
    let seconds = span.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h{:02}", seconds / 3600, seconds / 60 % 60),
        _ => format!("{}d", seconds / 86_400),
    }
}

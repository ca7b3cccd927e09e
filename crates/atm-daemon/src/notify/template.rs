//! The user's own words: templates of title and body. One that does not work gives way to the
//! usual text, and is a problem of the configuration.

use atm_core::config::notify::Notify;
use atm_core::config::{Loaded, Origin, Problem};
use atm_core::notify::words::{Fields, Message};
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};

/// Steps that a template may take.
const FUEL: u64 = 20_000;
const OPTIONS: [&str; 2] = ["notify.title", "notify.body"];

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    environment
}

fn render(template: &str, fields: &Fields) -> Result<String, minijinja::Error> {
    environment().render_str(template, Value::from_pairs(fields.all()))
}

/// The message in the user's words, as far as they can be made out.
pub(crate) fn apply(usual: Message, config: &Notify) -> Message {
    let own = |template: &String| {
        let is_set = !template.is_empty();
        is_set.then(|| render(template, &usual.fields).ok()).flatten()
    };
    let (title, body) = (own(&config.title), own(&config.body));
    usual.with(title.as_deref(), body.as_deref())
}

/// Templates that do not work, and where they stand.
pub fn problems(loaded: &Loaded) -> Vec<Problem> {
    let sample = Fields::default();
    let mut problems = Vec::new();
    for setting in loaded.root.settings() {
        let Origin::File(at) = setting.origin else { continue };
        let Some(template) =
            setting.value.as_str().filter(|_| OPTIONS.contains(&setting.key.as_str()))
        else {
            continue;
        };
        if let Err(error) = render(template, &sample) {
            let what = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
            let what = atm_core::text::clean(&what, 200);
            let message = format!("the template does not work ({what}); the usual text is used");
            problems.push(Problem { at, key: setting.key, message });
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaded(text: &str) -> Loaded {
        atm_core::config::load(text, &|_| None)
    }

    fn said(text: &str) -> (String, String) {
        let fields = Fields { name: "a<b>\u{1b}[1m".into(), age: "2m".into(), ..Fields::default() };
        let usual = Message { title: "T".into(), body: "B".into(), fields, count: 1 };
        let message = apply(usual, &loaded(text).config.notify);
        (message.title, message.body)
    }

    #[test]
    fn template_is_filled_in_without_escapes_and_cleaned() {
        let (title, body) =
            said("notify.title = '{{ name }} {% if age %}({{ age|upper }}){% endif %}'");
        assert_eq!((title.as_str(), body.as_str()), ("a<b>[1m (2M)", "B"));
    }

    #[test]
    fn template_that_does_not_work_is_a_problem_and_the_usual_text_is_used() {
        for broken in [
            "{{ name",
            "{{ nam }}",
            "{% for x in range(100000) %}{% for y in range(9999) %}a{% endfor %}{% endfor %}",
        ] {
            let text = format!("[notify]\ntitle = '{broken}'");
            let problems = problems(&loaded(&text));
            assert_eq!(problems.len(), 1, "{broken}");
            assert!(problems[0].to_string().starts_with("2:9: notify.title: the template"));
            assert_eq!(said(&text).0, "T");
        }
        assert_eq!(problems(&loaded("notify.title = '{{ name }}: {{ reason }}'")), []);
    }

    #[test]
    fn text_of_a_session_is_never_a_template() {
        let fields = Fields { name: "{{ 7*7 }}".into(), ..Fields::default() };
        let usual = Message { title: "T".into(), body: "B".into(), fields, count: 1 };
        let config = loaded("notify.title = '{{ name }}'").config.notify;
        assert_eq!(apply(usual, &config).title, "{{ 7*7 }}");
    }
}

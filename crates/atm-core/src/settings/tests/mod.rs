//! The settings from outside: text in, text out.

mod generate;
mod properties;
mod register;
mod status_line;

use super::*;

fn entry(event: &str) -> HookEntry {
    HookEntry {
        event: event.to_owned(),
        matcher: None,
        command: "/opt/our place/atm".to_owned(),
        form: Form::Exec { args: vec!["hook".to_owned()] },
        run: Run::Async,
        timeout: Some(5),
    }
}

/// A value as JSON, for comparing two texts by what they mean.
fn meaning(text: &str) -> serde_json::Value {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap()
}

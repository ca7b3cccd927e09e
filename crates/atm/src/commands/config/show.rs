//! `atm config show`: the values in effect.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use atm_core::config::colour::Colour;
use atm_core::config::theme::Colours;
use atm_core::config::{Config, Loaded, Origin, Problem, Setting, to_toml};
use atm_core::text::clean;
use atm_core::view::SCHEMA;
use serde::Serialize;
use serde_json::Value;

use super::{Presence, load};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::json;
use crate::render::width::width;
use crate::screen::{Screen, Style};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Say of each value where it comes from: default, config.toml:LINE, or a variable
    #[arg(long)]
    origin: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct ConfigJson<'a> {
    schema: u32,
    path: &'a str,
    exists: bool,
    config: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    origins: Option<BTreeMap<String, String>>,
    /// What theme and options come to.
    colours: Colours,
    problems: &'a [Problem],
}

pub(super) fn run(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    let path = context.places.config_file();
    let (loaded, presence) = load(&path)?;
    // Without standard error there is nobody to warn.
    warn(&loaded, &path, &mut io::stderr().lock()).ok();
    if args.json {
        let origins = loaded.root.settings().into_iter();
        let origins = origins.map(|setting| (setting.key, origin(setting.origin))).collect();
        let json = ConfigJson {
            schema: SCHEMA,
            path: &path.to_string_lossy(),
            exists: presence == Presence::There,
            config: loaded.root.to_json(),
            origins: args.origin.then_some(origins),
            colours: Colours::of(&loaded.config),
            problems: &loaded.problems,
        };
        json::line(context.out, &json)?;
    } else if args.origin {
        write_origins(&loaded, context.screen, context.out)?;
    } else {
        write!(context.out, "{}", loaded.to_toml())?;
    }
    Ok(Exit::Ok)
}

fn warn(loaded: &Loaded, path: &Path, err: &mut dyn Write) -> io::Result<()> {
    let name = clean(&path.to_string_lossy(), 1000);
    for problem in &loaded.problems {
        writeln!(err, "warning: {name}:{problem}")?;
    }
    Ok(())
}

/// One option a line; what is not the default stands out.
fn write_origins(loaded: &Loaded, screen: Screen, out: &mut dyn Write) -> Result<(), CliError> {
    let settings = loaded.root.settings();
    let values: Vec<String> = settings.iter().map(|setting| to_toml(setting.value)).collect();
    let key_width = settings.iter().map(|setting| width(&setting.key)).max().unwrap_or(0);
    let value_width = values.iter().map(|value| width(value)).max().unwrap_or(0);
    for (setting, value) in settings.iter().zip(&values) {
        let is_default = setting.origin == Origin::Default;
        let style = if is_default { Style::Dim } else { Style::Bold };
        let key_gap = " ".repeat(key_width - width(&setting.key));
        let value_gap = " ".repeat(value_width - width(value));
        let from = origin(setting.origin);
        let colour = from_theme(setting, &loaded.config);
        let colour = colour.map(|colour| format!(", {} from the theme", colour.as_str()));
        let colour = colour.unwrap_or_default();
        let line = format!("{}{key_gap}  {value}{value_gap}  {from}{colour}", setting.key);
        writeln!(out, "{}", screen.paint(style, &line))?;
    }
    Ok(())
}

/// The colour that is meant where none is set.
fn from_theme(setting: &Setting<'_>, config: &Config) -> Option<Colour> {
    let colours = Colours::of(config);
    let colour = match setting.key.strip_prefix("tmux.colours.")? {
        "running" => colours.running,
        "waiting" => colours.waiting,
        "idle" => colours.idle,
        _ => return None,
    };
    (setting.value == "").then_some(colour)
}

fn origin(origin: Origin) -> String {
    match origin {
        Origin::Default => "default".to_owned(),
        Origin::File(at) => format!("config.toml:{}", at.line),
        Origin::Env(name) => name.to_owned(),
    }
}

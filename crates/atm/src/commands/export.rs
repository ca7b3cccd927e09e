//! `atm export`: a session's transcript as a page for people.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use atm_core::export::record::{Read, read};
use atm_core::export::{Form, Heading, Page, Secrets, Tools};
use clap::ValueEnum;

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::place::short;
use crate::resume::known::Known;
use crate::resume::world::{World, note};

/// A longer line is passed over; the client writes none.
const MAX_LINE: usize = 128 * 1024 * 1024;

/// Write a session's transcript as Markdown or HTML
///
/// Secrets are replaced by `[redacted: kind]` as far as they can be told by their shape or their name:
/// look it over before you hand it on.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  atm export 23e30f82 > session.md
  atm export 23e30f82 --format html --tools --output session.html")]
pub(crate) struct Args {
    /// Session: id, beginning of one, name, or pane
    #[arg(value_name = "S")]
    session: String,
    /// What to write
    #[arg(long, value_enum, default_value_t = Format::Md)]
    format: Format,
    /// Write into FILE instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Leave secrets as they are
    #[arg(long)]
    no_redact: bool,
    /// With what tools were given and what they gave back
    #[arg(long)]
    tools: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Md,
    Html,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    let world = World::look(context);
    let known = world.find(&args.session, context)?;
    let Some(transcript) = &known.transcript else {
        let message = format!("session {} has no transcript", short(&known.id));
        return Err(CliError::new(Exit::NotFound, message)
            .hint("the client writes it with the first answer"));
    };
    let source = File::open(&transcript.path).map_err(|error| {
        CliError::failed(&format!("cannot read {}", transcript.path.display()), &error)
    })?;
    let page = Page::new(
        match args.format {
            Format::Md => Form::Markdown,
            Format::Html => Form::Html,
        },
        if args.no_redact { Secrets::Shown } else { Secrets::Hidden },
        if args.tools { Tools::Shown } else { Tools::Named },
    );
    let mut export = Export { page, damaged: 0, source: transcript.path.clone() };
    match &args.output {
        None => export.write(&heading(known), source, context.out)?,
        Some(path) => export.write_file(&heading(known), source, path)?,
    }
    if export.damaged > 0 {
        note(&format!("note: {} damaged records were passed over", export.damaged));
    }
    Ok(Exit::Ok)
}

fn heading(known: &Known) -> Heading {
    let past = known.past();
    let title = past.title.clone().or_else(|| past.prompt.clone());
    let fact = |label: &str, value: Option<&str>| Some((label.to_owned(), value?.to_owned()));
    let facts = [
        fact("Session", Some(&known.id)),
        fact("Directory", known.directory()),
        fact("Last change", Some(&known.last_activity().to_string())),
    ];
    Heading {
        title: title.unwrap_or_else(|| format!("Session {}", short(&known.id))),
        facts: facts.into_iter().flatten().collect(),
    }
}

struct Export {
    page: Page,
    damaged: usize,
    source: PathBuf,
}

impl Export {
    fn write(
        &mut self,
        heading: &Heading,
        source: File,
        out: &mut dyn Write,
    ) -> Result<(), CliError> {
        out.write_all(self.page.head(heading).as_bytes())?;
        let mut reader = BufReader::with_capacity(256 * 1024, source);
        let mut line = Vec::new();
        loop {
            let end = next_line(&mut reader, &mut line).map_err(|error| {
                CliError::failed(&format!("cannot read {}", self.source.display()), &error)
            })?;
            match (read(&line), end) {
                (Read::Entry(entry), _) => out.write_all(self.page.entry(&entry).as_bytes())?,
                (Read::Damaged, End::OfLine) => self.damaged += 1,
                // The client is just writing it.
                (Read::Damaged, End::OfFile) | (Read::Nothing, _) => {}
            }
            if end == End::OfFile {
                break;
            }
        }
        out.write_all(self.page.foot().as_bytes())?;
        Ok(out.flush()?)
    }

    /// Whole or not at all, and for the user's eyes only.
    fn write_file(&mut self, heading: &Heading, source: File, path: &Path) -> Result<(), CliError> {
        let cannot = |error: &io::Error| {
            CliError::failed(&format!("cannot write {}", path.display()), error)
        };
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let part = path.with_file_name(name);
        let mut options = fs::OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o600).open(&part);
        let mut out = BufWriter::new(file.map_err(|error| cannot(&error))?);
        let written = self.write(heading, source, &mut out);
        let done = written.and_then(|()| fs::rename(&part, path).map_err(|error| cannot(&error)));
        if done.is_err() {
            // What is half written is worth nothing; the error is told anyway.
            fs::remove_file(&part).ok();
        }
        done
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    OfLine,
    OfFile,
}

/// Leaves the next line in `line`; of one that is too long, a piece that no reader takes for whole.
fn next_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<End> {
    line.clear();
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            return Ok(End::OfFile);
        }
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let piece = &chunk[..end.unwrap_or(chunk.len())];
        if line.len() < MAX_LINE {
            line.extend_from_slice(piece);
        }
        let taken = end.map_or(chunk.len(), |at| at + 1);
        reader.consume(taken);
        if end.is_some() {
            return Ok(End::OfLine);
        }
    }
}

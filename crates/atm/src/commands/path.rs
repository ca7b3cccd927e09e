//! `atm path`: the client's names for project directories, there and back.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use atm_core::paths::decode::{Decoded, Directories, Links, decode};
use atm_core::paths::encode;
use atm_core::text::clean;
use atm_core::view::SCHEMA;
use serde::Serialize;

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::json;
use crate::tree::Tree;

/// Longest path that is shown on a terminal; PATH_MAX is 4096.
const MAX_PATH: usize = 5000;

/// Turn a directory into Claude Code's name for it, or such a name back
///
/// Claude Code keeps the transcripts of a project in `~/.claude/projects/NAME`, where NAME is the
/// path with everything but letters and digits turned into `-`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Encode(EncodeArgs),
    Decode(DecodeArgs),
}

/// Print the name for a path
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  atm path encode ~/src/app\n  atm path encode --resolve .")]
struct EncodeArgs {
    /// Path, taken letter by letter
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// Make the path absolute and follow links first, as Claude Code does
    #[arg(long)]
    resolve: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Print the directory that a name stands for
///
/// The name alone does not tell: directories that exist are matched against it, the current one
/// first, then the longest names. Exit code 4 if none fits.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  atm path decode -home-dev-src-my-app
  atm path decode --all -- --claude      a name that looks like an option comes after --")]
struct DecodeArgs {
    /// Name of a folder in ~/.claude/projects
    #[arg(value_name = "NAME", allow_hyphen_values = true)]
    name: String,
    /// Take DIR for the root of the file system
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Print every directory that fits, also those reached through links
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct EncodeJson<'a> {
    schema: u32,
    path: &'a str,
    encoded: &'a str,
}

#[derive(Serialize)]
struct DecodeJson<'a> {
    schema: u32,
    encoded: &'a str,
    best: Option<&'a str>,
    candidates: &'a [String],
    /// False if the search was given up before its end.
    complete: bool,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    match &args.command {
        Command::Encode(args) => run_encode(args, context),
        Command::Decode(args) => run_decode(args, context),
    }
}

fn run_encode(args: &EncodeArgs, context: &mut Context<'_>) -> Result<Exit, CliError> {
    let path = if args.resolve {
        std::fs::canonicalize(&args.path).map_err(|error| {
            CliError::failed(&format!("cannot resolve {}", args.path.display()), &error)
        })?
    } else {
        args.path.clone()
    };
    let path = path.to_string_lossy();
    let encoded = encode(&path);
    if args.json {
        let told = EncodeJson { schema: SCHEMA, path: &path, encoded: &encoded };
        json::line(context.out, &told)?;
    } else {
        writeln!(context.out, "{encoded}")?;
    }
    Ok(Exit::Ok)
}

fn run_decode(args: &DecodeArgs, context: &mut Context<'_>) -> Result<Exit, CliError> {
    let tree = args.root.as_deref().map_or_else(Tree::whole, Tree::below);
    if let Some(root) = args.root.as_deref().filter(|root| !root.is_dir()) {
        return Err(CliError::new(Exit::Failed, format!("no directory: {}", root.display())));
    }
    let search = if args.all { search_all } else { search };
    let found = search(&args.name, &tree);
    if args.json {
        let text = |path: &PathBuf| path.to_string_lossy().into_owned();
        let candidates: Vec<String> = found.candidates.iter().map(text).collect();
        let told = DecodeJson {
            schema: SCHEMA,
            encoded: &args.name,
            best: candidates.first().map(String::as_str),
            candidates: &candidates,
            complete: !found.is_cut_short,
        };
        json::line(context.out, &told)?;
        return Ok(if candidates.is_empty() { Exit::NotFound } else { Exit::Ok });
    }
    let Some(best) = found.candidates.first() else { return Err(nothing(args, &found)) };
    let shown = if args.all { &found.candidates[..] } else { std::slice::from_ref(best) };
    for path in shown {
        write_path(path, context)?;
    }
    if !args.all && found.candidates.len() > 1 {
        let more = found.candidates.len() - 1;
        // Only a note: the answer is on standard output.
        writeln!(std::io::stderr(), "note: {more} more would fit; --all shows them").ok();
    }
    Ok(Exit::Ok)
}

/// Real paths decide; those through links count where there is no other.
pub(crate) fn search(name: &str, tree: &Tree) -> Decoded {
    let found = decode(name, tree, Links::Ignored);
    if found.candidates.is_empty() { decode(name, tree, Links::Followed) } else { found }
}

fn search_all(name: &str, tree: &Tree) -> Decoded {
    let mut found = decode(name, tree, Links::Ignored);
    let through_links = decode(name, tree, Links::Followed);
    found.is_cut_short |= through_links.is_cut_short;
    let known: HashSet<_> = found.candidates.iter().map(|path| tree.identity(path)).collect();
    let is_new = |path: &PathBuf| !known.contains(&tree.identity(path));
    found.candidates.extend(through_links.candidates.into_iter().filter(is_new));
    found
}

fn nothing(args: &DecodeArgs, found: &Decoded) -> CliError {
    let what = if found.is_cut_short {
        format!("gave up looking for `{}`: too many directories", args.name)
    } else {
        format!("no directory here is called `{}`", args.name)
    };
    let error = CliError::new(Exit::NotFound, what);
    if args.name.starts_with('-') {
        error.hint("it may have been moved or removed; a transcript's `cwd` tells where it was")
    } else {
        error.hint("a name begins with `-`, for the `/` of the path")
    }
}

/// Byte for byte for other programs; cleaned for a terminal.
fn write_path(path: &Path, context: &mut Context<'_>) -> Result<(), CliError> {
    if context.screen.width.is_some() {
        writeln!(context.out, "{}", clean(&path.to_string_lossy(), MAX_PATH))?;
    } else {
        let mut line = OsString::from(path);
        line.push("\n");
        context.out.write_all(line.as_bytes())?;
    }
    Ok(())
}

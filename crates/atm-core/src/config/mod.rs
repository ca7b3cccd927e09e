//! The configuration: `config.toml` of the configuration directory. The options are data
//! (`table`); the checks, the commented default file, the schema and the types follow from it.
//! Loading never fails: what is wrong falls back to its default, and is told.

pub mod colour;
mod document;
mod kind;
mod nearest;
mod node;
pub mod notify;
mod problem;
mod read;
mod schema;
pub mod size;
mod table;
#[cfg(test)]
mod tests;
pub mod theme;
mod types;

pub use kind::{Kind, Opt};
pub use node::{Node, Origin, Setting, to_toml};
pub use problem::{At, Problem};
pub use read::Env;
pub use table::OPTIONS;
pub use types::{Config, Glyphs, History, Overrides, StatusLine, Tmux};

use read::Reader;

/// Bytes; a larger file is something else.
pub const MAX_BYTES: u64 = 1024 * 1024;

#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    pub config: Config,
    /// Every value with its origin.
    pub root: Node,
    /// In the order of the text.
    pub problems: Vec<Problem>,
}

pub fn load(text: &str, env: Env<'_>) -> Loaded {
    let mut reader = Reader { options: OPTIONS, env, text, problems: Vec::new() };
    let mut root = reader.read();
    let mut problems = reader.problems;
    problems.extend(theme::check(&mut root));
    problems.extend(notify::check(&mut root));
    problems.sort_by_key(|problem| problem.at);
    Loaded { config: Config::of(&root), root, problems }
}

impl Loaded {
    /// How many values the file sets.
    pub fn set_in_file(&self) -> usize {
        let settings = self.root.settings();
        settings.iter().filter(|setting| matches!(setting.origin, Origin::File(_))).count()
    }

    /// As a file that would bring it about.
    pub fn to_toml(&self) -> String {
        document::effective_document(&self.root)
    }
}

/// Every option, commented out with its default, under its help.
pub fn default_document() -> String {
    document::default_document(OPTIONS)
}

/// JSON Schema 2020-12 of the file.
pub fn schema() -> serde_json::Value {
    schema::schema(OPTIONS)
}

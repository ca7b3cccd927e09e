//! Transcripts on disk: where they are, and what one tells of its session without being read whole.
//! Looks and never writes.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use atm_core::past::Past;
use atm_core::places::claude_dir;
use atm_core::stamp::Stamp;
use atm_core::view::SessionView;

/// Read from either end of a transcript; what matters stands there.
const GLANCE: u64 = 256 * 1024;
/// Longer lines are looked through for their directory only.
const MAX_LINE: usize = 1024 * 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Transcript {
    /// The session's id, from the file's name.
    pub(crate) id: String,
    pub(crate) path: PathBuf,
    /// The client's name for the project.
    pub(crate) folder: String,
    /// The configuration directory it belongs to.
    pub(crate) config: PathBuf,
    pub(crate) changed: Stamp,
    pub(crate) size: u64,
}

type Env<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// Every configuration directory that is known: the environment's, the usual ones, and those that
/// tracked sessions used.
pub(crate) fn config_dirs(env: Env<'_>, views: &[SessionView]) -> Vec<PathBuf> {
    let home = env("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let usual = [".claude", ".config/claude"].into_iter();
    let usual = home.iter().flat_map(|home| usual.clone().map(|name| home.join(name)));
    let tracked = views.iter().filter_map(|view| config_of(Path::new(view.transcript.as_ref()?)));
    let mut known = BTreeSet::new();
    let all = claude_dir(env).into_iter().chain(usual).chain(tracked);
    all.filter(|dir| dir.join("projects").is_dir())
        .filter(|dir| known.insert(fs::canonicalize(dir).unwrap_or_else(|_| dir.clone())))
        .collect()
}

/// `<config>/projects/<folder>/<id>.jsonl`
fn config_of(transcript: &Path) -> Option<PathBuf> {
    let projects = transcript.parent()?.parent()?;
    projects.ends_with("projects").then(|| projects.parent().map(Path::to_owned))?
}

/// Every session's transcript, newest first.
pub(crate) fn all(configs: &[PathBuf]) -> Vec<Transcript> {
    let mut found: Vec<Transcript> = configs.iter().flat_map(|config| in_config(config)).collect();
    found.sort_by(|a, b| (b.changed, &a.path).cmp(&(a.changed, &b.path)));
    found
}

fn in_config(config: &Path) -> Vec<Transcript> {
    let folders = fs::read_dir(config.join("projects")).into_iter().flatten().flatten();
    let files = folders.flat_map(|folder| {
        let name = folder.file_name().to_string_lossy().into_owned();
        let files = fs::read_dir(folder.path()).into_iter().flatten().flatten();
        files.filter_map(move |file| transcript(file.path(), &name, config))
    });
    files.collect()
}

/// None for what is no session's transcript: subagents, directories, pipes, links that lead nowhere.
fn transcript(path: PathBuf, folder: &str, config: &Path) -> Option<Transcript> {
    let id = path.file_name()?.to_str()?.strip_suffix(".jsonl")?;
    if id.is_empty() || id.starts_with("agent-") {
        return None;
    }
    let about = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
    let age = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let changed = Stamp(i64::try_from(age.unwrap_or_default().as_millis()).unwrap_or(i64::MAX));
    Some(Transcript {
        id: id.to_owned(),
        folder: folder.to_owned(),
        config: config.to_owned(),
        changed,
        size: about.len(),
        path,
    })
}

/// The session whose subagent this is, by the name of the subagent's transcript.
pub(crate) fn parent_of(agent: &str, configs: &[PathBuf]) -> Option<String> {
    let entries = |dir: &Path| fs::read_dir(dir).into_iter().flatten().flatten();
    let is_it = |name: &str| name.starts_with(agent) && name.ends_with(".jsonl");
    configs.iter().flat_map(|config| entries(&config.join("projects"))).find_map(|folder| {
        entries(&folder.path()).find_map(|session| {
            let mut agents = entries(&session.path().join("subagents"));
            let is_here = agents.any(|file| file.file_name().to_str().is_some_and(is_it));
            is_here.then(|| session.file_name().into_string().ok())?
        })
    })
}

impl Transcript {
    /// From both ends of the file; the middle is read only for a directory that the ends do not name.
    pub(crate) fn past(&self) -> io::Result<Past> {
        let mut past = Past::default();
        let mut file = File::open(&self.path)?;
        self.take_lines(&mut past, &glance(&mut file, 0, GLANCE)?);
        if self.size > GLANCE {
            let from = self.size.saturating_sub(GLANCE).max(GLANCE);
            let tail = glance(&mut file, from, GLANCE)?;
            // The first line of it is most likely a part of one.
            let start = tail.iter().position(|byte| *byte == b'\n').map_or(tail.len(), |at| at + 1);
            self.take_lines(&mut past, &tail[start..]);
        }
        if past.home.is_none() && self.size > GLANCE {
            file.seek(SeekFrom::Start(0))?;
            self.take_directories(&mut past, file)?;
        }
        Ok(past)
    }

    fn take_lines(&self, past: &mut Past, bytes: &[u8]) {
        for line in bytes.split(|byte| *byte == b'\n') {
            past.take(line, &self.folder);
        }
    }

    /// Line by line, but no more of a line than fits: in a longer one the directory stands at its end.
    fn take_directories(&self, past: &mut Past, file: File) -> io::Result<()> {
        let mut reader = BufReader::with_capacity(MAX_LINE, file);
        let mut line = Vec::new();
        while past.home.is_none() && read_end_of_line(&mut reader, &mut line, MAX_LINE)? > 0 {
            if let Some(cwd) = last_cwd(&line) {
                past.take_cwd(cwd, &self.folder);
            }
        }
        Ok(())
    }
}

fn glance(file: &mut File, from: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(from))?;
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Leaves the last `max` bytes of the next line in `line`; returns the whole length of it.
fn read_end_of_line(
    reader: &mut impl BufRead,
    line: &mut Vec<u8>,
    max: usize,
) -> io::Result<usize> {
    line.clear();
    let mut length = 0;
    loop {
        let chunk = reader.fill_buf()?;
        let end = chunk.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
        let taken = end.unwrap_or(chunk.len());
        line.extend_from_slice(&chunk[..taken]);
        reader.consume(taken);
        length += taken;
        if line.len() > 2 * max {
            line.drain(..line.len() - max);
        }
        if end.is_some() || taken == 0 {
            return Ok(length);
        }
    }
}

/// The value of the last `"cwd"` in a line. Inside of text its quotes would be escaped.
fn last_cwd(line: &[u8]) -> Option<String> {
    const KEY: &[u8] = b"\"cwd\":";
    let at = line.windows(KEY.len()).rposition(|part| part == KEY)?;
    let value = line.get(at + KEY.len()..)?.trim_ascii_start();
    let mut values = serde_json::Deserializer::from_slice(value).into_iter::<String>();
    values.next()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "23e30f82-5d1c-4c64-9c3b-0d8f7a61e001";

    fn write(config: &Path, name: &str, text: &str) -> PathBuf {
        let path = config.join("projects").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn transcripts_found_are_sessions_only() {
        let dir = tempfile::tempdir().unwrap();
        let config = dir.path();
        write(config, &format!("-p/{ID}.jsonl"), "{}\n");
        write(config, "-p/agent-77.jsonl", "{}\n");
        write(config, &format!("-p/{ID}/subagents/agent-a1b2.jsonl"), "{}\n");
        write(config, "-p/memory/notes.md", "");
        fs::create_dir(config.join("projects/-p/folder.jsonl")).unwrap();
        let round = config.join("projects/-p/loop.jsonl");
        std::os::unix::fs::symlink(&round, &round).unwrap();
        let ids: Vec<String> = all(&[config.to_owned()]).into_iter().map(|t| t.id).collect();
        assert_eq!(ids, [ID]);
        assert_eq!(parent_of("agent-a1", &[config.to_owned()]).as_deref(), Some(ID));
    }

    #[test]
    fn past_of_a_large_transcript_finds_the_directory_behind_a_line_of_any_length() {
        let dir = tempfile::tempdir().unwrap();
        let huge = format!(r#"{{"type":"user","m":"{}","cwd":"/p/a b"}}"#, "x".repeat(3 << 20));
        let noise = format!("{{\"x\":\"{}\"}}\n", "y".repeat(300 * 1024));
        let text = format!("{{\"cwd\":\"/elsewhere\"}}\n{noise}{huge}\n{noise}{{\"half");
        write(dir.path(), &format!("-p-a-b/{ID}.jsonl"), &text);
        let found = all(&[dir.path().to_owned()]);
        let past = found[0].past().unwrap();
        assert_eq!(past.first_cwd.as_deref(), Some("/elsewhere"));
        assert_eq!(past.home.as_deref(), Some("/p/a b"));
    }

    #[test]
    fn config_dirs_are_each_named_once() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        fs::create_dir_all(home.join(".claude/projects")).unwrap();
        std::os::unix::fs::symlink(home.join(".claude"), dir.path().join("link")).unwrap();
        let link = dir.path().join("link");
        let env = |name: &str| match name {
            "HOME" => Some(home.clone().into_os_string()),
            "CLAUDE_CONFIG_DIR" => Some(link.clone().into_os_string()),
            _ => None,
        };
        assert_eq!(config_dirs(&env, &[]), std::slice::from_ref(&link));
    }
}

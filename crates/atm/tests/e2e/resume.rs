//! `atm resume` and `cld`: which session, which directory, and what `claude` then gets. A script stands
//! for `claude` and writes down where it was started, with what.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::json;

use crate::sealed::Sealed;
use crate::stage::with;

const ID: &str = "23e30f82-5d1c-4c64-9c3b-0d8f7a61e001";
const OTHER: &str = "23e30f82-ffff-4c64-9c3b-0d8f7a61e002";

/// What the stand-in was started with.
#[derive(Debug, PartialEq, Eq)]
struct Started {
    dir: PathBuf,
    words: Vec<String>,
    config: Option<String>,
}

struct World {
    sealed: Sealed,
}

impl World {
    fn new() -> World {
        let world = World { sealed: Sealed::new() };
        let bin = world.sealed.path().join("bin");
        fs::create_dir(&bin).unwrap();
        let script = "#!/bin/sh\n{ pwd -P; echo \"config=$CLAUDE_CONFIG_DIR\"; printf '%s\\n' \"$@\"; } \
                      > \"$HOME/started\"\n";
        fs::write(bin.join("claude"), script).unwrap();
        fs::set_permissions(bin.join("claude"), fs::Permissions::from_mode(0o755)).unwrap();
        symlink(env!("CARGO_BIN_EXE_atm"), bin.join("cld")).unwrap();
        world
    }

    /// A directory of this world, made and without links.
    fn dir(&self, name: &str) -> PathBuf {
        let dir = self.sealed.path().join(name);
        fs::create_dir_all(&dir).unwrap();
        dir.canonicalize().unwrap()
    }

    fn command(&self, program: &str, args: &[&str]) -> Command {
        let program = match program {
            "atm" => PathBuf::from(env!("CARGO_BIN_EXE_atm")),
            other => self.sealed.path().join("bin").join(other),
        };
        let mut command = self.sealed.command(program);
        let path = format!("{}/bin:/usr/bin:/bin", self.sealed.path().display());
        command.args(args).env("PATH", path).current_dir(self.dir("elsewhere"));
        command
    }

    fn atm(&self, args: &[&str]) -> Output {
        self.command("atm", args).output().unwrap()
    }

    /// With an answer typed.
    fn answer(&self, args: &[&str], typed: &str) -> Output {
        let mut command = self.command("atm", args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
        Sealed::finish(child)
    }

    fn started(&self) -> Option<Started> {
        let text = fs::read_to_string(self.sealed.home().join("started")).ok()?;
        let mut lines = text.lines();
        let dir = lines.next().unwrap().into();
        let config = lines.next().unwrap().strip_prefix("config=").unwrap();
        let config = Some(config.to_owned()).filter(|config| !config.is_empty());
        Some(Started { dir, words: lines.map(str::to_owned).collect(), config })
    }

    #[track_caller]
    fn assert_started(&self, dir: &Path, words: &[&str]) {
        let expected = Started {
            dir: dir.to_owned(),
            words: words.iter().map(ToString::to_string).collect(),
            config: None,
        };
        assert_eq!(self.started(), Some(expected));
    }

    /// A transcript as the client leaves it, for a session in `dir`.
    fn transcript_in(&self, config: &Path, id: &str, dir: &Path) -> PathBuf {
        let cwd = dir.to_str().unwrap();
        let records = [
            json!({"type": "mode", "mode": "normal", "sessionId": id}),
            json!({"type": "user", "isSidechain": false, "cwd": cwd, "sessionId": id,
                "timestamp": "2026-11-15T19:43:29.243Z", "message": {"role": "user", "content": "mend the roof"}}),
        ];
        let text: String = records.iter().map(|record| format!("{record}\n")).collect();
        self.write_transcript(config, id, dir, &text)
    }

    fn write_transcript(&self, config: &Path, id: &str, dir: &Path, text: &str) -> PathBuf {
        let dash = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let folder: String = dir.to_str().unwrap().chars().map(dash).collect();
        let folder = config.join("projects").join(folder);
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join(format!("{id}.jsonl"));
        fs::write(&path, text).unwrap();
        path
    }

    fn transcript(&self, id: &str, dir: &Path) -> PathBuf {
        self.transcript_in(&self.sealed.claude_dir(), id, dir)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn resume_of_a_session_that_atm_never_saw_goes_to_its_directory() {
    let world = World::new();
    let dir = world.dir("my project/größe");
    world.transcript(ID, &dir);
    let output = world.atm(&["resume", "-y", "23e30f82", "--", "--model", "opus"]);
    assert!(output.status.success(), "{output:?}");
    world.assert_started(&dir, &["--resume", ID, "--model", "opus"]);
}

#[test]
fn cld_resumes_and_passes_everything_else_on() {
    let world = World::new();
    let dir = world.dir("project");
    world.transcript(ID, &dir);
    assert!(world.command("cld", &["resume", "-y", "23e3"]).status().unwrap().success());
    world.assert_started(&dir, &["--resume", ID]);
    assert!(world.command("cld", &["-p", "resume", "--help"]).status().unwrap().success());
    world.assert_started(&world.dir("elsewhere"), &["-p", "resume", "--help"]);
}

#[test]
fn resume_asks_in_the_seeds_words_and_obeys_the_answer() {
    let world = World::new();
    let dir = world.dir("project");
    world.transcript(ID, &dir);
    let question = format!("Resume session 23e30f82 from {}? [Yn]", dir.display());

    let silent = world.atm(&["resume", "23e30f82"]);
    assert_eq!(silent.status.code(), Some(2), "nobody to ask");
    assert_eq!(world.started(), None);

    let refused = world.answer(&["resume", "23e30f82"], "n\n\n");
    assert!(text(&refused.stdout).starts_with(&question), "{refused:?}");
    assert_eq!((refused.status.code(), world.started()), (Some(1), None));

    let stayed = world.answer(&["resume", "23e30f82"], "n\ny\n");
    assert!(stayed.status.success());
    world.assert_started(&world.dir("elsewhere"), &["--resume", ID]);

    let agreed = world.answer(&["resume", "23e30f82"], "\n");
    assert!(text(&agreed.stdout).starts_with(&question), "{agreed:?}");
    world.assert_started(&dir, &["--resume", ID]);
}

#[test]
fn resume_no_stays_and_print_only_prints() {
    let world = World::new();
    let dir = world.dir("it's a project");
    world.transcript(ID, &dir);
    let printed = world.atm(&["resume", "--print", "23e30f82", "--", "a b"]);
    let quoted = dir.to_str().unwrap().replace('\'', r"'\''");
    assert_eq!(text(&printed.stdout), format!("cd '{quoted}' && claude --resume {ID} 'a b'\n"));
    let printed = world.atm(&["resume", "--print", "-n", "23e30f82"]);
    assert_eq!(text(&printed.stdout), format!("claude --resume {ID}\n"));
    assert_eq!(world.started(), None);
    assert!(world.atm(&["resume", "-n", "23e30f82"]).status.success());
    world.assert_started(&world.dir("elsewhere"), &["--resume", ID]);
}

#[test]
fn resume_in_its_own_directory_asks_nothing() {
    let world = World::new();
    let dir = world.dir("project");
    world.transcript(ID, &dir);
    let output = world.command("atm", &["resume", "23e3"]).current_dir(&dir).output().unwrap();
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), String::new()));
    world.assert_started(&dir, &["--resume", ID]);
}

#[test]
fn resume_of_a_tracked_session_whose_transcript_lies_elsewhere_warns_and_goes_there() {
    let mut world = World::new();
    let (tracked, written) = (world.dir("tracked"), world.dir("written"));
    let pid = world.sealed.client();
    let start = json!({"source": "startup", "cwd": tracked.to_str().unwrap()});
    world.sealed.hook(pid, "SessionStart", ID, start);
    world.sealed.hook(pid, "SessionEnd", ID, json!({"reason": "prompt_input_exit"}));
    world.sealed.kill_client(pid);

    let printed = world.atm(&["resume", "--print", ID]);
    assert!(text(&printed.stderr).contains("no transcript"), "{printed:?}");
    let expected = format!("cd {} && claude --resume {ID}\n", tracked.display());
    assert_eq!(text(&printed.stdout), expected);

    world.transcript(ID, &tracked);
    let printed = world.atm(&["resume", "--print", ID]);
    assert_eq!((text(&printed.stdout), text(&printed.stderr)), (expected, String::new()));

    fs::remove_dir_all(world.sealed.claude_dir()).unwrap();
    world.transcript(ID, &written);
    let output = world.atm(&["resume", "-y", ID]);
    let warning = text(&output.stderr);
    assert!(warning.contains(tracked.to_str().unwrap()), "{warning}");
    assert!(warning.contains(written.to_str().unwrap()), "{warning}");
    world.assert_started(&written, &["--resume", ID]);
}

#[test]
fn resume_of_a_running_session_names_its_pane_and_fork_goes_on() {
    let mut world = World::new();
    let dir = world.dir("project");
    let transcript = world.transcript(ID, &dir);
    let pane = world.sealed.new_pane("main");
    let start = json!({"hook_event_name": "SessionStart", "session_id": ID, "source": "startup",
        "cwd": dir.to_str().unwrap(), "transcript_path": transcript.to_str().unwrap()});
    world.sealed.hook_from(pane.pid, &pane.env(), &start);
    world.sealed.wait_for(pane.pid, "window", &json!(pane.window));
    let output = world.atm(&["resume", "-y", ID]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains(&format!("still running in pane main:{}.{}", pane.window, pane.id)));
    assert!(said.contains("`atm jump 23e30f82`"), "{said}");
    assert_eq!(world.started(), None);
    assert!(world.atm(&["resume", "-y", "--fork", ID]).status.success());
    world.assert_started(&dir, &["--resume", ID, "--fork-session"]);

    // After /clear the old conversation is not open any more.
    let clear = with(start, json!({"session_id": OTHER, "source": "clear"}));
    world.sealed.hook_from(pane.pid, &pane.env(), &clear);
    world.sealed.wait_for(pane.pid, "id", &json!(OTHER));
    assert!(world.atm(&["resume", "-y", ID]).status.success());
    world.assert_started(&dir, &["--resume", ID]);
    assert_eq!(world.atm(&["resume", "-y", OTHER]).status.code(), Some(1));
}

#[test]
fn resume_of_an_unknown_or_ambiguous_session_lists_what_there_is() {
    let world = World::new();
    let (one, two) = (world.dir("one"), world.dir("two"));
    world.transcript(ID, &one);
    let other = world.transcript(OTHER, &two);
    let agents = other.with_extension("").join("subagents");
    fs::create_dir_all(&agents).unwrap();
    fs::write(agents.join("agent-a1b2c3.jsonl"), "{\"isSidechain\":true}\n").unwrap();
    fs::write(other.with_file_name("agent-dead.jsonl"), "{\"isSidechain\":true}\n").unwrap();

    let output = world.atm(&["resume", "23e3"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for dir in [&one, &two] {
        let line = said.lines().find(|line| line.contains(dir.to_str().unwrap())).unwrap();
        assert!(line.contains("mend the roof"), "{line}");
    }
    let output = world.atm(&["resume", "23e99999"]);
    assert_eq!(output.status.code(), Some(4));
    assert!(text(&output.stderr).contains(one.to_str().unwrap()), "{output:?}");
    let output = world.atm(&["resume", "agent-a1b2c3"]);
    assert_eq!(output.status.code(), Some(4));
    assert!(text(&output.stderr).contains("its session is 23e30f82"), "{output:?}");
    assert_eq!(world.atm(&["resume", "agent-dead"]).status.code(), Some(4));
    assert_eq!(world.atm(&["resume"]).status.code(), Some(2));
    assert_eq!(world.started(), None);
}

#[test]
fn resume_of_a_session_in_another_configuration_directory_names_it_to_the_client() {
    let mut world = World::new();
    let (dir, config) = (world.dir("project"), world.dir("other-config"));
    let path = world.transcript_in(&config, ID, &dir);
    let pid = world.sealed.client();
    let more = json!({"cwd": dir.to_str().unwrap(), "transcript_path": path.to_str().unwrap()});
    world.sealed.hook(pid, "SessionStart", ID, more);
    world.sealed.hook(pid, "SessionEnd", ID, json!({"reason": "other"}));
    assert!(world.atm(&["resume", "-y", ID]).status.success());
    let started = world.started().unwrap();
    assert_eq!(started.config.as_deref(), config.to_str());
    assert_eq!((started.dir, started.words), (dir.clone(), vec!["--resume".into(), ID.into()]));

    let mut named = world.command("atm", &["resume", "--print", ID]);
    let output = named.env("CLAUDE_CONFIG_DIR", &config).output().unwrap();
    assert_eq!(text(&output.stdout), format!("cd {} && claude --resume {ID}\n", dir.display()));

    world.transcript(OTHER, &dir);
    let mut usual = world.command("atm", &["resume", "--print", OTHER]);
    let output = usual.env("CLAUDE_CONFIG_DIR", &config).output().unwrap();
    let expected =
        format!("cd {} && env -u CLAUDE_CONFIG_DIR claude --resume {OTHER}\n", dir.display());
    assert_eq!(text(&output.stdout), expected);
}

#[test]
fn resume_where_the_directory_is_gone_says_so_or_finds_the_repository() {
    let world = World::new();
    let gone = world.dir("src/app");
    world.transcript(ID, &gone);
    fs::remove_dir(&gone).unwrap();
    let output = world.atm(&["resume", "-y", ID]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains(gone.to_str().unwrap()) && said.contains("resume -n"), "{said}");

    let moved = world.dir("src/app-2");
    fs::create_dir(moved.join(".git")).unwrap();
    let config = "[remote \"origin\"]\n\turl = https://github.com/dev/app.git\n";
    fs::write(moved.join(".git/config"), config).unwrap();
    let noted = json!({"githubRepoPaths": {"dev/app": [gone.to_str().unwrap()]}});
    fs::write(world.sealed.home().join(".claude.json"), noted.to_string()).unwrap();
    assert!(world.atm(&["resume", "-y", ID]).status.success());
    world.assert_started(&moved, &["--resume", ID]);
}

#[test]
fn resume_of_a_damaged_transcript_takes_the_folders_name() {
    let world = World::new();
    let dir = world.dir("pro.ject_x");
    let garbage = "\u{0}\u{1}not json\n{\"type\":\"user\",\"cwd\":";
    world.write_transcript(&world.sealed.claude_dir(), ID, &dir, garbage);
    assert!(world.atm(&["resume", "-y", ID]).status.success());
    world.assert_started(&dir, &["--resume", ID]);
}

#[test]
fn resume_without_claude_says_so() {
    let world = World::new();
    let dir = world.dir("project");
    world.transcript(ID, &dir);
    let mut command = world.command("atm", &["resume", "-y", ID]);
    let output = command.env("PATH", world.dir("empty")).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("cannot find `claude`"), "{output:?}");
}

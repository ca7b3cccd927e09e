//! The demonstration: shows what it promises, touches nothing of the user's, leaves nothing behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::sealed::{LIMIT, Sealed};

/// A place for the demonstration's directory, in which it can be looked for.
fn place(sealed: &Sealed) -> PathBuf {
    let place = sealed.path().join("t");
    fs::create_dir(&place).unwrap();
    place
}

fn demo(sealed: &Sealed, place: &Path, args: &[&str]) -> Command {
    let mut demo = sealed.command(env!("CARGO_BIN_EXE_atm"));
    demo.env("TMPDIR", place).env_remove("ATM_STATE_DIR").arg("demo").args(args);
    demo.stdout(Stdio::piped()).stderr(Stdio::piped());
    demo
}

fn entries(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name());
    names.map(|name| name.to_string_lossy().into_owned()).collect()
}

fn wait_for(what: &str, mut is_true: impl FnMut() -> bool) {
    let limit = Instant::now() + LIMIT;
    while !is_true() {
        assert!(Instant::now() < limit, "not within the limit: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The processes that know of the place: whoever is on stage has its path in the environment.
fn processes(place: &Path) -> Vec<String> {
    let needle = place.to_string_lossy().into_owned();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        if String::from_utf8_lossy(&environment).contains(&needle) {
            let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            found.push(String::from_utf8_lossy(&command).replace('\0', " "));
        }
    }
    found
}

fn said(child: Child) -> String {
    let output = Sealed::finish(child);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?}: {error}", output.status.code());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn demo_shows_a_permission_wait_and_leaves_nothing() {
    let sealed = Sealed::new();
    let place = place(&sealed);
    let child = demo(&sealed, &place, &["--seconds", "8", "--pace", "0.2"]).spawn().unwrap();
    let said = said(child);
    assert!(said.contains("attention  Permission: Bash: npm run migrate"), "{said}");
    assert!(said.contains("demo:@"), "the agents are in panes: {said}");
    assert!(said.contains("has left nothing behind"), "{said}");
    assert_eq!(entries(&place), Vec::<String>::new());
    assert_eq!(entries(&sealed.home()), Vec::<String>::new());
    wait_for("the end of all its processes", || processes(&place).is_empty());
}

#[test]
fn demo_shows_states_in_the_tabs_of_its_tmux() {
    let sealed = Sealed::new();
    let place = place(&sealed);
    let config = sealed.home().join(".config/atm");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("config.toml"), "tmux.enable = false\n").unwrap();
    let child = demo(&sealed, &place, &["--seconds", "12", "--pace", "0.3"]).spawn().unwrap();
    let ask = |args: &[&str]| {
        let stage = entries(&place).pop().map(|name| place.join(name).join("tmux"));
        let mut tmux = sealed.command("tmux");
        let output = tmux.arg("-S").arg(stage.unwrap_or_default()).args(args).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let format = "#{@claude-state} #{window-status-style}";
    wait_for("a tab in red", || {
        let tabs = ask(&["list-windows", "-a", "-F", format]);
        tabs.lines().any(|tab| tab == "waiting fg=#EC5f67")
    });
    assert!(ask(&["show-options", "-gv", "@atm_status"]).contains("#[fg=#EC5f67]"));
    assert!(ask(&["show-hooks", "-g"]).contains("[8731]"));
    said(child);
}

#[test]
fn demo_that_is_killed_is_cleaned_up_after() {
    let sealed = Sealed::new();
    let place = place(&sealed);
    let mut child = demo(&sealed, &place, &["--pace", "0.2"]).spawn().unwrap();
    let stage = || entries(&place).pop().map(|name| place.join(name));
    let is_playing = || stage().is_some_and(|stage| stage.join("state/atm.db").exists());
    wait_for("a daemon on stage", is_playing);
    child.kill().unwrap();
    child.wait().unwrap();
    wait_for("the stage to be gone", || entries(&place).is_empty());
    wait_for("the end of all its processes", || processes(&place).is_empty());
}

#[test]
fn demo_without_tmux_lists_agents_without_panes() {
    let sealed = Sealed::new();
    let place = place(&sealed);
    let bin = sealed.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let mut demo = demo(&sealed, &place, &["--seconds", "6", "--pace", "0.2"]);
    let said = said(demo.env("PATH", &bin).spawn().unwrap());
    assert!(said.contains("without tmux"), "{said}");
    assert!(said.contains("~/src/api"), "{said}");
    assert_eq!(entries(&place), Vec::<String>::new());
    wait_for("the end of all its processes", || processes(&place).is_empty());
}

//! The configuration: what users are shown of it, and that the daemon follows it.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::sealed::Sealed;

fn file(sealed: &Sealed) -> PathBuf {
    sealed.home().join(".config/atm/config.toml")
}

fn write(sealed: &Sealed, text: &str) {
    fs::create_dir_all(file(sealed).parent().unwrap()).unwrap();
    fs::write(file(sealed), text).unwrap();
}

fn status(sealed: &Sealed) -> Value {
    sealed.json(&["daemon", "status", "--json"])
}

/// Waits until the daemon has so many options from the file, and these words in its troubles.
#[track_caller]
fn wait_for(sealed: &Sealed, configured: usize, troubles: &[&str]) {
    sealed.wait(&format!("{configured} options, {troubles:?}"), |sealed| {
        let status = status(sealed);
        let told = status["troubles"].as_array().unwrap();
        let is_told = |words: &&str| told.iter().any(|t| t.as_str().unwrap().contains(*words));
        let is_it = status["configured"] == configured
            && told.len() == troubles.len()
            && troubles.iter().all(is_told);
        is_it.then_some(())
    });
}

#[test]
fn config_without_a_file_shows_the_defaults_and_where_it_would_be() {
    let sealed = Sealed::new();
    assert_eq!(sealed.ok(&["config", "path"]), format!("{}\n", file(&sealed).display()));
    let shown = sealed.json(&["config", "show", "--json"]);
    assert_eq!((&shown["schema"], &shown["exists"]), (&json!(1), &json!(false)));
    assert_eq!(shown["config"]["tmux"]["dwell"], "400ms");
    let colours = json!({"running": "#6699cc", "waiting": "#EC5f67", "idle": "#cdd3de"});
    assert_eq!((&shown["colours"], &shown["problems"]), (&colours, &json!([])));
    let check = sealed.ok(&["config", "check"]);
    assert!(check.contains("does not exist"), "{check}");
    assert!(!file(&sealed).exists() && !sealed.state().exists(), "looking changes nothing");
}

#[test]
fn config_show_says_where_each_value_comes_from() {
    let sealed = Sealed::new();
    write(&sealed, "[tmux]\n\ndwell = \"1500ms\"\n[tmux.colours]\nidle = \"red\"\n");
    let mut command = sealed.command(env!("CARGO_BIN_EXE_atm"));
    command.env("CLAUDE_TMUX_DEBUG", "1").args(["config", "show", "--origin"]);
    let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let words = |key: &str| {
        let line = text.lines().find(|line| line.starts_with(&format!("{key} "))).unwrap();
        line.split_whitespace().skip(1).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(words("tmux.enable"), "true default");
    assert_eq!(words("tmux.dwell"), "\"1s500ms\" config.toml:3");
    assert_eq!(words("tmux.debug_options"), "true CLAUDE_TMUX_DEBUG");
    assert_eq!(words("tmux.colours.idle"), "\"red\" config.toml:5");
    assert_eq!(words("tmux.colours.running"), "\"\" default, #6699cc from the theme");
    let json = sealed.json(&["config", "show", "--origin", "--json"]);
    assert_eq!(json["origins"]["tmux.dwell"], "config.toml:3");
    assert_eq!(json["origins"]["tmux.debug_options"], "default");
}

#[test]
fn config_shown_and_default_can_be_used_as_the_file() {
    let sealed = Sealed::new();
    write(&sealed, "tmux.theme = \"sea\"\n[themes.sea]\nidle = \"cyan\"\n");
    let shown = sealed.ok(&["config", "show"]);
    let before = sealed.json(&["config", "show", "--json"])["config"].clone();
    assert_eq!(before["tmux"]["theme"], "sea");
    write(&sealed, &shown);
    sealed.ok(&["config", "check"]);
    assert_eq!(sealed.json(&["config", "show", "--json"])["config"], before);
    write(&sealed, &sealed.ok(&["config", "default"]));
    sealed.ok(&["config", "check"]);
    let after = sealed.json(&["config", "show", "--json"]);
    assert_eq!(
        (&after["config"]["tmux"]["theme"], &after["problems"]),
        (&json!("default"), &json!([]))
    );
}

#[test]
fn config_schema_is_json_schema_of_every_option() {
    let sealed = Sealed::new();
    let schema = sealed.json(&["config", "schema"]);
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    let tmux = &schema["properties"]["tmux"]["properties"];
    assert_eq!(tmux["glyphs"]["enum"], json!(["unicode", "ascii"]));
    assert_eq!(tmux["dwell"]["default"], "400ms");
}

#[test]
fn config_problems_are_told_with_their_place_and_the_rest_counts() {
    let sealed = Sealed::new();
    write(&sealed, "[tmux]\nenable = false\n dwel = 1\n");
    let name = file(&sealed).display().to_string();
    let problem = format!("{name}:3:2: tmux.dwel: no such option; did you mean tmux.dwell?\n");
    let check = sealed.atm(&["config", "check"]);
    assert_eq!(check.status.code(), Some(1));
    assert_eq!(String::from_utf8(check.stdout).unwrap(), problem);
    let show = sealed.atm(&["config", "show"]);
    assert_eq!(show.status.code(), Some(0));
    assert_eq!(String::from_utf8(show.stderr).unwrap(), format!("warning: {problem}"));
    assert!(String::from_utf8(show.stdout).unwrap().contains("\nenable = false\n"));
    write(&sealed, "[tmux\n");
    let check = sealed.atm(&["config", "check"]);
    let told = String::from_utf8(check.stdout).unwrap();
    assert!(told.starts_with(&format!("{name}:1:6: this is not TOML (")), "{told}");
}

#[test]
fn config_that_cannot_be_read_is_a_clear_error_and_the_daemon_goes_on() {
    let sealed = Sealed::new();
    let check = |why: &str| {
        for command in ["show", "check"] {
            let (code, error) = sealed.fails(&["config", command]);
            assert!(code == 1 && error.contains(why) && error.contains("\nhint: "), "{error}");
            assert!(error.contains(file(&sealed).to_str().unwrap()), "{error}");
        }
        sealed.ok(&["list"]);
        wait_for(&sealed, 0, &[why]);
    };
    fs::create_dir_all(file(&sealed)).unwrap();
    check("is not a regular file");
    fs::remove_dir(file(&sealed)).unwrap();
    write(&sealed, &"#".repeat(1024 * 1024 + 1));
    check("is larger than 1MiB");
    fs::write(file(&sealed), b"\xff").unwrap();
    check("is not UTF-8");
    if !rustix::process::geteuid().is_root() {
        fs::set_permissions(file(&sealed), fs::Permissions::from_mode(0o000)).unwrap();
        check("ermission denied");
    }
    fs::remove_file(file(&sealed)).unwrap();
    wait_for(&sealed, 0, &[]);
}

#[test]
fn daemon_follows_the_file_however_it_is_changed() {
    let sealed = Sealed::new();
    sealed.ok(&["list"]);
    assert_eq!(status(&sealed)["config"], file(&sealed).to_str().unwrap());
    wait_for(&sealed, 0, &[]);
    // The folders come into being only now.
    write(&sealed, "[tmux]\nenable = false\n");
    wait_for(&sealed, 1, &[]);
    // Written in place, with a mistake.
    write(&sealed, "[tmux]\nenable = 3\ntheme = \"nrod\"\ndwell = \"1s\"\n");
    wait_for(&sealed, 1, &["config.toml:2:10: tmux.enable: ", "did you mean \"nord\"?"]);
    // Replaced by rename, as editors do; the troubles are gone with the mistakes.
    let aside = file(&sealed).with_extension("new");
    fs::write(&aside, "[tmux]\nenable = true\ntheme = \"nord\"\ndwell = \"1s\"\n").unwrap();
    fs::rename(&aside, file(&sealed)).unwrap();
    wait_for(&sealed, 3, &[]);
    // So many mistakes that they are not told one by one.
    let nonsense: Vec<String> = (0..13).map(|n| format!("x{n} = 1\n")).collect();
    write(&sealed, &nonsense.concat());
    let mut told = vec!["no such option"; 10];
    told.push("3 more problems");
    wait_for(&sealed, 0, &told);
    // Its folder goes and comes again.
    fs::remove_dir_all(file(&sealed).parent().unwrap()).unwrap();
    wait_for(&sealed, 0, &[]);
    write(&sealed, "[history]\nkeep_events = 5000\nkeep_sessions = 100\n");
    wait_for(&sealed, 2, &[]);
    let log = fs::read_to_string(sealed.state().join("atm.log")).unwrap();
    assert_eq!(log.matches("tmux.enable: expected true or false").count(), 1, "{log}");
}

#[test]
fn daemon_follows_a_file_behind_a_symbolic_link() {
    let sealed = Sealed::new();
    let real = sealed.home().join("dotfiles/atm.toml");
    fs::create_dir_all(real.parent().unwrap()).unwrap();
    fs::create_dir_all(file(&sealed).parent().unwrap()).unwrap();
    fs::write(&real, "tmux.enable = true\n").unwrap();
    std::os::unix::fs::symlink(&real, file(&sealed)).unwrap();
    sealed.ok(&["list"]);
    wait_for(&sealed, 1, &[]);
    fs::write(&real, "tmux.enable = true\ntmux.dwell = \"1s\"\n").unwrap();
    wait_for(&sealed, 2, &[]);
    let aside = real.with_extension("new");
    fs::write(&aside, "tmux.nonsense = true\n").unwrap();
    fs::rename(&aside, &real).unwrap();
    wait_for(&sealed, 0, &["tmux.nonsense"]);
    fs::write(&real, "tmux.pane_label = true\n").unwrap();
    wait_for(&sealed, 1, &[]);
}

/// Bytes and number of the journal's files.
fn journal(sealed: &Sealed) -> (u64, usize) {
    let files = fs::read_dir(sealed.state().join("journal")).unwrap();
    let sizes: Vec<u64> = files.map(|file| file.unwrap().metadata().unwrap().len()).collect();
    (sizes.iter().sum(), sizes.len())
}

#[test]
fn journal_is_kept_to_the_size_that_the_file_says() {
    const MIB: u64 = 1024 * 1024;
    let sealed = Sealed::in_memory();
    write(&sealed, "history.keep_journal = \"32MiB\"\n");
    sealed.ok(&["list"]);
    let current = sealed.state().join("journal/current.jsonl");
    let line = [vec![b'x'; usize::try_from(MIB).unwrap()], vec![b'\n']].concat();
    // Each time a little more than a segment holds.
    for round in 1..=5 {
        let mut file = fs::OpenOptions::new().create(true).append(true).open(&current).unwrap();
        (0..17).for_each(|_| file.write_all(&line).unwrap());
        drop(file);
        sealed.wait(&format!("the end of segment {round}"), |sealed| {
            sealed.ok(&["list"]);
            (!current.exists()).then_some(())
        });
    }
    // Without it, 85 MiB.
    let (bytes, files) = journal(&sealed);
    assert!(bytes <= (32 + 17) * MIB, "{bytes} bytes in {files} files");
}

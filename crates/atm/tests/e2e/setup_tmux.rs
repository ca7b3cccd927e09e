//! The tmux part of `atm setup` with real servers, each in the sealed world: what the user had goes on
//! working, ours is there at once and after a restart, and it comes out without a trace.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::sealed::Sealed;
use crate::setup::{ATM, error_of, fresh, names};

/// Own hooks on the events that we use, a theme, a key.
const THEME: &str = r##"# my theme
set -g status-style bg=black,fg=white
setw -g window-status-format " #I:#W "
setw -g window-status-current-format "#[fg=yellow] #I:#W;"
set -g status-right "%H:%M"
set-hook -g session-window-changed 'set -g @visited mine'
set-hook -g pane-focus-in[3] 'display-message "mine too"'
bind r source-file ~/.tmux.conf \; display-message reloaded
"##;

/// A server in the sealed world; ends with the value.
struct Tmux<'s> {
    sealed: &'s Sealed,
    /// Of its socket; with a `/`, its path.
    name: &'s str,
}

impl<'s> Tmux<'s> {
    /// Reads what a tmux of this user reads.
    fn start(sealed: &'s Sealed, name: &'s str) -> Tmux<'s> {
        Tmux::with(sealed, name, &[])
    }

    fn with(sealed: &'s Sealed, name: &'s str, flags: &[&str]) -> Tmux<'s> {
        let server = Tmux { sealed, name };
        let args = ["new-session", "-d", "-x", "80", "-y", "24", "exec sleep 600"];
        let output = server.command().args(flags).args(args).output().unwrap();
        assert!(output.status.success(), "{}", error_of(&output));
        server
    }

    fn command(&self) -> Command {
        let mut command = self.sealed.command("tmux");
        command.args([if self.name.contains('/') { "-S" } else { "-L" }, self.name]);
        command
    }

    fn ask(&self, args: &[&str]) -> String {
        let output = self.command().args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", error_of(&output));
        String::from_utf8(output.stdout).unwrap().trim_end_matches('\n').to_owned()
    }

    /// Everything that setup could have changed.
    fn state(&self) -> [String; 4] {
        [
            ["show-hooks", "-g"],
            ["show-hooks", "-gw"],
            ["show-options", "-g"],
            ["show-options", "-gw"],
        ]
        .map(|args| self.ask(&args))
    }

    fn hooks(&self) -> Vec<String> {
        let [session, window, ..] = self.state();
        let lines = session.lines().chain(window.lines()).filter(|line| line.contains("[8731]"));
        lines.map(|line| line.split('[').next().unwrap().to_owned()).collect()
    }

    fn format(&self, option: &str) -> String {
        self.ask(&["show-options", "-gv", option])
    }
}

impl Drop for Tmux<'_> {
    fn drop(&mut self) {
        self.command().arg("kill-server").output().ok();
    }
}

const HOOKS: [&str; 8] = [
    "client-attached",
    "client-session-changed",
    "session-window-changed",
    "window-linked",
    "window-unlinked",
    "pane-focus-in",
    "window-layout-changed",
    "window-pane-changed",
];

fn conf(sealed: &Sealed) -> PathBuf {
    sealed.home().join(".tmux.conf")
}

fn with_conf(text: &str) -> Sealed {
    let sealed = fresh();
    fs::write(conf(&sealed), text).unwrap();
    sealed
}

#[test]
fn tmux_of_the_user_goes_on_as_before_with_ours_beside_and_without_it_again() {
    let sealed = with_conf(THEME);
    let [main, other] = ["default", "other"].map(|name| Tmux::start(&sealed, name));
    let before = [main.state(), other.state()];
    let said = sealed.ok(&["setup", "--yes", "--only", "tmux"]);
    assert!(said.contains("2 running tmux servers"), "{said}");
    for server in [&main, &other] {
        assert_eq!(server.hooks(), HOOKS);
        // The user's key, twice.
        server.ask(&["source-file", conf(&sealed).to_str().unwrap()]);
        server.ask(&["source-file", conf(&sealed).to_str().unwrap()]);
        assert_eq!(server.hooks(), HOOKS);
        assert_eq!(server.format("window-status-format"), " #I:#W #{E:@atm_window_label}");
        let current = "#[fg=yellow] #I:#W;#{E:@atm_window_label}";
        assert_eq!(server.format("window-status-current-format"), current);
        assert!(server.format("pane-border-format").ends_with("\"#{E:@atm_pane_label}"));
        assert_eq!(server.format("status-right"), "%H:%M");
        let hooks = server.ask(&["show-hooks", "-g"]);
        assert!(hooks.contains("session-window-changed[0] set-option -g @visited mine"), "{hooks}");
        server.ask(&["new-window", "exec sleep 600"]);
        assert_eq!(server.format("@visited"), "mine");
        server.ask(&["set-option", "-gu", "@visited"]);
        server.ask(&["kill-window"]);
    }
    let started_later = Tmux::start(&sealed, "later");
    assert_eq!(started_later.hooks(), HOOKS);
    assert!(sealed.ok(&["setup", "--only", "tmux"]).starts_with("already set up: tmux"));
    for server in [&main, &other] {
        server.ask(&["set-option", "-gu", "@visited"]);
    }
    let said = sealed.ok(&["uninstall", "--yes"]);
    assert_eq!(said.matches("\ntaken out of the running tmux").count(), 3, "{said}");
    assert_eq!([main.state(), other.state()], before);
    assert_eq!(started_later.state(), before[0]);
    assert_eq!(fs::read_to_string(conf(&sealed)).unwrap(), THEME);
    assert_eq!(names(&sealed.home()), [".tmux.conf"]);
}

#[test]
fn tmux_labels_show_what_is_written_into_panes() {
    let sealed = fresh();
    sealed.ok(&["setup", "--yes", "--only", "tmux"]);
    let server = Tmux::start(&sealed, "default");
    server.ask(&["split-window", "-d", "exec sleep 600"]);
    let label =
        |pane: &str| server.ask(&["display-message", "-p", "-t", pane, "#{E:@atm_pane_label}"]);
    let tab = || server.ask(&["display-message", "-p", "-t", "%0", "#{E:window-status-format}"]);
    let set = |name: &str, value: &str| server.ask(&["set-option", "-p", "-t", "%1", name, value]);
    assert_eq!((label("%1"), tab().contains('⏸')), (String::new(), false));
    set("@meta.claude.session_id", "0123456789abcdef");
    assert_eq!(label("%1"), " 01234567 [■]");
    for (status, mark) in [("running", "[▶]"), ("stopped", "[⏸]"), ("odd", "[?]")] {
        set("@meta.claude.status", status);
        assert_eq!(label("%1"), format!(" 01234567 {mark}"));
        assert_eq!(tab().ends_with("(⏸)"), status == "stopped", "{}", tab());
    }
    set("@meta.claude.session_id", "#[fg=red]x");
    assert_eq!(label("%1"), " ##[fg=red [?]");
    assert_eq!(label("%0"), "");
}

/// What is told has gone through tmux's parser twice, through its formats and through a shell.
#[test]
fn tmux_runs_an_atm_with_any_name_from_a_configuration_with_any_name() {
    let sealed = fresh();
    let odd = sealed.path().join("it's ~ \"new\"\n  #1 #[x] #{y} $HOME ; *?[z] \\ %d é");
    fs::create_dir(&odd).unwrap();
    let moved = odd.join("atm");
    fs::copy(ATM, &moved).unwrap();
    let server = Tmux::start(&sealed, "default");
    let run = |command: &str| {
        let mut atm = sealed.command(&moved);
        let output = atm.args([command, "--yes"]).env("ATM_CONFIG_DIR", &odd).output().unwrap();
        assert!(output.status.success(), "{}", error_of(&output));
    };
    run("setup");
    assert_eq!(fs::read_to_string(conf(&sealed)).unwrap().lines().count(), 1);
    let told = sealed.path().join("told");
    let script = format!("#!/bin/sh\necho \"$@\" >> {}\nexit 3\n", told.display());
    fs::rename(&moved, odd.join("real")).unwrap();
    fs::write(&moved, script).unwrap();
    fs::set_permissions(&moved, fs::Permissions::from_mode(0o755)).unwrap();
    // One that had it loaded at once, and one that reads it at its start.
    for (server, name) in [(server, "default"), (Tmux::start(&sealed, "later"), "later")] {
        fs::remove_file(&told).ok();
        let window = server.ask(&["new-window", "-P", "-F", "#{window_id}", "exec sleep 600"]);
        let expected = format!("visit session-window-changed {window} ");
        sealed.wait(name, |_| {
            let heard = fs::read_to_string(&told).unwrap_or_default();
            heard.contains(&expected).then_some(())
        });
        assert_eq!(server.ask(&["display-message", "-p", "#{pane_in_mode}"]), "0");
    }
    fs::rename(odd.join("real"), &moved).unwrap();
    run("uninstall");
    assert_eq!((names(&odd), conf(&sealed).exists()), (vec!["atm".to_owned()], false));
}

#[test]
fn tmux_line_goes_where_tmux_reads_it() {
    let check = |there: &[&str], xdg: Option<&str>, expected: &str| {
        let sealed = fresh();
        for file in there {
            let path = sealed.home().join(file);
            if file.ends_with('/') {
                fs::create_dir_all(path).unwrap();
            } else {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, "set -g @mine 1\n").unwrap();
            }
        }
        let mut atm = sealed.command(ATM);
        atm.args(["setup", "--yes", "--only", "tmux"]).env("ATM_CONFIG_DIR", sealed.path());
        let mut tmux = Tmux { sealed: &sealed, name: "default" }.command();
        if let Some(xdg) = xdg {
            atm.env("XDG_CONFIG_HOME", sealed.home().join(xdg));
            tmux.env("XDG_CONFIG_HOME", sealed.home().join(xdg));
        }
        assert!(atm.output().unwrap().status.success());
        let text = fs::read_to_string(sealed.home().join(expected)).unwrap_or_default();
        assert!(text.contains("source-file"), "{there:?} {xdg:?}: {expected}: {text}");
        let _server = Tmux { sealed: &sealed, name: "default" };
        assert!(
            tmux.args(["new-session", "-d", "exec sleep 600"]).output().unwrap().status.success()
        );
        assert_eq!(Tmux { sealed: &sealed, name: "default" }.hooks(), HOOKS, "{there:?}");
    };
    check(&[], None, ".tmux.conf");
    check(&[".config/tmux/tmux.conf"], None, ".config/tmux/tmux.conf");
    check(&[".tmux.conf", ".config/tmux/tmux.conf"], None, ".config/tmux/tmux.conf");
    check(&[".tmux.conf", ".config/tmux/"], None, ".tmux.conf");
    check(&[".config/tmux/"], None, ".config/tmux/tmux.conf");
    check(&["x/tmux/tmux.conf"], Some("x"), "x/tmux/tmux.conf");
    check(&["x/tmux/"], Some("x"), "x/tmux/tmux.conf");
}

#[test]
fn tmux_line_goes_into_the_file_that_the_running_server_read() {
    let sealed = fresh();
    // What a tool started for itself says nothing about the user.
    let tool = sealed.path().join("tool.conf");
    fs::write(&tool, "").unwrap();
    let _tool = Tmux::with(&sealed, "a-tool", &["-f", tool.to_str().unwrap()]);
    sealed.ok(&["setup", "--yes", "--only", "tmux"]);
    assert_eq!((fs::read(&tool).unwrap().len(), conf(&sealed).exists()), (0, true));
    sealed.ok(&["uninstall", "--yes"]);
    let own = sealed.path().join("own.conf");
    fs::write(&own, "set -g @mine 1\n").unwrap();
    let _server = Tmux::with(&sealed, "default", &["-f", own.to_str().unwrap()]);
    sealed.ok(&["setup", "--yes", "--only", "tmux"]);
    assert!(fs::read_to_string(&own).unwrap().contains("source-file"));
    assert_eq!((fs::read(&tool).unwrap().len(), conf(&sealed).exists()), (0, false));
    sealed.ok(&["uninstall", "--yes"]);
    assert_eq!(fs::read_to_string(&own).unwrap(), "set -g @mine 1\n");
}

#[test]
fn tmux_configuration_of_any_shape_works_and_comes_back_byte_for_byte() {
    let texts = [
        "set -g @mine 1",
        "set -g @mine 1 # c \\",
        "set -g @mine \\\n",
        "set -g @mine 1 # c\r\nset -g @mine 2 # c\r\n",
        "",
        "\n\n",
        "if-shell true {\n  set -g @mine 1\n}",
    ];
    for text in texts {
        let sealed = with_conf(text);
        fs::set_permissions(conf(&sealed), fs::Permissions::from_mode(0o640)).unwrap();
        sealed.ok(&["setup", "--yes"]);
        let server = Tmux::start(&sealed, "default");
        assert_eq!(server.hooks(), HOOKS, "{text:?}");
        let mode = fs::metadata(conf(&sealed)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o640);
        sealed.ok(&["uninstall", "--yes"]);
        assert_eq!(fs::read_to_string(conf(&sealed)).unwrap(), text);
        assert_eq!(names(&sealed.home()), [".tmux.conf"]);
    }
}

#[test]
fn tmux_line_that_was_moved_or_followed_is_still_found() {
    let sealed = with_conf("set -g @mine 1");
    sealed.ok(&["setup", "--yes"]);
    let text = fs::read_to_string(conf(&sealed)).unwrap();
    let line = text.lines().last().unwrap();
    fs::write(conf(&sealed), format!("  {line}\nset -g @mine 1\nset -g @more 2\n")).unwrap();
    assert!(sealed.ok(&["setup"]).contains("already set up: tmux"));
    // Also to another of the user's files, and with the ledger lost.
    let xdg = sealed.home().join(".config/tmux");
    fs::create_dir_all(&xdg).unwrap();
    fs::write(xdg.join("tmux.conf"), format!("{line}\n# mine\n")).unwrap();
    fs::remove_file(sealed.state().join("setup.json")).unwrap();
    sealed.ok(&["uninstall", "--yes"]);
    assert_eq!(fs::read_to_string(conf(&sealed)).unwrap(), "set -g @mine 1\nset -g @more 2\n");
    assert_eq!(fs::read_to_string(xdg.join("tmux.conf")).unwrap(), "# mine\n");
    assert!(!sealed.home().join(".config/atm/tmux.conf").exists());
}

#[test]
fn tmux_configuration_that_is_a_link_is_written_through_it() {
    let sealed = fresh();
    let dotfiles = sealed.home().join("dotfiles");
    fs::create_dir(&dotfiles).unwrap();
    symlink("dotfiles/tmux", conf(&sealed)).unwrap();
    for before in [None, Some("set -g @mine 1\n")] {
        if let Some(text) = before {
            fs::write(dotfiles.join("tmux"), text).unwrap();
        }
        sealed.ok(&["setup", "--yes", "--only", "tmux"]);
        assert!(fs::read_to_string(dotfiles.join("tmux")).unwrap().contains("source-file"));
        sealed.ok(&["uninstall", "--yes"]);
        assert_eq!(fs::read_to_string(dotfiles.join("tmux")).ok().as_deref(), before);
        assert!(conf(&sealed).is_symlink());
    }
}

#[test]
fn tmux_part_that_cannot_be_done_says_why_and_the_others_go_on() {
    let check = |damage: &dyn Fn(&Path), words: &str| {
        let sealed = with_conf("set -g @mine 1\n");
        damage(&sealed.home());
        let output = sealed.atm(&["setup", "--yes"]);
        let error = error_of(&output);
        assert!(output.status.code() == Some(1) && error.contains(words), "{words}: {error}");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("set up: 29 hooks") && !said.contains("set up: tmux"), "{said}");
        assert!(crate::setup::settings(&sealed).exists());
    };
    let conf = |home: &Path| home.join(".tmux.conf");
    let read_only = fs::Permissions::from_mode(0o444);
    check(&|home| fs::set_permissions(conf(home), read_only.clone()).unwrap(), "is read-only");
    check(
        &|home| {
            fs::remove_file(conf(home)).unwrap();
            fs::create_dir(conf(home)).unwrap();
        },
        "is a directory",
    );
    check(&|home| fs::write(conf(home), b"\n# \xff\n").unwrap(), "line 2: this is not UTF-8");
    check(
        &|home| {
            fs::create_dir_all(home.join(".config/atm")).unwrap();
            fs::write(home.join(".config/atm/tmux.conf"), "mine\n").unwrap();
        },
        "was not made by atm",
    );
    check(&|home| fs::write(home.join(".config"), "").unwrap(), "cannot read");
}

#[test]
fn tmux_that_is_missing_or_too_old_is_left_out_with_a_word() {
    let setup = |sealed: &Sealed, args: &[&str]| {
        let mut atm = sealed.command(ATM);
        // Nothing but what the test put there.
        let output =
            atm.args(["setup", "--yes"]).args(args).env("PATH", sealed.programs()).output();
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), said, error_of(&output))
    };
    for (script, words) in [
        (None, "no tmux was found"),
        (Some("echo 'tmux 2.9a'"), "tmux 2.9a is too old"),
        (Some("/bin/sleep 60"), "still running"),
    ] {
        let sealed = fresh();
        if let Some(script) = script {
            sealed.put_program("tmux", script);
        }
        let (code, said, error) = setup(&sealed, &["--only", "tmux"]);
        assert!(code == Some(1) && error.contains(words), "{words}: {error} {said}");
        assert!(names(&sealed.home()).is_empty());
        let (code, said, error) = setup(&sealed, &[]);
        assert!(said.contains(words) && said.contains("set up: 29 hooks"), "{words}: {said}");
        assert_eq!((code, error.as_str()), (Some(0), ""));
        assert_eq!(names(&sealed.home()), [".claude"]);
    }
    let sealed = fresh();
    sealed.put_program("tmux", "[ \"$1\" = -V ] && echo 'tmux 3.1c'");
    let (code, said, _) = setup(&sealed, &[]);
    assert!(code == Some(0) && said.contains("note: this is tmux 3.1c: below 3.2"), "{said}");
    assert!(said.contains("set up: tmux"), "{said}");
}

#[test]
fn tmux_server_that_has_ended_is_passed_over_and_none_is_started() {
    let sealed = with_conf(THEME);
    let server = Tmux::start(&sealed, "default");
    let socket = PathBuf::from(server.ask(&["display-message", "-p", "#{socket_path}"]));
    let pid: i32 = server.ask(&["display-message", "-p", "#{pid}"]).parse().unwrap();
    crate::stage::signal(pid, rustix::process::Signal::KILL);
    sealed
        .wait("the server's end", |_| (!Path::new(&format!("/proc/{pid}")).exists()).then_some(()));
    assert!(socket.exists());
    let said = sealed.ok(&["setup", "--yes", "--only", "tmux"]);
    assert!(!said.contains("running tmux"), "{said}");
    assert!(!server.command().arg("list-sessions").output().unwrap().status.success());
}

#[test]
fn tmux_servers_with_sockets_elsewhere_are_found_by_their_terminal_and_by_the_daemon() {
    let sealed = fresh();
    let socket = |name: &str| format!("{}/{name},sock", sealed.path().display());
    let sockets = ["own", "known", "unknown"].map(socket);
    let servers = sockets.each_ref().map(|socket| Tmux::start(&sealed, socket));
    let [own, known, _] = &servers;
    let inside = |server: &Tmux<'_>, format: &str| server.ask(&["display-message", "-p", format]);
    let pid = inside(known, "#{pane_pid}").parse().unwrap();
    let variable = "#{socket_path},#{pid},0";
    let env = [("TMUX", inside(known, variable)), ("TMUX_PANE", inside(known, "#{pane_id}"))];
    let start = json!({"hook_event_name": "SessionStart", "session_id": "s-known"});
    sealed.hook_from(pid, &env, &start);
    sealed.wait("the session's pane", |sealed| {
        sealed.session_of(pid)?["tmux"]["socket"].as_str().map(drop)
    });
    for (command, expected) in [("setup", [true, true, false]), ("uninstall", [false; 3])] {
        let mut atm = sealed.command(ATM);
        let output = atm.args([command, "--yes"]).env("TMUX", inside(own, variable)).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{}", error_of(&output));
        let found = servers.each_ref().map(|server| !server.hooks().is_empty());
        assert_eq!(found, expected, "{command}");
    }
}

/// A test in a home of its own must not reach the servers of the user who runs it.
#[test]
fn tmux_server_of_another_home_is_left_alone() {
    let sealed = fresh();
    let server = Tmux { sealed: &sealed, name: "default" };
    let mut start = server.command();
    start
        .args(["-f", "/dev/null", "new-session", "-d", "exec sleep 600"])
        .env("HOME", sealed.path());
    assert!(start.output().unwrap().status.success());
    let before = server.state();
    sealed.ok(&["setup", "--yes"]);
    assert_eq!(server.state(), before);
    assert!(fs::read_to_string(conf(&sealed)).unwrap().contains("source-file"));
}

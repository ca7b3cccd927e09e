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
bind N display-message mine
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
    fn state(&self) -> [String; 5] {
        [
            ["show-hooks", "-g"],
            ["show-hooks", "-gw"],
            ["show-options", "-g"],
            ["show-options", "-gw"],
            ["list-keys", "-Tprefix"],
        ]
        .map(|args| self.ask(&args))
    }

    /// The same, and everything that the daemon could have changed.
    fn dump(&self) -> Vec<String> {
        let mut dump = self.state().to_vec();
        for window in self.ask(&["list-windows", "-aF", "#{window_id}"]).lines() {
            dump.push(self.ask(&["show-options", "-w", "-t", window]));
        }
        for pane in self.ask(&["list-panes", "-aF", "#{pane_id}"]).lines() {
            dump.push(self.ask(&["show-options", "-p", "-t", pane]));
        }
        dump
    }

    /// What a prefix key does.
    fn key(&self, name: &str) -> String {
        let keys = self.ask(&["list-keys", "-T", "prefix"]);
        let is_it = |line: &&str| line.split_whitespace().nth(3) == Some(name);
        keys.lines().find(is_it).unwrap_or_default().to_owned()
    }

    fn hooks(&self) -> Vec<String> {
        let [session, window, ..] = self.state();
        let lines = session.lines().chain(window.lines()).filter(|line| line.contains("[8731]"));
        let mut names: Vec<String> =
            lines.map(|line| line.split('[').next().unwrap().to_owned()).collect();
        names.sort_unstable();
        names
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

/// All that the core knows, by name.
fn all_hooks() -> Vec<String> {
    let mut names: Vec<String> =
        atm_core::project::hooks().iter().map(|hook| hook.name.to_owned()).collect();
    names.sort_unstable();
    names
}

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
        assert_eq!(server.hooks(), all_hooks());
        // The user's key, twice.
        server.ask(&["source-file", conf(&sealed).to_str().unwrap()]);
        server.ask(&["source-file", conf(&sealed).to_str().unwrap()]);
        assert_eq!(server.hooks(), all_hooks());
        assert_eq!(server.format("window-status-format"), " #I:#W #{E:@atm_window_label}");
        let current = "#[fg=yellow] #I:#W;#{E:@atm_window_label}";
        assert_eq!(server.format("window-status-current-format"), current);
        assert!(server.format("pane-border-format").ends_with("\"#{E:@atm_pane_label}"));
        assert_eq!(server.format("status-right"), "%H:%M");
        assert!(server.key("a").contains("display-popup -E"), "{}", server.key("a"));
        assert!(server.key("B").contains("jump --last --client '#{client_name}'"));
        assert!(server.key("N").ends_with("display-message mine"), "{}", server.key("N"));
        let hooks = server.ask(&["show-hooks", "-g"]);
        assert!(hooks.contains("session-window-changed[0] set-option -g @visited mine"), "{hooks}");
        server.ask(&["new-window", "exec sleep 600"]);
        assert_eq!(server.format("@visited"), "mine");
        server.ask(&["set-option", "-gu", "@visited"]);
        server.ask(&["kill-window"]);
    }
    let started_later = Tmux::start(&sealed, "later");
    assert_eq!(started_later.hooks(), all_hooks());
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
        assert_eq!(Tmux { sealed: &sealed, name: "default" }.hooks(), all_hooks(), "{there:?}");
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
        assert_eq!(server.hooks(), all_hooks(), "{text:?}");
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

/// Two windows, one with a style of its own, each with a session; the first was visited.
fn paint(sealed: &Sealed, server: &Tmux<'_>) {
    let list = server.ask(&["list-panes", "-aF", crate::stage::PANE]);
    for (index, pane) in list.lines().map(crate::stage::Pane::parse).enumerate() {
        let session = format!("s-{index}");
        for event in ["SessionStart", "UserPromptSubmit"] {
            let payload = json!({"hook_event_name": event, "session_id": session, "prompt": "x"});
            sealed.hook_from(pane.pid, &pane.env(), &payload);
        }
        sealed.wait("its colour", |_| {
            let style =
                server.ask(&["show-options", "-wqv", "-t", &pane.id, "window-status-style"]);
            style.contains("fg=#6699cc").then_some(())
        });
    }
}

#[test]
fn tmux_with_painted_windows_is_after_uninstall_as_it_was_before_setup() {
    for daemon in ["running", "stopped"] {
        let sealed = with_conf(THEME);
        let server = Tmux::start(&sealed, "default");
        server.ask(&["new-window", "-d", "exec sleep 600"]);
        server.ask(&["set-option", "-w", "-t", ":1", "window-status-style", "fg=red"]);
        let before = server.dump();
        sealed.ok(&["setup", "--yes", "--only", "tmux"]);
        paint(&sealed, &server);
        assert_eq!(server.format("@atm_status"), "#[fg=#6699cc]▶ 2#[default]");
        if daemon == "stopped" {
            sealed.ok(&["daemon", "stop"]);
        }
        let said = sealed.ok(&["uninstall", "--yes"]);
        assert!(said.contains("taken out of the running tmux"), "{said}");
        assert_eq!(server.dump(), before, "{daemon}");
        // Nothing comes back by itself.
        sealed.ok(&["list"]);
        assert_eq!(server.dump(), before, "{daemon}");
        assert!(sealed.ok(&["uninstall", "--yes"]).contains("nothing of atm is set up"));
        // And all of it at once.
        sealed.ok(&["setup", "--yes", "--only", "tmux"]);
        assert_eq!(server.format("@atm_status"), "#[fg=#6699cc]▶ 2#[default]");
        sealed.ok(&["uninstall", "--yes", "--purge"]);
        assert_eq!(server.dump(), before, "{daemon}");
        assert!(!sealed.state().exists());
    }
}

#[test]
fn setup_that_is_done_already_brings_back_what_the_server_has_lost() {
    let sealed = fresh();
    let server = Tmux::start(&sealed, "default");
    sealed.ok(&["setup", "--yes", "--only", "tmux"]);
    paint(&sealed, &server);
    server.ask(&["set-option", "-wu", "-t", "%0", "window-status-style"]);
    let said = sealed.ok(&["setup", "--only", "tmux"]);
    assert!(said.starts_with("already set up"), "{said}");
    let style = server.ask(&["show-options", "-wqv", "-t", "%0", "window-status-style"]);
    assert_eq!(style, "fg=#6699cc");
}

#[test]
fn keys_and_labels_follow_the_configuration() {
    let sealed = fresh();
    let server = Tmux::start(&sealed, "default");
    let before = server.key("a");
    let configure = |text: &str| {
        fs::create_dir_all(sealed.home().join(".config/atm")).unwrap();
        fs::write(sealed.home().join(".config/atm/config.toml"), text).unwrap();
        sealed.ok(&["setup", "--yes", "--only", "tmux"]);
    };
    configure("tmux.glyphs = \"ascii\"\n");
    assert!(server.format("@atm_window_label").contains("(=)"));
    assert!(["a", "N", "B"].iter().all(|key| server.key(key).contains("exec '")));
    configure("[tmux]\nkey_bindings = false\npane_label = false\nwindow_label = false\n");
    assert!(["a", "N", "B"].iter().all(|key| server.key(key) == before));
    let label = |name| server.ask(&["show-options", "-gqv", name]);
    assert_eq!((label("@atm_window_label"), label("@atm_pane_label")), Default::default());
}

/// As TPM does it: runs what is executable in the plugin's folder.
#[test]
fn plugin_of_tmux_sets_up_its_server_and_nothing_else() {
    let sealed = with_conf(THEME);
    let server = Tmux::start(&sealed, "default");
    let other = Tmux::start(&sealed, "other");
    let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../atm.tmux");
    let bin = sealed.home().join(".local/bin");
    fs::create_dir_all(&bin).unwrap();
    symlink(ATM, bin.join("atm")).unwrap();
    for _ in 0..2 {
        server.ask(&["run-shell", plugin.to_str().unwrap()]);
        assert_eq!((server.hooks(), other.hooks()), (all_hooks(), vec![]));
        assert_eq!(server.ask(&["display-message", "-p", "#{pane_in_mode}"]), "0");
    }
    assert_eq!(fs::read_to_string(conf(&sealed)).unwrap(), THEME);
    sealed.ok(&["uninstall", "--yes"]);
    assert_eq!((server.hooks(), server.state()), (vec![], other.state()));
    assert_eq!(names(&sealed.home()), [".local", ".tmux.conf"]);
}

#[test]
fn plugin_of_tmux_without_atm_says_what_to_do() {
    let sealed = with_conf("set -g display-time 0\n");
    let server = Tmux::start(&sealed, "default");
    let eye = crate::tmux::eye::Eye::attach(&sealed, "default", "0");
    sealed.wait("the client", |_| eye.status_line().contains("0:").then_some(()));
    let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../atm.tmux");
    server.ask(&["run-shell", "-b", plugin.to_str().unwrap()]);
    sealed
        .wait("the message", |_| eye.status_line().contains("atm is not installed").then_some(()));
}

#[test]
fn setup_here_is_for_tmux_alone_and_needs_one() {
    let sealed = fresh();
    let (code, error) = sealed.fails(&["setup", "--here"]);
    assert!(code == 2 && error.contains("--only tmux --here"), "{error}");
    let (code, error) = sealed.fails(&["setup", "--only", "tmux", "--here"]);
    assert!(code == 1 && error.contains("no pane of a tmux server"), "{error}");
    assert!(names(&sealed.home()).is_empty());
}

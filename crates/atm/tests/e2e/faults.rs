//! Things go wrong around atm: it says so, hurts nobody, and goes on when it can.

mod clients;
pub(crate) mod disk;
mod silence;
mod state_dir;
mod store;

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};
use std::{fs, io};

use crate::sealed::Sealed;

/// A user who is nobody in particular.
const NOBODY: u32 = 65534;

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
fn skip(why: &str) {
    eprintln!("SKIPPED: {why}");
}

/// The program as another user would run it; `None`, and said so, where that cannot be done.
fn as_nobody(sealed: &Sealed) -> Option<Command> {
    let has_setpriv = ["/usr/bin/setpriv", "/bin/setpriv"].iter().any(|p| fs::exists(p).unwrap());
    if !is_root() || !has_setpriv {
        skip("only root with setpriv can be another user");
        return None;
    }
    let program = sealed.path().join("atm");
    if !program.exists() {
        // Not by ourselves: a file that any process has open for writing cannot be run.
        let mut copy = sealed.command("/bin/cp");
        assert!(copy.arg(env!("CARGO_BIN_EXE_atm")).arg(&program).status().unwrap().success());
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(sealed.path(), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut command = sealed.command("setpriv");
    let user = NOBODY.to_string();
    command.args(["--reuid", &user, "--regid", &user, "--clear-groups"]).arg(program);
    Some(command)
}

/// The program as a user whom permissions bind.
fn as_mortal(sealed: &Sealed) -> Option<Command> {
    if is_root() { as_nobody(sealed) } else { Some(sealed.command(env!("CARGO_BIN_EXE_atm"))) }
}

/// What a program said; it has to end by itself.
fn finish(command: &mut Command) -> Output {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    Sealed::finish(child)
}

/// Runs `atm hook` by way of `command`, which must be silent and succeed.
fn hook_quietly(command: Command) {
    hook_with(command, br#"{"hook_event_name":"Stop","session_id":"dddd-0000"}"#);
}

fn hook_with(mut command: Command, payload: &[u8]) {
    command.arg("hook").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    match io::Write::write_all(&mut child.stdin.take().unwrap(), payload) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => panic!("{error}"),
        _ => {}
    }
    assert_quiet(&Sealed::finish(child));
}

fn assert_quiet(hook: &Output) {
    let told = (hook.status.code(), hook.stdout.as_slice(), hook.stderr.as_slice());
    assert_eq!(told, (Some(0), &b""[..], &b""[..]));
}

/// What a command said that failed with `code`: `error:` and `hint:`.
fn assert_told(output: &Output, code: i32) -> String {
    let error = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(code), "{error}");
    assert!(error.contains("error: ") && error.contains("hint: "), "{error}");
    assert_eq!(output.stdout, b"", "{error}");
    error
}

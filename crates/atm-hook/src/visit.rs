//! `atm visit`: what hooks of tmux run when somebody comes to a window or panes move. It tells the
//! daemon, if there is one, and waits for no answer.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::process::ExitCode;

use atm_core::places::Places;
use atm_core::proto::message::{Request, encode_request};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, connect, socket};

use crate::Env;
use crate::poke::at_address;

/// Handles `atm visit EVENT WINDOW_ID [CLIENT]`. Prints nothing and exits 0 whatever happens: tmux
/// would show the user what it says.
pub fn visit(words: impl Iterator<Item = OsString>) -> ExitCode {
    set_hook(Box::new(|_| {}));
    let words: Vec<String> = words.filter_map(|word| word.into_string().ok()).collect();
    let tell = || tell(&words, &|name| std::env::var_os(name));
    // Nobody there is as good as told: there is nothing to dismiss.
    drop(catch_unwind(AssertUnwindSafe(tell)));
    ExitCode::SUCCESS
}

fn tell(words: &[String], env: Env<'_>) -> Option<()> {
    let request = request(words, env("TMUX")?.to_str()?)?;
    let bytes = encode_request(&request).ok()?;
    let places = Places::resolve(env).ok()?;
    let mut stream = at_address(&places.socket(), |path| {
        let stream = UnixStream::from(socket(AddressFamily::UNIX, SocketType::STREAM, None)?);
        stream.set_nonblocking(true)?;
        connect(&stream, &SocketAddrUnix::new(path)?)?;
        Ok::<_, io::Error>(stream)
    });
    // A daemon that hangs has a full queue of callers: then not one more waits.
    stream.as_mut().ok()?.write_all(&bytes).ok()
}

fn request(words: &[String], tmux: &str) -> Option<Request> {
    let [event, window, rest @ ..] = words else { return None };
    // `socket,server pid,session`
    let socket = tmux.rsplitn(3, ',').nth(2)?.to_owned();
    let client = rest.first().cloned();
    Some(Request::Visit { socket, window: window.clone(), client, event: event.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visit_names_the_server_it_comes_from() {
        let words = ["client-attached", "@3", "$1"].map(str::to_owned);
        let expected = Request::Visit {
            socket: "/tmp/a,b".into(),
            window: "@3".into(),
            client: Some("$1".into()),
            event: "client-attached".into(),
        };
        assert_eq!(request(&words, "/tmp/a,b,12,0"), Some(expected));
        assert_eq!(request(&words[..1], "/tmp/a,12,0"), None);
        assert_eq!(request(&words, "nonsense"), None);
    }
}

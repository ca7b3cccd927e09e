//! A daemon for tests: a listener in a temporary directory, played by a thread.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::thread::{self, JoinHandle};

use atm_core::places::Places;
use atm_core::proto::message::{Reply, Request, decode_request, encode_reply};
use tempfile::TempDir;

pub(crate) struct Fake {
    dir: TempDir,
    listener: UnixListener,
}

/// One connection, seen from the daemon.
pub(crate) struct Peer(UnixStream);

pub(crate) type Script = Box<dyn FnOnce(&mut Peer) + Send>;

impl Fake {
    pub(crate) fn new() -> Fake {
        let dir = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(dir.path().join("atm.sock")).unwrap();
        Fake { dir, listener }
    }

    pub(crate) fn places(&self) -> Places {
        Places { state: self.dir.path().into(), config: self.dir.path().into() }
    }

    pub(crate) fn listener(&self) -> &UnixListener {
        &self.listener
    }

    /// Plays one script per connection, then is gone.
    pub(crate) fn play(self, scripts: Vec<Script>) -> JoinHandle<TempDir> {
        thread::spawn(move || {
            for script in scripts {
                let (stream, _) = self.listener.accept().unwrap();
                script(&mut Peer(stream));
            }
            self.dir
        })
    }
}

/// Takes a request and sends these.
pub(crate) fn answer(replies: Vec<Reply>) -> Script {
    Box::new(move |peer| {
        peer.request();
        replies.iter().for_each(|reply| peer.reply(reply));
    })
}

impl Peer {
    pub(crate) fn request(&mut self) -> Request {
        let mut header = [0; 4];
        self.0.read_exact(&mut header).unwrap();
        let mut body = vec![0; usize::try_from(u32::from_be_bytes(header)).unwrap()];
        self.0.read_exact(&mut body).unwrap();
        decode_request(&body).unwrap()
    }

    pub(crate) fn reply(&mut self, reply: &Reply) {
        self.bytes(&encode_reply(reply).unwrap());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).unwrap();
    }
}

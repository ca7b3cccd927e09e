//! The socket: listener and connections. A bad, slow or foreign client costs its own connection
//! and nothing else.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use atm_core::places::{Places, SOCKET_PATH_MAX};
use atm_core::proto::frame::{self, Check, MAX_REQUEST};
use atm_core::proto::message::{self, MessageError, Refusal, RefusalKind, Reply, Request};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixDatagram, UnixListener, UnixStream};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::timeout;

use crate::RunError;
use crate::archive::Archive;
use crate::subscribers::{self, Next, Sink};

const MAX_CONNECTIONS: usize = 256;
/// A request that has begun must be whole by then, and a client must take its answer by then.
const DEADLINE: Duration = Duration::from_secs(5);
/// A connection without a request is closed after this.
const QUIET: Duration = Duration::from_secs(60);
/// How long an answer waits for tmux to say where the panes are.
const FRESHEN: Duration = Duration::from_millis(150);

/// What connections ask of the dispatcher.
pub(crate) enum Call {
    Ask {
        request: Request,
        answer: oneshot::Sender<Reply>,
    },
    Subscribe(Sink),
    /// Answered once tmux has been asked where the panes are.
    Freshen(oneshot::Sender<()>),
}

pub(crate) struct Sockets {
    pub(crate) listener: UnixListener,
    pub(crate) poke: UnixDatagram,
    /// Keeps a directory with a long path open, see `short`.
    _dir: Option<fs::File>,
}

/// Takes the places of a dead daemon's sockets: we hold the lock, so nobody lives behind them.
pub(crate) fn bind(places: &Places) -> Result<Sockets, RunError> {
    let (socket, poke) = (places.socket(), places.poke_socket());
    let (dir, short_socket, short_poke) =
        short(places).map_err(|source| listen_error(&socket, source))?;
    for path in [&socket, &poke] {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(listen_error(path, error));
            }
            _ => {}
        }
    }
    let listener = UnixListener::bind(&short_socket).map_err(|e| listen_error(&socket, e))?;
    let datagrams = UnixDatagram::bind(&short_poke).map_err(|e| listen_error(&poke, e))?;
    for path in [&socket, &poke] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o600))
            .map_err(|e| listen_error(path, e))?;
    }
    // Whoever finds us dead may start the next one at once.
    drop(fs::remove_file(places.start_mark()));
    Ok(Sockets { listener, poke: datagrams, _dir: dir })
}

fn listen_error(path: &Path, source: io::Error) -> RunError {
    RunError::Listen { path: path.display().to_string(), source }
}

/// A path too long for a socket address is reached through its open directory (Linux).
fn short(places: &Places) -> io::Result<(Option<fs::File>, PathBuf, PathBuf)> {
    use std::os::fd::AsRawFd;
    let (socket, poke) = (places.socket(), places.poke_socket());
    if socket.as_os_str().len().max(poke.as_os_str().len()) <= SOCKET_PATH_MAX {
        return Ok((None, socket, poke));
    }
    let dir = fs::File::open(&places.state)?;
    let base = PathBuf::from(format!("/proc/self/fd/{}", dir.as_raw_fd()));
    let name = |path: &Path| base.join(path.file_name().unwrap_or_default());
    Ok((Some(dir), name(&socket), name(&poke)))
}

pub(crate) fn remove(places: &Places) {
    for path in [places.socket(), places.poke_socket()] {
        // Already gone is as good.
        drop(fs::remove_file(path));
    }
}

pub(crate) async fn accept(listener: UnixListener, calls: mpsc::Sender<Call>, archive: Archive) {
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(slot) = slots.clone().acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // Out of descriptors: others must close theirs first.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let own = rustix::process::geteuid().as_raw();
        if stream.peer_cred().is_ok_and(|peer| peer.uid() == own) {
            let connection = Connection { stream, calls: calls.clone(), archive: archive.clone() };
            tokio::spawn(async move {
                connection.run().await;
                drop(slot);
            });
        }
    }
}

struct Connection {
    stream: UnixStream,
    calls: mpsc::Sender<Call>,
    archive: Archive,
}

/// The connection is of no more use.
struct Over;

impl Connection {
    async fn run(mut self) {
        let mut buffer = Vec::new();
        while let Ok(request) = self.read(&mut buffer).await {
            let done = match request {
                Err(refusal) => self.write(&Reply::Refused(refusal)).await,
                Ok(Request::Subscribe) => return self.stream_changes().await,
                Ok(Request::Follow { who, after }) => return self.stream_events(who, after).await,
                Ok(request) => self.answer(request).await,
            };
            if done.is_err() {
                return;
            }
        }
    }

    async fn read(&mut self, buffer: &mut Vec<u8>) -> Result<Result<Request, Refusal>, Over> {
        let mut limit = QUIET;
        loop {
            match frame::check(buffer, MAX_REQUEST) {
                Err(too_long) => {
                    // Nobody knows where the next request would begin.
                    let refused = Reply::Refused(refusal(&MessageError::TooLong(too_long)));
                    return self.write(&refused).await.and(Err(Over));
                }
                Ok(Check::Whole { start, end }) => {
                    let request = message::decode_request(&buffer[start..end]);
                    buffer.drain(..end);
                    return Ok(request.map_err(|error| refusal(&error)));
                }
                Ok(Check::Incomplete) => {}
            }
            match timeout(limit, self.stream.read_buf(buffer)).await {
                Ok(Ok(n)) if n > 0 => limit = DEADLINE,
                _ => return Err(Over),
            }
        }
    }

    async fn write(&mut self, reply: &Reply) -> Result<(), Over> {
        let frame = subscribers::frame(reply).ok_or(Over)?;
        self.write_frame(&frame).await
    }

    async fn write_frame(&mut self, frame: &[u8]) -> Result<(), Over> {
        match timeout(DEADLINE, self.stream.write_all(frame)).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(Over),
        }
    }

    async fn answer(&mut self, request: Request) -> Result<(), Over> {
        let shows_places = matches!(
            request,
            Request::List { .. }
                | Request::Show { .. }
                | Request::Explain { .. }
                | Request::Jump { .. }
                | Request::Repaint
                | Request::Unpaint
        );
        if shows_places {
            let (done, fresh) = oneshot::channel();
            self.calls.send(Call::Freshen(done)).await.map_err(|_| Over)?;
            // Late news of a pane is better than a late answer.
            drop(timeout(FRESHEN, fresh).await);
        }
        let reply = match request {
            Request::Events { who, after, limit } => {
                self.events(who, after, limit.clamp(1, 10_000)).await?
            }
            request => self.ask(request).await?,
        };
        self.write(&reply).await
    }

    async fn ask(&self, request: Request) -> Result<Reply, Over> {
        let (answer, reply) = oneshot::channel();
        self.calls.send(Call::Ask { request, answer }).await.map_err(|_| Over)?;
        reply.await.map_err(|_| Over)
    }

    /// Asks the dispatcher first: it reads the journal to its end and says whose ids are meant.
    async fn events(
        &self,
        who: Option<String>,
        after: Option<u64>,
        limit: u32,
    ) -> Result<Reply, Over> {
        let reply = self.ask(Request::Events { who, after, limit }).await?;
        Ok(match reply {
            Reply::Session { session } => self.archive.events(Some(*session), after, limit).await,
            Reply::Done => self.archive.events(None, after, limit).await,
            refused => refused,
        })
    }

    async fn stream_changes(mut self) {
        loop {
            let (sink, mut source) = subscribers::pair();
            if self.calls.send(Call::Subscribe(sink)).await.is_err() {
                return;
            }
            loop {
                let next = tokio::select! {
                    next = source.next() => next,
                    () = closed(&self.stream) => return,
                };
                match next {
                    Next::Frame(frame) => {
                        if self.write_frame(&frame).await.is_err() {
                            return;
                        }
                    }
                    Next::Behind => break,
                    Next::Closed => return,
                }
            }
        }
    }

    async fn stream_events(mut self, who: Option<String>, after: Option<u64>) {
        let mut arrivals = self.archive.arrivals();
        let mut after = after.unwrap_or_else(|| *arrivals.borrow());
        loop {
            arrivals.mark_unchanged();
            loop {
                let Ok(reply) = self.events(who.clone(), Some(after), 500).await else { return };
                let count = if let Reply::Events { events } = &reply {
                    after = events.last().map_or(after, |event| event.seq);
                    events.len()
                } else {
                    drop(self.write(&reply).await);
                    return;
                };
                if count > 0 && self.write(&reply).await.is_err() {
                    return;
                }
                if count < 500 {
                    break;
                }
            }
            tokio::select! {
                changed = arrivals.changed() => if changed.is_err() { return },
                () = closed(&self.stream) => return,
            }
        }
    }
}

/// Resolves when the client hangs up. A subscriber has nothing more to say.
async fn closed(stream: &UnixStream) {
    let mut byte = [0_u8; 1];
    loop {
        if stream.readable().await.is_err() {
            return;
        }
        match stream.try_read(&mut byte) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            _ => return,
        }
    }
}

fn refusal(error: &MessageError) -> Refusal {
    let kind = match error {
        MessageError::Version { .. } => RefusalKind::Version,
        MessageError::Garbage(_) | MessageError::TooLong(_) => RefusalKind::BadRequest,
    };
    Refusal { kind, message: error.to_string(), candidates: Vec::new() }
}

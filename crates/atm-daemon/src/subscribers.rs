//! Fan-out of changes. A subscriber that reads too slowly loses single changes and gets a fresh
//! snapshot instead; it never holds up anybody.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use atm_core::proto::message::{self, Reply};
use tokio::sync::mpsc;

/// Messages that may wait for one subscriber.
const QUEUE: usize = 256;

pub(crate) type Frame = Arc<[u8]>;

#[derive(Default)]
pub(crate) struct Subscribers(Vec<Sink>);

/// The dispatcher's end of a subscription.
pub(crate) struct Sink {
    frames: mpsc::Sender<Frame>,
    behind: Arc<AtomicBool>,
}

/// The connection's end.
pub(crate) struct Source {
    frames: mpsc::Receiver<Frame>,
    behind: Arc<AtomicBool>,
}

pub(crate) enum Next {
    Frame(Frame),
    /// Changes were lost: a new subscription starts with a new snapshot.
    Behind,
    Closed,
}

pub(crate) fn pair() -> (Sink, Source) {
    let (sender, frames) = mpsc::channel(QUEUE);
    let behind = Arc::new(AtomicBool::new(false));
    (Sink { frames: sender, behind: behind.clone() }, Source { frames, behind })
}

/// `None` for an answer that cannot be sent; it would be one over the size limit.
pub(crate) fn frame(reply: &Reply) -> Option<Frame> {
    message::encode_reply(reply).ok().map(Frame::from)
}

impl Subscribers {
    pub(crate) fn add(&mut self, sink: Sink, snapshot: &Reply) {
        if let Some(frame) = frame(snapshot) {
            sink.send(&frame);
            self.0.push(sink);
        }
    }

    pub(crate) fn len(&mut self) -> usize {
        self.0.retain(|sink| !sink.frames.is_closed());
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whoever is behind or gone is dropped: a connection that is behind subscribes again.
    pub(crate) fn send(&mut self, reply: &Reply) {
        if let Some(frame) = frame(reply) {
            self.0.retain(|sink| sink.send(&frame));
        }
    }
}

impl Sink {
    fn send(&self, frame: &Frame) -> bool {
        match self.frames.try_send(frame.clone()) {
            Ok(()) => true,
            Err(mpsc::error::TrySendError::Full(_)) => {
                self.behind.store(true, Ordering::Release);
                false
            }
            Err(mpsc::error::TrySendError::Closed(_)) => false,
        }
    }
}

impl Source {
    pub(crate) async fn next(&mut self) -> Next {
        match self.frames.recv().await {
            // What still waits is older than the snapshot to come.
            _ if self.behind.load(Ordering::Acquire) => Next::Behind,
            Some(frame) => Next::Frame(frame),
            None => Next::Closed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "current_thread")]
    async fn subscriber_that_never_reads_is_dropped_and_others_get_everything() {
        let mut subscribers = Subscribers::default();
        let (slow, mut slow_end) = pair();
        let (quick, mut quick_end) = pair();
        subscribers.add(slow, &Reply::Done);
        subscribers.add(quick, &Reply::Done);
        assert!(matches!(quick_end.next().await, Next::Frame(_)));
        for _ in 0..QUEUE * 3 {
            subscribers.send(&Reply::Done);
            assert!(matches!(quick_end.next().await, Next::Frame(_)));
        }
        assert_eq!(subscribers.len(), 1);
        assert!(matches!(slow_end.next().await, Next::Behind));
    }
}

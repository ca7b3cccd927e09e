//! The thread that owns the store. It takes batches from a short queue and never gives one up:
//! what cannot be written now is tried again, and meanwhile no more is taken.

use std::error::Error;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle, park_timeout, sleep};
use std::time::{Duration, Instant};

use super::{Batch, Limits, Store, StoreError};

/// Batches that wait: each holds up to a mebibyte of journal.
const QUEUE: usize = 2;
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// Under a second, so that a disk with room again is noticed at once.
const LONGEST_PAUSE: Duration = Duration::from_millis(800);
/// Rows written between two looks at the size of the database.
const PRUNE_EVERY: usize = 1_000;
const FLUSH_POLL: Duration = Duration::from_millis(2);

enum Job {
    Store(Box<Batch>),
    Barrier(SyncSender<()>),
}

#[derive(Debug)]
struct Trouble {
    text: String,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Worth another try.
    Passing,
    Damage,
}

#[derive(Debug, Default)]
struct Shared {
    stored: AtomicU64,
    trouble: Mutex<Option<Trouble>>,
    limits: Mutex<Limits>,
    closing: AtomicBool,
}

impl Shared {
    fn trouble(&self) -> MutexGuard<'_, Option<Trouble>> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn limits(&self) -> MutexGuard<'_, Limits> {
        self.limits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
pub struct Writer {
    /// Dropped to say that nothing more comes.
    jobs: Option<SyncSender<Job>>,
    thread: Option<JoinHandle<Option<Batch>>>,
    shared: Arc<Shared>,
}

impl Writer {
    /// `stored` is the position that the store holds already. `wake` is called on the writer's
    /// thread after every stored batch and at every sign of trouble.
    pub fn start(
        store: Store,
        stored: u64,
        wake: impl Fn() + Send + 'static,
    ) -> io::Result<Writer> {
        let (jobs, queue) = sync_channel(QUEUE);
        let shared = Arc::new(Shared { stored: AtomicU64::new(stored), ..Shared::default() });
        let desk = Desk { store, shared: Arc::clone(&shared), wake, unpruned: PRUNE_EVERY };
        let thread = thread::Builder::new().name("store".to_owned()).spawn(|| desk.run(queue))?;
        Ok(Writer { jobs: Some(jobs), thread: Some(thread), shared })
    }

    /// Gives the batch back if the queue is full or the store is in trouble; never waits.
    pub fn try_submit(&self, batch: Batch) -> Result<(), Batch> {
        let Some(jobs) = self.jobs.as_ref().filter(|_| self.trouble().is_none()) else {
            return Err(batch);
        };
        jobs.try_send(Job::Store(Box::new(batch))).map_err(|error| {
            let (TrySendError::Full(job) | TrySendError::Disconnected(job)) = error;
            match job {
                Job::Store(batch) => *batch,
                Job::Barrier(_) => unreachable!("a batch was sent"),
            }
        })
    }

    /// From the next look at the size of the database on.
    pub fn set_limits(&self, limits: Limits) {
        *self.shared.limits() = limits;
    }

    /// The journal position up to which all is stored.
    pub fn stored(&self) -> u64 {
        self.shared.stored.load(Ordering::Acquire)
    }

    /// Why nothing is written at the moment; `None` once it is again.
    pub fn trouble(&self) -> Option<String> {
        if self.thread.as_ref().is_none_or(JoinHandle::is_finished) {
            return Some("the store's thread has ended".to_owned());
        }
        self.shared.trouble().as_ref().map(|trouble| trouble.text.clone())
    }

    /// Whether trying again is in vain: [`Writer::close`], then [`Store::replace`].
    pub fn is_damaged(&self) -> bool {
        self.shared.trouble().as_ref().is_some_and(|trouble| trouble.kind == Kind::Damage)
    }

    /// Waits until all that was submitted is stored. `false` if it is not after `timeout`.
    pub fn flush(&self, timeout: Duration) -> bool {
        let Some(jobs) = &self.jobs else { return false };
        let deadline = Instant::now() + timeout;
        let (done, finished) = sync_channel(1);
        let mut barrier = Job::Barrier(done);
        while let Err(error) = jobs.try_send(barrier) {
            match error {
                TrySendError::Full(job) if Instant::now() < deadline => barrier = job,
                TrySendError::Full(_) | TrySendError::Disconnected(_) => return false,
            }
            sleep(FLUSH_POLL);
        }
        finished.recv_timeout(deadline.saturating_duration_since(Instant::now())).is_ok()
    }

    /// Writes what is queued and ends the thread. Returns what could not be written: nothing is
    /// tried again any more.
    pub fn close(mut self) -> Option<Batch> {
        self.end()
    }

    fn end(&mut self) -> Option<Batch> {
        let thread = self.thread.take()?;
        self.shared.closing.store(true, Ordering::Release);
        self.jobs = None;
        thread.thread().unpark();
        thread.join().ok().flatten()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // The journal has it still, and the position says so.
        drop(self.end());
    }
}

/// What the thread works with.
struct Desk<W> {
    store: Store,
    shared: Arc<Shared>,
    wake: W,
    /// Rows written since the size was looked at.
    unpruned: usize,
}

impl<W: Fn()> Desk<W> {
    #[expect(clippy::needless_pass_by_value, reason = "the queue must end with the thread")]
    fn run(mut self, queue: Receiver<Job>) -> Option<Batch> {
        while let Ok(job) = queue.recv() {
            match job {
                Job::Store(batch) if self.store(&batch) => self.prune(&batch),
                Job::Store(batch) => return Some(rest(*batch, &queue)),
                Job::Barrier(done) => {
                    // Whoever asked may have given up waiting.
                    done.send(()).ok();
                }
            }
        }
        None
    }

    /// Whether it is stored; if not, the writer is being closed.
    fn store(&mut self, batch: &Batch) -> bool {
        let mut pause = FIRST_PAUSE;
        while let Err(error) = self.store.apply(batch) {
            *self.shared.trouble() = Some(Trouble::of(&error));
            (self.wake)();
            if self.shared.closing.load(Ordering::Acquire) {
                return false;
            }
            park_timeout(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        self.shared.stored.fetch_max(batch.position, Ordering::Release);
        *self.shared.trouble() = None;
        (self.wake)();
        true
    }

    fn prune(&mut self, batch: &Batch) {
        self.unpruned += batch.events.len() + batch.transitions.len() + batch.sessions.len();
        // If it fails, the next batch will fail too, and that is told and tried again.
        let limits = *self.shared.limits();
        if self.unpruned >= PRUNE_EVERY && self.store.prune(&limits).is_ok() {
            self.unpruned = 0;
        }
    }
}

fn rest(mut batch: Batch, queue: &Receiver<Job>) -> Batch {
    for job in queue.try_iter() {
        if let Job::Store(later) = job {
            batch.append(*later);
        }
    }
    batch
}

impl Trouble {
    fn of(error: &StoreError) -> Trouble {
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            text = format!("{text}: {cause}");
            source = cause.source();
        }
        let kind = match error {
            StoreError::Corrupt { .. } => Kind::Damage,
            _ => Kind::Passing,
        };
        Trouble { text, kind }
    }
}

//! Signals that end the daemon.

/// SIGTERM, SIGINT and SIGHUP end the daemon in good order.
pub(crate) struct Quit(Vec<tokio::signal::unix::Signal>);

impl Quit {
    pub(crate) fn new() -> Quit {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()];
        Quit(kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect())
    }

    pub(crate) async fn asked(&mut self) {
        std::future::poll_fn(|context| {
            for signal in &mut self.0 {
                if signal.poll_recv(context).is_ready() {
                    return std::task::Poll::Ready(());
                }
            }
            std::task::Poll::Pending
        })
        .await;
    }
}

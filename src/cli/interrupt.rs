//! Ctrl-C during long work: the work is cancelled and cleans up, instead of the process ending at once.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

/// Exit code of an interrupted process by the convention of shells.
const INTERRUPTED: i32 = 130;

/// Flag that is true after Ctrl-C.
#[derive(Debug, Clone, Default)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Starts to listen. A second Ctrl-C ends the process.
    pub(super) fn listen() -> Self {
        let interrupt = Interrupt::default();
        let wanted = interrupt.clone();
        // Without a listener Ctrl-C ends the process at once.
        drop(
            thread::Builder::new()
                .name("interrupt".to_owned())
                .spawn(move || wait(&wanted)),
        );
        interrupt
    }

    pub(super) fn is_requested(&self) -> bool {
        self.0.load(Relaxed)
    }
}

fn wait(interrupt: &Interrupt) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build();
    let Ok(runtime) = runtime else {
        return;
    };
    runtime.block_on(async {
        while signalled().await {
            if interrupt.0.swap(true, Relaxed) {
                process::exit(INTERRUPTED);
            }
        }
    });
}

/// Waits for the signal to end; returns false if signals cannot be received.
#[cfg(unix)]
async fn signalled() -> bool {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut end)) = (
        signal(SignalKind::interrupt()),
        signal(SignalKind::terminate()),
    ) else {
        return false;
    };
    tokio::select! {
        came = interrupt.recv() => came.is_some(),
        came = end.recv() => came.is_some(),
    }
}

/// Waits for the signal to end; returns false if signals cannot be received.
#[cfg(not(unix))]
async fn signalled() -> bool {
    tokio::signal::ctrl_c().await.is_ok()
}

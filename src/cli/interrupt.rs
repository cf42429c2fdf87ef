//! Ctrl-C while something long is done: the work ends and cleans up, instead of the process at once.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

/// What a shell calls a process that was interrupted.
const INTERRUPTED: i32 = 130;

/// Whether somebody wants the work to end.
#[derive(Debug, Clone, Default)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on. Whoever asks twice does not want to wait: then the process ends.
    pub(super) fn listen() -> Self {
        let interrupt = Interrupt::default();
        let wanted = interrupt.clone();
        // Without a listener the process ends at once, as processes do.
        drop(
            thread::Builder::new()
                .name("interrupt".to_owned())
                .spawn(move || wait(&wanted)),
        );
        interrupt
    }

    pub(super) fn is_wanted(&self) -> bool {
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
        while asked().await {
            if interrupt.0.swap(true, Relaxed) {
                process::exit(INTERRUPTED);
            }
        }
    });
}

/// Waits until the process is asked to end; whether that can be waited for.
#[cfg(unix)]
async fn asked() -> bool {
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

/// Waits until the process is asked to end; whether that can be waited for.
#[cfg(not(unix))]
async fn asked() -> bool {
    tokio::signal::ctrl_c().await.is_ok()
}

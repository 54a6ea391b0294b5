//! Signals: SIGINT and SIGTERM end a search, not the program, which reports the results so far.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A flag that the first signal sets. The second signal ends the program at once.
#[cfg(unix)]
pub fn interrupt() -> Arc<AtomicBool> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::flag;

    use crate::exit::Status;

    let asked = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // The order matters: at the second signal the flag is already set, and this handler exits.
        let _ = flag::register_conditional_shutdown(signal, Status::Inconclusive as i32, asked.clone());
        let _ = flag::register(signal, asked.clone());
    }
    asked
}

#[cfg(not(unix))]
pub fn interrupt() -> Arc<AtomicBool> {
    Arc::new(AtomicBool::new(false))
}

/// Makes a write beyond the file size limit fail with an error instead of ending the program.
#[cfg(unix)]
pub fn fail_writes() {
    use signal_hook::consts::SIGXFSZ;

    // The failed write returns an error; the flag of the signal is not read.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

#[cfg(not(unix))]
pub fn fail_writes() {}

//! Ctrl-C and its like end a search, not the program: what was found so far is still told.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A flag that is set when the user or the system asks us to stop. Asking twice ends the program at once.
#[cfg(unix)]
pub fn interrupt() -> Arc<AtomicBool> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::flag;

    use crate::exit::Status;

    let asked = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // The order matters: the second time, the flag is already set, and this one acts.
        let _ = flag::register_conditional_shutdown(signal, Status::Inconclusive as i32, asked.clone());
        let _ = flag::register(signal, asked.clone());
    }
    asked
}

#[cfg(not(unix))]
pub fn interrupt() -> Arc<AtomicBool> {
    Arc::new(AtomicBool::new(false))
}

/// Lets writing beyond the limit on the size of files fail like any other write, instead of ending the program.
#[cfg(unix)]
pub fn fail_writes() {
    use signal_hook::consts::SIGXFSZ;

    // Whoever writes sees the error; nobody asks whether the signal came.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

#[cfg(not(unix))]
pub fn fail_writes() {}

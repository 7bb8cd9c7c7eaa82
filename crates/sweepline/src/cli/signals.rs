//! Signals: the first asks for an end with what is known so far, the second does not wait for it.

use std::fs;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use sweepline_core::Cancel;

/// What signals raise. The handlers are installed when it is asked for first; they need no thread.
pub fn cancel() -> Cancel {
    static CANCEL: OnceLock<Cancel> = OnceLock::new();
    CANCEL
        .get_or_init(|| {
            let cancel = Cancel::default();
            let ignored = ignored_signals();
            for signal in [SIGINT, SIGTERM, SIGHUP] {
                // Whoever starts us may want us to outlive a signal, as `nohup` does.
                if !is_in(ignored, signal) {
                    listen(signal, &cancel);
                }
            }
            // A file that grows too large then is an error of writing it, and not the end of everything.
            let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
            cancel
        })
        .clone()
}

/// Where a handler cannot be installed, the signal ends the process as it does by default.
fn listen(signal: i32, cancel: &Cancel) {
    let raised = cancel.flag();
    let _ = flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&raised));
    let _ = flag::register(signal, raised);
}

/// The signals this process was told to ignore, as bits. Nothing is known of them where there is no /proc.
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .unwrap_or_default();
    u64::from_str_radix(field.trim(), 16).unwrap_or(0)
}

fn is_in(signals: u64, signal: i32) -> bool {
    signals >> (signal - 1) & 1 == 1
}

#![no_main]
//! Any bytes as PNML: a net or diagnostics. A net survives being written and read; a coloured one is unfolded by then.

use libfuzzer_sys::fuzz_target;
use sweepline::net::{PnmlOptions, read_pnml, write_pnml};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(net) = read_pnml("fuzz.pnml", bytes, &PnmlOptions::default()) {
        let written = write_pnml(&net);
        let again = read_pnml("fuzz.pnml", written.as_bytes(), &PnmlOptions::default());
        let again = again.expect("what we write can be read");
        if net.folded().is_none() {
            assert_eq!(again, net);
        }
    }
});

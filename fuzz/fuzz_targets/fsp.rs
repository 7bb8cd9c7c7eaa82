#![no_main]
//! Any text as an FSP model; what can be read has components that start somewhere.

use libfuzzer_sys::fuzz_target;
use sweepline_fsp::{LoadOptions, read_fsp};

fuzz_target!(|text: &str| {
    if let Ok(model) = read_fsp(&text.into(), &LoadOptions::default()) {
        for component in &model.network().components {
            let initial = component.lts.initial();
            let _ = component.lts.edges_from(initial);
        }
    }
});

#![no_main]
//! Any bytes as a model of CPN Tools: a net whose first states can be explored and whose queries can be asked, or diagnostics.

use libfuzzer_sys::fuzz_target;
use sweepline::core::{Describe, Limits, Steps, System};
use sweepline::cpn::{LoadOptions, read_cpn};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(cpn) = read_cpn("fuzz.cpn", bytes, &LoadOptions::default()) {
        let mut steps = Steps::for_layout(cpn.system.layout());
        cpn.system.initial(&mut steps);
        for _ in 0..20 {
            if steps.is_empty() || steps.fault().is_some() {
                break;
            }
            let state = steps.target(0).to_vec();
            cpn.system.show(&state);
            steps.clear();
            cpn.system.successors(&state, &mut steps);
        }
        let limits = Limits { states: Some(50), ..Limits::default() };
        let _ = cpn.system.ask(&cpn.texts, &limits);
    }
});

#![no_main]
//! Any text as a DVE program; what can be read can be taken a step.

use libfuzzer_sys::fuzz_target;
use sweepline::core::{Steps, System};
use sweepline::dve::{LoadOptions, read_dve};
use sweepline::program::ProgramSystem;

fuzz_target!(|text: &str| {
    if let Ok(model) = read_dve(&text.into(), &LoadOptions::default()) {
        let system = ProgramSystem::new((*model.program()).clone());
        let mut steps = Steps::for_layout(system.layout());
        system.initial(&mut steps);
        let state = steps.target(0).to_vec();
        system.successors(&state, &mut steps);
    }
});

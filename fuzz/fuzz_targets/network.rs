#![no_main]
//! Any bytes as a network of small components; what can be read can be taken a step.

use libfuzzer_sys::fuzz_target;
use sweepline::core::{Steps, System};
use sweepline::process::{NetworkSystem, read_aut, read_network};
use sweepline::text::decode;

fuzz_target!(|bytes: &[u8]| {
    let Ok(source) = decode("fuzz.network", bytes.to_vec()) else { return };
    let network = read_network(&source, &mut |file| {
        Ok(read_aut(file, &b"des (0, 3, 2)\n(0, a, 1)\n(0, i, 0)\n(1, b, 0)\n"[..])?)
    });
    if let Ok(network) = network {
        let system = NetworkSystem::new(&network);
        let mut steps = Steps::for_layout(system.layout());
        system.initial(&mut steps);
        let state = steps.target(0).to_vec();
        steps.clear();
        system.successors(&state, &mut steps);
    }
});

//! Our own models have the states and steps of the same models in other languages.

use std::path::Path;
use std::sync::Arc;

use sweepline_cpn::{CpnSystem, LoadOptions, TimeMode, read_cpn};

fn model(name: &str, constants: &[(&str, i64)], time: TimeMode) -> CpnSystem {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../models")
        .join(name);
    let constants = constants
        .iter()
        .map(|(name, value)| ((*name).to_owned(), *value));
    let options = LoadOptions {
        constants: constants.collect(),
        time,
        ..LoadOptions::default()
    };
    let read = read_cpn(name, &std::fs::read(path).unwrap(), &options);
    let cpn = read.unwrap_or_else(|errors| panic!("{name}: {:?}", errors.errors()));
    assert!(cpn.unused.is_empty(), "{:?}", cpn.unused);
    cpn.system
}

fn check(name: &str, constants: &[(&str, i64)], states: usize, edges: usize) {
    let system = model(name, constants, TimeMode::Absolute);
    let found = crate::common::explore(Arc::new(system), usize::MAX).unwrap();
    assert_eq!(
        (found.states, found.edges),
        (states, edges),
        "{name} {constants:?}"
    );
}

#[test]
fn the_limit_protocol_has_its_published_states() {
    let name = "limit-protocol.cpn";
    check(name, &[], 5615, 22114);
    check(name, &[("MAX", 0)], 13215, 52784);
    check(name, &[("ACK_ALL", 0)], 1823, 6829);
    check(name, &[("LOSS", 0)], 3785, 10200);
    check(name, &[("LOSS", 0), ("MAX", 0)], 9755, 26170);
    check(name, &[("PACKETS", 4), ("LIMIT", 1)], 33, 44);
}

#[test]
fn stop_and_wait_grows_with_its_packets() {
    for packets in [1, 2, 5, 10] {
        let states = usize::try_from(271 * packets - 134).unwrap();
        let system = model("stop-and-wait.cpn", &[("N", packets)], TimeMode::Absolute);
        let found = crate::common::explore(Arc::new(system), usize::MAX).unwrap();
        assert_eq!(
            (found.states, found.deadlocks),
            (states, 1),
            "{packets} packets"
        );
    }
    check("stop-and-wait.cpn", &[], 2576, 6950);
}

#[test]
fn databases_have_their_published_states() {
    check("database.cpn", &[], 110, 225);
    check("database.cpn", &[("D", 6)], 1460, 4873);
}

#[test]
fn sliding_windows_are_those_of_the_program() {
    check("sliding-window.cpn", &[], 792, 2782);
    check("sliding-window.cpn", &[("N", 10)], 1727, 6092);
}

/// Less is told apart the less states know of time, and ready tokens make the difference.
#[test]
fn time_modes_tell_different_states_apart() {
    let count = |time| {
        let system = model("key-lock.cpn", &[("ROUNDS", 2)], time);
        crate::common::explore(Arc::new(system), usize::MAX).unwrap()
    };
    let [absolute, ready, relative] =
        [TimeMode::Absolute, TimeMode::Ready, TimeMode::Relative].map(count);
    assert_eq!(
        [absolute, ready, relative].map(|count| count.states),
        [14987, 8534, 622]
    );
}

/// The report of the textbook's model, with the components that are known of it.
#[test]
fn a_report_says_what_cpn_tools_says() {
    let system = model("limit-protocol.cpn", &[("MAX", 0)], TimeMode::Absolute);
    let report = system
        .report(&[], &sweepline_core::Limits::default())
        .unwrap();
    assert_eq!((report.nodes, report.arcs), (13215, 52784));
    assert_eq!((report.components, report.component_arcs), (5013, 37312));
    assert_eq!(report.dead_markings.len(), 1);
    assert_eq!(report.home.as_deref(), Some(&report.dead_markings[..]));
    assert!(report.dead.is_empty() && report.live.is_empty());
    let bounds = report
        .bounds
        .iter()
        .find(|bounds| bounds.place == "Protocol.A");
    assert_eq!(bounds.unwrap().tokens, (0, 3));
    assert_eq!(bounds.unwrap().upper, "3`1++3`2++3`3++3`4++3`5++3`6");
    assert!(report.to_string().contains("Impartial"), "{report}");
}

/// Of what was not explored nothing is claimed.
#[test]
fn a_report_of_a_part_claims_nothing_about_the_rest() {
    let system = model("limit-protocol.cpn", &[], TimeMode::Absolute);
    let limits = sweepline_core::Limits {
        states: Some(2),
        ..sweepline_core::Limits::default()
    };
    let report = system.report(&[], &limits).unwrap();
    assert!(report.stopped.is_some() && !report.dead.is_empty());
    let text = report.to_string();
    for section in [
        "Home Markings",
        "Dead Markings",
        "Dead Transition Instances",
        "Live Transition Instances",
    ] {
        let expected = format!("{section}\n     Unknown: not everything was explored");
        assert!(text.contains(&expected), "{text}");
    }
    assert!(text.contains("Of what was explored only"), "{text}");
}

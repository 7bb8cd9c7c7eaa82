//! Networks with known figures.

use sweepline_process::{Lts, LtsBuilder, Network, StateId};

/// An LTS from its number of states and its edges; the first state is the initial one.
fn lts(states: u32, edges: &[(u32, String, u32)]) -> Lts {
    let mut builder = LtsBuilder::default();
    for _ in 0..states {
        builder.state();
    }
    for (source, label, target) in edges {
        let label = builder.label(label);
        builder.edge(StateId(*source), label, StateId(*target));
    }
    builder.build(StateId(0))
}

fn edge(source: u32, label: impl Into<String>, target: u32) -> (u32, String, u32) {
    (source, label.into(), target)
}

/// A master that makes `length - 1` steps, and slaves that work on their own.
pub fn master_slave(length: u32, slaves: u32) -> Network {
    let steps: Vec<_> = (1..length).map(|k| edge(k - 1, "step", k)).collect();
    let slave = |i: u32| {
        let edges = [
            edge(0, format!("assign_{i}"), 1),
            edge(1, format!("done_{i}"), 0),
        ];
        (format!("slave{i}"), lts(2, &edges))
    };
    let master = ("master".to_string(), lts(length, &steps));
    Network::parallel(std::iter::once(master).chain((0..slaves).map(slave)))
}

/// A master that assigns every job to some slave.
pub fn master_slave_assigned(jobs: u32, slaves: u32) -> Network {
    let mut edges = Vec::new();
    for k in 0..=jobs {
        edges.push(edge(2 * k, "next", 2 * k + 1));
        for i in 0..slaves {
            edges.push(edge(2 * k + 1, format!("assign_{i}"), 2 * k + 2));
        }
    }
    let mut network = master_slave(1, slaves);
    network.components[0].lts = lts(2 * jobs + 3, &edges).into();
    network
}

/// Two-phase commit.
pub fn two_phase_commit(voters: u32) -> Network {
    let mut edges = vec![
        edge(0, "request", 1),
        edge(1, "commit", 2),
        edge(3, "abort", 4),
    ];
    edges.extend((1..=voters).map(|i| edge(1, format!("no_{i}"), 3)));
    let initiator = ("initiator".to_string(), lts(5, &edges));
    Network::parallel(std::iter::once(initiator).chain((1..=voters).map(voter)))
}

/// The states of a voter: V0 U Y N W C0 C1 C2 B A E X Z.
fn voter(number: u32) -> (String, Lts) {
    let own = |label: &str| format!("{number}:{label}");
    let edges = [
        edge(0, "request", 1),
        edge(1, own("yes"), 2),
        edge(1, own("dno"), 3),
        edge(3, format!("no_{number}"), 4),
        edge(2, "commit", 5),
        edge(5, own("c1"), 6),
        edge(6, own("c2"), 7),
        edge(1, "abort", 8),
        edge(2, "abort", 9),
        edge(3, "abort", 10),
        edge(4, "abort", 10),
        edge(9, own("a"), 11),
        edge(10, own("e"), 11),
        edge(11, own("x"), 12),
    ];
    (format!("voter{number}"), lts(13, &edges))
}

/// The stop-and-wait protocol with sequence numbers modulo `n`.
pub fn stop_and_wait(n: u32) -> Network {
    Network::parallel([
        ("sender", sender(n)),
        ("receiver", receiver(n)),
        ("data", channel(n, "send", "recv", "D")),
        ("ack", channel(n, "sack", "rack", "A")),
    ])
}

fn sender(n: u32) -> Lts {
    let mut edges = Vec::new();
    for k in 0..n {
        let [s, w, t, new] = [0, 1, 2, 3].map(|i| 4 * k + i);
        edges.push(edge(s, format!("send_{k}"), w));
        edges.push(edge(w, "timeout", t));
        edges.push(edge(t, format!("send_{k}"), w));
        edges.push(edge(w, format!("rack_{k}"), new));
        edges.push(edge(new, "new", 4 * ((k + 1) % n)));
        for j in (0..n).filter(|&j| j != k) {
            edges.push(edge(w, format!("rack_{j}"), w));
        }
    }
    lts(4 * n, &edges)
}

fn receiver(n: u32) -> Lts {
    let mut edges = Vec::new();
    for k in 0..n {
        let [ready, copy, again, data, answer] = [0, 1, 2, 3, 4].map(|i| 5 * k + i);
        edges.push(edge(ready, format!("recv_{k}"), data));
        edges.push(edge(data, "deliver", answer));
        edges.push(edge(answer, format!("sack_{k}"), 5 * ((k + 1) % n)));
        for j in (0..n).filter(|&j| j != k) {
            edges.push(edge(ready, format!("recv_{j}"), copy));
        }
        edges.push(edge(copy, "drop", again));
        edges.push(edge(again, format!("sack_{}", (k + n - 1) % n), ready));
    }
    lts(5 * n, &edges)
}

fn channel(n: u32, input: &str, output: &str, name: &str) -> Lts {
    let mut edges = Vec::new();
    for k in 0..n {
        let (full, good) = (2 * k + 1, 2 * k + 2);
        edges.push(edge(0, format!("{input}_{k}"), full));
        edges.push(edge(full, format!("ok{name}"), good));
        edges.push(edge(good, format!("{output}_{k}"), 0));
        edges.push(edge(full, format!("loss{name}"), 0));
    }
    lts(2 * n + 1, &edges)
}

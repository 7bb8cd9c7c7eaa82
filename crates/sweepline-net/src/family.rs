//! Families of nets that tests and benchmarks use, scaled by parameters.

use std::collections::BTreeMap;

use crate::net::{NetBuilder, PetriNet, PlaceId};

/// A kanban system of four cells with `n` cards each.
///
/// Cell 1 feeds cells 2 and 3, which together feed cell 4. In each cell a part is machined, may be sent back and
/// machined again, and waits for the next cell.
pub fn kanban(n: u64) -> PetriNet {
    let mut net = PetriNet::builder(format!("kanban-{n}"));
    let machining = numbered(&mut net, "Pm", 1..=4, 0);
    let back = numbered(&mut net, "Pback", 1..=4, 0);
    let cards = numbered(&mut net, "Pkan", 1..=4, n);
    let done = numbered(&mut net, "Pout", 1..=4, 0);
    net.rule("tin1", &[cards[0]], &[machining[0]]);
    net.rule("tout4", &[done[3]], &[cards[3]]);
    for i in 0..4 {
        net.rule(format!("tr{}", i + 1), &[machining[i]], &[back[i]]);
        net.rule(format!("tb{}", i + 1), &[back[i]], &[machining[i]]);
        net.rule(format!("tok{}", i + 1), &[machining[i]], &[done[i]]);
    }
    net.rule(
        "synch1",
        &[done[0], cards[1], cards[2]],
        &[cards[0], machining[1], machining[2]],
    );
    net.rule(
        "synch4",
        &[done[1], done[2], cards[3]],
        &[cards[1], cards[2], machining[3]],
    );
    finish(net)
}

/// Rings of `length` places, one for each list of tokens: ring `i` starts with one token on each place in `tokens[i]`.
///
/// Tokens of one ring meet, and then a place holds several of them; at first sight each holds one.
pub fn rings(length: usize, tokens: &[&[usize]]) -> PetriNet {
    let mut net = PetriNet::builder(format!("rings-{length}"));
    for (ring, marked) in tokens.iter().enumerate() {
        let places: Vec<_> = (0..length)
            .map(|i| net.place(format!("p_{ring}_{i}"), u64::from(marked.contains(&i))))
            .collect();
        for i in 0..length {
            let next = places[(i + 1) % length];
            net.rule(format!("t_{ring}_{i}"), &[places[i]], &[next]);
        }
    }
    finish(net)
}

/// A star: `n` tokens that go from the middle to any of `leaves` places and back.
pub fn star(leaves: usize, n: u64) -> PetriNet {
    let mut net = PetriNet::builder(format!("star-{leaves}-{n}"));
    let middle = net.place("middle", n);
    for i in 0..leaves {
        let leaf = net.place(format!("leaf_{i}"), 0);
        net.rule(format!("out_{i}"), &[middle], &[leaf]);
        net.rule(format!("back_{i}"), &[leaf], &[middle]);
    }
    finish(net)
}

/// A flexible manufacturing system with `n` parts of each of three kinds and three kinds of machines.
pub fn fms(n: u64) -> PetriNet {
    const RULES: [&str; 20] = [
        "P1 -> P1wM1",
        "P1wM1 + M1 -> P1M1",
        "P1M1 -> P1d + M1",
        "P1d -> P1s",
        "P1d -> P1wP2",
        "P1s -> P1",
        "P2 -> P2wM2",
        "P2wM2 + M2 -> P2M2",
        "P2M2 -> P2d + M2",
        "P2d -> P2s",
        "P2d -> P2wP1",
        "P2s -> P2",
        "P1wP2 + P2wP1 -> P12",
        "P12 -> P12wM3",
        "P12wM3 + M3 -> P12M3",
        "P12M3 -> P12s + M3",
        "P12s -> P1 + P2",
        "P3 -> P3M2",
        "P3M2 + M2 -> P3s + M2",
        "P3s -> P3",
    ];
    let mut net = PetriNet::builder(format!("fms-{n}"));
    let marked = [
        ("P1", n),
        ("P2", n),
        ("P3", n),
        ("M1", 3),
        ("M2", 1),
        ("M3", 2),
    ];
    let mut places: BTreeMap<_, _> = marked
        .into_iter()
        .map(|(id, tokens)| (id, net.place(id, tokens)))
        .collect();
    for (number, rule) in (1..).zip(RULES) {
        let mut ends = rule.split(" -> ").map(|end| {
            let place = |id| *places.entry(id).or_insert_with(|| net.place(id, 0));
            end.split(" + ").map(place).collect::<Vec<_>>()
        });
        let (inputs, outputs) = (
            ends.next().unwrap_or_default(),
            ends.next().unwrap_or_default(),
        );
        net.rule(format!("t{number}"), &inputs, &outputs);
    }
    finish(net)
}

/// `n` dining philosophers who may take either fork first.
///
/// Philosopher `i` thinks (`th`), holds the left (`l`) or the right fork (`r`), or eats (`e`); `f` are the forks.
pub fn philosophers(n: usize) -> PetriNet {
    let mut net = PetriNet::builder(format!("philosophers-{n}"));
    let thinking = numbered(&mut net, "th_", 0..n, 1);
    let forks = numbered(&mut net, "f_", 0..n, 1);
    let left = numbered(&mut net, "l_", 0..n, 0);
    let right = numbered(&mut net, "r_", 0..n, 0);
    let eating = numbered(&mut net, "e_", 0..n, 0);
    for i in 0..n {
        let (here, there) = (forks[i], forks[(i + 1) % n]);
        net.rule(format!("takel_{i}"), &[thinking[i], here], &[left[i]]);
        net.rule(format!("taker_{i}"), &[thinking[i], there], &[right[i]]);
        net.rule(format!("eatl_{i}"), &[left[i], there], &[eating[i]]);
        net.rule(format!("eatr_{i}"), &[right[i], here], &[eating[i]]);
        net.rule(
            format!("done_{i}"),
            &[eating[i]],
            &[thinking[i], here, there],
        );
    }
    finish(net)
}

/// `n` items that pass `k` stations, each with `r` machines. Acyclic.
pub fn pipe(n: u64, k: usize, r: u64) -> PetriNet {
    let mut net = PetriNet::builder(format!("pipe-{n}-{k}-{r}"));
    let waiting: Vec<_> = (0..=k)
        .map(|i| net.place(format!("w_{i}"), if i == 0 { n } else { 0 }))
        .collect();
    let machines = numbered(&mut net, "m_", 0..k, r);
    let busy = numbered(&mut net, "b_", 0..k, 0);
    for i in 0..k {
        net.rule(format!("start_{i}"), &[waiting[i], machines[i]], &[busy[i]]);
        net.rule(
            format!("finish_{i}"),
            &[busy[i]],
            &[waiting[i + 1], machines[i]],
        );
    }
    finish(net)
}

/// `p` independent transfers of `n` packets each by the stop-and-wait protocol over channels that lose messages and hold
/// at most `c` of them each way.
pub fn stop_and_wait(n: usize, c: u64, p: usize) -> PetriNet {
    let mut net = PetriNet::builder(format!("stop-and-wait-{n}-{c}-{p}"));
    for transfer in 0..p {
        add_transfer(&mut net, transfer, n, c);
    }
    finish(net)
}

fn add_transfer(net: &mut NetBuilder, q: usize, n: usize, c: u64) {
    let data_room = net.place(format!("cd_{q}"), c);
    let ack_room = net.place(format!("ca_{q}"), c);
    let start = |i| u64::from(i == 0);
    let sender: Vec<_> = (0..=n)
        .map(|i| net.place(format!("s_{q}_{i}"), start(i)))
        .collect();
    let receiver: Vec<_> = (0..=n)
        .map(|i| net.place(format!("r_{q}_{i}"), start(i)))
        .collect();
    let data = numbered(net, &format!("D_{q}_"), 0..n, 0);
    let acks = numbered(net, &format!("A_{q}_"), 1..=n, 0);
    for i in 0..n {
        // The acknowledgement of packet i carries the number i + 1.
        let ack = acks[i];
        net.rule(
            format!("send_{q}_{i}"),
            &[sender[i], data_room],
            &[sender[i], data[i]],
        );
        net.rule(format!("lossD_{q}_{i}"), &[data[i]], &[data_room]);
        net.rule(
            format!("recv_{q}_{i}"),
            &[data[i], receiver[i], ack_room],
            &[receiver[i + 1], ack, data_room],
        );
        for k in i + 1..=n.min(i + 2) {
            net.rule(
                format!("dup_{q}_{i}_{k}"),
                &[data[i], receiver[k], ack_room],
                &[receiver[k], acks[k - 1], data_room],
            );
        }
        net.rule(
            format!("ack_{q}_{i}"),
            &[ack, sender[i]],
            &[sender[i + 1], ack_room],
        );
        net.rule(format!("lossA_{q}_{i}"), &[ack], &[ack_room]);
    }
}

/// Places with the same beginning of their ids and the same initial marking.
fn numbered(
    net: &mut NetBuilder,
    prefix: &str,
    numbers: impl Iterator<Item = usize>,
    initial: u64,
) -> Vec<PlaceId> {
    numbers
        .map(|i| net.place(format!("{prefix}{i}"), initial))
        .collect()
}

fn finish(net: NetBuilder) -> PetriNet {
    net.build()
        .expect("the ids of a family differ and its weights are 1: only huge parameters break it")
}

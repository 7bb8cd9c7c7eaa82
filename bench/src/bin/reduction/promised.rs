//! What is promised of models.

/// What is preserved, and how it is known what depends on what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Deadlocks,
    /// Deadlocks, by local graphs (`--dependency local`).
    Local,
    Runs,
    /// Everything: nothing is left out.
    Full,
}

impl Mode {
    pub(crate) const ALL: [Self; 4] = [Deadlocks, Local, Runs, Full];

    /// The word for it in the table.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Deadlocks => "deadlocks",
            Local => "local",
            Runs => "runs",
            Full => "full",
        }
    }
}

/// What is promised: a share of states in per cent (two points more are allowed), or a number of states.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Promise {
    Share(f64),
    States(u64),
}

use Mode::{Deadlocks, Full, Local, Runs};
use Promise::{Share, States};

/// A model, its states and deadlocks if they are known, what is preserved, and what is promised.
pub(crate) type Row = (&'static str, Option<u64>, Option<u64>, Mode, Promise);

/// Where indices are split, the figure with split indices is promised. A share of unknown states is judged by counting them all.
pub(crate) const ROWS: [Row; 40] = [
    (
        "dve/leader_election.3",
        Some(101_360),
        Some(1),
        Deadlocks,
        Share(5.7),
    ),
    (
        "dve/leader_election.3",
        Some(101_360),
        None,
        Runs,
        Share(6.7),
    ),
    (
        "dve/leader_election.5",
        Some(4_803_952),
        Some(1),
        Deadlocks,
        Share(1.3),
    ),
    (
        "dve/leader_election.5",
        Some(4_803_952),
        None,
        Runs,
        Share(1.5),
    ),
    (
        "dve/iprotocol.3",
        Some(1_013_456),
        Some(0),
        Deadlocks,
        Share(10.9),
    ),
    ("dve/iprotocol.3", Some(1_013_456), None, Runs, Share(38.5)),
    (
        "dve/public_subscribe.4",
        Some(1_846_603),
        Some(720),
        Deadlocks,
        Share(11.2),
    ),
    (
        "dve/public_subscribe.4",
        Some(1_846_603),
        None,
        Runs,
        Share(18.7),
    ),
    (
        "dve/protocols.2",
        Some(11_286),
        Some(0),
        Deadlocks,
        Share(12.6),
    ),
    ("dve/protocols.2", Some(11_286), None, Runs, Share(18.8)),
    (
        "dve/firewire_link.2",
        Some(55_887),
        Some(246),
        Deadlocks,
        Share(19.2),
    ),
    ("dve/firewire_link.2", Some(55_887), None, Runs, Share(26.4)),
    ("dve/brp.1", Some(18_928), Some(72), Deadlocks, Share(44.9)),
    ("dve/brp.1", Some(18_928), None, Runs, Share(67.3)),
    (
        "dve/anderson.4",
        Some(29_641),
        Some(0),
        Deadlocks,
        Share(46.2),
    ),
    (
        "dve/szymanski.3",
        Some(1_128_424),
        Some(0),
        Deadlocks,
        Share(32.8),
    ),
    ("dve/mcs.3", Some(571_459), Some(0), Deadlocks, Share(76.1)),
    ("dve/mcs.4", Some(16_384), Some(24), Deadlocks, Share(16.4)),
    (
        "dve/lamport.5",
        Some(1_066_800),
        Some(0),
        Deadlocks,
        Share(82.1),
    ),
    ("dve/at.1", Some(39_354), Some(0), Deadlocks, Share(95.4)),
    (
        "dve/bakery.3",
        Some(32_919),
        Some(51),
        Deadlocks,
        Share(61.3),
    ),
    (
        "dve/peterson.4",
        Some(1_119_560),
        Some(0),
        Deadlocks,
        Share(64.8),
    ),
    ("dve/mcs.3", Some(571_459), Some(0), Local, Share(4.8)),
    ("dve/mcs.4", Some(16_384), Some(24), Local, Share(3.9)),
    (
        "dve/lamport.5",
        Some(1_066_800),
        Some(0),
        Local,
        Share(48.9),
    ),
    ("dve/at.1", Some(39_354), Some(0), Local, Share(54.4)),
    ("dve/bakery.3", Some(32_919), Some(51), Local, Share(43.8)),
    (
        "dve/peterson.4",
        Some(1_119_560),
        Some(0),
        Local,
        Share(61.6),
    ),
    (
        "dve/phils.5",
        Some(531_440),
        Some(1),
        Deadlocks,
        States(398),
    ),
    (
        "dve/cyclic_scheduler.3",
        Some(229_374),
        Some(0),
        Deadlocks,
        States(100),
    ),
    (
        "pnml/ClientsAndServers-PT-N0005P0",
        Some(125_510_607_915),
        None,
        Deadlocks,
        States(5_000),
    ),
    (
        "pnml/JoinFreeModules-PT-0005",
        None,
        None,
        Deadlocks,
        States(15_000),
    ),
    (
        "pnml/FlexibleBarrier-PT-08a",
        None,
        None,
        Deadlocks,
        States(8_000),
    ),
    (
        "pnml/RobotManipulation-PT-00010",
        None,
        None,
        Deadlocks,
        States(600),
    ),
    ("pnml/DLCround-PT-03a", None, None, Deadlocks, States(1_000)),
    (
        "pnml/BART-PT-002",
        Some(17_424),
        None,
        Deadlocks,
        States(200),
    ),
    ("family/kanban", Some(454_475), None, Deadlocks, States(100)),
    ("family/fms", Some(438_600), None, Deadlocks, States(100)),
    ("family/philosophers", None, None, Deadlocks, Share(28.0)),
    ("family/kanban", Some(454_475), None, Runs, States(454_475)),
];

//! Small random models.

use sweepline_core::SlotId;
use sweepline_net::PetriNet;
use sweepline_process::{Lts, Network, StateKind};
use sweepline_program::{
    ArrayId, BinaryOp, ChannelId, Effect, Expr, LocationId, Place, ProcessId, Program,
    ProgramBuilder, SlotType, UnaryOp,
};

/// Numbers that depend on a seed and nothing else.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below another one (splitmix64).
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }

    fn index(&mut self, bound: usize) -> usize {
        usize::try_from(self.below(bound as u64)).unwrap()
    }

    fn value(&mut self, bound: i64) -> i64 {
        self.below(bound.cast_unsigned()).cast_signed()
    }

    fn one_in(&mut self, many: u64) -> bool {
        self.below(many) == 0
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        let index = self.index(list.len());
        &list[index]
    }
}

/// A net that mostly moves tokens, with weights and inhibitors here and there.
pub fn random_net(random: &mut Random) -> PetriNet {
    let mut net = PetriNet::builder("random");
    let places: Vec<_> = (0..3 + random.below(6))
        .map(|place| net.place(format!("p{place}"), random.below(3)))
        .collect();
    for transition in 0..2 + random.below(8) {
        let id = net.transition(format!("t{transition}"));
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        let mut taken = 0;
        for _ in 0..=random.below(2) {
            let place = *random.pick(&places);
            if !inputs.contains(&place) {
                let weight = 1 + u64::from(random.one_in(6));
                taken += weight;
                net.input(id, place, weight);
                inputs.push(place);
            }
        }
        while taken > 0 {
            let place = *random.pick(&places);
            taken -= 1;
            if !random.one_in(4) && !outputs.contains(&place) {
                net.output(id, place, 1);
                outputs.push(place);
            }
        }
        if random.one_in(5) {
            let place = *random.pick(&places);
            net.inhibitor(id, place, 1 + random.below(2));
        }
    }
    net.build().unwrap()
}

/// Components with labels of their own and shared ones, some of them nondeterministic.
pub fn random_network(random: &mut Random) -> Network {
    let labels = ["a", "b", "c", "d", "e", "f"];
    let components = (0..2 + random.below(3)).map(|component| {
        let mut builder = Lts::builder();
        let states: Vec<_> = (0..2 + random.below(3)).map(|_| builder.state()).collect();
        if random.one_in(6) {
            builder.set_kind(*states.last().unwrap(), StateKind::Error);
        }
        for _ in 0..2 + random.below(5) {
            let name = match random.below(3) {
                0 => format!("own{component}.{}", random.below(2)),
                _ => (*random.pick(&labels)).to_owned(),
            };
            let label = builder.label(&name);
            let (source, target) = (random.index(states.len()), random.index(states.len()));
            builder.edge(states[source], label, states[target]);
        }
        (format!("c{component}"), builder.build(states[0]))
    });
    Network::parallel(components.collect::<Vec<_>>())
}

struct Making<'r> {
    random: &'r mut Random,
    program: ProgramBuilder,
    slots: Vec<SlotId>,
    array: ArrayId,
    channel: ChannelId,
    processes: Vec<(ProcessId, Vec<LocationId>)>,
    /// The process whose actions are made.
    current: usize,
}

/// Processes with shared slots, an array, a buffer and joint actions; some actions can fail.
pub fn random_program(random: &mut Random) -> Program {
    let mut program = ProgramBuilder::new("random");
    let slots = (0..4 + random.below(3)).map(|slot| {
        let kind = if random.one_in(5) {
            SlotType::integer(0, 3)
        } else {
            SlotType::wrapping(0, 2)
        };
        program.slot(format!("x{slot}"), kind, random.value(2))
    });
    let slots = slots.collect();
    let array = program.array("a", &SlotType::wrapping(0, 2), &[0, 1]);
    let channel = program.channel(
        "c",
        &[SlotType::wrapping(0, 3)],
        1 + u32::from(random.one_in(2)),
    );
    let processes = (0..2 + random.below(3)).map(|process| {
        let id = program.process(format!("P{process}"));
        let locations = (0..2 + random.below(2)).map(|at| program.location(id, format!("l{at}")));
        let locations: Vec<_> = locations.collect();
        if random.one_in(8) {
            let last = *locations.last().unwrap();
            program.location_mut(id, last).flags.committed = true;
        }
        (id, locations)
    });
    let processes: Vec<_> = processes.collect();
    let mut making = Making {
        random,
        program,
        slots,
        array,
        channel,
        processes,
        current: 0,
    };
    for process in 0..making.processes.len() {
        for _ in 0..2 + making.random.below(3) {
            making.current = process;
            making.action(process);
        }
    }
    if making.random.one_in(5) {
        let (process, locations) = making.processes[0].clone();
        let condition = making.condition();
        let at = *making.random.pick(&locations);
        making.program.assert(process, at, condition, (0..0).into());
    }
    making.program.build().unwrap()
}

impl Making<'_> {
    fn action(&mut self, process: usize) {
        let (id, locations) = self.processes[process].clone();
        let (source, target) = (*self.random.pick(&locations), *self.random.pick(&locations));
        let mut guard = match self.random.below(3) {
            0 => None,
            1 => Some(self.condition()),
            _ => Some(self.condition().and(self.condition())),
        };
        let mut effects = Vec::new();
        for _ in 0..self.random.below(3) {
            effects.push(self.assignment());
        }
        match self.random.below(6) {
            0 => {
                guard = Some(with(guard, Expr::Full(self.channel).negated()));
                let values = vec![self.value()];
                let channel = self.channel;
                effects.insert(0, Effect::Push { channel, values });
            }
            1 => {
                guard = Some(with(guard, Expr::Empty(self.channel).negated()));
                let places = vec![Some(Place::Slot(self.slot()))];
                let channel = self.channel;
                effects.insert(0, Effect::Pop { channel, places });
            }
            _ => {}
        }
        let partner = (process + 1) % self.processes.len();
        let partner = (self.random.one_in(4)).then(|| {
            let (id, locations) = self.processes[partner].clone();
            let (source, target) = (*self.random.pick(&locations), *self.random.pick(&locations));
            (id, source, target)
        });
        // A rendezvous is of two processes that are both committed, or neither.
        let committed = |making: &Self, process: ProcessId, at: LocationId| {
            let process = making.program.program().process(process);
            process.location(at).flags.committed
        };
        let partner = partner.filter(|(partner, at, _)| {
            committed(self, id, source) == committed(self, *partner, *at)
        });
        let name = format!("{}", self.program.program().actions().len());
        let mut action = self.program.action(name, id, source, target);
        if let Some((partner, source, target)) = partner {
            action = action.with(partner, source, target);
        }
        if let Some(guard) = guard {
            action = action.guard(guard);
        }
        for effect in effects {
            action = action.effect(effect);
        }
        let _ = action.id();
    }

    /// Mostly one that belongs to the process.
    fn slot(&mut self) -> SlotId {
        if self.random.one_in(4) {
            return *self.random.pick(&self.slots);
        }
        self.slots[self.current % self.slots.len()]
    }

    fn value(&mut self) -> Expr {
        let slot = self.slot();
        match self.random.below(4) {
            0 => Expr::Constant(self.random.value(3)),
            1 => Expr::slot(slot),
            2 => Expr::slot(slot).minus(Expr::Constant(1)),
            _ => self.element(),
        }
    }

    /// The index may be out of bounds.
    fn element(&mut self) -> Expr {
        let index = self.index();
        Expr::element(self.array, index)
    }

    fn index(&mut self) -> Expr {
        if self.random.one_in(2) {
            return Expr::Constant(self.random.value(2));
        }
        let slot = self.slot();
        if self.random.one_in(3) {
            return Expr::slot(slot);
        }
        Expr::binary(BinaryOp::Remainder, Expr::slot(slot), Expr::Constant(2))
    }

    fn condition(&mut self) -> Expr {
        let slot = self.slot();
        let value = Expr::Constant(self.random.value(3));
        match self.random.below(16) {
            0 | 1 | 11.. => Expr::slot(slot).equals(value),
            // An index that is out of bounds where it is not asked for.
            9 => self.guarded_element(slot, value),
            10 => self.guarded_element(slot, value).negated(),
            2 => Expr::slot(slot).differs(value),
            3 => Expr::slot(slot).less(value),
            4 => Expr::slot(slot).equals(Expr::slot(self.slot())),
            5 => self.element().equals(value),
            6 => Expr::unary(UnaryOp::Not, Expr::slot(slot).equals(value)),
            7 => {
                let (process, locations) = self.random.pick(&self.processes).clone();
                Expr::At(process, *self.random.pick(&locations))
            }
            8 => match self.random.below(4) {
                0 => Expr::Empty(self.channel),
                1 => Expr::Full(self.channel),
                2 => Expr::Length(self.channel).equals(value),
                _ => {
                    let some = Expr::Empty(self.channel).negated();
                    some.and(Expr::Front(self.channel, 0).equals(value))
                }
            },
        }
    }

    fn guarded_element(&self, slot: SlotId, value: Expr) -> Expr {
        let element = Expr::element(self.array, Expr::slot(slot));
        Expr::slot(slot).less(2).and(element.equals(value))
    }

    fn assignment(&mut self) -> Effect {
        let slot = self.slot();
        match self.random.below(8) {
            0 | 5.. => Effect::assign(slot, Expr::Constant(self.random.value(3))),
            1 => Effect::assign(slot, Expr::slot(slot).plus(Expr::Constant(1))),
            2 => Effect::assign(slot, Expr::slot(slot).minus(Expr::Constant(1))),
            3 => {
                let value = self.value();
                Effect::assign(slot, value)
            }
            4 => {
                let (index, value) = (self.index(), self.value());
                Effect::assign(Place::element(self.array, index), value)
            }
        }
    }
}

fn with(guard: Option<Expr>, more: Expr) -> Expr {
    match guard {
        Some(guard) => guard.and(more),
        None => more,
    }
}

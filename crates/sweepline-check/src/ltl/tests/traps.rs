//! What went wrong once, or would.

use std::sync::Arc;

use sweepline_core::{Control, Limits, Linked, NoProgress, Observer, System, Wants};
use sweepline_explore::{End, Options, Sweep};
use sweepline_logic::Pred;
use sweepline_logic::omega::{
    Acceptance, Cube, Guard, Letter, OmegaAutomaton, OmegaEdge, OmegaState,
};

use super::model::{ATOMS, Coded, Measure, Method, Model};
use crate::ltl::claim::{Claim, Fairness};
use crate::ltl::judge::judge;
use crate::ltl::liveness::{Liveness, LivenessOptions, Status};
use crate::ltl::sweeping::check_product;
use crate::ltl::thesis::{ThesisAnswer, check_thesis};

/// An edge that reads letters in which the first atoms hold and the others do not.
fn edge(holds: Letter, fails: Letter, target: u32, marks: u64) -> OmegaEdge {
    OmegaEdge {
        guard: Guard::of([Cube { holds, fails }]),
        target: OmegaState(target),
        marks,
    }
}

/// A Büchi automaton that starts in its first state.
fn buchi(edges: Vec<Vec<OmegaEdge>>) -> Claim {
    let automaton = OmegaAutomaton {
        atoms: vec![Pred::Deadlock; ATOMS as usize],
        initial: vec![OmegaState(0)],
        edges,
        sets: 1,
        acceptance: Acceptance::all(1),
    };
    Claim {
        automaton: Arc::new(automaton),
        atoms: (0..ATOMS as usize).collect(),
    }
}

/// Infinitely often the first label.
fn recurs() -> Claim {
    buchi(vec![vec![edge(1, 0, 0, 1), edge(0, 1, 0, 0)]])
}

/// From some time on the first label for ever.
fn stays() -> Claim {
    buchi(vec![
        vec![edge(0, 0, 0, 0), edge(1, 0, 1, 0)],
        vec![edge(1, 0, 1, 1)],
    ])
}

fn options() -> LivenessOptions {
    LivenessOptions {
        probe: 0,
        ..LivenessOptions::default()
    }
}

fn liveness(model: &Arc<Model>, claims: &[Claim]) -> Liveness {
    let system = Coded::new(model, None);
    let tests = model.tests(&system.layout);
    Liveness::new(tests, claims, Fairness::default(), options()).unwrap()
}

fn measure(model: &Arc<Model>, method: Method) -> Measure {
    Measure {
        model: Arc::clone(model),
        layout: Coded::new(model, None).layout,
        method,
    }
}

/// How claims come out if everything is explored by a method.
fn statuses(model: &Model, claims: &[Claim], method: Method) -> Vec<Status> {
    let model = Arc::new(model.clone());
    let mut liveness = liveness(&model, claims);
    let system = Coded::new(&model, None);
    let mut sweep = Sweep::new(system, measure(&model, method), Options::default());
    let end = sweep.run_linked::<dyn Observer>(&mut liveness);
    assert!(end == End::Complete || end == End::Stopped, "{end:?}");
    liveness.finish(end == End::Complete).unwrap();
    let system = Coded::new(&model, None);
    for (claim, status) in claims.iter().zip(liveness.statuses()) {
        if let Status::Violated(lasso) = status {
            let atoms = model.tests(system.layout());
            judge(&system, &atoms, claim, &Fairness::default(), lasso).unwrap();
        }
    }
    liveness.statuses().cloned().collect()
}

fn is_violated(model: &Model, claim: Claim, method: Method) -> bool {
    match &statuses(model, &[claim], method)[..] {
        [Status::Violated(_)] => true,
        [Status::Holds] => false,
        other => panic!("{other:?}"),
    }
}

/// Stops a run after so many states.
struct After(u32);

impl Observer for After {
    fn wants(&self) -> Wants {
        Wants::LINKS
    }
    fn linked(&mut self, _: Linked<'_>) -> Control {
        self.0 -= 1;
        if self.0 == 0 {
            Control::Stop
        } else {
            Control::Continue
        }
    }
}

/// Where not even the initial state fits, nothing is known of any run.
#[test]
fn nothing_holds_before_anything_is_stored() {
    let model = Arc::new(Model::plain(&[&[0, 1], &[0, 0]], &[0, 1]));
    let mut liveness = liveness(&model, &[recurs()]);
    let options = Options {
        limits: Limits {
            memory: Some(1),
            ..Limits::default()
        },
        ..Options::default()
    };
    let mut sweep = Sweep::new(Coded::new(&model, None), NoProgress, options);
    let end = sweep.run_linked::<dyn Observer>(&mut liveness);
    assert!(matches!(end, End::Limit(_)), "{end:?}");
    liveness.finish(false).unwrap();
    assert_eq!(liveness.statuses().next(), Some(&Status::Open));
}

/// A state that is kept when the measure changes is never expanded again: its old links are all there is.
#[test]
fn trap_1_links_of_states_that_are_kept_stay() {
    let model = Arc::new(Model::plain(&[&[0, 1], &[0, 0]], &[0, 1]));
    let mut liveness = liveness(&model, &[recurs()]);
    let mut sweep = Sweep::new(Coded::new(&model, None), NoProgress, Options::default());
    let end = sweep.run_linked::<dyn Observer>(&mut (After(1), &mut liveness));
    assert_eq!(end, End::Stopped);
    assert_eq!(liveness.statuses().next(), Some(&Status::Open));
    let mut sweep = sweep.remeasured_before(NoProgress, &mut liveness).unwrap();
    let end = sweep.run_linked::<dyn Observer>(&mut liveness);
    liveness.finish(end == End::Complete).unwrap();
    assert!(matches!(
        liveness.statuses().next(),
        Some(Status::Violated(_))
    ));
}

/// A waiting instance may coincide with one that is kept: its links lead there.
#[test]
fn trap_2_links_to_what_waits_are_forwarded_to_what_is_kept() {
    // By rows, 1 leads back to 0, which is then persistent and waits although it has been expanded.
    let mut model = Model::plain(&[&[1], &[0, 2], &[2]], &[1, 0, 0]);
    model.rows[0] = vec![0, 1, 2];
    let model = Arc::new(model);
    for stop in 1..4 {
        let mut liveness = liveness(&model, &[recurs()]);
        let system = Coded::new(&model, None);
        let rows = measure(&model, Method::Rows(0));
        let mut sweep = Sweep::new(system, rows, Options::default());
        let end = sweep.run_linked::<dyn Observer>(&mut (After(stop), &mut liveness));
        assert_eq!(end, End::Stopped);
        let mut sweep = sweep.remeasured_before(NoProgress, &mut liveness).unwrap();
        let end = sweep.run_linked::<dyn Observer>(&mut liveness);
        liveness.finish(end == End::Complete).unwrap();
        assert!(matches!(
            liveness.statuses().next(),
            Some(Status::Violated(_))
        ));
    }
}

/// The measure may change again before a layer was opened: links follow all the way.
#[test]
fn trap_2_links_follow_through_several_changes() {
    let mut model = Model::plain(&[&[0, 1], &[2], &[0, 0]], &[0, 1, 0]);
    model.rows[0] = vec![0, 1, 2];
    let model = Arc::new(model);
    let methods = [Method::Full, Method::Rows(0)];
    for (stop, changes) in (1..3).flat_map(|stop| (0..16).map(move |changes| (stop, changes))) {
        let method = |change: usize| measure(&model, methods[changes >> change & 1]);
        let mut liveness = liveness(&model, &[recurs()]);
        let system = Coded::new(&model, None);
        let mut sweep = Sweep::new(system, method(0), Options::default());
        let end = sweep.run_linked::<dyn Observer>(&mut (After(stop), &mut liveness));
        assert_eq!(end, End::Stopped);
        for change in 1..4 {
            sweep = sweep
                .remeasured_before(method(change), &mut liveness)
                .unwrap();
        }
        let end = sweep.run_linked::<dyn Observer>(&mut liveness);
        liveness.finish(end == End::Complete).unwrap();
        let status = liveness.statuses().next();
        assert!(
            matches!(status, Some(Status::Violated(_))),
            "{stop} {changes:b}"
        );
    }
}

/// With rows, cycles go through several layers.
#[test]
fn trap_3_cycles_may_go_through_several_layers() {
    let mut model = Model::plain(&[&[1], &[2], &[0]], &[0, 1, 0]);
    model.rows[0] = vec![0, 1, 2];
    for method in [Method::Full, Method::Rows(0), Method::Both(0, 0)] {
        assert!(is_violated(&model, recurs(), method));
        assert!(!is_violated(&model, stays(), method));
        assert!(matches!(
            by_product(&model, &recurs(), method),
            Status::Violated(_)
        ));
        assert_eq!(by_product(&model, &stays(), method), Status::Holds);
    }
}

fn by_product(model: &Model, claim: &Claim, method: Method) -> Status {
    let model = Arc::new(model.clone());
    let system = Coded::new(&model, None);
    let atoms = model.tests(&system.layout);
    let asked = (&atoms[..], claim, &Fairness::default());
    let options = (Options::default(), usize::MAX);
    let measure = measure(&model, method);
    let answer = check_product(system, measure, asked, options, None, &mut ());
    answer.unwrap().status
}

/// What is told when a state is expanded is told again when a batch is interrupted; links are told once.
#[test]
fn trap_4_nothing_is_recorded_twice() {
    struct Interrupting(u32);
    impl Observer for Interrupting {
        fn expanded(&mut self, _: sweepline_core::Expanded<'_>) -> Control {
            self.0 += 1;
            if [1, 3, 5].contains(&self.0) {
                Control::Stop
            } else {
                Control::Continue
            }
        }
    }
    let model = Arc::new(Model::plain(&[&[1, 1, 2], &[2], &[]], &[1, 0, 0]));
    let mut liveness = liveness(&model, &[recurs()]);
    let mut sweep = Sweep::new(Coded::new(&model, None), NoProgress, Options::default());
    let mut interrupting = Interrupting(0);
    for end in [End::Stopped, End::Stopped, End::Stopped, End::Complete] {
        assert_eq!(
            sweep.run_linked::<dyn Observer>(&mut (&mut interrupting, &mut liveness)),
            end
        );
    }
    liveness.finish(true).unwrap();
    assert_eq!(liveness.statuses().next(), Some(&Status::Holds));
}

/// Where only the automaton has no move, nothing stutters.
#[test]
fn trap_5_only_the_model_stutters() {
    // The automaton accepts and moves only on the label; the second state has steps, and not the label.
    let model = Model::plain(&[&[1], &[1]], &[1, 0]);
    let claim = buchi(vec![vec![edge(1, 0, 0, 1)]]);
    assert!(!is_violated(&model, claim.clone(), Method::Full));
    let stuck = Model::plain(&[&[1], &[]], &[1, 0]);
    assert!(!is_violated(&stuck, claim.clone(), Method::Full));
    let stays = Model::plain(&[&[1], &[]], &[1, 1]);
    assert!(is_violated(&stays, claim, Method::Full));
}

/// Finite runs are extended, proper ends too, and not cut off.
#[test]
fn trap_6_finite_runs_stutter() {
    for end in [false, true] {
        let mut model = Model::plain(&[&[1], &[]], &[0, 1]);
        model.ends[1] = end;
        assert!(is_violated(&model, recurs(), Method::Full));
        assert!(is_violated(&model, stays(), Method::Full));
        // A deadlock for ever, unless it is a proper end.
        let deadlock = buchi(vec![vec![edge(0, 8, 0, 0), edge(8, 0, 0, 1)]]);
        assert_eq!(is_violated(&model, deadlock, Method::Full), !end);
    }
}

/// Which actions are enabled is asked of the model: the automaton may move with few of its steps, or with none.
#[test]
fn trap_7_enabledness_is_that_of_the_model() {
    // Action 1 is enabled in both states; the automaton follows only where it is.
    let model = Model::plain(&[&[1, 0], &[1, 0]], &[0, 1]);
    let claim = buchi(vec![vec![edge(0b101, 0, 0, 1), edge(0b100, 0b001, 0, 0)]]);
    assert!(is_violated(&model, claim, Method::Full));
    let never = buchi(vec![vec![edge(0, 0b100, 0, 1)]]);
    assert!(!is_violated(&model, never, Method::Full));
}

/// A column that a changed measure claims is checked only on what is explored from then on. If it is wrong, the run ends
/// there, and nothing is said to hold.
#[test]
fn trap_11_a_wrong_column_decides_nothing() {
    let mut model = Model::plain(&[&[1], &[2], &[0, 3], &[3]], &[0, 0, 1, 0]);
    model.columns[0] = vec![1, 1, 1, 0];
    let model = Arc::new(model);
    let mut liveness = liveness(&model, &[stays()]);
    let system = Coded::new(&model, None);
    let mut sweep = Sweep::new(system, NoProgress, Options::default());
    let end = sweep.run_linked::<dyn Observer>(&mut (After(1), &mut liveness));
    assert_eq!(end, End::Stopped);
    let columns = measure(&model, Method::Columns(0));
    let mut sweep = sweep.remeasured_before(columns, &mut liveness).unwrap();
    let end = sweep.run_linked::<dyn Observer>(&mut liveness);
    assert!(matches!(end, End::Regress(_)), "{end:?}");
    liveness.finish(false).unwrap();
    assert_eq!(liveness.statuses().next(), Some(&Status::Open));
    // The exploration begins again, and so does the record.
    let system = Coded::new(&model, None);
    let mut sweep = Sweep::new(system, NoProgress, Options::default());
    let end = sweep.run_linked::<dyn Observer>(&mut liveness);
    liveness.finish(end == End::Complete).unwrap();
    assert_eq!(liveness.statuses().next(), Some(&Status::Holds));
}

/// Atoms are bound again when the encoding changes.
#[test]
fn trap_12_atoms_follow_a_recode() {
    let edges: Vec<Vec<usize>> = (0..40).map(|number| vec![(number + 1) % 40]).collect();
    let edges: Vec<&[usize]> = edges.iter().map(Vec::as_slice).collect();
    let mut labels = vec![0; 40];
    labels[33] = 1;
    for rebinds in [true, false] {
        let model = Arc::new(Model::plain(&edges, &labels));
        let narrow = Coded::new(&model, Some(2));
        let tests = model.tests(&narrow.layout);
        let fairness = Fairness::default();
        let mut liveness = Liveness::new(tests, &[recurs()], fairness, options()).unwrap();
        if rebinds {
            let model = Arc::clone(&model);
            liveness = liveness.rebinding(move |system| Some(model.tests(system.layout())));
        }
        let mut sweep = Sweep::new(narrow, NoProgress, Options::default());
        let mut bits = 2;
        let end = loop {
            let end = sweep.run_linked::<dyn Observer>(&mut liveness);
            if !matches!(end, End::Outgrown(_)) {
                break end;
            }
            bits += 2;
            let wider = Coded::new(&model, Some(bits));
            sweep.recode(wider, NoProgress).unwrap();
            liveness.recoded(sweep.system());
        };
        liveness.finish(end == End::Complete).unwrap();
        let status = liveness.statuses().next().unwrap().clone();
        assert_eq!(matches!(status, Status::Violated(_)), rebinds, "{status:?}");
        assert_ne!(status, Status::Holds);
    }
}

/// A state that cannot be expanded counts as unexpanded: a lasso found before it stands, and nothing holds.
#[test]
fn trap_13_nothing_holds_beyond_a_fault() {
    let mut model = Model::plain(&[&[0, 1], &[2], &[2]], &[0, 0, 1]);
    model.faulty = Some(1);
    let model = Arc::new(model);
    let never = buchi(vec![vec![edge(0, 1, 0, 1)]]);
    let mut liveness = liveness(&model, &[recurs(), never]);
    let mut sweep = Sweep::new(Coded::new(&model, None), NoProgress, Options::default());
    let end = sweep.run_linked::<dyn Observer>(&mut liveness);
    assert!(matches!(end, End::Fault { .. }), "{end:?}");
    liveness.finish(false).unwrap();
    let statuses: Vec<_> = liveness.statuses().collect();
    assert_eq!(statuses[0], &Status::Open);
    assert!(matches!(statuses[1], Status::Violated(_)));
}

/// An atom without a value concerns only those who ask for it.
#[test]
fn trap_14_a_fault_of_one_formula_does_not_end_the_others() {
    let mut model = Model::plain(&[&[1], &[0]], &[0, 3]);
    model.undefined[1] = 1;
    // The second label only.
    let claim = buchi(vec![vec![edge(1, 0, 0, 1), edge(0, 1, 0, 0)]]);
    let other = Claim {
        automaton: Arc::clone(&claim.automaton),
        atoms: vec![1, 1, 1, 1],
    };
    let both = statuses(&model, &[claim, other], Method::Full);
    assert!(matches!(&both[0], Status::Undefined(why) if why.contains("atom 0")));
    assert!(matches!(both[1], Status::Violated(_)));
}

/// What does not fit is given up, and nothing is said to hold.
#[test]
fn what_is_recorded_is_limited() {
    let count = 5000;
    let edges: Vec<Vec<usize>> = (0..count)
        .map(|number| vec![(number + 1) % count, number / 2])
        .collect();
    let edges: Vec<&[usize]> = edges.iter().map(Vec::as_slice).collect();
    let model = Arc::new(Model::plain(&edges, &vec![0; count]));
    for memory in [1000, 20_000, 60_000, 1 << 20] {
        let system = Coded::new(&model, None);
        let tests = model.tests(&system.layout);
        let options = LivenessOptions {
            memory,
            ..options()
        };
        let mut liveness = Liveness::new(tests, &[recurs()], Fairness::default(), options).unwrap();
        let mut sweep = Sweep::new(system, NoProgress, Options::default());
        let end = sweep.run_linked::<dyn Observer>(&mut liveness);
        assert!(liveness.bytes() <= memory);
        liveness.finish(end == End::Complete).unwrap();
        let holds = liveness.statuses().next() == Some(&Status::Holds);
        assert_eq!(holds, !liveness.is_outgrown());
        assert_eq!(holds, memory > 80_000, "{memory}");
    }
}

/// A state costs sixteen bytes and an edge four, about.
#[test]
fn what_is_recorded_is_small() {
    let count = 20_000;
    let edges: Vec<Vec<usize>> = (0..count)
        .map(|number| (0..5).map(|step| (number * 3 + step) % count).collect())
        .collect();
    let edges: Vec<&[usize]> = edges.iter().map(Vec::as_slice).collect();
    let model = Arc::new(Model::plain(&edges, &vec![0; count]));
    let mut liveness = liveness(&model, &[recurs()]);
    let mut sweep = Sweep::new(Coded::new(&model, None), NoProgress, Options::default());
    assert_eq!(
        sweep.run_linked::<dyn Observer>(&mut liveness),
        End::Complete
    );
    let explored = sweep.statistics().explored as usize;
    assert!(explored > 15_000);
    assert!(
        liveness.bytes() < explored * (16 + 5 * 4) * 5 / 4,
        "{}",
        liveness.bytes()
    );
}

/// Limits are kept while a search runs.
#[test]
fn a_search_at_the_end_can_be_interrupted() {
    let count = 70_000;
    let edges: Vec<Vec<usize>> = (0..count)
        .map(|number| vec![(number + 1) % count])
        .collect();
    let edges: Vec<&[usize]> = edges.iter().map(Vec::as_slice).collect();
    let model = Arc::new(Model::plain(&edges, &vec![0; count]));
    let system = Coded::new(&model, None);
    let tests = model.tests(&system.layout);
    let limits = Limits::default();
    let options = LivenessOptions {
        limits: limits.clone(),
        ..options()
    };
    let mut liveness = Liveness::new(tests, &[recurs()], Fairness::default(), options).unwrap();
    let mut sweep = Sweep::new(system, NoProgress, Options::default());
    assert_eq!(
        sweep.run_linked::<dyn Observer>(&mut liveness),
        End::Complete
    );
    limits.cancel.cancel();
    assert!(liveness.finish(true).is_err());
    assert_eq!(liveness.statuses().next(), Some(&Status::Open));
}

fn by_thesis(model: &Model, claim: &Claim) -> ThesisAnswer {
    let model = Arc::new(model.clone());
    let system = Coded::new(&model, None);
    let atoms = model.tests(&system.layout);
    let asked = (&atoms[..], claim, &Fairness::default());
    let rows = measure(&model, Method::Rows(0));
    let answer = check_thesis(&system, &rows, asked, &Limits::default()).unwrap();
    if let Status::Violated(lasso) = &answer.status {
        let trace = judge(&system, &atoms, claim, &Fairness::default(), lasso).unwrap();
        assert!(trace.loop_start.is_some());
    }
    answer
}

/// Figure 3.6 of the thesis: the larger of two persistent states reaches the cycle of the smaller one and lies on none itself that
/// is accepted, so it hides that cycle in the first round.
#[test]
fn the_thesis_finds_hidden_cycles() {
    // 4 -> 1 leads back along the cycle of 1, and 5 -> 4 makes 4 persistent although nothing leads back to it.
    let mut model = Model::plain(&[&[5], &[2], &[3], &[1], &[1], &[4]], &[0, 0, 1, 0, 0, 0]);
    model.rows[0] = vec![0, 2, 3, 4, 3, 5];
    let answer = by_thesis(&model, &recurs());
    assert!(matches!(answer.status, Status::Violated(_)));
    assert!(answer.persistent > 1 && answer.rounds > 1, "{answer:?}");
    let answer = by_thesis(&model, &stays());
    assert_eq!(answer.status, Status::Holds);
    assert!(answer.explored > 20);
}

/// A cycle within a layer needs no propagation.
#[test]
fn the_thesis_finds_cycles_within_layers_first() {
    let model = Model::plain(&[&[1], &[2], &[1]], &[0, 0, 1]);
    let answer = by_thesis(&model, &recurs());
    assert!(matches!(answer.status, Status::Violated(_)));
    assert_eq!((answer.persistent, answer.rounds), (0, 0));
}

/// Without claims there is nothing to stop for.
#[test]
fn without_claims_everything_is_explored() {
    let model = Arc::new(Model::plain(&[&[1], &[0]], &[0, 0]));
    let mut liveness = liveness(&model, &[]);
    let mut sweep = Sweep::new(Coded::new(&model, None), NoProgress, Options::default());
    assert_eq!(
        sweep.run_linked::<dyn Observer>(&mut liveness),
        End::Complete
    );
    assert!(liveness.is_decided());
}

//! Programs print as text, and say what their actions read and write.

use sweepline_core::{ActionId, SlotId};
use sweepline_program::{Expr, SlotType, UnaryOp};

use crate::handover::handover;
use crate::models;

#[test]
fn a_program_as_text() {
    let program = handover();
    let expected = "\
program handover
  slot n: 0..=3 = 0
  slot x: 0..=3 = 0
  slot S: 0..=0 = 0
  slot R: 0..=1 = 0
  slot C: 0..=1 = 0
  process S from send
    send
  process R from idle
    idle
    busy committed
  process C from tick
    tick
    tock
  action pass
    S: send -> send
    R: idle -> busy
    when (n < 3)
    do x := n
    do n := (n + 1)
  action handled
    R: busy -> idle
  action tick
    C: tick -> tock
  action tock
    C: tock -> tick
";
    assert_eq!(program.to_string(), expected);
}

#[test]
fn signs_in_a_row_are_kept_apart() {
    let program = handover();
    let n = Expr::Slot(SlotId(0));
    let negated = |expr| Expr::unary(UnaryOp::Negate, expr);
    for (expr, expected) in [
        (negated(n.clone()), "-n"),
        (negated(negated(n.clone())), "-(-n)"),
        (negated(Expr::Constant(-5)), "-(-5)"),
        (n.clone().negated().negated(), "!(!n)"),
        (n.minus(negated(Expr::Constant(2))), "(n - -2)"),
    ] {
        assert_eq!(program.show(&expr).to_string(), expected);
    }
    let deep = (0..130).fold(Expr::Slot(SlotId(0)), |expr, _| negated(expr));
    assert!(!program.show(&deep).to_string().contains("--"));
}

#[test]
fn accesses_are_as_fine_as_indices_allow() {
    let program = models::peterson(3, &SlotType::integer(0, 3));
    let names = |slots: &std::collections::BTreeSet<_>| {
        let names = slots.iter().map(|slot| &*program.slot(*slot).name);
        names.collect::<Vec<_>>()
    };
    let claim = program.access(ActionId(1));
    assert_eq!(names(&claim.reads), ["P_0", "P_0.j"]);
    assert_eq!(names(&claim.writes), ["pos[0]", "P_0"]);
    let look = program.access(ActionId(4));
    assert_eq!(
        names(&look.reads),
        ["pos[0]", "pos[1]", "pos[2]", "P_0", "P_0.j", "P_0.k"]
    );
    assert_eq!(names(&look.writes), ["P_0.k"]);
}

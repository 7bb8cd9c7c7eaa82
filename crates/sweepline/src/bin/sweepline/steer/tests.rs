//! Steering real models with little patience.

use sweepline_check::QuestionKind;

use super::*;

fn shown(verdict: Verdict) -> Shown {
    Shown {
        name: "p".into(),
        kind: QuestionKind::Invariant,
        text: "AG p".into(),
        verdict,
        value: None,
        trace: None,
        lost_trace: None,
    }
}

#[test]
fn what_is_decided_stays_decided() {
    let open = || Verdict::Inconclusive(StopReason::OutOfMemory);
    let now = [open(), Verdict::Holds, open()];
    let before = [Verdict::Violated, open(), open()];
    let mut answers = now.map(shown);
    fill_in(&mut answers, before.map(shown).into());
    let verdicts = answers.map(|answer| answer.verdict);
    assert_eq!(verdicts, [Verdict::Violated, Verdict::Holds, open()]);
}

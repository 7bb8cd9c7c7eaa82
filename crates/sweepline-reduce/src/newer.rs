//! Work that is compiled twice: for all processors, and for those that count and find bits by themselves.

#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "only here it is known what the processor can do"
    )
)]

/// Work on bits.
pub(crate) trait Work {
    type Done;

    /// Does it. This must be in line, and everything in it: otherwise it is compiled for all processors.
    fn run(self) -> Self::Done;
}

/// Does work with what the processor has.
pub(crate) fn run<W: Work>(work: W) -> W::Done {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
    {
        // SAFETY: the processor has these instructions.
        return unsafe { run_newer(work) };
    }
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,lzcnt,popcnt")]
fn run_newer<W: Work>(work: W) -> W::Done {
    work.run()
}

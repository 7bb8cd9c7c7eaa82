//! What processors can do.

/// That the processor counts and finds bits by itself, which not all do that programs are compiled for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Newer(());

impl Newer {
    #[inline]
    pub(crate) fn detected() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
        {
            return Some(Self(()));
        }
        None
    }
}

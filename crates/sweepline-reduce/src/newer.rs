//! What processors can do that not all can which programs are compiled for.

/// Whether the processor counts and finds bits by itself.
#[inline]
pub(crate) fn counts_bits() -> bool {
    is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

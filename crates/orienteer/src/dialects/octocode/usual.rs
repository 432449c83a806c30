//! What a field is when a query does not write it.

pub(super) fn number<const N: usize>() -> usize {
    N
}

pub(super) fn small<const N: u32>() -> u32 {
    N
}

pub(super) fn yes() -> bool {
    true
}

//! Counting the bytes the scanner looks at, so that a test can prove it linear.
//! Without the feature `audit` nothing is counted.

/// Notes that `bytes` bytes have been looked at.
#[inline(always)]
pub(crate) fn look(bytes: usize) {
    #[cfg(feature = "audit")]
    counting::LOOKED.with(|looked| looked.set(looked.get() + bytes as u64));
    #[cfg(not(feature = "audit"))]
    let _ = bytes;
}

#[cfg(feature = "audit")]
mod counting {
    use std::cell::Cell;

    thread_local! {
        pub(super) static LOOKED: Cell<u64> = const { Cell::new(0) };
    }
}

/// The bytes looked at in this thread since the last call.
#[cfg(feature = "audit")]
pub fn take_looked() -> u64 {
    counting::LOOKED.with(std::cell::Cell::take)
}

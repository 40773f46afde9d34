//! A stack that is deep enough for what templates can nest.
//!
//! The engine recurses: over an expression when it compiles, over values when it
//! compares and frees them. How deep a template nests is bounded, by its length
//! and by its fuel, but not by what the caller's stack holds.

/// The stack, in bytes; what is not used takes no memory.
const STACK: usize = 256 << 20;

/// Does `work` on a deep stack, or on the one there is where there are no
/// threads.
pub(crate) fn deep<T: Send>(work: impl Fn() -> T + Sync) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        match thread.spawn_scoped(scope, &work).map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(done)) => done,
            Ok(Err(panicked)) => std::panic::resume_unwind(panicked),
            Err(_) => work(),
        }
    })
}

//! Work in several threads, the result of which does not depend on how many there are.

use std::panic::resume_unwind;
use std::sync::Mutex;
use std::thread::{self, Builder};

/// Threads that solve follow expressions, which may be nested deeply.
const STACK: usize = 16 << 20;
/// More threads are not worth starting.
const MOST: usize = 4;

/// Does something in another thread, or here if there cannot be another one.
pub fn meanwhile<A: Send, B>(there: impl Fn() -> A + Sync, here: impl FnOnce() -> B) -> (A, B) {
    thread::scope(
        |scope| match Builder::new().stack_size(STACK).spawn_scoped(scope, &there) {
            Ok(thread) => {
                let here = here();
                let there = thread.join();
                (there.unwrap_or_else(|panic| resume_unwind(panic)), here)
            }
            Err(_) => (there(), here()),
        },
    )
}

/// Does something with each item, in as many threads as there can be.
pub fn for_each<T: Send>(items: impl Iterator<Item = T> + Send, run: impl Fn(T) + Sync) {
    let items = Mutex::new(items);
    let next = || items.lock().expect("nobody panics while taking").next();
    let work = || {
        while let Some(item) = next() {
            run(item);
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 1..threads.min(MOST) {
            if Builder::new().spawn_scoped(scope, work).is_err() {
                break; // this thread does it all
            }
        }
        work();
    });
}

/// What something gives for each item, in their order.
pub fn map<T: Sync, R: Send>(items: &[T], give: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let pairs = items.iter().zip(&mut results);
    for_each(pairs, |(item, result)| *result = Some(give(item)));
    let all = results.into_iter().flatten();
    all.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..100).collect();
        let squares = map(&items, |item| item * item);
        assert!(squares.into_iter().eq(items.iter().map(|item| item * item)));
        let (there, here) = meanwhile(|| 1, || 2);
        assert_eq!((there, here), (1, 2));
    }
}

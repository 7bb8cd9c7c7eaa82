//! Bounded queues of fixed size.

use crate::cells::{Cells, bounded, collect, encode_cells};

/// A first-in-first-out queue of at most `N` values, as in a channel.
///
/// It takes the same number of bits whatever it holds, so that states stay of fixed size. Pushing onto a full queue is
/// an error of the model: the queue remembers it, and whoever hands the state over learns of it.
///
/// ```
/// use sweepline_model::{Encode, Queue};
///
/// let mut channel = Queue::<u8, 3>::new();
/// channel.push(7);
/// channel.push(8);
/// assert_eq!(channel.front(), Some(&7));
/// assert_eq!(channel.pop(), Some(7));
/// assert_eq!(channel, Queue::from_iter([8]));
/// assert_eq!(Queue::<u8, 3>::BITS, Some(2 + 3 * 8));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Queue<T, const N: usize>(Cells<T, N>);

bounded!(Queue);
collect!(Queue, [], push);
encode_cells!(Queue);

impl<T, const N: usize> Queue<T, N> {
    /// Appends a value at the back.
    #[inline]
    pub fn push(&mut self, value: T) {
        self.0.append(value);
    }

    /// Takes the value at the front.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.0.remove(0)
    }

    /// Takes the value at `index`, counted from the front.
    #[inline]
    pub fn remove(&mut self, index: usize) -> Option<T> {
        self.0.remove(index)
    }

    /// The value at the front.
    #[inline]
    pub fn front(&self) -> Option<&T> {
        self.0.get(0)
    }

    /// The value at the back.
    #[inline]
    pub fn back(&self) -> Option<&T> {
        self.0.get(self.len().checked_sub(1)?)
    }

    /// The value at `index`, counted from the front.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&T> {
        self.0.get(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{pack, unpack};

    fn packed<const N: usize>(queue: &Queue<u8, N>) -> Result<Vec<u64>, String> {
        let mut words = Vec::new();
        pack(queue, &mut words).map_err(|error| error.to_string())?;
        Ok(words)
    }

    #[test]
    fn unused_cells_are_zero() {
        let mut queue = Queue::<u8, 3>::from_iter([1, 2, 3]);
        queue.remove(1);
        // From the right: length 2 in two bits, then 1 and 3 in eight bits each.
        assert_eq!(packed(&queue).unwrap(), [0b1100_0000_0110]);
        assert_eq!(unpack::<Queue<u8, 3>>(&[0b1100_0000_0110]), queue);
        assert_eq!(queue.back(), Some(&3));
    }

    #[test]
    fn a_value_too_many_is_an_error_that_stays() {
        let mut queue = Queue::<u8, 2>::from_iter([1, 2]);
        assert!(queue.is_full() && packed(&queue).is_ok());
        queue.push(3);
        let message = "`` would hold more than 2 values, which is its capacity";
        assert_eq!(packed(&queue).unwrap_err(), message);
        queue.pop();
        queue.pop();
        assert!(packed(&queue).is_err(), "no way back");
    }
}

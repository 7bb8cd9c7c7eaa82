//! Terminal components: parts of a graph that are strongly connected and that no edge leaves.

use sweepline_core::StopReason;

use super::links::Links;
use super::search::Allowance;

/// The terminal components of what is recorded and can be reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Terminals {
    /// The numbers of each. All of them have been expanded, so they stay terminal whatever else is explored.
    pub(crate) components: Vec<Vec<u32>>,
    /// Whether something was met that has not been expanded.
    pub(crate) unfinished: bool,
}

/// When each number was found plus one; zero if it was not, and this if its component is complete.
const DONE: u32 = u32::MAX;
/// Numbers between two looks at the limits.
const PACE: u32 = 1 << 16;

/// Finds them by Tarjan's algorithm, with a stack of its own. Nothing if that takes more memory than there is.
pub(crate) fn terminals(
    links: &Links,
    allowance: &Allowance<'_>,
) -> Result<Option<Terminals>, StopReason> {
    let numbers = links.numbers() as usize;
    let most = numbers * (2 * size_of::<u32>() + 2 * size_of::<Frame>());
    if most > allowance.bytes {
        return Ok(None);
    }
    let mut tarjan = Tarjan {
        links,
        order: vec![0; numbers],
        count: 0,
        open: Vec::new(),
        frames: Vec::new(),
        found: Terminals::default(),
    };
    for root in links.initial() {
        match root {
            Some(root) => tarjan.visit(root, allowance)?,
            None => tarjan.found.unfinished = true,
        }
    }
    Ok(Some(tarjan.found))
}

struct Tarjan<'l> {
    links: &'l Links,
    order: Vec<u32>,
    count: u32,
    /// Numbers whose components are not complete, as they were found.
    open: Vec<u32>,
    frames: Vec<Frame>,
    found: Terminals,
}

struct Frame {
    number: u32,
    /// The next edge to be looked at, and where its edges end.
    next: u32,
    end: u32,
    /// The earliest number it is known to lead back to, by when that was found.
    low: u32,
    /// Where in the list of open numbers it stands.
    place: u32,
    /// Whether an edge leaves what is known of its component.
    leaves: bool,
}

impl Tarjan<'_> {
    fn visit(&mut self, root: u32, allowance: &Allowance<'_>) -> Result<(), StopReason> {
        self.meet(root);
        while let Some(frame) = self.frames.last_mut() {
            if frame.next == frame.end {
                self.leave();
                continue;
            }
            let target = self.links.target(frame.next);
            frame.next += 1;
            let Some(target) = target else {
                frame.leaves = true;
                self.found.unfinished = true;
                continue;
            };
            match self.order.get(target as usize) {
                Some(0) => {
                    self.meet(target);
                    if self.count.is_multiple_of(PACE) {
                        allowance.limits.allow(0)?;
                    }
                }
                Some(&DONE) => frame.leaves = true,
                Some(&earlier) => frame.low = frame.low.min(earlier),
                None => {
                    // It has a number, but its layer has not come that far.
                    frame.leaves = true;
                    self.found.unfinished = true;
                }
            }
        }
        Ok(())
    }

    /// A number is found, unless it was before.
    fn meet(&mut self, number: u32) {
        let Some(order @ 0) = self.order.get_mut(number as usize) else {
            self.found.unfinished |= number as usize >= self.order.len();
            return;
        };
        self.count += 1;
        *order = self.count;
        let expanded = self.links.label(number).is_some();
        self.found.unfinished |= !expanded;
        let edges = self.links.edges(number);
        self.frames.push(Frame {
            number,
            next: edges.start,
            end: edges.end,
            low: self.count,
            place: u32::try_from(self.open.len()).unwrap_or(DONE),
            leaves: !expanded,
        });
        self.open.push(number);
    }

    /// All edges of the last number have been looked at.
    fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        let complete = frame.low == self.order[frame.number as usize];
        if complete {
            let component = self.open.split_off(frame.place as usize);
            for &member in &component {
                self.order[member as usize] = DONE;
            }
            if !frame.leaves {
                self.found.components.push(component);
            }
        }
        if let Some(above) = self.frames.last_mut() {
            // A component that is complete is another one, to which an edge leads.
            above.leaves |= complete || frame.leaves;
            if !complete {
                above.low = above.low.min(frame.low);
            }
        }
    }
}

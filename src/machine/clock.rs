//! Vector clocks: what one party knows of the others' progress.
//!
//! A *component* is anything that does accesses of its own: a warp, a pipe of asynchronous operations, one such
//! operation. A component has up to 32 lanes, which share one time but are known apart: when one elected lane of a
//! warp releases, others learn of that lane only. So a clock holds, for each component, the time up to which *all*
//! its lanes are known, and a short list of exceptions: lanes known further than that.

use smallvec::SmallVec;

/// A component of the clocks of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Comp(pub u16);

impl Comp {
    /// No component: the initial state of memory.
    pub const NONE: Comp = Comp(u16::MAX);
}

/// All lanes.
pub const ALL_LANES: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Some1 {
    comp: Comp,
    lanes: u32,
    time: u32,
}

/// What is known: of each component, times up to which its lanes are known. Times start at 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    all: Vec<u32>,
    /// Disjoint lanes of a component, each further than `all`.
    some: SmallVec<[Some1; 2]>,
}

impl Clock {
    /// Whether everything that these lanes did up to the time is known.
    #[inline]
    pub fn knows(&self, comp: Comp, lanes: u32, time: u32) -> bool {
        if self.all.get(usize::from(comp.0)).is_some_and(|&t| t >= time) {
            return true;
        }
        let mut left = lanes;
        for s in &self.some {
            if s.comp == comp && s.time >= time {
                left &= !s.lanes;
            }
        }
        left == 0
    }

    /// The time up to which all lanes of a component are known.
    pub fn all(&self, comp: Comp) -> u32 {
        self.all.get(usize::from(comp.0)).copied().unwrap_or(0)
    }

    /// Learns that these lanes are known up to the time.
    pub fn learn(&mut self, comp: Comp, lanes: u32, time: u32) {
        if lanes == 0 || self.all(comp) >= time {
            return;
        }
        if lanes == ALL_LANES {
            let index = usize::from(comp.0);
            if self.all.len() <= index {
                self.all.resize(index + 1, 0);
            }
            self.all[index] = time;
            self.some.retain(|s| s.comp != comp || s.time > time);
            return;
        }
        // Lanes that are known as far already stay with their own entry.
        let mut new = lanes;
        let mut covered = 0;
        let mut least = time;
        for s in &mut self.some {
            if s.comp == comp {
                if s.time >= time {
                    new &= !s.lanes;
                } else {
                    s.lanes &= !lanes;
                }
                if s.lanes != 0 {
                    covered |= s.lanes;
                    least = least.min(s.time);
                }
            }
        }
        self.some.retain(|s| s.lanes != 0);
        if new != 0 {
            match self.some.iter_mut().find(|s| s.comp == comp && s.time == time) {
                Some(s) => s.lanes |= new,
                None => self.some.push(Some1 { comp, lanes: new, time }),
            }
        }
        if (covered | new) == ALL_LANES {
            self.learn(comp, ALL_LANES, least);
        }
    }

    /// Learns all that the other knows.
    pub fn join(&mut self, other: &Clock) {
        if self.all.len() < other.all.len() {
            self.all.resize(other.all.len(), 0);
        }
        for (mine, &theirs) in self.all.iter_mut().zip(&other.all) {
            *mine = (*mine).max(theirs);
        }
        if !self.some.is_empty() {
            let all = &self.all;
            self.some.retain(|s| all.get(usize::from(s.comp.0)).copied().unwrap_or(0) < s.time);
        }
        for s in &other.some {
            self.learn(s.comp, s.lanes, s.time);
        }
    }

    /// Learns what the other knows of some components.
    pub fn join_of(&mut self, other: &Clock, of: impl Fn(Comp) -> bool) {
        for (i, &time) in other.all.iter().enumerate() {
            let comp = Comp(i as u16);
            if time > self.all(comp) && of(comp) {
                self.learn(comp, ALL_LANES, time);
            }
        }
        for s in other.some.iter().filter(|s| of(s.comp)) {
            self.learn(s.comp, s.lanes, s.time);
        }
    }

    /// Whether this clock knows all that the other knows.
    pub fn includes(&self, other: &Clock) -> bool {
        other.all.iter().enumerate().all(|(i, &t)| t == 0 || self.knows(Comp(i as u16), ALL_LANES, t))
            && other.some.iter().all(|s| self.knows(s.comp, s.lanes, s.time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_elected_lane_is_known_alone() {
        let mut c = Clock::default();
        c.learn(Comp(3), 1, 5);
        assert!(c.knows(Comp(3), 1, 5));
        assert!(!c.knows(Comp(3), 2, 1));
        c.learn(Comp(3), ALL_LANES, 4);
        assert!(c.knows(Comp(3), ALL_LANES, 4) && c.knows(Comp(3), 1, 5) && !c.knows(Comp(3), 2, 5));
        c.learn(Comp(3), !1, 7);
        assert!(c.knows(Comp(3), ALL_LANES, 5) && !c.knows(Comp(3), ALL_LANES, 6));
    }

    proptest! {
        /// Against a table of all lanes.
        #[test]
        fn like_a_table(ops in prop::collection::vec((0u16..3, any::<u32>(), 1u32..6, any::<bool>()), 1..40)) {
            let mut clocks = [Clock::default(), Clock::default()];
            // Of each clock: the time of lane `l` of component `c` at 32 c + l.
            let mut tables = [[0u32; 96]; 2];
            for (comp, lanes, time, join) in ops {
                let which = (lanes & 1) as usize;
                if join {
                    let other = clocks[1 - which].clone();
                    clocks[which].join(&other);
                    let other = tables[1 - which];
                    for (mine, theirs) in tables[which].iter_mut().zip(other) {
                        *mine = (*mine).max(theirs);
                    }
                } else {
                    clocks[which].learn(Comp(comp), lanes, time);
                    let row = &mut tables[which][comp as usize * 32..][..32];
                    for (l, known) in row.iter_mut().enumerate().filter(|(l, _)| lanes >> l & 1 == 1) {
                        let _ = l;
                        *known = (*known).max(time);
                    }
                }
                for (i, &known) in tables[which].iter().enumerate() {
                    for t in 1..6 {
                        let knows = clocks[which].knows(Comp(i as u16 / 32), 1 << (i % 32), t);
                        prop_assert_eq!(knows, known >= t);
                    }
                }
                let includes = tables[0].iter().zip(&tables[1]).all(|(a, b)| a >= b);
                prop_assert_eq!(clocks[0].includes(&clocks[1]), includes);
            }
        }
    }
}

//! Happens-before: who knows what of whom, by vector clocks ([`crate::clock`]).
//!
//! - Program order: a lane knows its own accesses. Lanes of a warp do *not* know each other's until a warp-level or
//!   wider barrier, as in the PTX memory model (ISA chapter 8): that they run in lock-step orders nothing.
//! - A release (an arrival, a barrier) hands on what the releasing lanes know; an acquire takes it in.
//! - A knowledge has two colours. `generic` is what is ordered before; `proxied` is the part of it that also went
//!   through a proxy fence, so that the async proxy sees it (ISA 8.6: causality across proxies needs a proxy fence
//!   along the path; by whom does not matter). Completions of asynchronous operations are in both.
//! - A third colour, `control`, is what has happened before without its effects being visible: the completion of an
//!   operation hands on no data of its issuer, but it shows that the issuer came as far as the issue. Only the check
//!   for lapped waiters ([`crate::barrier`]) looks at it.
//! - `fenced` is what a later *relaxed* arrival releases: what was known at the last fence.

use crate::clock::{ALL_LANES, Clock, Comp};
use smallvec::SmallVec;
use std::sync::Arc;

/// What somebody knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Knowledge {
    /// What happens before.
    pub generic: Arc<Clock>,
    /// The part of it that the async proxy sees.
    pub proxied: Arc<Clock>,
    /// What has happened, visible or not.
    pub control: Arc<Clock>,
}

impl Knowledge {
    /// Takes in all that the other knows.
    pub fn join(&mut self, other: &Knowledge) {
        join(&mut self.generic, &other.generic);
        join(&mut self.proxied, &other.proxied);
        join(&mut self.control, &other.control);
    }

    /// Learns that something has happened, without its effects.
    pub fn join_control(&mut self, other: &Arc<Clock>) {
        join(&mut self.control, other);
    }

    /// Learns of lanes of a component, in all colours.
    pub fn learn(&mut self, comp: Comp, lanes: u32, time: u32) {
        for clock in [&mut self.generic, &mut self.proxied, &mut self.control] {
            if !clock.knows(comp, lanes, time) {
                Arc::make_mut(clock).learn(comp, lanes, time);
            }
        }
    }
}

fn join(mine: &mut Arc<Clock>, theirs: &Arc<Clock>) {
    if Arc::ptr_eq(mine, theirs) || mine.includes(theirs) {
        return;
    }
    if theirs.includes(mine) {
        *mine = Arc::clone(theirs);
    } else {
        Arc::make_mut(mine).join(theirs);
    }
}

/// Lanes of an agent that know the same.
#[derive(Clone, Debug)]
struct Class {
    lanes: u32,
    knowledge: Knowledge,
    fenced: Arc<Clock>,
    /// The part of it that the async proxy sees.
    fenced_proxied: Arc<Clock>,
}

/// What the lanes of one agent know, and its time.
#[derive(Clone, Debug)]
pub struct AgentOrder {
    /// The agent's own component.
    pub comp: Comp,
    /// The time of what the agent does now.
    pub time: u32,
    /// Lanes that do not exist in this agent: they count as taking part in everything.
    absent: u32,
    classes: SmallVec<[Class; 1]>,
}

impl AgentOrder {
    /// An agent of these lanes that knows what the launch did.
    pub fn new(comp: Comp, lanes: u32) -> AgentOrder {
        let class = Class {
            lanes: ALL_LANES,
            knowledge: Knowledge::default(),
            fenced: Arc::default(),
            fenced_proxied: Arc::default(),
        };
        AgentOrder { comp, time: 1, absent: !lanes, classes: SmallVec::from_buf([class]) }
    }

    fn full(&self, lanes: u32) -> u32 {
        lanes | self.absent
    }

    /// What a lane knows.
    #[inline]
    pub fn knowledge(&self, lane: u32) -> &Knowledge {
        let class = self.classes.iter().find(|c| c.lanes >> (lane & 31) & 1 == 1);
        &class.unwrap_or(&self.classes[0]).knowledge
    }

    /// What each of these lanes knows, when they all know the same.
    #[inline]
    pub fn common_knowledge(&self, lanes: u32) -> Option<&Knowledge> {
        self.classes.iter().find(|c| lanes & !c.lanes == 0).map(|c| &c.knowledge)
    }

    /// What all of these lanes know together, their own doings included: what an operation starts from that they
    /// issue as one.
    pub fn joint(&self, lanes: u32) -> Knowledge {
        let mut out = Knowledge::default();
        for class in self.classes.iter().filter(|c| c.lanes & lanes != 0) {
            out.join(&class.knowledge);
        }
        let own = self.full(lanes);
        Arc::make_mut(&mut out.generic).learn(self.comp, own, self.time);
        Arc::make_mut(&mut out.control).learn(self.comp, own, self.time);
        out
    }

    /// What an asynchronous operation issued by these lanes starts from: [`AgentOrder::joint`]. The time goes on, so
    /// that what the agent does next is not taken for known.
    pub fn issue(&mut self, lanes: u32) -> Knowledge {
        let out = self.joint(lanes);
        self.time += 1;
        out
    }

    /// Hands on what these lanes know.
    pub fn release(&mut self, lanes: u32, into: &mut Knowledge) {
        let mut own = lanes;
        for class in self.classes.iter().filter(|c| c.lanes & lanes != 0) {
            into.join(&class.knowledge);
            own |= class.lanes & self.absent;
        }
        let own = if (own | self.absent) == ALL_LANES { ALL_LANES } else { lanes };
        Arc::make_mut(&mut into.generic).learn(self.comp, own, self.time);
        Arc::make_mut(&mut into.control).learn(self.comp, own, self.time);
        self.time += 1;
    }

    /// Hands on what these lanes knew at their last fence: a relaxed arrival.
    pub fn release_fenced(&mut self, lanes: u32, into: &mut Knowledge) {
        for class in self.classes.iter().filter(|c| c.lanes & lanes != 0) {
            join(&mut into.generic, &class.fenced);
            join(&mut into.proxied, &class.fenced_proxied);
            join(&mut into.control, &class.knowledge.control);
        }
        let own = self.full(lanes);
        Arc::make_mut(&mut into.control).learn(self.comp, own, self.time);
        self.time += 1;
    }

    /// Learns that something has happened, without its effects.
    pub fn learn_control(&mut self, lanes: u32, clock: &Arc<Clock>) {
        let lanes = self.full(lanes);
        self.split(lanes);
        for class in self.classes.iter_mut().filter(|c| c.lanes & lanes != 0) {
            join(&mut class.knowledge.control, clock);
        }
    }

    /// Takes in what was released.
    pub fn acquire(&mut self, lanes: u32, from: &Knowledge) {
        let lanes = self.full(lanes);
        self.split(lanes);
        for class in self.classes.iter_mut().filter(|c| c.lanes & lanes != 0) {
            class.knowledge.join(from);
        }
        self.merge_equal();
    }

    /// Learns of the completion of an asynchronous operation.
    pub fn learn(&mut self, lanes: u32, comp: Comp, of: u32, time: u32) {
        let lanes = self.full(lanes);
        self.split(lanes);
        for class in self.classes.iter_mut().filter(|c| c.lanes & lanes != 0) {
            class.knowledge.learn(comp, of, time);
        }
    }

    /// Learns of something that the async proxy does not see yet.
    pub fn learn_generic(&mut self, lanes: u32, comp: Comp, of: u32, time: u32) {
        let lanes = self.full(lanes);
        self.split(lanes);
        for class in self.classes.iter_mut().filter(|c| c.lanes & lanes != 0) {
            for clock in [&mut class.knowledge.generic, &mut class.knowledge.control] {
                Arc::make_mut(clock).learn(comp, of, time);
            }
        }
    }

    /// A barrier among lanes of the agent: `bar.warp.sync`.
    pub fn sync_lanes(&mut self, lanes: u32) {
        let mut all = Knowledge::default();
        self.release(lanes, &mut all);
        self.acquire(lanes, &all);
    }

    /// A generic fence: a later relaxed arrival releases what is known now.
    pub fn fence(&mut self, lanes: u32) {
        let lanes = self.full(lanes);
        self.split(lanes);
        let (comp, time) = (self.comp, self.time);
        for class in self.classes.iter_mut().filter(|c| c.lanes & lanes != 0) {
            let mut clock = Arc::clone(&class.knowledge.generic);
            Arc::make_mut(&mut clock).learn(comp, class.lanes, time);
            class.fenced = clock;
            class.fenced_proxied = Arc::clone(&class.knowledge.proxied);
        }
        self.time += 1;
    }

    /// A fence that covers one component only (`fence.mbarrier_init`: the initialisations of barriers), for the async
    /// proxy too.
    pub fn fence_of(&mut self, lanes: u32, comp: Comp, of: u32, time: u32) {
        let lanes = self.full(lanes);
        self.split(lanes);
        for class in self.classes.iter_mut().filter(|c| c.lanes & lanes != 0) {
            Arc::make_mut(&mut class.fenced).learn(comp, of, time);
            Arc::make_mut(&mut class.fenced_proxied).learn(comp, of, time);
            Arc::make_mut(&mut class.knowledge.proxied).learn(comp, of, time);
        }
    }

    /// A proxy fence: all that is known now is seen by the async proxy.
    pub fn proxy_fence(&mut self, lanes: u32) {
        let lanes = self.full(lanes);
        self.split(lanes);
        let (comp, time) = (self.comp, self.time);
        for class in self.classes.iter_mut().filter(|c| c.lanes & lanes != 0) {
            let k = &mut class.knowledge;
            join(&mut k.proxied, &k.generic);
            Arc::make_mut(&mut k.proxied).learn(comp, class.lanes & lanes, time);
        }
        self.time += 1;
    }

    /// Makes every class lie inside or outside of the lanes.
    fn split(&mut self, lanes: u32) {
        for i in 0..self.classes.len() {
            let class = &mut self.classes[i];
            let (inside, outside) = (class.lanes & lanes, class.lanes & !lanes);
            if inside != 0 && outside != 0 {
                class.lanes = inside;
                let mut other = class.clone();
                other.lanes = outside;
                self.classes.push(other);
            }
        }
    }

    fn merge_equal(&mut self) {
        let mut i = 0;
        while i < self.classes.len() {
            let mut j = i + 1;
            while j < self.classes.len() {
                let (a, b) = (&self.classes[i], &self.classes[j]);
                if a.knowledge == b.knowledge && a.fenced == b.fenced && a.fenced_proxied == b.fenced_proxied
                {
                    let lanes = b.lanes;
                    self.classes[i].lanes |= lanes;
                    self.classes.swap_remove(j);
                } else {
                    j += 1;
                }
            }
            i += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_elected_arrival_orders_its_own_lane_only() {
        let (mut p, mut c) = (AgentOrder::new(Comp(0), ALL_LANES), AgentOrder::new(Comp(1), ALL_LANES));
        let t = p.time;
        let mut barrier = Knowledge::default();
        p.release(1, &mut barrier);
        c.acquire(ALL_LANES, &barrier);
        assert!(c.knowledge(5).generic.knows(Comp(0), 1, t));
        assert!(!c.knowledge(5).generic.knows(Comp(0), 2, t));
        // With the lanes joined before, all is known.
        let t = p.time;
        p.sync_lanes(ALL_LANES);
        let mut barrier = Knowledge::default();
        p.release(1, &mut barrier);
        c.acquire(ALL_LANES, &barrier);
        assert!(c.knowledge(5).generic.knows(Comp(0), ALL_LANES, t));
        assert_eq!(c.classes.len(), 1);
    }

    #[test]
    fn a_relaxed_arrival_releases_what_was_fenced() {
        let mut p = AgentOrder::new(Comp(0), ALL_LANES);
        let t = p.time;
        let mut out = Knowledge::default();
        p.release_fenced(ALL_LANES, &mut out);
        assert!(!out.generic.knows(Comp(0), 1, t));
        p.fence(ALL_LANES);
        p.release_fenced(ALL_LANES, &mut out);
        assert!(out.generic.knows(Comp(0), ALL_LANES, t));
        assert!(!out.generic.knows(Comp(0), ALL_LANES, p.time));
    }

    #[test]
    fn the_async_proxy_sees_what_a_fence_on_the_path_covers() {
        let (mut p, mut c) = (AgentOrder::new(Comp(0), ALL_LANES), AgentOrder::new(Comp(1), ALL_LANES));
        let t = p.time;
        let mut barrier = Knowledge::default();
        p.release(ALL_LANES, &mut barrier);
        c.acquire(ALL_LANES, &barrier);
        assert!(!c.issue(1).proxied.knows(Comp(0), 1, t));
        c.proxy_fence(1);
        assert!(c.issue(1).proxied.knows(Comp(0), 1, t));
        assert!(!c.issue(2).proxied.knows(Comp(0), 1, t));
    }
}

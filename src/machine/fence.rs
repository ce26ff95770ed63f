//! Fences, and order through memory locations: release and acquire on loads, stores and atomics.

use crate::access::Address;
use crate::barrier::Release;
use crate::hardware::{Actor, Hardware};

impl Hardware {
    /// A fence of the generic proxy (`fence.acq_rel`, `fence.sc`, `membar`): later relaxed arrivals, stores and
    /// atomics of these lanes release what they know now, and what their relaxed loads have seen is acquired.
    pub fn fence(&mut self, actor: Actor) {
        self.fence_at(actor, true);
    }

    /// [`Hardware::fence`] of a scope: `gpu` says that it reaches other clusters.
    pub fn fence_at(&mut self, actor: Actor, gpu: bool) {
        if !self.config.races {
            return;
        }
        let state = self.agent_mut(actor.agent);
        let observed = std::mem::take(&mut state.observed);
        state.order.acquire(actor.lanes, &observed);
        state.order.fence(actor.lanes);
        if !gpu {
            return;
        }
        if state.saw_clusters {
            state.saw_clusters = false;
            self.global.acquire_observed(self.cluster);
        }
        self.global.fence(self.cluster);
    }

    /// `fence.mbarrier_init`: the initialisations of mbarriers by these lanes are released by their relaxed arrivals,
    /// and the async proxy sees them.
    pub fn fence_mbarrier_init(&mut self, actor: Actor) {
        if self.config.races {
            let state = self.agent_mut(actor.agent);
            let (comp, time) = state.inits;
            if time > 0 {
                state.order.fence_of(actor.lanes, comp, actor.lanes, time);
            }
        }
    }

    /// A proxy fence (`fence.proxy.async` and its like): what these lanes know is seen by the async proxy.
    pub fn proxy_fence(&mut self, actor: Actor) {
        if self.config.races {
            self.agent_mut(actor.agent).order.proxy_fence(actor.lanes);
        }
    }

    /// `fence.proxy.tensormap::generic.acquire` of a tensor map at an address: copies see the map as it was released
    /// there.
    pub fn map_fence(&mut self, actor: Actor, at: Address, gpu: bool) {
        self.acquire_at(actor, at, true, gpu);
        self.written_maps.remove(&location(at));
    }

    /// A tensor map was written (`tensormap.replace`, `tensormap.cp_fenceproxy`): it has to be fenced before its use.
    pub fn map_written(&mut self, actor: Actor, at: Address) {
        self.written_maps.insert(location(at), actor);
    }

    /// Who wrote a tensor map that has not been fenced since.
    pub fn unfenced_map(&self, at: Address) -> Option<Actor> {
        self.written_maps.get(&location(at)).copied()
    }

    /// `bar.warp.sync`: the lanes know of each other.
    pub fn sync_lanes(&mut self, actor: Actor) {
        if self.config.races {
            self.agent_mut(actor.agent).order.sync_lanes(actor.lanes);
        }
    }

    /// A strong store or atomic releases at a location. `gpu` says that its scope reaches other clusters.
    pub fn release_at(&mut self, actor: Actor, at: Address, release: Release, gpu: bool) {
        if !self.config.races {
            return;
        }
        let key = location(at);
        let knowledge = self.locations.entry(key).or_default();
        let order = &mut self.agents[actor.agent.0 as usize].order;
        match release {
            Release::Release => order.release(actor.lanes, knowledge),
            Release::Relaxed => order.release_fenced(actor.lanes, knowledge),
        }
        if let (Address::Global(a), true) = (at, gpu) {
            match release {
                Release::Release => self.global.release(self.cluster, a),
                Release::Relaxed => self.global.release_fenced(self.cluster, a),
            }
        }
    }

    /// A strong load or atomic acquires at a location; a relaxed one keeps what it saw for a later fence.
    pub fn acquire_at(&mut self, actor: Actor, at: Address, acquire: bool, gpu: bool) {
        if !self.config.races {
            return;
        }
        let state = &mut self.agents[actor.agent.0 as usize];
        if let Some(knowledge) = self.locations.get(&location(at)) {
            if acquire {
                state.order.acquire(actor.lanes, knowledge);
            } else {
                state.observed.join(knowledge);
            }
        }
        if let (Address::Global(a), true) = (at, gpu) {
            if acquire {
                self.global.acquire(self.cluster, a);
            } else {
                state.saw_clusters = true;
                self.global.observe(self.cluster, a);
            }
        }
    }
}

fn location(at: Address) -> u64 {
    match at {
        Address::Shared(a) => crate::memory::SHARED_WINDOW | u64::from(a),
        Address::Global(a) => a,
    }
}

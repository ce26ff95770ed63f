//! Named barriers of a block and the barrier of the cluster in use: with the knowledge that their generations collect.

use crate::barrier::Release;
use crate::cluster_barrier::{ClusterBarrier, ClusterError, ClusterLanes, ClusterWait};
use crate::finding::{Code, Finding};
use crate::hardware::{Actor, AgentId, AgentState, Hardware, Stop, lane_list};
use crate::named::{Arrival, BARRIERS, Completion, Expected, Kind, NamedBarriers};
use crate::order::Knowledge;

/// The named barriers of a block.
pub struct NamedState {
    barriers: Option<NamedBarriers>,
    knowledge: Vec<(Knowledge, Knowledge)>,
    /// The last two generations that reduced: barrier, generation, result.
    results: Vec<(u32, u64, u32)>,
}

impl NamedState {
    /// Of a block of so many threads (beyond 1024 there are none: a launch refuses such a block).
    pub(crate) fn new(threads: u32) -> NamedState {
        let knowledge = vec![Default::default(); BARRIERS as usize];
        NamedState { barriers: NamedBarriers::new(threads).ok(), knowledge, results: Vec::new() }
    }

    fn complete(&mut self, completion: &Completion) {
        if let Some((pending, completed)) = self.knowledge.get_mut(completion.id as usize) {
            completed.join(pending);
        }
        if let Some(value) = completion.reduction {
            self.results.retain(|r| r.0 != completion.id || r.1 + 1 >= completion.generation);
            self.results.push((completion.id, completion.generation, value));
        }
    }
}

/// The barrier of the cluster.
#[derive(Default)]
pub(crate) struct ClusterState {
    barrier: Option<ClusterBarrier>,
    pending: Knowledge,
    completed: Knowledge,
}

impl ClusterState {
    pub(crate) fn new(agents: &[AgentState]) -> ClusterState {
        let blocks = agents.iter().map(|a| a.rank + 1).max().unwrap_or(0);
        let threads = agents.iter().filter(|a| a.rank == 0).map(|a| a.lanes.count_ones()).sum();
        ClusterState { barrier: ClusterBarrier::new(blocks, threads).ok(), ..ClusterState::default() }
    }
}

impl Hardware {
    /// `bar.sync`, `bar.arrive`, `bar.red` by the actor's lanes; the generation that it belongs to.
    ///
    /// # Errors
    ///
    /// [`Stop`] with a finding: an id or count out of range, disagreement with others of the generation, a second
    /// arrival of a warp, lanes missing from an aligned form.
    pub fn named_arrive(
        &mut self,
        actor: Actor,
        (id, count): (u32, Option<u32>),
        kind: Kind,
        aligned: bool,
        predicate: u32,
    ) -> Result<u64, Stop> {
        let warp = self.agent(actor.agent).index;
        let rank = self.agent(actor.agent).rank as usize;
        let arrival = Arrival { id, count, kind, aligned, warp, lanes: actor.lanes, predicate };
        let Some(barriers) = self.blocks[rank].named.barriers.as_mut() else { return Err(Stop) };
        let outcome = match barriers.arrive(arrival) {
            Ok(outcome) => outcome,
            Err(e) => {
                let who = self.who(actor.agent, actor.lanes);
                let finding = Finding::new(Code::NamedBarrier, format!("{who}: {e}")).at(actor.place, "here");
                return self.fail(finding);
            }
        };
        let named = &mut self.blocks[rank].named;
        if self.config.races
            && let Some((pending, _)) = named.knowledge.get_mut(id as usize)
        {
            self.agents[actor.agent.0 as usize].order.release(actor.lanes, pending);
        }
        if let Some(completion) = outcome.completed {
            self.version += 1;
            named.complete(&completion);
        }
        Ok(outcome.generation)
    }

    /// Whether a generation is complete: then the lanes know what it collected, and get the reduction if there was one.
    pub fn named_wait(&mut self, actor: Actor, id: u32, generation: u64) -> Option<u32> {
        if !self.named_passed(actor, id, generation) {
            return None;
        }
        let rank = self.agent(actor.agent).rank as usize;
        let named = &self.blocks[rank].named;
        if self.config.races
            && let Some((_, completed)) = named.knowledge.get(id as usize)
        {
            self.agents[actor.agent.0 as usize].order.acquire(actor.lanes, completed);
        }
        let result = named.results.iter().find(|r| r.0 == id && r.1 == generation);
        Some(result.map_or(0, |r| r.2))
    }

    pub(crate) fn named_passed(&self, actor: Actor, id: u32, generation: u64) -> bool {
        let rank = self.agent(actor.agent).rank as usize;
        let barriers = self.blocks[rank].named.barriers.as_ref();
        barriers.and_then(|b| b.generation(id)).is_none_or(|now| now > generation)
    }

    pub(crate) fn named_exit(&mut self, actor: Actor) -> Result<(), Stop> {
        let (rank, index) = (self.agent(actor.agent).rank as usize, self.agent(actor.agent).index);
        let lanes = actor.lanes & self.agent(actor.agent).lanes;
        let named = &mut self.blocks[rank].named;
        let completions = named.barriers.as_mut().and_then(|b| b.exit(index, lanes).ok()).unwrap_or_default();
        for completion in completions {
            named.complete(&completion);
        }
        Ok(())
    }

    pub(crate) fn named_missing(&self, actor: Actor, id: u32) -> Option<String> {
        let rank = self.agent(actor.agent).rank as usize;
        let barriers = self.blocks[rank].named.barriers.as_ref()?;
        let came: u32 = barriers.participants(id).iter().map(|p| p.lanes.count_ones()).sum();
        let expected = match barriers.expected(id)? {
            Expected::Threads(n) => format!("{n} threads"),
            Expected::Block => "all threads of the block that have not ended".to_owned(),
        };
        Some(format!("named barrier {id} expects {expected}; {came} came"))
    }

    /// Agents of the block that have not come to a named barrier.
    pub(crate) fn named_absent(&self, actor: Actor, id: u32) -> Vec<AgentId> {
        let rank = self.agent(actor.agent).rank;
        let barriers = self.blocks[rank as usize].named.barriers.as_ref();
        let came = |index: u32| barriers.is_some_and(|b| b.participants(id).iter().any(|p| p.warp == index));
        let agents = (0u32..).zip(&self.agents);
        agents
            .filter(|(_, a)| a.rank == rank && a.live != 0 && !came(a.index))
            .map(|(i, _)| AgentId(i))
            .collect()
    }

    /// `barrier.cluster.arrive`.
    ///
    /// # Errors
    ///
    /// [`Stop`] with a finding: a second arrival without a wait, lanes missing from the aligned form.
    pub fn cluster_arrive(&mut self, actor: Actor, release: Release, aligned: bool) -> Result<(), Stop> {
        let who = self.cluster_lanes(actor, aligned);
        let outcome = self.cluster_state.barrier.as_mut().map(|b| b.arrive(who));
        let outcome = match outcome {
            Some(Ok(outcome)) => outcome,
            Some(Err(e)) => return self.cluster_misuse(actor, &e),
            None => return Err(Stop),
        };
        if self.config.races {
            let order = &mut self.agents[actor.agent.0 as usize].order;
            match release {
                Release::Release => order.release(actor.lanes, &mut self.cluster_state.pending),
                Release::Relaxed => order.release_fenced(actor.lanes, &mut self.cluster_state.pending),
            }
        }
        if outcome.completed {
            self.version += 1;
            let pending = self.cluster_state.pending.clone();
            self.cluster_state.completed.join(&pending);
        }
        Ok(())
    }

    /// `barrier.cluster.wait`: `None` when the generation is complete, else the generation to wait for.
    ///
    /// # Errors
    ///
    /// [`Stop`] with a finding: no arrival before.
    pub fn cluster_wait(&mut self, actor: Actor, acquire: bool, aligned: bool) -> Result<Option<u64>, Stop> {
        let who = self.cluster_lanes(actor, aligned);
        match self.cluster_state.barrier.as_mut().map(|b| b.wait(who)) {
            Some(Ok(ClusterWait::Passed { .. })) => {
                if self.config.races && acquire {
                    let order = &mut self.agents[actor.agent.0 as usize].order;
                    order.acquire(actor.lanes, &self.cluster_state.completed);
                }
                Ok(None)
            }
            Some(Ok(ClusterWait::Pending { generation })) => Ok(Some(generation)),
            Some(Err(e)) => self.cluster_misuse(actor, &e),
            None => Err(Stop),
        }
    }

    fn cluster_lanes(&self, actor: Actor, aligned: bool) -> ClusterLanes {
        let agent = self.agent(actor.agent);
        ClusterLanes { block: agent.rank, warp: agent.index, lanes: actor.lanes & agent.lanes, aligned }
    }

    fn cluster_misuse<T>(&mut self, actor: Actor, e: &ClusterError) -> Result<T, Stop> {
        let who = self.who(actor.agent, actor.lanes);
        self.fail(Finding::new(Code::ClusterBarrier, format!("{who}: {e}")).at(actor.place, "here"))
    }

    pub(crate) fn cluster_passed(&self, generation: u64) -> bool {
        self.cluster_state.barrier.as_ref().is_none_or(|b| b.generation() > generation)
    }

    pub(crate) fn cluster_exit(&mut self, actor: Actor) -> Result<(), Stop> {
        let who = self.cluster_lanes(actor, false);
        let state = &mut self.cluster_state;
        let ended = state.barrier.as_mut().map(|b| b.exit(who.block, who.warp, who.lanes));
        if let Some(Ok(Some(_))) = ended {
            let pending = state.pending.clone();
            state.completed.join(&pending);
        }
        Ok(())
    }

    pub(crate) fn cluster_missing(&self) -> Option<String> {
        let barrier = self.cluster_state.barrier.as_ref()?;
        let who: Vec<String> = barrier
            .missing_lanes()
            .take(6)
            .map(|(rank, warp, lanes)| match lanes {
                u32::MAX => format!("warp {warp} of rank {rank}"),
                lanes => format!("lanes {} of warp {warp} of rank {rank}", lane_list(lanes)),
            })
            .collect();
        let more = if barrier.missing_lanes().count() > 6 { ", and more" } else { "" };
        Some(format!("the barrier of the cluster waits for {}{more}", who.join(", ")))
    }

    /// Agents that have not come to the barrier of the cluster.
    pub(crate) fn cluster_absent(&self) -> Vec<AgentId> {
        let Some(barrier) = self.cluster_state.barrier.as_ref() else { return Vec::new() };
        let missing: Vec<_> = barrier.missing_lanes().map(|(rank, warp, _)| (rank, warp)).collect();
        let agents = (0u32..).zip(&self.agents);
        agents.filter(|(_, a)| missing.contains(&(a.rank, a.index))).map(|(i, _)| AgentId(i)).collect()
    }
}

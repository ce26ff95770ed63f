//! The hardware of one cluster: its blocks' shared memories and barriers, its agents' knowledge, its engines.
//!
//! A program (an interpreter of PTX or of IR) drives it: each operation of a kernel is a call here. Calls never
//! block: an operation that has to wait says so, and the program returns to the scheduler with a [`Wait`].

use crate::barrier::Barriers;
use crate::clock::{ALL_LANES, Clock, Comp};
use crate::engine::{Engine, Groups, LaneGroups};
use crate::finding::{Code, Finding, Place};
use crate::global::GlobalState;
use crate::meet::{ClusterState, NamedState};
use crate::memory::Shared;
use crate::order::{AgentOrder, Knowledge};
use crate::shadow::Shadow;
use crate::tensor_memory::TensorMemory;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::sync::Arc;

/// An agent of a cluster: its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AgentId(pub u32);

/// The run cannot go on: a finding says why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop;

/// What is checked.
#[derive(Clone, Debug)]
pub struct Config {
    /// Find races and missing fences.
    pub races: bool,
    /// Find reads of memory that was never written.
    pub uninitialised: bool,
    /// How many instructions of a warp a run may execute in all.
    pub fuel: u64,
    /// How many findings of a run are kept.
    pub max_findings: usize,
}

impl Default for Config {
    fn default() -> Config {
        Config { races: true, uninitialised: true, fuel: u64::MAX, max_findings: 20 }
    }
}

/// Who does something: an agent, its lanes, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Actor {
    /// The agent.
    pub agent: AgentId,
    /// Its lanes.
    pub lanes: u32,
    /// The place.
    pub place: Place,
}

/// What an agent waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Who waits, where.
    pub actor: Actor,
    /// For what.
    pub on: WaitOn,
}

/// See [`Wait`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitOn {
    /// The completion of phase `phase` of the mbarrier at a shared address (a parity wait names a phase, too: the
    /// one that was current when it began to wait).
    Mbarrier {
        /// The shared address.
        barrier: u32,
        /// The phase.
        phase: u64,
        /// The wait gives up after some time and returns false (`try_wait`).
        may_expire: bool,
    },
    /// A generation of a named barrier of the agent's block.
    Named {
        /// Which barrier.
        id: u32,
        /// Which generation.
        generation: u64,
    },
    /// A generation of the cluster's barrier.
    Cluster {
        /// Which generation.
        generation: u64,
    },
    /// At most `allow` of the latest groups still pending.
    Groups {
        /// Of which kind.
        kind: Groups,
        /// How many may be pending.
        allow: u32,
        /// Until their reads are done only.
        reads: bool,
        /// What is in no group yet counts, too.
        open: bool,
    },
    /// Other lanes of the same agent, which have to run the same instruction.
    Lanes {
        /// Those that are missing.
        missing: u32,
    },
    /// Tensor memory columns.
    TensorColumns {
        /// How many.
        columns: u32,
    },
    /// The value of a memory location, asked again and again.
    Poll,
}

/// A block of the cluster.
pub struct Block {
    /// `%ctaid`
    pub ctaid: [u32; 3],
    /// Its shared memory.
    pub shared: Shared,
    /// The mbarriers in it.
    pub barriers: Barriers,
    /// The named barriers.
    pub named: NamedState,
    /// Who touched its shared memory.
    pub shadow: Shadow,
    /// Agents that have not ended.
    pub live: u32,
    /// Accesses by peers that the block's end has to wait for: component, lanes, time, place.
    pub(crate) reached: Vec<(Comp, u32, u32, Place)>,
    /// Its tensor memory, once it is used.
    pub tensor: Option<Box<TensorMemory>>,
}

/// What the machine knows of an agent.
pub struct AgentState {
    /// For messages: "warp 3 of block (0,1,0)".
    pub name: String,
    /// Its block's rank in the cluster.
    pub rank: u32,
    /// Its index among the block's agents (warps).
    pub index: u32,
    /// Lanes that exist.
    pub lanes: u32,
    /// Lanes that have not ended.
    pub live: u32,
    /// What it knows.
    pub order: AgentOrder,
    pub(crate) groups: FxHashMap<Groups, LaneGroups>,
    pub(crate) tracks: FxHashMap<(crate::engine::Track, bool), (Comp, u32)>,
    /// How many operations of each track it has issued.
    pub(crate) issued: FxHashMap<crate::engine::Track, u64>,
    /// What had happened when it issued its last WGMMAs.
    pub(crate) wgmma_issues: VecDeque<(u64, Arc<Clock>)>,
    /// Initialisations of mbarriers are a component of their own: `fence.mbarrier_init` covers just them.
    pub(crate) inits: (Comp, u32),
    /// What its relaxed loads have seen, for its next fence.
    pub(crate) observed: Knowledge,
    /// A relaxed load may have seen what another cluster released.
    pub(crate) saw_clusters: bool,
}

/// What was executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Instructions of warps.
    pub instructions: u64,
    /// The same, times the lanes that took part.
    pub lanes: u64,
}

/// The hardware of a cluster. See the module.
pub struct Hardware {
    /// What is checked.
    pub config: Config,
    /// Memory of all clusters.
    pub global: Arc<GlobalState>,
    /// The index of the cluster in the grid.
    pub cluster: u64,
    /// Its blocks, by rank.
    pub blocks: Vec<Block>,
    /// Its agents.
    pub agents: Vec<AgentState>,
    /// Asynchronous operations.
    pub engine: Engine,
    /// What was found.
    pub findings: Vec<Finding>,
    /// Counts of executed instructions.
    pub counts: Counts,
    /// Goes up when something happens that a waiting agent may wait for.
    pub version: u64,
    /// Waits that may expire do so now: nothing else can move.
    pub expire: bool,
    pub(crate) cluster_state: ClusterState,
    /// What was released at locations of memory.
    pub(crate) locations: FxHashMap<u64, Knowledge>,
    /// Tensor maps that were written and not fenced since, by location.
    pub(crate) written_maps: FxHashMap<u64, Actor>,
    pub(crate) comps: u16,
    /// The agent or operation behind each component, and where operations were issued.
    pub(crate) owners: Vec<Owner>,
    reported: FxHashSet<(Code, Place, Place)>,
}

/// What a component belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owner {
    pub(crate) agent: AgentId,
    pub(crate) what: &'static str,
}

impl Owner {
    /// It is of the operations of the async proxy and the tensor core, not of a warp's own accesses (`cp.async` among
    /// them).
    pub(crate) fn is_operation(&self) -> bool {
        !matches!(self.what, "" | "mbarrier.init" | "cp.async" | "cp.async arrival")
    }
}

/// A block to launch: its `%ctaid`, the bytes of shared memory of the kernel, and the lanes of each agent.
pub struct BlockLaunch {
    /// `%ctaid`
    pub ctaid: [u32; 3],
    /// Static and dynamic shared memory, the system's part not included.
    pub shared_bytes: u32,
    /// A mask of lanes for each agent.
    pub agents: Vec<u32>,
}

impl Hardware {
    /// A cluster of these blocks.
    pub fn new(config: Config, global: Arc<GlobalState>, cluster: u64, blocks: Vec<BlockLaunch>) -> Hardware {
        let mut hw = Hardware {
            config,
            global,
            cluster,
            blocks: Vec::new(),
            agents: Vec::new(),
            engine: Engine::default(),
            findings: Vec::new(),
            counts: Counts::default(),
            version: 0,
            expire: false,
            cluster_state: ClusterState::default(),
            locations: FxHashMap::default(),
            written_maps: FxHashMap::default(),
            comps: 0,
            owners: Vec::new(),
            reported: FxHashSet::default(),
        };
        for (rank, launch) in blocks.into_iter().enumerate() {
            let threads = launch.agents.iter().map(|l| l.count_ones()).sum();
            let [x, y, z] = launch.ctaid;
            for (index, &lanes) in launch.agents.iter().enumerate() {
                let agent = AgentId(hw.agents.len() as u32);
                let comp = hw.component(agent, "");
                let inits = (hw.component(agent, "mbarrier.init"), 0);
                hw.agents.push(AgentState {
                    name: format!("warp {index} of block ({x},{y},{z})"),
                    rank: rank as u32,
                    index: index as u32,
                    lanes,
                    live: lanes,
                    order: AgentOrder::new(comp, lanes),
                    groups: FxHashMap::default(),
                    tracks: FxHashMap::default(),
                    issued: FxHashMap::default(),
                    wgmma_issues: VecDeque::new(),
                    inits,
                    observed: Knowledge::default(),
                    saw_clusters: false,
                });
            }
            hw.blocks.push(Block {
                ctaid: launch.ctaid,
                shared: Shared::new(launch.shared_bytes),
                barriers: Barriers::default(),
                named: NamedState::new(threads),
                shadow: Shadow::new(),
                live: launch.agents.len() as u32,
                reached: Vec::new(),
                tensor: None,
            });
        }
        hw.cluster_state = ClusterState::new(&hw.agents);
        hw
    }

    /// A new component of the clocks.
    pub(crate) fn component(&mut self, agent: AgentId, what: &'static str) -> Comp {
        let comp = Comp(self.comps);
        // Components are used again; a run that needs 65,000 at once has lost its races' exactness, not its result.
        self.comps = (self.comps + 1).min(u16::MAX - 2);
        if self.owners.len() <= usize::from(comp.0) {
            self.owners.push(Owner { agent, what });
        }
        comp
    }

    /// The state of an agent.
    #[inline]
    pub fn agent(&self, id: AgentId) -> &AgentState {
        &self.agents[id.0 as usize]
    }

    #[inline]
    pub(crate) fn agent_mut(&mut self, id: AgentId) -> &mut AgentState {
        &mut self.agents[id.0 as usize]
    }

    /// The block of an agent.
    #[inline]
    pub fn block_of(&mut self, id: AgentId) -> &mut Block {
        let rank = self.agents[id.0 as usize].rank as usize;
        &mut self.blocks[rank]
    }

    /// For messages: "lane 5 of warp 3 of block (0,1,0)", "all lanes" left out.
    pub fn who(&self, agent: AgentId, lanes: u32) -> String {
        let state = self.agent(agent);
        if lanes & state.lanes == state.lanes || lanes == ALL_LANES {
            state.name.clone()
        } else if lanes.count_ones() == 1 {
            format!("lane {} of {}", lanes.trailing_zeros(), state.name)
        } else {
            format!("lanes {} of {}", lane_list(lanes), state.name)
        }
    }

    /// Keeps a finding, once for each pair of places; adds what is common to all.
    pub fn report(&mut self, mut finding: Finding) {
        let place = |i: usize| finding.labels.get(i).map_or(Place::NONE, |l| l.place);
        if !self.reported.insert((finding.code, place(0), place(1))) {
            return;
        }
        finding.cluster = self.cluster;
        if self.findings.len() < self.config.max_findings {
            self.findings.push(finding);
        }
    }

    /// Reports and stops.
    pub fn fail<T>(&mut self, finding: Finding) -> Result<T, Stop> {
        self.report(finding);
        Err(Stop)
    }

    /// Lanes of an agent end (`exit`). Their asynchronous work has to be done or waited for by others.
    pub fn exit(&mut self, actor: Actor) -> Result<(), Stop> {
        self.version += 1;
        self.agent_mut(actor.agent).live &= !actor.lanes;
        self.named_exit(actor)?;
        self.cluster_exit(actor)?;
        if self.agent(actor.agent).live == 0 {
            self.block_of(actor.agent).live -= 1;
            let rank = self.agent(actor.agent).rank;
            if self.blocks[rank as usize].live == 0 {
                self.block_ended(rank, actor.place);
            }
        }
        Ok(())
    }

    /// Counts an executed instruction.
    #[inline]
    pub fn count(&mut self, lanes: u32) {
        self.counts.instructions += 1;
        self.counts.lanes += u64::from(lanes.count_ones());
    }
}

/// `0, 3..7, 12`
pub fn lane_list(lanes: u32) -> String {
    let mut out = String::new();
    let mut lane = 0;
    while lane < 32 {
        if lanes >> lane & 1 == 0 {
            lane += 1;
            continue;
        }
        let first = lane;
        while lane < 32 && lanes >> lane & 1 == 1 {
            lane += 1;
        }
        let gap = if out.is_empty() { "" } else { ", " };
        let last = lane - 1;
        out += &match last - first {
            0 => format!("{gap}{first}"),
            1 => format!("{gap}{first}, {last}"),
            _ => format!("{gap}{first} to {last}"),
        };
    }
    out
}

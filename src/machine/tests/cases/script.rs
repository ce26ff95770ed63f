//! Scripts of operations, as programs of the machine.

use smallvec::{SmallVec, smallvec};
use std::sync::Arc;
use tidegate_machine::access::Address;
use tidegate_machine::barrier::{Phase, Release};
use tidegate_machine::clock::ALL_LANES;
use tidegate_machine::cluster::{Cluster, Outcome, Program, Progress};
use tidegate_machine::engine::{Done, Effect, Groups, Issue, Op as Operation, Pipe, Track};
use tidegate_machine::finding::{Finding, Place};
use tidegate_machine::global::GlobalState;
use tidegate_machine::hardware::{Actor, AgentId, BlockLaunch, Config, Hardware, Stop, Wait, WaitOn};
use tidegate_machine::mbarrier::Arrival;
use tidegate_machine::memory::{Global, RESERVED, shared_address};
use tidegate_machine::named::Kind;
use tidegate_machine::schedule::Schedule;

/// A range of bytes of shared memory: offset behind the barriers, and length.
pub(crate) type Buf = (u32, u32);

/// A step of an agent. It acts as one logical thread: its lane 0.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Init(u32, u32),
    Inval(u32),
    Expect(u32, u32),
    Arrive(u32, u32),
    /// On the barrier of another block: its rank, which barrier.
    ArriveAt(u32, u32),
    Wait(u32, u32),
    Load(Buf),
    Store(Buf),
    /// Lane l stores the 4 bytes at 4 l.
    LanesStore(Buf),
    Fence,
    InitFence,
    SyncLanes,
    /// Destination, barrier, ranks.
    TmaLoad(Buf, u32, u16),
    TmaStore(Buf),
    TmaStoreWait(u32),
    CpAsync(Buf),
    CpCommit,
    CpWait(u32),
    Wgmma(Vec<Buf>),
    WgmmaWait(u32),
    /// Bytes that land in this block and pay its barrier.
    StAsync(Buf, u32),
    Sync(u32, u32),
    NamedArrive(u32, u32),
    ClusterArriveRelaxed,
    ClusterArrive,
    ClusterWait,
}

/// A program: blocks of agents of steps.
#[derive(Clone, Default)]
pub(crate) struct Case {
    pub(crate) blocks: Vec<Vec<Vec<Step>>>,
}

/// Barriers come first, 8 bytes each; buffers start here.
const BUFFERS: u32 = 256;

struct Script {
    steps: Vec<Step>,
    at: usize,
    pending: Option<u64>,
}

fn address(rank: u32, offset: u32) -> u32 {
    shared_address(rank, RESERVED + offset)
}

impl Script {
    fn step(&mut self, agent: AgentId, hw: &mut Hardware) -> Result<Option<WaitOn>, Stop> {
        let place = Place(agent.0 * 1000 + self.at as u32);
        let one = Actor { agent, lanes: 1, place };
        let all = Actor { agent, lanes: ALL_LANES, place };
        let rank = hw.agent(agent).rank;
        let bar = |b: u32| address(rank, b * 8);
        let buf = |b: Buf| address(rank, BUFFERS + b.0);
        let nature = tidegate_machine::shadow::Nature::Generic;
        let issue = |what: &'static str, track: Track, effect: Effect| Issue {
            agent,
            lanes: 1,
            place,
            what,
            track,
            group: None,
            after: SmallVec::new(),
            effect,
            done: SmallVec::new(),
            generic: false,
        };
        match self.steps[self.at].clone() {
            Step::Init(b, count) => hw.mbarrier_init(one, bar(b), count)?,
            Step::Inval(b) => hw.mbarrier_inval(one, bar(b))?,
            Step::Expect(b, bytes) => {
                let arrival = Arrival { expect_tx: Some(bytes), ..Arrival::default() };
                hw.mbarrier_arrive(one, bar(b), arrival, Release::Release)?;
            }
            Step::Arrive(b, count) => {
                hw.mbarrier_arrive(one, bar(b), Arrival { count, ..Arrival::default() }, Release::Release)?;
            }
            Step::ArriveAt(rank, b) => {
                hw.mbarrier_arrive(one, address(rank, b * 8), Arrival::default(), Release::Release)?;
            }
            Step::Wait(b, parity) => {
                if let Some(phase) = hw.mbarrier_test(one, bar(b), Phase::Parity(parity), true)? {
                    return Ok(Some(WaitOn::Mbarrier { barrier: bar(b), phase, may_expire: false }));
                }
            }
            Step::Load(b) => {
                for i in 0..b.1 / 4 {
                    hw.load(one, Address::Shared(buf(b) + 4 * i), &mut [0; 4], nature)?;
                }
            }
            Step::Store(b) => {
                for i in 0..b.1 / 4 {
                    hw.store(one, Address::Shared(buf(b) + 4 * i), &[1; 4], nature)?;
                }
            }
            Step::LanesStore(b) => {
                for lane in 0..b.1 / 4 {
                    let actor = Actor { lanes: 1 << lane, ..one };
                    hw.store(actor, Address::Shared(buf(b) + 4 * lane), &[1; 4], nature)?;
                }
            }
            Step::Fence => hw.proxy_fence(one),
            Step::InitFence => hw.fence_mbarrier_init(one),
            Step::SyncLanes => hw.sync_lanes(all),
            Step::TmaLoad(b, barrier, ranks) => {
                let to: Vec<u32> = (0..16).filter(|r| ranks >> r & 1 == 1).collect();
                let done = to.iter().map(|&r| Done::Bytes { barrier: address(r, barrier * 8), bytes: b.1 });
                let done = done.collect();
                let run = move |hw: &mut Hardware, op: &Operation| {
                    for rank in to {
                        hw.write_for(
                            op,
                            Address::Shared(address(rank, BUFFERS + b.0)),
                            &vec![2; b.1 as usize],
                        )?;
                    }
                    Ok(())
                };
                hw.issue(Issue { done, ..issue("TMA load", Track::Own, Effect::Run(Box::new(run))) });
            }
            Step::TmaStore(b) => {
                let run = move |hw: &mut Hardware, op: &Operation| {
                    hw.read_for(op, Address::Shared(address(rank, BUFFERS + b.0)), &mut vec![0; b.1 as usize])
                };
                hw.issue(issue("TMA store", Track::Groups(Groups::Bulk), Effect::Run(Box::new(run))));
                hw.commit_group(one, Groups::Bulk);
            }
            Step::TmaStoreWait(n) => return Ok(hw.wait_group(one, Groups::Bulk, n, true, false)),
            Step::CpAsync(b) => {
                let run = move |hw: &mut Hardware, op: &Operation| {
                    hw.write_for(op, Address::Shared(address(rank, BUFFERS + b.0)), &vec![3; b.1 as usize])
                };
                let effect = Effect::Run(Box::new(run));
                hw.issue(Issue {
                    generic: true,
                    ..issue("cp.async", Track::Groups(Groups::CpAsync), effect)
                });
            }
            Step::CpCommit => hw.commit_group(one, Groups::CpAsync),
            Step::CpWait(n) => return Ok(hw.wait_group(one, Groups::CpAsync, n, false, false)),
            Step::Wgmma(bufs) => {
                let run = move |hw: &mut Hardware, op: &Operation| {
                    for b in bufs {
                        hw.note_read(op, Address::Shared(address(rank, BUFFERS + b.0)), u64::from(b.1))?;
                    }
                    Ok(())
                };
                // A pipe whose operations are not parts of a warpgroup's: an agent here is a warpgroup.
                let group = Some(Groups::Wgmma);
                hw.issue(Issue {
                    group,
                    ..issue("WGMMA", Track::Pipe(Pipe::Tcgen05), Effect::Run(Box::new(run)))
                });
                hw.commit_group(one, Groups::Wgmma);
            }
            Step::WgmmaWait(n) => return Ok(hw.wait_group(one, Groups::Wgmma, n, false, false)),
            Step::StAsync(b, barrier) => {
                let done = smallvec![Done::Bytes { barrier: bar(barrier), bytes: b.1 }];
                let run = move |hw: &mut Hardware, op: &Operation| {
                    hw.write_for(op, Address::Shared(address(rank, BUFFERS + b.0)), &vec![4; b.1 as usize])
                };
                hw.issue(Issue { done, ..issue("st.async", Track::Own, Effect::Run(Box::new(run))) });
            }
            Step::Sync(id, count) => {
                let generation = match self.pending {
                    Some(g) => g,
                    None => hw.named_arrive(all, (id, Some(count)), Kind::Sync, true, 0)?,
                };
                self.pending = Some(generation);
                if hw.named_wait(all, id, generation).is_none() {
                    return Ok(Some(WaitOn::Named { id, generation }));
                }
                self.pending = None;
            }
            Step::NamedArrive(id, count) => {
                hw.named_arrive(all, (id, Some(count)), Kind::Arrive, true, 0)?;
            }
            Step::ClusterArriveRelaxed => hw.cluster_arrive(all, Release::Relaxed, true)?,
            Step::ClusterArrive => hw.cluster_arrive(all, Release::Release, true)?,
            Step::ClusterWait => {
                if let Some(generation) = hw.cluster_wait(all, true, true)? {
                    return Ok(Some(WaitOn::Cluster { generation }));
                }
            }
        }
        Ok(None)
    }
}

impl Program for Script {
    fn run(&mut self, agent: AgentId, hw: &mut Hardware, fuel: u32) -> Result<Progress, Stop> {
        for _ in 0..fuel {
            if self.at >= self.steps.len() {
                hw.exit(Actor { agent, lanes: ALL_LANES, place: Place(agent.0 * 1000 + 999) })?;
                return Ok(Progress::Exited);
            }
            if let Some(on) = self.step(agent, hw)? {
                let actor = Actor { agent, lanes: 1, place: Place(agent.0 * 1000 + self.at as u32) };
                return Ok(Progress::Blocked(smallvec![Wait { actor, on }]));
            }
            hw.count(1);
            self.at += 1;
        }
        Ok(Progress::Running)
    }

    fn effect(&mut self, _: u64, _: u64, _: &mut Hardware) -> Result<(), Stop> {
        Ok(())
    }
}

impl Case {
    /// One block.
    pub(crate) fn block(agents: Vec<Vec<Step>>) -> Case {
        Case { blocks: vec![agents] }
    }

    /// Agents after `prologue` (run by agent 0 of each block) and a barrier of all.
    pub(crate) fn with_prologue(mut self, prologue: &[Step]) -> Case {
        let cluster = self.blocks.len() > 1;
        for agents in &mut self.blocks {
            let threads = agents.len() as u32 * 32;
            for (i, steps) in agents.iter_mut().enumerate() {
                let mut all = if i == 0 { prologue.to_vec() } else { Vec::new() };
                if cluster {
                    all.extend([Step::SyncLanes, Step::ClusterArrive, Step::ClusterWait]);
                } else {
                    all.push(Step::Sync(0, threads));
                }
                all.append(steps);
                *steps = all;
            }
        }
        self
    }

    /// All agents meet, then these steps by agent 0.
    pub(crate) fn with_epilogue(mut self, epilogue: &[Step]) -> Case {
        for agents in &mut self.blocks {
            let threads = agents.len() as u32 * 32;
            for (i, steps) in agents.iter_mut().enumerate() {
                steps.push(Step::Sync(15, threads));
                if i == 0 {
                    steps.extend_from_slice(epilogue);
                }
            }
        }
        self
    }

    /// Every agent of every block ends with a barrier of the cluster.
    pub(crate) fn with_cluster_end(mut self) -> Case {
        for steps in self.blocks.iter_mut().flatten() {
            steps.extend([Step::ClusterArrive, Step::ClusterWait]);
        }
        self
    }

    /// Runs it; what was found.
    pub(crate) fn run(&self, mut schedule: Box<dyn Schedule>) -> Vec<Finding> {
        self.run_with(&mut *schedule)
    }

    /// Runs it; what was found.
    pub(crate) fn run_with(&self, schedule: &mut dyn Schedule) -> Vec<Finding> {
        let launches = self.blocks.iter().enumerate().map(|(rank, agents)| BlockLaunch {
            ctaid: [rank as u32, 0, 0],
            shared_bytes: 200_000,
            agents: vec![ALL_LANES; agents.len()],
        });
        let state = Arc::new(GlobalState::new(Global::new()));
        let hw = Hardware::new(Config::default(), state, 0, launches.collect());
        let programs = self.blocks.iter().flatten();
        let programs = programs.map(|steps| Script { steps: steps.clone(), at: 0, pending: None }).collect();
        let mut cluster = Cluster::new(hw, programs);
        let outcome = cluster.run(schedule, 1_000_000);
        assert_ne!(outcome, Outcome::Slice, "the run does not end");
        cluster.hw.findings
    }
}

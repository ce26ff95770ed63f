//! Runs the agents of a cluster on its hardware, step by step as a schedule says.

use crate::deadlock;
use crate::engine::{Effect, OpId};
use crate::finding::{Code, Finding};
use crate::hardware::{AgentId, Hardware, Stop, Wait, WaitOn};
use crate::schedule::{Choice, Schedule};
use smallvec::SmallVec;

/// What an agent executes: an interpreter with its state (registers, where its lanes are).
pub trait Program: Send {
    /// Runs up to `fuel` instructions. Counts them with [`Hardware::count`].
    ///
    /// # Errors
    ///
    /// [`Stop`] with a finding kept.
    fn run(&mut self, agent: AgentId, hw: &mut Hardware, fuel: u32) -> Result<Progress, Stop>;

    /// The accesses of an asynchronous operation that this agent issued with [`Effect::Program`] of this token.
    ///
    /// # Errors
    ///
    /// [`Stop`] with a finding kept.
    fn effect(&mut self, token: u64, op: OpId, hw: &mut Hardware) -> Result<(), Stop>;

    /// The machine found that nothing can move: whatever the program holds back at will (lanes parked at a point of
    /// reconvergence) has to go on. True when something was held back.
    fn nudge(&mut self) -> bool {
        false
    }
}

/// How far an agent came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It can go on.
    Running,
    /// It can go on, but asks again and again for something that is not so yet.
    Polling(SmallVec<[Wait; 2]>),
    /// None of its lanes can go on before one of these.
    Blocked(SmallVec<[Wait; 2]>),
    /// All its lanes have ended.
    Exited,
}

#[derive(Clone, Debug)]
enum State {
    Running,
    Polling { waits: SmallVec<[Wait; 2]>, version: u64 },
    Blocked { waits: SmallVec<[Wait; 2]> },
    Exited,
}

/// How a slice of a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All agents ended and all operations completed.
    Finished,
    /// A finding stops the run.
    Stopped,
    /// The slice is used up.
    Slice,
    /// All agents that are left ask for something outside of the cluster, again and again.
    Polling,
}

/// A cluster with its programs.
pub struct Cluster<P> {
    /// The hardware.
    pub hw: Hardware,
    programs: Vec<P>,
    states: Vec<State>,
    choices: Vec<Choice>,
    /// Rounds of expiry since something last happened.
    idle: u32,
    idle_version: u64,
    live: usize,
}

/// After this many rounds in which waits expired, or polls were repeated, with nothing else happening, the run hangs.
const IDLE_ROUNDS: u32 = 3;
const POLL_ROUNDS: u32 = 64;

impl<P: Program> Cluster<P> {
    /// One program for each agent of the hardware.
    pub fn new(hw: Hardware, programs: Vec<P>) -> Cluster<P> {
        let states = programs.iter().map(|_| State::Running).collect();
        let live = programs.len();
        Cluster { hw, programs, states, choices: Vec::new(), idle: 0, idle_version: 0, live }
    }

    /// The programs.
    pub fn programs(&self) -> &[P] {
        &self.programs
    }

    /// Runs until the end, or for about so many instructions.
    pub fn run(&mut self, schedule: &mut dyn Schedule, slice: u64) -> Outcome {
        let end = self.hw.counts.instructions.saturating_add(slice);
        loop {
            if self.hw.counts.instructions >= self.hw.config.fuel {
                let message =
                    format!("the run used up its fuel of {} warp instructions", self.hw.config.fuel);
                let mut finding = Finding::new(Code::Fuel, message)
                    .help("a kernel that needs more gets more fuel; one that never ends spins: see where its agents are");
                finding = deadlock::whereabouts(&self.hw, &self.waits(), finding);
                self.hw.report(finding);
                return Outcome::Stopped;
            }
            if self.hw.counts.instructions >= end {
                return Outcome::Slice;
            }
            match self.step(schedule) {
                Ok(None) => {}
                Ok(Some(outcome)) => return outcome,
                Err(Stop) => return Outcome::Stopped,
            }
        }
    }

    /// What each agent that has not ended waits for.
    pub fn waits(&self) -> Vec<(AgentId, SmallVec<[Wait; 2]>)> {
        let mut out = Vec::new();
        for (i, state) in self.states.iter().enumerate() {
            match state {
                State::Exited => {}
                State::Running => out.push((AgentId(i as u32), SmallVec::new())),
                State::Polling { waits, .. } | State::Blocked { waits } => {
                    out.push((AgentId(i as u32), waits.clone()));
                }
            }
        }
        out
    }

    fn step(&mut self, schedule: &mut dyn Schedule) -> Result<Option<Outcome>, Stop> {
        self.choices.clear();
        for (i, state) in self.states.iter().enumerate() {
            let ready = match state {
                State::Running => true,
                State::Exited => false,
                State::Polling { version, .. } => *version != self.hw.version,
                State::Blocked { waits } => waits.iter().any(|w| ready(&self.hw, w)),
            };
            if ready {
                self.choices.push(Choice::Agent(AgentId(i as u32)));
            }
        }
        self.hw.engine.choices(&mut self.choices);
        if self.choices.is_empty() {
            if self.live == 0 {
                return Ok(Some(Outcome::Finished));
            }
            return self.idle_round();
        }
        let (index, turn) = schedule.choose(&self.choices);
        let index = index.min(self.choices.len() - 1);
        match self.choices[index] {
            Choice::Agent(agent) => self.run_agent(agent, turn.max(1))?,
            Choice::Effect(id) => match self.hw.take_effect(id) {
                Some(Effect::Run(f)) => self.hw.run_effect(id, f)?,
                Some(Effect::Program(token)) => {
                    self.hw.version += 1;
                    let agent = self.hw.engine.get_mut(id).map_or(0, |op| op.agent.0 as usize);
                    self.programs[agent].effect(token, id, &mut self.hw)?;
                }
                Some(Effect::None) | None => {}
            },
            Choice::Complete(id) => self.hw.complete(id)?,
        }
        Ok(None)
    }

    fn run_agent(&mut self, agent: AgentId, turn: u32) -> Result<(), Stop> {
        let i = agent.0 as usize;
        // A waiter whose phase passed twice before it looked has missed it.
        if let State::Blocked { waits } = &self.states[i] {
            let waits = waits.clone();
            deadlock::lapped(&mut self.hw, &waits);
        }
        let progress = self.programs[i].run(agent, &mut self.hw, turn)?;
        self.states[i] = match progress {
            Progress::Running => State::Running,
            Progress::Polling(waits) => State::Polling { waits, version: self.hw.version },
            Progress::Blocked(waits) => State::Blocked { waits },
            Progress::Exited => {
                if !matches!(self.states[i], State::Exited) {
                    self.live -= 1;
                }
                State::Exited
            }
        };
        Ok(())
    }

    /// Nothing can move by itself: waits with a time limit expire, polls are repeated, parked lanes go on. When that
    /// changes nothing, the run hangs.
    fn idle_round(&mut self) -> Result<Option<Outcome>, Stop> {
        if self.idle_version != self.hw.version {
            (self.idle, self.idle_version) = (0, self.hw.version);
        }
        self.idle += 1;
        let mut nudged = false;
        for program in &mut self.programs {
            nudged |= program.nudge();
        }
        let mut moved = nudged;
        let polling = self.states.iter().any(|s| matches!(s, State::Polling { .. }));
        let limit = if polling { POLL_ROUNDS } else { IDLE_ROUNDS };
        if self.idle <= limit {
            self.hw.expire = true;
            for i in 0..self.states.len() {
                let expires = match &self.states[i] {
                    State::Polling { .. } => true,
                    State::Blocked { waits } => {
                        nudged
                            || waits.iter().any(|w| matches!(w.on, WaitOn::Mbarrier { may_expire: true, .. }))
                    }
                    State::Running | State::Exited => false,
                };
                if expires {
                    moved = true;
                    let result = self.run_agent(AgentId(i as u32), 4096);
                    if result.is_err() {
                        self.hw.expire = false;
                        return Err(Stop);
                    }
                }
            }
            self.hw.expire = false;
        }
        if moved {
            return Ok(None);
        }
        let waits = self.waits();
        let outside = waits.iter().any(|(_, w)| w.iter().any(|w| w.on == WaitOn::Poll));
        if outside && polling {
            self.idle = 0;
            return Ok(Some(Outcome::Polling));
        }
        self.report_hang();
        Ok(Some(Outcome::Stopped))
    }

    /// Reports that this cluster hangs: its agents, what they wait for, and what is missing.
    pub fn report_hang(&mut self) {
        let waits = self.waits();
        let finding = deadlock::explain(&self.hw, &waits);
        self.hw.report(finding);
        for lapped in deadlock::missed_phases(&self.hw, &waits) {
            self.hw.report(lapped);
        }
    }
}

/// Whether a wait would pass now.
fn ready(hw: &Hardware, wait: &Wait) -> bool {
    match wait.on {
        WaitOn::Mbarrier { barrier, phase, .. } => hw.phase_passed(barrier, phase),
        WaitOn::Named { id, generation } => hw.named_passed(wait.actor, id, generation),
        WaitOn::Cluster { generation } => hw.cluster_passed(generation),
        WaitOn::Groups { kind, allow, reads, open } => hw.groups_passed(wait.actor, kind, allow, reads, open),
        WaitOn::Lanes { .. } | WaitOn::Poll => false,
        WaitOn::TensorColumns { columns } => hw.tensor_ready(wait.actor, columns),
    }
}

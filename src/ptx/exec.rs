//! Execution of a warp: fragments of its lanes that are at different places, how they part and meet again.
//!
//! Lanes that part run as separate fragments. Of the fragments that can move the one in the deepest call, and there at
//! the lowest place, goes first (code is laid out so that this lets lanes meet again where paths join); a fragment that
//! ran long lets the others go. Fragments at the same place become one. An instruction that lanes have to run together
//! (`.aligned`, or with a member mask) holds the fragment until the others are there.

use crate::decode::{Code, Dst, Src};
use crate::env::Env;
use crate::isa::asynchronous::Work;
use crate::isa::call::{At, Call};
use crate::program::{FunctionId, Reg};
use crate::regs::{Base, Lanes64, Regs, S32, lanes_of};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;
use tidegate_machine::cluster::{Program, Progress};
use tidegate_machine::engine::OpId;
use tidegate_machine::finding::{Code as FindingCode, Finding, Place};
use tidegate_machine::hardware::{Actor, AgentId, Hardware, Stop, Wait, WaitOn, lane_list};

/// What an instruction does to the fragment that runs it.
#[derive(Clone, Debug)]
pub enum Flow {
    /// On to the next instruction.
    Next,
    /// On to the next instruction; what was asked for is not so yet, and will likely be asked again.
    Poll,
    /// The fragment goes elsewhere.
    Jump(u32),
    /// Some lanes go elsewhere, the others on.
    Split(u32, u32),
    /// Lanes go to these places; all lanes of the fragment are in one of the pairs, or go on.
    Many(Vec<(u32, u32)>),
    /// Lanes call a function. Others that execute find the instruction again.
    Call(Arc<Call>, FunctionId, u32),
    /// The executing lanes return.
    Return,
    /// The executing lanes end.
    Exit,
    /// The instruction has to be run again when this is so.
    Wait(WaitOn),
}

/// The running of one instruction.
pub struct Exec<'a> {
    /// The registers.
    pub regs: &'a mut Regs,
    /// The machine.
    pub hw: &'a mut Hardware,
    /// What the launch fixed for this warp.
    pub env: &'a Env,
    /// What belongs to the warp beside its registers.
    pub state: &'a mut WarpState,
    /// The agent that the warp is.
    pub agent: AgentId,
    /// Where the instruction is: its index.
    pub place: Place,
    /// Lanes that execute: here, and the guard holds.
    pub lanes: u32,
    /// Lanes that are here.
    pub here: u32,
    /// Lanes of the warp that have not ended.
    pub live: u32,
    /// What an instruction keeps while it waits (a generation, a step); nothing at its start and at its end.
    pub pending: &'a mut Option<u64>,
    /// Waits with a time limit return now.
    pub expire: bool,
    /// Where the running function's frame lies in local memory.
    pub frame_memory: u32,
    /// Where it ends: `alloca` moves it.
    pub stack_end: &'a mut u32,
}

impl Exec<'_> {
    /// The executing lanes at this instruction, for the machine.
    #[inline]
    pub fn actor(&self) -> Actor {
        Actor { agent: self.agent, lanes: self.lanes, place: self.place }
    }

    /// One lane at this instruction.
    #[inline]
    pub fn lane(&self, lane: usize) -> Actor {
        Actor { agent: self.agent, lanes: 1 << lane, place: self.place }
    }

    /// Lanes that have to be here but are not: the fragment waits for them. Lanes that have ended do not count.
    pub fn wait_for_lanes(&self, members: u32) -> Option<Flow> {
        let missing = members & self.live & !self.here;
        (missing != 0).then_some(Flow::Wait(WaitOn::Lanes { missing }))
    }

    /// An `.aligned` instruction: all lanes have to be here, and to execute it.
    ///
    /// # Errors
    ///
    /// [`Stop`] with a finding when the guard holds for some lanes only.
    pub fn aligned(&mut self) -> Result<Option<Flow>, Stop> {
        if let Some(flow) = self.wait_for_lanes(u32::MAX) {
            return Ok(Some(flow));
        }
        if self.lanes != self.here {
            let without = lane_list(self.here & !self.lanes);
            let message = format!("an aligned instruction is predicated off for lanes {without} of the warp");
            let help = "all lanes of the warp have to run it: branch around it by whole warps";
            return self
                .hw
                .fail(Finding::new(FindingCode::Divergence, message).at(self.place, "here").help(help));
        }
        Ok(None)
    }

    /// A finding at this instruction that ends the run.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn fail<T>(&mut self, code: FindingCode, message: impl Into<String>) -> Result<T, Stop> {
        let who = self.hw.who(self.agent, self.lanes);
        self.hw.fail(Finding::new(code, message).at(self.place, format!("executed here by {who}")))
    }

    /// What a 32-bit register is called in the text, for messages.
    pub fn name32(&self, slot: S32) -> String {
        let code = &self.env.code;
        let index = code.functions.partition_point(|f| f.start <= self.place.0).saturating_sub(1);
        let names = code.program.functions.get(index).map_or(&[][..], |f| &f.reg_names);
        let found = names.iter().find(|(reg, ..)| *reg == Reg::R32(slot.0));
        found.map_or_else(|| "(unnamed)".to_owned(), |(_, name, _)| format!("`{name}`"))
    }

    /// A source, widened to 64 bits by zeros.
    #[inline]
    pub fn wide(&self, src: Src) -> Lanes64 {
        match src {
            Src::R32(s) => self.regs.r32(s).map(u64::from),
            Src::R64(s) => *self.regs.r64(s),
            Src::R128(s) => self.regs.r128(s).map(|v| v as u64),
            Src::P(s) => {
                let bits = self.regs.p(s);
                std::array::from_fn(|lane| u64::from(bits >> lane & 1))
            }
        }
    }

    /// Writes values to a destination of any width, cut to it.
    #[inline]
    pub fn put(&mut self, dst: Dst, value: &Lanes64) {
        match dst {
            Dst::R32(s) => {
                let narrow = value.map(|v| v as u32);
                self.regs.set32(s, self.lanes, &narrow);
            }
            Dst::R64(s) => self.regs.set64(s, self.lanes, value),
            Dst::R128(s) => self.regs.set128(s, self.lanes, &value.map(u128::from)),
            Dst::P(s) => {
                let bits = lanes_of(u32::MAX).fold(0, |b, lane| b | (value[lane] as u32 & 1) << lane);
                self.regs.set_p(s, self.lanes, bits);
            }
            Dst::None => {}
        }
    }
}

/// What belongs to a warp beside its registers.
#[derive(Debug, Default)]
pub struct WarpState {
    /// Local memory, by lane; it grows as it is used.
    pub local: Vec<Vec<u8>>,
    /// Work of asynchronous operations that touch registers, by token.
    pub work: FxHashMap<u64, Work>,
    /// The next token.
    pub next_token: u64,
    /// 32-bit slots (absolute) that operations in flight own, with the operation and where it was issued.
    pub locked: Vec<Locked>,
    /// Its WGMMAs.
    pub wgmma: crate::isa::wgmma::State,
    /// The carry flag of each lane (`CC.CF`, ISA 9.7.2: extended precision), as a mask.
    pub carry: u32,
    /// `setmaxnreg` has set this.
    pub registers: Option<u32>,
    /// What the latest strong reads have seen.
    pub polls: SmallVec<[Poll; 4]>,
}

/// A strong read: where, a hash of what it saw, and how often it saw just that before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Poll {
    /// The instruction.
    pub place: Place,
    /// The hash.
    pub seen: u64,
    /// How often.
    pub times: u32,
}

/// Registers that an asynchronous operation owns until it is waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locked {
    /// The slots: absolute indices, see [`Regs::absolute32`].
    pub slots: SmallVec<[u32; 8]>,
    /// They may be read (an operation reads them), not written.
    pub readable: bool,
    /// Instructions of this kind may touch them: the next WGMMA of the same shape accumulates in order.
    pub what: &'static str,
    /// Which wait frees them.
    pub op: OpId,
    /// Where it was issued.
    pub place: Place,
}

#[derive(Clone, Debug)]
struct Fragment {
    pc: u32,
    lanes: u32,
    frame: u32,
    pending: Option<u64>,
    wait: Option<WaitOn>,
    polled: bool,
    tried: bool,
    expired: bool,
    ran: u64,
}

#[derive(Clone, Debug)]
struct Frame {
    base: Base,
    parent: Option<u32>,
    return_to: u32,
    depth: u32,
    memory: u32,
    memory_end: u32,
    /// The call that made it.
    call: Option<(Arc<Call>, FunctionId)>,
    /// Fragments in it and frames called from it.
    users: u32,
}

/// Calls may nest this deep, as the stack of a GPU thread has an end.
const MAX_DEPTH: u32 = 1000;
/// Bytes of local memory of a thread (CUDA C programming guide, technical specifications: 512 KB).
pub(crate) const MAX_LOCAL: u32 = 512 << 10;
/// After this many instructions other fragments have their turn.
const PATIENCE: u64 = 4096;

/// A warp: a program of the machine.
pub struct Warp {
    env: Arc<Env>,
    /// Its registers.
    pub regs: Regs,
    /// What else belongs to it.
    pub state: WarpState,
    fragments: Vec<Fragment>,
    frames: Vec<Frame>,
    live: u32,
}

impl Warp {
    /// A warp at the start of a kernel.
    pub fn new(env: Arc<Env>, function: FunctionId, lanes: u32) -> Warp {
        let mut regs = env.registers();
        let code = env.code.functions[function.0 as usize];
        let base = regs.push_frame(&code.regs);
        regs.enter(base);
        let memory_end =
            env.code.program.functions[function.0 as usize].frame_bytes.min(u64::from(MAX_LOCAL)) as u32;
        let frame =
            Frame { base, parent: None, return_to: 0, depth: 0, memory: 0, memory_end, call: None, users: 1 };
        let fragment = Fragment {
            pc: code.start,
            lanes,
            frame: 0,
            pending: None,
            wait: None,
            polled: false,
            tried: false,
            expired: false,
            ran: 0,
        };
        Warp {
            env,
            regs,
            state: WarpState::default(),
            fragments: vec![fragment],
            frames: vec![frame],
            live: lanes,
        }
    }

    /// The fragment to run next.
    fn pick(&self) -> Option<usize> {
        if let [only] = &self.fragments[..] {
            return (!only.polled && !only.tried).then_some(0);
        }
        let ready = self.fragments.iter().enumerate().filter(|(_, f)| !f.polled && !f.tried);
        // Those that wait are tried last: what the others do may be what they wait for.
        ready
            .min_by_key(|(_, f)| {
                let depth = self.frames[f.frame as usize].depth;
                (f.wait.is_some(), f.ran / PATIENCE, u32::MAX - depth, f.pc)
            })
            .map(|(i, _)| i)
    }

    /// Makes fragments at the same place one; the index of the one that held `index`.
    fn merge(&mut self, index: usize) -> usize {
        let mut index = index;
        let (pc, frame) = (self.fragments[index].pc, self.fragments[index].frame);
        if self.fragments[index].pending.is_some() {
            return index;
        }
        let mut i = 0;
        while i < self.fragments.len() {
            let f = &self.fragments[i];
            if i != index && f.pc == pc && f.frame == frame && f.pending.is_none() {
                let other = self.fragments.remove(i);
                if i < index {
                    index -= 1;
                }
                let mine = &mut self.fragments[index];
                mine.lanes |= other.lanes;
                mine.wait = None;
                mine.tried = false;
                mine.polled &= other.polled;
                mine.ran = mine.ran.min(other.ran);
                self.leave(frame);
            } else {
                i += 1;
            }
        }
        index
    }

    /// One user of a frame less.
    fn leave(&mut self, frame: u32) {
        let mut at = Some(frame);
        while let Some(i) = at {
            let f = &mut self.frames[i as usize];
            f.users -= 1;
            at = if f.users == 0 { f.parent } else { None };
        }
        // Frames are dropped from the end only: the registers of those before stay where they are.
        while self.frames.last().is_some_and(|f| f.users == 0) {
            if let Some(dead) = self.frames.pop() {
                self.regs.truncate(&dead.base);
            }
        }
    }

    /// Moves lanes of a fragment to another place; the index of the fragment that stays, if any does.
    fn part(&mut self, index: usize, lanes: u32, to: u32) {
        let f = &mut self.fragments[index];
        if lanes == f.lanes {
            f.pc = to;
            return;
        }
        f.lanes &= !lanes;
        let other = Fragment { pc: to, lanes, ..f.clone() };
        self.frames[other.frame as usize].users += 1;
        self.fragments.push(other);
    }

    fn call(
        &mut self,
        index: usize,
        lanes: u32,
        (call, function): (Arc<Call>, FunctionId),
        hw: &mut Hardware,
        place: Place,
    ) -> Result<(), Stop> {
        let next = self.fragments[index].pc + 1;
        let caller = self.fragments[index].frame;
        let code = self.env.code.functions[function.0 as usize];
        let bytes = self.env.code.program.functions[function.0 as usize].frame_bytes;
        let (depth, memory) = {
            let f = &self.frames[caller as usize];
            (f.depth + 1, f.memory_end.next_multiple_of(16))
        };
        let memory_end = u64::from(memory) + bytes;
        if depth > MAX_DEPTH || memory_end > u64::from(MAX_LOCAL) {
            let message = format!(
                "calls nest {depth} deep and use {memory_end} bytes of local memory: the stack overflows"
            );
            return hw.fail(Finding::new(FindingCode::Trap, message).at(place, "called here"));
        }
        let base = self.regs.push_frame(&code.regs);
        let frame = self.frames.len() as u32;
        let from = &self.frames[caller as usize];
        let (from, to) = (At { base: from.base, memory: from.memory }, At { base, memory });
        call.pass(&self.env, function, (&mut self.regs, &mut self.state), lanes, (from, to));
        self.frames.push(Frame {
            base,
            parent: Some(caller),
            return_to: next,
            depth,
            memory,
            memory_end: memory_end as u32,
            call: Some((call, function)),
            users: 1,
        });
        // The new frame uses its caller; the fragment moves, or a part of it does.
        let f = &mut self.fragments[index];
        if lanes == f.lanes {
            (f.pc, f.frame) = (code.start, frame);
        } else {
            // The others run the instruction again: those whose guard does not hold go on, those that call another
            // function call it.
            f.lanes &= !lanes;
            let other = Fragment { pc: code.start, frame, lanes, ..f.clone() };
            self.fragments.push(other);
            self.frames[caller as usize].users += 1;
        }
        Ok(())
    }

    fn return_from(
        &mut self,
        index: usize,
        lanes: u32,
        hw: &mut Hardware,
        place: Place,
        agent: AgentId,
    ) -> Result<(), Stop> {
        let frame = self.fragments[index].frame;
        let Some(parent) = self.frames[frame as usize].parent else {
            return self.exit(index, lanes, hw, place, agent);
        };
        let (callee, caller) = (&self.frames[frame as usize], &self.frames[parent as usize]);
        let to = callee.return_to;
        if let Some((call, function)) = &callee.call {
            let from = At { base: callee.base, memory: callee.memory };
            let to = At { base: caller.base, memory: caller.memory };
            call.take_back(&self.env, *function, (&mut self.regs, &mut self.state), lanes, (from, to));
        }
        self.frames[parent as usize].users += 1;
        let f = &mut self.fragments[index];
        if lanes == f.lanes {
            (f.pc, f.frame) = (to, parent);
            self.leave(frame);
        } else {
            f.lanes &= !lanes;
            let other = Fragment { pc: to, frame: parent, lanes, ..f.clone() };
            f.pc += 1;
            self.fragments.push(other);
        }
        Ok(())
    }

    fn exit(
        &mut self,
        index: usize,
        lanes: u32,
        hw: &mut Hardware,
        place: Place,
        agent: AgentId,
    ) -> Result<(), Stop> {
        self.live &= !lanes;
        let f = &mut self.fragments[index];
        f.lanes &= !lanes;
        f.pc += 1;
        if f.lanes == 0 {
            let frame = f.frame;
            self.fragments.remove(index);
            self.leave(frame);
        }
        hw.exit(Actor { agent, lanes, place })
    }

    /// Runs a fragment while it is the only one, or for one instruction. What the last instruction does to the
    /// fragment, and the lanes that executed it, when it does more than going on.
    fn execute(
        &mut self,
        index: usize,
        agent: AgentId,
        hw: &mut Hardware,
        fuel: &mut u32,
    ) -> Result<Event, Stop> {
        let alone = self.fragments.len() == 1;
        let Warp { env, regs, state, fragments, frames, live } = self;
        let env: &Env = env;
        let f = &mut fragments[index];
        let frame = &mut frames[f.frame as usize];
        let (frame_memory, live) = (frame.memory, *live);
        regs.enter(frame.base);
        let code = &*env.code;
        let end = env.end_of(f.pc);
        loop {
            let pc = f.pc;
            let Some(inst) = code.insts.get(pc as usize).filter(|_| pc < end) else { return Ok(Event::End) };
            let lanes = match inst.guard {
                None => f.lanes,
                Some((p, false)) => f.lanes & regs.p(p),
                Some((p, true)) => f.lanes & !regs.p(p),
            };
            if f.wait.is_none() {
                hw.count(lanes);
            }
            f.ran += 1;
            *fuel = fuel.saturating_sub(1);
            let flow = if lanes == 0 {
                Flow::Next
            } else {
                if !state.locked.is_empty() {
                    check_locked(code, regs, state, pc, agent, lanes, hw)?;
                }
                let expire = hw.expire && !f.expired;
                let mut x = Exec {
                    regs: &mut *regs,
                    hw: &mut *hw,
                    env,
                    state: &mut *state,
                    agent,
                    place: Place(pc),
                    lanes,
                    here: f.lanes,
                    live,
                    pending: &mut f.pending,
                    expire,
                    frame_memory,
                    stack_end: &mut frame.memory_end,
                };
                inst.op.exec(&mut x)?
            };
            // A wait that gave up: its next try waits again, else a loop around it spins.
            let waited = f.wait.take().is_some();
            f.expired |= waited && hw.expire && !matches!(flow, Flow::Wait(_));
            match flow {
                Flow::Next => f.pc += 1,
                Flow::Jump(to) => f.pc = to,
                other => return Ok(Event::Flow(other, lanes)),
            }
            if !alone || *fuel == 0 {
                return Ok(Event::None);
            }
        }
    }

    /// Runs one instruction of a fragment, or more while it is alone.
    fn step(&mut self, index: usize, agent: AgentId, hw: &mut Hardware, fuel: &mut u32) -> Result<(), Stop> {
        let (flow, lanes) = match self.execute(index, agent, hw, fuel)? {
            Event::None => return Ok(()),
            Event::End => return self.off_the_end(index, hw, agent),
            Event::Flow(flow, lanes) => (flow, lanes),
        };
        let f = &mut self.fragments[index];
        let place = Place(f.pc);
        match flow {
            Flow::Next => f.pc += 1,
            Flow::Poll => {
                f.pc += 1;
                f.polled = true;
                f.expired = true;
            }
            Flow::Jump(to) => f.pc = to,
            Flow::Split(taken, to) => {
                f.pc += 1;
                self.part(index, taken, to);
            }
            Flow::Many(parts) => {
                f.pc += 1;
                for (lanes, to) in parts {
                    self.part(index, lanes, to);
                }
            }
            Flow::Call(call, function, lanes) => self.call(index, lanes, (call, function), hw, place)?,
            Flow::Return => self.return_from(index, lanes, hw, place, agent)?,
            Flow::Exit => self.exit(index, lanes, hw, place, agent)?,
            Flow::Wait(on) => {
                f.wait = Some(on);
                f.tried = true;
            }
        }
        Ok(())
    }

    #[cold]
    fn off_the_end(&mut self, index: usize, hw: &mut Hardware, agent: AgentId) -> Result<(), Stop> {
        let pc = self.fragments[index].pc;
        // The end of a kernel's body is an exit; of a function, a return.
        let lanes = self.fragments[index].lanes;
        self.return_from(index, lanes, hw, Place(pc.saturating_sub(1)), agent)
    }

    fn waits(&self, agent: AgentId) -> SmallVec<[Wait; 2]> {
        let mut out: SmallVec<[Wait; 2]> = smallvec![];
        for f in &self.fragments {
            let actor = Actor { agent, lanes: f.lanes, place: Place(f.pc) };
            if let Some(on) = f.wait {
                out.push(Wait { actor, on });
            } else if f.polled {
                out.push(Wait {
                    actor: Actor { place: Place(f.pc.saturating_sub(1)), ..actor },
                    on: WaitOn::Poll,
                });
            }
        }
        out
    }
}

/// What running a fragment came to.
enum Event {
    /// It can go on.
    None,
    /// It ran off the end of its function.
    End,
    /// An instruction, executed by these lanes, does this to it.
    Flow(Flow, u32),
}

/// Registers that an operation in flight owns are not touched.
#[cold]
fn check_locked(
    code: &Code,
    regs: &Regs,
    state: &mut WarpState,
    pc: u32,
    agent: AgentId,
    lanes: u32,
    hw: &mut Hardware,
) -> Result<(), Stop> {
    let touched = &code.touches[pc as usize];
    let mut loaded = false;
    for locked in &state.locked {
        if code.insts[pc as usize].op.continues(locked.what) {
            continue;
        }
        if touched.iter().any(|&slot| locked.slots.contains(&regs.absolute32(S32(slot)))) {
            let who = hw.who(agent, lanes);
            let message = format!("{who} touches registers of a {} that is in flight", locked.what);
            let finding = Finding::new(FindingCode::RegistersInFlight, message)
                .at(Place(pc), "touched here")
                .at(locked.place, "issued here")
                .help("wait for the operation first (wgmma.wait_group, tcgen05.wait)");
            if locked.what != crate::isa::tcgen05::LOAD {
                return hw.fail(finding);
            }
            hw.report(finding.note("the run goes on with the values that the load brings"));
            loaded = true;
        }
    }
    // LLVM moves instructions on loaded registers over `tcgen05.wait::ld` (it sees no dependence), and ptxas makes them
    // wait for the registers: the values are right where the ISA does not promise them. Said once for all of its registers.
    if loaded {
        state.locked.retain(|l| l.what != crate::isa::tcgen05::LOAD);
    }
    Ok(())
}

impl Program for Warp {
    fn run(&mut self, agent: AgentId, hw: &mut Hardware, fuel: u32) -> Result<Progress, Stop> {
        for f in &mut self.fragments {
            (f.polled, f.tried, f.expired) = (false, false, false);
        }
        let mut fuel = fuel;
        while fuel > 0 {
            let Some(mut index) = self.pick() else { break };
            if self.fragments.len() > 1 {
                index = self.merge(index);
            } else {
                self.fragments[index].ran = 0;
            }
            self.step(index, agent, hw, &mut fuel)?;
        }
        if self.fragments.is_empty() {
            return Ok(Progress::Exited);
        }
        if self.pick().is_some() {
            return Ok(Progress::Running);
        }
        let waits = self.waits(agent);
        if self.fragments.iter().any(|f| f.polled) {
            Ok(Progress::Polling(waits))
        } else {
            Ok(Progress::Blocked(waits))
        }
    }

    fn effect(&mut self, token: u64, op: OpId, hw: &mut Hardware) -> Result<(), Stop> {
        let Some(work) = self.state.work.remove(&token) else { return Ok(()) };
        let regs = &mut self.regs;
        let before = regs.base();
        let out = hw.with_op(op, |hw, op| work.run(op, regs, hw)).unwrap_or(Ok(()));
        self.regs.enter(before);
        out
    }
}

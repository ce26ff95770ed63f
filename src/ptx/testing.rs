//! Runs a few instructions on one warp: for the tests of instruction families.

use crate::env::{Dims, Env, Shared};
use crate::exec::Warp;
use crate::launch::{Device, Module};
use crate::program::{FunctionId, Reg};
use crate::regs::{S32, S64, S128, SP};
use std::sync::Arc;
use tidegate_machine::cluster::{Cluster, Outcome, Program, Progress};
use tidegate_machine::finding::{Code, Finding};
use tidegate_machine::global::GlobalState;
use tidegate_machine::hardware::{AgentId, BlockLaunch, Config, Hardware, Stop};
use tidegate_machine::memory::RESERVED;
use tidegate_machine::schedule::RoundRobin;

/// Instructions with their registers, run on one warp of 32 lanes with 4096 bytes of shared memory.
pub(crate) struct Snippet {
    text: String,
    target: &'static str,
    lanes: u32,
    set: Vec<(String, Vec<u128>)>,
    warp: u32,
    shared: Vec<u8>,
    config: Config,
}

/// What is left after a run.
pub(crate) struct After {
    pub(crate) findings: Vec<Finding>,
    pub(crate) outcome: Outcome,
    regs: Vec<(String, Vec<u128>)>,
    pub(crate) shared: Vec<u8>,
}

/// A warp that keeps its registers when its lanes have ended.
struct Kept {
    warp: Warp,
    set: Vec<(Reg, Vec<u128>)>,
    names: Vec<(Reg, String)>,
    out: std::sync::mpsc::Sender<(String, Vec<u128>)>,
}

impl Program for Kept {
    fn run(&mut self, agent: AgentId, hw: &mut Hardware, _: u32) -> Result<Progress, Stop> {
        for (reg, values) in self.set.drain(..) {
            for (lane, &v) in values.iter().enumerate() {
                match reg {
                    Reg::P(s) => self.warp.regs.set_p(SP(s), 1 << lane, (v as u32 & 1) << lane),
                    Reg::R32(s) => self.warp.regs.r32_mut(S32(s))[lane] = v as u32,
                    Reg::R64(s) => self.warp.regs.r64_mut(S64(s))[lane] = v as u64,
                    Reg::R128(s) => self.warp.regs.r128_mut(S128(s))[lane] = v,
                }
            }
        }
        // The last instruction of a snippet ends the warp: registers are looked at before each step.
        for (reg, name) in &self.names {
            let r = &self.warp.regs;
            let values: Vec<u128> = match *reg {
                Reg::P(s) => (0..32).map(|l| u128::from(r.p(SP(s)) >> l & 1)).collect(),
                Reg::R32(s) => r.r32(S32(s)).iter().map(|&v| u128::from(v)).collect(),
                Reg::R64(s) => r.r64(S64(s)).iter().map(|&v| u128::from(v)).collect(),
                Reg::R128(s) => r.r128(S128(s)).to_vec(),
            };
            let _ = self.out.send((name.clone(), values));
        }
        self.warp.run(agent, hw, 1)
    }

    fn effect(&mut self, token: u64, op: u64, hw: &mut Hardware) -> Result<(), Stop> {
        self.warp.effect(token, op, hw)
    }
}

/// `body` declares its registers and shared variables and ends without `exit`.
pub(crate) fn snippet(body: &str) -> Snippet {
    Snippet {
        text: body.to_owned(),
        target: "sm_90a",
        lanes: u32::MAX,
        set: Vec::new(),
        warp: 0,
        shared: Vec::new(),
        config: Config { uninitialised: false, ..Config::default() },
    }
}

/// What an instruction gives: `d` is its destination, of type `ty`; `a`, `b`, `c`, `e` are its sources with their types
/// and values, the same in all lanes.
pub(crate) fn compute(ty: &str, instruction: &str, sources: &[(&str, u128)]) -> u128 {
    let names = ["a", "b", "c", "e"];
    let mut text = format!(".reg .{ty} d;\n");
    for (name, (ty, _)) in names.iter().zip(sources) {
        text += &format!(".reg .{ty} {name};\n");
    }
    let mut s = snippet(&(text + instruction));
    for (name, (_, value)) in names.iter().zip(sources) {
        s = s.all(name, *value);
    }
    let lanes = s.get("d");
    assert!(lanes.iter().all(|&v| v == lanes[0]), "{instruction}: {lanes:?}");
    lanes[0]
}

impl Snippet {
    /// For another target.
    pub(crate) fn target(mut self, target: &'static str) -> Snippet {
        self.target = target;
        self
    }

    /// As another warp of its block.
    pub(crate) fn warp(mut self, warp: u32) -> Snippet {
        self.warp = warp;
        self
    }

    /// With these bytes at the start of the kernel's shared memory (shared address 1024).
    pub(crate) fn shared(mut self, bytes: Vec<u8>) -> Snippet {
        self.shared = bytes;
        self
    }

    /// Sets a register in all lanes to one value.
    pub(crate) fn all(self, name: &str, value: impl Into<u128>) -> Snippet {
        let value = value.into();
        self.each(name, |_| value)
    }

    /// Sets a register by lane.
    pub(crate) fn each(mut self, name: &str, value: impl Fn(u128) -> u128) -> Snippet {
        self.set.push((name.to_owned(), (0..32).map(value).collect()));
        self
    }

    /// The text of the module.
    pub(crate) fn module_text(&self) -> String {
        let Snippet { text, target, .. } = self;
        format!(
            ".version 9.0\n.target {target}\n.address_size 64\n.visible .entry k()\n{{\n{text}\nexit;\n}}\n"
        )
    }

    /// Runs it. Panics when the text is wrong: it is the test's.
    pub(crate) fn run(self) -> After {
        let text = self.module_text();
        let module = Module::from_text(&text).unwrap_or_else(|e| panic!("{e:#?}"));
        let mut device = Device::new();
        let loaded = device.load(&module).unwrap();
        let function = &module.code.program.functions[0];
        let names: Vec<(Reg, String)> =
            function.reg_names.iter().map(|(reg, name, _)| (*reg, name.clone())).collect();
        let find = |name: &str| names.iter().find(|(_, n)| n == name).map(|(r, _)| *r);
        let set = self
            .set
            .iter()
            .map(|(name, v)| (find(name).unwrap_or_else(|| panic!("no register {name}")), v.clone()))
            .collect();
        let dims = Dims { grid: [1; 3], block: [32, 1, 1], cluster: [1; 3], explicit_cluster: false };
        let shared = Shared {
            code: Arc::clone(&module.code),
            params: Vec::new(),
            symbols: loaded.symbols.clone(),
            dims,
            shared_bytes: self.shared.len().max(4096) as u32,
            dynamic_bytes: 0,
            output: std::sync::Mutex::default(),
        };
        let env = Env {
            code: Arc::clone(&module.code),
            launch: Arc::new(shared),
            ctaid: [0; 3],
            rank: 0,
            warp: self.warp,
        };
        let warp = Warp::new(Arc::new(env), FunctionId(0), self.lanes);
        let block = BlockLaunch {
            ctaid: [0; 3],
            shared_bytes: self.shared.len().max(4096) as u32,
            agents: vec![self.lanes],
        };
        let mut hw = Hardware::new(self.config, Arc::new(GlobalState::default()), 0, vec![block]);
        if let Some(to) = hw.blocks[0].shared.get_mut(RESERVED, self.shared.len() as u32) {
            to.copy_from_slice(&self.shared);
        }
        let (out, received) = std::sync::mpsc::channel();
        let mut cluster = Cluster::new(hw, vec![Kept { warp, set, names, out }]);
        let outcome = cluster.run(&mut RoundRobin::default(), 1_000_000);
        let mut regs: Vec<(String, Vec<u128>)> = Vec::new();
        for (name, values) in received.try_iter() {
            match regs.iter_mut().find(|(n, _)| *n == name) {
                Some(r) => r.1 = values,
                None => regs.push((name, values)),
            }
        }
        let shared = cluster.hw.blocks[0].shared.bytes[RESERVED as usize..].to_vec();
        After { findings: cluster.hw.findings, outcome, regs, shared }
    }

    /// Runs it and gives a register's lanes; the run has to end without findings.
    pub(crate) fn get(self, name: &str) -> Vec<u128> {
        let after = self.run();
        after.clean();
        after.get(name)
    }

    /// Runs it; it has to give a finding of this code.
    pub(crate) fn finds(self, code: Code) -> Finding {
        let after = self.run();
        let found = after.findings.iter().find(|f| f.code == code);
        found.unwrap_or_else(|| panic!("no {code} among {:?}", after.findings)).clone()
    }
}

impl After {
    /// No findings, and the end was reached.
    pub(crate) fn clean(&self) {
        assert!(self.findings.is_empty(), "{:#?}", self.findings);
        assert_eq!(self.outcome, Outcome::Finished);
    }

    /// A register's lanes.
    pub(crate) fn get(&self, name: &str) -> Vec<u128> {
        self.regs.iter().find(|(n, _)| n == name).unwrap_or_else(|| panic!("no register {name}")).1.clone()
    }

    /// A register of lane 0.
    pub(crate) fn first(&self, name: &str) -> u128 {
        self.get(name)[0]
    }
}

mod tests {
    use super::*;

    #[test]
    fn lanes_part_and_meet_again() {
        let text = ".reg .pred %p; @%p bra L; nanosleep.u32 20; L: nanosleep.u32 20;";
        let after = snippet(text).each("%p", |lane| lane & 1).run();
        after.clean();
        assert_eq!(after.get("%p")[..3], [0, 1, 0]);
    }

    #[test]
    fn what_no_family_knows_is_an_error_with_a_place() {
        let text = snippet(".reg .b32 %r; frobnicate.u32 %r, %r;").module_text();
        let errors = Module::from_text(&text).unwrap_err();
        assert!(errors[0].message.contains("frobnicate"), "{errors:?}");
    }
}

//! Calls (ISA 9.7.12 "control flow instructions": `call`; chapter 7, "abstracting the ABI"): arguments and results in
//! registers and in `.param` memory, by name and by address, and what external functions do.

use super::types::bits;
use crate::ast::{ScalarType, Space};
use crate::decode::{Decoder, Dst, Src, Value, constant_bits, describe};
use crate::env::Env;
use crate::error::ParseError;
use crate::exec::{Exec, Flow, WarpState};
use crate::program::{Arg, Formal, FunctionId, Reg};
use crate::regs::{Base, Regs, S32, S64, S128, SP, lanes_of};
use smallvec::SmallVec;
use std::sync::Arc;
use tidegate_machine::finding::Code;
use tidegate_machine::hardware::Stop;

/// A call.
#[derive(Debug)]
pub struct Call {
    target: Target,
    args: Vec<Spot>,
    results: Vec<Spot>,
}

#[derive(Debug)]
enum Target {
    Direct(FunctionId),
    /// An address, and the functions that it may be (none: any).
    Indirect(S64, Arc<[FunctionId]>),
}

/// Where an argument or a result is, within the frame of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    /// Bytes of the frame's memory: offset and length.
    Memory(u32, u32),
    /// A register or a constant.
    Source(Src),
    /// Nowhere: a result that is thrown away.
    Nothing,
}

/// A frame, for reading and writing its spots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub(crate) base: Base,
    pub(crate) memory: u32,
}

type Bytes = SmallVec<[u8; 32]>;

impl Spot {
    fn of(program: &crate::program::Program, formal: Formal) -> Spot {
        match formal {
            Formal::Memory(symbol) => match program.symbols.get(symbol.0 as usize) {
                Some(s) => Spot::Memory(s.offset as u32, s.size as u32),
                None => Spot::Nothing,
            },
            Formal::Register(reg, _) => Spot::Source(register(reg)),
        }
    }

    /// The bytes of a lane.
    fn read(self, at: At, regs: &mut Regs, state: &WarpState, lane: usize) -> Bytes {
        regs.enter(at.base);
        match self {
            Spot::Memory(offset, len) => {
                let from = (at.memory + offset) as usize;
                let memory = state.local.get(lane).map_or(&[][..], Vec::as_slice);
                (from..from + len as usize).map(|i| memory.get(i).copied().unwrap_or(0)).collect()
            }
            Spot::Source(Src::P(s)) => SmallVec::from_slice(&[(regs.p(s) >> lane & 1) as u8]),
            Spot::Source(Src::R32(s)) => SmallVec::from_slice(&regs.r32(s)[lane].to_le_bytes()),
            Spot::Source(Src::R64(s)) => SmallVec::from_slice(&regs.r64(s)[lane].to_le_bytes()),
            Spot::Source(Src::R128(s)) => SmallVec::from_slice(&regs.r128(s)[lane].to_le_bytes()),
            Spot::Nothing => Bytes::new(),
        }
    }

    /// Writes bytes of a lane, as many as there is room for; what is missing is zero.
    fn write(self, at: At, regs: &mut Regs, state: &mut WarpState, lane: usize, bytes: &[u8]) {
        regs.enter(at.base);
        let mut wide = [0; 16];
        for (to, from) in wide.iter_mut().zip(bytes) {
            *to = *from;
        }
        let wide = u128::from_le_bytes(wide);
        match self {
            Spot::Memory(offset, len) => {
                let from = (at.memory + offset) as usize;
                if state.local.len() < 32 {
                    state.local.resize(32, Vec::new());
                }
                let Some(memory) = state.local.get_mut(lane) else { return };
                if memory.len() < from + len as usize {
                    memory.resize(from + len as usize, 0);
                }
                for (i, to) in memory[from..from + len as usize].iter_mut().enumerate() {
                    *to = bytes.get(i).copied().unwrap_or(0);
                }
            }
            Spot::Source(Src::P(s)) => regs.set_p(s, 1 << lane, (wide as u32 & 1) << lane),
            Spot::Source(Src::R32(s)) => regs.r32_mut(s)[lane] = wide as u32,
            Spot::Source(Src::R64(s)) => regs.r64_mut(s)[lane] = wide as u64,
            Spot::Source(Src::R128(s)) => regs.r128_mut(s)[lane] = wide,
            Spot::Nothing => {}
        }
    }
}

fn register(reg: Reg) -> Src {
    match reg {
        Reg::P(s) => Src::P(SP(s)),
        Reg::R32(s) => Src::R32(S32(s)),
        Reg::R64(s) => Src::R64(S64(s)),
        Reg::R128(s) => Src::R128(S128(s)),
    }
}

pub(super) fn decode(d: &mut Decoder<'_>) -> Result<Call, ParseError> {
    if !matches!(d.opcode().get(1..), Some([]) | None) && d.opcode()[1..] != ["uni"] {
        return d.unknown();
    }
    // call (results), target, (arguments), prototype; each but the target may be left out.
    let mut results = &[][..];
    let mut args = &[][..];
    let mut target = None;
    for index in 0..d.instr().args.len() {
        match d.arg(index)? {
            Arg::List(list) if target.is_none() => results = list,
            Arg::List(list) => args = list,
            Arg::Function(f) if target.is_none() => target = Some(Target::Direct(*f)),
            Arg::Reg(Reg::R64(slot), _) if target.is_none() => {
                target = Some(Target::Indirect(S64(*slot), Arc::from([])));
            }
            Arg::Prototype(list) => match &mut target {
                Some(Target::Indirect(_, allowed)) => *allowed = Arc::clone(list),
                _ => return d.error_at(index, "a prototype goes with a call by address"),
            },
            other => {
                let found = describe(other);
                return d
                    .error_at(index, format!("a function, a list or a prototype is wanted, found {found}"));
            }
        }
    }
    let Some(target) = target else { return d.error("a call without a function") };
    let mut types: &[Formal] = &[];
    if let Target::Direct(f) = &target {
        let Some(callee) = d.program.functions.get(f.0 as usize) else {
            return d.error("an unknown function");
        };
        if callee.entry {
            return d.error(format!("`{}` is a kernel and cannot be called", callee.name));
        }
        if args.len() != callee.params.len() || results.len() != callee.returns.len() {
            let found = format!("{} arguments and {} results", args.len(), results.len());
            let wanted = format!("{} and {}", callee.params.len(), callee.returns.len());
            return d.error(format!("the call of `{}` has {found}; it takes {wanted}", callee.name));
        }
        types = &callee.params;
    }
    let mut actual = Vec::new();
    for (i, arg) in args.iter().enumerate() {
        let ty = match types.get(i) {
            Some(Formal::Register(_, ty)) => *ty,
            Some(Formal::Memory(symbol)) => {
                d.program.symbols.get(symbol.0 as usize).map_or(ScalarType::B64, |s| s.ty)
            }
            None => ScalarType::B64,
        };
        actual.push(spot(d, arg, ty)?);
    }
    let mut outs = Vec::new();
    for arg in results {
        outs.push(match arg {
            Arg::Sink => Spot::Nothing,
            Arg::Reg(reg, _) => Spot::Source(register(*reg)),
            other => match spot(d, other, ScalarType::B64)? {
                memory @ Spot::Memory(..) => memory,
                _ => return d.error("a result goes to a register or a `.param` variable"),
            },
        });
    }
    Ok(Call { target, args: actual, results: outs })
}

/// An actual argument.
fn spot(d: &mut Decoder<'_>, arg: &Arg, ty: ScalarType) -> Result<Spot, ParseError> {
    let span = d.instr().opcode_span;
    Ok(match arg {
        Arg::Reg(reg, _) => Spot::Source(register(*reg)),
        Arg::Symbol(symbol, 0) => match d.program.symbols.get(symbol.0 as usize) {
            Some(s) if s.space == Space::Param => {
                let kernels = d.function.entry
                    && d.function.params.iter().any(|p| matches!(p, Formal::Memory(f) if f == symbol));
                if kernels {
                    return d.error(format!(
                        "`{}` is a parameter of the kernel: load it and pass its value",
                        s.name
                    ));
                }
                Spot::Memory(s.offset as u32, s.size as u32)
            }
            _ => Spot::Source(d.src_of(arg, ScalarType::B64, span)?),
        },
        Arg::Const(c) if bits(ty) <= 64 => {
            let bits = constant_bits(*c, ty);
            Spot::Source(Src::R64(d.const64(Value::Bits(bits))))
        }
        other => Spot::Source(d.src_of(other, ty, span)?),
    })
}

impl Call {
    pub(super) fn exec(self: &Arc<Call>, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        let (function, lanes) = match &self.target {
            Target::Direct(f) => (*f, x.lanes),
            Target::Indirect(slot, allowed) => {
                // Those that call the same function go together; the others find the instruction again.
                let at = *x.regs.r64(*slot);
                let first = at[x.lanes.trailing_zeros() as usize & 31];
                let lanes = lanes_of(x.lanes).fold(0u32, |m, lane| m | u32::from(at[lane] == first) << lane);
                let found = super::control::function_at(first);
                let Some(function) = found.filter(|f| (f.0 as usize) < x.env.code.functions.len()) else {
                    return x
                        .fail(Code::InvalidOperand, format!("a call of {first:#x}, which is no function"));
                };
                if !allowed.is_empty() && !allowed.contains(&function) {
                    let name = &x.env.code.program.functions[function.0 as usize].name;
                    let message = format!("a call of `{name}`, which is not among the call's targets");
                    return x.fail(Code::InvalidOperand, message);
                }
                (function, lanes)
            }
        };
        let callee = &x.env.code.program.functions[function.0 as usize];
        if callee.entry
            || self.args.len() != callee.params.len()
            || self.results.len() != callee.returns.len()
        {
            let message = format!(
                "a call with {} arguments and {} results of `{}`, which takes {} and {}",
                self.args.len(),
                self.results.len(),
                callee.name,
                callee.params.len(),
                callee.returns.len()
            );
            return x.fail(Code::InvalidOperand, message);
        }
        if callee.defined {
            return Ok(Flow::Call(Arc::clone(self), function, lanes));
        }
        if lanes != x.lanes {
            let name = callee.name.clone();
            let message = format!("`{name}` is external and called by address, by some lanes only");
            return x.fail(Code::Unsupported, message);
        }
        super::external::call(self, &callee.name, x)
    }

    /// An argument of a lane as a number.
    pub(super) fn argument(&self, x: &mut Exec<'_>, index: usize, lane: usize) -> u64 {
        let at = At { base: x.regs.base(), memory: x.frame_memory };
        let bytes = self.args.get(index).map(|a| a.read(at, x.regs, x.state, lane)).unwrap_or_default();
        bytes.iter().take(8).rev().fold(0, |v, &b| v << 8 | u64::from(b))
    }

    /// Sets the result of a lane.
    pub(super) fn set_result(&self, x: &mut Exec<'_>, lane: usize, value: u64) {
        let at = At { base: x.regs.base(), memory: x.frame_memory };
        if let Some(spot) = self.results.first() {
            spot.write(at, x.regs, x.state, lane, &value.to_le_bytes());
        }
    }

    /// Copies the arguments of lanes into the callee's frame.
    pub(crate) fn pass(
        &self,
        env: &Env,
        function: FunctionId,
        (regs, state): (&mut Regs, &mut WarpState),
        lanes: u32,
        (from, to): (At, At),
    ) {
        let program = &env.code.program;
        let formals = program.functions.get(function.0 as usize).map_or(&[][..], |f| &f.params);
        for (actual, formal) in self.args.iter().zip(formals) {
            let formal = Spot::of(program, *formal);
            for lane in lanes_of(lanes) {
                let bytes = actual.read(from, regs, state, lane);
                formal.write(to, regs, state, lane, &bytes);
            }
        }
    }

    /// Copies the results of lanes back to the caller's frame.
    pub(crate) fn take_back(
        &self,
        env: &Env,
        function: FunctionId,
        (regs, state): (&mut Regs, &mut WarpState),
        lanes: u32,
        (from, to): (At, At),
    ) {
        let program = &env.code.program;
        let formals = program.functions.get(function.0 as usize).map_or(&[][..], |f| &f.returns);
        for (actual, formal) in self.results.iter().zip(formals) {
            let formal = Spot::of(program, *formal);
            for lane in lanes_of(lanes) {
                let bytes = formal.read(from, regs, state, lane);
                actual.write(to, regs, state, lane, &bytes);
            }
        }
    }
}

/// `alloca`, `stacksave`, `stackrestore` (ISA 9.7.15 "stack manipulation instructions").
#[derive(Clone, Debug)]
pub enum Stack {
    /// `alloca`: destination, bytes, alignment.
    Allocate(Dst, Src, u32),
    /// `stacksave`
    Save(Dst),
    /// `stackrestore`
    Restore(Src),
}

pub(super) fn decode_stack(d: &mut Decoder<'_>) -> Result<Stack, ParseError> {
    let ty = match d.opcode() {
        [_, ty] if ty == "u64" => ScalarType::U64,
        [_, ty] if ty == "u32" => ScalarType::U32,
        _ => return d.unknown(),
    };
    let dst = |d: &Decoder<'_>| match ty {
        ScalarType::U64 => d.dst64(0).map(Dst::R64),
        _ => d.dst32(0).map(Dst::R32),
    };
    match d.opcode()[0].as_str() {
        "alloca" => {
            d.operands(2..=3)?;
            let align = match d.instr().args.get(2) {
                None => 8,
                Some(Arg::Const(c)) => constant_bits(*c, ScalarType::U32) as u32,
                Some(_) => return d.error_at(2, "an alignment is a constant"),
            };
            if !align.is_power_of_two() || align > 1 << 23 {
                return d.error_at(2, format!("an alignment is a power of two up to 2^23, found {align}"));
            }
            let size = d.src(1, ty)?;
            Ok(Stack::Allocate(dst(d)?, size, align))
        }
        "stacksave" => {
            d.operands(1..=1)?;
            Ok(Stack::Save(dst(d)?))
        }
        _ => {
            d.operands(1..=1)?;
            Ok(Stack::Restore(d.src(0, ty)?))
        }
    }
}

impl Stack {
    pub(super) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
        match *self {
            Stack::Allocate(dst, size, align) => {
                // Lanes of a frame have one stack pointer: that of the lane that wants most.
                let size = x.wide(size);
                let size = lanes_of(x.lanes).map(|lane| size[lane]).max().unwrap_or(0);
                let at = u64::from(*x.stack_end).next_multiple_of(u64::from(align));
                let end = at.checked_add(size).filter(|&e| e <= u64::from(crate::exec::MAX_LOCAL));
                let Some(end) = end else {
                    let message =
                        format!("alloca of {size} bytes with {at} in use: the stack of a thread overflows");
                    return x.fail(Code::Trap, message);
                };
                *x.stack_end = end as u32;
                x.put(dst, &[at; 32]);
            }
            Stack::Save(dst) => {
                let end = u64::from(*x.stack_end);
                x.put(dst, &[end; 32]);
            }
            Stack::Restore(src) => {
                let to = x.wide(src);
                let to = lanes_of(x.lanes).map(|lane| to[lane]).max().unwrap_or(0);
                if to > u64::from(*x.stack_end) || to < u64::from(x.frame_memory) {
                    let message = format!("stackrestore to {to}, which stacksave did not give");
                    return x.fail(Code::InvalidOperand, message);
                }
                // Other lanes of the frame may still use what these give back.
                if x.lanes == x.live {
                    *x.stack_end = to as u32;
                }
            }
        }
        Ok(Flow::Next)
    }
}

#[cfg(test)]
mod tests {
    use crate::env::Dims;
    use crate::launch::{Device, Launch, Module, Outcome, RunOptions};
    use tidegate_machine::finding::Code;

    /// Runs one warp of a module's kernel `k`, whose parameter is a buffer of 32 words.
    fn run(functions: &str, body: &str) -> (Outcome, Vec<u32>) {
        let text = format!(
            ".version 8.0\n.target sm_90a\n.address_size 64\n.global .align 1 .b8 text[12] = {{37, 100, 32, 37, 115, 10, 0}};
             .global .align 1 .b8 name[4] = {{97, 98, 0}};
             .extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
             .extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
             {functions}
             .visible .entry k(.param .u64 out) {{ .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<3>;
             ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mad.wide.u32 %d1, %r0, 4, %d0;
             {body}
             st.global.u32 [%d1], %r1; ret; }}"
        );
        let module = Module::from_text(&text).unwrap_or_else(|e| panic!("{e:#?}"));
        let mut device = Device::new();
        let loaded = device.load(&module).unwrap();
        let out = device.upload("out", &[0; 128]).unwrap();
        let kernel = module.code.program.functions.iter().position(|f| f.entry).unwrap();
        let launch = Launch {
            dims: Dims { grid: [1; 3], block: [32, 1, 1], cluster: [1; 3], explicit_cluster: false },
            params: out.to_le_bytes().to_vec(),
            dynamic_shared_bytes: 0,
            dynamic_shared_align: 16,
            dynamic_shared_symbol: None,
        };
        let kernel = crate::program::FunctionId(kernel as u32);
        let outcome = device
            .run(
                &loaded,
                kernel,
                &launch,
                &RunOptions { config: Default::default(), threads: 1, stop_early: true },
            )
            .unwrap();
        let bytes = device.read(out, 128).unwrap();
        (outcome, bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
    }

    fn values(functions: &str, body: &str) -> Vec<u32> {
        let (outcome, values) = run(functions, body);
        assert!(outcome.report.findings.is_empty(), "{:#?}", outcome.report.findings);
        values
    }

    const FACTORIAL: &str = ".func (.param .b32 r) fact(.param .b32 n) { .reg .b32 %r<9>; .reg .pred %p<2>;
         .local .b32 keep; .reg .b64 %a<2>;
         ld.param.b32 %r0, [n]; mov.u64 %a0, keep; st.local.u32 [%a0], %r0;
         setp.lt.u32 %p0, %r0, 2; @%p0 bra ONE;
         sub.u32 %r1, %r0, 1;
         { .param .b32 p; st.param.b32 [p], %r1; .param .b32 q; call.uni (q), fact, (p); ld.param.b32 %r2, [q]; }
         ld.local.u32 %r3, [keep]; mul.lo.u32 %r2, %r2, %r3; st.param.b32 [r], %r2; ret;
         ONE: st.param.b32 [r], 1; ret; }";

    #[test]
    fn recursion_with_lanes_of_different_depth() {
        let call = "and.b32 %r2, %r0, 7; { .param .b32 p; st.param.b32 [p], %r2; .param .b32 q;
             call (q), fact, (p); ld.param.b32 %r1, [q]; }";
        let v = values(FACTORIAL, call);
        assert_eq!(v[..9], [1, 1, 2, 6, 24, 120, 720, 5040, 1]);
    }

    #[test]
    fn registers_and_divergent_calls_by_address() {
        let functions = ".func (.reg .b32 r) twice(.reg .b32 a) { add.u32 r, a, a; ret; }
             .func (.reg .b32 r) next(.reg .b32 a) { add.u32 r, a, 1; ret; }";
        let body = "and.b32 %r2, %r0, 1; setp.eq.u32 %p0, %r2, 0; mov.u64 %d2, twice; mov.u64 %d3, next;
             selp.b64 %d4, %d2, %d3, %p0; setp.lt.u32 %p1, %r0, 30; mov.u32 %r1, 99;
             T: .calltargets twice, next;
             @%p1 call (%r1), %d4, (%r0), T;";
        let v = values(functions, body);
        assert_eq!(v[..4], [0, 2, 4, 4]);
        assert_eq!(v[30], 99);
    }

    #[test]
    fn stacks_grow_and_shrink() {
        let body = "stacksave.u64 %d2; alloca.u64 %d3, 64, 16; st.local.u32 [%d3+60], %r0; ld.local.u32 %r1, [%d3+60];
             stackrestore.u64 %d2; alloca.u64 %d4, 64, 16; sub.u64 %d4, %d4, %d3; cvt.u32.u64 %r2, %d4; add.u32 %r1, %r1, %r2;";
        assert_eq!(values("", body)[..3], [0, 1, 2]);
        let (outcome, _) = run("", "mov.u64 %d2, 600000; alloca.u64 %d3, %d2; mov.u32 %r1, 0;");
        assert_eq!(outcome.report.findings[0].0.code, Code::Trap);
    }

    #[test]
    fn printing_and_asserting() {
        let print =
            ".local .align 8 .b8 buffer[16]; mov.u64 %d2, buffer; st.local.u32 [%d2], %r0; mov.u64 %d3, name;
             cvta.global.u64 %d3, %d3; st.local.u64 [%d2+8], %d3; cvta.local.u64 %d2, %d2; mov.u64 %d4, text;
             cvta.global.u64 %d4, %d4; setp.lt.u32 %p0, %r0, 2; mov.u32 %r1, 0; @!%p0 bra END;
             { .param .b64 p; st.param.b64 [p], %d4; .param .b64 q; st.param.b64 [q], %d2; .param .b32 r;
             call.uni (r), vprintf, (p, q); ld.param.b32 %r1, [r]; } END:";
        let (outcome, v) = run("", print);
        assert!(outcome.report.findings.is_empty(), "{:#?}", outcome.report.findings);
        assert_eq!(outcome.output, b"0 ab\n1 ab\n");
        assert_eq!(v[..3], [2, 2, 0]);
        let fail = "mov.u64 %d2, name; cvta.global.u64 %d2, %d2; mov.u32 %r1, 0;
             call.uni __assertfail, (%d2, %d2, 12, %d2, 1);";
        let (outcome, _) = run("", fail);
        assert_eq!(outcome.report.findings[0].0.code, Code::Trap);
        assert!(outcome.report.findings[0].0.message.contains("`ab` at ab:12 in ab"), "{outcome:?}");
    }

    #[test]
    fn the_heap_is_always_full() {
        let body = |free: &str| {
            format!(
                "mov.u64 %d2, 64; mov.u32 %r1, 7; {{ .param .b64 p; st.param.b64 [p], %d2; .param .b64 q;
                 call.uni (q), malloc, (p); ld.param.b64 %d3, [q]; }} cvt.u32.u64 %r1, %d3;
                 {{ .param .b64 p; st.param.b64 [p], {free}; call.uni free, (p); }}"
            )
        };
        let functions =
            ".extern .func (.param .b64 r) malloc(.param .b64 n); .extern .func free(.param .b64 at);";
        let (outcome, v) = run(functions, &body("%d3"));
        assert!(outcome.report.findings.is_empty(), "{:#?}", outcome.report.findings);
        assert_eq!(v[..2], [0, 0]);
        let (outcome, _) = run(functions, &body("%d2"));
        assert_eq!(outcome.report.findings[0].0.code, Code::InvalidOperand);
    }
}

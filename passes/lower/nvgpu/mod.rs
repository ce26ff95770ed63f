//! `lower-to-nvgpu`: from tidegate IR to the dialects `nvgpu`, `nvvm`, `llvm`, `scf`, `arith` and `memref` of MLIR.
//!
//! The unit of the IR is the thread, a warpgroup or a warp; MLIR's is the lane. What a thread does becomes what each of
//! its lanes does: arrays are spread over the lanes, and what is to happen once is done by the thread's first lane. The
//! decisions are made beforehand ([`plan`](super::plan)); here they are carried out, one file for each group of ops.
//!
//! | file | what |
//! |---|---|
//! | `kernel` | entry of a kernel, roles, exit |
//! | `thread` | the executing thread: lanes, the elected one, joins |
//! | `value` | what stands for a value of the IR: numbers, and arrays in registers |
//! | `index`, `address` | sums of indices; places in shared and global memory |
//! | `arith`, `convert`, `math`, `vector`, `scf` | those dialects |
//! | `memory`, `barrier`, `copy`, `sync` | dialect `tg` |
//!
//! Every op of the result carries the number of the op it comes from ([`OpTag`]), so that what
//! MLIR says about it comes back as a diagnostic about ours.

mod address;
mod arith;
mod barrier;
mod convert;
mod copy;
mod index;
mod kernel;
mod math;
mod memory;
mod scf;
mod sync;
mod thread;
mod value;
mod vector;

use melior::ir::{Location, Module as MlirModule};
use rustc_hash::FxHashMap;
use serde_json::Value as Json;
use tidegate_ir::diag::{Diagnostic, Diagnostics, Reported, codes};
use tidegate_ir::entity::EntityId;
use tidegate_ir::ops::{Opcode, TgOp, VectorOp};
use tidegate_ir::{Block, Module, Op, Value};

use self::{kernel::Prologue, thread::Thread, value::Low};
use super::{
    mlir::{
        MlirError, MlirMessage, OpTag, Session, SourceLine,
        emit::{Emitter, KernelModule},
    },
    plan::{
        Refusal,
        arrivals::ArrivalPlan,
        params::Params,
        ranges::Ranges,
        refuse,
        shape::{Crew, KernelShape},
        sync::Joins,
        unsupported,
    },
    target::Chip,
};

/// A module of kernels, lowered.
#[derive(Debug)]
pub struct Lowered<'c> {
    /// The module, of one `gpu.module` for each kernel.
    pub module: MlirModule<'c>,
    /// The manifest of each kernel.
    pub manifests: Vec<Json>,
}

/// Why a kernel was not lowered.
#[derive(Debug)]
enum Failure {
    /// Something in the kernel has no lowering.
    Refused(Refusal),
    /// MLIR refused what we made.
    Mlir(MlirError),
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<MlirError> for Failure {
    fn from(error: MlirError) -> Self {
        Self::Mlir(error)
    }
}

type Lower<T> = Result<T, Failure>;

/// Lowers all kernels of `module` for `chip`. Passes have to have run before: `assign-parity`, `infer-layouts`,
/// `allocate-smem`.
///
/// # Errors
///
/// When a kernel has no lowering; `diags` says why.
pub fn lower_to_nvgpu<'c>(
    module: &Module,
    session: &'c Session,
    chip: Chip,
    diags: &mut Diagnostics,
) -> Result<Lowered<'c>, Reported> {
    let before = diags.error_count();
    let mut manifests = Vec::new();
    let location = Location::unknown(session.context());
    let kernels = match KernelModule::new(session, location) {
        Ok(kernels) => kernels,
        Err(error) => return Err(report_mlir(module, &error, diags)),
    };
    for op in module.block_ops(module.body()) {
        if module.opcode(op) != Opcode::Tg(TgOp::Kernel) {
            let message = format!("`{}` at the top of a module has no lowering", module.op_name(op));
            let code = opaque_or(module, op, codes::NOT_A_KERNEL);
            diags.emit(Diagnostic::error(code, message).at(module.span(op), "only kernels are lowered"));
            continue;
        }
        match lower_kernel(module, session, &kernels, chip, op) {
            Ok(manifest) => manifests.push(manifest),
            Err(Failure::Refused(diagnostic)) => diags.emit(*diagnostic),
            Err(Failure::Mlir(error)) => {
                report_mlir(module, &error, diags);
            }
        }
    }
    diags.check_since(before)?;
    if manifests.is_empty() {
        let message = "the module has no kernel to lower";
        return Err(diags.emit_error(Diagnostic::error(codes::NOT_A_KERNEL, message)));
    }
    Ok(Lowered { module: kernels.finish(), manifests })
}

/// Turns what MLIR or LLVM said into diagnostics about the ops of `module`.
pub fn report_mlir(module: &Module, error: &MlirError, diags: &mut Diagnostics) -> Reported {
    let about = |message: &MlirMessage| {
        let tag = message.op.map(|tag| Op::from_index(tag.0 as usize));
        tag.filter(|&op| module.is_alive(op))
    };
    let mut diagnostic = Diagnostic::error(codes::MLIR_ERROR, error.to_string());
    for message in error.messages() {
        match about(message) {
            Some(op) => diagnostic = diagnostic.at(module.span(op), message.text.clone()),
            None => diagnostic = diagnostic.note(message.text.clone()),
        }
        for note in &message.notes {
            diagnostic = diagnostic.note(note.text.clone());
        }
    }
    diags.emit_error(diagnostic)
}

fn opaque_or(module: &Module, op: Op, code: tidegate_ir::diag::Code) -> tidegate_ir::diag::Code {
    match module.opcode(op) {
        Opcode::Opaque(_) => codes::OPAQUE_OP,
        _ => code,
    }
}

fn lower_kernel(
    module: &Module,
    session: &Session,
    kernels: &KernelModule<'_>,
    chip: Chip,
    op: Op,
) -> Lower<Json> {
    let shape = KernelShape::of(module, op)?;
    let ranges = Ranges::of(module, &shape);
    let params = Params::of(module, &shape, &ranges)?;
    let arrivals = ArrivalPlan::of(module, &shape);
    let plan = Plan { module, chip, shape, ranges, params, arrivals };
    kernel::lower(&plan, session, kernels)
}

/// What has been decided about a kernel.
#[derive(Debug)]
struct Plan<'m> {
    module: &'m Module,
    chip: Chip,
    shape: KernelShape,
    ranges: Ranges,
    params: Params,
    arrivals: ArrivalPlan,
}

/// A kernel on its way.
struct Lowering<'p, 'c, 'a> {
    plan: &'p Plan<'p>,
    /// Where ops go.
    e: Emitter<'c, 'a>,
    /// What the entry has made.
    prologue: Prologue<'c, 'a>,
    /// What stands for each value.
    values: FxHashMap<Value, Low<'c, 'a>>,
    /// Who executes.
    thread: Thread<'c, 'a>,
    /// Where its lanes are joined.
    joins: Joins,
    /// The branch of the elected lane that ops still go to.
    open: Option<Emitter<'c, 'a>>,
    /// Named barriers given out.
    named_barriers: u32,
}

impl<'p, 'c, 'a> Lowering<'p, 'c, 'a> {
    fn module(&self) -> &'p Module {
        self.plan.module
    }

    fn crew(&self) -> &'p Crew {
        // A thread is made of a crew of the plan.
        &self.plan.shape.crews[self.thread.crew]
    }

    /// Lowers the ops of `block` but its terminator, and gives that.
    fn block(&mut self, block: Block) -> Lower<Option<Op>> {
        let terminator = self.module().terminator(block);
        for op in self.module().block_ops(block).filter(|&op| Some(op) != terminator) {
            self.op(op)?;
        }
        if let Some(terminator) = terminator {
            self.origin(terminator);
        }
        if self.joins.at_end.contains(&block) {
            self.join()?;
        }
        self.close()?;
        Ok(terminator)
    }

    /// Ops to come are made from `op`.
    fn origin(&mut self, op: Op) {
        let tag = OpTag(u32::try_from(op.index()).unwrap_or(u32::MAX));
        let line = source_line(self.module(), op);
        self.e.set_origin(tag, line.as_ref());
        if let Some(open) = &mut self.open {
            open.set_origin(tag, line.as_ref());
        }
    }

    fn op(&mut self, op: Op) -> Lower<()> {
        self.origin(op);
        if self.joins.before.contains(&op) {
            self.join()?;
        }
        match self.module().opcode(op) {
            Opcode::Arith(arith) => self.arith(arith, op),
            Opcode::Math(math) => {
                self.refuse_bits(op)?;
                self.math(math, op)
            }
            Opcode::Vector(vector) => {
                if matches!(vector, VectorOp::Reduction | VectorOp::MultiReduction) {
                    self.refuse_bits(op)?;
                }
                self.vector(vector, op)
            }
            Opcode::Scf(scf) => self.scf(scf, op),
            Opcode::Tg(tg) => self.tg(tg, op),
            Opcode::Builtin(_) => {
                Err(unsupported(self.module(), op, "inside a kernel has no lowering").into())
            }
            Opcode::Opaque(_) => {
                let message = format!("`{}` is of a dialect that has no lowering", self.module().op_name(op));
                Err(refuse(self.module(), op, codes::OPAQUE_OP, message).into())
            }
        }
    }

    fn tg(&mut self, tg: TgOp, op: Op) -> Lower<()> {
        match tg {
            // Allocations have their places; refs are followed to them where they are used.
            TgOp::Alloc | TgOp::AllocBarrier | TgOp::At | TgOp::Subview | TgOp::Return => Ok(()),
            TgOp::AxisIndex => self.axis_index(op),
            TgOp::Dim => self.dim(op),
            TgOp::Load => self.load(op),
            TgOp::Store => self.store(op),
            TgOp::WarpSpecialize => self.warp_specialize(op),
            TgOp::InitBarrier => self.init_barrier(op),
            TgOp::InvalBarrier => self.inval_barrier(op),
            TgOp::BarrierArrive => self.barrier_arrive(op),
            TgOp::BarrierArriveExpectTx => self.barrier_arrive_expect_tx(op),
            TgOp::BarrierExpectTx => self.barrier_expect_tx(op),
            TgOp::BarrierWait => {
                Err(super::plan::needs_pass(self.module(), op, "assign-parity", "has no parity").into())
            }
            TgOp::BarrierWaitParity => self.barrier_wait(op),
            TgOp::BarrierTest => self.barrier_test(op),
            TgOp::CopyGmemToSmem => self.copy_gmem_to_smem(op),
            TgOp::CopySmemToGmem => self.copy_smem_to_gmem(op),
            TgOp::CommitGroup => self.commit_group(),
            TgOp::WaitSmemToGmem => self.wait_smem_to_gmem(op),
            TgOp::CommitSmem => self.commit_smem(),
            TgOp::ThreadSync => self.join(),
            TgOp::BlockSync => self.block_sync(),
            TgOp::ClusterSync => self.cluster_sync(),
            TgOp::SetMaxRegisters => self.set_max_registers(op),
            TgOp::DebugPrint => self.debug_print(op),
            TgOp::Assert => self.assert(op),
            TgOp::Kernel | TgOp::Role => {
                Err(unsupported(self.module(), op, "in this place has no lowering").into())
            }
        }
    }
}

/// The line of source that `op` comes from: what it carries, else where it stands in the text.
fn source_line(module: &Module, op: Op) -> Option<SourceLine> {
    if let Some((file, line, column)) = module.locs.file_line_column(module.loc(op)) {
        return Some(SourceLine { file: module.names.get(file).to_owned(), line, column });
    }
    let place = module.sources.locate(module.span(op))?;
    let file = module.sources.file(place.file).name().to_owned();
    Some(SourceLine { file, line: place.start.line, column: place.start.column })
}

//! A kernel: parameters, barriers, roles, exit.

use melior::ir::{Location, Value as Mlir};
use rustc_hash::FxHashMap;
use serde_json::Value as Json;
use tidegate_ir::diag::codes;
use tidegate_ir::ops::{Opcode, TgOp, VectorOp};
use tidegate_ir::types::{FloatKind, TypeKind};
use tidegate_ir::{Module, Op, Value};

use super::{Lower, Lowering, Plan, refuse, thread::Thread, unsupported, value::Low};
use crate::analysis::layout::{Layout, value_layout};
use crate::analysis::smem_layout::BARRIER_BYTES;
use crate::lower::{
    mlir::{
        Session,
        emit::{BarrierGroup, Comparison, Emitter, KernelAttributes, KernelModule, LoopForm, Parameter},
    },
    plan::{
        manifest::{SmemSizes, manifest},
        needs_pass,
        params::Param,
        shape::{AxisKind, Crew},
        sync,
    },
};
use crate::target::{COMMON, tma};

/// What the entry of a kernel makes.
#[derive(Debug, Default)]
pub(super) struct Prologue<'c, 'a> {
    /// The arguments of the kernel.
    pub(super) args: Vec<Value>,
    /// The parameters.
    params: FxHashMap<Param, Mlir<'c, 'a>>,
    /// The start of the dynamic shared memory.
    pub(super) smem: Option<Mlir<'c, 'a>>,
    /// The groups of barriers by their allocation.
    pub(super) barriers: FxHashMap<Value, BarrierGroup<'c, 'a>>,
}

impl<'c, 'a> Prologue<'c, 'a> {
    pub(super) fn param(&self, param: Param) -> Option<Mlir<'c, 'a>> {
        self.params.get(&param).copied()
    }
}

/// Lowers the kernel of `plan` into `kernels`, and gives its manifest.
pub(super) fn lower(plan: &Plan<'_>, session: &Session, kernels: &KernelModule<'_>) -> Lower<Json> {
    let module = plan.module;
    let kernel = plan.shape.op;
    let smem = smem_sizes(plan)?;
    let mut top = kernels.emitter(&plan.shape.name, Location::unknown(session.context()))?;
    let line = super::source_line(module, kernel);
    let tag = super::OpTag(u32::try_from(tidegate_ir::EntityId::index(kernel)).unwrap_or(u32::MAX));
    top.set_origin(tag, line.as_ref());
    if smem.dynamic_bytes > 0 {
        top.declare_dynamic_smem(smem.alignment)?;
    }
    let parameters =
        plan.params.list.iter().map(|param| parameter(plan, *param)).collect::<Lower<Vec<_>>>()?;
    let attributes = KernelAttributes {
        lanes: plan.shape.lanes(),
        cluster: plan.shape.cluster_dims(),
        max_registers: plan.shape.launch_registers(),
    };
    let (e, values) = top.kernel(&plan.shape.name, &parameters, attributes)?;
    let Some(body) = module.region_block(kernel, 0) else {
        return Err(unsupported(module, kernel, "has no body").into());
    };
    let mut prologue = Prologue {
        args: module.block_args(body).to_vec(),
        params: plan.params.list.iter().copied().zip(values).collect(),
        ..Prologue::default()
    };
    if smem.dynamic_bytes > 0 {
        prologue.smem = Some(e.dynamic_smem()?);
    }
    let tid = e.special_register("tid.x", Some(plan.shape.lanes()))?;
    for group in &plan.arrivals.groups {
        let barriers = e.create_barriers(group.size, barrier_offset(module, group.alloc)?)?;
        prologue.barriers.insert(module.result(group.alloc, 0), barriers);
    }
    init_barriers(plan, &e, &prologue, tid)?;
    let crew = whole_block(plan);
    let thread = Thread::new(&e, tid, 0, crew.as_ref().unwrap_or(&plan.shape.crews[0]), plan.shape.lanes())?;
    let mut lowering = Lowering {
        plan,
        e,
        prologue,
        values: FxHashMap::default(),
        thread,
        joins: sync::Joins::default(),
        open: None,
        named_barriers: 0,
    };
    lowering.scalars()?;
    lowering.kernel_body(body)?;
    if plan.arrivals.sync_at_exit {
        lowering.e.cluster_barrier(false)?;
    }
    lowering.e.return_from_kernel()?;
    Ok(manifest(module, &plan.shape, &plan.params, smem, plan.chip))
}

/// With roles: a crew of all lanes, for what comes before them.
fn whole_block(plan: &Plan<'_>) -> Option<Crew> {
    plan.shape.specialize?;
    Some(Crew {
        op: plan.shape.op,
        name: None,
        first_lane: 0,
        lanes: plan.shape.lanes(),
        threads: 1,
        axis: None,
        registers: None,
    })
}

/// Whether all lanes of the block can execute `op` outside of the roles of a kernel that has some: it means the same to
/// threads of any size.
fn fits_outside_roles(module: &Module, op: Op) -> bool {
    // An array that is one number in every lane is that for all.
    let splats = |values: Vec<Value>| {
        values
            .into_iter()
            .filter(|&value| module.types.as_vector(module.ty(value)).is_some())
            .all(|value| value_layout(module, value) == Some(Layout::Splat))
    };
    match module.opcode(op) {
        // An array that is one number in every lane means the same to threads of any size.
        Opcode::Arith(_) | Opcode::Math(_) | Opcode::Vector(VectorOp::Broadcast | VectorOp::ShapeCast) => {
            splats(module.results(op).collect())
        }
        Opcode::Tg(tg) => match tg {
            TgOp::Return
            | TgOp::AxisIndex
            | TgOp::Dim
            | TgOp::Alloc
            | TgOp::AllocBarrier
            | TgOp::At
            | TgOp::Subview
            | TgOp::InitBarrier
            | TgOp::InvalBarrier
            | TgOp::Assert
            | TgOp::BlockSync
            | TgOp::ClusterSync => true,
            // A number is the same in all lanes.
            TgOp::Load => module.results(op).all(|value| module.types.as_vector(module.ty(value)).is_none()),
            TgOp::Kernel
            | TgOp::WarpSpecialize
            | TgOp::Store
            | TgOp::Role
            | TgOp::BarrierArrive
            | TgOp::BarrierArriveExpectTx
            | TgOp::BarrierExpectTx
            | TgOp::BarrierWait
            | TgOp::BarrierWaitParity
            | TgOp::BarrierTest
            | TgOp::CopyGmemToSmem
            | TgOp::CopySmemToGmem
            | TgOp::CommitGroup
            | TgOp::WaitSmemToGmem
            | TgOp::CommitSmem
            | TgOp::ThreadSync
            | TgOp::SetMaxRegisters
            | TgOp::DebugPrint => false,
        },
        // Arrays that go through control flow must not be spread either.
        Opcode::Scf(_) => {
            let inner = module.walk(op);
            splats(inner.iter().flat_map(|&op| module.results(op)).collect())
                && splats(block_args(module, &inner))
                && inner.iter().skip(1).all(|&op| fits_outside_roles(module, op))
        }
        Opcode::Vector(_) | Opcode::Builtin(_) => false,
        Opcode::Opaque(_) => true,
    }
}

/// The arguments of the blocks of `ops`.
fn block_args(module: &Module, ops: &[Op]) -> Vec<Value> {
    let regions = ops.iter().flat_map(|&op| module.regions(op));
    let blocks = regions.flat_map(|&region| module.region_blocks(region));
    blocks.flat_map(|&block| module.block_args(block).iter().copied()).collect()
}

fn parameter(plan: &Plan<'_>, param: Param) -> Lower<Parameter> {
    let module = plan.module;
    Ok(match param {
        Param::Pointer { .. } => Parameter::Global,
        Param::Map { .. } => Parameter::TensorMap,
        Param::Extent { .. } | Param::Stride { .. } => Parameter::I64,
        Param::Scalar { arg } => {
            let body = module.region_block(plan.shape.op, 0);
            let value = body.and_then(|body| module.block_args(body).get(arg).copied());
            let kind = value.map(|value| module.types.kind(module.ty(value)));
            match kind {
                Some(TypeKind::Index | TypeKind::Integer { width: 64, .. }) => Parameter::I64,
                Some(TypeKind::Integer { width: 32, .. }) => Parameter::I32,
                Some(TypeKind::Integer { width: 16, .. }) => Parameter::I16,
                Some(TypeKind::Integer { width: 8, .. }) => Parameter::I8,
                Some(TypeKind::Integer { width: 1, .. }) => Parameter::I1,
                Some(TypeKind::Float(FloatKind::F16)) => Parameter::F16,
                Some(TypeKind::Float(FloatKind::BF16)) => Parameter::Bf16,
                Some(TypeKind::Float(FloatKind::F32)) => Parameter::F32,
                Some(TypeKind::Float(FloatKind::F64)) => Parameter::F64,
                _ => {
                    let what = "has a parameter that is neither a ref to global memory nor a number of 1, 8, 16, 32 or 64 bits";
                    return Err(unsupported(module, plan.shape.op, what).into());
                }
            }
        }
    })
}

/// What the kernel takes of shared memory.
fn smem_sizes(plan: &Plan<'_>) -> Lower<SmemSizes> {
    let module = plan.module;
    let (mut end, mut alignment) = (0i64, 16i64);
    for op in module.walk(plan.shape.op) {
        if module.opcode(op) == Opcode::Tg(TgOp::Alloc)
            && let Some(offset) = module.attr_i64(op, "offset")
        {
            let result = module.result(op, 0);
            let Some(reference) = module.types.as_ref(module.ty(result)) else { continue };
            let bytes = module.types.ref_bytes(module.ty(result)).unwrap_or(0);
            end = end.max(offset.saturating_add(bytes));
            let wanted = match reference.swizzle {
                Some(swizzle) => tma::swizzle_atom(swizzle),
                None => tma::SMEM_ALIGNMENT,
            };
            alignment = alignment.max(wanted).max(module.attr_i64(op, "alignment").unwrap_or(1));
        }
        if let (Some(offset), Some(bytes)) =
            (module.attr_i64(op, "scratch_offset"), module.attr_i64(op, "scratch_bytes"))
        {
            let crew = plan.shape.crews.iter().find(|crew| crew.op == op);
            let threads = crew.map_or(1, |crew| i64::from(crew.threads));
            end = end.max(offset.saturating_add(bytes.saturating_mul(threads)));
        }
    }
    for group in &plan.arrivals.groups {
        let bytes = BARRIER_BYTES * i64::from(group.size);
        end = end.max(barrier_offset(module, group.alloc)?.saturating_add(bytes));
    }
    let limit = COMMON.smem_bytes;
    if end > limit {
        let message = format!("the kernel needs {end} bytes of shared memory, and can have {limit}");
        return Err(refuse(module, plan.shape.op, codes::SHARED_MEMORY_LIMIT, message).into());
    }
    let alignment = u32::try_from(alignment).unwrap_or(1024);
    Ok(SmemSizes { dynamic_bytes: end, alignment })
}

/// Where `allocate-smem` has put a group of barriers.
fn barrier_offset(module: &Module, alloc: Op) -> Lower<i64> {
    let offset = module.attr_i64(alloc, "offset");
    Ok(offset.ok_or_else(|| needs_pass(module, alloc, "allocate-smem", "has no offset"))?)
}

/// Initialises the barriers, and makes them known to whoever uses them.
fn init_barriers<'c, 'a>(
    plan: &Plan<'_>,
    e: &Emitter<'c, 'a>,
    prologue: &Prologue<'c, 'a>,
    tid: Mlir<'c, 'a>,
) -> Lower<()> {
    let groups: Vec<_> = plan.arrivals.groups.iter().filter(|group| group.at_entry).collect();
    if !groups.is_empty() {
        let first = e.if_then(e.compare(Comparison::Equal, tid, e.i32(0)?)?)?;
        for group in &groups {
            let root = plan.module.result(group.alloc, 0);
            let Some(barriers) = prologue.barriers.get(&root) else { continue };
            // A short group is written out; a long one is a loop.
            if group.size <= 8 {
                for index in 0..group.size {
                    first.init_barrier(*barriers, first.index(index.into())?, group.count)?;
                }
            } else {
                let bounds = [first.index(0)?, first.index(group.size.into())?, first.index(1)?];
                let each = first.for_loop(bounds, &[], LoopForm { keep_rolled: true, unsigned: false })?;
                each.body.init_barrier(*barriers, each.counter, group.count)?;
                each.body.yield_values(&[])?;
            }
        }
        first.yield_values(&[])?;
        if groups.iter().any(|group| group.asynchronous) {
            e.fence_barrier_init()?;
        }
    }
    if plan.arrivals.remote {
        // Every block of the cluster has to have its barriers before a peer reaches into it.
        e.cluster_barrier(true)?;
    } else if !groups.is_empty() {
        e.block_barrier()?;
    }
    Ok(())
}

impl<'p, 'c, 'a> Lowering<'p, 'c, 'a> {
    /// Parameters that are numbers.
    fn scalars(&mut self) -> Lower<()> {
        for (arg, value) in self.prologue.args.clone().into_iter().enumerate() {
            if let Some(number) = self.prologue.param(Param::Scalar { arg }) {
                let number = match self.plan.ranges.get(value).is_narrow() {
                    true => self.e.to_integer(number, self.e.types().i32)?,
                    false => number,
                };
                self.values.insert(value, Low::Number(number));
            }
        }
        Ok(())
    }

    fn kernel_body(&mut self, body: tidegate_ir::Block) -> Lower<()> {
        if self.plan.shape.specialize.is_none() {
            return self.crew_body(body);
        }
        let module = self.module();
        let mut roles_done = false;
        for op in module.block_ops(body) {
            let allowed = match module.opcode(op) {
                Opcode::Tg(TgOp::WarpSpecialize) => true,
                _ => fits_outside_roles(module, op),
            };
            if !allowed {
                let what =
                    "outside the roles of a kernel that has roles has no lowering: it belongs into a role";
                return Err(unsupported(module, op, what).into());
            }
            let pure = module.opcode(op).is_pure() || module.opcode(op).is_terminator();
            if roles_done
                && !pure
                && !matches!(module.opcode(op), Opcode::Tg(TgOp::BlockSync | TgOp::ClusterSync))
            {
                // The roles end before what follows.
                self.close()?;
                self.e.block_barrier()?;
                roles_done = false;
            }
            self.op(op)?;
            roles_done |= module.opcode(op) == Opcode::Tg(TgOp::WarpSpecialize);
        }
        self.close()
    }

    /// The body of the crew that executes.
    fn crew_body(&mut self, body: tidegate_ir::Block) -> Lower<()> {
        let crew = self.crew();
        self.joins = sync::joins(self.module(), &self.plan.arrivals, crew);
        if !self.plan.arrivals.is_single(crew) {
            self.block(body)?;
            return Ok(());
        }
        // What all lanes do, then one lane goes on alone.
        for op in self.module().block_ops(body) {
            if self.module().opcode(op) == Opcode::Tg(TgOp::SetMaxRegisters) {
                self.op(op)?;
            }
        }
        let alone = self.e.if_then(self.thread.elected)?;
        let outer = std::mem::replace(&mut self.e, alone);
        self.thread.single = true;
        self.block(body)?;
        self.e.yield_values(&[])?;
        self.thread.single = false;
        self.e = outer;
        Ok(())
    }

    /// `tg.warp_specialize`: each lane to its role.
    pub(super) fn warp_specialize(&mut self, op: Op) -> Lower<()> {
        self.close()?;
        let outer = (self.e, self.thread.clone(), std::mem::take(&mut self.joins));
        let tid = self.thread.tid;
        let mut ends = Vec::new();
        let count = self.plan.shape.crews.len();
        for (number, crew) in self.plan.shape.crews.iter().enumerate() {
            self.origin(crew.op);
            let last = number + 1 == count;
            if !last {
                let end = self.e.i32(crew.end_lane().into())?;
                let own = self.e.if_else(self.e.compare(Comparison::Below, tid, end)?, &[])?;
                ends.push(own.otherwise);
                self.e = own.then;
            }
            self.thread = Thread::new(&self.e, tid, number, crew, self.plan.shape.lanes())?;
            if let (Some(registers), Some(launch)) = (crew.registers, self.plan.shape.launch_registers())
                && registers != launch
                && crew.lanes == crate::lower::plan::shape::WARPGROUP
            {
                self.e.set_max_registers(registers, registers > launch)?;
            }
            let Some(body) = self.module().region_block(crew.op, 0) else {
                return Err(unsupported(self.module(), crew.op, "has no body").into());
            };
            self.crew_body(body)?;
            if !last {
                self.e.yield_values(&[])?;
                if let Some(next) = ends.last() {
                    self.e = *next;
                }
            }
        }
        for end in ends.into_iter().rev() {
            end.yield_values(&[])?;
        }
        (self.e, self.thread, self.joins) = outer;
        self.origin(op);
        Ok(())
    }

    /// `tg.axis_index`.
    pub(super) fn axis_index(&mut self, op: Op) -> Lower<()> {
        let module = self.module();
        let name = module.attr_str(op, "axis").unwrap_or_default();
        let shape = &self.plan.shape;
        let crew = shape.crews.iter().find(|crew| module.ancestors(op).any(|ancestor| ancestor == crew.op));
        let kind = crew.or(shape.crews.first()).and_then(|crew| shape.axis(crew, name));
        let e = self.e;
        let index = match kind {
            None => {
                let message = format!("the kernel has no axis `{name}`");
                return Err(refuse(module, op, codes::UNKNOWN_AXIS, message).into());
            }
            Some(AxisKind::Thread) => match self.thread.index {
                Some(index) => index,
                None => e.i32(0)?,
            },
            Some(AxisKind::Cluster(axis)) => self.cluster_coordinate(axis)?,
            Some(AxisKind::Grid(axis)) => self.grid_coordinate(axis)?,
        };
        let value = module.result(op, 0);
        let index = e.to_integer(index, self.index_type(value))?;
        self.set_number(op, index);
        Ok(())
    }

    /// The rank of the block in its cluster.
    pub(super) fn cluster_rank(&self, e: &Emitter<'c, 'a>) -> Lower<Mlir<'c, 'a>> {
        // Not `cluster.ctaid`: that costs a division in machine code.
        Ok(e.special_register("cluster.ctarank", Some(self.plan.shape.cluster_blocks()))?)
    }

    fn cluster_coordinate(&self, axis: usize) -> Lower<Mlir<'c, 'a>> {
        let e = self.e;
        let rank = self.cluster_rank(&e)?;
        let stride = self.plan.shape.cluster_stride(axis);
        let extent = self.plan.shape.cluster.get(axis).map_or(1, |axis| axis.1);
        let outer = match stride {
            1 => rank,
            stride => e.binary("arith.divui", rank, e.i32(stride.into())?)?,
        };
        match stride * extent == self.plan.shape.cluster_blocks() {
            true => Ok(outer),
            false => Ok(e.binary("arith.remui", outer, e.i32(extent.into())?)?),
        }
    }

    /// The coordinate of the block along an axis of the grid: the last axis is x; those beyond three share z.
    fn grid_coordinate(&self, axis: usize) -> Lower<Mlir<'c, 'a>> {
        let e = self.e;
        let shape = &self.plan.shape;
        let distance = shape.grid.len() - 1 - axis;
        let dim = distance.min(2);
        let clusters = shape.cluster_dims().map_or(1, |dims| dims[dim]);
        let folded: Vec<_> =
            shape.grid.iter().rev().enumerate().filter(|(at, _)| (*at).min(2) == dim).collect();
        let limit = folded.iter().map(|(_, axis)| axis.extent).product::<Option<u32>>();
        let register = ["ctaid.x", "ctaid.y", "ctaid.z"][dim];
        let mut index = e.special_register(register, limit.map(|limit| limit * clusters))?;
        if clusters > 1 {
            index = e.binary("arith.divui", index, e.i32(clusters.into())?)?;
        }
        for (at, inner) in folded {
            let last = at + 1 == shape.grid.len();
            match inner.extent {
                _ if at == distance && (last || dim < 2) => return Ok(index),
                Some(extent) if at == distance => {
                    return Ok(e.binary("arith.remui", index, e.i32(extent.into())?)?);
                }
                Some(extent) => index = e.binary("arith.divui", index, e.i32(extent.into())?)?,
                None => break,
            }
        }
        let what = "has more than three grid axes, and the extents of the last are not known";
        Err(unsupported(self.module(), shape.op, what).into())
    }

    /// `tg.dim`.
    pub(super) fn dim(&mut self, op: Op) -> Lower<()> {
        let module: &Module = self.module();
        let view = module
            .operand_named(op, "source")
            .and_then(|value| crate::lower::plan::views::View::of(module, value));
        let dimension = module.attr_i64(op, "dimension").and_then(|dim| usize::try_from(dim).ok());
        let (Some(view), Some(dimension)) = (view, dimension) else {
            return Err(unsupported(module, op, "asks for the extent of something unknown").into());
        };
        let Some((dim, extent)) = view.dims.get(dimension) else {
            return Err(unsupported(module, op, "asks for a dimension that there is not").into());
        };
        let ty = self.index_type(module.result(op, 0));
        let value = if *extent == tidegate_ir::types::DYNAMIC {
            let arg = self.prologue.args.iter().position(|&arg| arg == view.root);
            let value = arg.and_then(|arg| self.prologue.param(Param::Extent { arg, dim: dim.root }));
            let value =
                value.ok_or_else(|| unsupported(module, op, "asks for an extent that nobody knows"))?;
            self.e.to_integer(value, ty)?
        } else {
            self.e.integer(ty, *extent)?
        };
        self.set_number(op, value);
        Ok(())
    }
}

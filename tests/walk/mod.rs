//! A reference for kernels: a direct walk over the IR by the semantics in `src/ir/ops`.
//!
//! Each thread (a warpgroup, or the warp of a smaller role) of each block is an interpreter of its own; those of a
//! cluster take turns, cluster by cluster. Copies happen at once, a barrier is counts and phases, an array is a list of
//! numbers. Nothing of the passes, of the lowering or of the PTX machine is used here, so that what agrees with this
//! agrees with the meaning of the IR and not with itself.
//!
//! What the walk does not know (tensor cores, tensor memory, semaphores, opaque ops) is an error that names the op.

mod arith;
mod array;
mod number;
mod state;
mod thread;

use std::collections::HashMap;

use tidegate::ir::ops::{Opcode, TgOp};
use tidegate::ir::types::{DYNAMIC, TypeKind};
use tidegate::ir::{Module, Op, Value};

pub(crate) use array::Array;
pub(crate) use number::{Elem, Num};
use state::{Block, Meeting, Memory, Root, Shared, View};
use thread::{Bound, Step, Thread};

/// What a parameter is given.
#[derive(Clone, Debug)]
pub(crate) enum Arg {
    /// An array: its extents, and its bytes, dense and row-major; without bytes nobody has written it.
    Array {
        /// The extents.
        shape: Vec<i64>,
        /// The bytes.
        bytes: Option<Vec<u8>>,
    },
    /// A number.
    Number(Num),
}

/// The elements of an array parameter after the kernel; `None` where nobody has written.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    /// The element type.
    pub(crate) elem: Elem,
    /// The elements.
    pub(crate) data: Vec<Option<Num>>,
}

/// Ops that all threads together may execute before the walk gives up.
const FUEL: u64 = 20_000_000;
/// Ops that a thread executes in a turn.
const TURN: u32 = 64;

/// The kernel called `name`.
pub(crate) fn find(module: &Module, name: &str) -> Option<Op> {
    let mut ops = module.block_ops(module.body());
    ops.find(|&op| {
        module.opcode(op) == Opcode::Tg(TgOp::Kernel) && module.attr_symbol(op, "sym_name") == Some(name)
    })
}

/// Runs `kernel` with an argument for each parameter, and extents for the axes of the grid that are given at the launch.
/// Returns what is in each array parameter afterwards.
pub(crate) fn run(
    module: &Module,
    kernel: Op,
    args: &[Arg],
    launch: &[i64],
) -> Result<HashMap<usize, Output>, String> {
    let body = module.region_block(kernel, 0).ok_or("the kernel has no body")?;
    let params = module.block_args(body).to_vec();
    if params.len() != args.len() {
        return Err(format!("{} arguments for {} parameters", args.len(), params.len()));
    }
    let mut memories = HashMap::new();
    let mut values: HashMap<Value, Bound> = HashMap::new();
    for (number, (&param, arg)) in params.iter().zip(args).enumerate() {
        let bound = match (arg, module.types.kind(module.ty(param))) {
            (Arg::Array { shape, bytes }, TypeKind::Ref(reference)) => {
                let elem = Elem::of(module, reference.elem)?;
                if reference.strides.as_ref().is_some_and(|strides| strides.contains(&DYNAMIC)) {
                    return Err(format!("parameter {number}: the walk takes no strides from the launch"));
                }
                let mut memory = Memory::new(elem, shape, reference.strides.as_deref());
                if let Some(bytes) = bytes {
                    let chunks = bytes.chunks(elem.bytes());
                    for (cell, bytes) in memory.cells.iter_mut().zip(chunks) {
                        *cell = Some(elem.decode(bytes));
                    }
                }
                memories.insert(number, memory);
                Bound::View(View::whole(Root::Param(number), shape))
            }
            (Arg::Number(value), _) => {
                Bound::Array(Array::scalar(Elem::of(module, module.ty(param))?, *value))
            }
            _ => return Err(format!("parameter {number} is no array")),
        };
        values.insert(param, bound);
    }
    let grid = axes(module, kernel, "grid", launch);
    let cluster = axes(module, kernel, "cluster", &[]);
    let extents = |axes: &[(String, i64)]| axes.iter().map(|axis| axis.1.max(0) as usize).collect::<Vec<_>>();
    let place = |axes: &[(String, i64)], at: &[usize]| {
        axes.iter().zip(at).map(|(axis, &at)| (axis.0.clone(), at as i64)).collect::<Vec<_>>()
    };
    let inside = extents(&cluster);
    for at in array::positions(&extents(&grid)) {
        let blocks = array::positions(&inside).map(|inner| {
            let axes = place(&grid, &at).into_iter().chain(place(&cluster, &inner)).collect();
            Block { axes, ..Block::default() }
        });
        run_cluster(module, kernel, &mut memories, blocks.collect(), &values)?;
    }
    Ok(memories
        .into_iter()
        .map(|(param, memory)| (param, Output { elem: memory.elem, data: memory.cells }))
        .collect())
}

/// Names and extents of the axes of a kernel's grid or cluster; those that the launch gives come from `launch`.
fn axes(module: &Module, kernel: Op, what: &str, launch: &[i64]) -> Vec<(String, i64)> {
    let names = module.attr_strs(kernel, &format!("{what}_names")).unwrap_or_default();
    let extents = module.attr_ints(kernel, what).unwrap_or_default();
    let mut given = launch.iter();
    let axes = names.into_iter().zip(extents).map(|(name, &extent)| {
        let extent = if extent == DYNAMIC { given.next().copied().unwrap_or(1) } else { extent };
        (name.to_owned(), extent)
    });
    axes.collect()
}

/// The threads of a block: the role of each, and its index there.
fn threads(module: &Module, kernel: Op) -> Vec<(Option<Op>, i64)> {
    let roles: Vec<Op> =
        module.walk(kernel).into_iter().filter(|&op| module.opcode(op) == Opcode::Tg(TgOp::Role)).collect();
    if roles.is_empty() {
        let count = module.attr_i64(kernel, "num_threads").unwrap_or(1).max(1);
        return (0..count).map(|index| (None, index)).collect();
    }
    let of_role = |role: Op| {
        let warps = module.attr_i64(role, "warps");
        let threads = module.attr_i64(role, "num_threads").or_else(|| warps.map(|warps| (warps / 4).max(1)));
        (0..threads.unwrap_or(1).max(1)).map(move |index| (Some(role), index))
    };
    roles.into_iter().flat_map(of_role).collect()
}

fn run_cluster(
    module: &Module,
    kernel: Op,
    params: &mut HashMap<usize, Memory>,
    blocks: Vec<Block>,
    values: &HashMap<Value, Bound>,
) -> Result<(), String> {
    let of_block = threads(module, kernel);
    let mut shared =
        Shared { params, blocks, sync: Meeting::default(), threads: of_block.len(), told: Vec::new() };
    let mut all: Vec<Thread<'_>> = Vec::new();
    for block in 0..shared.blocks.len() {
        all.extend(
            of_block
                .iter()
                .map(|&(role, index)| Thread::new(module, kernel, block, role, index, values.clone())),
        );
    }
    // Barriers live before the kernel's first op is executed, in every block: what only allocates and computes happens
    // first everywhere.
    let sets_up = |op: Op| match module.opcode(op) {
        Opcode::Tg(tg) => matches!(
            tg,
            TgOp::Alloc | TgOp::AllocBarrier | TgOp::AxisIndex | TgOp::Dim | TgOp::At | TgOp::Subview
        ),
        Opcode::Arith(_) => true,
        _ => false,
    };
    for thread in &mut all {
        while thread.at().is_some_and(sets_up) {
            thread.step(&mut shared)?;
        }
    }
    let mut fuel = FUEL;
    loop {
        let (mut ran, mut ended) = (false, true);
        for thread in &mut all {
            for _ in 0..TURN {
                match thread.step(&mut shared)? {
                    Step::Ran => {
                        ran = true;
                        fuel = fuel.checked_sub(1).ok_or("the walk takes too long")?;
                    }
                    Step::Waits => {
                        ended = false;
                        break;
                    }
                    Step::Ended => break,
                }
                ended = false;
            }
        }
        if ended {
            return Ok(());
        }
        if !ran {
            let waiting = all.iter().filter_map(|thread| {
                let op = thread.at()?;
                let place = module.sources.describe(module.span(op));
                Some(format!("block {} at {place}: `{}`", thread.block, module.op_name(op)))
            });
            return Err(format!("nobody can go on:\n{}", waiting.collect::<Vec<_>>().join("\n")));
        }
    }
}

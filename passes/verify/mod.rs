//! The verifier: what every module keeps to before anything else looks at it.
//!
//! [`verify`] walks all ops once, in the order of dominance, and then looks at each kernel as a whole. It goes on after
//! an error. An op that was reported is not reported again, and what uses its results is not held against them, so one
//! mistake gives one error. Forms are checked before anything is read, so no module, from text or from a builder,
//! makes it panic.
//!
//! # Invariants
//!
//! Structure (`form`, `kernel`, `walk`, `meaning`):
//!
//! | nr | invariant | code | check |
//! |---|---|---|---|
//! | 1 | an op has as many operands as its row says | TG0310 | `find_groups` |
//! | 2 | `operandSegmentSizes` has an entry for each group, fits their arity and adds up | TG0304 | `find_segments` |
//! | 3 | an op has as many results as its row says | TG0310 | `check_result_count` |
//! | 4 | required attributes are there | TG0304 | `check_attributes` |
//! | 5 | inherent attributes are those of the row | TG0304 | `check_attributes` |
//! | 6 | each attribute has its form | TG0304 | `check_attr_form` |
//! | 7 | `static_...` leaves as many indices to operands as there are | TG0304 | `check_index_lists` |
//! | 8 | regions and blocks are as many as the row says; only opaque ops branch | TG0306 | `check_regions` |
//! | 9 | branches stay in their region | TG0306 | `check_successors` |
//! | 10 | each block ends in the terminator that its op wants | TG0305 | `check_terminators` |
//! | 11 | a terminator stands at the end | TG0305 | `check_place` |
//! | 12 | kernels, modules, roles, `scf` terminators and `tg` ops stand where they belong | TG0308 | `check_place` |
//! | 13 | memory and barriers are allocated in the body of the kernel | TG0308 | `check_place` |
//! | 14 | symbols of a module are unique | TG0307 | `check_symbols` |
//! | 15 | a value is used only where its definition reaches | TG0301 | `check_uses` |
//! | 16 | a kernel or role uses nothing of another one | TG0301 | `check_uses` |
//!
//! Types (`constraints`, `arith`, `vectors`, `control`):
//!
//! | nr | invariant | code | check |
//! |---|---|---|---|
//! | 17 | operands are of the types that the row allows | TG0302 | `check_constraints` |
//! | 18 | results are of the types that the row allows | TG0303 | `wrong_result` |
//! | 19 | operands (and results) that are to be of one type are | TG0302, TG0303 | `all_same` |
//! | 20 | operands and results that are to be of one shape are | TG0402 | `same_shapes` |
//! | 21 | result types that follow from operands do | TG0303 | `check_traits` |
//! | 22 | a constant has the type of its result, and its number fits | TG0303, TG0304 | `check_constant` |
//! | 23 | casts widen, narrow or keep the width, as they say; `index` has its own | TG0303 | `check_widths`, `refuse_index`, `check_index_cast` |
//! | 24 | a selection chooses between values of one type | TG0302, TG0402 | `check_select` |
//! | 25 | bounds and step of a loop are of one type, a constant step is at least 1 | TG0302 | `check_for` |
//! | 26 | loops and branches pass on what they are given: arguments, yields, results | TG0302, TG0303, TG0306, TG0310 | `check_args`, `check_end`, `check_results` |
//! | 27 | a branch with results has an `else` | TG0306 | `check_if` |
//! | 28 | shapes and element types of `vector` ops follow | TG0402, TG0403 | `check_vector` |
//! | 29 | a reduction combines elements of a type that its kind takes | TG0304 | `check_kind` |
//! | 30 | reduced and permuted dimensions exist, each once | TG0304 | `check_reduction_dims`, `check_permutation` |
//!
//! Avals (`avals`): these come before the type errors above and replace them.
//!
//! | nr | invariant | code | check |
//! |---|---|---|---|
//! | 31 | a barrier is not read as an array | TG0101 | `barrier_for_array` |
//! | 32 | nothing is stored to a barrier | TG0102 | `barrier_for_array` |
//! | 33 | a barrier is no operand of arithmetic and array ops | TG0103 | `barrier_for_array` |
//! | 34 | a barrier is no parameter, output, result, loop-carried value or branch result | TG0104 | `refuse_escape`, `check_parameter` |
//! | 35 | a barrier does not stand for an array ref | TG0105 | `barrier_for_array`, `wrong_result` |
//! | 36 | an array ref does not stand for a barrier | TG0106 | `other_for_barrier`, `wrong_result` |
//! | 37 | semaphores are not used as arrays or barriers | TG0107 | `reference_misuse` |
//! | 38 | barriers live in shared memory | TG0108 | `other_for_barrier`, `wrong_result` |
//! | 39 | a number or pointer does not stand for a barrier | TG0109 | `other_for_barrier` |
//!
//! Array refs (`access`):
//!
//! | nr | invariant | code | check |
//! |---|---|---|---|
//! | 40 | refs are in the spaces that an op reaches | TG0401 | `wrong_operand`, `check_transfer` |
//! | 41 | an access has the shape that the index rule gives | TG0402 | `check_access` |
//! | 42 | element types agree | TG0403 | `check_transfer` |
//! | 43 | constant indices are in bounds | TG0404 | `out_of_bounds` |
//! | 44 | `tg.at` and `tg.subview` give the part that they say | TG0303, TG0304, TG0405 | `check_at`, `check_subview` |
//! | 45 | `tg.dim` names a dimension | TG0304 | `check_dim` |
//! | 46 | place, alignment and tile of an allocation exist | TG0304, TG0405 | `check_alloc` |
//!
//! Barriers (`barrier`, `lifetime`, `overlap`):
//!
//! | nr | invariant | code | check |
//! |---|---|---|---|
//! | 47 | where one barrier is wanted, one is given; parts of a group are contiguous | TG0201 | `group_for_one`, `check_barrier_subview` |
//! | 48 | constant indices into a group, and ranks of peers, are in range | TG0202 | `check_barrier_indices`, `check_peer` |
//! | 49 | there are not more indices than dimensions | TG0211 | `check_barrier_indices` |
//! | 50 | a parity is an `i1` | TG0205 | `parity_misuse` |
//! | 51 | nobody waits on a peer's barrier | TG0206 | `check_peer` |
//! | 52 | peers and cluster barriers need a cluster, and axes that it has | TG0207 | `check_peer`, `check_alloc_barrier` |
//! | 53 | one op makes no more arrivals than a phase takes | TG0212 | `check_arrival_count` |
//! | 54 | announced bytes fit the hardware's counter | TG0610 | `check_barrier_op` |
//! | 55 | a barrier that orders the tensor core needs a target that has it | TG0802 | `check_alloc_barrier` |
//! | 56 | a barrier is initialised before it is used | TG0208 | `check_states` |
//! | 57 | it is not used after invalidation, and not initialised while live | TG0209 | `check_states` |
//! | 58 | barriers share no bytes with anything while they live | TG0215 | `overlap::check` |
//! | 59 | (warning) a barrier is used, and waited for | TG0213 | `check_unused` |
//!
//! Kernels and roles (`kernel`, `roles`):
//!
//! | nr | invariant | code | check |
//! |---|---|---|---|
//! | 60 | axes have a name and an extent, and names differ | TG0304, TG0508 | `check_axes`, `check_kernel` |
//! | 61 | parameters are array refs to global memory, semaphores and numbers; outputs are refs | TG0302, TG0401 | `check_parameter` |
//! | 62 | axes that are asked for exist | TG0508 | `check_axis_index` |
//! | 63 | kernels and roles return nothing | TG0310 | `check_return` |
//! | 64 | a role is one warp or whole warpgroups | TG0503 | `check_role` |
//! | 65 | register counts have their form; only warpgroups have them | TG0505, TG0506 | `check_register_count`, `check_set_max_registers` |
//! | 66 | the registers of all roles fit | TG0504 | `check_register_budget` |
//! | 67 | the warps of a block are divided once, at the top of the kernel, into roles of different names | TG0507 | `check_split`, `check_roles` |
//! | 68 | beside a role of one warp, no op outside of roles needs whole warpgroups | TG0506 | `check_outside` |
//! | 69 | block-wide and cluster-wide synchronisation is reached by all, in roles and under conditions | TG0501, TG0502 | `check_syncs` |
//! | 70 | a printed format has a place for each argument | TG0304 | `check_debug_print` |
//!
//! Copies (`copy`):
//!
//! | nr | invariant | code | check |
//! |---|---|---|---|
//! | 71 | a tensor map has 1 to 5 dimensions, tiles included | TG0601 | `check_tensor_rank` |
//! | 72 | a box has 1 to 256 elements along each | TG0602 | `check_extents` |
//! | 73 | its innermost extent is a multiple of 16 bytes | TG0603 | `check_inner` |
//! | 74 | and no wider than the swizzle | TG0604 | `check_inner` |
//! | 75 | global strides are multiples of 16 bytes, below 2^40, the innermost 1 | TG0605 | `check_global_strides` |
//! | 76 | element types agree | TG0606 | `check_box` |
//! | 77 | shapes fit, and constant places are in bounds | TG0607, TG0404 | `check_box`, `check_shared_indices` |
//! | 78 | the shared-memory side is contiguous and aligned | TG0405, TG0608 | `check_shared_place` |
//! | 79 | receivers exist, each once, and divide the box | TG0609 | `check_multicast`, `check_collective` |
//! | 80 | a copy completes on a plain barrier | TG0210 | `check_copy_in` |
//!
//! Resources (`resources`):
//!
//! | nr | invariant | code | check |
//! |---|---|---|---|
//! | 81 | shared memory fits, barriers, padding and scratch included | TG0701 | `check_smem` |
//! | 82 | tensor memory exists and fits | TG0702, TG0802 | `check_tmem` |
//! | 83 | named barriers suffice | TG0703 | `check_threads` |
//! | 84 | a block has at most 1024 CUDA threads | TG0704 | `check_threads` |
//! | 85 | a cluster has 1 to 16 blocks | TG0705 | `check_cluster_size`, `check_axes` |
//! | 86 | the grid fits the launch | TG0706 | `check_grid`, `check_axes` |
//! | 87 | the target has the op | TG0802 | `check_meaning` |

mod access;
mod arith;
mod avals;
mod barrier;
mod constraints;
mod context;
mod control;
mod copy;
mod form;
mod kernel;
mod lifetime;
mod meaning;
mod overlap;
mod resources;
mod roles;
#[cfg(test)]
mod tests;
mod vectors;
mod walk;

use tidegate_ir::Module;
use tidegate_ir::diag::{Diagnostics, Reported};

use crate::target::Target;
use context::Verifier;

/// Checks `module`, for `target` when one is given, and reports all that is wrong to `diags`. Without a target the
/// limits are those that all targets have in common.
///
/// # Errors
/// [`Reported`] when there was an error; warnings alone are none.
pub fn verify(module: &Module, target: Option<&Target>, diags: &mut Diagnostics) -> Result<(), Reported> {
    let before = diags.error_count();
    Verifier::new(module, target, diags).walk(module.top());
    diags.check_since(before)
}

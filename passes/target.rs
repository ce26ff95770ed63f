//! The targets: what a block, a cluster and a copy may take, and which ops there are.
//!
//! The numbers are those of the CUDA programming guide (*Technical specifications per compute capability*) and of the
//! PTX ISA (*Tensor maps*, `setmaxnreg`, `tcgen05.alloc`).

use tidegate_ir::ops::{Opcode, TgOp};

use crate::lower::target::Chip;

/// The generation of tensor cores, which decides which ops there are.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum TensorCores {
    /// WGMMA: Hopper.
    Wgmma,
    /// `tcgen05` and tensor memory: Blackwell.
    Tcgen05,
}

/// A target and its limits.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The name as `ptxas` spells it.
    pub name: &'static str,
    /// What code is made for.
    pub chip: Chip,
    /// Which tensor cores it has.
    pub tensor_cores: TensorCores,
    /// Bytes of shared memory that a block can ask for.
    pub smem_bytes: i64,
    /// 32-bit registers of a streaming multiprocessor.
    pub registers: i64,
    /// Named barriers of a block.
    pub named_barriers: i64,
    /// Columns of tensor memory; 0 where there is none.
    pub tmem_columns: i64,
    /// Lanes (CUDA threads) of a block.
    pub threads: i64,
    /// Blocks of a cluster on every device.
    pub cluster: i64,
    /// Blocks of a cluster where the device and the launch allow it.
    pub cluster_non_portable: i64,
    /// Blocks of a grid along x, y and z.
    pub grid: [i64; 3],
}

/// Hopper.
pub const SM_90A: Target = Target {
    name: Chip::Sm90a.name(),
    chip: Chip::Sm90a,
    tensor_cores: TensorCores::Wgmma,
    smem_bytes: 232_448,
    registers: 65_536,
    named_barriers: 16,
    tmem_columns: 0,
    threads: 1024,
    cluster: 8,
    cluster_non_portable: 16,
    grid: [2_147_483_647, 65_535, 65_535],
};

/// Blackwell.
pub const SM_100A: Target = Target {
    name: Chip::Sm100a.name(),
    chip: Chip::Sm100a,
    tensor_cores: TensorCores::Tcgen05,
    tmem_columns: 512,
    ..SM_90A
};

/// All targets, the oldest first.
pub const TARGETS: &[Target] = &[SM_90A, SM_100A];

/// What every target has, for checks that are made without one.
pub const COMMON: Target = Target { name: "any target", tmem_columns: 512, ..SM_90A };

/// The limits of a TMA copy, the same on all targets (PTX ISA, *Tensor maps*; CUDA driver API, `cuTensorMapEncodeTiled`).
pub mod tma {
    /// Dimensions of a tensor map.
    pub const MAX_RANK: usize = 5;
    /// Elements of the box along a dimension.
    pub const MAX_BOX_EXTENT: i64 = 256;
    /// The box's innermost extent, the global address and the global strides are multiples of so many bytes.
    pub const GRANULE: i64 = 16;
    /// Global strides are less than this many bytes.
    pub const STRIDE_LIMIT: i64 = 1 << 40;
    /// Extents of the global array are at most this.
    pub const MAX_GLOBAL_EXTENT: i64 = 1 << 32;
    /// The shared-memory side starts at a multiple of this many bytes.
    pub const SMEM_ALIGNMENT: i64 = 128;
    /// The most bytes that one announcement may add to a phase (PTX ISA, *Tracking asynchronous operations by the
    /// mbarrier object*).
    pub const MAX_TX_BYTES: i64 = (1 << 20) - 1;

    /// The bytes after which the pattern of a swizzle repeats: what a swizzled tile is aligned to.
    pub fn swizzle_atom(swizzle: u32) -> i64 {
        i64::from(swizzle) * 8
    }
}

impl Target {
    /// The target called `name`.
    pub fn find(name: &str) -> Option<&'static Target> {
        TARGETS.iter().find(|target| target.name == name)
    }
    /// Whether tensor memory and the `tcgen05` ops exist.
    pub fn has_tcgen05(&self) -> bool {
        self.tensor_cores == TensorCores::Tcgen05
    }
    /// Whether the target has `opcode`. Ops that tidegate does not know it has not.
    pub fn has_op(&self, opcode: Opcode) -> bool {
        match opcode {
            // An exhaustive match: a new op says here which tensor cores it needs.
            Opcode::Tg(op) => match op {
                TgOp::Kernel
                | TgOp::Return
                | TgOp::AxisIndex
                | TgOp::Dim
                | TgOp::Alloc
                | TgOp::AllocBarrier
                | TgOp::InitBarrier
                | TgOp::InvalBarrier
                | TgOp::At
                | TgOp::Subview
                | TgOp::Load
                | TgOp::Store
                | TgOp::WarpSpecialize
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
                | TgOp::BlockSync
                | TgOp::ClusterSync
                | TgOp::SetMaxRegisters
                | TgOp::DebugPrint
                | TgOp::Assert => true,
            },
            Opcode::Builtin(_) | Opcode::Arith(_) | Opcode::Math(_) | Opcode::Scf(_) | Opcode::Vector(_) => {
                true
            }
            Opcode::Opaque(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_found_by_name() {
        assert_eq!(Target::find("sm_90a"), Some(&SM_90A));
        assert_eq!(Target::find("sm_100a"), Some(&SM_100A));
        assert_eq!(Target::find("sm_90"), None);
        assert!(SM_100A.has_tcgen05() && !SM_90A.has_tcgen05());
    }

    #[test]
    fn swizzle_patterns_repeat_after_eight_spans() {
        assert_eq!([32, 64, 128].map(tma::swizzle_atom), [256, 512, 1024]);
    }
}

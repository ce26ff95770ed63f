//! What a launch fixes for a warp: parameters, dimensions, where variables lie.
//!
//! # Windows of generic addresses
//!
//! Global addresses are generic addresses. Shared memory has its window in the machine; local memory starts at
//! [`LOCAL_WINDOW`] (each lane has its own, at the same addresses) and the parameters of the kernel at
//! [`PARAM_WINDOW`]. Constant variables lie in global memory that kernels may only read, so that a `.const` address is
//! its generic address.

use crate::ast::Space;
use crate::decode::{Code, Value};
use crate::program::SymbolId;
use crate::regs::Regs;
use std::sync::Arc;
use tidegate_machine::memory::{SHARED_WINDOW, shared_address};

/// The generic address of local address 0.
pub const LOCAL_WINDOW: u64 = 0x7e00_0000_0000;
/// The generic address of the first byte of the kernel's parameters.
pub const PARAM_WINDOW: u64 = 0x7d00_0000_0000;
/// Each window has these many bytes.
pub const WINDOW: u64 = 1 << 32;

/// Sizes of a launch, in threads, blocks and clusters; x, y, z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dims {
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Blocks of a cluster.
    pub cluster: [u32; 3],
    /// The launch has a cluster dimension (`%is_explicit_cluster`).
    pub explicit_cluster: bool,
}

/// What all warps of a launch share.
#[derive(Debug)]
pub struct Shared {
    /// The code.
    pub code: Arc<Code>,
    /// The kernel's parameters.
    pub params: Vec<u8>,
    /// Where each symbol is: global and const, its address; shared, the offset in the block's window; parameters of the
    /// kernel and local variables, the offset in their block.
    pub symbols: Vec<u64>,
    /// Sizes.
    pub dims: Dims,
    /// Static and dynamic shared memory.
    pub shared_bytes: u32,
    /// Dynamic shared memory.
    pub dynamic_bytes: u32,
    /// Where the blocks' output of `vprintf` goes.
    pub output: std::sync::Mutex<Vec<u8>>,
}

/// What a launch fixes for a warp.
#[derive(Debug)]
pub struct Env {
    /// The code.
    pub code: Arc<Code>,
    /// What the launch's warps share.
    pub launch: Arc<Shared>,
    /// `%ctaid`
    pub ctaid: [u32; 3],
    /// The block's rank in its cluster.
    pub rank: u32,
    /// The warp's index in its block.
    pub warp: u32,
}

impl Env {
    /// One past the last instruction of the function that holds an instruction.
    #[inline]
    pub(crate) fn end_of(&self, pc: u32) -> u32 {
        let functions = &self.code.functions;
        if let [only] = &functions[..] {
            return only.end;
        }
        let after = functions.partition_point(|f| f.start <= pc);
        functions.get(after.saturating_sub(1)).map_or(0, |f| f.end)
    }

    /// The registers of a warp at its start: the constants.
    pub(crate) fn registers(&self) -> Regs {
        let c = &self.code.constants;
        let p = c.p.iter().map(|&p| if p { u32::MAX } else { 0 }).collect();
        let lanes = |v: &Value| -> [u128; 32] { std::array::from_fn(|lane| self.value(v, lane as u32)) };
        let r32 = c.r32.iter().map(|v| lanes(v).map(|x| x as u32)).collect();
        let r64 = c.r64.iter().map(|v| lanes(v).map(|x| x as u64)).collect();
        let r128 = c.r128.iter().map(lanes).collect();
        Regs::new(p, r32, r64, r128)
    }

    /// The address of a symbol, in its own space: of shared variables with the block's rank.
    pub fn address_of(&self, symbol: SymbolId) -> u64 {
        let at = self.launch.symbols.get(symbol.0 as usize).copied().unwrap_or(0);
        match self.code.program.symbols.get(symbol.0 as usize).map(|s| s.space) {
            Some(Space::Shared) => u64::from(shared_address(self.rank, at as u32)),
            _ => at,
        }
    }

    /// The generic address of an address in a space.
    pub fn generic(&self, space: Space, address: u64) -> u64 {
        match space {
            Space::Shared => SHARED_WINDOW + address,
            Space::Local => LOCAL_WINDOW + address,
            Space::Param => PARAM_WINDOW + address,
            Space::Global | Space::Const | Space::Reg => address,
        }
    }

    fn value(&self, value: &Value, lane: u32) -> u128 {
        match value {
            Value::Bits(bits) => *bits,
            Value::Symbol(symbol, offset) => {
                u128::from(self.address_of(*symbol).wrapping_add_signed(*offset))
            }
            Value::Function(f) => u128::from(crate::isa::control::function_address(*f)),
            Value::Special(name) => u128::from(self.special(name, lane)),
        }
    }

    /// A special register (ISA chapter 10) that does not change while the warp runs.
    pub fn special(&self, name: &str, lane: u32) -> u64 {
        let d = &self.launch.dims;
        let (base, component) = match name.rsplit_once('.') {
            Some((base, "x")) => (base, 0),
            Some((base, "y")) => (base, 1),
            Some((base, "z")) => (base, 2),
            Some((base, _)) => (base, 3),
            None => (name, 0),
        };
        let at = |v: [u32; 3]| u64::from(v.get(component).copied().unwrap_or(0));
        let thread = u64::from(self.warp) * 32 + u64::from(lane);
        let [bx, by, bz] = d.block.map(u64::from);
        let per = |a: [u32; 3], b: [u32; 3]| std::array::from_fn(|i| a[i] / b[i].max(1));
        let within = |a: [u32; 3], b: [u32; 3]| std::array::from_fn(|i| a[i] % b[i].max(1));
        let clusters = per(d.grid, d.cluster);
        let warps = (bx * by * bz).div_ceil(32);
        let lane64 = u64::from(lane);
        match base {
            "tid" => match component {
                0 => thread % bx.max(1),
                1 => thread / bx.max(1) % by.max(1),
                2 => thread / (bx * by).max(1),
                _ => 0,
            },
            "ntid" => at(d.block),
            "ctaid" => at(self.ctaid),
            "nctaid" => at(d.grid),
            "laneid" => lane64,
            "warpid" => u64::from(self.warp),
            "nwarpid" => warps,
            "nsmid" => 132,
            "smid" | "gridid" => 0,
            "clusterid" => at(per(self.ctaid, d.cluster)),
            "nclusterid" => at(clusters),
            "cluster_ctaid" => at(within(self.ctaid, d.cluster)),
            "cluster_nctaid" => at(d.cluster),
            "cluster_ctarank" => u64::from(self.rank),
            "cluster_nctarank" => d.cluster.iter().map(|&n| u64::from(n)).product(),
            "is_explicit_cluster" => u64::from(d.explicit_cluster),
            "lanemask_eq" => 1 << lane,
            "lanemask_le" => (2u64 << lane) - 1,
            "lanemask_lt" => (1u64 << lane) - 1,
            "lanemask_ge" => 0xffff_ffff & !((1u64 << lane) - 1),
            "lanemask_gt" => 0xffff_ffff & !((2u64 << lane) - 1),
            "dynamic_smem_size" => u64::from(self.launch.dynamic_bytes),
            "total_smem_size" | "aggr_smem_size" => {
                u64::from(self.launch.shared_bytes + tidegate_machine::memory::RESERVED)
            }
            "reserved_smem_offset_begin" => 0,
            "reserved_smem_offset_end" | "reserved_smem_offset_cap" => {
                u64::from(tidegate_machine::memory::RESERVED)
            }
            _ => 0,
        }
    }
}

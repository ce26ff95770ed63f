//! The shape of a kernel: its axes, and which warps of a block are which thread.

use tidegate_ir::diag::codes;
use tidegate_ir::ops::{Opcode, TgOp};
use tidegate_ir::types::DYNAMIC;
use tidegate_ir::{Module, Op};

use super::{Refusal, refuse, unsupported};

/// Lanes of a warp.
pub const WARP: u32 = 32;
/// Lanes of a warpgroup.
pub const WARPGROUP: u32 = 128;

/// An axis of the grid, of the cluster or of a thread's index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// Its extent; `None` when the launch gives it.
    pub extent: Option<u32>,
}

/// Warps that run the same code: a role, or the whole block of a kernel without roles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crew {
    /// `tg.role`, or `tg.kernel` itself.
    pub op: Op,
    /// The role's name; `None` for the kernel.
    pub name: Option<String>,
    /// The first lane of the block that belongs to it.
    pub first_lane: u32,
    /// Lanes of each of its threads: 128, or 32 in a role of one warp.
    pub lanes: u32,
    /// How many threads it has.
    pub threads: u32,
    /// The axis of the threads' index.
    pub axis: Option<String>,
    /// Registers that each lane asks for.
    pub registers: Option<u32>,
}

impl Crew {
    /// All lanes.
    pub fn total_lanes(&self) -> u32 {
        self.lanes * self.threads
    }

    /// The lane of the block that follows its last.
    pub fn end_lane(&self) -> u32 {
        self.first_lane + self.total_lanes()
    }
}

/// The shape of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelShape {
    /// `tg.kernel`.
    pub op: Op,
    /// Its name.
    pub name: String,
    /// Axes of the grid, the last one being x.
    pub grid: Vec<Axis>,
    /// Axes of the cluster, the last one being x.
    pub cluster: Vec<(String, u32)>,
    /// Who runs the code: the roles, or the kernel itself.
    pub crews: Vec<Crew>,
    /// `tg.warp_specialize`, if there is one.
    pub specialize: Option<Op>,
}

/// What an axis name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisKind {
    /// The axis of that number of the grid.
    Grid(usize),
    /// The axis of that number of the cluster.
    Cluster(usize),
    /// The index of the executing thread among its crew.
    Thread,
}

impl KernelShape {
    /// Reads the shape of `kernel`.
    ///
    /// # Errors
    ///
    /// When roles or axes are of a form that has no lowering.
    pub fn of(module: &Module, kernel: Op) -> Result<Self, Refusal> {
        let name = module.attr_symbol(kernel, "sym_name").unwrap_or("kernel").to_owned();
        let mut grid = Vec::new();
        for (name, extent) in axes(module, kernel, "grid_names", "grid") {
            let extent = match extent {
                DYNAMIC => None,
                extent => Some(positive(module, kernel, "a grid axis", extent)?),
            };
            grid.push(Axis { name, extent });
        }
        let mut cluster = Vec::new();
        for (name, extent) in axes(module, kernel, "cluster_names", "cluster") {
            cluster.push((name, positive(module, kernel, "a cluster axis", extent)?));
        }
        let body = module.region_block(kernel, 0);
        let specialize = body.and_then(|body| {
            module.block_ops(body).find(|&op| module.opcode(op) == Opcode::Tg(TgOp::WarpSpecialize))
        });
        let crews = match specialize {
            Some(specialize) => roles(module, specialize)?,
            None => vec![Crew {
                op: kernel,
                name: None,
                first_lane: 0,
                lanes: WARPGROUP,
                threads: count(module, kernel, "num_threads", 1)?,
                axis: module.attr_str(kernel, "thread_name").map(str::to_owned),
                registers: None,
            }],
        };
        let shape = Self { op: kernel, name, grid, cluster, crews, specialize };
        match shape.lanes() {
            1..=1024 => Ok(shape),
            lanes => Err(refuse(
                module,
                kernel,
                codes::BLOCK_THREADS,
                format!("the block has {lanes} CUDA threads, and can have 1 to 1024"),
            )),
        }
    }

    /// Lanes of a block.
    pub fn lanes(&self) -> u32 {
        self.crews.iter().map(Crew::end_lane).max().unwrap_or(0)
    }

    /// Blocks of a cluster; 1 without clusters.
    pub fn cluster_blocks(&self) -> u32 {
        self.cluster.iter().map(|(_, extent)| extent).product()
    }

    /// Blocks of a cluster along x, y and z, when the kernel has clusters.
    pub fn cluster_dims(&self) -> Option<[u32; 3]> {
        let extents: Vec<u32> = self.cluster.iter().map(|(_, extent)| *extent).collect();
        (!extents.is_empty()).then(|| fold(&extents))
    }

    /// Registers of a lane at the start, as `ptxas` deals them out when roles ask for other numbers later: an equal share
    /// of the 65536 of a multiprocessor.
    pub fn launch_registers(&self) -> Option<u32> {
        let asks = self.crews.iter().any(|crew| crew.registers.is_some());
        (asks && self.lanes() > 0).then(|| (65_536 / self.lanes() / 8 * 8).min(248))
    }

    /// What the axis `name` stands for in the code of `crew`.
    pub fn axis(&self, crew: &Crew, name: &str) -> Option<AxisKind> {
        if crew.axis.as_deref() == Some(name) {
            return Some(AxisKind::Thread);
        }
        let cluster = self.cluster.iter().position(|axis| axis.0 == name).map(AxisKind::Cluster);
        cluster.or_else(|| self.grid.iter().position(|axis| axis.name == name).map(AxisKind::Grid))
    }

    /// The distance in rank between neighbours along the cluster axis of that number: x counts fastest.
    pub fn cluster_stride(&self, axis: usize) -> u32 {
        self.cluster.iter().skip(axis + 1).map(|(_, extent)| extent).product()
    }
}

/// The extents along x, y and z of axes whose last is x: axes beyond three are folded into z.
pub fn fold(extents: &[u32]) -> [u32; 3] {
    let mut folded = [1; 3];
    for (distance, extent) in extents.iter().rev().enumerate() {
        folded[distance.min(2)] *= extent;
    }
    folded
}

fn axes(module: &Module, kernel: Op, names: &str, extents: &str) -> Vec<(String, i64)> {
    let names = module.attr_strs(kernel, names).unwrap_or_default();
    let extents = module.attr_ints(kernel, extents).unwrap_or_default();
    names.into_iter().map(str::to_owned).zip(extents.iter().copied()).collect()
}

fn positive(module: &Module, op: Op, what: &str, extent: i64) -> Result<u32, Refusal> {
    u32::try_from(extent).ok().filter(|&extent| extent > 0).ok_or_else(|| {
        refuse(module, op, codes::GRID_SIZE, format!("{what} has the extent {extent}, and needs at least 1"))
    })
}

fn count(module: &Module, op: Op, attr: &str, default: u32) -> Result<u32, Refusal> {
    match module.attr_i64(op, attr) {
        None => Ok(default),
        Some(count) => {
            u32::try_from(count).ok().filter(|&count| (1..=32).contains(&count)).ok_or_else(|| {
                refuse(module, op, codes::ROLE_WARPS, format!("`{attr}` is {count}, and can be 1 to 32"))
            })
        }
    }
}

fn roles(module: &Module, specialize: Op) -> Result<Vec<Crew>, Refusal> {
    let mut crews: Vec<Crew> = Vec::new();
    let Some(block) = module.region_block(specialize, 0) else { return Ok(crews) };
    for role in module.block_ops(block).filter(|&op| module.opcode(op) == Opcode::Tg(TgOp::Role)) {
        let threads = count(module, role, "num_threads", 1)?;
        let warps = count(module, role, "warps", 4 * threads)?;
        let (lanes, threads) = match (warps, threads) {
            (1, 1) => (WARP, 1),
            (warps, 1) if warps % 4 == 0 => (WARPGROUP, warps / 4),
            (warps, threads) if warps == 4 * threads => (WARPGROUP, threads),
            _ => return Err(unsupported(module, role, "has neither one warp nor whole warpgroups")),
        };
        let first_lane = crews.last().map_or(0, Crew::end_lane);
        let registers = module.attr_i64(role, "registers").and_then(|count| u32::try_from(count).ok());
        crews.push(Crew {
            op: role,
            name: module.attr_symbol(role, "sym_name").map(str::to_owned),
            first_lane,
            lanes,
            threads,
            axis: module.attr_str(role, "thread_name").map(str::to_owned),
            registers,
        });
    }
    Ok(crews)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_axis_is_x_and_those_beyond_three_are_folded() {
        assert_eq!(fold(&[]), [1, 1, 1]);
        assert_eq!(fold(&[4]), [4, 1, 1]);
        assert_eq!(fold(&[2, 3, 4]), [4, 3, 2]);
        assert_eq!(fold(&[5, 2, 3, 4]), [4, 3, 10]);
    }
}

//! Asynchronous copies: the elected lane starts them.

use melior::ir::Value as Mlir;
use tidegate_ir::Op;

use super::{Lower, Lowering, address::Place, index::Expr, unsupported};
use crate::lower::{
    mlir::emit::{Emitter, GepIndex, Space, TmaLoad},
    plan::{
        arrivals::Counting,
        params::{Coordinate, CopyPlan, CopyWay, Param},
        shape::KernelShape,
    },
};

/// What the shared-memory side of a TMA copy is aligned to.
const TMA_ALIGNMENT: i64 = 128;
/// What that of a bulk copy without a tensor map is aligned to.
const BULK_ALIGNMENT: i64 = 16;

impl<'p, 'c, 'a> Lowering<'p, 'c, 'a> {
    fn copy_plan(&self, op: Op) -> Lower<&'p CopyPlan> {
        let plan = self.plan.params.copies.get(&op);
        plan.ok_or_else(|| unsupported(self.module(), op, "was not planned").into())
    }

    /// `tg.copy_gmem_to_smem`.
    pub(super) fn copy_gmem_to_smem(&mut self, op: Op) -> Lower<()> {
        let module = self.module();
        let plan = self.copy_plan(op)?;
        let elected = self.elected()?;
        let predicate =
            module.operand_named(op, "predicate").map(|value| self.number(op, value)).transpose()?;
        let e = match predicate {
            Some(predicate) => elected.if_then(predicate)?,
            None => elected,
        };
        let barrier = self.barrier(&e, op, "barrier_indices")?;
        let raw = module.has_attr(op, "raw");
        if !raw {
            self.expect(&e, &barrier, plan.bytes)?;
        }
        let place = self.place(op, plan.smem.clone())?;
        let start = self.start(&e, op, &place)?;
        self.check_alignment(op, &start, TMA_ALIGNMENT)?;
        let CopyWay::Map { map, coordinates, cut } = &plan.way else {
            return Err(unsupported(module, op, "was planned without a tensor map").into());
        };
        let mut positions = self.coordinates(&e, op, plan, coordinates)?;
        let mut destination = start.pointer;
        let mut multicast = None;
        if let Some(blocks) = module.attr_ints(op, "multicast") {
            let mask = blocks.iter().fold(0i64, |mask, &block| mask | 1 << block.clamp(0, 15));
            multicast = Some(e.integer(e.types().i16, mask)?);
        }
        if let Some((at, extent)) = cut {
            // Each block fetches its part, and writes it to all.
            let (part, mask) = self.share(&e, op)?;
            multicast = Some(mask);
            let moved = Expr::value(part, i64::from(plan.parts) - 1, 1).mul(&e, *extent)?;
            positions[*at] = positions[*at].add(&e, moved)?;
            let bytes = Expr::value(part, i64::from(plan.parts) - 1, 1)
                .mul(&e, plan.bytes / i64::from(plan.parts))?;
            if let Some(bytes) = bytes.value {
                destination = e.offset_bytes(destination, Space::Shared, GepIndex::Value(bytes))?;
            }
        }
        let coordinates = self.as_coordinates(&e, positions)?;
        let map = self.tensor_map(op, *map)?;
        let address = barrier.address(&e)?;
        e.tma_load(TmaLoad { destination, map, coordinates: &coordinates, barrier: address, multicast })?;
        let all_lanes = barrier.plan.counting == Counting::AllLanes && !raw;
        if predicate.is_some() {
            e.yield_values(&[])?;
        }
        if all_lanes {
            self.close()?;
            match predicate {
                None => self.arrive_with_all_lanes(op, "barrier_indices", 1)?,
                Some(predicate) => {
                    let then = self.e.if_then(predicate)?;
                    let outer = std::mem::replace(&mut self.e, then);
                    self.arrive_with_all_lanes(op, "barrier_indices", 1)?;
                    self.e.yield_values(&[])?;
                    self.e = outer;
                }
            }
        }
        Ok(())
    }

    /// `tg.copy_smem_to_gmem`.
    pub(super) fn copy_smem_to_gmem(&mut self, op: Op) -> Lower<()> {
        let module = self.module();
        let plan = self.copy_plan(op)?;
        let elected = self.elected()?;
        let predicate =
            module.operand_named(op, "predicate").map(|value| self.number(op, value)).transpose()?;
        let e = match predicate {
            Some(predicate) => elected.if_then(predicate)?,
            None => elected,
        };
        let place = self.place(op, plan.smem.clone())?;
        let source = self.start(&e, op, &place)?;
        match &plan.way {
            CopyWay::Bulk => {
                self.check_alignment(op, &source, BULK_ALIGNMENT)?;
                let global: Place<'p, 'c, 'a> = self.place(op, plan.gmem.clone())?;
                let destination = self.start(&e, op, &global)?;
                e.bulk_store(destination.pointer, source.pointer, e.i32(plan.bytes)?)?;
            }
            CopyWay::Map { map, coordinates, .. } => {
                self.check_alignment(op, &source, TMA_ALIGNMENT)?;
                let positions = self.coordinates(&e, op, plan, coordinates)?;
                let coordinates = self.as_coordinates(&e, positions)?;
                e.tma_store(source.pointer, self.tensor_map(op, *map)?, &coordinates)?;
            }
        }
        if predicate.is_some() {
            e.yield_values(&[])?;
        }
        if !module.has_attr(op, "uncommitted") {
            elected.commit_bulk_group()?;
        }
        Ok(())
    }

    fn tensor_map(&self, op: Op, map: usize) -> Lower<Mlir<'c, 'a>> {
        let map = self.prologue.param(Param::Map { map });
        map.ok_or_else(|| unsupported(self.module(), op, "has no tensor map").into())
    }

    /// Where the box starts, in the order of the map.
    fn coordinates(
        &self,
        e: &Emitter<'c, 'a>,
        op: Op,
        plan: &CopyPlan,
        coordinates: &[Coordinate],
    ) -> Lower<Vec<Expr<'c, 'a>>> {
        let starts = self.starts(e, op, &plan.gmem.starts)?;
        coordinates
            .iter()
            .map(|coordinate| match coordinate.dim.and_then(|dim| starts.get(dim)) {
                Some(start) => Ok(start.div_rem(e, coordinate.divisor)?.0),
                None => Ok(Expr::number(0)),
            })
            .collect()
    }

    /// The coordinates as the instruction takes them: 32 bits, innermost first.
    fn as_coordinates(&self, e: &Emitter<'c, 'a>, positions: Vec<Expr<'c, 'a>>) -> Lower<Vec<Mlir<'c, 'a>>> {
        positions.into_iter().rev().map(|position| Ok(e.to_i32(position.materialize(e)?)?)).collect()
    }

    /// The part of a collective copy that this block fetches, `i32`, and the blocks that share it, as a mask.
    fn share(&self, e: &Emitter<'c, 'a>, op: Op) -> Lower<(Mlir<'c, 'a>, Mlir<'c, 'a>)> {
        let shape: &KernelShape = &self.plan.shape;
        let names = self.module().attr_strs(op, "collective").unwrap_or_default();
        let axes: Vec<usize> =
            names.iter().filter_map(|name| shape.cluster.iter().position(|axis| axis.0 == *name)).collect();
        let rank = self.cluster_rank(e)?;
        let (mut part, mut base) = (Expr::number(0), rank);
        let mut ranks = vec![0u32];
        for &axis in &axes {
            let (stride, extent) = (shape.cluster_stride(axis), shape.cluster[axis].1);
            let whole = Expr::value(rank, i64::from(shape.cluster_blocks()) - 1, 1);
            let (quotient, _) = whole.div_rem(e, stride.into())?;
            let (_, coordinate) = quotient.div_rem(e, extent.into())?;
            part = part.mul(e, extent.into())?.add(e, coordinate)?;
            if let Some(moved) = coordinate.mul(e, stride.into())?.value {
                base = e.binary("arith.subi", base, moved)?;
            }
            ranks = (0..extent).flat_map(|at| ranks.iter().map(move |rank| rank + at * stride)).collect();
        }
        let mask = ranks.iter().fold(0i64, |mask, &rank| mask | 1 << rank.min(15));
        let short = e.types().i16;
        let whole_cluster = ranks.len() == usize::try_from(shape.cluster_blocks()).unwrap_or(0);
        let mask = match whole_cluster {
            true => e.integer(short, mask)?,
            false => {
                let base = e.to_integer(base, short)?;
                e.binary("arith.shli", e.integer(short, mask)?, base)?
            }
        };
        Ok((part.materialize(e)?, mask))
    }

    /// `tg.commit_group`.
    pub(super) fn commit_group(&mut self) -> Lower<()> {
        Ok(self.elected()?.commit_bulk_group()?)
    }

    /// `tg.wait_smem_to_gmem`: by the lane that started the copies.
    pub(super) fn wait_smem_to_gmem(&mut self, op: Op) -> Lower<()> {
        let count = self.module().attr_i64(op, "count").unwrap_or(0);
        let count = u32::try_from(count).unwrap_or(0);
        let reads_only = self.module().has_attr(op, "read_only");
        Ok(self.elected()?.wait_bulk_group(count, reads_only)?)
    }
}

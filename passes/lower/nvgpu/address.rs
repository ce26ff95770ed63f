//! Addresses: where the elements of a view lie in shared or global memory.

use melior::ir::Value as Mlir;
use tidegate_ir::diag::codes;
use tidegate_ir::types::{DYNAMIC, RefType, Space as IrSpace};
use tidegate_ir::{Op, Value};

use super::{Lower, Lowering, index::Expr, refuse, unsupported, value::Form};
use crate::lower::{
    mlir::emit::{Emitter, GepIndex, Space},
    plan::{
        params::Param,
        ranges::gcd,
        views::{Sum, View},
    },
};

/// Bytes after which every swizzle repeats.
const SWIZZLE_PERIOD: i64 = 1024;
/// The widest access of a lane in bytes.
const WIDEST: i64 = 16;

/// A view with its root's base address.
#[derive(Clone, Debug)]
pub(super) struct Place<'p, 'c, 'a> {
    pub(super) view: View,
    pub(super) reference: &'p RefType,
    pub(super) space: Space,
    base: Mlir<'c, 'a>,
    /// Bytes from the base to the root.
    offset: i64,
    /// Bytes of an element.
    pub(super) element: i64,
}

/// An address with what is known of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Address<'c, 'a> {
    pub(super) pointer: Mlir<'c, 'a>,
    /// What the address is a multiple of, in bytes.
    pub(super) alignment: i64,
}

impl<'p, 'c, 'a> Lowering<'p, 'c, 'a> {
    /// The place of an access of `op` through `value`.
    pub(super) fn place(&self, op: Op, view: View) -> Lower<Place<'p, 'c, 'a>> {
        let module = self.module();
        let reference = module
            .types
            .as_ref(module.ty(view.root))
            .ok_or_else(|| unsupported(module, op, "works on something that is no array ref"))?;
        let element = match module.types.bit_width(reference.elem) {
            Some(bits) if bits >= 8 || bits == 1 => i64::from(bits.div_ceil(8)),
            _ => return Err(unsupported(module, op, "works on elements of less than a byte").into()),
        };
        let (space, base, offset) = match reference.space {
            IrSpace::Gmem => (Space::Global, self.pointer_to(op, view.root)?, 0),
            IrSpace::Smem => {
                let offset = self.smem_offset(op, view.root)?;
                let base = self.prologue.smem;
                let base = base.ok_or_else(|| unsupported(module, op, "has no shared memory"))?;
                (Space::Shared, base, offset)
            }
            IrSpace::Tmem => return Err(unsupported(module, op, "works on tensor memory").into()),
        };
        Ok(Place { view, reference, space, base, offset, element })
    }

    /// The pointer that stands for the parameter `root`.
    fn pointer_to(&self, op: Op, root: Value) -> Lower<Mlir<'c, 'a>> {
        let arg = self.prologue.args.iter().position(|&arg| arg == root);
        let pointer = arg.and_then(|arg| self.prologue.param(Param::Pointer { arg }));
        pointer.ok_or_else(|| {
            unsupported(self.module(), op, "works on global memory that is no parameter").into()
        })
    }

    /// Where `allocate-smem` put the allocation `root`.
    fn smem_offset(&self, op: Op, root: Value) -> Lower<i64> {
        let module = self.module();
        let alloc = module.defining_op(root);
        let offset = alloc.and_then(|alloc| module.attr_i64(alloc, "offset"));
        offset.ok_or_else(|| {
            super::super::plan::needs_pass(module, alloc.unwrap_or(op), "allocate-smem", "has no offset")
                .into()
        })
    }

    /// The distance in elements between neighbours along a dimension of a root in global memory.
    fn stride(
        &self,
        op: Op,
        place: &Place<'_, 'c, 'a>,
        dim: usize,
        e: &Emitter<'c, 'a>,
    ) -> Lower<Expr<'c, 'a>> {
        if let Some(Some(stride)) = place.reference.element_strides().get(dim) {
            return Ok(Expr::number(*stride));
        }
        let arg = self.prologue.args.iter().position(|&arg| arg == place.view.root);
        let launch = |param: fn(usize, usize) -> Param, dim: usize| {
            let value = arg.and_then(|arg| self.prologue.param(param(arg, dim)));
            value.ok_or_else(|| unsupported(self.module(), op, "has a stride that nobody knows"))
        };
        if place.reference.strides.is_some() {
            return Ok(Expr::value(launch(|arg, dim| Param::Stride { arg, dim }, dim)?, i64::MAX, 1));
        }
        // Dense: the product of the extents that follow.
        let mut product = Expr::number(1);
        for (inner, &extent) in place.reference.shape.iter().enumerate().skip(dim + 1) {
            product = match extent {
                DYNAMIC => {
                    let extent = launch(|arg, dim| Param::Extent { arg, dim }, inner)?;
                    match product.value {
                        None => Expr::value(extent, i64::MAX, 1).mul(e, product.constant)?,
                        Some(value) => Expr::value(e.mul(value, extent)?, i64::MAX, 1),
                    }
                }
                extent => product.mul(e, extent)?,
            };
        }
        Ok(product)
    }

    /// The bytes from the root to the element at `positions`, one for each dimension of the root.
    fn byte_offset(
        &self,
        e: &Emitter<'c, 'a>,
        op: Op,
        place: &Place<'_, 'c, 'a>,
        positions: &[Expr<'c, 'a>],
    ) -> Lower<Expr<'c, 'a>> {
        let reference = place.reference;
        let tile = reference.tile.as_deref().unwrap_or_default();
        let mut total = Expr::number(0);
        if tile.is_empty() {
            for (dim, position) in positions.iter().enumerate() {
                let stride = self.stride(op, place, dim, e)?;
                let part = match (stride.value, position.value) {
                    (None, _) => position.mul(e, stride.constant)?,
                    (Some(_), None) if position.constant == 0 => Expr::number(0),
                    (Some(value), None) => Expr::value(value, i64::MAX, 1).mul(e, position.constant)?,
                    (Some(value), Some(_)) => {
                        let position = e.to_integer(position.materialize(e)?, e.types().i64)?;
                        Expr::value(e.mul(position, value)?, i64::MAX, position_multiple(&stride))
                    }
                };
                total = total.add(e, part)?;
            }
        } else {
            let from = reference.rank() - tile.len();
            let mut inner = Vec::new();
            for (dim, position) in positions.iter().enumerate() {
                let extent = reference.shape[dim];
                let (outer, extent) = match dim.checked_sub(from) {
                    Some(index) => {
                        let (quotient, rest) = position.div_rem(e, tile[index])?;
                        inner.push(rest);
                        (quotient, extent / tile[index].max(1))
                    }
                    None => (*position, extent),
                };
                total = total.mul(e, extent)?.add(e, outer)?;
            }
            for (rest, &extent) in inner.into_iter().zip(tile) {
                total = total.mul(e, extent)?.add(e, rest)?;
            }
        }
        let bytes = total.mul(e, place.element)?;
        match reference.swizzle {
            Some(swizzle) if swizzle > 16 => self.swizzle(e, bytes, i64::from(swizzle)),
            _ => Ok(bytes),
        }
    }

    /// The permutation of 16-byte chunks that TMA and the tensor cores work with: the bits of the chunk's number are
    /// exclusive-ored with bits 7 and above of the offset.
    fn swizzle(&self, e: &Emitter<'c, 'a>, bytes: Expr<'c, 'a>, span: i64) -> Lower<Expr<'c, 'a>> {
        let mask = span / 16 - 1;
        // The bits that take part lie below: 256, 512 or 1024 bytes.
        let period = span * 8;
        let permute = |offset: i64| offset ^ ((offset >> 7 & mask) << 4);
        // Whole periods do not take part.
        let periods = bytes.constant.div_euclid(period) * period;
        let rest = Expr { constant: bytes.constant - periods, ..bytes };
        let (Some(value), true) = (rest.value, rest.multiple % period != 0 || rest.multiple == 0) else {
            return Ok(Expr { constant: periods + permute(rest.constant), ..rest });
        };
        let ty = melior::ir::ValueLike::r#type(&value);
        let whole = match rest.constant {
            0 => value,
            constant => e.add(value, e.integer(ty, constant)?)?,
        };
        let row = e.binary("arith.shrui", whole, e.integer(ty, 7)?)?;
        let row = e.binary("arith.andi", row, e.integer(ty, mask)?)?;
        let row = e.binary("arith.shli", row, e.integer(ty, 4)?)?;
        let permuted = e.binary("arith.xori", whole, row)?;
        let high = rest.high.saturating_add(period);
        Ok(Expr { constant: periods, value: Some(permuted), high, multiple: gcd(rest.divisor(), 16) })
    }

    /// The address `bytes` behind the root.
    fn address(
        &self,
        e: &Emitter<'c, 'a>,
        place: &Place<'_, 'c, 'a>,
        bytes: Expr<'c, 'a>,
    ) -> Lower<Address<'c, 'a>> {
        let constant = bytes.constant.saturating_add(place.offset);
        let mut pointer = place.base;
        if let Some(value) = bytes.value {
            pointer = e.offset_bytes(pointer, place.space, GepIndex::Value(value))?;
        }
        pointer = match i32::try_from(constant) {
            Ok(constant) => e.offset_bytes(pointer, place.space, GepIndex::Constant(constant))?,
            Err(_) => {
                let constant = e.integer(e.types().i64, constant)?;
                e.offset_bytes(pointer, place.space, GepIndex::Value(constant))?
            }
        };
        let alignment = gcd(gcd(constant, bytes.multiple), 0);
        Ok(Address { pointer, alignment: if alignment == 0 { SWIZZLE_PERIOD } else { alignment } })
    }

    /// The address of the first element of the view.
    pub(super) fn start(
        &self,
        e: &Emitter<'c, 'a>,
        op: Op,
        place: &Place<'_, 'c, 'a>,
    ) -> Lower<Address<'c, 'a>> {
        let positions = self.starts(e, op, &place.view.starts)?;
        let bytes = self.byte_offset(e, op, place, &positions)?;
        self.address(e, place, bytes)
    }

    pub(super) fn starts(&self, e: &Emitter<'c, 'a>, op: Op, starts: &[Sum]) -> Lower<Vec<Expr<'c, 'a>>> {
        starts.iter().map(|start| self.sum(e, op, start)).collect()
    }

    /// The addresses of the chunks of an array of this form: one for each round, or, where the elements of a chunk do
    /// not lie together, one for each element.
    pub(super) fn chunk_addresses(
        &self,
        op: Op,
        place: &Place<'_, 'c, 'a>,
        form: &Form<'c>,
    ) -> Lower<Vec<Vec<Address<'c, 'a>>>> {
        let e = self.e;
        let starts = self.starts(&e, op, &place.view.starts)?;
        let whole_chunks = self.chunks_lie_together(place, form);
        let lane = match self.thread.single {
            true => Expr::number(0),
            false => Expr::value(self.thread.lane, form.lanes - 1, 1).mul(&e, form.vec)?,
        };
        let mut addresses = Vec::new();
        for round in 0..form.rounds {
            let places = if whole_chunks { 1 } else { form.vec };
            let chunk: Lower<Vec<_>> = (0..places)
                .map(|place_in_chunk| {
                    let first = round * form.round() + place_in_chunk;
                    let element = Expr { constant: first, ..lane };
                    let mut positions = starts.clone();
                    self.add_element(&e, op, place, element, &mut positions)?;
                    let bytes = self.byte_offset(&e, op, place, &positions)?;
                    self.address(&e, place, bytes)
                })
                .collect();
            addresses.push(chunk?);
        }
        Ok(addresses)
    }

    /// Adds the coordinates of element number `element`, in row-major order of the view, to `positions`.
    fn add_element(
        &self,
        e: &Emitter<'c, 'a>,
        op: Op,
        place: &Place<'_, 'c, 'a>,
        element: Expr<'c, 'a>,
        positions: &mut [Expr<'c, 'a>],
    ) -> Lower<()> {
        let mut rest = element;
        let mut dims = place.view.dims.as_slice();
        // Trailing dimensions that are covered whole, in a root that keeps them together, count as one.
        while let [outer @ .., (above, extent_above), (last, extent)] = dims {
            let joined = place.reference.tile.is_none()
                && above.root + 1 == last.root
                && above.step == 1
                && last.step == 1
                && place.reference.strides.is_none()
                && place.reference.shape.get(last.root) == Some(extent);
            if !joined {
                break;
            }
            // The rest counts in units of the last dimension; leave it there when it is the outermost.
            if outer.is_empty() && *extent_above > 0 {
                let position = positions[last.root].add(e, rest)?;
                positions[last.root] = position;
                return Ok(());
            }
            let (quotient, remainder) = rest.div_rem(e, *extent)?;
            positions[last.root] = positions[last.root].add(e, remainder)?;
            rest = quotient;
            dims = &dims[..dims.len() - 1];
        }
        while let Some(((dim, extent), outer)) = dims.split_last() {
            let (quotient, remainder) = match outer.is_empty() {
                true => (Expr::number(0), rest),
                false => rest.div_rem(e, *extent)?,
            };
            let moved = remainder.mul(e, dim.step)?;
            let position = positions.get_mut(dim.root);
            let position =
                position.ok_or_else(|| unsupported(self.module(), op, "has a view of no dimension"))?;
            *position = position.add(e, moved)?;
            rest = quotient;
            dims = outer;
        }
        Ok(())
    }

    /// Whether the elements of each chunk lie one after the other.
    fn chunks_lie_together(&self, place: &Place<'_, 'c, 'a>, form: &Form<'c>) -> bool {
        if form.vec == 1 {
            return true;
        }
        let Some((last, extent)) = place.view.dims.last() else { return false };
        let innermost = last.root + 1 == place.reference.rank() && last.step == 1;
        let dense = place.reference.element_strides().get(last.root).copied().flatten() == Some(1);
        let tile = place.reference.tile.as_deref().and_then(|tile| tile.last()).copied().unwrap_or(form.vec);
        let swizzled = place.reference.swizzle.is_some_and(|swizzle| swizzle > 16);
        let start = place.view.starts.get(last.root);
        let start = start.map_or(0, |start| crate::lower::plan::params::divisor(&self.plan.ranges, start));
        innermost
            && dense
            && extent % form.vec == 0
            && tile % form.vec == 0
            && (place.reference.tile.is_none() || start % form.vec == 0)
            && (!swizzled || form.vec * place.element <= WIDEST && start % form.vec == 0)
    }

    /// Checks that an access of `bytes` bytes is possible at an address, and gives the alignment to state.
    pub(super) fn alignment(&self, address: &Address<'c, 'a>, bytes: i64) -> u32 {
        let alignment = gcd(address.alignment, bytes).clamp(1, WIDEST);
        u32::try_from(alignment).unwrap_or(1)
    }

    /// Refuses shared memory that is not aligned as a copy wants it.
    pub(super) fn check_alignment(&self, op: Op, address: &Address<'c, 'a>, wanted: i64) -> Lower<()> {
        if address.alignment % wanted == 0 {
            return Ok(());
        }
        let message = format!(
            "the shared-memory side of the copy starts at a multiple of {} bytes, and needs a multiple of {wanted}",
            address.alignment
        );
        Err(refuse(self.module(), op, codes::COPY_SHARED_ALIGNMENT, message).into())
    }
}

/// What divides the product of anything with a stride.
fn position_multiple(stride: &Expr<'_, '_>) -> i64 {
    stride.multiple.max(1)
}

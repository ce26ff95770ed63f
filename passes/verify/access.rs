//! Array refs: spaces, shapes by the index rule, element types, and bounds where they are known.
//!
//! The index rule (see `tidegate_ir::ops`, dialect `tg`): the list says where an access starts, missing trailing
//! indices are 0; the extents are those of the other side, aligned to the right, with extent 1 in front; a dimension
//! without an index must be covered whole.

use smallvec::SmallVec;
use tidegate_ir::diag::{Diagnostic, codes};
use tidegate_ir::ops::IndexRef;
use tidegate_ir::types::{DYNAMIC, RefType, Space, TypeKind};
use tidegate_ir::{Op, Value};

use super::context::{Check, Verifier, count_of, shape_text};

/// One access to an array ref.
pub(super) struct Access<'a> {
    pub(super) op: Op,
    /// The ref.
    pub(super) reference: Value,
    pub(super) indices: &'a [IndexRef],
    /// The extents of the other side.
    pub(super) extents: &'a [i64],
    /// What the other side is, for messages: "the array".
    pub(super) other: &'a str,
    /// Whether the access may reach over the edge, as TMA may in global memory.
    pub(super) may_overhang: bool,
}

impl Verifier<'_> {
    pub(super) fn check_load(&self, op: Op) -> Check {
        let (Some(source), Some(value)) = (self.m.get_operand(op, 0), self.m.results(op).next()) else {
            return Ok(());
        };
        self.check_transfer(op, source, value, "the array loaded")
    }

    pub(super) fn check_store(&self, op: Op) -> Check {
        let (Some(value), Some(dest)) = (self.m.get_operand(op, 0), self.m.get_operand(op, 1)) else {
            return Ok(());
        };
        self.check_transfer(op, dest, value, "the array stored")
    }

    fn check_transfer(&self, op: Op, reference: Value, value: Value, other: &str) -> Check {
        let (Some(memory), Some((extents, elem))) =
            (self.array_ref(reference), self.m.types.as_value_array(self.m.ty(value)))
        else {
            return Ok(());
        };
        if memory.space == Space::Tmem {
            return Err(self.error(
                op,
                codes::WRONG_SPACE,
                format!(
                    "`{}` reaches shared and global memory, but {} is in tensor memory",
                    self.m.op_name(op),
                    self.name(reference)
                ),
                "tensor memory has loads and stores of its own",
            ));
        }
        if memory.elem != elem {
            return Err(self.error(
                op,
                codes::ELEMENT_TYPE_MISMATCH,
                format!(
                    "{} has elements of type {}, and {other} has {}",
                    self.name(reference),
                    self.type_name(memory.elem),
                    self.type_name(elem)
                ),
                "bits are moved as they are; convert with `arith` ops",
            ));
        }
        let indices = self.indices(op, "indices");
        self.check_access(&Access { op, reference, indices: &indices, extents, other, may_overhang: false })
    }

    /// The index rule and, where indices are constants, the bounds.
    pub(super) fn check_access(&self, access: &Access<'_>) -> Check {
        let &Access { op, reference, indices, extents, other, may_overhang } = access;
        let Some(memory) = self.array_ref(reference) else { return Ok(()) };
        let shape = &memory.shape;
        if indices.len() > shape.len() {
            return Err(self.too_many_indices(op, reference, indices.len(), shape));
        }
        if extents.len() > shape.len() {
            return Err(self.error(
                op,
                codes::SHAPE_MISMATCH,
                format!(
                    "{other} has {}, and {} of shape {} has {}",
                    count_of(extents.len(), "dimension"),
                    self.name(reference),
                    shape_text(shape),
                    shape.len()
                ),
                "the array has more dimensions than the reference",
            ));
        }
        let lead = shape.len() - extents.len();
        for (dim, &extent) in shape.iter().enumerate() {
            let wanted = if dim < lead { 1 } else { extents[dim - lead] };
            let Some(&index) = indices.get(dim) else {
                if wanted == extent {
                    continue;
                }
                return Err(self.uncovered(access, memory, dim, wanted));
            };
            if extent != DYNAMIC && wanted > extent {
                return Err(self.error(
                    op,
                    codes::SHAPE_MISMATCH,
                    format!(
                        "{other} of shape {} does not fit {} of shape {}: extent {wanted} over {extent} in dimension {dim}",
                        shape_text(extents),
                        self.name(reference),
                        shape_text(shape)
                    ),
                    "too large in one dimension",
                ));
            }
            let Some(start) = self.constant_index(index) else { continue };
            let end = start.saturating_add(wanted);
            let outside = if may_overhang {
                end <= 0 || (extent != DYNAMIC && start >= extent)
            } else {
                start < 0 || (extent != DYNAMIC && end > extent)
            };
            if outside {
                return Err(self.out_of_bounds(op, reference, dim, start, wanted, extent));
            }
        }
        Ok(())
    }

    fn too_many_indices(&self, op: Op, value: Value, found: usize, shape: &[i64]) -> Box<Diagnostic> {
        self.error(
            op,
            codes::SHAPE_MISMATCH,
            format!(
                "{} for {} of shape {}, which has {}",
                count_of(found, "index").replace("indexs", "indices"),
                self.name(value),
                shape_text(shape),
                count_of(shape.len(), "dimension")
            ),
            "more indices than dimensions",
        )
    }

    fn uncovered(&self, access: &Access<'_>, memory: &RefType, dim: usize, wanted: i64) -> Box<Diagnostic> {
        let name = self.name(access.reference);
        let extent = if memory.shape[dim] == DYNAMIC {
            "an extent known only at run time".to_owned()
        } else {
            format!("extent {}", memory.shape[dim])
        };
        let mut error = self.error(
            access.op,
            codes::SHAPE_MISMATCH,
            format!(
                "{} of shape {} does not cover dimension {dim} of {name}, which has {extent}, and no index says where it starts",
                access.other,
                shape_text(access.extents)
            ),
            format!("extent {wanted} in dimension {dim}"),
        );
        *error = error
            .label(
                self.declaration(access.reference),
                format!("{name} has shape {}", shape_text(&memory.shape)),
            )
            .help("a dimension without an index is covered whole; give an index to say where a part starts");
        error
    }

    fn out_of_bounds(
        &self,
        op: Op,
        value: Value,
        dim: usize,
        start: i64,
        count: i64,
        extent: i64,
    ) -> Box<Diagnostic> {
        let name = self.name(value);
        let range = if count == 1 {
            format!("index {start}")
        } else {
            format!("elements {start} to {}", start.saturating_add(count).saturating_sub(1))
        };
        let has = if extent == DYNAMIC {
            "indices start at 0".to_owned()
        } else {
            format!("the dimension has {extent}")
        };
        let mut error = self.error(
            op,
            codes::OUT_OF_BOUNDS,
            format!("{range} in dimension {dim} of {name}: {has}"),
            "out of bounds",
        );
        *error = error.label(self.declaration(value), "declared here");
        error
    }

    // ---- parts ----

    /// `tg.at`: the result is the source without its leading dimensions.
    pub(super) fn check_at(&self, op: Op) -> Check {
        let (Some(source), Some(result)) = (self.m.get_operand(op, 0), self.m.results(op).next()) else {
            return Ok(());
        };
        let indices = self.indices(op, "indices");
        if let Some(group) = self.barrier(source) {
            self.check_barrier_indices(op, source, &indices, true)?;
            let mut wanted = group.clone();
            wanted.shape = group.shape[indices.len()..].into();
            if self.barrier(result) == Some(&wanted) {
                return Ok(());
            }
            return Err(self.wrong_part(
                op,
                source,
                result,
                &format!("a group of shape {}", shape_text(&wanted.shape)),
            ));
        }
        let Some(memory) = self.array_ref(source) else { return Ok(()) };
        if indices.len() > memory.shape.len() {
            return Err(self.too_many_indices(op, source, indices.len(), &memory.shape));
        }
        for (dim, &index) in indices.iter().enumerate() {
            let Some(start) = self.constant_index(index) else { continue };
            let extent = memory.shape[dim];
            if start < 0 || (extent != DYNAMIC && start >= extent) {
                return Err(self.out_of_bounds(op, source, dim, start, 1, extent));
            }
        }
        let left = memory.shape.len() - indices.len();
        if let Some(tile) = &memory.tile
            && tile.len() > left
        {
            return Err(self.error(
                op,
                codes::UNSUPPORTED_TRANSFORM,
                format!(
                    "an index goes into the tiles of {}: tile {} takes its last {}",
                    self.name(source),
                    shape_text(tile),
                    count_of(tile.len(), "dimension")
                ),
                format!(
                    "at most {}",
                    count_of(memory.shape.len() - tile.len(), "index").replace("indexs", "indices")
                ),
            ));
        }
        let mut wanted = memory.clone();
        wanted.shape = memory.shape[indices.len()..].into();
        wanted.strides = memory.strides.as_ref().map(|strides| strides[indices.len()..].into());
        if self.array_ref(result).is_some_and(|found| same_ref(found, &wanted)) {
            return Ok(());
        }
        Err(self.wrong_part(op, source, result, &self.ref_text(&wanted)))
    }

    /// `tg.subview`: a range in each dimension.
    pub(super) fn check_subview(&self, op: Op) -> Check {
        let (Some(source), Some(result)) = (self.m.get_operand(op, 0), self.m.results(op).next()) else {
            return Ok(());
        };
        let offsets = self.indices(op, "offsets");
        let sizes = self.m.attr_ints(op, "sizes").unwrap_or(&[]);
        let steps = self.m.attr_ints(op, "strides");
        let shape: &[i64] = match (self.barrier(source), self.array_ref(source)) {
            (Some(group), _) => &group.shape,
            (None, Some(memory)) => &memory.shape,
            (None, None) => return Ok(()),
        };
        for (what, count) in [("sizes", Some(sizes.len())), ("strides", steps.map(<[i64]>::len))] {
            if count.is_some_and(|count| count != shape.len()) {
                return Err(self.error(
                    op,
                    codes::ATTRIBUTE_FORM,
                    format!(
                        "attribute `{what}` of `tg.subview` has {} for {} of shape {}",
                        count_of(count.unwrap_or(0), "entry").replace("entrys", "entries"),
                        self.name(source),
                        shape_text(shape)
                    ),
                    "one entry for each dimension",
                ));
            }
        }
        if offsets.len() > shape.len() {
            return Err(self.too_many_indices(op, source, offsets.len(), shape));
        }
        if let Some(step) = steps.and_then(|steps| steps.iter().find(|&&step| step < 1)) {
            return Err(self.error(
                op,
                codes::ATTRIBUTE_FORM,
                format!("attribute `strides` of `tg.subview` has a step of {step}; a step is at least 1"),
                "not a step",
            ));
        }
        for (dim, (&extent, &size)) in shape.iter().zip(sizes).enumerate() {
            if size < 1 {
                return Err(self.error(
                    op,
                    codes::ATTRIBUTE_FORM,
                    format!("attribute `sizes` of `tg.subview` has {size} in dimension {dim}; a size is at least 1"),
                    "not a size",
                ));
            }
            let step = steps.map_or(1, |steps| steps[dim]);
            let span = (size - 1).saturating_mul(step).saturating_add(1);
            let start = match offsets.get(dim) {
                Some(&offset) => self.constant_index(offset),
                None => Some(0),
            };
            let end = start.unwrap_or(0).saturating_add(span);
            if start.is_some_and(|start| start < 0) || (extent != DYNAMIC && end > extent) {
                if self.barrier(source).is_some() {
                    return Err(self.error(
                        op,
                        codes::BARRIER_INDEX_RANGE,
                        format!(
                            "barriers {} to {} in dimension {dim} of {}, which has {extent}",
                            start.unwrap_or(0),
                            end - 1,
                            self.name(source)
                        ),
                        "out of range",
                    ));
                }
                return Err(self.out_of_bounds(op, source, dim, start.unwrap_or(0), span, extent));
            }
        }
        match (self.barrier(source), self.array_ref(source)) {
            (Some(_), _) => self.check_barrier_subview(op, source, result, sizes, steps),
            (None, Some(memory)) => self.check_array_subview(op, source, result, memory, sizes, steps),
            (None, None) => Ok(()),
        }
    }

    fn check_array_subview(
        &self,
        op: Op,
        source: Value,
        result: Value,
        memory: &RefType,
        sizes: &[i64],
        steps: Option<&[i64]>,
    ) -> Check {
        let mut wanted = memory.clone();
        wanted.shape = sizes.into();
        let strides: SmallVec<[Option<i64>; 6]> = memory
            .element_strides()
            .into_iter()
            .enumerate()
            .map(|(dim, stride)| {
                stride.and_then(|stride| stride.checked_mul(steps.map_or(1, |steps| steps[dim])))
            })
            .collect();
        if let Some(tile) = &memory.tile {
            // Tiles lie in row-major order of their position in the whole array, which a part keeps only where it is
            // contiguous.
            let lead = memory.shape.len() - tile.len();
            let offsets = self.indices(op, "offsets");
            let whole_tiles = tile.iter().enumerate().all(|(index, &tile)| {
                let dim = lead + index;
                let start = offsets.get(dim).map_or(Some(0), |&offset| self.constant_index(offset));
                sizes[dim] % tile == 0 && start.is_none_or(|start| start % tile == 0)
            });
            let stepped = steps.is_some_and(|steps| steps.iter().any(|&step| step != 1));
            if !whole_tiles || stepped || !is_contiguous(&memory.shape, sizes) {
                return Err(self.error(
                    op,
                    codes::UNSUPPORTED_TRANSFORM,
                    format!(
                        "a part of {} with tile {} consists of whole tiles that follow each other",
                        self.name(source),
                        shape_text(tile)
                    ),
                    format!("sizes {} of shape {}", shape_text(sizes), shape_text(&memory.shape)),
                ));
            }
            if self.array_ref(result).is_some_and(|found| same_ref(found, &wanted)) {
                return Ok(());
            }
            return Err(self.wrong_part(op, source, result, &self.ref_text(&wanted)));
        }
        let dense = {
            let mut stride = Some(1i64);
            let mut dense = true;
            for (&size, &actual) in sizes.iter().zip(&strides).rev() {
                dense &= size == 1 || (actual.is_some() && actual == stride);
                stride = stride.and_then(|stride| stride.checked_mul(size));
            }
            dense
        };
        wanted.strides = Some(strides.iter().map(|stride| stride.unwrap_or(DYNAMIC)).collect());
        let fits = |wanted: &RefType| self.array_ref(result).is_some_and(|found| same_ref(found, wanted));
        if fits(&wanted) {
            return Ok(());
        }
        if dense {
            wanted.strides = None;
            if fits(&wanted) {
                return Ok(());
            }
        }
        Err(self.wrong_part(op, source, result, &self.ref_text(&wanted)))
    }

    pub(super) fn wrong_part(&self, op: Op, source: Value, result: Value, wanted: &str) -> Box<Diagnostic> {
        self.error(
            op,
            codes::RESULT_TYPE,
            format!("this part of {} is {wanted}, not {}", self.name(source), self.type_of(result)),
            "the result has another type",
        )
    }

    fn ref_text(&self, wanted: &RefType) -> String {
        let mut text =
            format!("a reference of shape {} to {}", shape_text(&wanted.shape), wanted.space.long_name());
        if let Some(strides) = &wanted.strides {
            text.push_str(&format!(" with strides {}", shape_text(strides)));
        }
        if let Some(tile) = &wanted.tile {
            text.push_str(&format!(" with tile {}", shape_text(tile)));
        }
        if let Some(swizzle) = wanted.swizzle {
            text.push_str(&format!(" with swizzle {swizzle}"));
        }
        text.push_str(&format!(" of {}", self.type_name(wanted.elem)));
        text
    }

    /// `tg.dim`: the dimension exists.
    pub(super) fn check_dim(&self, op: Op) -> Check {
        let Some(source) = self.m.get_operand(op, 0) else { return Ok(()) };
        let (Some(memory), Some(dim)) = (self.array_ref(source), self.m.attr_i64(op, "dimension")) else {
            return Ok(());
        };
        if usize::try_from(dim).is_ok_and(|dim| dim < memory.rank()) {
            return Ok(());
        }
        Err(self.error(
            op,
            codes::ATTRIBUTE_FORM,
            format!(
                "attribute `dimension` of `tg.dim` is {dim}; {} has {}, counted from 0",
                self.name(source),
                count_of(memory.rank(), "dimension")
            ),
            "no such dimension",
        ))
    }

    /// `tg.alloc`: place and alignment, and transforms that exist.
    pub(super) fn check_alloc(&self, op: Op) -> Check {
        let Some(result) = self.m.results(op).next() else { return Ok(()) };
        for name in ["alignment", "offset"] {
            let Some(value) = self.m.attr_i64(op, name) else { continue };
            if let TypeKind::Acc { .. } = self.m.types.kind(self.m.ty(result)) {
                return Err(self.error(
                    op,
                    codes::ATTRIBUTE_FORM,
                    format!("attribute `{name}` is for memory, and {} is in registers", self.type_of(result)),
                    "an accumulator has no address",
                ));
            }
            let fits = if name == "offset" {
                value >= 0
            } else {
                (1..=1 << 20).contains(&value) && value & (value - 1) == 0
            };
            if !fits {
                let wanted = if name == "offset" { "at least 0" } else { "a power of two up to 1048576" };
                return Err(self.error(
                    op,
                    codes::ATTRIBUTE_FORM,
                    format!("attribute `{name}` of `tg.alloc` is {value}; it has to be {wanted}"),
                    format!("`{name}` out of range"),
                ));
            }
        }
        let Some(memory) = self.array_ref(result) else { return Ok(()) };
        if let (Some(tile), Some(swizzle)) = (&memory.tile, memory.swizzle)
            && let Some(&inner) = tile.last()
            && let Some(bytes) = self.m.types.bytes_of(memory.elem, inner)
            && bytes > i64::from(swizzle)
        {
            return Err(self.error(
                op,
                codes::UNSUPPORTED_TRANSFORM,
                format!("a row of the tile has {bytes} bytes, and a swizzle of {swizzle} spans {swizzle}"),
                format!(
                    "at most {} elements of {}",
                    inner * i64::from(swizzle) / bytes,
                    self.type_name(memory.elem)
                ),
            ));
        }
        Ok(())
    }
}

/// Whether two refs are one type, where strides given as those of a dense array count as none.
fn same_ref(a: &RefType, b: &RefType) -> bool {
    let plain = |reference: &RefType| RefType { strides: None, ..reference.clone() };
    a == b || (plain(a) == plain(b) && a.element_strides() == b.element_strides())
}

/// Whether a part of `sizes` of an array of `shape` is contiguous: from the first dimension with more than one
/// element on, all others are whole.
pub(super) fn is_contiguous(shape: &[i64], sizes: &[i64]) -> bool {
    let first = sizes.iter().position(|&size| size > 1).unwrap_or(sizes.len());
    shape.iter().zip(sizes).skip(first + 1).all(|(extent, size)| extent == size)
}

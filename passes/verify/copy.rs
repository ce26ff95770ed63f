//! Asynchronous copies: what a TMA tensor map can describe, and who gets what is copied.
//!
//! The box of a copy has the shape of its shared-memory side. A tile in the layout of that side cuts the box into
//! pieces, which takes further dimensions of the tensor map: `128x128` with tile `[8, 64]` is a box of
//! `16x2x8x64` of the array seen with four dimensions.

use smallvec::SmallVec;
use tidegate_ir::diag::{Code, Diagnostic, codes};
use tidegate_ir::ops::{Opcode, TgOp};
use tidegate_ir::types::RefType;
use tidegate_ir::{Op, Value};

use super::access::Access;
use super::context::{Check, Indices, Verifier, count_of, name_list, shape_text};
use super::walk::Place;
use crate::analysis::smem_layout;
use crate::target::tma;

/// The two sides of a copy.
struct Copy<'m> {
    op: Op,
    global: Value,
    global_ref: &'m RefType,
    global_indices: Indices,
    shared: Value,
    shared_ref: &'m RefType,
    shared_indices: Indices,
    /// Extents of the box.
    extents: SmallVec<[i64; 6]>,
}

impl<'m> Verifier<'m> {
    /// `tg.copy_gmem_to_smem`.
    pub(super) fn check_copy_in(&self, op: Op, place: Place) -> Check {
        let Some(copy) = self.copy_sides(op, 0, "source_indices", 2, "dest_indices")? else { return Ok(()) };
        self.check_box(&copy)?;
        let Some(barrier) = self.in_group(op, 4) else { return Ok(()) };
        if let Some(group) = self.barrier(barrier)
            && group.is_cluster()
        {
            let mut error = self.error(
                op,
                codes::COPY_ON_CLUSTER_BARRIER,
                format!("the copy completes on {}, {}: its bytes are counted on a plain barrier of the receiving block", self.name(barrier), group.describe()),
                "a cluster barrier cannot take the bytes of a copy",
            );
            *error = error
                .label(self.declaration(barrier), "the cluster barrier is declared here")
                .help("complete on a plain barrier, wait for it, and arrive on the cluster barrier then");
            return Err(error);
        }
        self.check_barrier_indices(op, barrier, &self.indices(op, "barrier_indices"), false)?;
        self.check_multicast(op, place)?;
        self.check_collective(&copy, place)
    }

    /// `tg.copy_smem_to_gmem`.
    pub(super) fn check_copy_out(&self, op: Op) -> Check {
        match self.copy_sides(op, 2, "dest_indices", 0, "source_indices")? {
            Some(copy) => self.check_box(&copy),
            None => Ok(()),
        }
    }

    fn copy_sides(
        &self,
        op: Op,
        global_group: usize,
        global_list: &str,
        shared_group: usize,
        shared_list: &str,
    ) -> Result<Option<Copy<'m>>, Box<Diagnostic>> {
        let (Some(global), Some(shared)) = (self.in_group(op, global_group), self.in_group(op, shared_group))
        else {
            return Ok(None);
        };
        let (Some(global_ref), Some(shared_ref)) = (self.array_ref(global), self.array_ref(shared)) else {
            return Ok(None);
        };
        let (global_indices, shared_indices) = (self.indices(op, global_list), self.indices(op, shared_list));
        let Some(extents) = shared_ref.shape.get(shared_indices.len()..) else {
            return Err(self.error(
                op,
                codes::COPY_SHAPES,
                format!(
                    "{} for {} of shape {}",
                    count_of(shared_indices.len(), "index").replace("indexs", "indices"),
                    self.name(shared),
                    shape_text(&shared_ref.shape)
                ),
                "more indices than dimensions",
            ));
        };
        let extents = extents.into();
        Ok(Some(Copy { op, global, global_ref, global_indices, shared, shared_ref, shared_indices, extents }))
    }

    fn limit(
        &self,
        copy: &Copy<'_>,
        code: Code,
        message: String,
        label: impl Into<String>,
    ) -> Box<Diagnostic> {
        let error = self.error(copy.op, code, message, label);
        Box::new(error.label(
            self.declaration(copy.shared),
            format!("the box is {} of {}", shape_text(&copy.extents), self.name(copy.shared)),
        ))
    }

    /// Everything that the tensor map of the copy has to keep to.
    fn check_box(&self, copy: &Copy<'_>) -> Check {
        let Copy { op, global, global_ref, shared, shared_ref, extents, .. } = copy;
        if global_ref.elem != shared_ref.elem {
            return Err(self.limit(
                copy,
                codes::COPY_ELEMENT_TYPES,
                format!(
                    "a copy moves bits as they are, but {} has elements of {} and {} of {}",
                    self.name(*global),
                    self.type_name(global_ref.elem),
                    self.name(*shared),
                    self.type_name(shared_ref.elem)
                ),
                "convert in registers",
            ));
        }
        if extents.len() > global_ref.rank() {
            return Err(self.limit(
                copy,
                codes::COPY_SHAPES,
                format!(
                    "the box {} has {}, and {} of shape {} has {}",
                    shape_text(extents),
                    count_of(extents.len(), "dimension"),
                    self.name(*global),
                    shape_text(&global_ref.shape),
                    global_ref.rank()
                ),
                "the shapes do not fit; an index picks a slot of a ring",
            ));
        }
        self.check_tensor_rank(copy)?;
        self.check_shared_indices(copy)?;
        let access = Access {
            op: *op,
            reference: *global,
            indices: &copy.global_indices,
            extents,
            other: "the box",
            may_overhang: true,
        };
        if let Err(mut error) = self.check_access(&access) {
            if error.code == codes::SHAPE_MISMATCH {
                error.code = codes::COPY_SHAPES;
            }
            return Err(error);
        }
        self.check_extents(copy)?;
        self.check_inner(copy)?;
        self.check_global_strides(copy)?;
        self.check_shared_place(copy)
    }

    /// Extents that the box has beyond one element along each global dimension, after tiles are taken out.
    fn tiles(&self, copy: &Copy<'_>) -> SmallVec<[(i64, i64); 6]> {
        let tile = copy.shared_ref.tile.as_deref().unwrap_or(&[]);
        let lead = copy.extents.len().saturating_sub(tile.len());
        let tiled = copy.extents.iter().skip(lead).zip(tile);
        tiled.map(|(&extent, &tile)| (extent / tile.max(1), tile)).collect()
    }

    fn check_tensor_rank(&self, copy: &Copy<'_>) -> Check {
        let rank = copy.global_ref.rank();
        let tiles = self.tiles(copy);
        let added = tiles.iter().skip(1).filter(|(count, _)| *count > 1).count();
        // Tiles of the outermost tiled dimension follow each other as its rows do, unless tiles come between.
        let added = if added > 0 && tiles.first().is_some_and(|(count, tile)| *count > 1 && *tile > 1) {
            added + 1
        } else {
            added
        };
        let total = rank + added;
        if (1..=tma::MAX_RANK).contains(&total) {
            return Ok(());
        }
        let mut error = self.limit(
            copy,
            codes::COPY_RANK,
            if added == 0 {
                format!("the copy has {}; a TMA copy has 1 to {}", count_of(rank, "dimension"), tma::MAX_RANK)
            } else {
                format!(
                    "the copy has {}, and its tile adds {added}; a TMA copy has 1 to {}",
                    count_of(rank, "dimension"),
                    tma::MAX_RANK
                )
            },
            format!("{} is of shape {}", self.name(copy.global), shape_text(&copy.global_ref.shape)),
        );
        *error = error.help("merge dimensions that follow each other without gaps, or copy slices in a loop");
        Err(error)
    }

    fn check_shared_indices(&self, copy: &Copy<'_>) -> Check {
        for (dim, &index) in copy.shared_indices.iter().enumerate() {
            let Some(found) = self.constant_index(index) else { continue };
            let extent = copy.shared_ref.shape[dim];
            if !(0..extent).contains(&found) {
                let mut error = self.error(
                    copy.op,
                    codes::OUT_OF_BOUNDS,
                    format!(
                        "index {found} in dimension {dim} of {}: the dimension has {extent}",
                        self.name(copy.shared)
                    ),
                    "out of bounds",
                );
                *error = error.label(self.declaration(copy.shared), "declared here");
                return Err(error);
            }
        }
        Ok(())
    }

    fn check_extents(&self, copy: &Copy<'_>) -> Check {
        let tiles = self.tiles(copy);
        let lead = copy.extents.len() - tiles.len();
        for (dim, &extent) in copy.extents.iter().enumerate() {
            let largest = match dim.checked_sub(lead).and_then(|index| tiles.get(index)) {
                Some(&(count, tile)) => count.max(tile),
                None => extent,
            };
            if largest > tma::MAX_BOX_EXTENT {
                let parts = largest.saturating_add(tma::MAX_BOX_EXTENT - 1) / tma::MAX_BOX_EXTENT;
                let mut error = self.limit(
                    copy,
                    codes::COPY_BOX_EXTENT,
                    format!("the box has extent {largest} in dimension {dim}; a TMA copy moves 1 to {} elements along a dimension", tma::MAX_BOX_EXTENT),
                    "too many elements",
                );
                *error =
                    error.help(format!("split it into {parts} copies that complete on the same barrier"));
                return Err(error);
            }
        }
        for (dim, &extent) in copy.global_ref.shape.iter().enumerate() {
            if extent > tma::MAX_GLOBAL_EXTENT {
                return Err(self.limit(
                    copy,
                    codes::COPY_SHAPES,
                    format!(
                        "dimension {dim} of {} has extent {extent}; a tensor map counts up to {}",
                        self.name(copy.global),
                        tma::MAX_GLOBAL_EXTENT
                    ),
                    "too large for a TMA copy",
                ));
            }
        }
        Ok(())
    }

    fn check_inner(&self, copy: &Copy<'_>) -> Check {
        let elem = copy.shared_ref.elem;
        let inner = match copy.shared_ref.tile.as_deref().and_then(<[i64]>::last) {
            Some(&tile) => tile,
            None => copy.extents.last().copied().unwrap_or(1),
        };
        let Some(bytes) = self.m.types.bytes_of(elem, inner) else { return Ok(()) };
        let bits = i64::from(self.m.types.bit_width(elem).unwrap_or(8).max(8));
        if bytes % tma::GRANULE != 0 {
            let mut error = self.limit(
                copy,
                codes::COPY_INNER_BYTES,
                format!("the innermost extent of the box is {inner} elements of {}, {bytes} bytes; it has to be a multiple of {} bytes", self.type_name(elem), tma::GRANULE),
                format!("{bytes} bytes"),
            );
            *error = error.help(format!(
                "pad it to {} elements, or use ordinary loads and stores",
                smem_layout::round_up(bytes, tma::GRANULE) * 8 / bits
            ));
            return Err(error);
        }
        let Some(swizzle) = copy.shared_ref.swizzle else { return Ok(()) };
        let span = i64::from(swizzle);
        if bytes > span {
            let fitting = span * 8 / bits;
            let copies = bytes.saturating_add(span - 1) / span;
            let mut error = self.limit(
                copy,
                codes::COPY_SWIZZLE_SPAN,
                format!("the innermost extent of the box is {bytes} bytes ({inner} elements of {}); a swizzle of {span} bytes allows at most {span}", self.type_name(elem)),
                format!("{bytes} bytes in one row"),
            );
            *error = error
                .help(format!("make it {copies} copies of {fitting} elements each on one barrier"))
                .help("or take no swizzle")
                .help(format!("or tile it: `tile = [8, {fitting}], swizzle = {span}`"));
            return Err(error);
        }
        Ok(())
    }

    fn check_global_strides(&self, copy: &Copy<'_>) -> Check {
        let strides = copy.global_ref.element_strides();
        let rank = strides.len();
        let name = self.name(copy.global);
        for (dim, &stride) in strides.iter().enumerate() {
            let Some(stride) = stride else { continue };
            if dim + 1 == rank {
                if stride != 1 && copy.global_ref.shape[dim] != 1 {
                    return Err(self.limit(
                        copy,
                        codes::COPY_GLOBAL_ALIGNMENT,
                        format!("the innermost stride of {name} is {stride} elements; a TMA copy needs 1"),
                        "the innermost dimension is not contiguous",
                    ));
                }
                continue;
            }
            let Some(bytes) = self.m.types.bytes_of(copy.global_ref.elem, stride) else { continue };
            if bytes % tma::GRANULE != 0 {
                let mut error = self.limit(
                    copy,
                    codes::COPY_GLOBAL_ALIGNMENT,
                    format!("the stride of dimension {dim} of {name} is {bytes} bytes; a TMA copy needs a multiple of {}", tma::GRANULE),
                    format!("rows are {bytes} bytes apart"),
                );
                *error = error
                    .label(self.declaration(copy.global), "declared here")
                    .help("pad the rows in global memory");
                return Err(error);
            }
            if bytes >= tma::STRIDE_LIMIT {
                return Err(self.limit(
                    copy,
                    codes::COPY_GLOBAL_ALIGNMENT,
                    format!("the stride of dimension {dim} of {name} is {bytes} bytes; a TMA copy needs less than {}", tma::STRIDE_LIMIT),
                    "too far apart",
                ));
            }
        }
        Ok(())
    }

    /// The shared-memory side is dense, and starts where TMA and its swizzle can.
    fn check_shared_place(&self, copy: &Copy<'_>) -> Check {
        let memory = copy.shared_ref;
        if memory.strides.is_some() {
            let dense = RefType { strides: None, ..memory.clone() }.element_strides();
            let left = copy.shared_indices.len();
            if memory.element_strides()[left..] != dense[left..] {
                return Err(self.limit(
                    copy,
                    codes::UNSUPPORTED_TRANSFORM,
                    format!(
                        "the shared-memory side of a copy is contiguous, but {} has strides {}",
                        self.name(copy.shared),
                        shape_text(memory.strides.as_deref().unwrap_or(&[]))
                    ),
                    "elements with gaps between them",
                ));
            }
        }
        let needed = memory.swizzle.map_or(tma::SMEM_ALIGNMENT, tma::swizzle_atom);
        let mut place = Some(self.index_place(copy.shared, &copy.shared_indices));
        let mut value = copy.shared;
        while let Some(op) = self.m.defining_op(value) {
            let list = match self.m.opcode(op) {
                Opcode::Tg(TgOp::At) => "indices",
                Opcode::Tg(TgOp::Subview) => "offsets",
                Opcode::Tg(TgOp::Alloc) => {
                    let own = self.m.attr_i64(op, "offset").unwrap_or(0);
                    if let Some(found) = place.flatten().map(|place| place.with(own))
                        && found.alignment(needed) < needed
                    {
                        return Err(self.misaligned(copy, needed, found, own));
                    }
                    return Ok(());
                }
                _ => return Ok(()),
            };
            let Some(source) = self.m.get_operand(op, 0) else { return Ok(()) };
            if self.root(value) == value {
                return Ok(());
            }
            let step = self.index_place(source, &self.indices(op, list));
            place = place.map(|place| place.zip(step).map(|(place, step)| place.plus(step)));
            value = source;
        }
        Ok(())
    }

    fn misaligned(&self, copy: &Copy<'_>, needed: i64, found: BytePlace, own: i64) -> Box<Diagnostic> {
        let memory = copy.shared_ref;
        let why = match memory.swizzle {
            Some(span) => format!("a swizzle of {span} bytes repeats after {needed}"),
            None => format!("a TMA copy starts at a multiple of {needed}"),
        };
        let what = match found.step {
            0 => format!("starts at byte {}", found.start),
            step => format!("has slots that are {step} bytes apart"),
        };
        let mut error = self.limit(
            copy,
            codes::COPY_SHARED_ALIGNMENT,
            format!("the shared-memory side {what}; {why} bytes"),
            format!("has to be a multiple of {needed} bytes"),
        );
        if own % needed != 0 {
            *error = error.note(format!("the array is placed at byte {own}"));
        } else {
            *error = error.help("pad the slots, or give each an allocation of its own");
        }
        error
    }

    /// How far into the array behind `value` the list leads; nothing when that cannot be said, as inside tiles.
    fn index_place(&self, value: Value, indices: &Indices) -> Option<BytePlace> {
        let memory = self.array_ref(value)?;
        let strides = memory.element_strides();
        let tiled = memory.tile.as_ref().map_or(0, |tile| tile.len());
        let mut place = BytePlace { start: 0, step: 0 };
        for (dim, &index) in indices.iter().enumerate() {
            let constant = self.constant_index(index);
            if constant == Some(0) || memory.shape[dim] == 1 {
                continue;
            }
            if dim + tiled >= memory.rank() {
                return None;
            }
            let stride = strides.get(dim).copied().flatten()?;
            let bytes = self.m.types.bytes_of(memory.elem, stride)?;
            place = match constant {
                Some(constant) => place.with(bytes.checked_mul(constant)?),
                None => place.plus(BytePlace { start: 0, step: bytes }),
            };
        }
        Some(place)
    }

    // ---- who receives ----

    fn check_multicast(&self, op: Op, place: Place) -> Check {
        let Some(ranks) = self.m.attr_ints(op, "multicast") else { return Ok(()) };
        let bad = |message: String, label: &str| Err(self.error(op, codes::COPY_MULTICAST, message, label));
        let text = shape_text(ranks);
        if ranks.is_empty() {
            return bad(
                "attribute `multicast` is []; it names at least one block of the cluster".to_owned(),
                "nobody would receive the box",
            );
        }
        if self.m.has_attr(op, "collective") {
            return bad("a copy is either `multicast` or `collective`".to_owned(), "both are given");
        }
        if let Some(pair) = ranks.windows(2).find(|pair| pair[0] >= pair[1]) {
            let how = if pair[0] == pair[1] { "is named twice" } else { "is out of order" };
            return bad(
                format!(
                    "attribute `multicast` is {text}: {} {how}; ranks are in ascending order, each once",
                    pair[1]
                ),
                "not a list of blocks",
            );
        }
        let Some(facts) = self.facts(place) else { return Ok(()) };
        let size = facts.cluster_size();
        if facts.cluster.is_empty() {
            let mut error = self.error(
                op,
                codes::COPY_MULTICAST,
                "`multicast` writes to several blocks of a cluster, and this kernel has no cluster",
                "there are no other blocks to receive the box",
            );
            *error =
                error.label(self.m.span(facts.op), "this kernel").help("declare one: `cluster [\"c\" = 2]`");
            return Err(error);
        }
        match ranks.iter().find(|&&rank| !(0..size).contains(&rank)) {
            Some(rank) => bad(
                format!("attribute `multicast` is {text}: there is no block {rank} in a cluster of {size}"),
                "a rank is out of range",
            ),
            None => Ok(()),
        }
    }

    fn check_collective(&self, copy: &Copy<'_>, place: Place) -> Check {
        let op = copy.op;
        let Some(axes) = self.m.attr_strs(op, "collective") else { return Ok(()) };
        let bad = |message: String, label: &str| Err(self.error(op, codes::COPY_MULTICAST, message, label));
        if axes.is_empty() {
            return bad(
                "attribute `collective` is []; it names at least one axis of the cluster".to_owned(),
                "no axis",
            );
        }
        if let Some((_, name)) = axes.iter().enumerate().find(|(index, name)| axes[..*index].contains(name)) {
            return bad(format!("attribute `collective` names axis \"{name}\" twice"), "each axis once");
        }
        let Some(facts) = self.facts(place) else { return Ok(()) };
        let mut blocks = 1i64;
        for name in &axes {
            match facts.cluster_axis(name) {
                Some(extent) => blocks = blocks.saturating_mul(extent),
                None => {
                    let known = name_list(facts.cluster.iter().map(|axis| &*axis.0));
                    return bad(
                        format!(
                            "attribute `collective`: the cluster of this kernel has no axis \"{name}\"; its axes are {known}"
                        ),
                        "not an axis of the cluster",
                    );
                }
            }
        }
        // Each block fetches an equal part: the leading dimensions are divided as far as they go.
        let mut rest = blocks;
        let inner = copy.extents.len().saturating_sub(1);
        for (dim, &extent) in copy.extents.iter().enumerate() {
            if rest == 1 {
                break;
            }
            if dim == inner {
                let bytes = self.m.types.bytes_of(copy.shared_ref.elem, extent).unwrap_or(0);
                if copy.shared_ref.tile.is_none() && extent % rest == 0 && bytes / rest % tma::GRANULE == 0 {
                    rest = 1;
                }
            } else if extent % rest == 0 {
                rest = 1;
            } else if rest % extent == 0 {
                rest /= extent;
            } else {
                break;
            }
        }
        if rest == 1 {
            return Ok(());
        }
        bad(
            format!(
                "the box {} cannot be divided among the {blocks} blocks along {}",
                shape_text(&copy.extents),
                name_list(axes.iter().copied())
            ),
            "each block fetches an equal part of the box",
        )
    }
}

/// A place in bytes: a known start, plus an unknown multiple of `step`.
#[derive(Copy, Clone, Debug)]
struct BytePlace {
    start: i64,
    step: i64,
}

impl BytePlace {
    fn with(self, bytes: i64) -> Self {
        Self { start: self.start.saturating_add(bytes), ..self }
    }
    fn plus(self, other: Self) -> Self {
        Self { start: self.start.saturating_add(other.start), step: gcd(self.step, other.step) }
    }
    /// The largest power of two up to `limit` that divides every address.
    fn alignment(self, limit: i64) -> i64 {
        gcd(gcd(self.start, self.step), limit)
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.saturating_abs(), b.saturating_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alignment_is_what_divides_start_and_steps() {
        assert_eq!(BytePlace { start: 0, step: 208 }.alignment(128), 16);
        assert_eq!(BytePlace { start: 256, step: 0 }.alignment(128), 128);
        assert_eq!(BytePlace { start: 0, step: 0 }.alignment(1024), 1024);
    }
}

//! Views: which part of which allocation or parameter a ref is.
//!
//! `tg.at` and `tg.subview` make refs out of refs. A [`View`] follows them back to the root, and keeps, for each
//! dimension of the root, where the view starts, as a sum of numbers and `index` values.

use smallvec::SmallVec;
use tidegate_ir::ops::{IndexRef, Opcode, TgOp};
use tidegate_ir::types::{DYNAMIC, TypeKind};
use tidegate_ir::{Module, Op, Value};

/// `factor * index`, a part of a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Term {
    /// What the index is multiplied by.
    pub factor: i64,
    /// The index.
    pub index: Value,
}

/// A number plus terms.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sum {
    /// The part known now.
    pub constant: i64,
    /// The rest.
    pub terms: SmallVec<[Term; 2]>,
}

impl Sum {
    /// The number `constant`.
    pub fn number(constant: i64) -> Self {
        Self { constant, terms: SmallVec::new() }
    }

    /// Adds `factor * index`.
    pub fn add(&mut self, factor: i64, index: IndexRef) {
        match index {
            IndexRef::Const(number) => {
                self.constant = self.constant.saturating_add(number.saturating_mul(factor));
            }
            IndexRef::Value(index) => match self.terms.iter_mut().find(|term| term.index == index) {
                Some(term) => term.factor = term.factor.saturating_add(factor),
                None => self.terms.push(Term { factor, index }),
            },
        }
    }

    /// The number, when there are no terms.
    pub fn as_number(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }
}

/// A dimension that a view shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ViewDim {
    /// Which dimension of the root it is.
    pub root: usize,
    /// How far apart neighbours are along it.
    pub step: i64,
}

/// A part of a root.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct View {
    /// The allocation, or the parameter of the kernel.
    pub root: Value,
    /// Where the view starts along each dimension of the root.
    pub starts: Vec<Sum>,
    /// The dimensions shown, with their extents.
    pub dims: Vec<(ViewDim, i64)>,
}

impl View {
    /// What `value`, an array ref or a barrier ref, is a part of. `None` when its origin is no allocation or parameter.
    pub fn of(module: &Module, value: Value) -> Option<Self> {
        if let Some(op) = module.defining_op(value) {
            match module.opcode(op) {
                Opcode::Tg(TgOp::At) => {
                    let source = Self::of(module, module.get_operand(op, 0)?)?;
                    return Some(source.at(&module.index_list(op, "indices"), true));
                }
                Opcode::Tg(TgOp::Subview) => return Self::subview(module, op),
                Opcode::Tg(TgOp::Alloc | TgOp::AllocBarrier) => {}
                _ => return None,
            }
        } else if module
            .defining_block(value)
            .and_then(|block| module.block_parent(block))
            .is_none_or(|parent| module.opcode(parent) != Opcode::Tg(TgOp::Kernel))
        {
            return None;
        }
        let shape: &[i64] = match module.types.kind(module.ty(value)) {
            TypeKind::Ref(reference) => &reference.shape,
            TypeKind::BarrierRef(barrier) => &barrier.shape,
            _ => return None,
        };
        let dims = shape.iter().enumerate().map(|(root, &extent)| (ViewDim { root, step: 1 }, extent));
        Some(Self { root: value, starts: vec![Sum::default(); shape.len()], dims: dims.collect() })
    }

    fn subview(module: &Module, op: Op) -> Option<Self> {
        let source = Self::of(module, module.get_operand(op, 0)?)?;
        let mut view = source.at(&module.index_list(op, "offsets"), false);
        let sizes = module.attr_ints(op, "sizes")?;
        let steps = module.attr_ints(op, "strides");
        for (index, dim) in view.dims.iter_mut().enumerate() {
            if let Some(&size) = sizes.get(index)
                && size != DYNAMIC
            {
                dim.1 = size;
            }
            if let Some(&step) = steps.and_then(|steps| steps.get(index)) {
                dim.0.step = dim.0.step.saturating_mul(step);
            }
        }
        Some(view)
    }

    /// The view moved by `indices` along its leading dimensions; with `drop` these dimensions are gone.
    #[must_use]
    pub fn at(mut self, indices: &[IndexRef], drop: bool) -> Self {
        for (&index, (dim, _)) in indices.iter().zip(&self.dims) {
            if let Some(start) = self.starts.get_mut(dim.root) {
                start.add(dim.step, index);
            }
        }
        if drop {
            self.dims.drain(..indices.len().min(self.dims.len()));
        }
        self
    }

    /// The place of an access: moved by `indices`, with the extents of the other side aligned to the right.
    #[must_use]
    pub fn access(self, indices: &[IndexRef], extents: &[i64]) -> Self {
        let mut view = self.at(indices, false);
        let skipped = view.dims.len().saturating_sub(extents.len());
        view.dims.drain(..skipped);
        let extra = extents.len().saturating_sub(view.dims.len());
        for (dim, &extent) in view.dims.iter_mut().zip(extents.iter().skip(extra)) {
            dim.1 = extent;
        }
        view
    }

    /// The extents shown.
    pub fn extents(&self) -> Vec<i64> {
        self.dims.iter().map(|dim| dim.1).collect()
    }

    /// Whether the two parts of one root cannot overlap, as far as numbers tell: along some dimension they start at
    /// different numbers, apart by at least the extent of the lower one.
    pub fn is_apart_from(&self, other: &Self) -> bool {
        if self.root != other.root {
            return true;
        }
        let span = |view: &Self, root: usize| {
            let dim = view.dims.iter().find(|dim| dim.0.root == root);
            dim.map_or(1, |(dim, extent)| extent.saturating_sub(1).saturating_mul(dim.step).saturating_add(1))
        };
        (0..self.starts.len()).any(|root| {
            let (Some(a), Some(b)) = (self.starts.get(root), other.starts.get(root)) else { return false };
            // Equal terms cancel.
            if a.terms != b.terms {
                return false;
            }
            let (low, low_view, high) = if a.constant <= b.constant { (a, self, b) } else { (b, other, a) };
            high.constant.saturating_sub(low.constant) >= span(low_view, root)
        })
    }
}

#[cfg(test)]
mod tests {
    use tidegate_ir::EntityId;

    use super::*;

    fn whole(extents: &[i64]) -> View {
        let dims = extents.iter().enumerate().map(|(root, &extent)| (ViewDim { root, step: 1 }, extent));
        View { root: Value::from_index(0), starts: vec![Sum::default(); extents.len()], dims: dims.collect() }
    }

    #[test]
    fn an_index_takes_leading_dimensions_away() {
        let slot = Value::from_index(7);
        let view = whole(&[4, 128, 64]).at(&[slot.into()], true).access(&[8.into()], &[64]);
        assert_eq!(view.extents(), [64]);
        assert_eq!(view.starts[0].terms.as_slice(), [Term { factor: 1, index: slot }]);
        assert_eq!(view.starts[1], Sum::number(8));
        assert_eq!(view.starts[2], Sum::number(0));
    }

    #[test]
    fn steps_multiply_indices() {
        let mut view = whole(&[64]);
        view.dims[0].0.step = 4;
        let view = view.at(&[3.into()], true);
        assert_eq!(view.starts[0], Sum::number(12));
        assert_eq!(view.extents(), [0; 0]);
    }

    #[test]
    fn parts_are_apart_when_numbers_say_so() {
        let row = |index: i64| whole(&[4, 128]).access(&[index.into()], &[128]);
        assert!(row(0).is_apart_from(&row(1)));
        assert!(!row(1).is_apart_from(&row(1)));
        let slot: IndexRef = Value::from_index(3).into();
        let dynamic = whole(&[4, 128]).access(&[slot], &[128]);
        assert!(!dynamic.is_apart_from(&row(1)), "nobody knows the slot");
        let half = |column: i64| whole(&[4, 128]).access(&[slot, column.into()], &[1, 64]);
        assert!(half(0).is_apart_from(&half(64)), "the same slot, different halves");
        assert!(!half(0).is_apart_from(&half(32)));
    }
}

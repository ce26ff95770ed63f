//! Layouts of arrays in registers: which lane of a thread holds which element, in which of its registers.
//!
//! Elements are counted in row-major order, so a layout does not depend on the shape and `vector.shape_cast` moves
//! nothing. A thread has L lanes: 128 in a warpgroup, 32 in a role of one warp ([`lanes_at`]).
//!
//! | attribute | meaning |
//! |---|---|
//! | `#tg.splat` | every element is the same number; each lane holds it in one register |
//! | `#tg.strided<V>` | chunks of V elements go round the lanes: element e lies in chunk c = e / V, in lane c % L, in register c / L * V + e % V |
//!
//! Where the number of elements is no multiple of V * L, the last round is partial: a lane whose element does not
//! exist ([`Layout::element`] answers `None`) must not load, store or count it.
//!
//! `infer-layouts` writes the layout as the discardable attribute `layout` of the op that makes the array: one
//! attribute when the op has one array result, an array attribute with one entry for each *array* result in order when
//! it has several. Block arguments have no attributes: those of `scf.for` and of the second region of `scf.while` have
//! the layouts of the op's results, those of the first region of `scf.while` stand in its attribute `before_layout` in
//! the same form. [`value_layout`] knows all that.
//!
//! A `#tg.splat` value may stand wherever an array of any layout is wanted, since each lane holds what it needs. An
//! array of `#tg.strided<A>` where `#tg.strided<B>` is wanted is moved through scratch memory
//! ([`scratch`](super::scratch)); `infer-layouts` avoids this everywhere except at ops that move elements anyway.

use std::fmt;

use tidegate_ir::attr::AttrKind;
use tidegate_ir::ops::{Opcode, ScfOp, TgOp};
use tidegate_ir::types::num_elements;
use tidegate_ir::{Attr, Module, Op, Value, ValueDef};

/// Lanes of a warp.
pub const WARP_LANES: i64 = 32;
/// Lanes of a warpgroup.
pub const WARPGROUP_LANES: i64 = 128;

/// The discardable attribute for results.
pub const LAYOUT_ATTR: &str = "layout";
/// The discardable attribute for the arguments of the first region of `scf.while`.
pub const BEFORE_LAYOUT_ATTR: &str = "before_layout";

/// How an array lies in the registers of a thread.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Layout {
    /// One number, in every lane.
    Splat,
    /// Chunks of `vec` elements go round the lanes.
    Strided {
        /// Elements of a chunk: a power of two.
        vec: u32,
    },
}

impl Layout {
    /// The layout that the text of an attribute names.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text == "#tg.splat" {
            return Some(Self::Splat);
        }
        let number = text.strip_prefix("#tg.strided<")?.strip_suffix('>')?.trim();
        let vec: u32 = number.parse().ok()?;
        vec.is_power_of_two().then_some(Self::Strided { vec })
    }
    /// The layout that `attr` is.
    pub fn from_attr(module: &Module, attr: Attr) -> Option<Self> {
        match module.attrs.kind(attr) {
            AttrKind::Opaque(text) => Self::parse(text),
            _ => None,
        }
    }
    /// The layout as an attribute.
    pub fn to_attr(self, module: &mut Module) -> Attr {
        module.attrs.intern(AttrKind::Opaque(self.to_string().into()))
    }
    /// The registers that each lane needs for `elements` elements; the last round counts in full.
    pub fn registers(self, elements: i64, lanes: i64) -> i64 {
        match self {
            Self::Splat => 1,
            Self::Strided { vec } => {
                let vec = i64::from(vec);
                let round = vec.saturating_mul(lanes).max(1);
                elements.max(0).saturating_add(round - 1) / round * vec
            }
        }
    }
    /// Whether every lane holds an element in each of its registers, so that no mask is needed.
    pub fn is_full(self, elements: i64, lanes: i64) -> bool {
        match self {
            Self::Splat => true,
            Self::Strided { vec } => {
                let round = i64::from(vec).saturating_mul(lanes).max(1);
                elements % round == 0
            }
        }
    }
    /// The row-major number of the element in `register` of `lane`; `None` for a place beyond the array, and for a
    /// splat, where every element is there.
    pub fn element(self, elements: i64, lanes: i64, lane: i64, register: i64) -> Option<i64> {
        match self {
            Self::Splat => None,
            Self::Strided { vec } => {
                let vec = i64::from(vec);
                let chunk = (register / vec).checked_mul(lanes)?.checked_add(lane)?;
                let element = chunk.checked_mul(vec)?.checked_add(register % vec)?;
                (element < elements).then_some(element)
            }
        }
    }
    /// The lane and register of an element; for a splat, register 0 of lane 0.
    pub fn place(self, element: i64, lanes: i64) -> (i64, i64) {
        match self {
            Self::Splat => (0, 0),
            Self::Strided { vec } => {
                let vec = i64::from(vec);
                let chunk = element / vec;
                (chunk % lanes, chunk / lanes * vec + element % vec)
            }
        }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Splat => f.write_str("#tg.splat"),
            Self::Strided { vec } => write!(f, "#tg.strided<{vec}>"),
        }
    }
}

/// The lanes of the thread that executes `op`: 32 in a role whose warps are no multiple of four, else 128.
pub fn lanes_at(module: &Module, op: Op) -> i64 {
    let role = std::iter::once(op)
        .chain(module.ancestors(op))
        .find(|&op| module.opcode(op) == Opcode::Tg(TgOp::Role));
    match role.and_then(|role| module.attr_i64(role, "warps")) {
        Some(warps) if warps % 4 != 0 => WARP_LANES,
        _ => WARPGROUP_LANES,
    }
}

/// The number of elements of `value` when it is an array.
pub fn array_elements(module: &Module, value: Value) -> Option<i64> {
    let (shape, _) = module.types.as_vector(module.ty(value))?;
    num_elements(shape)
}

/// The layout that attributes give to `value`; `None` when it is no array or none has been inferred.
pub fn value_layout(module: &Module, value: Value) -> Option<Layout> {
    module.types.as_vector(module.ty(value))?;
    match module.def(value) {
        ValueDef::Result { op, index } => {
            listed(module, op, LAYOUT_ATTR, &result_values(module, op), index as usize)
        }
        ValueDef::Arg { block, index } => {
            let parent = module.block_parent(block)?;
            let index = index as usize;
            let args = module.block_args(block);
            match module.opcode(parent) {
                Opcode::Scf(ScfOp::For) => {
                    listed(module, parent, LAYOUT_ATTR, &result_values(module, parent), index.checked_sub(1)?)
                }
                Opcode::Scf(ScfOp::While) if module.region_block(parent, 0) == Some(block) => {
                    listed(module, parent, BEFORE_LAYOUT_ATTR, args, index)
                }
                Opcode::Scf(ScfOp::While) => listed(module, parent, LAYOUT_ATTR, args, index),
                _ => None,
            }
        }
        ValueDef::Undefined => None,
    }
}

fn result_values(module: &Module, op: Op) -> Vec<Value> {
    module.results(op).collect()
}

/// The entry of attribute `name` for `values[index]`: entries are counted among the arrays of `values`.
fn listed(module: &Module, op: Op, name: &str, values: &[Value], index: usize) -> Option<Layout> {
    let attr = module.attr(op, name)?;
    let before = values.get(..index)?;
    let position = before.iter().filter(|&&value| array_elements(module, value).is_some()).count();
    match module.attrs.kind(attr) {
        AttrKind::Array(items) => Layout::from_attr(module, *items.get(position)?),
        _ if position == 0 => Layout::from_attr(module, attr),
        _ => None,
    }
}

/// Writes the layouts of the arrays among `op`'s results, in order.
pub fn set_result_layouts(module: &mut Module, op: Op, layouts: &[Layout]) {
    set_layouts(module, op, LAYOUT_ATTR, layouts);
}

/// Writes layouts to attribute `name` in the form that the head of this file describes.
pub fn set_layouts(module: &mut Module, op: Op, name: &str, layouts: &[Layout]) {
    let items: Vec<Attr> = layouts.iter().map(|layout| layout.to_attr(module)).collect();
    match items.as_slice() {
        [] => module.remove_attr(op, name),
        [one] => module.set_attr(op, name, *one),
        _ => {
            let list = module.attrs.intern(AttrKind::Array(items.into()));
            module.set_attr(op, name, list);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_back() {
        for layout in [Layout::Splat, Layout::Strided { vec: 1 }, Layout::Strided { vec: 8 }] {
            assert_eq!(Layout::parse(&layout.to_string()), Some(layout));
        }
        for text in ["#tg.strided<3>", "#tg.strided<0>", "#tg.strided<>", "#tg.strided", "splat", ""] {
            assert_eq!(Layout::parse(text), None, "{text}");
        }
    }

    #[test]
    fn places_and_elements_are_inverse() {
        for (elements, lanes, vec) in
            [(1024, 128, 4), (1024, 32, 8), (100, 128, 1), (300, 128, 2), (7, 32, 4)]
        {
            let layout = Layout::Strided { vec };
            let registers = layout.registers(elements, lanes);
            let mut seen = vec![false; usize::try_from(elements).unwrap()];
            for lane in 0..lanes {
                for register in 0..registers {
                    if let Some(element) = layout.element(elements, lanes, lane, register) {
                        assert_eq!(layout.place(element, lanes), (lane, register));
                        assert!(!std::mem::replace(&mut seen[usize::try_from(element).unwrap()], true));
                    }
                }
            }
            assert!(seen.iter().all(|&seen| seen), "{elements} elements, {lanes} lanes, {vec} to a chunk");
        }
    }

    #[test]
    fn full_means_no_lane_without_an_element() {
        assert!(Layout::Strided { vec: 4 }.is_full(1024, 128));
        assert!(!Layout::Strided { vec: 4 }.is_full(768, 128));
        assert!(!Layout::Strided { vec: 1 }.is_full(64, 128));
    }
}

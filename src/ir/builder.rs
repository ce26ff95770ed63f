//! The op builder: an insertion point and one method for each op, generated from the tables.
//!
//! Ops built here carry the Rust line that built them as their location. The methods make what they are told to;
//! verification says whether it is well-formed.

use std::panic::Location;

use smallvec::SmallVec;

use crate::attr::AttrKind;
use crate::entity::{Attr, Block, Loc, Name, Op, Region, Type, Value};
use crate::loc::LocKind;
use crate::module::{InsertionPoint, Module, OpSpec, SEGMENT_SIZES};
use crate::ops::{ArithOp, IndexRef, Infer, Opcode};
use crate::types::{DYNAMIC, TypeKind};

/// Builds ops at an insertion point, which moves along.
#[derive(Debug)]
pub struct OpBuilder<'m> {
    /// The module.
    pub module: &'m mut Module,
    at: InsertionPoint,
    loc: Option<Loc>,
}

/// What a generated builder method collects.
#[derive(Default, Debug)]
pub(crate) struct Parts {
    operands: SmallVec<[Value; 6]>,
    groups: SmallVec<[i64; 6]>,
    attrs: SmallVec<[(&'static str, Attr); 4]>,
    results: SmallVec<[Type; 2]>,
}

/// `T`, `Option<T>` or `&[T]`, as generated methods take them.
pub(crate) trait Group<T> {
    fn items(&self) -> impl Iterator<Item = T>;
}
impl<T: Copy> Group<T> for T
where
    T: crate::entity::EntityId,
{
    fn items(&self) -> impl Iterator<Item = T> {
        std::iter::once(*self)
    }
}
impl<T: Copy> Group<T> for Option<T> {
    fn items(&self) -> impl Iterator<Item = T> {
        self.iter().copied()
    }
}
impl<T: Copy> Group<T> for &[T] {
    fn items(&self) -> impl Iterator<Item = T> {
        self.iter().copied()
    }
}

impl Parts {
    pub(crate) fn new() -> Self {
        Self::default()
    }
    pub(crate) fn operands(mut self, group: &impl Group<Value>) -> Self {
        let before = self.operands.len();
        self.operands.extend(group.items());
        self.groups.push(i64::try_from(self.operands.len() - before).unwrap_or(i64::MAX));
        self
    }
    pub(crate) fn attr(mut self, name: &'static str, value: impl Into<Option<Attr>>) -> Self {
        self.attrs.extend(value.into().map(|value| (name, value)));
        self
    }
    pub(crate) fn results(mut self, group: &impl Group<Type>) -> Self {
        self.results.extend(group.items());
        self
    }
}

impl<'m> OpBuilder<'m> {
    /// A builder that inserts at `at`.
    pub fn new(module: &'m mut Module, at: InsertionPoint) -> Self {
        Self { module, at, loc: None }
    }
    /// A builder at the end of `block`.
    pub fn at_end(module: &'m mut Module, block: Block) -> Self {
        Self::new(module, InsertionPoint::End(block))
    }
    /// A builder just before `op`, whose location the new ops take.
    pub fn before(module: &'m mut Module, op: Op) -> Self {
        let loc = module.loc(op);
        Self { module, at: InsertionPoint::Before(op), loc: Some(loc) }
    }
    /// A builder just after `op`, whose location the new ops take.
    pub fn after(module: &'m mut Module, op: Op) -> Self {
        let loc = module.loc(op);
        Self { module, at: InsertionPoint::After(op), loc: Some(loc) }
    }
    /// Where the next op goes.
    pub fn insertion_point(&self) -> InsertionPoint {
        self.at
    }
    /// Moves the insertion point and returns the old one.
    pub fn set_insertion_point(&mut self, at: InsertionPoint) -> InsertionPoint {
        std::mem::replace(&mut self.at, at)
    }
    /// The location of ops to come; without one, they get the Rust line that builds them.
    pub fn set_loc(&mut self, loc: Option<Loc>) {
        self.loc = loc;
    }

    /// Makes an op from its parts.
    #[track_caller]
    pub fn insert(&mut self, mut spec: OpSpec) -> Op {
        if spec.loc.is_none() {
            // Outside of the closure, which is no `#[track_caller]` function.
            let place = Location::caller();
            spec.loc = Some(self.loc.unwrap_or_else(|| caller_loc(self.module, place)));
        }
        let op = self.module.insert(self.at, spec);
        if let InsertionPoint::After(_) = self.at {
            self.at = InsertionPoint::After(op);
        }
        if let InsertionPoint::Start(_) = self.at {
            self.at = InsertionPoint::After(op);
        }
        op
    }

    /// Makes an op of a table row: infers result types, and notes the sizes of its operand groups.
    #[track_caller]
    pub(crate) fn build(&mut self, opcode: Opcode, parts: Parts) -> Op {
        let Parts { operands, groups, attrs, mut results } = parts;
        let mut entries: Vec<(Name, Attr)> =
            attrs.iter().map(|&(name, value)| (self.module.names.intern(name), value)).collect();
        let mut regions = 0;
        if let Some(def) = opcode.def() {
            regions = def.regions.len();
            if def.has_segments()
                && groups
                    .iter()
                    .zip(def.operands)
                    .any(|(&size, operand)| operand.arity != crate::ops::OperandArity::One && size != 0)
            {
                let sizes = self.module.i32s_attr(&groups);
                entries.push((self.module.names.intern(SEGMENT_SIZES), sizes));
            }
            for result in def.results {
                let operand = |index: usize| {
                    let start: i64 = groups.iter().take(index).sum();
                    usize::try_from(start).ok().and_then(|start| operands.get(start)).copied()
                };
                let ty = infer_type(self.module, result.infer, &operand);
                results.extend(ty);
            }
        }
        let inherent = self.module.attrs.dict(&self.module.names, entries);
        self.insert(
            OpSpec::new(opcode).operands(operands).results(results).inherent(inherent).regions(regions),
        )
    }

    /// An `index` constant.
    #[track_caller]
    pub fn index(&mut self, value: i64) -> Value {
        let ty = self.module.types.index();
        self.int(value, ty)
    }
    /// A constant of an integer type, `index`, or an array of one.
    #[track_caller]
    pub fn int(&mut self, value: i64, ty: Type) -> Value {
        let elem = self.module.types.elem_of(ty);
        let number = if elem == self.module.types.i1() {
            self.module.attrs.intern(AttrKind::Bool(value != 0))
        } else {
            self.module.attrs.int(i128::from(value), elem)
        };
        self.constant(number, ty)
    }
    /// A constant of a float type or an array of one; rounded to the type when it is lowered.
    #[track_caller]
    pub fn float(&mut self, value: f64, ty: Type) -> Value {
        let elem = self.module.types.elem_of(ty);
        let number = self.module.attrs.float(value, elem);
        self.constant(number, ty)
    }
    #[track_caller]
    fn constant(&mut self, number: Attr, ty: Type) -> Value {
        let value = match self.module.types.kind(ty) {
            TypeKind::Vector { .. } => self.module.attrs.intern(AttrKind::Splat { value: number, ty }),
            _ => number,
        };
        let op = self.arith_constant(value, ty);
        debug_assert_eq!(self.module.opcode(op), Opcode::Arith(ArithOp::Constant));
        self.module.result(op, 0)
    }

    /// Splits an index list into operands and the `static_...` attribute, which is left out when all are operands.
    pub fn split_indices(&mut self, indices: &[IndexRef]) -> (Vec<Value>, Option<Attr>) {
        let mut values = Vec::new();
        let mut statics = Vec::new();
        for &index in indices {
            match index {
                IndexRef::Const(index) => statics.push(index),
                IndexRef::Value(value) => {
                    values.push(value);
                    statics.push(DYNAMIC);
                }
            }
        }
        let all_dynamic = values.len() == indices.len();
        let attr = (!all_dynamic).then(|| self.module.i64s_attr(&statics));
        (values, attr)
    }

    /// Makes the only block of region `index` of `op`, with arguments of these types.
    pub fn body(&mut self, op: Op, index: usize, args: &[Type]) -> Block {
        let region: Region = self.module.regions(op)[index];
        let block = self.module.append_block(region);
        for &ty in args {
            self.module.append_arg(block, ty);
        }
        block
    }
}

/// The result type that follows from the operands, when one follows.
pub(crate) fn infer_type(
    module: &mut Module,
    infer: Infer,
    operand: &dyn Fn(usize) -> Option<Value>,
) -> Option<Type> {
    match infer {
        Infer::Explicit => None,
        Infer::IsIndex => Some(module.types.index()),
        Infer::IsI1 => Some(module.types.i1()),
        Infer::SameAs(index) => operand(index).map(|value| module.ty(value)),
        Infer::BoolOf(index) => operand(index).map(|value| {
            let i1 = module.types.i1();
            module.types.with_elem(module.ty(value), i1)
        }),
        Infer::ElemOf(index) => operand(index).map(|value| module.types.elem_of(module.ty(value))),
    }
}

/// The Rust place as a location.
pub fn caller_loc(module: &mut Module, place: &Location<'_>) -> Loc {
    let file = module.names.intern(place.file());
    module.locs.intern(LocKind::File { file, line: place.line(), column: place.column(), end: None })
}

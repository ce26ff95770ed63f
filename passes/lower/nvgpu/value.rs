//! What stands for a value of the IR.

use melior::ir::{Type as MlirType, Value as Mlir};
use tidegate_ir::types::{FloatKind, TypeKind};
use tidegate_ir::{Op, Type, Value};

use super::{Failure, Lower, Lowering};
use crate::{
    analysis::layout::{Layout, array_elements, value_layout},
    lower::plan::{needs_pass, unsupported},
};

/// What stands for a value.
#[derive(Clone, Debug)]
pub(super) enum Low<'c, 'a> {
    /// A number, the same in all lanes. An `index` is an `i32` when it is known to fit, else an `i64`.
    Number(Mlir<'c, 'a>),
    /// An array in registers.
    Array(Array<'c, 'a>),
}

/// An array in the registers of a thread's lanes.
#[derive(Clone, Debug)]
pub(super) struct Array<'c, 'a> {
    /// Which lane has what.
    pub(super) layout: Layout,
    /// The registers of the lane: for `Splat` one number; for `Strided` one chunk for each round, a number when chunks
    /// are of one element, else a vector.
    pub(super) chunks: Vec<Mlir<'c, 'a>>,
}

/// The form of an array: all that follows from its type and layout.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form<'c> {
    /// Which lane has what.
    pub(super) layout: Layout,
    /// Elements of the array.
    pub(super) elements: i64,
    /// Elements of a chunk.
    pub(super) vec: i64,
    /// Chunks of a lane.
    pub(super) rounds: i64,
    /// Lanes of the thread.
    pub(super) lanes: i64,
    /// The element type in registers.
    pub(super) elem: MlirType<'c>,
    /// The type of a chunk.
    pub(super) chunk: MlirType<'c>,
}

impl Form<'_> {
    /// Elements of a round: one chunk of every lane.
    pub(super) fn round(&self) -> i64 {
        self.lanes * self.vec
    }

    /// Whether every lane has an element in each place of round `round`.
    pub(super) fn is_full(&self, round: i64) -> bool {
        (round + 1) * self.round() <= self.elements
    }
}

impl<'c, 'a> Lowering<'_, 'c, 'a> {
    /// What stands for `value`, an operand of `op`.
    pub(super) fn low(&self, op: Op, value: Value) -> Lower<Low<'c, 'a>> {
        self.values
            .get(&value)
            .cloned()
            .ok_or_else(|| Failure::from(unsupported(self.module(), op, "uses a value that has no lowering")))
    }

    /// The number that stands for `value`.
    pub(super) fn number(&self, op: Op, value: Value) -> Lower<Mlir<'c, 'a>> {
        match self.low(op, value)? {
            Low::Number(number) => Ok(number),
            Low::Array(_) => Err(unsupported(self.module(), op, "takes an array for a number").into()),
        }
    }

    /// The number that stands for operand `name`.
    pub(super) fn named_number(&self, op: Op, name: &str) -> Lower<Mlir<'c, 'a>> {
        let value = self.module().operand_named(op, name);
        let value = value.ok_or_else(|| unsupported(self.module(), op, "lacks an operand"))?;
        self.number(op, value)
    }

    /// Has `number` stand for the only result of `op`.
    pub(super) fn set_number(&mut self, op: Op, number: Mlir<'c, 'a>) {
        if let Some(result) = self.module().results(op).next() {
            self.values.insert(result, Low::Number(number));
        }
    }

    /// Has `array` stand for the only result of `op`.
    pub(super) fn set_array(&mut self, op: Op, array: Array<'c, 'a>) {
        if let Some(result) = self.module().results(op).next() {
            self.values.insert(result, Low::Array(array));
        }
    }

    /// The type of an `index` value: 32 bits when it is known to fit.
    pub(super) fn index_type(&self, value: Value) -> MlirType<'c> {
        match self.plan.ranges.get(value).is_narrow() {
            true => self.e.types().i32,
            false => self.e.types().i64,
        }
    }

    /// The type in registers of numbers of type `ty`; for `index`, of 64 bits.
    pub(super) fn number_type(&self, op: Op, ty: Type) -> Lower<MlirType<'c>> {
        let types = self.e.types();
        let text = match self.module().types.kind(ty) {
            TypeKind::Index => return Ok(types.i64),
            TypeKind::Integer { width, .. } => match width {
                1 => return Ok(types.i1),
                8 => return Ok(types.i8),
                16 => return Ok(types.i16),
                32 => return Ok(types.i32),
                64 => return Ok(types.i64),
                width => format!("i{width}"),
            },
            TypeKind::Float(kind) => match kind {
                FloatKind::F32 | FloatKind::TF32 => return Ok(types.f32),
                FloatKind::F16 => "f16".to_owned(),
                FloatKind::BF16 => "bf16".to_owned(),
                FloatKind::F64 => "f64".to_owned(),
                // Carried as bits.
                FloatKind::F8E4M3FN | FloatKind::F8E5M2 | FloatKind::F8E8M0FNU => return Ok(types.i8),
                FloatKind::F6E2M3FN | FloatKind::F6E3M2FN | FloatKind::F4E2M1FN => {
                    let what = format!("works on {kind} numbers, which have no lowering");
                    return Err(unsupported(self.module(), op, &what).into());
                }
            },
            _ => return Err(unsupported(self.module(), op, "has a type that has no lowering").into()),
        };
        Ok(self.e.parse_type(&text)?)
    }

    /// The type that stands for the number `value`.
    pub(super) fn type_of_number(&self, op: Op, value: Value) -> Lower<MlirType<'c>> {
        match self.module().types.kind(self.module().ty(value)) {
            TypeKind::Index => Ok(self.index_type(value)),
            _ => self.number_type(op, self.module().ty(value)),
        }
    }

    /// The form of the array `value` of `op`.
    pub(super) fn form(&self, op: Op, value: Value) -> Lower<Form<'c>> {
        let layout = value_layout(self.module(), value)
            .ok_or_else(|| needs_pass(self.module(), op, "infer-layouts", "has an array without a layout"))?;
        self.form_with(op, value, layout)
    }

    /// The form that the array `value` has in `layout`.
    pub(super) fn form_with(&self, op: Op, value: Value, layout: Layout) -> Lower<Form<'c>> {
        let module = self.module();
        let elements = array_elements(module, value)
            .ok_or_else(|| unsupported(module, op, "has an array of too many elements"))?;
        let elem = self.number_type(op, module.types.elem_of(module.ty(value)))?;
        let lanes = i64::from(self.crew().lanes);
        let (vec, rounds) = match layout {
            Layout::Splat => (1, 1),
            Layout::Strided { vec } => {
                let vec = i64::from(vec);
                if elements % vec != 0 {
                    return Err(
                        unsupported(module, op, "has an array that its layout does not divide").into()
                    );
                }
                (vec, layout.registers(elements, lanes) / vec)
            }
        };
        let chunk = self.chunk_type(elem, vec)?;
        Ok(Form { layout, elements, vec, rounds, lanes, elem, chunk })
    }

    /// The type of a chunk of `vec` elements.
    pub(super) fn chunk_type(&self, elem: MlirType<'c>, vec: i64) -> Lower<MlirType<'c>> {
        match u64::try_from(vec) {
            Ok(vec) if vec > 1 => Ok(MlirType::vector_checked(
                melior::ir::Location::unknown(self.e.session().context()),
                &[vec],
                elem,
            )
            .ok_or_else(|| super::MlirError::Type {
                text: format!("vector<{vec}x{elem}>"),
                messages: self.e.session().take_messages(),
            })?),
            _ => Ok(elem),
        }
    }

    /// The chunks of `value` in `form`: a splat is spread, another strided layout moved through scratch.
    pub(super) fn chunks(&mut self, op: Op, value: Value, form: &Form<'c>) -> Lower<Vec<Mlir<'c, 'a>>> {
        match self.low(op, value)? {
            Low::Number(number) => self.spread(number, form),
            Low::Array(Array { layout, chunks }) if layout == form.layout => Ok(chunks),
            Low::Array(Array { layout: Layout::Splat, chunks }) => match chunks.first() {
                Some(&number) => self.spread(number, form),
                None => Err(unsupported(self.module(), op, "has an array without elements").into()),
            },
            Low::Array(array) => match form.layout {
                Layout::Splat => Err(unsupported(self.module(), op, "makes a splat of an array").into()),
                Layout::Strided { .. } => self.move_through_scratch(op, value, &array, form),
            },
        }
    }

    /// `number` in every place.
    fn spread(&self, number: Mlir<'c, 'a>, form: &Form<'c>) -> Lower<Vec<Mlir<'c, 'a>>> {
        let chunk = match form.vec {
            1 => number,
            _ => self.e.value("vector.broadcast", &[number], form.chunk, &[])?,
        };
        Ok(vec![chunk; usize::try_from(form.rounds).unwrap_or_default()])
    }

    /// The elements of a chunk.
    pub(super) fn elements_of(&self, chunk: Mlir<'c, 'a>, form: &Form<'c>) -> Lower<Vec<Mlir<'c, 'a>>> {
        if form.vec == 1 {
            return Ok(vec![chunk]);
        }
        (0..form.vec)
            .map(|place| {
                let place = self.e.i32(place)?;
                Ok(self.e.value("llvm.extractelement", &[chunk, place], form.elem, &[])?)
            })
            .collect()
    }

    /// A chunk of these elements.
    pub(super) fn chunk_of(&self, elements: &[Mlir<'c, 'a>], form: &Form<'c>) -> Lower<Mlir<'c, 'a>> {
        match elements {
            [one] => Ok(*one),
            all => Ok(self.e.value("vector.from_elements", all, form.chunk, &[])?),
        }
    }
}

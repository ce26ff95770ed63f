//! Dialect `arith`: on numbers, and on arrays chunk by chunk.

use melior::ir::{Attribute, Type as MlirType, Value as Mlir, ValueLike};
use tidegate_ir::attr::AttrKind;
use tidegate_ir::ops::ArithOp;
use tidegate_ir::types::{FloatKind, TypeKind};
use tidegate_ir::{Attr, Op, Value};

use super::{
    Lower, Lowering,
    convert::byte_of,
    unsupported,
    value::{Array, Form, Low},
};
use crate::{analysis::layout::Layout, lower::mlir::emit::Comparison};

impl<'c, 'a> Lowering<'_, 'c, 'a> {
    /// An op of dialect `arith`.
    pub(super) fn arith(&mut self, arith: ArithOp, op: Op) -> Lower<()> {
        match arith {
            ArithOp::Constant => self.constant(op),
            ArithOp::IndexCast => self.index_cast(op, "arith.extsi"),
            ArithOp::IndexCastUI => self.index_cast(op, "arith.extui"),
            ArithOp::MaxNumF => self.elementwise(op, "llvm.intr.maxnum", false),
            ArithOp::MinNumF => self.elementwise(op, "llvm.intr.minnum", false),
            ArithOp::RemF => Err(unsupported(self.module(), op, "has no instruction on the GPU").into()),
            ArithOp::ExtF | ArithOp::TruncF => self.convert_float(op),
            ArithOp::Select => self.elementwise(op, "arith.select", false),
            ArithOp::CeilDivUI => self.division(op, &|this, a, b| {
                // (a - 1) / b + 1, and 0 for a = 0.
                let ty = a.r#type();
                let (zero, one) = (this.e.integer(ty, 0)?, this.e.integer(ty, 1)?);
                let less = this.e.binary("arith.subi", a, one)?;
                let more = this.e.add(this.e.binary("arith.divui", less, b)?, one)?;
                let none = this.e.compare(Comparison::Equal, a, zero)?;
                Ok(this.e.select(none, zero, more)?)
            }),
            ArithOp::FloorDivSI => self.division(op, &|this, a, b| this.rounded_quotient(a, b, false)),
            ArithOp::CeilDivSI => self.division(op, &|this, a, b| this.rounded_quotient(a, b, true)),
            ArithOp::AddI
            | ArithOp::SubI
            | ArithOp::MulI
            | ArithOp::DivSI
            | ArithOp::DivUI
            | ArithOp::RemSI
            | ArithOp::RemUI
            | ArithOp::AndI
            | ArithOp::OrI
            | ArithOp::XOrI
            | ArithOp::ShLI
            | ArithOp::ShRSI
            | ArithOp::ShRUI
            | ArithOp::MaxSI
            | ArithOp::MaxUI
            | ArithOp::MinSI
            | ArithOp::MinUI
            | ArithOp::AddF
            | ArithOp::SubF
            | ArithOp::MulF
            | ArithOp::DivF
            | ArithOp::MaximumF
            | ArithOp::MinimumF
            | ArithOp::NegF
            | ArithOp::AddUIExtended
            | ArithOp::MulSIExtended
            | ArithOp::MulUIExtended
            | ArithOp::CmpI
            | ArithOp::CmpF
            | ArithOp::ExtSI
            | ArithOp::ExtUI
            | ArithOp::TruncI
            | ArithOp::SIToFP
            | ArithOp::UIToFP
            | ArithOp::FPToSI
            | ArithOp::FPToUI
            | ArithOp::Bitcast => {
                self.refuse_bits(op)?;
                let name = self.module().op_name(op);
                self.elementwise(op, name, true)
            }
        }
    }

    /// Refuses arithmetic on formats that are carried as bits.
    pub(super) fn refuse_bits(&self, op: Op) -> Lower<()> {
        let module = self.module();
        let is_bits = |value: Value| {
            let elem = module.types.elem_of(module.ty(value));
            matches!(
                module.types.kind(elem),
                TypeKind::Float(FloatKind::F8E4M3FN | FloatKind::F8E5M2 | FloatKind::F8E8M0FNU)
            )
        };
        match module.operands(op).chain(module.results(op)).any(is_bits) {
            true => Err(unsupported(module, op, "has no arithmetic on 8-bit floats").into()),
            false => Ok(()),
        }
    }

    fn constant(&mut self, op: Op) -> Lower<()> {
        let module = self.module();
        let result = module.result(op, 0);
        let Some(attr) = module.attr(op, "value") else {
            return Err(unsupported(module, op, "has no value").into());
        };
        let (number, is_array) = match module.attrs.kind(attr) {
            AttrKind::Splat { value, .. } => (*value, true),
            _ => (attr, false),
        };
        let elem = module.types.elem_of(module.ty(result));
        let ty = match (is_array, module.types.kind(elem)) {
            (false, TypeKind::Index) => self.index_type(result),
            _ => self.number_type(op, elem)?,
        };
        let value = self.number_constant(op, number, ty)?;
        if is_array {
            let form = self.form(op, result)?;
            let chunk = match form.vec {
                1 => value,
                _ => self.e.value("vector.broadcast", &[value], form.chunk, &[])?,
            };
            let chunks = vec![chunk; usize::try_from(form.rounds).unwrap_or_default()];
            self.set_array(op, Array { layout: form.layout, chunks });
        } else {
            self.set_number(op, value);
        }
        Ok(())
    }

    fn number_constant(&self, op: Op, number: Attr, ty: MlirType<'c>) -> Lower<Mlir<'c, 'a>> {
        let module = self.module();
        match module.attrs.kind(number) {
            AttrKind::Bool(value) => Ok(self.e.i1(*value)?),
            AttrKind::Int { value, .. } => {
                // The bits count, however they are read.
                let value = i64::try_from(*value).unwrap_or_else(|_| (*value as u64).cast_signed());
                Ok(self.e.integer(ty, value)?)
            }
            AttrKind::Float { bits, ty: float } => {
                if let TypeKind::Float(
                    kind @ (FloatKind::F8E4M3FN | FloatKind::F8E5M2 | FloatKind::F8E8M0FNU),
                ) = module.types.kind(*float)
                {
                    return Ok(self.e.integer(ty, byte_of(f64::from_bits(*bits), *kind).into())?);
                }
                Ok(self.e.float(ty, f64::from_bits(*bits))?)
            }
            _ => Err(unsupported(module, op, "has a value that is no number").into()),
        }
    }

    /// The op's attributes, as they are.
    fn attributes(&self, op: Op) -> Lower<Vec<(String, Attribute<'c>)>> {
        let module = self.module();
        let entries = module.attrs.entries(module.inherent(op)).iter();
        entries
            .map(|(name, attr)| {
                let text = module.attrs.display(&module.types, &module.names, *attr);
                Ok((module.names.get(*name).to_owned(), self.e.attribute(&text)?))
            })
            .collect()
    }

    /// An op that works on numbers, and on arrays element by element. MLIR's op is called `name`.
    pub(super) fn elementwise(&mut self, op: Op, name: &str, attributes: bool) -> Lower<()> {
        let attributes = if attributes { self.attributes(op)? } else { Vec::new() };
        let attributes: Vec<_> = attributes.iter().map(|(name, attr)| (name.as_str(), *attr)).collect();
        let module = self.module();
        let results: Vec<Value> = module.results(op).collect();
        let Some(&result) = results.first() else { return Ok(()) };
        if module.types.as_vector(module.ty(result)).is_none() {
            return self.number_op(op, name, &attributes, &results);
        }
        let forms = results.iter().map(|&result| self.form(op, result)).collect::<Lower<Vec<_>>>()?;
        let form = forms[0];
        let mut operands = Vec::new();
        for value in module.operands(op) {
            operands.push(self.operand_chunks(op, value, &form)?);
        }
        let types: Vec<_> = forms.iter().map(|form| form.chunk).collect();
        let mut chunks = vec![Vec::new(); results.len()];
        for round in 0..usize::try_from(form.rounds).unwrap_or_default() {
            let operands: Vec<_> = operands.iter().filter_map(|chunks| chunks.get(round).copied()).collect();
            let made = self.e.op(name, &operands, &types, &attributes)?;
            for (chunks, result) in
                chunks.iter_mut().zip(melior::ir::operation::OperationLike::results(&made))
            {
                chunks.push(Mlir::from(result));
            }
        }
        for (result, chunks) in results.into_iter().zip(chunks) {
            self.values.insert(result, Low::Array(Array { layout: form.layout, chunks }));
        }
        Ok(())
    }

    /// The chunks of an operand, in the layout of the result and with its own element type.
    pub(super) fn operand_chunks(
        &mut self,
        op: Op,
        value: Value,
        result: &Form<'c>,
    ) -> Lower<Vec<Mlir<'c, 'a>>> {
        if self.module().types.as_vector(self.module().ty(value)).is_none() {
            // A number beside arrays: the condition of a select.
            let number = self.number(op, value)?;
            return Ok(vec![number; usize::try_from(result.rounds).unwrap_or_default()]);
        }
        let form = self.form_with(op, value, result.layout)?;
        self.chunks(op, value, &form)
    }

    /// An op on numbers. Where `index` takes part, it is of 32 bits if all fit, else of 64.
    fn number_op(
        &mut self,
        op: Op,
        name: &str,
        attributes: &[(&str, Attribute<'c>)],
        results: &[Value],
    ) -> Lower<()> {
        let module = self.module();
        let is_index = |value: Value| matches!(module.types.kind(module.ty(value)), TypeKind::Index);
        let mut involved =
            module.operands(op).chain(results.iter().copied()).filter(|&value| is_index(value));
        let narrow = involved.all(|value| self.plan.ranges.get(value).is_narrow());
        let index = if narrow { self.e.types().i32 } else { self.e.types().i64 };
        let mut operands = Vec::new();
        for value in module.operands(op) {
            let number = self.number(op, value)?;
            operands.push(if is_index(value) { self.e.to_integer(number, index)? } else { number });
        }
        let types = results
            .iter()
            .map(|&result| match is_index(result) {
                true => Ok(index),
                false => self.number_type(op, module.ty(result)),
            })
            .collect::<Lower<Vec<_>>>()?;
        let made = self.e.op(name, &operands, &types, attributes)?;
        let made: Vec<_> = melior::ir::operation::OperationLike::results(&made).map(Mlir::from).collect();
        for (&result, number) in results.iter().zip(made) {
            let number = match is_index(result) {
                true => self.e.to_integer(number, self.index_type(result))?,
                false => number,
            };
            self.values.insert(result, Low::Number(number));
        }
        Ok(())
    }

    /// A division that rounds in its own way.
    #[allow(clippy::type_complexity, reason = "one use")]
    fn division(
        &mut self,
        op: Op,
        divide: &dyn Fn(&Self, Mlir<'c, 'a>, Mlir<'c, 'a>) -> Lower<Mlir<'c, 'a>>,
    ) -> Lower<()> {
        let module = self.module();
        let operands: Vec<Value> = module.operands(op).collect();
        let result = module.result(op, 0);
        let both = |this: &Self, elements: &[Mlir<'c, 'a>]| match elements {
            [a, b] => divide(this, *a, *b),
            _ => Err(unsupported(this.module(), op, "lacks an operand").into()),
        };
        if !matches!(module.types.kind(module.ty(result)), TypeKind::Index) {
            return self.map_operands(op, &operands, &both);
        }
        let narrow = operands.iter().chain([&result]).all(|&value| self.plan.ranges.get(value).is_narrow());
        let ty = if narrow { self.e.types().i32 } else { self.e.types().i64 };
        let numbers = operands
            .iter()
            .map(|&value| Ok(self.e.to_integer(self.number(op, value)?, ty)?))
            .collect::<Lower<Vec<_>>>()?;
        let number = both(self, &numbers)?;
        let number = self.e.to_integer(number, self.index_type(result))?;
        self.set_number(op, number);
        Ok(())
    }

    /// The signed quotient, rounded up or down where it is not whole.
    fn rounded_quotient(&self, a: Mlir<'c, 'a>, b: Mlir<'c, 'a>, up: bool) -> Lower<Mlir<'c, 'a>> {
        let e = self.e;
        let ty = a.r#type();
        let zero = e.integer(ty, 0)?;
        let quotient = e.binary("arith.divsi", a, b)?;
        let inexact = e.compare(Comparison::NotEqual, e.mul(quotient, b)?, a)?;
        let signs = e.compare(Comparison::Less, e.binary("arith.xori", a, b)?, zero)?;
        // Rounding towards zero went up where the signs differ, and down where they agree.
        let wrong = if up { e.binary("arith.xori", signs, e.i1(true)?)? } else { signs };
        let moved = e.add(quotient, e.integer(ty, if up { 1 } else { -1 })?)?;
        Ok(e.select(e.binary("arith.andi", inexact, wrong)?, moved, quotient)?)
    }

    /// Between `index` and integers.
    fn index_cast(&mut self, op: Op, widen: &str) -> Lower<()> {
        let module = self.module();
        let result = module.result(op, 0);
        if module.types.as_vector(module.ty(result)).is_some() {
            let form = self.form(op, result)?;
            let Some(source) = module.get_operand(op, 0) else { return Ok(()) };
            let chunks = self.operand_chunks(op, source, &form)?;
            let from = self.form_with(op, source, form.layout)?.elem;
            let name = self.resize(from, form.elem, widen);
            let chunks = chunks
                .into_iter()
                .map(|chunk| match name {
                    Some(name) => Ok(self.e.convert(name, chunk, form.chunk)?),
                    None => Ok(chunk),
                })
                .collect::<Lower<Vec<_>>>()?;
            self.set_array(op, Array { layout: form.layout, chunks });
            return Ok(());
        }
        let Some(source) = module.get_operand(op, 0) else { return Ok(()) };
        let number = self.number(op, source)?;
        let ty = self.type_of_number(op, result)?;
        let converted = match self.resize(number.r#type(), ty, widen) {
            Some(name) => self.e.convert(name, number, ty)?,
            None => number,
        };
        self.set_number(op, converted);
        Ok(())
    }

    /// The op that makes an integer of type `to` of one of type `from`; none when they are the same.
    fn resize<'n>(&self, from: MlirType<'c>, to: MlirType<'c>, widen: &'n str) -> Option<&'n str> {
        let width = |ty: MlirType<'c>| {
            melior::ir::r#type::IntegerType::try_from(ty).map_or(64, |integer| integer.width())
        };
        match width(from).cmp(&width(to)) {
            std::cmp::Ordering::Less => Some(widen),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some("arith.trunci"),
        }
    }

    /// Applies `function` to each element of the only operand.
    pub(super) fn map_elements(
        &mut self,
        op: Op,
        function: &dyn Fn(&Self, Mlir<'c, 'a>) -> Lower<Mlir<'c, 'a>>,
    ) -> Lower<()> {
        let operands: Vec<Value> = self.module().operands(op).collect();
        self.map_operands(op, &operands, &|this, elements| match elements {
            [element, ..] => function(this, *element),
            [] => Err(unsupported(this.module(), op, "lacks an operand").into()),
        })
    }

    /// Applies `function` to the elements of the operands that stand in the same place.
    pub(super) fn map_operands(
        &mut self,
        op: Op,
        operands: &[Value],
        function: &dyn Fn(&Self, &[Mlir<'c, 'a>]) -> Lower<Mlir<'c, 'a>>,
    ) -> Lower<()> {
        let result = self.module().result(op, 0);
        if self.module().types.as_vector(self.module().ty(result)).is_none() {
            let numbers = operands.iter().map(|&value| self.number(op, value)).collect::<Lower<Vec<_>>>()?;
            let number = function(self, &numbers)?;
            self.set_number(op, number);
            return Ok(());
        }
        let form = self.form(op, result)?;
        let mut inputs = Vec::new();
        for &value in operands {
            let own = self.form_with(op, value, form.layout)?;
            inputs.push((self.chunks(op, value, &own)?, own));
        }
        let mut chunks = Vec::new();
        for round in 0..usize::try_from(form.rounds).unwrap_or_default() {
            let mut columns = Vec::new();
            for (chunks, own) in &inputs {
                let Some(&chunk) = chunks.get(round) else { continue };
                columns.push(self.elements_of(chunk, own)?);
            }
            let count = usize::try_from(if form.layout == Layout::Splat { 1 } else { form.vec }).unwrap_or(1);
            let elements = (0..count)
                .map(|place| {
                    let row: Vec<_> =
                        columns.iter().filter_map(|column| column.get(place).copied()).collect();
                    function(self, &row)
                })
                .collect::<Lower<Vec<_>>>()?;
            chunks.push(self.chunk_of(&elements, &form)?);
        }
        self.set_array(op, Array { layout: form.layout, chunks });
        Ok(())
    }
}

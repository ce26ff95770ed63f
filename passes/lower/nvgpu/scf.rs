//! Dialect `scf`: the same ops, with arrays as their chunks.

use melior::ir::{Type as MlirType, Value as Mlir, ValueLike};
use tidegate_ir::ops::{Opcode, ScfOp, Traits};
use tidegate_ir::types::TypeKind;
use tidegate_ir::{Op, Value};

use super::{
    Lower, Lowering, unsupported,
    value::{Array, Low},
};
use crate::lower::mlir::emit::LoopForm;

impl<'c, 'a> Lowering<'_, 'c, 'a> {
    /// An op of dialect `scf`.
    pub(super) fn scf(&mut self, scf: ScfOp, op: Op) -> Lower<()> {
        match scf {
            ScfOp::If => self.scf_if(op),
            ScfOp::For => self.scf_for(op),
            ScfOp::While => self.scf_while(op),
            // Terminators are lowered with the op around them.
            ScfOp::Condition | ScfOp::Yield => Ok(()),
        }
    }

    /// The types that stand for `value`.
    fn types_of(&self, op: Op, value: Value) -> Lower<Vec<MlirType<'c>>> {
        match self.module().types.kind(self.module().ty(value)) {
            TypeKind::Vector { .. } => {
                let form = self.form(op, value)?;
                Ok(vec![form.chunk; usize::try_from(form.rounds).unwrap_or_default()])
            }
            _ => Ok(vec![self.type_of_number(op, value)?]),
        }
    }

    fn all_types(&self, op: Op, values: &[Value]) -> Lower<Vec<MlirType<'c>>> {
        let types = values.iter().map(|&value| self.types_of(op, value)).collect::<Lower<Vec<_>>>()?;
        Ok(types.concat())
    }

    /// What stands for `given`, in the form of `wanted`.
    fn parts_of(&mut self, op: Op, given: Value, wanted: Value) -> Lower<Vec<Mlir<'c, 'a>>> {
        match self.module().types.kind(self.module().ty(wanted)) {
            TypeKind::Vector { .. } => {
                let form = self.form(op, wanted)?;
                self.chunks(op, given, &form)
            }
            TypeKind::Index => {
                let number = self.number(op, given)?;
                Ok(vec![self.e.to_integer(number, self.index_type(wanted))?])
            }
            _ => Ok(vec![self.number(op, given)?]),
        }
    }

    fn all_parts(&mut self, op: Op, given: &[Value], wanted: &[Value]) -> Lower<Vec<Mlir<'c, 'a>>> {
        let mut parts = Vec::new();
        for (&given, &wanted) in given.iter().zip(wanted) {
            parts.extend(self.parts_of(op, given, wanted)?);
        }
        Ok(parts)
    }

    /// Has `parts` stand for `values`.
    fn bind(&mut self, op: Op, values: &[Value], parts: &[Mlir<'c, 'a>]) -> Lower<()> {
        let mut rest = parts;
        for &value in values {
            let low = match self.module().types.kind(self.module().ty(value)) {
                TypeKind::Vector { .. } => {
                    let form = self.form(op, value)?;
                    let count = usize::try_from(form.rounds).unwrap_or_default().min(rest.len());
                    let (chunks, others) = rest.split_at(count);
                    rest = others;
                    Low::Array(Array { layout: form.layout, chunks: chunks.to_vec() })
                }
                _ => {
                    let Some((&number, others)) = rest.split_first() else {
                        return Err(unsupported(self.module(), op, "has too few results").into());
                    };
                    rest = others;
                    Low::Number(number)
                }
            };
            self.values.insert(value, low);
        }
        Ok(())
    }

    /// Lowers the only block of a region at `e`, and what it yields in the form of `wanted`.
    fn region(
        &mut self,
        op: Op,
        index: usize,
        e: super::Emitter<'c, 'a>,
        wanted: &[Value],
    ) -> Lower<Vec<Mlir<'c, 'a>>> {
        let Some(block) = self.module().region_block(op, index) else { return Ok(Vec::new()) };
        let outer = std::mem::replace(&mut self.e, e);
        let terminator = self.block(block)?;
        let given: Vec<Value> = match terminator {
            Some(terminator) => self.module().operands(terminator).collect(),
            None => Vec::new(),
        };
        let given = match terminator.map(|terminator| self.module().opcode(terminator)) {
            Some(Opcode::Scf(ScfOp::Condition)) => given.get(1..).unwrap_or_default().to_vec(),
            _ => given,
        };
        let parts = self.all_parts(op, &given, wanted)?;
        self.close()?;
        self.e = outer;
        Ok(parts)
    }

    fn scf_if(&mut self, op: Op) -> Lower<()> {
        self.close()?;
        let condition = self.named_number(op, "condition")?;
        let results: Vec<Value> = self.module().results(op).collect();
        if results.is_empty() && self.module().region_block(op, 1).is_none() {
            let then = self.e.if_then(condition)?;
            self.region(op, 0, then, &[])?;
            return Ok(then.yield_values(&[])?);
        }
        let types = self.all_types(op, &results)?;
        let both = self.e.if_else(condition, &types)?;
        for (index, e) in [both.then, both.otherwise].into_iter().enumerate() {
            let parts = self.region(op, index, e, &results)?;
            e.yield_values(&parts)?;
        }
        self.bind(op, &results, &both.results)
    }

    fn scf_for(&mut self, op: Op) -> Lower<()> {
        self.close()?;
        let module = self.module();
        let results: Vec<Value> = module.results(op).collect();
        let Some(body) = module.region_block(op, 0) else { return Ok(()) };
        let Some((&counter, carried)) = module.block_args(body).split_first() else { return Ok(()) };
        let carried = carried.to_vec();
        let bounds: Vec<Value> = module.operands(op).take(3).collect();
        let [lower, upper, step] = bounds[..] else {
            return Err(unsupported(module, op, "lacks a bound").into());
        };
        let narrow =
            [lower, upper, step, counter].iter().all(|&value| self.plan.ranges.get(value).is_narrow());
        let is_index = matches!(module.types.kind(module.ty(counter)), TypeKind::Index);
        let ty = match (is_index, narrow) {
            (true, true) => self.e.types().i32,
            (true, false) => self.e.types().i64,
            (false, _) => self.number_type(op, module.ty(counter))?,
        };
        let mut numbers = [self.number(op, lower)?, self.number(op, upper)?, self.number(op, step)?];
        if is_index {
            for number in &mut numbers {
                *number = self.e.to_integer(*number, ty)?;
            }
        }
        let initial: Vec<Value> = module.operands(op).skip(3).collect();
        let initial = self.all_parts(op, &initial, &carried)?;
        let keep_rolled = module.walk(op).into_iter().any(|op| module.opcode(op).has(Traits::THREAD_LEVEL));
        // All bounds of 32 bits are below 2^31: then signed and unsigned agree.
        let unsigned = module.has_attr(op, "unsignedCmp") && !(is_index && narrow);
        let repeat = self.e.for_loop(numbers, &initial, LoopForm { keep_rolled, unsigned })?;
        let number = match is_index {
            true => repeat.body.to_integer(repeat.counter, self.index_type(counter))?,
            false => repeat.counter,
        };
        self.values.insert(counter, Low::Number(number));
        self.bind(op, &carried, &repeat.carried)?;
        let parts = self.region(op, 0, repeat.body, &carried)?;
        repeat.body.yield_values(&parts)?;
        debug_assert!(initial.iter().zip(&parts).all(|(a, b)| a.r#type() == b.r#type()));
        self.bind(op, &results, &repeat.results)
    }

    fn scf_while(&mut self, op: Op) -> Lower<()> {
        self.close()?;
        let module = self.module();
        let results: Vec<Value> = module.results(op).collect();
        let (Some(before), Some(after)) = (module.region_block(op, 0), module.region_block(op, 1)) else {
            return Err(unsupported(module, op, "lacks a region").into());
        };
        let (entering, carried) = (module.block_args(before).to_vec(), module.block_args(after).to_vec());
        let initial: Vec<Value> = module.operands(op).collect();
        let initial = self.all_parts(op, &initial, &entering)?;
        let types = self.all_types(op, &carried)?;
        let repeat = self.e.while_loop(&initial, &types)?;
        self.bind(op, &entering, &repeat.entering)?;
        let parts = self.region(op, 0, repeat.before, &carried)?;
        let again = module.terminator(before).and_then(|terminator| module.get_operand(terminator, 0));
        let again = again.ok_or_else(|| unsupported(module, op, "has no condition"))?;
        repeat.before.condition(self.number(op, again)?, &parts)?;
        self.bind(op, &carried, &repeat.carried)?;
        let parts = self.region(op, 1, repeat.body, &entering)?;
        repeat.body.yield_values(&parts)?;
        self.bind(op, &results, &repeat.results)
    }
}

//! Types along structured control flow: `scf.for`, `scf.if`, `scf.while` and what ends their regions.

use tidegate_ir::diag::codes;
use tidegate_ir::ops::{Opcode, ScfOp};
use tidegate_ir::types::TypeKind;
use tidegate_ir::{Block, Op, Type, Value};

use super::context::{Check, Verifier, count_of};

impl Verifier<'_> {
    pub(super) fn check_scf(&mut self, op: Op, kind: ScfOp) -> Check {
        match kind {
            ScfOp::For => self.check_for(op),
            ScfOp::If => self.check_if(op),
            ScfOp::While => self.check_while(op),
            // The op around them checks their types.
            ScfOp::Condition | ScfOp::Yield => Ok(()),
        }
    }

    fn check_for(&mut self, op: Op) -> Check {
        let carried: Vec<Value> = self.m.operands(op).skip(3).collect();
        self.refuse_carried(op, &carried)?;
        let [lower, upper, step] = [0, 1, 2].map(|index| self.m.operand(op, index));
        let ty = self.m.ty(lower);
        if self.m.ty(upper) != ty || self.m.ty(step) != ty {
            return Err(self.error(
                op,
                codes::OPERAND_TYPE,
                format!(
                    "bounds and step of `scf.for` are of one type, not {}, {} and {}",
                    self.type_name(ty),
                    self.type_of(upper),
                    self.type_of(step)
                ),
                "the types differ",
            ));
        }
        if let Some(step) = self.constant(step)
            && step < 1
        {
            return Err(self.error(
                op,
                codes::OPERAND_TYPE,
                format!("the step of `scf.for` is {step}; it is at least 1"),
                "such a loop would not end",
            ));
        }
        let carried_types: Vec<Type> = carried.iter().map(|&value| self.m.ty(value)).collect();
        let Some(body) = self.m.region_block(op, 0) else { return Ok(()) };
        let args: Vec<Type> = std::iter::once(ty).chain(carried_types.iter().copied()).collect();
        self.check_args(op, body, &args, "the counter, then what is carried")?;
        self.check_results(op, &carried_types, "what is carried")?;
        self.check_end(op, body, 0, &carried_types)
    }

    fn check_if(&mut self, op: Op) -> Check {
        let results: Vec<Type> = self.m.results(op).map(|value| self.m.ty(value)).collect();
        let blocks = [self.m.region_block(op, 0), self.m.region_block(op, 1)];
        for (index, &ty) in results.iter().enumerate() {
            if self.is_reference(ty) {
                let yielded = blocks[0]
                    .and_then(|block| self.m.terminator(block))
                    .and_then(|last| self.m.get_operand(last, index));
                return self.poison_region_values(op, |cx| {
                    cx.refuse_escape_type(op, ty, yielded, "a branch cannot give one as its result")
                });
            }
        }
        for block in blocks.into_iter().flatten() {
            self.check_args(op, block, &[], "none")?;
            self.check_end(op, block, 0, &results)?;
        }
        if !results.is_empty() && blocks[1].is_none() {
            return Err(self.error(
                op,
                codes::REGION_STRUCTURE,
                "`scf.if` has results and no `else`",
                "without an `else` there is no value when the condition is false",
            ));
        }
        Ok(())
    }

    fn check_while(&mut self, op: Op) -> Check {
        let inits: Vec<Value> = self.m.operands(op).collect();
        self.refuse_carried(op, &inits)?;
        let results: Vec<Type> = self.m.results(op).map(|value| self.m.ty(value)).collect();
        if let Some(&ty) = results.iter().find(|&&ty| self.is_reference(ty)) {
            return self.poison_region_values(op, |cx| {
                cx.refuse_escape_type(op, ty, None, "a loop cannot carry one")
            });
        }
        let inits: Vec<Type> = inits.iter().map(|&value| self.m.ty(value)).collect();
        if let Some(before) = self.m.region_block(op, 0) {
            self.check_args(op, before, &inits, "what is carried in")?;
            self.check_end(op, before, 1, &results)?;
        }
        if let Some(after) = self.m.region_block(op, 1) {
            self.check_args(op, after, &results, "what the condition hands on")?;
            self.check_end(op, after, 0, &inits)?;
        }
        Ok(())
    }

    fn is_reference(&self, ty: Type) -> bool {
        matches!(self.m.types.kind(ty), TypeKind::BarrierRef(_) | TypeKind::SemaphoreRef { .. })
    }

    fn refuse_carried(&mut self, op: Op, carried: &[Value]) -> Check {
        match carried.iter().find(|&&value| self.is_reference(self.m.ty(value))) {
            None => Ok(()),
            Some(&value) => {
                self.poison_region_values(op, |cx| cx.refuse_escape(op, value, "a loop cannot carry one"))
            }
        }
    }

    /// Runs a check that refuses the op; the arguments of its blocks are then reported as well.
    fn poison_region_values(&mut self, op: Op, check: impl FnOnce(&Self) -> Check) -> Check {
        let answer = check(self);
        if answer.is_err() {
            for &region in self.m.regions(op) {
                for &block in self.m.region_blocks(region) {
                    for &arg in self.m.block_args(block) {
                        self.poison(arg);
                    }
                }
            }
        }
        answer
    }

    /// The arguments of `block` are of these types.
    pub(super) fn check_args(&self, op: Op, block: Block, wanted: &[Type], what: &str) -> Check {
        let args = self.m.block_args(block);
        let same =
            args.len() == wanted.len() && args.iter().zip(wanted).all(|(&arg, &ty)| self.m.ty(arg) == ty);
        if same {
            return Ok(());
        }
        let found: Vec<Type> = args.iter().map(|&arg| self.m.ty(arg)).collect();
        Err(self.error(
            op,
            codes::REGION_STRUCTURE,
            format!(
                "a block of `{}` has the arguments {}; it gets {}",
                self.m.op_name(op),
                self.type_list(&found),
                self.type_list(wanted)
            ),
            format!("the arguments are: {what}"),
        ))
    }

    fn check_results(&self, op: Op, wanted: &[Type], what: &str) -> Check {
        let found: Vec<Type> = self.m.results(op).map(|value| self.m.ty(value)).collect();
        if found == wanted {
            return Ok(());
        }
        let code = if found.len() == wanted.len() { codes::RESULT_TYPE } else { codes::OPERAND_COUNT };
        Err(self.error(
            op,
            code,
            format!(
                "the results of `{}` are {}; they have to be {}",
                self.m.op_name(op),
                self.type_list(&found),
                self.type_list(wanted)
            ),
            format!("the results are {what}"),
        ))
    }

    /// What ends `block` hands on values of these types, after its first `skip` operands.
    fn check_end(&self, op: Op, block: Block, skip: usize, wanted: &[Type]) -> Check {
        let Some(last) = self.m.last_op(block) else { return Ok(()) };
        if !matches!(self.m.opcode(last), Opcode::Scf(ScfOp::Yield | ScfOp::Condition)) {
            return Ok(());
        }
        let found: Vec<Type> = self.m.operands(last).skip(skip).map(|value| self.m.ty(value)).collect();
        if found == wanted {
            return Ok(());
        }
        let (code, label) = if found.len() == wanted.len() {
            (codes::OPERAND_TYPE, "the types differ".to_owned())
        } else {
            let given = count_of(found.len(), "value");
            (codes::OPERAND_COUNT, format!("{given} handed on, {} wanted", wanted.len()))
        };
        let mut error = self.error(
            last,
            code,
            format!(
                "`{}` hands on {}; `{}` wants {}",
                self.m.op_name(last),
                self.type_list(&found),
                self.m.op_name(op),
                self.type_list(wanted)
            ),
            label,
        );
        *error = error.label(self.m.span(op), format!("this is the `{}` it belongs to", self.m.op_name(op)));
        Err(error)
    }

    fn type_list(&self, types: &[Type]) -> String {
        let mut text = "`".to_owned();
        self.m.types.write_list(&mut text, types);
        text.push('`');
        text
    }
}

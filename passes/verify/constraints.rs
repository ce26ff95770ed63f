//! Types of operands and results against the constraints, traits and inferences of the op's row.

use tidegate_ir::diag::codes;
use tidegate_ir::ops::{Constraint, Infer, OpDef, Traits};
use tidegate_ir::types::{Signedness, Space, TypeKind, TypeTable};
use tidegate_ir::{Op, Type, Value};

use super::context::{Check, Verifier, shape_text};

impl Verifier<'_> {
    /// Operands and results are of types that the row allows. A barrier, a semaphore or an array ref in the wrong
    /// place is reported as such, before any plain type error of the op.
    pub(super) fn check_constraints(&self, op: Op, def: &'static OpDef) -> Check {
        let types = &self.m.types;
        let mut wrong: Option<(usize, Value)> = None;
        let mut poisoned = false;
        for (group, operand) in def.operands.iter().enumerate() {
            let Some(range) = self.groups.get(group) else { continue };
            for index in range.clone() {
                let value = self.m.operand(op, index);
                if accepts(types, operand.constraint, self.m.ty(value)) {
                    continue;
                }
                if self.is_poisoned(value) {
                    poisoned = true;
                    continue;
                }
                if self.is_reference_misuse(operand.constraint, value) {
                    return Err(self.reference_misuse(op, def, group, value));
                }
                wrong.get_or_insert((group, value));
            }
        }
        if let Some((group, value)) = wrong {
            if def.operands[group].name == "parity" {
                self.parity_misuse(op, value)?;
            }
            return Err(self.wrong_operand(op, def, group, value));
        }
        if poisoned {
            return Ok(());
        }
        let first = def.results.first();
        for (index, value) in self.m.results(op).enumerate() {
            let Some(result) = def.results.get(index).or(first) else { continue };
            if !accepts(types, result.constraint, self.m.ty(value)) {
                return Err(self.wrong_result(op, def, result.constraint, result.name, value));
            }
        }
        Ok(())
    }

    fn wrong_operand(
        &self,
        op: Op,
        def: &OpDef,
        group: usize,
        value: Value,
    ) -> Box<tidegate_ir::diag::Diagnostic> {
        let operand = &def.operands[group];
        let found = self.type_of(value);
        let space = self.array_ref(value).map(|reference| reference.space);
        if let (Constraint::RefIn(wanted), Some(space)) = (operand.constraint, space) {
            let mut error = self.error(
                op,
                codes::WRONG_SPACE,
                format!(
                    "`{}` takes `{}` in {}, but {} is in {}",
                    def.name,
                    operand.name,
                    wanted.long_name(),
                    self.name(value),
                    space.long_name()
                ),
                format!("`{}` has to be a reference to {}", operand.name, wanted.long_name()),
            );
            *error = error.label(self.declaration(value), format!("declared in {}", space.long_name()));
            return error;
        }
        let mut error = self.error(
            op,
            codes::OPERAND_TYPE,
            format!(
                "operand `{}` of `{}` has type {found}; it has to be {}",
                operand.name,
                def.name,
                operand.constraint.describe()
            ),
            format!("{} is of type {found}", self.name(value)),
        );
        *error = error.label(self.m.value_span(value), "defined here");
        error
    }

    /// The traits of the row, and result types that follow from operands. Call it when the constraints hold.
    pub(super) fn check_traits(&self, op: Op, def: &'static OpDef) -> Check {
        if def.has(Traits::SAME_TYPE) {
            self.all_same(op, def, true)?;
        } else if def.has(Traits::SAME_OPERANDS) {
            self.all_same(op, def, false)?;
        }
        if def.has(Traits::SAME_SHAPE) {
            self.same_shapes(op, def)?;
        }
        let results = self.m.results(op);
        for (result, value) in def.results.iter().zip(results) {
            let ty = self.m.ty(value);
            let types = &self.m.types;
            let source = |group: usize| self.in_group(op, group).map(|operand| self.m.ty(operand));
            let shape = |ty: Type| shape_of(types, ty);
            let fits = match result.infer {
                Infer::Explicit => true,
                Infer::IsIndex => ty == types.index(),
                Infer::IsI1 => ty == types.i1(),
                Infer::SameAs(group) => source(group).is_none_or(|source| ty == source),
                Infer::BoolOf(group) => source(group)
                    .is_none_or(|source| types.elem_of(ty) == types.i1() && shape(ty) == shape(source)),
                Infer::ElemOf(group) => source(group).is_none_or(|source| ty == types.elem_of(source)),
            };
            if !fits {
                let wanted = match result.infer {
                    Infer::Explicit => String::new(),
                    Infer::IsIndex => "`index`".to_owned(),
                    Infer::IsI1 => "`i1`".to_owned(),
                    Infer::SameAs(group) => source(group).map_or_else(String::new, |ty| self.type_name(ty)),
                    Infer::BoolOf(group) => match source(group).and_then(shape) {
                        Some([]) | None => "`i1`".to_owned(),
                        Some(shape) => format!("an array of `i1` of shape {}", shape_text(shape)),
                    },
                    Infer::ElemOf(group) => {
                        source(group).map_or_else(String::new, |ty| self.type_name(types.elem_of(ty)))
                    }
                };
                return Err(self.error(
                    op,
                    codes::RESULT_TYPE,
                    format!(
                        "result `{}` of `{}` has type {}; from the operands follows {wanted}",
                        result.name,
                        def.name,
                        self.type_name(ty)
                    ),
                    format!("{wanted} is wanted"),
                ));
            }
        }
        Ok(())
    }

    fn all_same(&self, op: Op, def: &OpDef, results: bool) -> Check {
        let Some(first) = self.m.get_operand(op, 0) else { return Ok(()) };
        let ty = self.m.ty(first);
        if let Some(other) = self.m.operands(op).find(|&other| self.m.ty(other) != ty) {
            let (first_type, other_type) = (self.type_name(ty), self.type_of(other));
            let mut error = self.error(
                op,
                codes::OPERAND_TYPE,
                format!(
                    "the operands of `{}` are of one type, but are {first_type} and {other_type}",
                    def.name
                ),
                "the types differ",
            );
            *error = error
                .label(self.m.value_span(first), format!("this is {first_type}"))
                .label(self.m.value_span(other), format!("this is {other_type}"))
                .help("convert one of them; nothing is converted silently");
            return Err(error);
        }
        if !results {
            return Ok(());
        }
        match self.m.results(op).find(|&result| self.m.ty(result) != ty) {
            None => Ok(()),
            Some(result) => Err(self.error(
                op,
                codes::RESULT_TYPE,
                format!(
                    "`{}` gives {} for operands of that type, not {}",
                    def.name,
                    self.type_name(ty),
                    self.type_of(result)
                ),
                "the result has another type than the operands",
            )),
        }
    }

    fn same_shapes(&self, op: Op, def: &OpDef) -> Check {
        let types = &self.m.types;
        let mut shapes =
            self.m.operands(op).chain(self.m.results(op)).map(|value| shape_of(types, self.m.ty(value)));
        let Some(first) = shapes.next() else { return Ok(()) };
        match shapes.find(|shape| *shape != first) {
            None => Ok(()),
            Some(other) => Err(self.error(
                op,
                codes::SHAPE_MISMATCH,
                format!(
                    "operands and results of `{}` are of one shape, but are of {} and {}",
                    def.name,
                    shape_text(first.unwrap_or(&[])),
                    shape_text(other.unwrap_or(&[]))
                ),
                "the shapes differ",
            )),
        }
    }
}

/// The shape of an array value; scalars have none of extent.
pub(super) fn shape_of(types: &TypeTable, ty: Type) -> Option<&[i64]> {
    types.as_value_array(ty).map(|(shape, _)| shape)
}

/// Whether `ty` is an integer that `arith` works on, or `index`.
pub(super) fn is_int(types: &TypeTable, ty: Type) -> bool {
    matches!(types.kind(ty), TypeKind::Index | TypeKind::Integer { signedness: Signedness::Signless, .. })
}

/// Whether `ty` is a floating-point type.
pub(super) fn is_float(types: &TypeTable, ty: Type) -> bool {
    matches!(types.kind(ty), TypeKind::Float(_))
}

/// Whether a value of type `ty` may stand where the row has `constraint`.
pub(super) fn accepts(types: &TypeTable, constraint: Constraint, ty: Type) -> bool {
    match constraint {
        Constraint::Any => true,
        Constraint::Index => ty == types.index(),
        Constraint::I1 => ty == types.i1(),
        Constraint::IntLike => element(types, ty).is_some_and(|elem| is_int(types, elem)),
        Constraint::FloatLike => element(types, ty).is_some_and(|elem| is_float(types, elem)),
        Constraint::BoolLike => element(types, ty).is_some_and(|elem| elem == types.i1()),
        Constraint::Number => element(types, ty).is_some(),
        Constraint::Array => types.as_vector(ty).is_some(),
        Constraint::IntScalar => is_int(types, ty),
        Constraint::Ref => types.as_ref(ty).is_some(),
        Constraint::RefIn(space) => types.as_ref(ty).is_some_and(|reference| reference.space == space),
        Constraint::Barrier => types.as_barrier(ty).is_some(),
        Constraint::AnyRef => types.as_ref(ty).is_some() || types.as_barrier(ty).is_some(),
        Constraint::Allocation => match types.kind(ty) {
            TypeKind::Acc { .. } => true,
            TypeKind::Ref(reference) => reference.space != Space::Gmem,
            _ => false,
        },
    }
}

fn element(types: &TypeTable, ty: Type) -> Option<Type> {
    types.as_value_array(ty).map(|(_, elem)| elem)
}

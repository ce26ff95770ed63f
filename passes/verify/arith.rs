//! Types of `arith` ops beyond what their rows say: constants, casts and selections.

use tidegate_ir::attr::AttrKind;
use tidegate_ir::diag::{Diagnostic, codes};
use tidegate_ir::ops::ArithOp;
use tidegate_ir::types::{Signedness, TypeKind};
use tidegate_ir::{Attr, Op, Type};

use super::constraints::{is_float, is_int, shape_of};
use super::context::{Check, Verifier};

impl Verifier<'_> {
    pub(super) fn check_arith(&self, op: Op, kind: ArithOp) -> Check {
        match kind {
            ArithOp::Constant => self.check_constant(op),
            ArithOp::Select => self.check_select(op),
            ArithOp::ExtSI | ArithOp::ExtUI => self.check_widths(op, "wider", |from, to| to > from),
            ArithOp::TruncI => self.check_widths(op, "narrower", |from, to| to < from),
            ArithOp::ExtF => self.check_widths(op, "wider", |from, to| to > from),
            ArithOp::TruncF => self.check_widths(op, "narrower", |from, to| to < from),
            ArithOp::SIToFP | ArithOp::UIToFP | ArithOp::FPToSI | ArithOp::FPToUI => self.refuse_index(op),
            ArithOp::IndexCast | ArithOp::IndexCastUI => self.check_index_cast(op),
            ArithOp::Bitcast => {
                self.refuse_index(op)?;
                self.check_widths(op, "as wide", |from, to| to == from)
            }
            // Their rows say it all.
            ArithOp::AddI
            | ArithOp::SubI
            | ArithOp::MulI
            | ArithOp::DivSI
            | ArithOp::DivUI
            | ArithOp::CeilDivSI
            | ArithOp::CeilDivUI
            | ArithOp::FloorDivSI
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
            | ArithOp::RemF
            | ArithOp::MaximumF
            | ArithOp::MinimumF
            | ArithOp::MaxNumF
            | ArithOp::MinNumF
            | ArithOp::NegF
            | ArithOp::AddUIExtended
            | ArithOp::MulSIExtended
            | ArithOp::MulUIExtended
            | ArithOp::CmpI
            | ArithOp::CmpF => Ok(()),
        }
    }

    fn check_constant(&self, op: Op) -> Check {
        let (Some(attr), Some(result)) = (self.m.attr(op, "value"), self.m.results(op).next()) else {
            return Ok(());
        };
        let ty = self.m.ty(result);
        let (number, attr_type) = match self.m.attrs.kind(attr) {
            AttrKind::Splat { value, ty } => (*value, Some(*ty)),
            AttrKind::Int { ty, .. } | AttrKind::Float { ty, .. } => (attr, Some(*ty)),
            AttrKind::Bool(_) => (attr, Some(self.m.types.i1())),
            _ => (attr, None),
        };
        if attr_type != Some(ty) {
            let found = attr_type.map_or_else(|| "none".to_owned(), |ty| self.m.types.display(ty));
            return Err(self.error(
                op,
                codes::RESULT_TYPE,
                format!("the constant is of type `{found}`, and the result of type {}", self.type_name(ty)),
                "both have to be one type",
            ));
        }
        self.check_number(op, number, self.m.types.elem_of(ty))
    }

    /// The number of a constant is one of its element type.
    fn check_number(&self, op: Op, number: Attr, elem: Type) -> Check {
        let problem = match (self.m.attrs.kind(number), self.m.types.kind(elem)) {
            (AttrKind::Bool(_), TypeKind::Integer { width: 1, .. }) => None,
            (AttrKind::Float { ty, .. }, TypeKind::Float(_)) => {
                (*ty != elem).then(|| "its number is of another type".into())
            }
            (AttrKind::Int { value, ty }, TypeKind::Integer { .. } | TypeKind::Index) => {
                let (width, unsigned_only) = match self.m.types.kind(elem) {
                    TypeKind::Integer { width, signedness } => (*width, *signedness == Signedness::Unsigned),
                    _ => (64, false),
                };
                // Signless types take both readings, -1 and 255 alike for i8.
                let fits = width >= 127 || {
                    let low = if unsigned_only { 0 } else { -(1i128 << (width - 1)) };
                    (low..1i128 << width).contains(value)
                };
                if *ty != elem {
                    Some("its number is of another type".to_owned())
                } else {
                    (!fits).then(|| format!("{value} does not fit its {width} bits"))
                }
            }
            _ => Some(format!("its number is not of type {}", self.type_name(elem))),
        };
        match problem {
            None => Ok(()),
            Some(problem) => Err(self.error(
                op,
                codes::ATTRIBUTE_FORM,
                format!("attribute `value` of `arith.constant`: {problem}"),
                "not a number of that type",
            )),
        }
    }

    fn check_select(&self, op: Op) -> Check {
        let [Some(condition), Some(yes), Some(no)] = [0, 1, 2].map(|index| self.m.get_operand(op, index))
        else {
            return Ok(());
        };
        let types = &self.m.types;
        for value in [yes, no] {
            if let TypeKind::BarrierRef(_) | TypeKind::SemaphoreRef { .. } = types.kind(self.m.ty(value))
                && let Some(def) = self.def(op)
            {
                return Err(self.reference_misuse(op, def, if value == yes { 1 } else { 2 }, value));
            }
        }
        if self.m.ty(yes) != self.m.ty(no) {
            return Err(self.error(
                op,
                codes::OPERAND_TYPE,
                format!(
                    "`arith.select` chooses between values of one type, not {} and {}",
                    self.type_of(yes),
                    self.type_of(no)
                ),
                "the types differ",
            ));
        }
        let shape = shape_of(types, self.m.ty(condition));
        if shape.is_some_and(|shape| !shape.is_empty()) && shape != shape_of(types, self.m.ty(yes)) {
            return Err(self.error(
                op,
                codes::SHAPE_MISMATCH,
                format!(
                    "the condition of `arith.select` is {}, which has another shape than {}",
                    self.type_of(condition),
                    self.type_of(yes)
                ),
                "an `i1`, or an array of them in the shape of the values, is wanted",
            ));
        }
        Ok(())
    }

    fn ends(&self, op: Op) -> Option<(Type, Type)> {
        let input = self.m.get_operand(op, 0)?;
        let out = self.m.results(op).next()?;
        Some((self.m.types.elem_of(self.m.ty(input)), self.m.types.elem_of(self.m.ty(out))))
    }

    fn bad_cast(&self, op: Op, from: Type, to: Type, wanted: &str) -> Box<Diagnostic> {
        self.error(
            op,
            codes::RESULT_TYPE,
            format!(
                "`{}` cannot convert {} to {}: {wanted}",
                self.m.op_name(op),
                self.type_name(from),
                self.type_name(to)
            ),
            wanted.to_owned(),
        )
    }

    fn check_widths(&self, op: Op, wanted: &str, fits: fn(u32, u32) -> bool) -> Check {
        self.refuse_index(op)?;
        let Some((from, to)) = self.ends(op) else { return Ok(()) };
        match (self.m.types.bit_width(from), self.m.types.bit_width(to)) {
            (Some(a), Some(b)) if fits(a, b) => Ok(()),
            _ => Err(self.bad_cast(
                op,
                from,
                to,
                &format!("the result has to be {wanted} than the operand")
                    .replace("as wide than", "as wide as"),
            )),
        }
    }

    fn refuse_index(&self, op: Op) -> Check {
        let Some((from, to)) = self.ends(op) else { return Ok(()) };
        let index = self.m.types.index();
        if from == index || to == index {
            return Err(self.bad_cast(op, from, to, "`index` is converted by `arith.index_cast` only"));
        }
        Ok(())
    }

    fn check_index_cast(&self, op: Op) -> Check {
        let Some((from, to)) = self.ends(op) else { return Ok(()) };
        let index = self.m.types.index();
        debug_assert!(!is_float(&self.m.types, from) && is_int(&self.m.types, to));
        if (from == index) == (to == index) {
            return Err(self.bad_cast(op, from, to, "one side is `index` and the other a signless integer"));
        }
        Ok(())
    }
}

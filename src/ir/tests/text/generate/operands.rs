//! Ops without regions, from their rows.

use tidegate_ir::attr::AttrKind;
use tidegate_ir::ops::{
    ArithOp, AttrDef, AttrForm, Constraint, Infer, OpDef, Opcode, OperandArity, Traits, VectorOp,
};
use tidegate_ir::types::{DYNAMIC, FloatKind, TypeKind};
use tidegate_ir::{Attr, Block, Name, OpSpec, Type, Value};

use super::Generator;

/// What the row does not say about an op: its types, and attributes that depend on them.
#[derive(Default)]
struct Fixed {
    operands: Option<Vec<Type>>,
    results: Option<Vec<Type>>,
    attrs: Vec<(&'static str, Attr)>,
}

impl Generator<'_> {
    pub(super) fn op(&mut self, block: Block, opcode: Opcode) {
        let def = opcode.def().unwrap();
        if !def.regions.is_empty() {
            if self.depth < 5 {
                self.region_op(block, opcode);
            }
            return;
        }
        self.table_op(block, opcode, def);
    }

    fn table_op(&mut self, block: Block, opcode: Opcode, def: &'static OpDef) {
        let fixed = self.fixed(opcode);
        let common = (def.has(Traits::SAME_TYPE) || def.has(Traits::SAME_OPERANDS))
            .then(|| def.operands.first().map(|operand| self.of_constraint(operand.constraint)))
            .flatten();
        let mut groups: Vec<Vec<Value>> = Vec::new();
        for (group, operand) in def.operands.iter().enumerate() {
            let count = match operand.arity {
                OperandArity::One => 1,
                OperandArity::Optional => self.choices.below(2),
                OperandArity::Many => self.choices.below(4),
            };
            let values = (0..count).map(|_| {
                let given = fixed.operands.as_ref().and_then(|types| types.get(group).copied());
                let ty = given.or(common).unwrap_or_else(|| self.of_constraint(operand.constraint));
                self.value(block, ty)
            });
            let values = values.collect();
            groups.push(values);
        }
        let mut entries: Vec<(Name, Attr)> = Vec::new();
        for attr in def.attrs {
            let given = fixed.attrs.iter().find(|given| given.0 == attr.name).map(|given| given.1);
            let value = given.or_else(|| self.attr_of_row(def, attr, &groups, fixed.results.as_deref()));
            if let Some(value) = value {
                entries.push((self.module.names.intern(attr.name), value));
            }
        }
        let flexible = def
            .operands
            .iter()
            .zip(&groups)
            .any(|(operand, group)| operand.arity != OperandArity::One && !group.is_empty());
        if def.has_segments() && flexible {
            let sizes: Vec<i64> = groups.iter().map(|group| i64::try_from(group.len()).unwrap()).collect();
            let sizes = self.module.i32s_attr(&sizes);
            entries.push((self.module.names.intern("operandSegmentSizes"), sizes));
        }
        let results = match fixed.results {
            Some(types) => types,
            None => def
                .results
                .iter()
                .map(|result| self.result(result.infer, result.constraint, &groups))
                .collect(),
        };
        let inherent = self.module.attrs.dict(&self.module.names, entries);
        let discardable = self.discardable();
        let spec = OpSpec::new(opcode)
            .operands(groups.into_iter().flatten())
            .results(results)
            .inherent(inherent)
            .discardable(discardable);
        let op = self.insert(block, spec);
        self.define(op);
    }

    fn attr_of_row(
        &mut self,
        def: &OpDef,
        attr: &AttrDef,
        groups: &[Vec<Value>],
        results: Option<&[Type]>,
    ) -> Option<Attr> {
        if let Some(group) = attr.name.strip_prefix("static_").and_then(|name| def.operand_index(name)) {
            let mut list = vec![DYNAMIC; groups[group].len()];
            for _ in 0..self.choices.below(3) {
                let at = self.choices.below(list.len() + 1);
                list.insert(at, i64::from(self.choices.of(&[0, 1, -1, i32::MAX])));
            }
            return (list.len() > groups[group].len()).then(|| self.module.i64s_attr(&list));
        }
        if !attr.required && !self.choices.once_in(2) {
            return None;
        }
        if let (AttrForm::Keyword { .. }, Some(default)) = (attr.form, attr.default) {
            // A default is dropped when it is read.
            let value = self.of_form(attr.form, None);
            let shown = self.module.attrs.display(&self.module.types, &self.module.names, value);
            return (!shown.contains(&format!("<{default}>"))).then_some(value);
        }
        Some(self.of_form(attr.form, results.and_then(|types| types.first().copied())))
    }

    fn result(&mut self, infer: Infer, constraint: Constraint, groups: &[Vec<Value>]) -> Type {
        let first = |group: usize| groups[group][0];
        match infer {
            Infer::Explicit => self.of_constraint(constraint),
            Infer::IsIndex => self.module.types.index(),
            Infer::IsI1 => self.module.types.i1(),
            Infer::SameAs(group) => self.module.ty(first(group)),
            Infer::BoolOf(group) => {
                let i1 = self.module.types.i1();
                self.module.types.with_elem(self.module.ty(first(group)), i1)
            }
            Infer::ElemOf(group) => self.module.types.elem_of(self.module.ty(first(group))),
        }
    }

    pub(super) fn of_constraint(&mut self, constraint: Constraint) -> Type {
        match constraint {
            Constraint::Any => self.any_type(),
            Constraint::Index => self.module.types.index(),
            Constraint::I1 => self.module.types.i1(),
            Constraint::IntLike => {
                let elem = self.int();
                self.like(elem)
            }
            Constraint::FloatLike => {
                let elem = self.float();
                self.like(elem)
            }
            Constraint::BoolLike => {
                let i1 = self.module.types.i1();
                self.like(i1)
            }
            Constraint::Number => {
                let elem = self.scalar();
                self.like(elem)
            }
            Constraint::Array => self.vector_of(None),
            Constraint::IntScalar => self.int(),
            Constraint::Ref => self.array_ref(None),
            Constraint::RefIn(space) => self.array_ref(Some(space)),
            Constraint::Barrier => self.barrier(),
            Constraint::AnyRef if self.choices.once_in(2) => self.barrier(),
            Constraint::AnyRef => self.array_ref(None),
            Constraint::Allocation if self.choices.once_in(3) => self.acc(),
            Constraint::Allocation => self.array_ref(None),
        }
    }

    /// A value of that type: one in scope, or a new one.
    pub(super) fn value(&mut self, block: Block, ty: Type) -> Value {
        let known: Vec<Value> =
            self.scope.iter().copied().filter(|&value| self.module.ty(value) == ty).collect();
        if !known.is_empty() && !self.choices.once_in(4) {
            return self.choices.of(&known);
        }
        let name = self.module.names.intern("zz.make");
        let op = self.insert(block, OpSpec::new(Opcode::Opaque(name)).results([ty]));
        self.define(op);
        self.module.result(op, 0)
    }
    pub(super) fn any_value(&mut self, block: Block) -> Value {
        let ty = self.any_type();
        self.value(block, ty)
    }

    fn pair(&mut self, pairs: &[(Type, Type)]) -> Fixed {
        let (from, to) = self.choices.of(pairs);
        let from = self.like(from);
        let to = self.module.types.with_elem(from, to);
        Fixed { operands: Some(vec![from]), results: Some(vec![to]), attrs: Vec::new() }
    }

    fn fixed(&mut self, opcode: Opcode) -> Fixed {
        use FloatKind::{BF16, F4E2M1FN, F8E5M2, F16, F32, F64};
        let mut int = |width| self.module.types.int(width);
        let [i1, i8, i16, i32, i64] = [int(1), int(8), int(16), int(32), int(64)];
        let mut float = |kind| self.module.types.float(kind);
        let [f4, f8, f16, bf16, f32, f64] = [F4E2M1FN, F8E5M2, F16, BF16, F32, F64].map(&mut float);
        let index = self.module.types.index();
        let narrow = [(i1, i32), (i8, i16), (i32, i64)];
        let narrow_floats = [(f4, f8), (f8, f16), (f16, f32), (bf16, f64), (f32, f64)];
        match opcode {
            Opcode::Arith(ArithOp::Constant) => {
                let elem = self.scalar();
                Fixed { results: Some(vec![self.like(elem)]), ..Fixed::default() }
            }
            Opcode::Arith(ArithOp::ExtSI | ArithOp::ExtUI) => self.pair(&narrow),
            Opcode::Arith(ArithOp::TruncI) => self.pair(&narrow.map(|(from, to)| (to, from))),
            Opcode::Arith(ArithOp::ExtF) => self.pair(&narrow_floats),
            Opcode::Arith(ArithOp::TruncF) => self.pair(&narrow_floats.map(|(from, to)| (to, from))),
            Opcode::Arith(ArithOp::SIToFP | ArithOp::UIToFP) => {
                self.pair(&[(i1, f32), (i32, bf16), (i64, f64)])
            }
            Opcode::Arith(ArithOp::FPToSI | ArithOp::FPToUI) => self.pair(&[(f32, i8), (f16, i64)]),
            Opcode::Arith(ArithOp::IndexCast | ArithOp::IndexCastUI) => {
                self.pair(&[(i32, index), (index, i64)])
            }
            Opcode::Arith(ArithOp::Bitcast) => self.pair(&[(i32, f32), (bf16, i16), (f16, bf16), (f64, i64)]),
            Opcode::Arith(ArithOp::Select) => {
                let ty = self.any_type();
                let arrays = self.module.types.as_vector(ty).is_some() && self.choices.once_in(2);
                let condition = if arrays { self.module.types.with_elem(ty, i1) } else { i1 };
                Fixed { operands: Some(vec![condition, ty, ty]), results: Some(vec![ty]), attrs: Vec::new() }
            }
            Opcode::Vector(op) => self.fixed_vector(op),
            _ => Fixed::default(),
        }
    }

    fn fixed_vector(&mut self, op: VectorOp) -> Fixed {
        let elem = self.scalar();
        let mut vector = |shape: &[i64]| self.module.types.vector(shape, elem).unwrap();
        let [line, matrix, turned, longer] = [vector(&[8]), vector(&[4, 8]), vector(&[8, 4]), vector(&[32])];
        let float = matches!(self.module.types.kind(elem), TypeKind::Float(_));
        let kinds: &[&str] = if float {
            &["add", "mul", "minnumf", "maximumf"]
        } else {
            &["add", "and", "xor", "minui", "maxsi"]
        };
        let kind = format!("#vector.kind<{}>", self.choices.of(kinds));
        let kind = self.module.attrs.intern(AttrKind::Opaque(kind.into()));
        let (operands, result, attrs) = match op {
            VectorOp::Broadcast => {
                let source = self.choices.of(&[elem, line]);
                (vec![source], matrix, Vec::new())
            }
            VectorOp::Reduction => (vec![line, elem], elem, vec![("kind", kind)]),
            VectorOp::MultiReduction => {
                let dims = self.module.i64s_attr(&[0]);
                (vec![matrix, line], line, vec![("kind", kind), ("reduction_dims", dims)])
            }
            VectorOp::ShapeCast => (vec![matrix], self.choices.of(&[longer, turned]), Vec::new()),
            VectorOp::Transpose => {
                let permutation = self.module.i64s_attr(&[1, 0]);
                (vec![matrix], turned, vec![("permutation", permutation)])
            }
        };
        Fixed { operands: Some(operands), results: Some(vec![result]), attrs }
    }
}

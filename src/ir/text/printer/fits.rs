//! Whether an op's short form would read back to the same op.

use smallvec::SmallVec;

use crate::attr::AttrKind;
use crate::entity::{Attr, Op, Type, Value};
use crate::module::{Module, OperandGroups, SEGMENT_SIZES};
use crate::ops::{
    ArithOp, AttrForm, BuiltinOp, Constraint, Format, Infer, OpDef, Opcode, OperandArity, ScfOp, TgOp, Traits,
};
use crate::types::{DYNAMIC, Signedness, TypeKind};

pub(super) fn fits(module: &Module, op: Op) -> bool {
    let opcode = module.opcode(op);
    let Some(def) = opcode.def() else { return false };
    let groups = module.operand_groups(op);
    if !module.successors(op).is_empty()
        || !counts_fit(module, op, def, &groups)
        || !attrs_fit(module, op, def, &groups)
    {
        return false;
    }
    match def.format {
        Format::Text(_) => types_fit(module, op, def, &groups),
        Format::Custom => custom_fits(module, op, opcode),
        Format::Generic => false,
    }
}

/// Whether the short form has no place for the location of some block argument.
pub(super) fn hides_a_location(module: &Module, op: Op) -> bool {
    match module.opcode(op) {
        Opcode::Scf(ScfOp::For | ScfOp::While) => {}
        _ => return false,
    }
    let args = module.region_block(op, 0).map_or(&[] as &[Value], |block| module.block_args(block));
    args.iter().any(|&arg| module.own_value_loc(arg).is_some_and(|loc| loc != module.loc(op)))
}

fn counts_fit(module: &Module, op: Op, def: &OpDef, groups: &OperandGroups) -> bool {
    let operands = module.num_operands(op);
    let mut covered = 0;
    for (range, operand) in groups.iter().zip(def.operands) {
        let fits = match operand.arity {
            OperandArity::One => range.len() == 1,
            OperandArity::Optional => range.len() <= 1,
            OperandArity::Many => true,
        };
        if !fits || range.start != covered {
            return false;
        }
        covered = range.end;
    }
    if covered != operands || module.regions(op).len() != def.regions.len() {
        // The second region of an `scf.if` may be missing altogether; it prints as an empty one.
        return false;
    }
    if def.has_segments() {
        let flexible = groups
            .iter()
            .zip(def.operands)
            .any(|(range, operand)| operand.arity != OperandArity::One && !range.is_empty());
        let sizes = module.segment_sizes(op);
        let same = |sizes: &[i64]| {
            let lengths = groups.iter().map(|range| i64::try_from(range.len()).unwrap_or(i64::MAX));
            sizes.iter().copied().eq(lengths)
        };
        let sizes_attr = module.dict_get(module.inherent(op), SEGMENT_SIZES);
        let form = sizes_attr.is_none_or(|sizes| form_fits(module, AttrForm::I32s, sizes));
        if flexible != sizes_attr.is_some() || !form || !sizes.is_none_or(same) {
            return false;
        }
    }
    let results = module.num_results(op);
    let many = def.results.iter().any(|result| result.arity == OperandArity::Many);
    if many { results + 1 >= def.results.len() } else { results == def.results.len() }
}

fn attrs_fit(module: &Module, op: Op, def: &OpDef, groups: &OperandGroups) -> bool {
    for attr in def.attrs {
        match module.dict_get(module.inherent(op), attr.name) {
            None if attr.required => return false,
            None => {}
            Some(value) => {
                if !form_fits(module, attr.form, value) {
                    return false;
                }
                let list = attr.name.strip_prefix("static_").and_then(|name| def.operand_index(name));
                if let Some(group) = list
                    && !index_list_fits(module, groups[group].len(), value)
                {
                    return false;
                }
            }
        }
    }
    // What is inherent and not of the row would read back as discardable.
    module.attrs.entries(module.inherent(op)).iter().all(|entry| def.declares_attr(module.names.get(entry.0)))
        && module
            .attrs
            .entries(module.discardable(op))
            .iter()
            .all(|entry| !def.declares_attr(module.names.get(entry.0)))
}

fn index_list_fits(module: &Module, operands: usize, statics: Attr) -> bool {
    let Some(statics) = module.attrs.as_ints(statics) else { return false };
    let dynamic = statics.iter().filter(|&&index| index == DYNAMIC).count();
    dynamic == operands && dynamic < statics.len()
}

/// Whether `value` has the form that the table declares.
pub(super) fn form_fits(module: &Module, form: AttrForm, value: Attr) -> bool {
    let signless = |ty: Type, wanted: u32| match module.types.kind(ty) {
        TypeKind::Integer { width, signedness } => *width == wanted && *signedness == Signedness::Signless,
        _ => false,
    };
    let int_of = |value: Attr, width: u32| match module.attrs.kind(value) {
        AttrKind::Int { value, ty } => signless(*ty, width).then_some(*value),
        _ => None,
    };
    match form {
        AttrForm::Unit => matches!(module.attrs.kind(value), AttrKind::Unit),
        AttrForm::I64 => int_of(value, 64).is_some(),
        AttrForm::Str | AttrForm::Symbol => module.attrs.as_str(value).is_some(),
        AttrForm::I64s | AttrForm::I32s => match module.attrs.kind(value) {
            AttrKind::Ints { elem, .. } => {
                signless(*elem, if matches!(form, AttrForm::I64s) { 64 } else { 32 })
            }
            _ => false,
        },
        AttrForm::Strs => module.attrs.as_strs(value).is_some(),
        AttrForm::I64Enum(words) => int_of(value, 64).is_some_and(|at| in_range(at, words)),
        AttrForm::I32Enum(words) => int_of(value, 32).is_some_and(|at| in_range(at, words)),
        AttrForm::Keyword { mnemonic, words, many } => match module.attrs.kind(value) {
            AttrKind::Opaque(text) => {
                let inner = text
                    .strip_prefix('#')
                    .and_then(|text| text.strip_prefix(mnemonic))
                    .and_then(|text| text.strip_prefix('<'))
                    .and_then(|text| text.strip_suffix('>'));
                inner.is_some_and(|inner| {
                    let parts: SmallVec<[&str; 4]> = inner.split(", ").collect();
                    (many || parts.len() == 1) && parts.iter().all(|part| words.contains(part))
                })
            }
            _ => false,
        },
        AttrForm::Type => matches!(module.attrs.kind(value), AttrKind::Type(_)),
        AttrForm::Literal => matches!(
            module.attrs.kind(value),
            AttrKind::Int { .. }
                | AttrKind::Float { .. }
                | AttrKind::Bool(_)
                | AttrKind::Splat { .. }
                | AttrKind::Opaque(_)
        ),
        AttrForm::AnyAttr => true,
    }
}

fn in_range(at: i128, words: &[&str]) -> bool {
    usize::try_from(at).is_ok_and(|at| at < words.len())
}

/// Whether the types that the text leaves out are those that reading fills in.
fn types_fit(module: &Module, op: Op, def: &OpDef, groups: &OperandGroups) -> bool {
    let mut first: Option<Type> = None;
    let one_type = def.has(Traits::SAME_TYPE);
    let one_operand_type = one_type || def.has(Traits::SAME_OPERANDS);
    for (range, operand) in groups.iter().zip(def.operands) {
        for index in range.clone() {
            let ty = module.ty(module.operand(op, index));
            match operand.constraint {
                Constraint::Index if ty != module.types.index() => return false,
                Constraint::I1 if ty != module.types.i1() => return false,
                _ => {}
            }
            if one_operand_type && *first.get_or_insert(ty) != ty {
                return false;
            }
        }
    }
    let operand = |group: usize| -> Option<Value> {
        groups.get(group).and_then(|range| range.clone().next()).map(|index| module.operand(op, index))
    };
    for (index, result) in def.results.iter().enumerate() {
        if result.arity != OperandArity::One {
            continue;
        }
        let ty = module.ty(module.result(op, index));
        let wanted = match result.infer {
            Infer::Explicit => continue,
            Infer::IsIndex => Some(module.types.index()),
            Infer::IsI1 => Some(module.types.i1()),
            Infer::SameAs(group) => operand(group).map(|value| module.ty(value)),
            Infer::ElemOf(group) => operand(group).map(|value| module.types.elem_of(module.ty(value))),
            Infer::BoolOf(group) => {
                let shape = operand(group)
                    .map(|value| module.types.as_vector(module.ty(value)).map(|(shape, _)| shape));
                let same = match (shape, module.types.as_vector(ty)) {
                    (Some(Some(wanted)), Some((found, elem))) => wanted == found && elem == module.types.i1(),
                    (Some(None), None) => ty == module.types.i1(),
                    _ => false,
                };
                same.then_some(ty)
            }
        };
        if wanted != Some(ty) {
            return false;
        }
    }
    true
}

fn custom_fits(module: &Module, op: Op, opcode: Opcode) -> bool {
    let result_types: SmallVec<[Type; 4]> = module.results(op).map(|value| module.ty(value)).collect();
    let operand_types: SmallVec<[Type; 4]> = module.operands(op).map(|value| module.ty(value)).collect();
    let block = |index: usize| module.region_block(op, index);
    let args = |index: usize| -> Option<SmallVec<[Type; 4]>> {
        block(index).map(|block| module.block_args(block).iter().map(|&arg| module.ty(arg)).collect())
    };
    let terminated = |index: usize| block(index).is_some_and(|block| module.terminator(block).is_some());
    match opcode {
        Opcode::Builtin(BuiltinOp::Module) => args(0).is_some_and(|args| args.is_empty()),
        Opcode::Arith(ArithOp::Constant) => {
            let value = module.dict_get(module.inherent(op), "value").map(|value| module.attrs.kind(value));
            let ty = match value {
                Some(AttrKind::Int { ty, .. } | AttrKind::Float { ty, .. } | AttrKind::Splat { ty, .. }) => {
                    Some(*ty)
                }
                Some(AttrKind::Bool(_)) => Some(module.types.i1()),
                _ => None,
            };
            ty.is_some() && ty == result_types.first().copied()
        }
        Opcode::Arith(ArithOp::Select) => {
            let [condition, yes, no] = operand_types[..] else { return false };
            let scalar = condition == module.types.i1();
            let array = matches!(module.types.kind(condition), TypeKind::Vector { .. });
            yes == no && result_types[..] == [yes] && (scalar || array)
        }
        Opcode::Scf(ScfOp::For) => {
            let [counter, upper, step, ref carried @ ..] = operand_types[..] else { return false };
            let fits = args(0).is_some_and(|args| {
                args.split_first().is_some_and(|(iv, rest)| *iv == counter && rest == carried)
            });
            counter == upper && counter == step && carried == &result_types[..] && fits && terminated(0)
        }
        Opcode::Scf(ScfOp::If) => {
            let second =
                module.regions(op).get(1).is_some_and(|&region| module.region_blocks(region).is_empty());
            operand_types[..] == [module.types.i1()]
                && args(0).is_some_and(|args| args.is_empty())
                && terminated(0)
                && (second || (args(1).is_some_and(|args| args.is_empty()) && terminated(1)))
        }
        Opcode::Scf(ScfOp::While) => {
            args(0).is_some_and(|args| args == operand_types) && terminated(0) && terminated(1)
        }
        Opcode::Tg(TgOp::Kernel) => kernel_fits(module, op) && terminated(0),
        Opcode::Tg(TgOp::WarpSpecialize) => args(0).is_some_and(|args| args.is_empty()),
        Opcode::Tg(TgOp::Role) => {
            let named = module.has_attr(op, "thread_name") == module.has_attr(op, "num_threads");
            named && args(0).is_some_and(|args| args.is_empty()) && terminated(0)
        }
        _ => false,
    }
}

fn kernel_fits(module: &Module, op: Op) -> bool {
    let Some(block) = module.region_block(op, 0) else { return false };
    let axes = |names: &str, sizes: &str| match (module.attr_strs(op, names), module.attr_ints(op, sizes)) {
        (None, None) => true,
        (Some(names), Some(sizes)) => names.len() == sizes.len(),
        _ => false,
    };
    let directions = module.attr_strs(op, "directions").is_none_or(|directions| {
        directions.len() == module.block_args(block).len()
            && directions.iter().all(|word| matches!(*word, "" | "in" | "out" | "inout"))
            && directions.iter().any(|word| !word.is_empty())
    });
    axes("grid_names", "grid")
        && axes("cluster_names", "cluster")
        && module.has_attr(op, "thread_name") == module.has_attr(op, "num_threads")
        && directions
}

//! The form of an op: operand groups, results, attributes, regions and terminators against its row.
//!
//! Everything that later checks read (segment sizes, index lists, enumerations) is looked at here first, so that no
//! reader has to fear a malformed one.

use tidegate_ir::attr::AttrKind;
use tidegate_ir::diag::codes;
use tidegate_ir::ops::{AttrDef, AttrForm, OpDef, Opcode, OperandArity, ScfOp, TgOp};
use tidegate_ir::types::{DYNAMIC, Signedness, TypeKind};
use tidegate_ir::{Attr, Module, Op, Type};

use super::context::{Check, Verifier, closest, count_of};

/// The name of the attribute that holds the sizes of operand groups, as in MLIR.
pub(super) const SEGMENT_SIZES: &str = "operandSegmentSizes";

impl Verifier<'_> {
    /// Checks the form of `op` against its row, and notes where its operand groups are.
    pub(super) fn check_form(&mut self, op: Op, def: &'static OpDef) -> Check {
        self.groups.clear();
        self.check_attributes(op, def)?;
        self.find_groups(op, def)?;
        self.check_index_lists(op, def)?;
        self.check_result_count(op, def)?;
        self.check_regions(op, def)
    }

    // ---- operands and results ----

    fn find_groups(&mut self, op: Op, def: &OpDef) -> Check {
        let total = self.m.num_operands(op);
        let flexible = def.operands.iter().filter(|operand| operand.arity != OperandArity::One).count();
        if flexible > 1 {
            return self.find_segments(op, def, total);
        }
        let fixed = def.operands.len() - flexible;
        let most = match def.operands.iter().map(|operand| operand.arity).find(|a| *a != OperandArity::One) {
            None => Some(fixed),
            Some(OperandArity::Optional) => Some(fixed + 1),
            Some(_) => None,
        };
        if total < fixed || most.is_some_and(|most| total > most) {
            return Err(self.wrong_count(op, def, total, fixed, most));
        }
        let mut start = 0;
        for operand in def.operands {
            let size = if operand.arity == OperandArity::One { 1 } else { total - fixed };
            self.groups.push(start..start + size);
            start += size;
        }
        Ok(())
    }

    fn wrong_count(
        &self,
        op: Op,
        def: &OpDef,
        found: usize,
        least: usize,
        most: Option<usize>,
    ) -> Box<tidegate_ir::diag::Diagnostic> {
        let wanted = match most {
            Some(most) if most == least => count_of(least, "operand"),
            Some(most) => format!("{least} or {}", count_of(most, "operand")),
            None => format!("at least {}", count_of(least, "operand")),
        };
        let names: Vec<&str> = def.operands.iter().map(|operand| operand.name).collect();
        let mut error = self.error(
            op,
            codes::OPERAND_COUNT,
            format!("`{}` takes {wanted}, not {found}", def.name),
            format!("{} given", count_of(found, "operand")),
        );
        if !names.is_empty() {
            *error = error.note(format!("its operands are: {}", names.join(", ")));
        }
        error
    }

    fn find_segments(&mut self, op: Op, def: &OpDef, total: usize) -> Check {
        let form = |problem: String| {
            let message = format!("`{SEGMENT_SIZES}` of `{}` {problem}", def.name);
            self.error(op, codes::ATTRIBUTE_FORM, message, "the sizes of the operand groups do not fit")
        };
        let Some(attr) = self.m.attr(op, SEGMENT_SIZES) else {
            // Without the attribute all groups that may be empty are.
            let fixed = def.operands.iter().filter(|operand| operand.arity == OperandArity::One).count();
            if total != fixed {
                return Err(form(format!(
                    "is missing: {} cannot be told apart without it",
                    count_of(total, "operand")
                )));
            }
            let mut start = 0;
            for operand in def.operands {
                let size = usize::from(operand.arity == OperandArity::One);
                self.groups.push(start..start + size);
                start += size;
            }
            return Ok(());
        };
        let Some(sizes) = self.m.attrs.as_ints(attr) else {
            return Err(form("is not a list of integers (`array<i32: ...>`)".to_owned()));
        };
        if sizes.len() != def.operands.len() {
            return Err(form(format!(
                "has {}; the op has {}",
                count_of(sizes.len(), "entry").replace("entrys", "entries"),
                count_of(def.operands.len(), "operand group")
            )));
        }
        let mut groups = std::mem::take(&mut self.groups);
        let mut start = 0usize;
        let mut problem = None;
        for (&size, operand) in sizes.iter().zip(def.operands) {
            let most = match operand.arity {
                OperandArity::One => size == 1,
                OperandArity::Optional => size == 0 || size == 1,
                OperandArity::Many => size >= 0,
            };
            let size = usize::try_from(size).ok().filter(|&size| most && size <= total);
            let Some(size) = size else {
                let wanted = match operand.arity {
                    OperandArity::One => "1",
                    OperandArity::Optional => "0 or 1",
                    OperandArity::Many => "from 0 up to the number of operands",
                };
                let found = sizes.get(groups.len()).copied().unwrap_or_default();
                problem = Some(format!(
                    "gives {found} operands to `{}`; the number there is {wanted}",
                    operand.name
                ));
                break;
            };
            groups.push(start..start + size);
            start += size;
        }
        self.groups = groups;
        let form = |problem: String| {
            let message = format!("`{SEGMENT_SIZES}` of `{}` {problem}", def.name);
            self.error(op, codes::ATTRIBUTE_FORM, message, "the sizes of the operand groups do not fit")
        };
        if let Some(problem) = problem {
            return Err(form(problem));
        }
        if start != total {
            return Err(form(format!("adds up to {start}; the op has {}", count_of(total, "operand"))));
        }
        Ok(())
    }

    /// Index lists: as many marks for operands in `static_...` as there are operands.
    fn check_index_lists(&self, op: Op, def: &OpDef) -> Check {
        for attr in def.attrs {
            let Some(group_name) = attr.name.strip_prefix("static_") else { continue };
            let Some(group) = def.operand_index(group_name) else { continue };
            let Some(statics) = self.static_indices(op, group_name) else { continue };
            let marked = statics.iter().filter(|&&index| index == DYNAMIC).count();
            let given = self.groups.get(group).map_or(0, ExactSizeIterator::len);
            if marked != given {
                return Err(self.error(
                    op,
                    codes::ATTRIBUTE_FORM,
                    format!(
                        "`{}` of `{}` leaves {} to operands, and {} given",
                        attr.name,
                        def.name,
                        count_of(marked, "index").replace("indexs", "indices"),
                        if given == 1 { "1 is".to_owned() } else { format!("{given} are") },
                    ),
                    "the index list does not fit its operands",
                ));
            }
        }
        Ok(())
    }

    fn check_result_count(&self, op: Op, def: &OpDef) -> Check {
        let total = self.m.num_results(op);
        let fixed = def.results.iter().filter(|result| result.arity == OperandArity::One).count();
        let most = if def.results.iter().any(|result| result.arity == OperandArity::Many) {
            usize::MAX
        } else {
            def.results.len()
        };
        if (fixed..=most).contains(&total) {
            return Ok(());
        }
        Err(self.error(
            op,
            codes::OPERAND_COUNT,
            format!("`{}` has {}, not {total}", def.name, count_of(fixed, "result")),
            format!("{} here", count_of(total, "result")),
        ))
    }

    // ---- attributes ----

    fn check_attributes(&self, op: Op, def: &'static OpDef) -> Check {
        let inherent = self.m.inherent(op);
        let entries = self.m.attrs.entries(inherent);
        for &(name, attr) in entries {
            let name = self.m.names.get(name);
            match def.attr(name) {
                Some(row) => self.check_attr_form(op, def, row, attr)?,
                None if name == SEGMENT_SIZES && def.has_segments() => {}
                None => {
                    let known: Vec<&str> = def.attrs.iter().map(|attr| attr.name).collect();
                    let mut error = self.error(
                        op,
                        codes::ATTRIBUTE_FORM,
                        format!("`{}` has no attribute `{name}`", def.name),
                        format!("`{name}` is not an attribute of this operation"),
                    );
                    *error = match closest(name, known.iter().copied()) {
                        Some(other) => error.help(format!("did you mean `{other}`?")),
                        None if known.is_empty() => error.note("it has no attributes of its own"),
                        None => error.note(format!("its attributes are: {}", known.join(", "))),
                    };
                    *error = error.help("attributes of other tools go into the outer braces `{ ... }`");
                    return Err(error);
                }
            }
        }
        // The accessors also find an op's attribute among the discardable ones.
        let discardable = self.m.discardable(op);
        for &(name, attr) in self.m.attrs.entries(discardable) {
            if let Some(row) = def.attr(self.m.names.get(name)) {
                self.check_attr_form(op, def, row, attr)?;
            }
        }
        for row in def.attrs {
            if row.required
                && self.m.dict_get(inherent, row.name).is_none()
                && self.m.dict_get(discardable, row.name).is_none()
            {
                return Err(self.error(
                    op,
                    codes::ATTRIBUTE_FORM,
                    format!("`{}` needs the attribute `{}`: {}", def.name, row.name, describe_form(row.form)),
                    format!("`{}` is missing", row.name),
                ));
            }
        }
        Ok(())
    }

    fn check_attr_form(&self, op: Op, def: &OpDef, row: &AttrDef, attr: Attr) -> Check {
        if has_form(self.m, row.form, attr) {
            return Ok(());
        }
        let found = self.m.attrs.display(&self.m.types, &self.m.names, attr);
        Err(self.error(
            op,
            codes::ATTRIBUTE_FORM,
            format!(
                "attribute `{}` of `{}` is `{}`; it has to be {}",
                row.name,
                def.name,
                shorten(&found),
                describe_form(row.form)
            ),
            format!("`{}` has the wrong form", row.name),
        ))
    }

    // ---- regions ----

    fn check_regions(&self, op: Op, def: &OpDef) -> Check {
        if !self.m.successors(op).is_empty() {
            return Err(self.error(
                op,
                codes::REGION_STRUCTURE,
                format!("`{}` has no successor blocks, and {} given", def.name, self.m.successors(op).len()),
                "not a branch",
            ));
        }
        let regions = self.m.regions(op);
        if regions.len() != def.regions.len() {
            return Err(self.error(
                op,
                codes::REGION_STRUCTURE,
                format!(
                    "`{}` has {}, not {}",
                    def.name,
                    count_of(def.regions.len(), "region"),
                    regions.len()
                ),
                format!("{} here", count_of(regions.len(), "region")),
            ));
        }
        for (&region, row) in regions.iter().zip(def.regions) {
            let blocks = self.m.region_blocks(region).len();
            let fits = match row.arity {
                OperandArity::One => blocks == 1,
                OperandArity::Optional => blocks <= 1,
                OperandArity::Many => true,
            };
            if !fits {
                return Err(self.error(
                    op,
                    codes::REGION_STRUCTURE,
                    format!(
                        "region `{}` of `{}` is a single block, but it has {}",
                        row.name,
                        def.name,
                        if blocks == 0 { "none".to_owned() } else { blocks.to_string() }
                    ),
                    "control flow inside is structured: use `scf.if`, `scf.for` or `scf.while`",
                ));
            }
        }
        self.check_terminators(op, def)
    }

    /// Each block of `op` ends in the terminator that belongs there.
    fn check_terminators(&self, op: Op, def: &OpDef) -> Check {
        let opcode = self.m.opcode(op);
        for (index, &region) in self.m.regions(op).iter().enumerate() {
            let Some(wanted) = wanted_terminator(opcode, index) else { continue };
            let wanted_name = wanted.def().map_or("", |def| def.name);
            for &block in self.m.region_blocks(region) {
                let last = self.m.last_op(block);
                if last.is_some_and(|last| self.m.opcode(last) == wanted) {
                    continue;
                }
                let (message, at, label) = match last {
                    Some(last) if self.m.opcode(last).is_terminator() => (
                        format!(
                            "a block of `{}` ends in `{wanted_name}`, not in `{}`",
                            def.name,
                            self.m.op_name(last)
                        ),
                        last,
                        format!("`{wanted_name}` is wanted here"),
                    ),
                    Some(last) => (
                        format!("a block of `{}` ends in `{wanted_name}`, which is missing", def.name),
                        last,
                        format!("`{wanted_name}` is wanted behind this"),
                    ),
                    None => (
                        format!("a block of `{}` is empty; it ends in `{wanted_name}`", def.name),
                        op,
                        "empty".to_owned(),
                    ),
                };
                return Err(self.error(at, codes::TERMINATOR, message, label));
            }
        }
        Ok(())
    }
}

/// The terminator of the blocks in region `index` of an op; none where blocks need none.
fn wanted_terminator(opcode: Opcode, index: usize) -> Option<Opcode> {
    match opcode {
        Opcode::Scf(ScfOp::While) if index == 0 => Some(Opcode::Scf(ScfOp::Condition)),
        Opcode::Scf(ScfOp::For | ScfOp::If | ScfOp::While) => Some(Opcode::Scf(ScfOp::Yield)),
        Opcode::Tg(TgOp::Kernel | TgOp::Role) => Some(Opcode::Tg(TgOp::Return)),
        _ => None,
    }
}

fn describe_form(form: AttrForm) -> String {
    match form {
        AttrForm::I64Enum(words) | AttrForm::I32Enum(words) => {
            let width = if matches!(form, AttrForm::I64Enum(_)) { "i64" } else { "i32" };
            format!("{}, as an `{width}` from 0 to {}", form.describe(), words.len().saturating_sub(1))
        }
        _ => form.describe(),
    }
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= 80 {
        return text.to_owned();
    }
    let start: String = text.chars().take(77).collect();
    format!("{start}...")
}

fn has_form(m: &Module, form: AttrForm, attr: Attr) -> bool {
    let int_of = |ty: Type, wanted: u32| matches!(m.types.kind(ty), TypeKind::Integer { width, signedness: Signedness::Signless } if *width == wanted);
    let in_enum = |width: u32, words: &[&str]| match m.attrs.kind(attr) {
        AttrKind::Int { value, ty } => {
            int_of(*ty, width) && usize::try_from(*value).is_ok_and(|value| value < words.len())
        }
        _ => false,
    };
    match (form, m.attrs.kind(attr)) {
        (AttrForm::Unit, kind) => matches!(kind, AttrKind::Unit),
        (AttrForm::I64, kind) => {
            matches!(kind, AttrKind::Int { value, ty } if int_of(*ty, 64) && i64::try_from(*value).is_ok())
        }
        (AttrForm::Str, kind) => matches!(kind, AttrKind::Str(_)),
        (AttrForm::Symbol, AttrKind::Str(text)) => !text.is_empty(),
        (AttrForm::Symbol, AttrKind::Symbol(path)) => matches!(&**path, [one] if !one.is_empty()),
        (AttrForm::Symbol, _) => false,
        (AttrForm::I64s, kind) => matches!(kind, AttrKind::Ints { elem, .. } if int_of(*elem, 64)),
        (AttrForm::I32s, kind) => matches!(kind, AttrKind::Ints { elem, .. } if int_of(*elem, 32)),
        (AttrForm::Strs, AttrKind::Array(items)) => items.iter().all(|&item| m.attrs.as_str(item).is_some()),
        (AttrForm::Strs, _) => false,
        (AttrForm::Literal, kind) => match kind {
            AttrKind::Bool(_) | AttrKind::Int { .. } | AttrKind::Float { .. } => true,
            AttrKind::Splat { value, .. } => matches!(
                m.attrs.kind(*value),
                AttrKind::Bool(_) | AttrKind::Int { .. } | AttrKind::Float { .. }
            ),
            _ => false,
        },
        (AttrForm::I64Enum(words), _) => in_enum(64, words),
        (AttrForm::I32Enum(words), _) => in_enum(32, words),
        (AttrForm::Keyword { mnemonic, words, many }, kind) => {
            keyword_words(kind, mnemonic).is_some_and(|text| {
                let mut found = text.split(',').map(str::trim);
                if many {
                    found.all(|word| words.contains(&word))
                } else {
                    found.next().is_some_and(|word| words.contains(&word)) && found.next().is_none()
                }
            })
        }
        (AttrForm::Type, kind) => matches!(kind, AttrKind::Type(_)),
        (AttrForm::AnyAttr, _) => true,
    }
}

/// The words of `#arith.fastmath<nnan, ninf>`, or of a plain string.
pub(super) fn keyword_words<'a>(kind: &'a AttrKind, mnemonic: &str) -> Option<&'a str> {
    match kind {
        AttrKind::Str(text) => Some(text),
        AttrKind::Opaque(text) => {
            let rest = text.strip_prefix('#')?.strip_prefix(mnemonic)?;
            rest.trim().strip_prefix('<')?.strip_suffix('>')
        }
        _ => None,
    }
}

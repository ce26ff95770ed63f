//! From an op to the checks of its meaning: one exhaustive match for each dialect.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use tidegate_ir::Op;
use tidegate_ir::diag::codes;
use tidegate_ir::ops::{Opcode, TgOp, Traits};

use super::context::{Check, Verifier, count_of};
use super::walk::Place;

impl Verifier<'_> {
    /// The rules of `op` that its row cannot say. Form, place and constraints have been checked.
    pub(super) fn check_meaning(&mut self, op: Op, place: Place) -> Check {
        if let Some(target) = self.target
            && !target.has_op(self.m.opcode(op))
        {
            return Err(self.error(
                op,
                codes::NO_LOWERING,
                format!("{} does not have what `{}` needs", target.name, self.m.op_name(op)),
                "not on this target",
            ));
        }
        match self.m.opcode(op) {
            Opcode::Builtin(_) => {
                self.check_symbols(op);
                Ok(())
            }
            Opcode::Math(_) | Opcode::Opaque(_) => Ok(()),
            Opcode::Arith(kind) => self.check_arith(op, kind),
            Opcode::Scf(kind) => self.check_scf(op, kind),
            Opcode::Vector(kind) => self.check_vector(op, kind),
            Opcode::Tg(kind) => self.check_tg(op, kind, place),
        }
    }

    fn check_tg(&mut self, op: Op, kind: TgOp, place: Place) -> Check {
        match kind {
            TgOp::Kernel => self.check_kernel(op),
            TgOp::Return => self.check_return(op, place),
            TgOp::AxisIndex => self.check_axis_index(op, place),
            TgOp::Dim => self.check_dim(op),
            TgOp::Alloc => self.check_alloc(op),
            TgOp::AllocBarrier => self.check_alloc_barrier(op, place),
            TgOp::At => self.check_at(op),
            TgOp::Subview => self.check_subview(op),
            TgOp::Load => self.check_load(op),
            TgOp::Store => self.check_store(op),
            TgOp::InitBarrier
            | TgOp::InvalBarrier
            | TgOp::BarrierArrive
            | TgOp::BarrierArriveExpectTx
            | TgOp::BarrierExpectTx
            | TgOp::BarrierWait
            | TgOp::BarrierWaitParity
            | TgOp::BarrierTest => self.check_barrier_op(op, kind, place),
            TgOp::WaitSmemToGmem => self.check_at_least(op, "count", 0),
            TgOp::DebugPrint => self.check_debug_print(op),
            TgOp::WarpSpecialize => self.check_split(op),
            TgOp::Role => self.check_role(op),
            TgOp::SetMaxRegisters => self.check_set_max_registers(op, place),
            TgOp::CopyGmemToSmem => self.check_copy_in(op, place),
            TgOp::CopySmemToGmem => self.check_copy_out(op),
            TgOp::CommitGroup
            | TgOp::CommitSmem
            | TgOp::ThreadSync
            | TgOp::BlockSync
            | TgOp::ClusterSync
            | TgOp::Assert => Ok(()),
        }
    }

    /// The symbols of a module have different names.
    fn check_symbols(&mut self, module: Op) {
        let Some(block) = self.m.region_block(module, 0) else { return };
        let mut seen: FxHashMap<&str, Op> = FxHashMap::default();
        let mut twice = Vec::new();
        for op in self.m.block_ops(block) {
            let symbol =
                matches!(self.m.opcode(op), Opcode::Opaque(_)) || self.m.opcode(op).has(Traits::SYMBOL);
            let Some(name) = self.m.attr_symbol(op, "sym_name").filter(|_| symbol) else { continue };
            match seen.entry(name) {
                Entry::Vacant(entry) => {
                    entry.insert(op);
                }
                Entry::Occupied(entry) => twice.push((name, *entry.get(), op)),
            }
        }
        for (name, first, second) in twice {
            let mut error = self.error(
                second,
                codes::DUPLICATE_SYMBOL,
                format!("@{name} is defined twice in this module"),
                "the second definition",
            );
            *error = error.label(self.m.span(first), "the first");
            self.report(second, *error);
        }
    }

    fn check_return(&self, op: Op, place: Place) -> Check {
        let Some(first) = self.m.get_operand(op, 0) else { return Ok(()) };
        let what = if place.role.is_some() { "role" } else { "kernel" };
        for value in self.m.operands(op) {
            self.refuse_escape(op, value, &format!("cannot be the result of a {what}"))?;
        }
        let mut error = self.error(
            op,
            codes::OPERAND_COUNT,
            format!("a {what} returns nothing, and {} given", count_of(self.m.num_operands(op), "value")),
            format!("{} cannot be returned", self.name(first)),
        );
        *error = error.help("write results to a parameter: an array ref to global memory");
        Err(error)
    }

    fn check_at_least(&self, op: Op, name: &str, least: i64) -> Check {
        match self.m.attr_i64(op, name) {
            Some(found) if found < least => Err(self.error(
                op,
                codes::ATTRIBUTE_FORM,
                format!("attribute `{name}` of `{}` is {found}; it is at least {least}", self.m.op_name(op)),
                "too small",
            )),
            _ => Ok(()),
        }
    }

    fn check_debug_print(&self, op: Op) -> Check {
        let places = self.m.attr_str(op, "format").unwrap_or("").matches("{}").count();
        let given = self.m.num_operands(op);
        if places == given {
            return Ok(());
        }
        Err(self.error(
            op,
            codes::ATTRIBUTE_FORM,
            format!(
                "attribute `format` of `tg.debug_print` has {} and there {}",
                count_of(places, "place `{}`").replace("place `{}`s", "places `{}`"),
                if given == 1 { "is 1 argument".to_owned() } else { format!("are {given} arguments") }
            ),
            "each `{}` stands for an argument",
        ))
    }
}

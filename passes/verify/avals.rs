//! A barrier has a ref aval and no array aval: whatever asks a barrier for an array is refused here.
//!
//! These checks come before the plain type checks and take their place: one misuse is one error, which says what the
//! value is, where it was declared and what can be done with it instead.

use tidegate_ir::diag::{Code, Diagnostic, codes};
use tidegate_ir::ops::{ArithOp, Constraint, Effect, OpDef, Opcode, ScfOp, TgOp};
use tidegate_ir::types::{BARRIER_USES, BarrierRefType, Space, TypeKind};
use tidegate_ir::{Op, Type, Value};

use super::context::{Check, Verifier};

impl Verifier<'_> {
    /// Whether `value`, which does not fit `constraint`, is a reference taken for something else, or the reverse.
    pub(super) fn is_reference_misuse(&self, constraint: Constraint, value: Value) -> bool {
        match self.m.types.kind(self.m.ty(value)) {
            TypeKind::BarrierRef(_) | TypeKind::SemaphoreRef { .. } => true,
            _ => constraint == Constraint::Barrier,
        }
    }

    /// The error for an operand for which [`is_reference_misuse`](Self::is_reference_misuse) holds.
    pub(super) fn reference_misuse(
        &self,
        op: Op,
        def: &'static OpDef,
        group: usize,
        value: Value,
    ) -> Box<Diagnostic> {
        let mut error = self.misuse(op, def, group, value);
        // The operand itself is to blame, not the whole op.
        let place = self.m.operand_group(op, group).find(|&index| self.m.operand(op, index) == value);
        if let (Some(index), Some(label)) = (place, error.labels.first_mut()) {
            label.span = self.m.operand_span(op, index);
        }
        error
    }

    fn misuse(&self, op: Op, def: &'static OpDef, group: usize, value: Value) -> Box<Diagnostic> {
        let operand = &def.operands[group];
        match self.m.types.kind(self.m.ty(value)) {
            TypeKind::BarrierRef(barrier) => self.barrier_for_array(op, def, group, value, barrier),
            TypeKind::SemaphoreRef { .. } => {
                let wanted = if operand.constraint == Constraint::Barrier {
                    "a barrier in shared memory is wanted"
                } else {
                    "a reference to semaphores has no elements"
                };
                let mut error = self.error(
                    op,
                    codes::SEMAPHORE_AS_ARRAY,
                    format!(
                        "operand `{}` of `{}` has to be {}, but {} is a reference to semaphores in global memory, not an array",
                        operand.name,
                        def.name,
                        operand.constraint.describe(),
                        self.name(value)
                    ),
                    wanted,
                );
                *error = error.label(self.declaration(value), "the semaphores are declared here");
                error
            }
            _ => self.other_for_barrier(op, def, group, value),
        }
    }

    fn barrier_for_array(
        &self,
        op: Op,
        def: &'static OpDef,
        group: usize,
        value: Value,
        barrier: &BarrierRefType,
    ) -> Box<Diagnostic> {
        let operand = &def.operands[group];
        let (name, noun, what) = (self.name(value), barrier.noun(), barrier.describe());
        let index = "the number to choose one by is an index: `%barrier[%i]`";
        let (code, message, label, help) = match self.m.opcode(op) {
            Opcode::Tg(TgOp::Load) => (
                codes::BARRIER_AS_ARRAY,
                format!("cannot load from {name}: it is {what}, not an array"),
                format!("a {noun} has no elements to read"),
                "to read the data it guards, wait for its phase and load from the array",
            ),
            Opcode::Tg(TgOp::Store) if operand.effects.contains(&Effect::Write) => (
                codes::BARRIER_STORE,
                format!("cannot store to {name}: it is {what}, not an array"),
                format!("a {noun} has no elements to write"),
                "to signal, arrive on it with `tg.barrier_arrive`; `tg.alloc_barrier` initialises it",
            ),
            Opcode::Tg(TgOp::Store | TgOp::DebugPrint) => (
                codes::BARRIER_AS_ARRAY,
                format!("`{}` takes values, but {name} is {what}, not an array", def.name),
                format!("there is no value behind a {noun}"),
                "to pass it on, use the reference itself where it is wanted",
            ),
            Opcode::Arith(ArithOp::Select) => (
                codes::BARRIER_ARRAY_OP,
                format!("`{}` chooses between values, but {name} is {what}, not an array", def.name),
                format!("a {noun} is no value to select"),
                "select the index, and use it where the barrier is used: `%barrier[%i]`",
            ),
            Opcode::Arith(_) | Opcode::Math(_) | Opcode::Vector(_) => (
                codes::BARRIER_ARRAY_OP,
                format!("`{}` works on arrays, but {name} is {what}, not an array", def.name),
                format!("a {noun} is not an operand of array operations"),
                "to choose a barrier of a group, compute the index and give it where the barrier is used",
            ),
            Opcode::Tg(
                TgOp::CopyGmemToSmem
                | TgOp::CopySmemToGmem
                | TgOp::Dim
                | TgOp::Alloc
                | TgOp::At
                | TgOp::Subview,
            ) if matches!(operand.constraint, Constraint::Ref | Constraint::RefIn(_)) => (
                codes::BARRIER_FOR_ARRAY_REF,
                format!(
                    "`{}` of `{}` has to be a reference to an array, but {name} is {what}, not an array",
                    operand.name, def.name
                ),
                format!("a {noun} cannot be the `{}`", operand.name),
                "in a copy the order is source, destination, barrier",
            ),
            _ => (
                codes::BARRIER_ARRAY_OP,
                format!(
                    "`{}` of `{}` has to be {}, but {name} is {what}, not an array",
                    operand.name,
                    def.name,
                    operand.constraint.describe()
                ),
                format!("there is no value behind a {noun}"),
                index,
            ),
        };
        let mut error = self.error(op, code, message, label);
        *error = error.label(self.declaration(value), format!("the {noun} is declared here"));
        if self.swapped_with_array(op, def, group) {
            *error = error
                .note("the barrier operand is a reference to an array: the two seem to have changed places");
        }
        *error = error.help(help).help(BARRIER_USES);
        error
    }

    /// Whether an operand of `op` that has to be a barrier is an array ref.
    fn swapped_with_array(&self, op: Op, def: &OpDef, group: usize) -> bool {
        def.operands.iter().enumerate().any(|(other, operand)| {
            other != group
                && operand.constraint == Constraint::Barrier
                && self.in_group(op, other).is_some_and(|value| self.array_ref(value).is_some())
        })
    }

    /// Something that is no barrier where one is wanted.
    fn other_for_barrier(&self, op: Op, def: &OpDef, group: usize, value: Value) -> Box<Diagnostic> {
        let operand = &def.operands[group];
        let (name, found) = (self.name(value), self.type_of(value));
        let (code, message, label, note) = match self.m.types.kind(self.m.ty(value)) {
            TypeKind::Ref(reference) if reference.space == Space::Smem => (
                codes::ARRAY_REF_FOR_BARRIER,
                format!(
                    "`{}` of `{}` has to be a barrier, but {name} is a reference to an array in shared memory, {found}",
                    operand.name, def.name
                ),
                "this is ordinary memory, not a barrier".to_owned(),
                "no element type makes an array a barrier: its memory is not initialised as one",
            ),
            TypeKind::Ref(reference) => (
                codes::BARRIER_SPACE,
                format!(
                    "a barrier has to live in shared memory, but {name} is an array in {}, {found}",
                    reference.space.long_name()
                ),
                format!("`{}` is in {}", operand.name, reference.space.long_name()),
                "an mbarrier is an object in the shared memory of a block; blocks that share no cluster synchronise by semaphores",
            ),
            TypeKind::Vector { .. } | TypeKind::Acc { .. } => (
                codes::BARRIER_SPACE,
                format!(
                    "a barrier has to live in shared memory, but {name} is a value in registers, {found}"
                ),
                format!("`{}` is in registers", operand.name),
                "an mbarrier is an object in the shared memory of a block",
            ),
            _ => (
                codes::NOT_A_BARRIER_REF,
                format!("`{}` of `{}` takes a barrier reference, not {found}", operand.name, def.name),
                format!("{name} is a number or pointer in a register; a barrier lives in shared memory"),
                "an address does not say how many arrivals a phase takes, nor whether it was initialised",
            ),
        };
        let mut error = self.error(op, code, message, label);
        *error = error
            .label(self.declaration(value), "declared here")
            .note(note)
            .help("declare barriers with `tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>`");
        error
    }

    /// The error for a result that does not fit its constraint.
    pub(super) fn wrong_result(
        &self,
        op: Op,
        def: &OpDef,
        constraint: Constraint,
        name: &str,
        value: Value,
    ) -> Box<Diagnostic> {
        let found = self.type_of(value);
        let generic = |code: Code, message: String, label: String| self.error(op, code, message, label);
        match (self.m.types.kind(self.m.ty(value)), self.m.opcode(op)) {
            (TypeKind::BarrierRef(_), Opcode::Tg(TgOp::Alloc)) => {
                let mut error = generic(
                    codes::BARRIER_FOR_ARRAY_REF,
                    format!(
                        "`tg.alloc` makes memory for arrays, and {found} is a barrier reference, not an array"
                    ),
                    "a barrier is declared here".to_owned(),
                );
                *error = error.help("declare barriers with `tg.alloc_barrier`");
                error
            }
            (TypeKind::BarrierRef(barrier), opcode) => {
                let code = match opcode {
                    Opcode::Arith(_) | Opcode::Math(_) | Opcode::Vector(_) => codes::BARRIER_ARRAY_OP,
                    Opcode::Tg(TgOp::Load) => codes::BARRIER_AS_ARRAY,
                    _ => codes::BARRIER_AS_RESULT,
                };
                let mut error = generic(
                    code,
                    format!(
                        "`{}` gives {}, and {found} is {}, not an array",
                        def.name,
                        constraint.describe(),
                        barrier.describe()
                    ),
                    format!("result `{name}` cannot be a {}", barrier.noun()),
                );
                *error = error.help("barriers come from `tg.alloc_barrier`, and parts of a group from `tg.at` and `tg.subview`");
                error
            }
            (TypeKind::Ref(reference), Opcode::Tg(TgOp::AllocBarrier)) if reference.space == Space::Smem => {
                let mut error = generic(
                    codes::ARRAY_REF_FOR_BARRIER,
                    format!("`tg.alloc_barrier` makes barriers, and {found} is a reference to an array"),
                    "an array is declared here".to_owned(),
                );
                *error = error
                    .help("declare arrays with `tg.alloc`, barriers as `!tg.barrier_ref<2, arrivals = 1>`");
                error
            }
            (TypeKind::Ref(reference), Opcode::Tg(TgOp::AllocBarrier)) => generic(
                codes::BARRIER_SPACE,
                format!(
                    "a barrier has to live in shared memory, and {found} is in {}",
                    reference.space.long_name()
                ),
                format!("this is in {}", reference.space.long_name()),
            ),
            (TypeKind::Vector { .. } | TypeKind::Acc { .. }, Opcode::Tg(TgOp::AllocBarrier)) => generic(
                codes::BARRIER_SPACE,
                format!("a barrier has to live in shared memory, and {found} is in registers"),
                "this is a value".to_owned(),
            ),
            (TypeKind::Ref(_), Opcode::Tg(TgOp::Alloc)) => generic(
                codes::WRONG_SPACE,
                format!(
                    "`tg.alloc` makes shared memory, tensor memory or an accumulator; {found} is in global memory"
                ),
                "global memory comes in as a parameter of the kernel".to_owned(),
            ),
            _ => generic(
                codes::RESULT_TYPE,
                format!(
                    "result `{name}` of `{}` has type {found}; it has to be {}",
                    def.name,
                    constraint.describe()
                ),
                format!("{found} cannot be the result"),
            ),
        }
    }

    /// Barriers and semaphores that would leave the place they live in: results of kernels, branches and loops.
    /// `what` says which place, as in "a loop carries".
    pub(super) fn refuse_escape(&self, op: Op, value: Value, what: &str) -> Check {
        self.refuse_escape_type(op, self.m.ty(value), Some(value), what)
    }

    /// The same for a type without a value of its own, as that of a result.
    pub(super) fn refuse_escape_type(&self, op: Op, ty: Type, value: Option<Value>, what: &str) -> Check {
        let name = value.map_or_else(|| "the result".to_owned(), |value| self.name(value));
        let mut error = match self.m.types.kind(ty) {
            TypeKind::BarrierRef(barrier) => self.error(
                op,
                codes::BARRIER_AS_RESULT,
                format!("{name} is {}, not an array, and {what}", barrier.describe()),
                format!("a {} cannot leave the place where it lives", barrier.noun()),
            ),
            TypeKind::SemaphoreRef { .. } => self.error(
                op,
                codes::SEMAPHORE_AS_ARRAY,
                format!("{name} is a reference to semaphores in global memory, not an array, and {what}"),
                "a semaphore is no value",
            ),
            _ => return Ok(()),
        };
        if let Some(value) = value {
            *error = error.label(self.declaration(value), "declared here");
        }
        let help = match self.m.opcode(op) {
            Opcode::Scf(ScfOp::For | ScfOp::If | ScfOp::While) => {
                "use the barrier inside directly: regions see what is declared around them; to choose one, carry its index"
            }
            _ => {
                "a barrier lives in the shared memory of a running block: wait for it there, and write data to array refs"
            }
        };
        *error = error.help(help).help(BARRIER_USES);
        Err(error)
    }
}

//! Kernels: their header, their parameters, what may stand where inside them, and the facts that the checks of a
//! whole kernel start from.

use tidegate_ir::diag::codes;
use tidegate_ir::ops::{Opcode, ScfOp, TgOp, Traits};
use tidegate_ir::types::{DYNAMIC, Space, TypeKind};
use tidegate_ir::{Op, Value};

use super::context::{Check, Verifier, closest, count_of, name_list};
use super::walk::Place;

/// An axis: its name, and its extent or `DYNAMIC`.
pub(super) type Axis = (Box<str>, i64);

/// What the walk gathers about a kernel.
pub(super) struct KernelFacts {
    pub(super) op: Op,
    pub(super) grid: Vec<Axis>,
    pub(super) cluster: Vec<Axis>,
    /// Axis and number of the threads of a kernel without roles.
    pub(super) threads: Option<Axis>,
    /// `tg.alloc`.
    pub(super) arrays: Vec<Op>,
    /// `tg.alloc_barrier`.
    pub(super) barriers: Vec<Op>,
    /// `tg.warp_specialize`.
    pub(super) splits: Vec<Op>,
    /// `tg.role`.
    pub(super) roles: Vec<Op>,
    /// `tg.block_sync` and `tg.cluster_sync`, with the role and the nearest `scf` op around.
    pub(super) syncs: Vec<Sync>,
    /// Whether any barrier is initialised or invalidated by an op.
    pub(super) has_lifetimes: bool,
    /// The first op outside of roles that a thread executes as a whole.
    pub(super) thread_op_outside: Option<Op>,
    /// Whether something was reported inside.
    pub(super) has_errors: bool,
}

/// A `tg.block_sync` or `tg.cluster_sync`.
#[derive(Copy, Clone, Debug)]
pub(super) struct Sync {
    pub(super) op: Op,
    pub(super) role: Option<Op>,
    pub(super) control: Option<Op>,
}

impl KernelFacts {
    /// The blocks of a cluster; 1 without one.
    pub(super) fn cluster_size(&self) -> i64 {
        self.cluster.iter().fold(1i64, |size, (_, extent)| size.saturating_mul((*extent).max(1)))
    }
    pub(super) fn cluster_axis(&self, name: &str) -> Option<i64> {
        self.cluster.iter().find(|axis| &*axis.0 == name).map(|axis| axis.1)
    }
}

impl Verifier<'_> {
    /// The facts of the kernel that `place` is in; none when its header is malformed.
    pub(super) fn facts(&self, place: Place) -> Option<&KernelFacts> {
        self.kernels.last().filter(|facts| Some(facts.op) == place.kernel)
    }

    /// Whether `op` may stand where it stands.
    pub(super) fn check_place(&self, op: Op, place: Place) -> Check {
        let opcode = self.m.opcode(op);
        if opcode.is_terminator() && self.m.next_op(op).is_some() {
            return Err(self.error(
                op,
                codes::TERMINATOR,
                format!("`{}` stands before the end of its block", self.m.op_name(op)),
                "nothing behind it would be executed",
            ));
        }
        let parent = place.parent.map(|parent| self.m.opcode(parent));
        if parent == Some(Opcode::Tg(TgOp::WarpSpecialize)) && opcode != Opcode::Tg(TgOp::Role) {
            return Err(self.misplaced(
                op,
                "the region of `tg.warp_specialize` holds roles only",
                "not a role",
            ));
        }
        let direct_opaque = matches!(parent, Some(Opcode::Opaque(_)));
        match opcode {
            Opcode::Builtin(_) => {
                let fits = matches!(parent, None | Some(Opcode::Builtin(_) | Opcode::Opaque(_)));
                if fits {
                    Ok(())
                } else {
                    Err(self.misplaced(op, "a module stands in a module", "a module inside other code"))
                }
            }
            Opcode::Scf(ScfOp::Yield | ScfOp::Condition) => {
                // In the regions of `scf`, the op around has checked which one ends them.
                let fits = direct_opaque
                    || matches!(parent, Some(Opcode::Scf(_) | Opcode::Tg(TgOp::Kernel | TgOp::Role)));
                if fits {
                    Ok(())
                } else {
                    Err(self.misplaced(
                        op,
                        "it ends a region of `scf.for`, `scf.if` or `scf.while`",
                        "there is no such region around",
                    ))
                }
            }
            Opcode::Tg(TgOp::Return) => {
                let fits = direct_opaque
                    || matches!(parent, Some(Opcode::Scf(_) | Opcode::Tg(TgOp::Kernel | TgOp::Role)));
                if fits {
                    Ok(())
                } else {
                    Err(self.misplaced(op, "it ends a kernel or a role", "there is neither directly around"))
                }
            }
            Opcode::Tg(TgOp::Kernel) => {
                let fits = matches!(parent, None | Some(Opcode::Builtin(_) | Opcode::Opaque(_)));
                if fits {
                    Ok(())
                } else {
                    Err(self.misplaced(
                        op,
                        "a kernel stands at the top level of a module",
                        "a kernel inside other code",
                    ))
                }
            }
            Opcode::Tg(TgOp::Role) => {
                let fits = direct_opaque || parent == Some(Opcode::Tg(TgOp::WarpSpecialize));
                if fits {
                    Ok(())
                } else {
                    Err(self.misplaced(
                        op,
                        "a role stands directly in `tg.warp_specialize`",
                        "a role outside of it",
                    ))
                }
            }
            Opcode::Tg(_) if place.kernel.is_none() && !place.opaque => Err(self.misplaced(
                op,
                "operations of `tg` stand inside a kernel (`tg.kernel`)",
                "no kernel is around",
            )),
            Opcode::Tg(TgOp::WarpSpecialize) => {
                if direct_opaque || place.parent == place.kernel {
                    return Ok(());
                }
                let message = match place.role {
                    Some(_) => {
                        "`tg.warp_specialize` divides the warps of a block once; a role cannot be divided further"
                    }
                    None => "`tg.warp_specialize` stands in the body of a kernel, not in a loop or branch",
                };
                Err(self.error(op, codes::ROLE_STRUCTURE, message, "not at the top level of a kernel"))
            }
            Opcode::Tg(TgOp::Alloc | TgOp::AllocBarrier) => {
                let in_registers =
                    self.m.results(op).next().is_some_and(|value| {
                        matches!(self.m.types.kind(self.m.ty(value)), TypeKind::Acc { .. })
                    });
                if in_registers || place.opaque || place.parent == place.kernel {
                    return Ok(());
                }
                let what = if opcode == Opcode::Tg(TgOp::Alloc) {
                    "memory of a kernel is"
                } else {
                    "barriers of a kernel are"
                };
                let around = place.parent.map_or("", |parent| self.m.op_name(parent));
                let mut error = self.misplaced(
                    op,
                    &format!("the {what} allocated in its body for the whole block, not inside `{around}`"),
                    "allocated once for each block, for as long as the kernel runs",
                );
                *error =
                    error.help("move it to the top of the kernel; regions see what is declared around them");
                Err(error)
            }
            Opcode::Tg(_)
            | Opcode::Arith(_)
            | Opcode::Math(_)
            | Opcode::Scf(_)
            | Opcode::Vector(_)
            | Opcode::Opaque(_) => Ok(()),
        }
    }

    fn misplaced(&self, op: Op, rule: &str, label: &str) -> Box<tidegate_ir::diag::Diagnostic> {
        let message = format!("`{}` is not allowed here: {rule}", self.m.op_name(op));
        self.error(op, codes::OP_NOT_ALLOWED_HERE, message, label)
    }

    // ---- header ----

    /// Grid, cluster and threads of a kernel, and its parameters.
    pub(super) fn check_kernel(&self, op: Op) -> Check {
        self.check_axes(op, "grid", codes::GRID_SIZE, true)?;
        self.check_axes(op, "cluster", codes::CLUSTER_SIZE, false)?;
        match (self.m.attr_str(op, "thread_name"), self.m.attr_i64(op, "num_threads")) {
            (Some(_), Some(count)) if count < 1 => {
                return Err(self.error(
                    op,
                    codes::BLOCK_THREADS,
                    format!("attribute `num_threads` is {count}; a block has at least 1 thread"),
                    "no threads",
                ));
            }
            (Some(_), None) | (None, Some(_)) => {
                return Err(self.error(
                    op,
                    codes::ATTRIBUTE_FORM,
                    "attributes `thread_name` and `num_threads` come together, as in `threads [\"wg\" = 2]`",
                    "one of them is missing",
                ));
            }
            _ => {}
        }
        let mut seen: Vec<&str> = Vec::new();
        for name in self.axis_names(op) {
            if seen.contains(&name) {
                return Err(self.error(
                    op,
                    codes::UNKNOWN_AXIS,
                    format!("axis \"{name}\" is declared twice; each axis of a kernel has its own name"),
                    "grid, cluster and threads share one set of names",
                ));
            }
            seen.push(name);
        }
        self.check_parameters(op)
    }

    fn check_axes(&self, op: Op, what: &str, code: tidegate_ir::diag::Code, dynamic: bool) -> Check {
        let names = format!("{what}_names");
        let sizes = self.m.attr_ints(op, what);
        let found = self.m.attr_strs(op, &names).map(|names| names.len());
        if found.unwrap_or(0) != sizes.map_or(0, <[i64]>::len) {
            return Err(self.error(
                op,
                codes::ATTRIBUTE_FORM,
                format!(
                    "attribute `{names}` has {} and `{what}` {}; each axis has a name and an extent",
                    count_of(found.unwrap_or(0), "name"),
                    count_of(sizes.map_or(0, <[i64]>::len), "extent")
                ),
                "the lists differ in length",
            ));
        }
        for (index, &extent) in sizes.unwrap_or(&[]).iter().enumerate() {
            let bad = if extent == DYNAMIC { !dynamic } else { extent < 1 };
            if bad {
                let names = self.m.attr_strs(op, &names).unwrap_or_default();
                let axis = names.get(index).copied().unwrap_or_default();
                let message = if extent == DYNAMIC {
                    format!(
                        "attribute `{what}`: axis \"{axis}\" has extent `?`; the extents of a {what} are known when the kernel is compiled"
                    )
                } else {
                    format!(
                        "attribute `{what}`: axis \"{axis}\" has extent {extent}; an extent is at least 1"
                    )
                };
                return Err(self.error(op, code, message, format!("no {what} can have this extent")));
            }
        }
        Ok(())
    }

    fn axis_names(&self, kernel: Op) -> impl Iterator<Item = &str> {
        let of = |name: &str| self.m.attr_strs(kernel, name).unwrap_or_default();
        let thread = self.m.attr_str(kernel, "thread_name");
        of("grid_names").into_iter().chain(of("cluster_names")).chain(thread)
    }

    fn check_parameters(&self, op: Op) -> Check {
        let Some(body) = self.m.region_block(op, 0) else { return Ok(()) };
        let params = self.m.block_args(body);
        let directions = self.m.attr_strs(op, "directions");
        if let Some(directions) = &directions
            && directions.len() != params.len()
        {
            return Err(self.error(
                op,
                codes::ATTRIBUTE_FORM,
                format!(
                    "attribute `directions` has {} for {}",
                    count_of(directions.len(), "entry").replace("entrys", "entries"),
                    count_of(params.len(), "parameter")
                ),
                "one entry for each parameter",
            ));
        }
        for (index, &param) in params.iter().enumerate() {
            let direction = directions.as_ref().and_then(|list| list.get(index)).copied().unwrap_or("");
            self.check_parameter(op, param, direction)?;
        }
        Ok(())
    }

    fn check_parameter(&self, op: Op, param: Value, direction: &str) -> Check {
        let (name, found) = (self.name(param), self.type_of(param));
        // The parameter is to blame, not the whole header.
        let at = |mut error: Box<tidegate_ir::diag::Diagnostic>| {
            let span = self.m.value_span(param);
            if let Some(label) = error.labels.first_mut().filter(|_| span.is_some()) {
                label.span = span;
            }
            error
        };
        if !matches!(direction, "" | "in" | "out" | "inout") {
            return Err(self.error(
                op,
                codes::ATTRIBUTE_FORM,
                format!("attribute `directions` has \"{direction}\" for parameter {name}; it is one of \"in\", \"out\", \"inout\", or empty"),
                "not a direction",
            ));
        }
        let error = match self.m.types.kind(self.m.ty(param)) {
            TypeKind::Ref(reference) if reference.space == Space::Gmem => return Ok(()),
            TypeKind::SemaphoreRef { .. } => return Ok(()),
            TypeKind::Integer { .. } | TypeKind::Index | TypeKind::Float(_) => {
                if !matches!(direction, "out" | "inout") {
                    return Ok(());
                }
                self.error(
                    op,
                    codes::OPERAND_TYPE,
                    format!("parameter {name} is marked `{direction}` and is a number, {found}: nothing can be written to it"),
                    "outputs are array refs to global memory",
                )
            }
            TypeKind::BarrierRef(barrier) => {
                let role = match direction {
                    "out" | "inout" => "an output",
                    _ => "a parameter",
                };
                let mut error = self.error(
                    op,
                    codes::BARRIER_AS_RESULT,
                    format!("{name} is {}, not an array, and cannot be {role} of a kernel", barrier.describe()),
                    format!("a {} lives and dies with a block", barrier.noun()),
                );
                *error = error.help("declare it inside the kernel with `tg.alloc_barrier`");
                error
            }
            TypeKind::Ref(reference) => self.error(
                op,
                codes::WRONG_SPACE,
                format!("parameter {name} is a reference to {}; a kernel's parameters are in global memory", reference.space.long_name()),
                "allocate it inside the kernel with `tg.alloc`",
            ),
            _ => self.error(
                op,
                codes::OPERAND_TYPE,
                format!("parameter {name} has type {found}; a kernel takes array refs to global memory and numbers"),
                "not a parameter of kernels",
            ),
        };
        Err(at(error))
    }

    // ---- axes ----

    /// `tg.axis_index` names an axis of the kernel, or of the role around.
    pub(super) fn check_axis_index(&self, op: Op, place: Place) -> Check {
        let (Some(kernel), Some(name)) = (place.kernel, self.m.attr_str(op, "axis")) else { return Ok(()) };
        let of_role = place.role.and_then(|role| self.m.attr_str(role, "thread_name"));
        let known: Vec<&str> = self.axis_names(kernel).chain(of_role).collect();
        if known.contains(&name) || self.facts(place).is_none() {
            return Ok(());
        }
        let mut error = self.error(
            op,
            codes::UNKNOWN_AXIS,
            format!("this kernel has no axis \"{name}\"; its axes are {}", name_list(known.iter().copied())),
            "unknown axis",
        );
        let elsewhere = self.facts(place).is_some_and(|facts| {
            facts.roles.iter().any(|&role| self.m.attr_str(role, "thread_name") == Some(name))
        });
        if elsewhere {
            *error = error.note("it is the thread axis of another role");
        } else if let Some(other) = closest(name, known.iter().copied()) {
            *error = error.help(format!("did you mean \"{other}\"?"));
        }
        Err(error)
    }

    // ---- facts ----

    /// Notes what the checks of the whole kernel need about a well-formed op.
    pub(super) fn gather(&mut self, op: Op, place: Place) {
        let Opcode::Tg(kind) = self.m.opcode(op) else { return };
        if kind == TgOp::Kernel {
            let facts = self.new_facts(op);
            self.kernels.push(facts);
            return;
        }
        let thread_level = self.m.opcode(op).has(Traits::THREAD_LEVEL);
        let Some(facts) = self.kernels.last_mut().filter(|facts| Some(facts.op) == place.kernel) else {
            return;
        };
        match kind {
            TgOp::Alloc => facts.arrays.push(op),
            TgOp::AllocBarrier => facts.barriers.push(op),
            TgOp::WarpSpecialize => facts.splits.push(op),
            TgOp::Role => facts.roles.push(op),
            TgOp::BlockSync | TgOp::ClusterSync => {
                facts.syncs.push(Sync { op, role: place.role, control: place.control });
            }
            TgOp::InitBarrier | TgOp::InvalBarrier => facts.has_lifetimes = true,
            _ => {
                if thread_level && place.role.is_none() && facts.thread_op_outside.is_none() {
                    facts.thread_op_outside = Some(op);
                }
            }
        }
    }

    fn new_facts(&self, op: Op) -> KernelFacts {
        let axes = |names: &str, sizes: &str| {
            let names = self.m.attr_strs(op, names).unwrap_or_default();
            let sizes = self.m.attr_ints(op, sizes).unwrap_or(&[]);
            names.into_iter().zip(sizes).map(|(name, &size)| (name.into(), size)).collect()
        };
        let thread = self.m.attr_str(op, "thread_name").map(Into::into);
        KernelFacts {
            op,
            grid: axes("grid_names", "grid"),
            cluster: axes("cluster_names", "cluster"),
            threads: thread.zip(self.m.attr_i64(op, "num_threads")),
            arrays: Vec::new(),
            barriers: Vec::new(),
            splits: Vec::new(),
            roles: Vec::new(),
            syncs: Vec::new(),
            has_lifetimes: false,
            thread_op_outside: None,
            has_errors: false,
        }
    }

    /// The checks of a whole kernel, when the walk leaves it.
    pub(super) fn finish_kernel(&mut self) {
        let Some(facts) = self.kernels.pop() else { return };
        self.check_roles(&facts);
        self.check_resources(&facts);
        self.check_lifetimes(&facts);
    }
}

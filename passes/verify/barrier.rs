//! Uses of barriers: one barrier out of its group, counts, parities, peers.

use tidegate_ir::diag::{Diagnostic, codes};
use tidegate_ir::ops::{IndexRef, TgOp};
use tidegate_ir::types::num_elements;
use tidegate_ir::{Op, Value};

use super::access::is_contiguous;
use super::context::{Check, Verifier, count_of, name_list, shape_text};
use super::walk::Place;
use crate::target::tma;

impl Verifier<'_> {
    /// The rules of all ops that act on one barrier.
    pub(super) fn check_barrier_op(&self, op: Op, kind: TgOp, place: Place) -> Check {
        let Some(barrier) = self.m.get_operand(op, 0) else { return Ok(()) };
        let whole = matches!(kind, TgOp::InitBarrier | TgOp::InvalBarrier);
        let indices = self.indices(op, "indices");
        if whole && indices.is_empty() {
            return Ok(());
        }
        self.check_barrier_indices(op, barrier, &indices, false)?;
        self.check_peer(op, kind, barrier, place)?;
        if kind == TgOp::BarrierArrive {
            self.check_arrival_count(op, barrier)?;
        }
        if let Some(bytes) = self.m.attr_i64(op, "bytes")
            && !(0..=tma::MAX_TX_BYTES).contains(&bytes)
        {
            return Err(self.error(
                op,
                codes::COPY_BYTES,
                format!(
                    "attribute `bytes` of `{}` is {bytes}; a phase counts from 0 to {} bytes",
                    self.m.op_name(op),
                    tma::MAX_TX_BYTES
                ),
                "out of range",
            ));
        }
        Ok(())
    }

    /// One barrier is picked out of the group of `value`; with `part`, a sub-group may be left.
    pub(super) fn check_barrier_indices(
        &self,
        op: Op,
        value: Value,
        indices: &[IndexRef],
        part: bool,
    ) -> Check {
        let Some(group) = self.barrier(value) else { return Ok(()) };
        let (rank, count) = (group.shape.len(), group.num_barriers());
        if indices.len() > rank {
            let mut error = self.error(
                op,
                codes::BARRIER_INDEX_COUNT,
                format!(
                    "{} for {}, {} of shape {}",
                    count_of(indices.len(), "index").replace("indexs", "indices"),
                    self.name(value),
                    group.describe(),
                    shape_text(&group.shape)
                ),
                format!("a group of {} takes as many indices", count_of(rank, "dimension")),
            );
            *error = error.label(self.declaration(value), "declared here");
            return Err(error);
        }
        for (dim, &index) in indices.iter().enumerate() {
            let Some(found) = self.constant_index(index) else { continue };
            let extent = group.shape[dim];
            if !(0..extent).contains(&found) {
                let mut error = self.error(
                    op,
                    codes::BARRIER_INDEX_RANGE,
                    format!(
                        "index {found} is out of range: dimension {dim} of {} has {}",
                        self.name(value),
                        count_of(extent, group.noun())
                    ),
                    if found < 0 {
                        "indices start at 0".to_owned()
                    } else {
                        format!("indices go from 0 to {}", extent - 1)
                    },
                );
                *error = error
                    .label(self.declaration(value), format!("{} is {}", self.name(value), group.describe()))
                    .help(format!("in a ring of {extent} slots the index is the step modulo {extent}"));
                return Err(error);
            }
        }
        if part || indices.len() == rank || (indices.is_empty() && count == 1) {
            return Ok(());
        }
        Err(self.group_for_one(op, value, indices))
    }

    fn group_for_one(&self, op: Op, value: Value, indices: &[IndexRef]) -> Box<Diagnostic> {
        let Some(group) = self.barrier(value) else {
            return self.error(op, codes::BARRIER_GROUP_FOR_ONE, "one barrier is wanted", "not one barrier");
        };
        let left = &group.shape[indices.len()..];
        let name = self.name(value);
        let given: Vec<String> = indices.iter().map(|&index| self.index_text(index)).collect();
        let (what, missing) = if indices.is_empty() {
            (name.clone(), "it has no index")
        } else {
            (format!("`{}[{}]`", name.trim_matches('`'), given.join(", ")), "some indices are missing")
        };
        let mut error = self.error(
            op,
            codes::BARRIER_GROUP_FOR_ONE,
            format!(
                "`{}` takes one {}, but {what} is a group of shape {} ({} {}s)",
                self.m.op_name(op),
                group.noun(),
                shape_text(left),
                num_elements(left).unwrap_or(0),
                group.noun()
            ),
            missing,
        );
        let wanted: Vec<&str> = ["%i", "%j", "%k", "%l"].into_iter().take(left.len()).collect();
        let all: Vec<String> = given.into_iter().chain(wanted.into_iter().map(str::to_owned)).collect();
        *error = error
            .label(self.declaration(value), format!("{name} is {}", group.describe()))
            .help(format!("index it: `{}[{}]`", name.trim_matches('`'), all.join(", ")));
        error
    }

    /// A part of a group is contiguous: a strided slice is no group.
    pub(super) fn check_barrier_subview(
        &self,
        op: Op,
        source: Value,
        result: Value,
        sizes: &[i64],
        steps: Option<&[i64]>,
    ) -> Check {
        let Some(group) = self.barrier(source) else { return Ok(()) };
        let stepped =
            steps.is_some_and(|steps| steps.iter().zip(sizes).any(|(&step, &size)| step != 1 && size > 1));
        if stepped || !is_contiguous(&group.shape, sizes) {
            let how = if stepped { "a strided slice" } else { "a slice with gaps" };
            let mut error = self.error(
                op,
                codes::BARRIER_GROUP_FOR_ONE,
                format!(
                    "{how} of shape {} of {} is no group of barriers: one barrier, or a contiguous sub-group, is wanted",
                    shape_text(sizes),
                    self.name(source)
                ),
                "the barriers do not follow each other",
            );
            *error = error
                .label(self.declaration(source), format!("{} is {}", self.name(source), group.describe()))
                .help(
                    "index the group where the barrier is used, with the step in the index: `%barrier[%i]`",
                );
            return Err(error);
        }
        let mut wanted = group.clone();
        wanted.shape = sizes.into();
        if self.barrier(result) == Some(&wanted) {
            return Ok(());
        }
        Err(self.wrong_part(
            op,
            source,
            result,
            &format!("a group of shape {} of the same barriers", shape_text(sizes)),
        ))
    }

    fn check_arrival_count(&self, op: Op, barrier: Value) -> Check {
        let (Some(group), Some(count)) = (self.barrier(barrier), self.m.attr_i64(op, "count")) else {
            return Ok(());
        };
        if (1..=group.arrivals).contains(&count) {
            return Ok(());
        }
        let mut error = self.error(
            op,
            codes::BARRIER_ARRIVAL_COUNT,
            format!(
                "attribute `count` makes {} at once, and a phase of {} takes {}",
                count_of(count, "arrival"),
                self.name(barrier),
                count_of(group.arrivals, "arrival")
            ),
            if count < 1 {
                "at least 1 is wanted".to_owned()
            } else {
                format!("at most {} fit into a phase", group.arrivals)
            },
        );
        *error = error
            .label(self.declaration(barrier), format!("declared with `arrivals = {}`", group.arrivals))
            .note("a thread (a warpgroup, or the warp of a one-warp role) makes one arrival, not one for each lane");
        Err(error)
    }

    fn check_peer(&self, op: Op, kind: TgOp, barrier: Value, place: Place) -> Check {
        let Some(peer) = self.operand(op, "peer") else { return Ok(()) };
        let name = self.name(barrier);
        if kind == TgOp::BarrierWait {
            let mut error = self.error(
                op,
                codes::WAIT_ON_PEER_BARRIER,
                format!(
                    "cannot wait on {name} of another block: a thread waits on barriers of its own block only"
                ),
                "`peer` names another block of the cluster",
            );
            *error = error
                .label(self.declaration(barrier), "declared here")
                .note("arriving on a peer's barrier is possible")
                .help("let the peer arrive on a barrier of this block, or use a cluster barrier: its arrivals reach every block");
            return Err(error);
        }
        let Some(facts) = self.facts(place) else { return Ok(()) };
        if facts.cluster.is_empty() {
            let mut error = self.error(
                op,
                codes::CLUSTER_BARRIER_AXES,
                format!("{name} of a peer is meant, and this kernel has no cluster"),
                "there is no other block to reach",
            );
            *error =
                error.label(self.m.span(facts.op), "this kernel").help("declare one: `cluster [\"c\" = 2]`");
            return Err(error);
        }
        let size = facts.cluster_size();
        match self.constant(peer) {
            Some(rank) if !(0..size).contains(&rank) => Err(self.error(
                op,
                codes::BARRIER_INDEX_RANGE,
                format!("the peer's rank is {rank}; the cluster has {size} blocks"),
                format!("ranks go from 0 to {}", size - 1),
            )),
            _ => Ok(()),
        }
    }

    /// The parity is a bit. The row says so too; this says what to do about another type.
    pub(super) fn parity_misuse(&self, op: Op, parity: Value) -> Check {
        if self.m.ty(parity) == self.m.types.i1() || self.barrier(parity).is_some() {
            return Ok(());
        }
        let found = self.type_of(parity);
        let message = match self.constant(parity) {
            Some(value) if !(0..=1).contains(&value) => {
                format!("{value} is not a parity: the parity of a phase is one bit, `i1`, not {found}")
            }
            _ => format!("the parity of a phase is one bit, `i1`, not {found}"),
        };
        let mut error = self.error(
            op,
            codes::BARRIER_PARITY_TYPE,
            message,
            format!("{} is of type {found}", self.name(parity)),
        );
        *error = error
            .label(self.m.value_span(parity), "defined here")
            .help("take the lowest bit (`i & 1`) of the number of completions of this barrier seen so far: `arith.trunci ... to i1`")
            .help("or leave it to `tg.barrier_wait`, which keeps count itself");
        Err(error)
    }

    /// A cluster barrier names axes of the kernel's cluster; barriers that order the tensor core need one that is
    /// ordered so.
    pub(super) fn check_alloc_barrier(&self, op: Op, place: Place) -> Check {
        let Some(result) = self.m.results(op).next() else { return Ok(()) };
        let Some(group) = self.barrier(result) else { return Ok(()) };
        if let Some(offset) = self.m.attr_i64(op, "offset")
            && (offset < 0 || offset % 8 != 0)
        {
            return Err(self.error(
                op,
                codes::ATTRIBUTE_FORM,
                format!(
                    "attribute `offset` of `tg.alloc_barrier` is {offset}; barriers lie at multiples of 8"
                ),
                "not the place of a barrier",
            ));
        }
        if let (Some(scope), Some(facts)) = (&group.cluster, self.facts(place)) {
            for name in scope.axes.iter().flat_map(|axes| axes.names()) {
                if facts.cluster_axis(name).is_some() {
                    continue;
                }
                let available = name_list(facts.cluster.iter().map(|axis| &*axis.0));
                let message = if facts.cluster.is_empty() {
                    format!(
                        "{} is a cluster barrier along axis \"{name}\", and this kernel has no cluster",
                        self.name(result)
                    )
                } else {
                    format!("the cluster of this kernel has no axis \"{name}\"; its axes are {available}")
                };
                let mut error = self.error(
                    op,
                    codes::CLUSTER_BARRIER_AXES,
                    message,
                    "a cluster barrier's arrivals go along axes of the cluster",
                );
                if facts.grid.iter().any(|axis| &*axis.0 == name) {
                    *error = error.note(format!(
                        "\"{name}\" is an axis of the grid: blocks of different clusters cannot reach each other's shared memory"
                    ));
                }
                *error = error
                    .label(self.m.span(facts.op), "this kernel")
                    .help(format!("declare the axis: `cluster [\"{name}\" = 2]`"));
                return Err(error);
            }
        }
        if group.orders_tensor_core
            && let Some(target) = self.target
            && !target.has_tcgen05()
        {
            let mut error = self.error(
                op,
                codes::NO_LOWERING,
                format!(
                    "`orders_tensor_core` orders `tcgen05` operations, which {} does not have",
                    target.name
                ),
                "the lowest target that has them is sm_100a",
            );
            *error = error.help("leave it out: on Hopper a plain barrier does");
            return Err(error);
        }
        Ok(())
    }
}

//! One test for each refusal of the builder: the variant with its values, the code, the text and the place.

use tidegate::frontend::BuildErrorKind as K;
use tidegate::frontend::*;

/// Builds a kernel in which one thing is wrong, and checks what is said of it.
#[track_caller]
fn refused<R>(build: impl FnOnce(&KernelBuilder) -> R, kind: impl Into<K>, code: &str, text: &str) {
    let k = kernel();
    build(&k);
    only_error(k, &kind.into(), code, text);
}

#[track_caller]
fn only_error(k: KernelBuilder, kind: &K, code: &str, text: &str) {
    let errors = k.finish().expect_err("refused");
    assert_eq!(errors.errors.len(), 1, "{errors}");
    let error = &errors.errors[0];
    assert_eq!(&*error.kind, kind);
    assert_eq!(error.code().id(), code);
    assert_eq!(error.to_string(), text);
    assert_eq!(error.site.file(), file!(), "the place is the caller's");
    let diagnostic = &errors.diagnostics[0];
    assert_eq!(diagnostic.message, text);
    assert!(errors.sources.locate(diagnostic.primary_span()).is_some(), "the Rust line can be shown");
}

fn kernel() -> KernelBuilder {
    KernelBuilder::new("k").grid([("g", 4)]).cluster([("c", 2)])
}

fn float(k: &KernelBuilder) -> Array {
    k.zeros([128], F32)
}

// ---- specs in a kernel ----

#[test]
fn a_refused_spec_is_an_error_of_the_line_that_allocates() {
    let kind = SpecErrorKind::TooFewArrivals { noun: "barrier", found: 0 };
    let text = "a barrier needs at least 1 arrival to complete a phase, but num_arrivals is 0: nothing would ever \
                complete it";
    refused(|k| k.scratch(Barrier::new().num_arrivals(0)), kind, "TG0901", text);
}

#[test]
fn a_refused_spec_poisons_its_handle_and_nothing_more_is_said() {
    let k = kernel();
    let full = k.scratch(Barrier::new().num_barriers(0));
    k.barrier_wait(full.at(3));
    k.barrier_arrive(full.at(0).peer(k.axis_index("c")));
    let buf = k.scratch(Smem::new([0], F32));
    k.store(k.load(buf) * 2.0 + k.load(buf.at(7)).exp2(), buf);
    assert_eq!(k.error_count(), 2);
    assert!(full.shape().is_empty() && buf.shape().is_empty() && buf.dtype().is_none());
    let errors = k.finish().unwrap_err();
    assert_eq!(errors.spec_errors().count(), 2);
}

#[test]
fn cluster_barriers_go_along_cluster_axes() {
    let kind =
        SpecErrorKind::UnknownClusterAxis { axis: "nope".into(), available: vec!["c".into()], other: None };
    let text = "\"nope\" is no axis of the cluster; the cluster has \"c\"";
    refused(|k| k.scratch(ClusterBarrier::new("nope")), kind, "TG0207", text);
    let kind = SpecErrorKind::UnknownClusterAxis {
        axis: "g".into(),
        available: vec!["c".into()],
        other: Some("grid"),
    };
    let text = "\"g\" is a grid axis and not one of the cluster, and arrivals reach only blocks of one cluster; the \
                cluster has \"c\"";
    refused(|k| k.scratch(ClusterBarrier::new("g")), kind, "TG0207", text);
    let k = KernelBuilder::new("alone");
    k.scratch(ClusterBarrier::new("c"));
    let kind = SpecErrorKind::UnknownClusterAxis { axis: "c".into(), available: vec![], other: None };
    only_error(k, &kind.into(), "TG0207", "\"c\" is no axis of the cluster; the kernel has no cluster");
}

#[test]
fn a_barrier_is_no_parameter() {
    let spec = Barrier::new().num_barriers(2);
    let aval = spec.ref_aval().unwrap().barrier().unwrap().clone();
    let kind = SpecErrorKind::BarrierAsOutput { name: "o".into(), aval: aval.clone() };
    let text = "output \"o\" cannot be a reference to 2 barriers in shared memory: a barrier lives in the shared memory \
                of a running block and is gone with it, so no kernel can return one; allocate it with `scratch`";
    refused(|k| k.parameter("o", &spec, Direction::Out), kind, "TG0104", text);
    let kind = SpecErrorKind::BarrierAsInput { name: "x".into(), aval };
    let text = "argument \"x\" cannot be a reference to 2 barriers in shared memory: a barrier lives in the shared \
                memory of a running block, so no caller has one to pass; allocate it with `scratch`";
    refused(|k| k.parameter("x", &Spec::from(spec.clone()), Direction::In), kind, "TG0105", text);
}

#[test]
fn parameters_are_in_global_memory() {
    let kind = SpecErrorKind::ParameterSpace {
        name: "x".into(),
        found: "a reference to an array f32[8] in shared memory".into(),
    };
    let text = "parameter \"x\" is a reference to an array f32[8] in shared memory; what a kernel takes and gives is in \
                global memory (`Gmem`)";
    refused(|k| k.parameter("x", &Smem::new([8], F32), Direction::In), kind, "TG0401", text);
}

// ---- handles ----

#[test]
fn handles_stay_in_their_kernel() {
    let other = KernelBuilder::new("other");
    let full = other.scratch(Barrier::new()).named("full");
    let i = other.full([128], 1.0, F32);
    let kind = K::ForeignHandle { what: "`%full`".into(), owner: Some("other".into()), user: "k".into() };
    let text = "`%full` was made for kernel \"other\" and is used in kernel \"k\"";
    refused(|k| k.barrier_wait(full), kind, "TG0910", text);
    let what = "a value of type `vector<128xf32>`";
    let kind = K::ForeignHandle { what: what.into(), owner: Some("other".into()), user: "k".into() };
    let text = format!("{what} was made for kernel \"other\" and is used in kernel \"k\"");
    refused(|k| float(k) + i, kind, "TG0910", &text);
    assert!(other.finish().is_ok());
    let kind = K::ForeignHandle { what: "a handle".into(), owner: None, user: "k".into() };
    let text = "a handle was made for another kernel and is used in kernel \"k\"";
    refused(|k| k.barrier_wait(full), kind, "TG0910", text);
}

#[test]
fn handles_of_a_finished_kernel_do_nothing() {
    let k = kernel();
    let (full, i) = (k.scratch(Barrier::new()), k.axis_index("g"));
    k.barrier_arrive(full);
    assert!(k.finish().is_ok());
    let _ = (i * 2 + 1).lt(3).astype(F32) + 1.0;
    assert!(full.shape().is_empty());
    let _ = full.named("late");
}

#[test]
fn values_stay_in_their_region() {
    let kind = K::OutOfScope { what: "`%late`".into(), region: "loop" };
    let text =
        "`%late` was made inside a loop that is closed, and has no value here; hand it out as a result";
    let build = |k: &KernelBuilder| {
        let mut kept = None;
        k.for_range(0, 4, 1, |_, i| kept = Some((i + 1).named("late")));
        let _ = kept.unwrap() * 2;
    };
    refused(build, kind, "TG0911", text);
    let kind = K::OutOfScope { what: "a value of type `vector<128xf32>`".into(), region: "branch" };
    let text = "a value of type `vector<128xf32>` was made inside a branch that is closed, and has no value here; hand \
                it out as a result";
    let build = |k: &KernelBuilder| {
        let mut kept = None;
        k.when(k.axis_index("g").eq(0), |b| kept = Some(b.zeros([128], F32)));
        let _ = kept.unwrap() * 2.0;
    };
    refused(build, kind, "TG0911", text);
}

// ---- declarations and order ----

#[test]
fn names_are_given_and_given_once() {
    only_error(KernelBuilder::new(""), &K::EmptyName { what: "kernel" }, "TG0911", "a kernel needs a name");
    refused(|k| k.input("", [8], F32), K::EmptyName { what: "input" }, "TG0911", "a input needs a name");
    let twice = |k: &KernelBuilder, what: &str| {
        assert_eq!(k.error_count(), 1, "{what}");
    };
    let k = KernelBuilder::new("k").grid([("i", 2), ("i", 3)]);
    twice(&k, "grid axis");
    let text = k.finish().unwrap_err().errors[0].to_string();
    assert_eq!(text, "axis \"i\" is given twice");
    let k = KernelBuilder::new("k").grid([("i", 2)]).cluster([("i", 2)]);
    twice(&k, "cluster axis");
    let k = KernelBuilder::new("k").threads("wg", 2).threads("wg2", 2);
    twice(&k, "threads");
    let k = kernel();
    k.input("x", [8], F32);
    k.output("x", [8], F32);
    twice(&k, "parameter");
    let errors = k.finish().unwrap_err();
    assert_eq!(errors.errors[0].to_string(), "parameter \"x\" is given twice");
    assert_eq!(errors.diagnostics[0].labels.len(), 2, "both places are shown");
}

#[test]
fn declarations_stand_in_the_kernel_before_its_roles() {
    let kind = K::DeclarationInRegion { what: "scratch memory", region: "loop" };
    let text = "scratch memory belongs to the body of the kernel and is asked for inside a loop";
    refused(
        |k| {
            k.for_range(0, 2, 1, |_, _| {
                let _ = k.scratch(Barrier::new());
            })
        },
        kind,
        "TG0911",
        text,
    );
    let kind = K::DeclarationInRegion { what: "input", region: "role" };
    let text = "input belongs to the body of the kernel and is asked for inside a role";
    let build = |k: &KernelBuilder| {
        k.warp_specialize(|ws| {
            ws.role("a", |_| {
                k.input("x", [8], F32);
            });
        });
    };
    refused(build, kind, "TG0911", text);
    let kind = K::DeclarationAfterRoles { what: "scratch memory" };
    let text = "scratch memory is asked for behind `warp_specialize`; declare it before the roles begin";
    let build = |k: &KernelBuilder| {
        k.warp_specialize(|ws| ws.role("a", |_| {}));
        k.scratch(Barrier::new());
    };
    refused(build, kind, "TG0911", text);
}

#[test]
fn roles_are_described_once_in_the_kernel() {
    let k = kernel();
    k.warp_specialize(|ws| ws.role("a", |_| {}));
    k.warp_specialize(|ws| ws.role("a", |_| {}));
    let errors = k.finish().unwrap_err();
    assert_eq!(errors.errors[0].to_string(), "`warp_specialize` is given twice");
    let kind = K::NestedWarpSpecialize { region: "loop" };
    let text = "the warps of a block are divided in the body of the kernel, not inside a loop";
    let build = |k: &KernelBuilder| k.for_range(0, 2, 1, |b, _| b.warp_specialize(|ws| ws.role("a", |_| {})));
    refused(build, kind, "TG0507", text);
    refused(
        |k| k.warp_specialize(|_| {}),
        K::NoRoles,
        "TG0507",
        "`warp_specialize` has at least one role, and none is given",
    );
    let k = kernel();
    k.warp_specialize(|ws| {
        ws.role("a", |_| {});
        ws.role("a", |_| {});
    });
    assert_eq!(k.finish().unwrap_err().errors[0].to_string(), "role \"a\" is given twice");
    let kind = K::NestedWarpSpecialize { region: "role" };
    let text = "the warps of a block are divided in the body of the kernel, not inside a role";
    let build = |k: &KernelBuilder| k.warp_specialize(|ws| ws.role("a", |_| ws.role("b", |_| {})));
    refused(build, kind, "TG0507", text);
}

#[test]
fn threads_of_a_kernel_with_roles_are_the_roles() {
    let k = kernel();
    let full = k.scratch(Barrier::new());
    k.barrier_arrive(full);
    k.warp_specialize(|ws| ws.role("a", |b| b.barrier_wait(full)));
    let errors = k.finish().unwrap_err();
    let text = "`tg.barrier_arrive` is executed by a thread, and outside of the roles a kernel with `warp_specialize` \
                has none; put it into a role";
    assert_eq!(errors.errors[0].to_string(), text);
    assert_eq!(errors.errors[0].code().id(), "TG0308");
    let k = kernel();
    let full = k.scratch(Barrier::new());
    k.warp_specialize(|ws| ws.role("a", |b| b.barrier_wait(full)));
    k.barrier_arrive(full);
    assert_eq!(k.finish().unwrap_err().errors[0].to_string(), text);
    let kind = K::OutsideRole { op: "tg.barrier_arrive".into() };
    let text = "`tg.barrier_arrive` stands between roles, where no warp would execute it; put it into a role";
    let build = |k: &KernelBuilder| {
        let full = k.scratch(Barrier::new());
        k.warp_specialize(|ws| {
            ws.role("a", |_| {});
            k.barrier_arrive(full);
        });
    };
    refused(build, kind, "TG0308", text);
}

// ---- extents ----

#[test]
fn grids_clusters_and_blocks_have_limits() {
    let kind = K::GridExtent { axis: "i".into(), found: 0 };
    let k = KernelBuilder::new("k").grid([("i", 0)]);
    only_error(k, &kind, "TG0706", "grid axis \"i\" has 0 blocks; it has 1 to 2147483647");
    let k = KernelBuilder::new("k").cluster([("x", 4), ("y", 8)]);
    let kind = K::ClusterSize { found: vec![4, 8] };
    only_error(k, &kind, "TG0705", "a cluster has 1 to 16 blocks, and this one has 4x8");
    let k = KernelBuilder::new("k").threads("wg", 9);
    let text = "a block has 1 to 8 warpgroups, and 9 are asked for";
    only_error(k, &K::BlockThreads { found: 9 }, "TG0704", text);
    let kind = K::RoleWarps { role: "a".into(), found: 33 };
    let text = "role \"a\" has 33 warps; a role has 1 to 32";
    let build = |k: &KernelBuilder| k.warp_specialize(|ws| ws.role(Role::new("a").warps(33), |_| {}));
    refused(build, kind, "TG0503", text);
    let text = "41 registers to a lane are asked for; it is a multiple of 8 from 24 to 256";
    refused(|k| k.set_max_registers(41, Registers::Increase), K::Registers { found: 41 }, "TG0505", text);
    let build = |k: &KernelBuilder| k.warp_specialize(|ws| ws.role(Role::new("a").registers(41), |_| {}));
    refused(build, K::Registers { found: 41 }, "TG0505", text);
}

#[test]
fn axes_are_those_that_are_declared() {
    let kind = K::UnknownAxis { axis: "i".into(), available: vec!["g".into(), "c".into()] };
    let text = "there is no axis \"i\" here; there are \"g\", \"c\"";
    refused(|k| k.axis_index("i"), kind, "TG0508", text);
    let k = KernelBuilder::new("k");
    let _ = k.axis_index("i");
    let kind = K::UnknownAxis { axis: "i".into(), available: vec![] };
    only_error(k, &kind, "TG0508", "there is no axis \"i\" here; the kernel declares none");
}

// ---- values ----

#[test]
fn operands_have_one_shape_and_one_type() {
    let kind = K::ShapeMismatch { op: "`+`", left: vec![128], right: vec![2, 64] };
    let text = "`+`: shapes [128] and [2, 64] do not match";
    refused(|k| float(k) + k.zeros([2, 64], F32), kind, "TG0402", text);
    let kind = K::DTypeMismatch { op: "`*`", left: F32, right: F16 };
    let text = "`*`: `f32` and `f16` are different types; convert one with `astype`";
    refused(|k| float(k) * k.zeros([128], F16), kind, "TG0403", text);
    let kind = K::NumberKind { op: "`&`", wanted: "integers and truth values", found: F32 };
    let text = "`&` works on integers and truth values, and this is `f32`";
    refused(|k| float(k) & float(k), kind, "TG0302", text);
    let kind = K::NumberKind { op: "exp2", wanted: "floating-point numbers", found: I32 };
    let text = "exp2 works on floating-point numbers, and this is `i32`";
    refused(|k| k.zeros([128], I32).exp2(), kind, "TG0302", text);
    let kind = K::NumberKind { op: "when", wanted: "a truth value (`i1`)", found: INDEX };
    let text = "when works on a truth value (`i1`), and this is `index`";
    refused(|k| k.when(k.axis_index("g"), |_| {}), kind, "TG0302", text);
    let kind = K::NumberKind { op: "select", wanted: "truth values (`i1`)", found: F32 };
    let text = "select works on truth values (`i1`), and this is `f32`";
    refused(|k| float(k).select(1.0, float(k)), kind, "TG0302", text);
}

#[test]
fn literals_are_values_of_their_type() {
    let kind = K::ConstantRange { value: "300".into(), dtype: I8 };
    refused(|k| k.full([8], 300, I8), kind, "TG0008", "300 is no value of `i8`");
    let kind = K::ConstantRange { value: "1.5".into(), dtype: I32 };
    refused(|k| k.zeros([8], I32) * 1.5, kind, "TG0008", "1.5 is no value of `i32`");
    refused(
        |k| k.axis_index("g") % 0,
        K::DivisionByZero { op: "remainder" },
        "TG0008",
        "remainder by the constant 0",
    );
    let build = |k: &KernelBuilder| k.axis_index("g") + Idx::from(1) / 0;
    refused(build, K::DivisionByZero { op: "division" }, "TG0008", "division by the constant 0");
}

#[test]
fn shapes_change_only_as_they_can() {
    let kind = K::ShapeMismatch { op: "reshape", left: vec![128], right: vec![2, 65] };
    refused(|k| float(k).reshape([2, 65]), kind, "TG0402", "reshape: shapes [128] and [2, 65] do not match");
    let kind = K::ShapeMismatch { op: "broadcast_to", left: vec![128], right: vec![128, 2] };
    let text = "broadcast_to: shapes [128] and [128, 2] do not match";
    refused(|k| float(k).broadcast_to([128, 2]), kind, "TG0402", text);
    let kind = K::Permutation { permutation: vec![0, 0], rank: 2 };
    let text = "[0, 0] does not name each of 2 dimensions once";
    refused(|k| k.zeros([2, 4], F32).transpose([0, 0]), kind, "TG0402", text);
    let kind = K::Dimension { op: "reduction", dim: 1, rank: 1 };
    let text = "reduction: there is no dimension 1 in an array of 1 dimensions";
    refused(|k| float(k).reduce_sum([1]), kind, "TG0402", text);
}

#[test]
fn carried_values_keep_their_types() {
    let kind = K::CarriedType {
        op: "the loop's body",
        index: 0,
        expected: "vector<128xf32>".into(),
        found: "vector<128xf16>".into(),
    };
    let text = "the loop's body hands on vector<128xf16> as value 0, where vector<128xf32> is expected";
    refused(|k| k.for_carry(0, 4, 1, float(k), |_, _, acc| acc.astype(F16)), kind, "TG0303", text);
    let kind =
        K::CarriedType { op: "the second branch", index: 0, expected: "index".into(), found: "i32".into() };
    let text = "the second branch hands on i32 as value 0, where index is expected";
    let build = |k: &KernelBuilder| {
        let i = k.axis_index("g");
        let _ = k.if_else(i.eq(0), |_| Scalar::from(i), |_| i.astype(I32));
    };
    refused(build, kind, "TG0303", text);
    let kind = K::CarriedCount { op: "the loop's body", expected: 2, found: 1 };
    let text = "the loop's body hands on 1 values, where 2 are expected";
    let build = |k: &KernelBuilder| {
        let _ = k.for_carry(0, 4, 1, vec![float(k), float(k)], |_, _, acc| acc[..1].to_vec());
    };
    refused(build, kind, "TG0310", text);
    refused(
        |k| k.for_range(0, 4, 0, |_, _| {}),
        K::Step { found: 0 },
        "TG0911",
        "a loop's step is at least 1, and this one is 0",
    );
    let kind = K::FormatArguments { placeholders: 2, args: 1 };
    let text = "the format has 2 `{}`, and 1 arguments are given";
    refused(|k| k.debug_print("{} {}", [Scalar::literal(1, I32)]), kind, "TG0310", text);
}

// ---- places ----

#[test]
fn accesses_stay_inside_of_what_they_access() {
    let buf = |k: &KernelBuilder| k.scratch(Smem::new([2, 128], F32)).named("buf");
    let kind = K::IndexCount { what: "`%buf`".into(), found: 3, rank: 2 };
    let text = "3 indices into `%buf`, which has 2 dimensions";
    refused(|k| k.load(buf(k).at((0, 0, 0))), kind, "TG0402", text);
    let kind = K::IndexRange { what: "`%buf`".into(), dim: 0, index: 2, extent: 2 };
    refused(|k| k.load(buf(k).at(2)), kind, "TG0404", "index 2 into dimension 0 of `%buf`, which has 2");
    let kind = K::AccessRange { what: "`%buf`".into(), dim: 1, index: 96, size: 64, extent: 128 };
    let text = "64 elements from index 96 lead beyond dimension 1 of `%buf`, which has 128";
    refused(|k| k.load(buf(k).at((0, 96)).sized([64])), kind, "TG0404", text);
    let kind = K::ShapeMismatch { op: "store", left: vec![64], right: vec![2, 128] };
    let text = "store: shapes [64] and [2, 128] do not match";
    refused(|k| k.store(k.zeros([64], F32), buf(k).at(0)), kind, "TG0402", text);
    let kind = K::DTypeMismatch { op: "store", left: F16, right: F32 };
    let text = "store: `f16` and `f32` are different types; convert one with `astype`";
    refused(|k| k.store(k.zeros([128], F16), buf(k).at(0)), kind, "TG0403", text);
    let kind = K::DynamicExtent { what: "`%x`".into(), dim: 0 };
    let text =
        "dimension 0 of `%x` is known at launch only, so an access says how much it takes: `.sized([...])`";
    refused(|k| k.load(k.input("x", [DYN, 128], F32)), kind, "TG0406", text);
}

#[test]
fn one_barrier_is_picked_and_exists() {
    let full = |k: &KernelBuilder| k.scratch(Barrier::new().num_barriers(4)).named("full");
    let kind = K::GroupForOne { what: "`%full`".into(), shape: vec![4] };
    let text = "`%full` is a group of 4 barriers, and one of them is wanted: pick it with `.at(...)`";
    refused(|k| k.barrier_wait(full(k)), kind.clone(), "TG0201", text);
    refused(|k| k.barrier_arrive(full(k)), kind, "TG0201", text);
    let kind = K::BarrierIndexCount { what: "`%full`".into(), found: 2, shape: vec![4] };
    let text = "2 indices into `%full`, a group of 1 dimensions";
    refused(|k| k.barrier_wait(full(k).at((0, 0))), kind, "TG0211", text);
    for index in [4, -1] {
        let kind = K::BarrierIndexRange { what: "`%full`".into(), dim: 0, index, extent: 4 };
        let text = format!("barrier {index} in dimension 0 of `%full`, which has 4");
        refused(|k| k.barrier_wait(full(k).at(index)), kind, "TG0202", &text);
    }
    let kind = K::PeerNotAllowed { op: "barrier_wait" };
    let text = "barrier_wait works on the block's own barrier only, not on a peer's";
    refused(|k| k.barrier_wait(full(k).at(0).peer(1)), kind, "TG0206", text);
    let text = "0 arrivals at once; it is 1 to 1048575";
    refused(|k| k.barrier_arrive_many(full(k).at(0), 0), K::ArrivalCount { found: 0 }, "TG0203", text);
    let text = "-4 bytes are announced; a barrier counts 0 to 1048575 (2^20 - 1) of them";
    refused(|k| k.barrier_expect_tx(full(k).at(0), -4), K::ExpectedBytes { found: -4 }, "TG0610", text);
}

#[test]
fn copies_move_boxes_of_one_type() {
    let full = |k: &KernelBuilder| k.scratch(Barrier::new());
    let kind = K::ShapeMismatch { op: "copy", left: vec![64], right: vec![128] };
    let text = "copy: shapes [64] and [128] do not match";
    let build = |k: &KernelBuilder| {
        k.copy_gmem_to_smem(k.input("x", [128], F32), k.scratch(Smem::new([64], F32)), full(k));
    };
    refused(build, kind, "TG0402", text);
    let kind = K::CopyElements { source_dtype: F32, dest_dtype: F16 };
    let text = "a copy moves bytes as they are, and `f32` is not `f16`";
    let build = |k: &KernelBuilder| {
        k.copy_gmem_to_smem(k.input("x", [128], F32), k.scratch(Smem::new([128], F16)), full(k));
    };
    refused(build, kind, "TG0606", text);
    let kind = K::CopyShape { copied: vec![2, 64], global: vec![128] };
    let text = "the copied box is [2, 64] and global memory has shape [128]: as many dimensions, or fewer, are wanted";
    let build = |k: &KernelBuilder| {
        k.copy_gmem_to_smem(k.input("x", [128], F32), k.scratch(Smem::new([2, 64], F32)), full(k));
    };
    refused(build, kind, "TG0607", text);
}

#[test]
fn a_block_is_one_of_the_array() {
    let spec = BlockSpec::new([BlockDim::Squeezed, 64.into()]).index_map(|grid| vec![grid[0], grid[0] - 1]);
    let block = |k: &KernelBuilder, index: i64| {
        let x = k.input("x", [4, 128], F32);
        let buf = k.scratch(Smem::new([64], F32));
        k.copy_gmem_to_smem(k.block(x, &spec, index), buf, k.scratch(Barrier::new()));
    };
    let kind = K::BlockIndex { what: "`%x`".into(), dim: 1, index: 2, blocks: 2 };
    refused(|k| block(k, 3), kind, "TG0404", "block 2 in dimension 1 of `%x`, which has 2");
    let kind = K::BlockIndex { what: "`%x`".into(), dim: 1, index: -1, blocks: 2 };
    refused(|k| block(k, 0), kind, "TG0404", "block -1 in dimension 1 of `%x`, which has 2");
    let kind = SpecErrorKind::IndexMapRank { found: 1, dims: 2 };
    let build = |k: &KernelBuilder| {
        let x = k.input("x", [4, 128], F32);
        k.block(x, &BlockSpec::new([1, 64]), 0)
    };
    refused(build, kind, "TG0903", "the index map gives 1 indices for 2 block dimensions");
    let kind = SpecErrorKind::BoundedSlice { dim: 0, bound: 4 };
    let text = "block dimension 0 is a bounded slice of up to 4 elements, which has no fixed box for TMA to copy; give a \
                number of elements and let the index map move it";
    let build = |k: &KernelBuilder| {
        let x = k.input("x", [128], F32);
        k.block(x, &BlockSpec::new([BlockDim::BoundedSlice(4)]), 0)
    };
    refused(build, kind, "TG0903", text);
}

#[test]
fn what_is_made_without_a_kernel_is_not_silently_lost() {
    let early = Scalar::literal(1, I32) + 2;
    let text = "this was computed while no kernel was being built; make the kernel first";
    refused(|k| k.debug_print("{}", [early]), K::NoKernel, "TG0911", text);
    let finished = kernel();
    let i = finished.axis_index("g");
    assert!(finished.finish().is_ok());
    let kind = K::ForeignHandle { what: "a handle".into(), owner: None, user: "k".into() };
    let text = "a handle was made for another kernel and is used in kernel \"k\"";
    refused(|k| k.assert((i * 2).lt(3), "late"), kind, "TG0910", text);
}

#[test]
fn all_errors_are_found_in_one_go() {
    let k = kernel();
    let full = k.scratch(Barrier::new().num_barriers(2));
    k.barrier_wait(full);
    k.for_range(0, 4, 1, |b, _| b.barrier_arrive(full.at(2)));
    k.warp_specialize(|ws| {
        ws.role("a", |b| {
            let _ = b.axis_index("nope");
        })
    });
    let errors = k.finish().unwrap_err();
    let codes: Vec<_> = errors.errors.iter().map(|error| error.code().id()).collect();
    assert_eq!(codes, ["TG0201", "TG0202", "TG0508"]);
    let shown = errors.to_string();
    assert!(shown.contains("k.barrier_wait(full);"), "the Rust lines are shown:\n{shown}");
    assert!(shown.contains("tests/frontend/refusals.rs"), "{shown}");
}

#[test]
fn the_verifier_has_the_last_word() {
    let k = KernelBuilder::new("k");
    let full = k.scratch(Barrier::new()).named("full");
    k.barrier_arrive_many(full, 2);
    let errors = k.finish().unwrap_err();
    assert!(errors.errors.is_empty());
    assert_eq!(errors.diagnostics[0].code.id(), "TG0212");
    assert!(errors.to_string().contains("k.mlir"), "{errors}");
}

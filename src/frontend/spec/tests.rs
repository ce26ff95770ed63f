//! One test for each refusal of a spec: the variant with its values, the code and the text.

use super::super::error::SpecErrorKind as K;
use super::super::{BF16, DType, DYN, F16, F32, SpecError};
use super::*;
use crate::ir::types::{ClusterAxes, Space, TypeError};

/// Checks the variant, the code and the text of a refusal.
#[track_caller]
fn refused<T: std::fmt::Debug>(outcome: Result<T, SpecError>, kind: K, code: &str, text: &str) {
    let error = outcome.expect_err("refused");
    assert_eq!(*error.kind, kind);
    assert_eq!(error.code().id(), code);
    assert_eq!(error.to_string(), text);
    assert_eq!(error.site.file(), file!(), "the place is the caller's");
}

// ---- barriers ----

#[test]
fn a_barrier_has_a_ref_aval_in_shared_memory() {
    let spec = Barrier { num_arrivals: 1, num_barriers: vec![1], orders_tensor_core: false };
    assert_eq!(spec, Barrier::new());
    let aval = spec.ref_aval().unwrap();
    assert_eq!(aval.to_string(), "!tg.barrier_ref<1, arrivals = 1>");
    assert_eq!(aval.space(), Some(Space::Smem));
    assert!(aval.is_barrier() && spec.is_barrier());
    let group = Barrier::new().num_barriers([2, 4]).num_arrivals(3).orders_tensor_core(true);
    let text = "!tg.barrier_ref<2x4, arrivals = 3, orders_tensor_core>";
    assert_eq!(group.ref_aval().unwrap().to_string(), text);
}

#[test]
fn a_cluster_barrier_has_a_ref_aval_with_its_axes() {
    let joint = vec![ClusterAxes::One("x".into()), ClusterAxes::Joint(["y".into(), "z".into()].into())];
    let spec = ClusterBarrier::new(joint).num_barriers(2).leader_tracked(true);
    let text = "!tg.barrier_ref<2, arrivals = 1, cluster = [\"x\", [\"y\", \"z\"]], leader_tracked>";
    assert_eq!(spec.ref_aval().unwrap().to_string(), text);
    assert!(spec.is_barrier());
}

#[test]
fn one_axis_may_be_a_bare_string() {
    assert_eq!(ClusterBarrier::new("c"), ClusterBarrier::new(["c"]));
}

#[test]
fn barriers_are_not_arrays() {
    for spec in [Spec::from(Barrier::new().num_barriers(4)), Barrier::new().num_barriers([2, 2]).into()] {
        let error = spec.array_aval().unwrap_err();
        assert_eq!(error.code().id(), "TG0909");
        assert!(matches!(*error.kind, K::BarrierIsNoArray { .. }));
        let text = "barriers are not arrays: this is a reference to 4 barriers in shared memory, and it has no elements \
                    and no element type; `ref_aval()` describes it, and a kernel can wait for its phase, arrive on it, \
                    index its group or hand it to an asynchronous copy";
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn cluster_barriers_are_not_arrays() {
    let error = ClusterBarrier::new(["c", "d"]).array_aval().unwrap_err();
    assert_eq!(error.code().id(), "TG0909");
    assert!(matches!(*error.kind, K::ClusterBarrierIsNoArray { .. }));
    let text = "cluster barriers are not arrays: this is a reference to one cluster barrier in shared memory, whose \
                arrivals reach every block along \"c\", \"d\", and it has no elements and no element type; `ref_aval()` \
                describes it, and a kernel can wait for its phase, arrive on it or index its group";
    assert_eq!(error.to_string(), text);
}

#[test]
fn semaphores_are_not_arrays() {
    let aval = Semaphore::new().ref_aval().unwrap();
    assert_eq!(aval.to_string(), "!tg.semaphore_ref<1>");
    assert_eq!(aval.space(), Some(Space::Gmem));
    refused(
        Semaphore::new().num_semaphores(2).array_aval(),
        K::SemaphoreIsNoArray { shape: vec![2] },
        "TG0909",
        "semaphores are not arrays: this is a reference to 2 semaphores in global memory, which other blocks change at \
         any time; signal it and wait on it with semaphore operations, and keep data in a reference of its own",
    );
}

#[test]
fn a_phase_takes_at_least_one_arrival() {
    for found in [0, -3, i64::MIN] {
        let text = format!(
            "a barrier needs at least 1 arrival to complete a phase, but num_arrivals is {found}: nothing would ever \
             complete it"
        );
        let kind = K::TooFewArrivals { noun: "barrier", found };
        refused(Barrier::new().num_arrivals(found).ref_aval(), kind, "TG0901", &text);
    }
    let kind = K::TooFewArrivals { noun: "cluster barrier", found: 0 };
    let text = "a cluster barrier needs at least 1 arrival to complete a phase, but num_arrivals is 0: nothing would \
                ever complete it";
    refused(ClusterBarrier::new("c").num_arrivals(0).ref_aval(), kind, "TG0901", text);
}

#[test]
fn a_phase_takes_at_most_twenty_bits_of_arrivals() {
    assert!(Barrier::new().num_arrivals((1 << 20) - 1).ref_aval().is_ok());
    let kind = K::TooManyArrivals { noun: "barrier", found: 1 << 20 };
    let text = "a barrier counts at most 1048575 (2^20 - 1) arrivals to a phase, but num_arrivals is 1048576; it counts \
                threads (warpgroups, or the warp of a one-warp role), not lanes";
    refused(Barrier::new().num_arrivals(1 << 20).ref_aval(), kind, "TG0901", text);
    let kind = K::TooManyArrivals { noun: "cluster barrier", found: i64::MAX };
    let error = ClusterBarrier::new("c").num_arrivals(i64::MAX).ref_aval().unwrap_err();
    assert_eq!(*error.kind, kind);
}

#[test]
fn arrivals_are_those_of_threads_so_that_lanes_do_not_overflow_the_count() {
    // 10000 x 128 lanes would be more than 2^20 - 1; 10000 threads are not.
    let aval = Barrier::new().num_arrivals(10_000).ref_aval().unwrap();
    assert_eq!(aval.to_string(), "!tg.barrier_ref<1, arrivals = 10000>");
}

#[test]
fn a_group_has_barriers() {
    let kind = K::EmptyGroup { noun: "barrier", dim: 0, found: 0 };
    let text = "a barrier group has at least one barrier, but dimension 0 of num_barriers is 0";
    refused(Barrier::new().num_barriers(0).ref_aval(), kind, "TG0902", text);
    let kind = K::EmptyGroup { noun: "cluster barrier", dim: 1, found: -1 };
    let text =
        "a cluster barrier group has at least one cluster barrier, but dimension 1 of num_barriers is -1";
    refused(ClusterBarrier::new("c").num_barriers([2, -1]).ref_aval(), kind, "TG0902", text);
    let kind = K::NoGroupDimension { noun: "barrier" };
    let text =
        "num_barriers of a barrier group has at least one dimension, but none is given; one barrier is `1`";
    refused(Barrier::new().num_barriers(Vec::new()).ref_aval(), kind, "TG0902", text);
}

#[test]
fn a_group_fits_into_shared_memory() {
    assert!(Barrier::new().num_barriers(33).ref_aval().is_ok(), "no limit of 32");
    assert!(Barrier::new().num_barriers(29_056).ref_aval().is_ok());
    let kind = K::GroupTooLarge { noun: "barrier", shape: vec![29_057] };
    let text = "a group of 29057 barriers takes more shared memory than a block has: at most 29056 fit, 8 bytes each";
    refused(Barrier::new().num_barriers(29_057).ref_aval(), kind, "TG0204", text);
    let shape = [i64::MAX, i64::MAX];
    let kind = K::GroupTooLarge { noun: "barrier", shape: shape.to_vec() };
    let error = Barrier::new().num_barriers(shape).ref_aval().unwrap_err();
    assert_eq!(*error.kind, kind);
}

#[test]
fn a_cluster_barrier_names_axes_once() {
    let text = "a cluster barrier names at least one axis of the cluster along which its arrivals go, but none is given";
    refused(ClusterBarrier::new(Vec::<String>::new()).ref_aval(), K::NoClusterAxes, "TG0207", text);
    let kind = K::DuplicateClusterAxis { axis: "c".into() };
    let text = "cluster axis \"c\" is named twice in collective_axes";
    refused(ClusterBarrier::new(["c", "c"]).ref_aval(), kind, "TG0207", text);
}

// ---- memory ----

#[test]
fn arrays_have_both_avals() {
    let smem = Smem::new([2, 128, 64], BF16).tile([8, 64]).swizzle(128);
    let text = "!tg.ref<2x128x64xbf16, smem, tile = [8, 64], swizzle = 128>";
    assert_eq!(smem.ref_aval().unwrap().to_string(), text);
    assert_eq!(smem.array_aval().unwrap().to_string(), "bf16[2, 128, 64]");
    assert_eq!(Gmem::new([DYN, 128], F32).ref_aval().unwrap().to_string(), "!tg.ref<?x128xf32, gmem>");
    assert_eq!(Gmem::new([DYN, 128], F32).array_aval().unwrap().to_string(), "f32[?, 128]");
    let tmem = Tmem::new([128, 128], BF16).packed(true).collective(true);
    assert_eq!(tmem.ref_aval().unwrap().to_string(), "!tg.ref<128x128xbf16, tmem, packed, collective>");
    assert_eq!(Acc::new([64, 128], F32).ref_aval().unwrap().to_string(), "!tg.acc<64x128xf32>");
    assert_eq!(Acc::new([64, 128], F32).ref_aval().unwrap().space(), None);
    assert_eq!(Acc::new([64, 128], F32).array_aval().unwrap().to_string(), "f32[64, 128]");
    assert!(!smem.is_barrier());
}

#[test]
fn options_of_tensor_memory_stay_there() {
    let cases = [
        (Spec::from(Smem::new([128], F32).packed(true)), "packed", Space::Smem, "shared memory"),
        (Smem::new([128], F32).packed(false).into(), "packed", Space::Smem, "shared memory"),
        (Smem::new([128], F32).collective(true).into(), "collective", Space::Smem, "shared memory"),
        (Smem::new([128], F32).layout("L").into(), "layout", Space::Smem, "shared memory"),
        (Gmem::new([128], F32).packed(true).into(), "packed", Space::Gmem, "global memory"),
        (Gmem::new([128], F32).collective(true).into(), "collective", Space::Gmem, "global memory"),
        (Gmem::new([128], F32).layout("L").into(), "layout", Space::Gmem, "global memory"),
    ];
    for (spec, option, space, name) in cases {
        let text =
            format!("`{option}` places an array in tensor memory, and this one is in {name}: leave it out");
        refused(spec.ref_aval(), K::TmemOption { option, space }, "TG0905", &text);
    }
}

#[test]
fn packed_and_layout_exclude_each_other() {
    let text =
        "`packed` and `layout = L` both say how elements are placed in tensor memory: give one of them";
    let spec = Tmem::new([128, 128], BF16).packed(true).layout("L");
    refused(spec.ref_aval(), K::PackedWithLayout { layout: "L".into() }, "TG0906", text);
    assert!(Tmem::new([128, 128], BF16).packed(false).layout("L").ref_aval().is_ok());
}

#[test]
fn transforms_belong_to_shared_memory() {
    for (spec, transform) in [
        (Tmem::new([128, 128], F32).tile([8, 32]), "tile"),
        (Tmem::new([128, 128], F32).swizzle(128), "swizzle"),
    ] {
        let text = format!(
            "`{transform}` rearranges addresses of shared memory; tensor memory has lanes and columns, placed by \
             `packed` or `layout`"
        );
        refused(spec.ref_aval(), K::TmemTransform { transform }, "TG0907", &text);
    }
    let text = "`swizzle` rearranges addresses of shared memory; an array in global memory cannot have it";
    refused(
        Gmem::new([128], F32).swizzle(64).ref_aval(),
        K::GmemTransform { transform: "swizzle" },
        "TG0405",
        text,
    );
    let text = "`strides` describe arrays in global memory; this one is in shared memory";
    let kind = K::StridesSpace { space: Space::Smem };
    refused(Smem::new([128], F32).strides([1]).ref_aval(), kind, "TG0405", text);
}

#[test]
fn narrow_elements_in_tensor_memory_say_where_they_go() {
    let kind = K::NarrowTmem { dtype: F16, bits: 16 };
    let text = "tensor memory has 32-bit columns and `f16` has 16 bits: say with `packed` that elements share a column, \
                or give a `layout`";
    refused(Tmem::new([128, 128], F16).ref_aval(), kind, "TG0908", text);
    let kind = K::NarrowTmem { dtype: F16, bits: 16 };
    refused(Tmem::new([128, 128], F16).packed(false).ref_aval(), kind, "TG0908", text);
    assert!(Tmem::new([128, 128], F16).packed(true).ref_aval().is_ok());
}

#[test]
fn tensor_memory_has_rows_and_columns() {
    let text = "an array in tensor memory has 64 or 128 rows, one for each lane; this one has 100";
    refused(Tmem::new([100, 128], F32).ref_aval(), K::TmemRows { rows: 100 }, "TG0702", text);
    let kind = K::TmemColumns { columns: 600, dtype: F32, needed: 600, rounded: 1024 };
    let text = "tensor memory has 512 columns of 32 bits; 600 columns of `f32` take 600, allocated as 1024";
    refused(Tmem::new([128, 600], F32).ref_aval(), kind, "TG0702", text);
    let kind = K::TmemColumns { columns: 1026, dtype: F16, needed: 513, rounded: 1024 };
    let text = "tensor memory has 512 columns of 32 bits; 1026 columns of `f16` take 513, allocated as 1024";
    refused(Tmem::new([128, 1026], F16).packed(true).ref_aval(), kind, "TG0702", text);
    assert!(Tmem::new([128, 1024], F16).packed(true).ref_aval().is_ok());
    let text = "an array in tensor memory has two dimensions, rows and columns; this one has 1";
    refused(Tmem::new([128], F32).ref_aval(), K::TmemRank { shape: vec![128] }, "TG0702", text);
    let huge = Tmem::new([128, i64::MAX], F32).ref_aval().unwrap_err();
    assert!(matches!(*huge.kind, K::TmemColumns { .. }));
}

#[test]
fn rules_of_the_types_themselves_are_found_as_well() {
    let cases: [(Spec, TypeError, &str); 8] = [
        (Smem::new([0, 128], F32).into(), TypeError::Extent { dim: 0, found: 0 }, "TG0913"),
        (Smem::new([-5], F32).into(), TypeError::Extent { dim: 0, found: -5 }, "TG0913"),
        (Smem::new([i64::MAX, 2], F32).into(), TypeError::TooManyElements, "TG0913"),
        (Smem::new([DYN], F32).into(), TypeError::DynamicExtent { dim: 0 }, "TG0406"),
        (Smem::new([64], F32).swizzle(48).into(), TypeError::Swizzle { found: 48 }, "TG0405"),
        (
            Smem::new([64, 60], F32).tile([8, 32]).into(),
            TypeError::TileExtent { dim: 1, tile: 32, extent: 60 },
            "TG0405",
        ),
        (Smem::new([64], DType::Int(0)).into(), TypeError::IntegerWidth { found: 0 }, "TG0407"),
        (Acc::new([63, 8], F32).into(), TypeError::AccShape { rows: 63, columns: 8 }, "TG0913"),
    ];
    for (spec, error, code) in cases {
        let text = error.to_string();
        refused(spec.ref_aval(), K::Type(error), code, &text);
    }
    let text = "an accumulator has two dimensions, rows and columns; this one has shape [64]";
    refused(Acc::new([64], F32).ref_aval(), K::AccRank { shape: vec![64] }, "TG0913", text);
}

// ---- unions ----

#[test]
fn a_union_is_arrays_of_one_memory() {
    let union = RefUnion::new([Smem::new([128], F32).into(), Smem::new([64], F16).into()]);
    assert_eq!(union.ref_aval().unwrap().describe(), "a union of 2 references");
    assert_eq!(union.ref_aval().unwrap().space(), Some(Space::Smem));
    refused(
        union.array_aval(),
        K::UnionIsNoArray { members: 2 },
        "TG0912",
        "a union of 2 references is 2 arrays in the same memory and not one; take the array aval of a member",
    );
    let text = "a union of references has at least one member, but none is given";
    refused(RefUnion::new([]).ref_aval(), K::EmptyUnion, "TG0912", text);
    let mixed = RefUnion::new([Smem::new([128], F32).into(), Tmem::new([128, 8], F32).into()]);
    refused(
        mixed.ref_aval(),
        K::UnionSpace {
            index: 1,
            found: "a reference to an array f32[128, 8] in tensor memory".into(),
            space: Space::Smem,
        },
        "TG0912",
        "member 1 of the union is a reference to an array f32[128, 8] in tensor memory, and the union is in shared memory",
    );
}

#[test]
fn a_union_has_no_barrier_in_it() {
    for barrier in [Spec::from(Barrier::new().num_barriers(2)), ClusterBarrier::new("c").into()] {
        let union = RefUnion::new([Smem::new([128], F32).into(), barrier]);
        let error = union.ref_aval().unwrap_err();
        assert!(matches!(*error.kind, K::BarrierInUnion { index: 1, .. }));
        assert_eq!(error.code().id(), "TG0912");
    }
    let error = RefUnion::new([Barrier::new().into()]).ref_aval().unwrap_err();
    let text = "member 0 of the union is a reference to one barrier in shared memory, and a union is for arrays that \
                share memory over time: an array written over a live barrier destroys its counts, and who waits on it \
                never comes back; allocate the barrier on its own";
    assert_eq!(error.to_string(), text);
}

// ---- blocks ----

fn array() -> ShapedArray {
    ShapedArray::new([16, 128], F32)
}

#[test]
fn a_window_has_both_avals() {
    let spec = BlockSpec::new([BlockDim::Squeezed, BlockDim::Element { size: 32, padding: (0, 0) }]);
    let window = spec.window(&array()).unwrap();
    assert_eq!(window.ref_aval().unwrap().to_string(), "!tg.ref<32xf32, smem>");
    assert_eq!(Spec::from(window).array_aval().unwrap().to_string(), "f32[32]");
    let ring =
        BlockSpec::new([4, 64]).pipeline_mode(PipelineMode::Buffered(3)).window(&array()).unwrap().ring();
    assert_eq!(ring.ref_aval().unwrap().to_string(), "!tg.ref<3x4x64xf32, smem>");
}

#[test]
fn block_dimensions_that_no_copy_can_do_are_refused() {
    let text = "block dimension 1 is a bounded slice of up to 64 elements, which has no fixed box for TMA to copy; give \
                a number of elements and let the index map move it";
    let spec = BlockSpec::new([BlockDim::Squeezed, BlockDim::BoundedSlice(64)]);
    refused(spec.window(&array()), K::BoundedSlice { dim: 1, bound: 64 }, "TG0903", text);
    let text = "block dimension 0 is an element-wise window of 4 padded by (1, 2), and padding is not supported: TMA \
                fills what lies outside of the array with zeros, so move the window over the edge";
    let spec = BlockSpec::new([BlockDim::Element { size: 4, padding: (1, 2) }, 128.into()]);
    let kind = K::PaddedElement { dim: 0, size: 4, low: 1, high: 2 };
    refused(spec.window(&array()), kind, "TG0903", text);
    let text = "block dimension 0 has 0 elements; a block has at least 1";
    refused(BlockSpec::new([0, 128]).window(&array()), K::BlockExtent { dim: 0, found: 0 }, "TG0903", text);
    let text = "block dimension 1 has 256 elements and the array only 128";
    let kind = K::BlockLarger { dim: 1, block: 256, extent: 128 };
    refused(BlockSpec::new([1, 256]).window(&array()), kind, "TG0903", text);
    let text = "1 block dimensions for an array of 2 (shape 16x128)";
    let kind = K::BlockRank { found: 1, rank: 2, shape: vec![16, 128] };
    refused(BlockSpec::new([16]).window(&array()), kind, "TG0903", text);
}

#[test]
fn block_dimensions_given_as_text_are_read_or_refused() {
    let spec = BlockSpec::from_text(["None", "64"]);
    assert_eq!(spec, BlockSpec::new([BlockDim::Squeezed, 64.into()]));
    for text in
        ["64.5", "sixty-four", "", "Element(a)", "Element(1, 2)", "{\"size\": 64}", "Blocked(1", "1e2"]
    {
        let kind = K::BlockDimText { dim: 1, text: text.into() };
        let message = format!(
            "block dimension 1 is `{text}`; a block dimension is a whole number, `Squeezed` or `Element(n)`"
        );
        refused(BlockSpec::from_text(["None", text]).window(&array()), kind, "TG0903", &message);
    }
    let read = |text: &str| text.parse::<BlockDim>().unwrap();
    assert_eq!(read("Element(64, padding=(1, 1))"), BlockDim::Element { size: 64, padding: (1, 1) });
    assert_eq!(read("Element(8)"), BlockDim::Element { size: 8, padding: (0, 0) });
    assert_eq!(read("BoundedSlice(64)"), BlockDim::BoundedSlice(64));
    assert_eq!(read(" Blocked(64) "), BlockDim::Blocked(64));
}

#[test]
fn pipeline_modes_that_are_none_are_refused() {
    let with = |mode: PipelineMode| BlockSpec::new([16, 64]).pipeline_mode(mode).window(&array());
    let kind = K::PipelineModeText { text: "double".into() };
    let text = "pipeline mode `double` is not supported; there are `Buffered(n)`, a ring of n slots, and `Synchronous`";
    refused(with("double".into()), kind, "TG0904", text);
    let text = "a buffered pipeline has at least 1 slot, but 0 are asked for";
    refused(with(PipelineMode::Buffered(0)), K::PipelineDepth { found: 0 }, "TG0904", text);
    assert!(with("Buffered(2)".into()).is_ok());
    assert!(with("Synchronous".into()).is_ok());
    for mode in ["Buffered(two)", "Buffered(2", "", "\"double\""] {
        assert!(matches!(*with(mode.into()).unwrap_err().kind, K::PipelineModeText { .. }), "{mode}");
    }
}

#[test]
fn slots_released_late_leave_one_to_fill() {
    let with = |slots, delay| {
        BlockSpec::new([16, 64])
            .pipeline_mode(PipelineMode::Buffered(slots))
            .delay_release(delay)
            .window(&array())
    };
    assert!(with(2, 1).is_ok());
    let kind = K::DelayRelease { delay: 1, slots: 1 };
    let text = "delay_release = 1 keeps 1 slot(s) in use after their step, and the pipeline has 1: the producer would \
                wait for a slot that is released only after its own copy; give more slots than the delay";
    refused(with(1, 1), kind, "TG0904", text);
    let text = "delay_release is -1; a slot is released at least 0 steps late";
    refused(with(2, -1), K::NegativeDelay { found: -1 }, "TG0904", text);
}

#[test]
fn specs_compare_by_what_they_say() {
    assert_eq!(Spec::from(Barrier::new()), Spec::from(Barrier::default()));
    assert_ne!(Spec::from(Barrier::new()), Spec::from(Barrier::new().num_arrivals(2)));
    assert_ne!(Spec::from(Smem::new([1], F32)), Spec::from(Gmem::new([1], F32)));
}

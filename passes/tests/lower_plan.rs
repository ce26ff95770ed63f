//! What the lowering decides beforehand: how barriers count, which threads run on one lane, where lanes are joined.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use tidegate_ir::diag::Diagnostics;
use tidegate_ir::ops::{Opcode, TgOp};
use tidegate_ir::text::parse;
use tidegate_ir::{Module, Op};
use tidegate_passes::lower::plan::{
    arrivals::{ArrivalPlan, Counting},
    params::{CopyWay, Param, Params, Size},
    ranges::Ranges,
    shape::KernelShape,
    sync::joins,
};

fn read(text: &str) -> (Module, KernelShape) {
    let mut diags = Diagnostics::new();
    let (module, result) = parse("plan.mlir", text, &mut diags);
    assert!(result.is_ok(), "{diags:?}");
    let kernel = module.block_ops(module.body()).next().unwrap();
    let shape = KernelShape::of(&module, kernel).unwrap();
    (module, shape)
}

/// The names of the ops of the first crew before which its lanes are joined.
fn joined(module: &Module, shape: &KernelShape, crew: usize) -> Vec<String> {
    let plan = ArrivalPlan::of(module, shape);
    let joins = joins(module, &plan, &shape.crews[crew]);
    let ops = module.walk(shape.op).into_iter().filter(|op| joins.before.contains(op));
    ops.map(|op| module.op_name(op).to_owned()).collect()
}

fn ops(module: &Module, wanted: TgOp) -> Vec<Op> {
    module.all_ops().into_iter().filter(|&op| module.opcode(op) == Opcode::Tg(wanted)).collect()
}

#[test]
fn all_lanes_arrive_where_an_elected_one_would_need_a_join() {
    // Writing, then arriving: the elected lane would release what the others have not yet written (case 6.4).
    let (module, shape) = read(
        r#"tg.kernel @k(out %o: !tg.ref<128xf32, gmem>) {
             %a = tg.alloc : !tg.ref<128xf32, smem>
             %bar = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
             %v = arith.constant dense<1.0> : vector<128xf32>
             tg.warp_specialize {
               role @writer {
                 tg.store %v, %a : vector<128xf32>, !tg.ref<128xf32, smem>
                 tg.barrier_arrive %bar : !tg.barrier_ref<1, arrivals = 1>
               }
               role @reader {
                 tg.barrier_wait %bar : !tg.barrier_ref<1, arrivals = 1>
               }
             }
           }"#,
    );
    let plan = ArrivalPlan::of(&module, &shape);
    assert_eq!((plan.groups[0].counting, plan.groups[0].count), (Counting::AllLanes, 128));
    assert_eq!(joined(&module, &shape, 0), [""; 0]);
    assert!(plan.is_single(&shape.crews[1]), "a thread that only waits needs one lane");
}

#[test]
fn one_lane_arrives_behind_a_join() {
    // The join of `tg.commit_smem` does.
    let (module, shape) = read(
        r#"tg.kernel @k() {
             %a = tg.alloc : !tg.ref<128xf32, smem>
             %bar = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
             %v = arith.constant dense<1.0> : vector<128xf32>
             tg.warp_specialize {
               role @writer {
                 tg.store %v, %a : vector<128xf32>, !tg.ref<128xf32, smem>
                 tg.commit_smem
                 tg.barrier_arrive %bar : !tg.barrier_ref<1, arrivals = 1>
               }
               role @reader {
                 tg.barrier_wait %bar : !tg.barrier_ref<1, arrivals = 1>
               }
             }
           }"#,
    );
    let plan = ArrivalPlan::of(&module, &shape);
    assert_eq!((plan.groups[0].counting, plan.groups[0].count), (Counting::Elected, 1));
    assert_eq!(joined(&module, &shape, 0), [""; 0]);
}

#[test]
fn a_wait_is_joined_before_one_lane_arrives_for_all() {
    // Other lanes may still look for the phase that the arrival lets pass (case 4.4). The loads make the thread one of
    // 128 lanes.
    let (module, shape) = read(
        r#"tg.kernel @k(in %x: !tg.ref<4x128xf32, gmem>, out %o: !tg.ref<128xf32, gmem>) {
             %a = tg.alloc : !tg.ref<128xf32, smem>
             %bar = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
             %c0 = arith.constant 0 : index
             %c1 = arith.constant 1 : index
             %c4 = arith.constant 4 : index
             scf.for %i = %c0 to %c4 step %c1 {
               tg.copy_gmem_to_smem %x[%i] -> %a, %bar : !tg.ref<4x128xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<1, arrivals = 1>
               tg.barrier_wait %bar : !tg.barrier_ref<1, arrivals = 1>
             }
             %v = tg.load %a : !tg.ref<128xf32, smem> -> vector<128xf32>
             tg.store %v, %o : vector<128xf32>, !tg.ref<128xf32, gmem>
           }"#,
    );
    assert_eq!(joined(&module, &shape, 0), ["tg.copy_gmem_to_smem"]);
}

#[test]
fn arrays_that_change_lanes_are_joined_and_others_are_not() {
    let (module, shape) = read(
        r#"tg.kernel @k(in %x: !tg.ref<256xf32, gmem>, out %o: !tg.ref<256xf32, gmem>) {
             %a = tg.alloc : !tg.ref<512xf32, smem>
             %v = tg.load %x : !tg.ref<256xf32, gmem> -> vector<256xf32>
             tg.store %v, %a[0] : vector<256xf32>, !tg.ref<512xf32, smem>
             %same = tg.load %a[0] : !tg.ref<512xf32, smem> -> vector<256xf32>
             %apart = tg.load %a[256] : !tg.ref<512xf32, smem> -> vector<256xf32>
             tg.store %same, %a[256] : vector<256xf32>, !tg.ref<512xf32, smem>
             %other = tg.load %a[128] : !tg.ref<512xf32, smem> -> vector<256xf32>
             tg.store %other, %o : vector<256xf32>, !tg.ref<256xf32, gmem>
           }"#,
    );
    let plan = ArrivalPlan::of(&module, &shape);
    let joins = joins(&module, &plan, &shape.crews[0]);
    let loads = ops(&module, TgOp::Load);
    let joined: Vec<bool> = loads.iter().map(|load| joins.before.contains(load)).collect();
    assert_eq!(joined, [false, false, false, true], "only the last reads what other lanes wrote");
    assert!(ops(&module, TgOp::Store).iter().all(|store| !joins.before.contains(store)));
}

#[test]
fn a_rendezvous_joins_the_lanes_that_meet_there() {
    let text = |arrivals: u32| {
        format!(
            r#"tg.kernel @k(in %x: !tg.ref<256xf32, gmem>, out %o: !tg.ref<256xf32, gmem>) threads ["wg" = 2] {{
                 %a = tg.alloc : !tg.ref<256xf32, smem>
                 %bar = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = {arrivals}>
                 %c128 = arith.constant 128 : index
                 %wg = tg.axis_index "wg" : index
                 %own = arith.muli %wg, %c128 : index
                 %v = tg.load %x[%own] : !tg.ref<256xf32, gmem> -> vector<128xf32>
                 tg.store %v, %a[%own] : vector<128xf32>, !tg.ref<256xf32, smem>
                 tg.barrier_arrive %bar : !tg.barrier_ref<1, arrivals = {arrivals}>
                 tg.barrier_wait %bar : !tg.barrier_ref<1, arrivals = {arrivals}>
                 %w = tg.load %a[0] : !tg.ref<256xf32, smem> -> vector<128xf32>
                 tg.store %w, %o[%own] : vector<128xf32>, !tg.ref<256xf32, gmem>
               }}"#
        )
    };
    let (module, shape) = read(&text(2));
    assert!(ArrivalPlan::of(&module, &shape).groups[0].rendezvous);
    assert_eq!(joined(&module, &shape, 0), [""; 0]);
    // With one arrival to a phase, a thread may pass by the other's alone.
    let (module, shape) = read(&text(1));
    assert!(!ArrivalPlan::of(&module, &shape).groups[0].rendezvous);
    assert_eq!(joined(&module, &shape, 0), ["tg.load"]);
}

#[test]
fn cluster_barriers_count_the_blocks_along_their_axes() {
    let (module, shape) = read(
        r#"tg.kernel @k() cluster ["r" = 2, "c" = 4] {
             %row = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1, cluster = ["c"]>
             %all = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1, cluster = [["r", "c"]]>
             %cross = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 2, cluster = ["r", "c"]>
             tg.barrier_arrive %row : !tg.barrier_ref<1, arrivals = 1, cluster = ["c"]>
             tg.barrier_wait %row : !tg.barrier_ref<1, arrivals = 1, cluster = ["c"]>
           }"#,
    );
    let plan = ArrivalPlan::of(&module, &shape);
    let counts: Vec<u32> = plan.groups.iter().map(|group| group.count).collect();
    assert_eq!(counts, [4, 8, 2 * 5], "4 of a row, all 8, a row and a column that share a block");
    assert!(plan.remote);
    assert!(!plan.sync_at_exit, "the only phase is awaited");
}

#[test]
fn blocks_end_together_unless_every_phase_is_awaited() {
    let text = |tail: &str| {
        format!(
            r#"tg.kernel @k() cluster ["c" = 2] {{
                 %b = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1, cluster = ["c"]>
                 tg.barrier_arrive %b : !tg.barrier_ref<1, arrivals = 1, cluster = ["c"]>
                 {tail}
               }}"#
        )
    };
    let awaited = text("tg.barrier_wait %b : !tg.barrier_ref<1, arrivals = 1, cluster = [\"c\"]>");
    let (module, shape) = read(&awaited);
    assert!(!ArrivalPlan::of(&module, &shape).sync_at_exit);
    let (module, shape) = read(&text(""));
    assert!(
        ArrivalPlan::of(&module, &shape).sync_at_exit,
        "a peer may arrive after this block has ended (case 7.1)"
    );
}

#[test]
fn copies_use_tensor_maps_of_their_form_and_bulk_stores_where_they_can() {
    let (module, shape) = read(
        r#"tg.kernel @k(in %x: !tg.ref<?x128xf16, gmem>, out %o: !tg.ref<64x128xf16, gmem>, %n: i32) {
             %a = tg.alloc : !tg.ref<2x64x128xf16, smem, tile = [8, 64], swizzle = 128>
             %b = tg.alloc : !tg.ref<64x128xf16, smem>
             %bar = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 2>
             %c0 = arith.constant 0 : index
             %c64 = arith.constant 64 : index
             tg.copy_gmem_to_smem %x[%c64, 0] -> %a[0], %bar : !tg.ref<?x128xf16, gmem> -> !tg.ref<2x64x128xf16, smem, tile = [8, 64], swizzle = 128>, !tg.barrier_ref<1, arrivals = 2>
             tg.copy_gmem_to_smem %x -> %a[1], %bar : !tg.ref<?x128xf16, gmem> -> !tg.ref<2x64x128xf16, smem, tile = [8, 64], swizzle = 128>, !tg.barrier_ref<1, arrivals = 2>
             tg.copy_smem_to_gmem %b -> %o : !tg.ref<64x128xf16, smem> -> !tg.ref<64x128xf16, gmem>
           }"#,
    );
    let params = Params::of(&module, &shape, &Ranges::of(&module, &shape)).unwrap();
    let expected = [
        Param::Extent { arg: 0, dim: 0 },
        Param::Pointer { arg: 1 },
        Param::Scalar { arg: 2 },
        Param::Map { map: 0 },
    ];
    assert_eq!(params.list, expected, "both loads share a map; the store needs a pointer");
    let dims: Vec<_> =
        params.maps[0].dims.iter().map(|dim| (dim.extent, dim.stride, dim.extent_of_box)).collect();
    let rows = Size::Launch { arg: 0, dim: 0, divisor: 8 };
    let known = Size::Known;
    let tiles = [
        (rows, known(2048), 8),
        (known(2), known(128), 2),
        (known(8), known(256), 8),
        (known(64), known(2), 64),
    ];
    assert_eq!(dims, tiles);
    let ways: Vec<_> = ops(&module, TgOp::CopySmemToGmem).iter().map(|op| &params.copies[op].way).collect();
    assert_eq!(ways, [&CopyWay::Bulk]);
    assert_eq!(params.copies[&ops(&module, TgOp::CopyGmemToSmem)[0]].bytes, 64 * 128 * 2);
}

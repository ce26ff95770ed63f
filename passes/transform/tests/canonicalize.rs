use super::{in_order, run_twice};

fn kernel(body: &str) -> String {
    format!(
        "tg.kernel @k(%n: index, %m: index, %x: !tg.ref<64x128xf32, gmem>, %y: !tg.ref<64x128xf32, gmem>, %b: i1, %f: f32) {{\n{body}\n}}\n"
    )
}

#[track_caller]
fn check(body: &str, wanted: &[&str], unwanted: &[&str]) {
    let text = run_twice("canonicalize,cse", &kernel(body));
    in_order(&text, wanted);
    for unwanted in unwanted {
        assert!(!text.contains(unwanted), "`{unwanted}` is in\n{text}");
    }
}

/// Uses a value so that it stays.
const PRINT: &str = "tg.debug_print \"{}\", ";

#[test]
fn integers_fold_and_identities_hold() {
    check(
        &format!(
            "%c3 = arith.constant 3 : index
             %c0 = arith.constant 0 : index
             %c8 = arith.constant 8 : index
             %a = arith.addi %n, %c0 : index
             %z = arith.muli %a, %c0 : index
             %s = arith.addi %z, %c3 : index
             %p = arith.remui %n, %c8 : index
             %q = arith.divui %n, %c8 : index
             %t = arith.addi %c3, %n : index
             %u = arith.addi %t, %c8 : index
             {PRINT} %s : index
             {PRINT} %p : index
             {PRINT} %q : index
             {PRINT} %u : index"
        ),
        &["%c3 = arith.constant 3", "arith.andi %n, %c7", "arith.shrui %n, %c3", "arith.addi %n, %c11"],
        &["remui", "divui", "muli"],
    );
}

#[test]
fn division_by_zero_is_left_alone() {
    check(
        &format!(
            "%c0 = arith.constant 0 : index
             %c5 = arith.constant 5 : index
             %a = arith.divui %c5, %c0 : index
             {PRINT} %a : index"
        ),
        &["arith.divui %c5, %c0"],
        &[],
    );
}

#[test]
fn branches_on_constants_are_inlined_whole() {
    check(
        "%t = arith.constant true
         scf.if %t { tg.thread_sync } else { tg.block_sync }
         scf.if %b { tg.thread_sync
           scf.if %b { tg.commit_smem } }
         scf.if %b { } else { }",
        &["tg.thread_sync", "scf.if %b", "tg.thread_sync", "tg.commit_smem"],
        &["block_sync", "else"],
    );
}

#[test]
fn loops_of_one_trip_are_inlined_and_of_none_removed() {
    check(
        &format!(
            "%c0 = arith.constant 0 : index
             %c1 = arith.constant 1 : index
             %c4 = arith.constant 4 : index
             %r = scf.for %i = %c1 to %c4 step %c4 iter_args(%a = %n) -> (index) {{
               tg.thread_sync
               %s = arith.addi %a, %i : index
               scf.yield %s : index
             }}
             scf.for %i = %c4 to %c0 step %c1 {{ tg.block_sync }}
             {PRINT} %r : index"
        ),
        &["tg.thread_sync", "arith.addi %n, %c1"],
        &["scf.for", "block_sync"],
    );
}

#[test]
fn carried_values_that_do_nothing_go() {
    check(
        &format!(
            "%c0 = arith.constant 0 : index
             %c1 = arith.constant 1 : index
             %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %m, %d = %c0, %e = %c0, %g = %c0) -> (index, index, index, index) {{
               %d1 = arith.addi %d, %a : index
               %e1 = arith.addi %e, %c1 : index
               scf.yield %a, %d1, %e1, %c0 : index, index, index, index
             }}
             {PRINT} %r#0 : index
             {PRINT} %r#1 : index
             {PRINT} %r#3 : index"
        ),
        &["iter_args(%d = %c0) -> (index)", "arith.addi %d, %m", "%m : index", "%c0 : index"],
        &["%e"],
    );
}

#[test]
fn whiles_that_end_at_once_are_inlined() {
    check(
        &format!(
            "%no = arith.constant false
             %r = scf.while (%a = %n) : (index) -> index {{
               tg.thread_sync
               scf.condition(%no) %a : index
             }} do {{
             ^bb0(%a: index):
               tg.block_sync
               scf.yield %a : index
             }}
             {PRINT} %r : index"
        ),
        &["tg.thread_sync", "%n : index"],
        &["scf.while", "block_sync"],
    );
}

#[test]
fn parts_go_into_the_places_of_their_users() {
    check(
        "%c1 = arith.constant 1 : index
         %c5 = arith.constant 5 : index
         %g = tg.alloc_barrier : !tg.barrier_ref<2x3, arrivals = 1>
         %buf = tg.alloc : !tg.ref<2x128xf32, smem>
         %row = tg.at %g[%c1] : !tg.barrier_ref<2x3, arrivals = 1> to !tg.barrier_ref<3, arrivals = 1>
         %one = tg.at %row[%n] : !tg.barrier_ref<3, arrivals = 1> to !tg.barrier_ref<arrivals = 1>
         tg.barrier_arrive %one : !tg.barrier_ref<arrivals = 1>
         %slot = tg.at %buf[%m] : !tg.ref<2x128xf32, smem> to !tg.ref<128xf32, smem>
         %v = tg.load %slot : !tg.ref<128xf32, smem> -> vector<128xf32>
         tg.copy_gmem_to_smem %x[%c5] -> %slot, %one : !tg.ref<64x128xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<arrivals = 1>
         tg.store %v, %x[%c5] : vector<128xf32>, !tg.ref<64x128xf32, gmem>",
        &[
            "tg.barrier_arrive %g[1, %n]",
            "tg.load %buf[%m]",
            "tg.copy_gmem_to_smem %x[5] -> %buf[%m], %g[1, %n]",
            "tg.store %v, %x[5]",
        ],
        &["tg.at"],
    );
}

#[test]
fn subviews_of_loads_go_into_their_indices() {
    check(
        "%c8 = arith.constant 8 : index
         %buf = tg.alloc : !tg.ref<64x128xf32, smem>
         %sv = tg.subview %buf[%n, %c8] [16, 64] : !tg.ref<64x128xf32, smem> to !tg.ref<16x64xf32, smem, strides = [128, 1]>
         %v = tg.load %sv : !tg.ref<16x64xf32, smem, strides = [128, 1]> -> vector<16x64xf32>
         tg.store %v, %x[%n, %n] : vector<16x64xf32>, !tg.ref<64x128xf32, gmem>",
        &["tg.load %buf[%n, 8] : !tg.ref<64x128xf32, smem> -> vector<16x64xf32>"],
        &["subview"],
    );
}

#[test]
fn arrays_of_one_number_fold() {
    check(
        "%z = arith.constant dense<2.0> : vector<128xf32>
         %w = arith.addf %z, %z : vector<128xf32>
         %s = vector.broadcast %f : f32 to vector<64xf32>
         %t = vector.shape_cast %s : vector<64xf32> to vector<8x8xf32>
         %u = vector.transpose %t, [1, 0] : vector<8x8xf32> to vector<8x8xf32>
         %c = arith.constant dense<3> : vector<100xi32>
         %r = vector.reduction <add>, %c : vector<100xi32> into i32
         tg.debug_print \"{}\", %r : i32
         tg.store %u, %x[%n, %n] : vector<8x8xf32>, !tg.ref<64x128xf32, gmem>
         tg.store %w, %x[%n] : vector<128xf32>, !tg.ref<64x128xf32, gmem>",
        &[
            "dense<4.000000e+00> : vector<128xf32>",
            "%c300_i32 = arith.constant 300 : i32",
            "vector.broadcast %f : f32 to vector<8x8xf32>",
        ],
        &["shape_cast", "transpose", "addf", "reduction"],
    );
}

#[test]
fn float_identities_are_only_the_exact_ones() {
    check(
        "%z = arith.constant 0.0 : f32
         %nz = arith.constant -0.0 : f32
         %o = arith.constant 1.0 : f32
         %a = arith.addf %f, %z : f32
         %b1 = arith.addf %a, %nz : f32
         %c = arith.mulf %b1, %o : f32
         %d = arith.subf %c, %z : f32
         %e = arith.negf %d : f32
         %g = arith.negf %e : f32
         tg.debug_print \"{}\", %g : f32",
        &["%a = arith.addf %f, %z", "\"{}\", %a"],
        &["negf", "mulf", "subf"],
    );
}

#[test]
fn casts_through_a_wider_type_vanish() {
    check(
        &format!(
            "%i = arith.index_cast %n : index to i64
             %j = arith.index_cast %i : i64 to index
             %s = arith.index_cast %n : index to i32
             %t = arith.index_cast %s : i32 to index
             {PRINT} %j : index
             {PRINT} %t : index"
        ),
        &["arith.index_cast %n : index to i32", "to index", "%n : index"],
        &["i64"],
    );
}

#[test]
fn selects_and_comparisons() {
    check(
        &format!(
            "%c0 = arith.constant 0 : index
             %t = arith.constant true
             %no = arith.constant false
             %a = arith.cmpi uge, %n, %c0 : index
             %b2 = arith.cmpi slt, %c0, %n : index
             %s = arith.select %a, %n, %m : index
             %u = arith.select %b2, %t, %no : i1
             %not = arith.xori %b, %t : i1
             %w = arith.select %not, %n, %m : index
             {PRINT} %s : index
             {PRINT} %u : i1
             {PRINT} %w : index"
        ),
        &["arith.cmpi sgt, %n, %c0", "arith.select %b, %m, %n", "%n : index"],
        &["xori", "uge"],
    );
}

#[test]
fn branches_that_choose_between_values_become_selects() {
    check(
        &format!(
            "%r:2 = scf.if %b -> (index, index) {{
               scf.yield %n, %n : index, index
             }} else {{
               scf.yield %m, %n : index, index
             }}
             {PRINT} %r#0 : index
             {PRINT} %r#1 : index"
        ),
        &["arith.select %b, %n, %m"],
        &["scf.if"],
    );
}

#[test]
fn known_extents_and_axes() {
    check(
        &format!(
            "%d = tg.dim %x, 1 : !tg.ref<64x128xf32, gmem>
             {PRINT} %d : index"
        ),
        &["%c128"],
        &["tg.dim"],
    );
}

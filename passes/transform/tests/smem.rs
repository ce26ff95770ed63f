use super::{in_order, read, run, run_on, run_twice};

const PIPELINE: &str = "infer-layouts,allocate-smem";

#[test]
fn everything_gets_its_place_and_the_kernel_its_size() {
    let text = run_twice(
        PIPELINE,
        "tg.kernel @k(%x: !tg.ref<64x64xf16, gmem>) {
           %full = tg.alloc_barrier : !tg.barrier_ref<3, arrivals = 1>
           %small = tg.alloc : !tg.ref<100xi8, smem>
           %tile = tg.alloc : !tg.ref<64x64xf16, smem, tile = [8, 64], swizzle = 128>
           %box = tg.alloc : !tg.ref<64x64xf16, smem>
           %unused = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
           tg.copy_gmem_to_smem %x -> %box, %full[0] : !tg.ref<64x64xf16, gmem> -> !tg.ref<64x64xf16, smem>, !tg.barrier_ref<3, arrivals = 1>
         }",
    );
    in_order(
        &text,
        &[
            "smem_bytes = 16520",
            "%full = tg.alloc_barrier at 16488",
            "%small = tg.alloc at 16384",
            "%tile = tg.alloc at 0",
            "%box = tg.alloc at 8192",
            "%unused = tg.alloc_barrier at 16512",
        ],
    );
}

#[test]
fn places_of_the_author_are_kept() {
    let text = run_twice(
        PIPELINE,
        "tg.kernel @k() {
           %a = tg.alloc at 64 : !tg.ref<16xf32, smem>
           %b = tg.alloc : !tg.ref<64xf32, smem>
           %c = tg.alloc : !tg.ref<16xf32, smem>
         }",
    );
    in_order(&text, &["%a = tg.alloc at 64", "%b = tg.alloc at 128", "%c = tg.alloc at 0"]);
    let mut module = read("tg.kernel @k() {\n%a = tg.alloc at 8 : !tg.ref<16xf32, smem>\n}");
    let messages = run_on(&mut module, "allocate-smem").unwrap_err();
    assert!(messages.contains("TG0608"), "{messages}");
}

/// Two arrays, one used after the other, with `between` in between.
fn phases(head: &str, between: &str) -> String {
    format!(
        "tg.kernel @k(%v: f32) {head} {{
           %a = tg.alloc : !tg.ref<128xf32, smem>
           %b = tg.alloc : !tg.ref<128xf32, smem>
           %w = vector.broadcast %v : f32 to vector<128xf32>
           tg.store %w, %a : vector<128xf32>, !tg.ref<128xf32, smem>
           %x = tg.load %a : !tg.ref<128xf32, smem> -> vector<128xf32>
           {between}
           tg.store %x, %b : vector<128xf32>, !tg.ref<128xf32, smem>
         }}"
    )
}

#[test]
fn arrays_of_different_phases_share_bytes() {
    let two = "threads [\"wg\" = 2]";
    for (head, between, shared) in [
        (two, "tg.block_sync", true),
        (two, "tg.thread_sync", false),
        ("", "tg.thread_sync", true),
        ("", "", false),
    ] {
        let text = run_twice(PIPELINE, &phases(head, between));
        assert_eq!(text.contains("smem_bytes = 512"), shared, "{text}");
    }
    let text = run("allocate-smem{reuse=false}", &phases("", "tg.thread_sync"));
    assert!(text.contains("smem_bytes = 1024"), "{text}");
}

#[test]
fn arrays_of_one_loop_or_of_concurrent_roles_do_not() {
    let text = run_twice(
        PIPELINE,
        "tg.kernel @k(%n: index, %v: f32) {
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %a = tg.alloc : !tg.ref<128xf32, smem>
           %b = tg.alloc : !tg.ref<128xf32, smem>
           %w = vector.broadcast %v : f32 to vector<128xf32>
           scf.for %i = %c0 to %n step %c1 {
             tg.store %w, %a : vector<128xf32>, !tg.ref<128xf32, smem>
             tg.thread_sync
             tg.store %w, %b : vector<128xf32>, !tg.ref<128xf32, smem>
           }
         }",
    );
    assert!(text.contains("smem_bytes = 1024"), "{text}");
    let roles = |first: &str, second: &str| {
        format!(
            "tg.kernel @k(%v: f32) {{
               %a = tg.alloc : !tg.ref<128xf32, smem>
               %b = tg.alloc : !tg.ref<128xf32, smem>
               %w = vector.broadcast %v : f32 to vector<128xf32>
               tg.warp_specialize {{
               role @x warps 4 {{
                 tg.store %w, %a : vector<128xf32>, !tg.ref<128xf32, smem>
                 {first}
               }}
               role @y warps 4 {{ {second} }}
               }}
             }}"
        )
    };
    let store = "tg.thread_sync\ntg.store %w, %b : vector<128xf32>, !tg.ref<128xf32, smem>";
    assert!(run_twice(PIPELINE, &roles("", store)).contains("smem_bytes = 1024"));
    assert!(run_twice(PIPELINE, &roles(store, "")).contains("smem_bytes = 512"));
}

#[test]
fn arrays_that_copies_reach_keep_their_bytes() {
    let text = run_twice(
        PIPELINE,
        "tg.kernel @k(%x: !tg.ref<128xf32, gmem>, %v: f32) {
           %a = tg.alloc : !tg.ref<128xf32, smem>
           %b = tg.alloc : !tg.ref<128xf32, smem>
           %w = vector.broadcast %v : f32 to vector<128xf32>
           tg.store %w, %a : vector<128xf32>, !tg.ref<128xf32, smem>
           tg.commit_smem
           tg.copy_smem_to_gmem %a -> %x : !tg.ref<128xf32, smem> -> !tg.ref<128xf32, gmem>
           tg.block_sync
           tg.store %w, %b : vector<128xf32>, !tg.ref<128xf32, smem>
         }",
    );
    assert!(text.contains("smem_bytes = 1024"), "{text}");
}

#[test]
fn barriers_share_with_nothing_used_or_not() {
    // Case 5.2.
    let text = run_twice(
        PIPELINE,
        "tg.kernel @k(%flag: i1) {
           %a = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
           %b = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 4>
           scf.if %flag { tg.barrier_wait %a : !tg.barrier_ref<1, arrivals = 1> }
           tg.barrier_arrive %b : !tg.barrier_ref<1, arrivals = 4>
         }",
    );
    in_order(&text, &["smem_bytes = 16", "%a = tg.alloc_barrier at 0", "%b = tg.alloc_barrier at 8"]);
}

#[test]
fn scratch_is_placed_for_each_scope() {
    let text = run_twice(
        PIPELINE,
        "tg.kernel @k(%x: !tg.ref<32x32xf32, gmem>) {
           %buf = tg.alloc : !tg.ref<4xf32, smem>
           tg.warp_specialize {
           role @two threads [\"wg\" = 2] {
             %a = tg.load %x : !tg.ref<32x32xf32, gmem> -> vector<32x32xf32>
             %t = vector.transpose %a, [1, 0] : vector<32x32xf32> to vector<32x32xf32>
             tg.store %t, %x : vector<32x32xf32>, !tg.ref<32x32xf32, gmem>
           }
           role @one {
             %a = tg.load %x[0] : !tg.ref<32x32xf32, gmem> -> vector<32xf32>
             %s = vector.reduction <add>, %a : vector<32xf32> into f32
             tg.debug_print \"{}\", %s : f32
           }
           }
         }",
    );
    in_order(
        &text,
        &[
            "smem_bytes = 8224",
            "scratch_bytes = 4096 : i64, scratch_offset = 16",
            "scratch_bytes = 16 : i64, scratch_offset = 8208",
        ],
    );
}

#[test]
fn too_much_is_refused_with_a_table() {
    let mut module = read(
        "tg.kernel @k(%x: !tg.ref<64x1024xf32, gmem>) {
           %a = tg.load %x : !tg.ref<64x1024xf32, gmem> -> vector<64x1024xf32>
           %t = vector.transpose %a, [1, 0] : vector<64x1024xf32> to vector<1024x64xf32>
           %s = vector.shape_cast %t : vector<1024x64xf32> to vector<64x1024xf32>
           tg.store %s, %x : vector<64x1024xf32>, !tg.ref<64x1024xf32, gmem>
         }",
    );
    let messages = run_on(&mut module, PIPELINE).unwrap_err();
    assert!(messages.contains("TG0701"), "{messages}");
}

use super::{in_order, read, run, run_on, run_twice};

const BUF: &str = "!tg.ref<128xf32, smem>";
const RING: &str = "!tg.ref<2x128xf32, smem>";
const Y: &str = "!tg.ref<128xf32, gmem>";

fn kernel(head: &str, body: &str) -> String {
    format!(
        "tg.kernel @k(%n: index, %p: i1, %y: {Y}, %v: f32) {head} {{
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %w = vector.broadcast %v : f32 to vector<128xf32>
           %buf = tg.alloc : {BUF}
           %ring = tg.alloc : {RING}
           %full = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
           %other = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
           {body}
         }}\n"
    )
}

fn store() -> String {
    format!("tg.store %w, %buf : vector<128xf32>, {BUF}\n")
}
fn copy() -> String {
    format!("tg.copy_smem_to_gmem %buf -> %y : {BUF} -> {Y}\n")
}

/// Runs the pass and returns how many fences it has put in.
#[track_caller]
fn added(head: &str, body: &str) -> (usize, String) {
    let text = kernel(head, body);
    let after = run_twice("insert-fences", &text);
    (after.matches("tg.commit_smem").count() - text.matches("tg.commit_smem").count(), after)
}

#[track_caller]
fn complaint(head: &str, body: &str) -> Option<String> {
    run_on(&mut read(&kernel(head, body)), "insert-fences{diagnose}").err()
}

#[test]
fn a_copy_of_what_was_just_written_needs_a_fence() {
    let body = format!("{}{}", store(), copy());
    let (count, text) = added("", &body);
    assert_eq!(count, 1, "{text}");
    in_order(&text, &["tg.store", "tg.commit_smem", "tg.copy_smem_to_gmem"]);
    assert!(complaint("", &body).unwrap().contains("TG0611"));
    // With the fence: nothing.
    let body = format!("{}tg.commit_smem\n{}", store(), copy());
    assert_eq!(added("", &body).0, 0);
    assert_eq!(complaint("", &body), None);
}

#[test]
fn a_fence_inside_a_loop_of_no_iterations_is_none() {
    // Case 6.1.
    let body = format!(
        "{}scf.for %i = %c0 to %n step %c1 {{
           {}tg.commit_smem
         }}
         tg.thread_sync
         {}",
        store(),
        store(),
        copy()
    );
    let (count, text) = added("", &body);
    assert_eq!(count, 1);
    in_order(
        &text,
        &["scf.for", "tg.commit_smem", "}", "tg.thread_sync", "tg.commit_smem", "tg.copy_smem_to_gmem"],
    );
    assert!(complaint("", &body).is_some());
}

#[test]
fn a_branch_without_the_fence_is_found() {
    let body = format!("{}scf.if %p {{ tg.commit_smem }}\n{}", store(), copy());
    assert_eq!(added("", &body).0, 1);
    let body = format!("{}scf.if %p {{ tg.commit_smem }} else {{ tg.commit_smem }}\n{}", store(), copy());
    assert_eq!(added("", &body).0, 0);
    let body = format!("scf.if %p {{ {} }}\n{}", store(), copy());
    assert_eq!(added("", &body).0, 1);
}

#[test]
fn what_is_written_before_a_loop_is_published_before_it() {
    let body = format!("{}scf.for %i = %c0 to %n step %c1 {{ {} }}", store(), copy());
    let (count, text) = added("", &body);
    assert_eq!(count, 1);
    in_order(&text, &["tg.store", "tg.commit_smem", "scf.for", "tg.copy_smem_to_gmem"]);
    // Written inside: published inside.
    let body = format!("scf.for %i = %c0 to %n step %c1 {{ {}{} }}", copy(), store());
    let (count, text) = added("", &body);
    assert_eq!(count, 1);
    in_order(&text, &["scf.for", "tg.commit_smem", "tg.copy_smem_to_gmem", "tg.store"]);
}

#[test]
fn other_buffers_and_other_slots_need_none() {
    let body = format!(
        "tg.store %w, %ring[0] : vector<128xf32>, {RING}
         tg.copy_smem_to_gmem %ring[1] -> %y : {RING} -> {Y}
         {}",
        copy()
    );
    assert_eq!(added("", &body).0, 0);
    let body = format!(
        "%slot = arith.remui %n, %c1 : index
         tg.store %w, %ring[%slot] : vector<128xf32>, {RING}
         tg.copy_smem_to_gmem %ring[1] -> %y : {RING} -> {Y}"
    );
    assert_eq!(added("", &body).0, 1);
}

#[test]
fn the_writer_publishes_before_it_arrives() {
    let role = |store: &str| {
        format!(
            "tg.warp_specialize {{
             role @writer {{
               {store}tg.barrier_arrive %other : !tg.barrier_ref<1, arrivals = 1>
               tg.barrier_arrive %full : !tg.barrier_ref<1, arrivals = 1>
             }}
             role @copier warps 1 {{
               tg.barrier_wait %full : !tg.barrier_ref<1, arrivals = 1>
               {}
             }}
             }}",
            copy()
        )
    };
    let (count, text) = added("", &role(&store()));
    assert_eq!(count, 1);
    in_order(&text, &["tg.store", "tg.barrier_arrive %other", "tg.commit_smem", "tg.barrier_arrive %full"]);
    assert!(complaint("", &role(&store())).is_some());
    let fenced = format!("{}tg.commit_smem\n", store());
    assert_eq!(added("", &role(&fenced)).0, 0);
    assert_eq!(complaint("", &role(&fenced)), None);
}

#[test]
fn threads_of_a_block_publish_before_they_meet() {
    let body = format!("{}tg.block_sync\nscf.if %p {{ {} }}", store(), copy());
    let (count, text) = added("threads [\"wg\" = 2]", &body);
    assert_eq!(count, 1);
    in_order(&text, &["tg.store", "tg.commit_smem", "tg.block_sync", "tg.copy_smem_to_gmem"]);
    assert!(complaint("threads [\"wg\" = 2]", &body).is_some());
    // One thread: in front of the copy is enough.
    let (_, text) = added("", &body);
    in_order(&text, &["tg.block_sync", "tg.commit_smem", "tg.copy_smem_to_gmem"]);
}

#[test]
fn roles_start_and_end_with_what_was_written() {
    let body =
        format!("{}tg.warp_specialize {{ role @copier warps 4 {{ {} }} role @rest {{ }} }}", store(), copy());
    let (count, text) = added("", &body);
    assert_eq!(count, 1);
    in_order(&text, &["tg.store", "tg.commit_smem", "tg.warp_specialize"]);
    let body =
        format!("tg.warp_specialize {{ role @writer {{ {} }} role @rest {{ }} }}\n{}", store(), copy());
    let (count, text) = added("", &body);
    assert_eq!(count, 1);
    in_order(&text, &["tg.store", "tg.commit_smem", "role @rest", "tg.copy_smem_to_gmem"]);
}

#[test]
fn reads_before_an_overwriting_copy_need_none() {
    let body = format!(
        "%r = tg.load %buf : {BUF} -> vector<128xf32>
         tg.copy_gmem_to_smem %y -> %buf, %full : {Y} -> {BUF}, !tg.barrier_ref<1, arrivals = 1>"
    );
    assert_eq!(added("", &body).0, 0);
    let text = run("insert-fences", &kernel("", &format!("{}{}", store(), body)));
    assert!(text.contains("tg.commit_smem"), "{text}");
}

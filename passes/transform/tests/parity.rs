use super::interpret::execute;
use super::programs::generate;
use super::{in_order, messages, read, run, run_on};

pub(super) fn kernel(body: &str) -> String {
    format!(
        "tg.kernel @k(%a: index, %b: index, %p: i1) {{
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %c2 = arith.constant 2 : index
           %c3 = arith.constant 3 : index
           %c4 = arith.constant 4 : index
           %c12 = arith.constant 12 : index
           {body}
         }}\n"
    )
}

/// Runs `assign-parity` with and without `canonicalize` around, and compares each wait with what it should be.
#[track_caller]
fn assert_right(text: &str) -> String {
    let original = read(text);
    let mut shown = String::new();
    for pipeline in ["assign-parity", "canonicalize,cse,licm,assign-parity,canonicalize,cse"] {
        let mut module = original.clone();
        if let Err(messages) = run_on(&mut module, pipeline) {
            panic!("{messages}\n{text}");
        }
        let printed = tidegate_ir::text::print(&module, tidegate_ir::text::PrintOptions::default());
        assert!(!printed.contains("tg.barrier_wait %"), "{printed}");
        for args in [[0, 0, 0], [1, 2, 1], [3, 1, 0], [5, 4, 1], [7, 7, 1]] {
            assert_eq!(
                execute(&module, &args),
                execute(&original, &args),
                "{args:?}\n{text}\nbecame\n{printed}"
            );
        }
        shown = printed;
    }
    shown
}

/// As [`assert_right`]; moreover no register holds a mask.
#[track_caller]
fn assert_free(body: &str) -> String {
    let text = assert_right(&kernel(body));
    assert!(!text.contains("_seen"), "{text}");
    text
}

#[track_caller]
fn assert_masked(body: &str) -> String {
    let text = assert_right(&kernel(body));
    assert!(text.contains("_seen"), "{text}");
    text
}

const G4: &str = "%g = tg.alloc_barrier : !tg.barrier_ref<4, arrivals = 1>";
const G3: &str = "%g = tg.alloc_barrier : !tg.barrier_ref<3, arrivals = 1>";
const G1: &str = "%g = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>";
const T4: &str = ": !tg.barrier_ref<4, arrivals = 1>";
const T3: &str = ": !tg.barrier_ref<3, arrivals = 1>";
const T1: &str = ": !tg.barrier_ref<1, arrivals = 1>";

#[test]
fn waits_executed_once_have_constant_parity() {
    let text = assert_free(&format!(
        "{G4}
         tg.barrier_wait %g[0] {T4}
         tg.barrier_wait %g[1] {T4}
         tg.barrier_wait %g[0] {T4}
         tg.barrier_wait %g[0] {T4}"
    ));
    in_order(&text, &["%g[0], %false", "%g[1], %false", "%g[0], %true", "%g[0], %false"]);
}

#[test]
fn an_even_number_of_waits_in_a_loop_needs_no_state() {
    assert_free(&format!(
        "{G1}
         scf.for %i = %c0 to %a step %c1 {{
           tg.barrier_wait %g {T1}
           tg.barrier_wait %g {T1}
         }}
         tg.barrier_wait %g {T1}"
    ));
}

#[test]
fn both_branches_alike() {
    assert_free(&format!(
        "{G1}
         scf.if %p {{ tg.barrier_wait %g {T1} }} else {{ tg.barrier_wait %g {T1} }}
         tg.barrier_wait %g {T1}"
    ));
}

#[test]
fn one_barrier_in_every_iteration() {
    let text = assert_free(&format!(
        "{G1}
         scf.for %i = %c0 to %a step %c1 {{ tg.barrier_wait %g {T1} }}"
    ));
    in_order(&text, &["%0 = arith.index_cast %i : index to i1", "tg.barrier_wait_parity %g, %0"]);
}

#[test]
fn rings_use_the_lap() {
    let text = assert_free(&format!(
        "{G4}
         scf.for %i = %c0 to %a step %c1 {{
           %s = arith.remui %i, %c4 : index
           tg.barrier_wait %g[%s] {T4}
         }}"
    ));
    in_order(&text, &["arith.andi %i", "arith.shrui %i", "index to i1"]);
    assert_free(&format!(
        "{G3}
         scf.for %i = %c0 to %a step %c1 {{
           %s = arith.remui %i, %c3 : index
           tg.barrier_wait %g[%s] {T3}
         }}"
    ));
}

#[test]
fn rings_whose_first_lap_is_skipped() {
    for (predicate, bound) in
        [("uge", "%c3"), ("sge", "%c3"), ("ugt", "%c2"), ("uge", "%c4"), ("uge", "%c1"), ("ne", "%c0")]
    {
        assert_free(&format!(
            "{G3}
             scf.for %i = %c0 to %c12 step %c1 {{
               %s = arith.remui %i, %c3 : index
               %lap = arith.cmpi {predicate}, %i, {bound} : index
               scf.if %lap {{ tg.barrier_wait %g[%s] {T3} }}
             }}"
        ));
    }
    assert_free(&format!(
        "{G3}
         scf.for %i = %c0 to %c12 step %c1 {{
           %s = arith.remui %i, %c3 : index
           %lap = arith.divui %i, %c3 : index
           %later = arith.cmpi ne, %lap, %c0 : index
           scf.if %later {{ tg.barrier_wait %g[%s] {T3} }}
         }}"
    ));
    assert_free(&format!(
        "{G3}
         scf.for %i = %c0 to %c12 step %c1 {{
           %s = arith.remui %i, %c3 : index
           %first = arith.cmpi ult, %i, %c3 : index
           scf.if %first {{ }} else {{ tg.barrier_wait %g[%s] {T3} }}
         }}"
    ));
}

#[test]
fn rings_with_steps_offsets_and_factors() {
    for (lower, step, expression) in [
        ("%c1", "%c1", "%x = arith.addi %i, %c2 : index"),
        ("%c0", "%c2", "%x = arith.addi %i, %c0 : index"),
        ("%c0", "%c3", "%x = arith.muli %i, %c2 : index"),
        ("%c2", "%c1", "%x = arith.muli %i, %c4 : index"),
        ("%c0", "%c1", "%y = arith.muli %i, %c3 : index\n%x = arith.addi %y, %c1 : index"),
    ] {
        for (group, ty, n) in [(G4, T4, "%c4"), (G3, T3, "%c3")] {
            assert_free(&format!(
                "{group}
                 scf.for %i = {lower} to %c12 step {step} {{
                   {expression}
                   %s = arith.remui %x, {n} : index
                   tg.barrier_wait %g[%s] {ty}
                 }}"
            ));
        }
    }
}

#[test]
fn counters_that_go_through_nested_loops() {
    assert_free(&format!(
        "{G3}
         %r = scf.for %t = %c0 to %a step %c1 iter_args(%u = %c0) -> (index) {{
           %v = scf.for %k = %c0 to %b step %c1 iter_args(%w = %u) -> (index) {{
             %s = arith.remui %w, %c3 : index
             %later = arith.cmpi uge, %w, %c3 : index
             scf.if %later {{ tg.barrier_wait %g[%s] {T3} }}
             %n = arith.addi %w, %c1 : index
             scf.yield %n : index
           }}
           scf.yield %v : index
         }}"
    ));
    assert_free(&format!(
        "{G3}
         scf.for %t = %c0 to %a step %c1 {{
           %base = arith.muli %t, %b : index
           scf.for %k = %c0 to %b step %c1 {{
             %w = arith.addi %base, %k : index
             %s = arith.remui %w, %c3 : index
             tg.barrier_wait %g[%s] {T3}
           }}
         }}"
    ));
}

#[test]
fn inner_rings_of_whole_laps() {
    for trips in ["%c12", "%c3"] {
        assert_free(&format!(
            "{G3}
             scf.for %t = %c0 to %a step %c1 {{
               scf.for %k = %c0 to {trips} step %c1 {{
                 %s = arith.remui %k, %c3 : index
                 tg.barrier_wait %g[%s] {T3}
               }}
             }}"
        ));
        assert_free(&format!(
            "{G1}
             scf.for %t = %c0 to %a step %c1 {{
               scf.for %k = %c0 to {trips} step %c1 {{ tg.barrier_wait %g {T1} }}
             }}"
        ));
    }
    assert_free(&format!(
        "{G4}
         scf.for %t = %c0 to %a step %c1 {{
           scf.for %k = %c0 to %c4 step %c1 {{ tg.barrier_wait %g[%k] {T4} }}
         }}"
    ));
    assert_masked(&format!(
        "{G3}
         scf.for %t = %c0 to %a step %c1 {{
           scf.for %k = %c0 to %c4 step %c1 {{
             %s = arith.remui %k, %c3 : index
             tg.barrier_wait %g[%s] {T3}
           }}
         }}"
    ));
}

#[test]
fn what_has_been_seen_before_the_ring_counts() {
    assert_free(&format!(
        "{G3}
         tg.barrier_wait %g[0] {T3}
         tg.barrier_wait %g[1] {T3}
         tg.barrier_wait %g[2] {T3}
         scf.for %i = %c0 to %a step %c1 {{
           %s = arith.remui %i, %c3 : index
           tg.barrier_wait %g[%s] {T3}
         }}"
    ));
    assert_masked(&format!(
        "{G3}
         tg.barrier_wait %g[1] {T3}
         scf.for %i = %c0 to %a step %c1 {{
           %s = arith.remui %i, %c3 : index
           tg.barrier_wait %g[%s] {T3}
         }}"
    ));
}

#[test]
fn masks_go_through_all_control_flow() {
    assert_masked(&format!(
        "{G4}
         scf.for %i = %c0 to %a step %c1 {{
           %s = arith.remui %i, %c3 : index
           %q = arith.cmpi ult, %i, %b : index
           scf.if %q {{
             tg.barrier_wait %g[%s] {T4}
           }} else {{
             scf.for %j = %c0 to %i step %c1 {{
               %t = arith.remui %j, %c4 : index
               tg.barrier_wait %g[%t] {T4}
             }}
           }}
         }}
         %r = scf.while (%n = %a) : (index) -> index {{
           %go = arith.cmpi ugt, %n, %c0 : index
           tg.barrier_wait %g[2] {T4}
           scf.condition(%go) %n : index
         }} do {{
         ^bb0(%m: index):
           %less = arith.subi %m, %c1 : index
           %s = arith.remui %less, %c4 : index
           tg.barrier_wait %g[%s] {T4}
           scf.yield %less : index
         }}
         tg.barrier_wait %g[0] {T4}"
    ));
}

#[test]
fn groups_of_any_size_have_masks() {
    for count in [5, 31, 32, 33, 64, 65, 100] {
        let text = assert_masked(&format!(
            "%g = tg.alloc_barrier : !tg.barrier_ref<{count}, arrivals = 1>
             %n = arith.constant {count} : index
             %c7 = arith.constant 37 : index
             scf.for %i = %c0 to %c12 step %c1 {{
               %x = arith.muli %i, %c7 : index
               %y = arith.addi %x, %a : index
               %s = arith.remui %y, %n : index
               tg.barrier_wait %g[%s] : !tg.barrier_ref<{count}, arrivals = 1>
               scf.if %p {{ tg.barrier_wait %g[%s] : !tg.barrier_ref<{count}, arrivals = 1> }}
               tg.barrier_wait %g[4] : !tg.barrier_ref<{count}, arrivals = 1>
             }}"
        ));
        let words = usize::div_ceil(count, 32);
        assert!(text.contains(&format!("-> ({})", vec!["i32"; words].join(", "))), "{text}");
    }
}

#[test]
fn roles_keep_their_own_count() {
    let text = assert_right(&kernel(&format!(
        "{G3}
         %h = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
         tg.barrier_wait %h : !tg.barrier_ref<1, arrivals = 1>
         tg.warp_specialize {{
         role @producer warps 4 {{
           scf.for %i = %c0 to %a step %c1 {{
             %s = arith.remui %i, %c3 : index
             %later = arith.cmpi uge, %i, %c3 : index
             scf.if %later {{ tg.barrier_wait %g[%s] {T3} }}
           }}
         }}
         role @consumer warps 4 {{
           tg.barrier_wait %h : !tg.barrier_ref<1, arrivals = 1>
           scf.for %i = %c0 to %a step %c1 {{
             %s = arith.remui %i, %c3 : index
             tg.barrier_wait %g[%s] {T3}
           }}
         }}
         }}"
    )));
    assert!(!text.contains("_seen"), "{text}");
    in_order(&text, &["%h, %false", "role @producer", "role @consumer", "%h, %true"]);
}

#[test]
fn masks_of_the_kernel_go_on_in_the_roles() {
    assert_right(&kernel(&format!(
        "{G4}
         scf.if %p {{ tg.barrier_wait %g[2] {T4} }}
         tg.warp_specialize {{
         role @x warps 4 {{ tg.barrier_wait %g[2] {T4} }}
         role @y warps 4 {{
           %s = arith.remui %a, %c4 : index
           tg.barrier_wait %g[%s] {T4}
           tg.barrier_wait %g[2] {T4}
         }}
         }}"
    )));
}

#[test]
fn what_all_roles_have_seen_is_known_behind_them() {
    assert_free(&format!(
        "{G1}
         tg.warp_specialize {{
         role @x warps 4 {{ tg.barrier_wait %g {T1} }}
         role @y warps 4 {{ tg.barrier_wait %g {T1} }}
         }}
         tg.barrier_wait %g {T1}"
    ));
    let mut module = read(&kernel(&format!(
        "{G1}
         tg.warp_specialize {{
         role @x warps 4 {{ tg.barrier_wait %g {T1} }}
         role @y warps 4 {{ }}
         }}
         tg.barrier_wait %g {T1}"
    )));
    let messages = run_on(&mut module, "assign-parity").unwrap_err();
    assert!(messages.contains("TG0809"), "{messages}");
}

#[test]
fn an_initialised_barrier_starts_anew() {
    assert_right(&kernel(&format!(
        "%g = tg.alloc_barrier uninitialized : !tg.barrier_ref<4, arrivals = 1>
         scf.for %i = %c0 to %a step %c1 {{
           tg.init_barrier %g {T4}
           %s = arith.remui %i, %c4 : index
           tg.barrier_wait %g[%s] {T4}
           tg.barrier_wait %g[1] {T4}
           scf.if %p {{
             tg.inval_barrier %g[%s] {T4}
             tg.init_barrier %g[%s] {T4}
           }}
           tg.barrier_wait %g[%s] {T4}
           tg.inval_barrier %g {T4}
         }}"
    )));
}

#[test]
fn sub_groups_are_followed_to_their_group() {
    assert_right(&kernel(
        "%g = tg.alloc_barrier : !tg.barrier_ref<2x3, arrivals = 1>
         %row = tg.at %g[1] : !tg.barrier_ref<2x3, arrivals = 1> to !tg.barrier_ref<3, arrivals = 1>
         %two = tg.subview %row[1] [2] : !tg.barrier_ref<3, arrivals = 1> to !tg.barrier_ref<2, arrivals = 1>
         scf.for %i = %c0 to %a step %c1 {
           %s = arith.remui %i, %c2 : index
           tg.barrier_wait %two[%s] : !tg.barrier_ref<2, arrivals = 1>
           %t = arith.remui %i, %c3 : index
           tg.barrier_wait %g[%s, %t] : !tg.barrier_ref<2x3, arrivals = 1>
           tg.barrier_wait %row[2] : !tg.barrier_ref<3, arrivals = 1>
         }",
    ));
}

#[test]
fn barriers_out_of_control_flow_are_refused() {
    let mut module = read(&kernel(&format!(
        "{G1}
         %h = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
         %x = scf.for %i = %c0 to %a step %c1 iter_args(%y = %g) -> (!tg.barrier_ref<1, arrivals = 1>) {{
           scf.yield %h : !tg.barrier_ref<1, arrivals = 1>
         }}
         tg.barrier_wait %x {T1}"
    )));
    // The verifier refuses it already; the pass must not rely on that.
    let mut diags = tidegate_ir::diag::Diagnostics::new();
    let mut ctx = crate::pass::PassContext::new(&mut diags);
    let result = crate::transform::parity::run(&mut module, &crate::pass::OptionValues::default(), &mut ctx);
    assert!(result.is_err() && messages(&diags).contains("TG0809"), "{}", messages(&diags));
}

#[test]
fn counters_of_loops_are_slots() {
    // One loop, each barrier once: no state.
    assert_free(&format!("{G4}\nscf.for %i = %c0 to %c4 step %c1 {{ tg.barrier_wait %g[%i] {T4} }}"));
    assert_free(&format!("{G4}\nscf.for %i = %c1 to %c4 step %c2 {{ tg.barrier_wait %g[%i] {T4} }}"));
    // The masks are carried by loops that are rebuilt, with new counters.
    assert_masked(&format!(
        "{G4}
         scf.for %i = %c0 to %c3 step %c1 {{
           scf.for %j = %c0 to %c4 step %c1 {{
             tg.barrier_wait %g[%i] {T4}
             scf.if %p {{ tg.barrier_wait %g[%j] {T4} }}
           }}
         }}"
    ));
    assert_masked(&format!(
        "{G4}
         scf.for %i = %c0 to %c4 step %c1 {{
           tg.barrier_wait %g[%i] {T4}
           tg.inval_barrier %g[%i] {T4}
           tg.init_barrier %g[%i] {T4}
           scf.if %p {{ tg.barrier_wait %g[%i] {T4} }}
         }}"
    ));
}

#[test]
fn generated_programs_wait_with_the_right_parity() {
    for seed in 0..60 {
        assert_generated(seed);
    }
}

/// The same for as many programs as `PARITY_PROGRAMS` says.
#[test]
#[ignore = "takes minutes"]
fn many_generated_programs_wait_with_the_right_parity() {
    let count = std::env::var("PARITY_PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(20_000);
    for seed in 60..60 + count {
        assert_generated(seed);
    }
}

#[track_caller]
fn assert_generated(seed: u64) {
    let text = generate(seed);
    if seed.is_multiple_of(4) {
        // Two kernels; the evaluator takes the first.
        let other = generate(seed + 1).replace("@k(", "@other(");
        assert_right(&format!("{text}{other}"));
        assert_right(&format!("{other}{text}"));
    } else {
        assert_right(&text);
    }
}

#[test]
fn the_pass_is_idempotent() {
    for seed in 0..20 {
        let once = run("assign-parity", &generate(seed));
        assert_eq!(run("assign-parity", &once), once);
    }
}

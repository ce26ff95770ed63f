use std::fmt::Write;

use super::interpret::execute;
use super::{in_order, messages, read, run, run_on};

fn kernel(body: &str) -> String {
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

// ---- generated programs ----

struct Generator {
    state: u64,
    text: String,
    names: usize,
    /// Index values in scope.
    scope: Vec<String>,
    /// Barriers of each group.
    groups: Vec<i64>,
    budget: usize,
}

impl Generator {
    fn next(&mut self, limit: usize) -> usize {
        // SplitMix64.
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((z ^ z >> 31) % limit as u64).unwrap()
    }
    fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.next(items.len())].clone()
    }
    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{text}");
    }
    fn value(&mut self) -> String {
        let scope = self.scope.clone();
        self.pick(&scope)
    }
    fn constant(&mut self, value: i64) -> String {
        let name = self.name();
        self.line(&format!("{name} = arith.constant {value} : index"));
        name
    }

    fn wait(&mut self) {
        let group = self.next(self.groups.len());
        let count = self.groups[group];
        let ty = format!("!tg.barrier_ref<{count}, arrivals = 1>");
        let small = self.next(usize::try_from(count).unwrap());
        let index = match self.next(3) {
            0 => format!("{small}"),
            kind => {
                let mut value = self.value();
                if kind == 2 {
                    let factor = self.pick(&["%c1", "%c2", "%c3"]);
                    let (x, y) = (self.name(), self.name());
                    self.line(&format!("{x} = arith.muli {value}, {factor} : index"));
                    self.line(&format!("{y} = arith.addi {x}, {factor} : index"));
                    value = y;
                }
                let modulus = if self.next(3) == 0 { i64::try_from(small).unwrap() + 1 } else { count };
                let modulus = self.constant(modulus);
                let slot = self.name();
                self.line(&format!("{slot} = arith.remui {value}, {modulus} : index"));
                slot
            }
        };
        self.line(&format!("tg.barrier_wait %g{group}[{index}] : {ty}"));
    }

    fn condition(&mut self) -> String {
        if self.next(4) == 0 {
            return "%p".into();
        }
        let (value, bound) = (self.value(), self.pick(&["%c1", "%c2", "%c3", "%b"]));
        let predicate = self.pick(&["uge", "ult", "ugt", "ne", "eq", "sge"]);
        let name = self.name();
        self.line(&format!("{name} = arith.cmpi {predicate}, {value}, {bound} : index"));
        name
    }

    fn block(&mut self, depth: usize) {
        let kept = self.scope.len();
        for _ in 0..1 + self.next(3) {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            match if depth == 0 { 0 } else { self.next(6) } {
                0 | 1 => self.wait(),
                2 => {
                    let condition = self.condition();
                    self.line(&format!("scf.if {condition} {{"));
                    self.block(depth - 1);
                    if self.next(2) == 0 {
                        self.line("} else {");
                        self.block(depth - 1);
                    }
                    self.line("}");
                }
                3 => {
                    let (counter, upper) = (self.name(), self.pick(&["%a", "%b", "%c3", "%c4"]));
                    let (lower, step) =
                        (self.pick(&["%c0", "%c0", "%c1"]), self.pick(&["%c1", "%c1", "%c2"]));
                    self.line(&format!("scf.for {counter} = {lower} to {upper} step {step} {{"));
                    self.scope.push(counter);
                    self.block(depth - 1);
                    self.scope.pop();
                    self.line("}");
                }
                4 => {
                    let (counter, carried, result, next) =
                        (self.name(), self.name(), self.name(), self.name());
                    let (upper, init) = (self.pick(&["%a", "%b", "%c3"]), self.value());
                    self.line(&format!(
                        "{result} = scf.for {counter} = %c0 to {upper} step %c1 iter_args({carried} = {init}) -> (index) {{"
                    ));
                    self.scope.push(counter);
                    self.scope.push(carried.clone());
                    self.block(depth - 1);
                    self.scope.truncate(self.scope.len() - 2);
                    self.line(&format!("{next} = arith.addi {carried}, %c1 : index"));
                    self.line(&format!("scf.yield {next} : index\n}}"));
                    self.scope.push(result);
                }
                _ => {
                    let (x, y, go, z, result) =
                        (self.name(), self.name(), self.name(), self.name(), self.name());
                    let init = self.pick(&["%a", "%c3"]);
                    self.line(&format!("{result} = scf.while ({x} = {init}) : (index) -> index {{"));
                    self.scope.push(x.clone());
                    self.block(depth - 1);
                    self.scope.pop();
                    self.line(&format!("{go} = arith.cmpi ugt, {x}, %c0 : index"));
                    self.line(&format!("scf.condition({go}) {x} : index\n}} do {{\n^bb0({y}: index):"));
                    self.scope.push(y.clone());
                    self.block(depth - 1);
                    self.scope.pop();
                    self.line(&format!("{z} = arith.subi {y}, %c1 : index"));
                    self.line(&format!("scf.yield {z} : index\n}}"));
                    self.scope.push(result);
                }
            }
        }
        self.scope.truncate(kept);
    }
}

fn generate(seed: u64) -> String {
    let mut generator = Generator {
        state: seed,
        text: String::new(),
        names: 0,
        scope: vec!["%a".into(), "%b".into()],
        groups: Vec::new(),
        budget: 14,
    };
    for index in 0..1 + generator.next(2) {
        let count = generator.pick(&[1, 2, 3, 4, 8, 33, 70]);
        generator.groups.push(count);
        generator.line(&format!("%g{index} = tg.alloc_barrier : !tg.barrier_ref<{count}, arrivals = 1>"));
    }
    if generator.next(2) == 0 {
        generator.block(3);
    }
    if generator.next(2) == 0 {
        generator.line("tg.warp_specialize {");
        for role in ["x", "y"] {
            generator.line(&format!("role @{role} warps 4 {{"));
            generator.block(3);
            generator.line("}");
        }
        generator.line("}");
    } else {
        generator.block(3);
    }
    kernel(&generator.text)
}

#[test]
fn generated_programs_wait_with_the_right_parity() {
    for seed in 0..60 {
        assert_right(&generate(seed));
    }
}

#[test]
fn the_pass_is_idempotent() {
    for seed in 0..20 {
        let once = run("assign-parity", &generate(seed));
        assert_eq!(run("assign-parity", &once), once);
    }
}

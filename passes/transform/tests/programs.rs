//! Generated kernels that wait on barriers in nested loops and branches.

use std::fmt::Write;

use super::parity::kernel;

struct Generator {
    state: u64,
    text: String,
    names: usize,
    /// Index values in scope.
    scope: Vec<String>,
    /// Counters in scope that stay below a constant, with that.
    counters: Vec<(String, i64)>,
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
        let index = match self.next(4) {
            0 => format!("{small}"),
            // A counter as it is, where its range is known to fit.
            3 if !self.counters.is_empty() && count > 1 => {
                let fitting: Vec<String> = self
                    .counters
                    .iter()
                    .filter(|(_, upper)| *upper <= count)
                    .map(|(name, _)| name.clone())
                    .collect();
                if fitting.is_empty() { format!("{small}") } else { self.pick(&fitting) }
            }
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
                    self.scope.push(counter.clone());
                    let bounds = self.counters.len();
                    if let Some(bound) = upper.strip_prefix("%c").and_then(|bound| bound.parse().ok()) {
                        self.counters.push((counter, bound));
                    }
                    self.block(depth - 1);
                    self.counters.truncate(bounds);
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

/// The kernel of a seed.
pub(super) fn generate(seed: u64) -> String {
    let mut generator = Generator {
        state: seed,
        text: String::new(),
        names: 0,
        scope: vec!["%a".into(), "%b".into()],
        counters: Vec::new(),
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

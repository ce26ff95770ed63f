//! Random kernels that must be accepted: text, from a seed.
//!
//! Each is a kernel that a person could have meant: inputs are read by loads or by TMA through a ring of barriers,
//! worked on by array ops in loops and branches, and written by stores or TMA, by one thread, several, or roles.

mod arrays;

use std::fmt::Write;

use fastrand::Rng;

/// One kernel's text.
pub(crate) fn kernel(seed: u64) -> String {
    let mut generator = Generator::new(seed);
    generator.kernel();
    generator.text
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Elem {
    F32,
    F16,
    Bf16,
    I32,
}

impl Elem {
    fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::I32 => "i32",
        }
    }
    fn bytes(self) -> usize {
        match self {
            Self::F32 | Self::I32 => 4,
            Self::F16 | Self::Bf16 => 2,
        }
    }
    fn is_float(self) -> bool {
        self != Self::I32
    }
    fn literal(self, rng: &mut Rng) -> String {
        if self.is_float() { format!("{}.5", rng.i32(-3..4)) } else { rng.i32(-9..10).to_string() }
    }
}

struct Generator {
    rng: Rng,
    text: String,
    indent: usize,
    next: usize,
    elem: Elem,
    /// The shape of every array of the kernel but those made by reductions and reshapes.
    shape: Vec<usize>,
    /// Whether the number of steps is known at the launch only.
    dynamic: bool,
}

impl Generator {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let elem = [Elem::F32, Elem::F16, Elem::Bf16, Elem::I32][rng.usize(..4)];
        let shapes: &[&[usize]] =
            &[&[128], &[256], &[512], &[64], &[192], &[8, 64], &[64, 64], &[16, 128], &[4, 8, 32]];
        let shape = shapes[rng.usize(..shapes.len())].to_vec();
        let dynamic = rng.u8(..4) == 0;
        Self { rng, text: String::new(), indent: 0, next: 0, elem, shape, dynamic }
    }

    fn line(&mut self, line: &str) {
        for _ in 0..self.indent {
            self.text.push_str("  ");
        }
        self.text.push_str(line);
        self.text.push('\n');
    }
    fn open(&mut self, line: &str) {
        self.line(line);
        self.indent += 1;
    }
    fn close(&mut self) {
        self.indent -= 1;
        self.line("}");
    }
    fn fresh(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }
    fn op(&mut self, op: &str) -> String {
        let name = self.fresh();
        self.line(&format!("{name} = {op}"));
        name
    }
    fn dims(&self) -> String {
        self.shape.iter().map(|dim| format!("{dim}x")).collect()
    }
    fn array(&self) -> String {
        format!("vector<{}{}>", self.dims(), self.elem.name())
    }
    fn gmem(&self, steps: usize) -> String {
        let steps = if self.dynamic { "?".to_owned() } else { steps.to_string() };
        format!("!tg.ref<{steps}x{}{}, gmem>", self.dims(), self.elem.name())
    }
    fn ring(&self, slots: usize) -> String {
        format!("!tg.ref<{slots}x{}{}, smem>", self.dims(), self.elem.name())
    }
    fn bytes(&self) -> usize {
        self.shape.iter().product::<usize>() * self.elem.bytes()
    }
    /// Whether TMA can copy an array of the kernel's shape.
    fn fits_tma(&self) -> bool {
        let inner = self.shape.last().copied().unwrap_or(1) * self.elem.bytes();
        inner.is_multiple_of(16)
            && self.shape.len() < 5
            && self.shape.iter().all(|&dim| dim <= 256)
            && self.bytes() <= 16384
    }

    fn kernel(&mut self) {
        let steps = self.rng.usize(1..9);
        let (x, y) = (self.gmem(steps), self.gmem(steps));
        let scalar = if self.elem.is_float() { self.elem.name() } else { "i32" };
        let grid = if self.rng.bool() { " grid [\"i\" = 2, \"j\" = 3]" } else { "" };
        let roles = self.rng.u8(..3);
        let threads = if roles == 0 && self.rng.bool() { " threads [\"wg\" = 2]" } else { "" };
        self.open(&format!("tg.kernel @k(%x: {x}, %y: {y}, %alpha: {scalar}){grid}{threads} {{"));
        for (name, value) in [("%c0", 0), ("%c1", 1), ("%c2", 2)] {
            self.line(&format!("{name} = arith.constant {value} : index"));
        }
        if self.dynamic {
            self.line(&format!("%steps = tg.dim %x, 0 : {x}"));
        } else {
            self.line(&format!("%steps = arith.constant {steps} : index"));
        }
        match roles {
            0 => self.plain(steps, !threads.is_empty()),
            _ if self.fits_tma() => self.specialised(steps, true),
            _ => self.specialised(steps, false),
        }
        self.close();
    }

    /// Every thread does all of it; with two threads, each writes its own half of the steps.
    fn plain(&mut self, steps: usize, two: bool) {
        let start = if two { self.op("tg.axis_index \"wg\" : index") } else { "%c0".to_owned() };
        let step = if two { "%c2" } else { "%c1" };
        let (x, y, array) = (self.gmem(steps), self.gmem(steps), self.array());
        self.open(&format!("scf.for %i = {start} to %steps step {step} {{"));
        let value = self.op(&format!("tg.load %x[%i] : {x} -> {array}"));
        let value = self.work(value, "%i");
        self.line(&format!("tg.store {value}, %y[%i] : {array}, {y}"));
        self.close();
    }

    /// A producer fills a ring, a consumer empties it.
    fn specialised(&mut self, steps: usize, tma: bool) {
        let slots = self.rng.usize(1..5);
        let (ring, array) = (self.ring(slots), self.array());
        // More barriers than a word has bits, of which the first are used.
        let barriers = if self.rng.u8(..6) == 0 { 40 } else { slots };
        let barrier = format!("!tg.barrier_ref<{barriers}, arrivals = 1>");
        let (x, y) = (self.gmem(steps), self.gmem(steps));
        self.line(&format!("%buf = tg.alloc : {ring}"));
        let staged = tma && self.rng.bool();
        let stage = self.ring(1);
        if staged {
            self.line(&format!("%out = tg.alloc : {stage}"));
        }
        self.line(&format!("%full = tg.alloc_barrier : {barrier}"));
        self.line(&format!("%empty = tg.alloc_barrier : {barrier}"));
        self.line(&format!("%slots = arith.constant {slots} : index"));
        self.open("tg.warp_specialize {");
        let warps = if tma && self.rng.bool() { " warps 1" } else { "" };
        self.open(&format!("role @producer{warps} {{"));
        self.open("scf.for %i = %c0 to %steps step %c1 {");
        self.line("%slot = arith.remui %i, %slots : index");
        self.line("%again = arith.cmpi uge, %i, %slots : index");
        self.open("scf.if %again {");
        self.line(&format!("tg.barrier_wait %empty[%slot] : {barrier}"));
        self.close();
        if tma {
            self.line(&format!(
                "tg.copy_gmem_to_smem %x[%i] -> %buf[%slot], %full[%slot] : {x} -> {ring}, {barrier}"
            ));
        } else {
            let value = self.op(&format!("tg.load %x[%i] : {x} -> {array}"));
            self.line(&format!("tg.store {value}, %buf[%slot] : {array}, {ring}"));
            self.line(&format!("tg.barrier_arrive %full[%slot] : {barrier}"));
        }
        self.close();
        self.close();
        self.open("role @consumer {");
        self.open("scf.for %i = %c0 to %steps step %c1 {");
        self.line("%slot = arith.remui %i, %slots : index");
        self.line(&format!("tg.barrier_wait %full[%slot] : {barrier}"));
        let value = self.op(&format!("tg.load %buf[%slot] : {ring} -> {array}"));
        self.line(&format!("tg.barrier_arrive %empty[%slot] : {barrier}"));
        let value = self.work(value, "%i");
        if staged {
            self.line("tg.wait_smem_to_gmem 0 read_only");
            self.line("tg.thread_sync");
            self.line(&format!("tg.store {value}, %out[%c0] : {array}, {stage}"));
            self.line("tg.commit_smem");
            self.line(&format!("tg.copy_smem_to_gmem %out[%c0] -> %y[%i] : {stage} -> {y}"));
        } else {
            self.line(&format!("tg.store {value}, %y[%i] : {array}, {y}"));
        }
        self.close();
        if staged {
            self.line("tg.wait_smem_to_gmem 0");
        }
        self.close();
        self.close();
    }

    /// Some array ops on `value`.
    fn work(&mut self, mut value: String, index: &str) -> String {
        for _ in 0..self.rng.usize(1..6) {
            value = match self.rng.u8(..14) {
                0..=4 => self.elementwise(&value),
                5 => self.looped(&value),
                6 => self.branched(&value, index),
                7 => self.reduced(&value),
                8 => self.reshaped(&value),
                9 => self.transposed(&value),
                10 => self.normalised(&value),
                11 => self.cast(&value),
                12 => self.repeated(&value),
                _ => self.chosen(&value),
            };
        }
        if self.rng.u8(..8) == 0 {
            self.told(index);
        }
        value
    }

    fn constant(&mut self) -> String {
        let array = self.array();
        let literal = self.elem.literal(&mut self.rng);
        self.op(&format!("arith.constant dense<{literal}> : {array}"))
    }

    fn elementwise(&mut self, value: &str) -> String {
        let array = self.array();
        let other = match self.rng.u8(..3) {
            0 => self.constant(),
            1 => {
                let elem = self.elem.name();
                self.op(&format!("vector.broadcast %alpha : {elem} to {array}"))
            }
            _ => value.to_owned(),
        };
        let ops: &[&str] = if self.elem.is_float() {
            &["arith.addf", "arith.subf", "arith.mulf", "arith.maximumf", "arith.minnumf"]
        } else {
            &["arith.addi", "arith.subi", "arith.muli", "arith.maxsi", "arith.xori", "arith.andi"]
        };
        let unary: &[&str] = if self.elem.is_float() {
            &["arith.negf", "math.absf", "math.exp2", "math.floor"]
        } else {
            &["math.absi"]
        };
        if self.rng.u8(..4) == 0 {
            let op = unary[self.rng.usize(..unary.len())];
            return self.op(&format!("{op} {value} : {array}"));
        }
        let op = ops[self.rng.usize(..ops.len())];
        self.op(&format!("{op} {value}, {other} : {array}"))
    }

    fn looped(&mut self, value: &str) -> String {
        let array = self.array();
        let (result, carried, count) = (self.fresh(), self.fresh(), self.fresh());
        self.open(&format!(
            "{result} = scf.for {count} = %c0 to %c2 step %c1 iter_args({carried} = {value}) -> ({array}) {{"
        ));
        let inner = self.elementwise(&carried);
        self.line(&format!("scf.yield {inner} : {array}"));
        self.close();
        result
    }

    fn branched(&mut self, value: &str, index: &str) -> String {
        let array = self.array();
        let condition = self.op(&format!("arith.cmpi ult, {index}, %c1 : index"));
        let result = self.fresh();
        self.open(&format!("{result} = scf.if {condition} -> ({array}) {{"));
        let inner = self.elementwise(value);
        self.line(&format!("scf.yield {inner} : {array}"));
        self.indent -= 1;
        self.open("} else {");
        self.line(&format!("scf.yield {value} : {array}"));
        self.close();
        result
    }

    /// The sum (or maximum) of the array, subtracted from each element.
    fn reduced(&mut self, value: &str) -> String {
        let (array, elem) = (self.array(), self.elem.name());
        let count: usize = self.shape.iter().product();
        let flat_type = format!("vector<{count}x{elem}>");
        let flat = if self.shape.len() == 1 {
            value.to_owned()
        } else {
            self.op(&format!("vector.shape_cast {value} : {array} to {flat_type}"))
        };
        let kind = match (self.elem.is_float(), self.rng.bool()) {
            (_, true) => "add",
            (true, false) => "maximumf",
            (false, false) => "maxsi",
        };
        let total = self.op(&format!("vector.reduction <{kind}>, {flat} : {flat_type} into {elem}"));
        let spread = self.op(&format!("vector.broadcast {total} : {elem} to {array}"));
        let op = if self.elem.is_float() { "arith.subf" } else { "arith.subi" };
        self.op(&format!("{op} {value}, {spread} : {array}"))
    }

    /// To one dimension and back.
    fn reshaped(&mut self, value: &str) -> String {
        let (array, elem) = (self.array(), self.elem.name());
        let count: usize = self.shape.iter().product();
        let flat_type = format!("vector<{}x{}x{elem}>", count / 16, 16);
        let flat = self.op(&format!("vector.shape_cast {value} : {array} to {flat_type}"));
        self.op(&format!("vector.shape_cast {flat} : {flat_type} to {array}"))
    }

    fn chosen(&mut self, value: &str) -> String {
        let array = self.array();
        let other = self.constant();
        let mut condition = String::new();
        let compare = if self.elem.is_float() { "arith.cmpf olt" } else { "arith.cmpi slt" };
        let flags = self.fresh();
        let _ = write!(condition, "{flags} = {compare}, {value}, {other} : {array}");
        self.line(&condition);
        let dims = self.dims();
        self.op(&format!("arith.select {flags}, {value}, {other} : vector<{dims}i1>, {array}"))
    }
}

//! Random kernels that must be accepted: text, from a seed.
//!
//! Each is a kernel that a person could have meant: inputs are read by loads or by TMA through a ring of barriers,
//! worked on by array ops in loops and branches, and written by stores or TMA, by one thread, several, roles, or the
//! blocks of a cluster. Protocols are correct by construction. Numbers are whole and bounded, so that sums are exact in
//! any order and every result is one number, whoever computes it.
//!
//! | form | module |
//! |---|---|
//! | every thread does all of it, or threads swap parts through shared memory | `plain` |
//! | producers fill a ring, consumers empty it, a writer may take the results | `ring` |
//! | blocks of a cluster: multicasts, cluster barriers, arrivals at peers | `cluster` |

mod arrays;
mod cluster;
mod plain;
mod ring;
mod values;

use fastrand::Rng;

/// A kernel `@k(%x, %y, %alpha)`.
#[derive(Debug)]
pub(crate) struct Kernel {
    /// Its text.
    pub(crate) text: String,
    /// The extent that the launch gives for `?`.
    #[allow(dead_code, reason = "for the tests that execute kernels")]
    pub(crate) steps: usize,
}

/// One kernel.
pub(crate) fn generate(seed: u64) -> Kernel {
    let mut generator = Generator::new(seed);
    generator.kernel();
    Kernel { text: generator.text, steps: generator.steps }
}

/// One kernel's text.
pub(crate) fn kernel(seed: u64) -> String {
    generate(seed).text
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Elem {
    F32,
    F16,
    Bf16,
    I64,
    I32,
    I16,
    I8,
}

impl Elem {
    fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::I64 => "i64",
            Self::I32 => "i32",
            Self::I16 => "i16",
            Self::I8 => "i8",
        }
    }
    fn bytes(self) -> usize {
        match self {
            Self::I64 => 8,
            Self::F32 | Self::I32 => 4,
            Self::F16 | Self::Bf16 | Self::I16 => 2,
            Self::I8 => 1,
        }
    }
    fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F16 | Self::Bf16)
    }
    /// Whole numbers up to here are all there.
    fn exact(self) -> f64 {
        match self {
            Self::F32 => 16_777_216.0,
            Self::F16 => 2048.0,
            Self::Bf16 => 256.0,
            // Integers wrap; nothing is lost.
            Self::I64 | Self::I32 | Self::I16 | Self::I8 => f64::INFINITY,
        }
    }
    fn literal(self, value: i32) -> String {
        if self.is_float() { format!("{value}.0") } else { value.to_string() }
    }
}

/// The largest magnitude of an element of the input.
const INPUT: f64 = 8.0;

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
    steps: usize,
    /// Extents in front of the steps: blocks that write apart.
    blocks: usize,
    /// The largest magnitude that an element of the array at hand may have.
    bound: f64,
    /// Whether the elements of the array at hand are whole.
    whole: bool,
}

impl Generator {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let elems = [
            Elem::F32,
            Elem::F32,
            Elem::F16,
            Elem::F16,
            Elem::Bf16,
            Elem::I32,
            Elem::I32,
            Elem::I64,
            Elem::I16,
            Elem::I8,
        ];
        let elem = elems[rng.usize(..elems.len())];
        let shapes: &[&[usize]] = &[
            &[128],
            &[256],
            &[512],
            &[64],
            &[32],
            &[192],
            &[80],
            &[8, 64],
            &[16, 32],
            &[16, 64],
            &[24, 48],
            &[4, 8, 32],
        ];
        let shape = shapes[rng.usize(..shapes.len())].to_vec();
        let dynamic = rng.u8(..4) == 0;
        let steps = rng.usize(1..8);
        Self {
            rng,
            text: String::new(),
            indent: 0,
            next: 0,
            elem,
            shape,
            dynamic,
            steps,
            blocks: 1,
            bound: INPUT,
            whole: true,
        }
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
    fn chance(&mut self, one_in: u8) -> bool {
        self.rng.u8(..one_in) == 0
    }
    fn dims(&self) -> String {
        self.shape.iter().map(|dim| format!("{dim}x")).collect()
    }
    fn array(&self) -> String {
        format!("vector<{}{}>", self.dims(), self.elem.name())
    }
    /// The input: steps, parts if there are several, the shape.
    fn input(&self, parts: usize) -> String {
        let steps = if self.dynamic { "?".to_owned() } else { self.steps.to_string() };
        format!("!tg.ref<{steps}x{}{}{}, gmem>", many(parts), self.dims(), self.elem.name())
    }
    /// The output: blocks if there are several, steps, parts, the shape.
    fn output(&self, parts: usize) -> String {
        let steps = if self.dynamic { "?".to_owned() } else { self.steps.to_string() };
        format!(
            "!tg.ref<{}{steps}x{}{}{}, gmem>",
            many(self.blocks),
            many(parts),
            self.dims(),
            self.elem.name()
        )
    }
    /// The place of a step (and a part) in the output.
    fn place(&self, step: &str, part: Option<&str>) -> String {
        let block = if self.blocks > 1 { Some("%block") } else { None };
        let indices: Vec<&str> = block.into_iter().chain([step]).chain(part).collect();
        indices.join(", ")
    }
    fn shared(&self, lead: &str, transform: &str) -> String {
        format!("!tg.ref<{lead}{}{}, smem{transform}>", self.dims(), self.elem.name())
    }
    fn bytes(&self) -> usize {
        self.shape.iter().product::<usize>() * self.elem.bytes()
    }
    /// Whether TMA can copy an array of the kernel's shape, from or to a ref with so many dimensions in front.
    fn fits_tma(&self, lead: usize) -> bool {
        let inner = self.shape.last().copied().unwrap_or(1) * self.elem.bytes();
        inner.is_multiple_of(16)
            && self.shape.len() + lead <= 5
            && self.shape.iter().all(|&dim| dim <= 256)
            && self.bytes() <= 8192
            // Each slot of a ring starts where a copy may.
            && self.bytes().is_multiple_of(128)
    }

    fn kernel(&mut self) {
        match self.rng.u8(..8) {
            0 => self.plain(),
            1 => self.swapping(),
            2..=5 => self.ring(),
            _ => self.cluster(),
        }
        self.close();
    }

    /// The head of the kernel, and what all forms use.
    fn head(&mut self, parts: usize, axes: &str) {
        let (x, y, elem) = (self.input(parts), self.output(parts), self.elem.name());
        self.open(&format!("tg.kernel @k(in %x: {x}, out %y: {y}, %alpha: {elem}){axes} {{"));
        for (name, value) in [("%c0", 0), ("%c1", 1), ("%c2", 2)] {
            self.line(&format!("{name} = arith.constant {value} : index"));
        }
        if self.dynamic {
            self.line(&format!("%steps = tg.dim %x, 0 : {x}"));
        } else {
            self.line(&format!("%steps = arith.constant {} : index", self.steps));
        }
    }

    /// The axes of a grid, of which the blocks write apart; `%block` numbers them.
    fn grid(&mut self) -> &'static str {
        if self.rng.bool() {
            self.blocks = 3;
            return " grid [\"g\" = 3]";
        }
        ""
    }

    /// A loop over the steps.
    fn each_step(&mut self, from: &str, by: &str) {
        self.open(&format!("scf.for %i = {from} to %steps step {by} {{"));
        self.fresh_input();
    }

    /// The array at hand is one of the input.
    fn fresh_input(&mut self) {
        self.bound = if self.elem.is_float() { INPUT } else { f64::INFINITY };
        self.whole = true;
    }
}

/// A dimension, where there is more than one.
fn many(count: usize) -> String {
    if count > 1 { format!("{count}x") } else { String::new() }
}

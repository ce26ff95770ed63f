//! What is done with an array: some ops on it, with the range of its elements kept in mind.

use super::{Elem, Generator};

impl Generator {
    /// Some array ops on `value`.
    pub(super) fn work(&mut self, mut value: String, index: &str) -> String {
        for _ in 0..self.rng.usize(1..5) {
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
        if self.chance(6) {
            value = self.rounded(&value);
        }
        if self.chance(8) {
            self.told(index);
        }
        value
    }

    /// An array of one whole number of magnitude 4 at most.
    fn constant(&mut self) -> String {
        let number = self.rng.i32(-4..5);
        self.splat(number)
    }
    pub(super) fn splat(&mut self, number: i32) -> String {
        let (array, literal) = (self.array(), self.elem.literal(number));
        self.op(&format!("arith.constant dense<{literal}> : {array}"))
    }

    /// The array with its elements brought into `-limit..=limit`, unless they are there.
    pub(super) fn clamped(&mut self, value: &str, limit: i32) -> String {
        if self.bound <= f64::from(limit) {
            return value.to_owned();
        }
        // A power of two: every type has it.
        let limit = 1 << limit.max(1).ilog2();
        let array = self.array();
        let (low, high) = (self.splat(-limit), self.splat(limit));
        let (min, max) = if self.elem.is_float() {
            ("arith.minimumf", "arith.maxnumf")
        } else {
            ("arith.minsi", "arith.maxsi")
        };
        let below = self.op(&format!("{min} {value}, {high} : {array}"));
        self.bound = f64::from(limit);
        self.op(&format!("{max} {below}, {low} : {array}"))
    }

    /// The array clamped so that whole numbers stay exact when they get `factor` times as large.
    fn with_room(&mut self, value: &str, factor: f64) -> String {
        if !self.elem.is_float() || self.bound * factor <= self.elem.exact() {
            return value.to_owned();
        }
        let limit = (self.elem.exact() / factor).floor().min(1000.0);
        self.clamped(value, limit as i32)
    }

    pub(super) fn elementwise(&mut self, value: &str) -> String {
        let array = self.array();
        if self.chance(4) {
            return self.unary(value);
        }
        let value = &self.with_room(value, 16.0);
        let (other, other_bound) = match self.rng.u8(..3) {
            0 => (self.constant(), 4.0),
            1 => {
                let elem = self.elem.name();
                (self.op(&format!("vector.broadcast %alpha : {elem} to {array}")), 4.0)
            }
            _ => (value.to_owned(), self.bound),
        };
        let ops: &[&str] = if self.elem.is_float() {
            &["arith.addf", "arith.subf", "arith.mulf", "arith.maximumf", "arith.minnumf", "arith.minimumf"]
        } else {
            &[
                "arith.addi",
                "arith.subi",
                "arith.muli",
                "arith.maxsi",
                "arith.minui",
                "arith.xori",
                "arith.andi",
                "arith.ori",
            ]
        };
        let mut op = ops[self.rng.usize(..ops.len())];
        if op == "arith.mulf" && self.bound * other_bound > self.elem.exact() {
            op = "arith.subf";
        }
        self.bound = match op {
            "arith.mulf" => self.bound * other_bound,
            _ => self.bound + other_bound,
        };
        if !self.elem.is_float() {
            self.bound = f64::INFINITY;
        }
        self.op(&format!("{op} {value}, {other} : {array}"))
    }

    fn unary(&mut self, value: &str) -> String {
        let array = self.array();
        if !self.elem.is_float() {
            let op = ["math.absi", "math.ctpop", "math.ctlz"][self.rng.usize(..3)];
            self.bound = f64::INFINITY;
            return self.op(&format!("{op} {value} : {array}"));
        }
        let ops = ["arith.negf", "math.absf", "math.floor", "math.roundeven", "math.exp2"];
        let op = ops[self.rng.usize(..ops.len())];
        if op != "math.exp2" {
            return self.op(&format!("{op} {value} : {array}"));
        }
        // Powers of two are exact.
        let small = self.clamped(value, 4);
        let magnitude = self.op(&format!("math.absf {small} : {array}"));
        self.bound = 16.0;
        self.op(&format!("math.exp2 {magnitude} : {array}"))
    }

    /// What leaves whole numbers behind, at the end of the work.
    fn rounded(&mut self, value: &str) -> String {
        let array = self.array();
        if !self.elem.is_float() {
            let by = self.rng.i32(2..8);
            let by = self.splat(by);
            let ops = ["arith.divsi", "arith.remui", "arith.floordivsi", "arith.shrsi", "arith.remsi"];
            let op = ops[self.rng.usize(..ops.len())];
            let by = if op == "arith.shrsi" { self.splat(3) } else { by };
            return self.op(&format!("{op} {value}, {by} : {array}"));
        }
        self.whole = false;
        let third = self.splat(3);
        let quotient = self.op(&format!("arith.divf {value}, {third} : {array}"));
        match self.rng.u8(..3) {
            0 => quotient,
            1 => self.op(&format!("math.fma {quotient}, {value}, {third} : {array}")),
            _ => {
                let magnitude = self.op(&format!("math.absf {quotient} : {array}"));
                self.op(&format!("math.sqrt {magnitude} : {array}"))
            }
        }
    }

    /// Two passes; the carried array is bounded again in each.
    fn looped(&mut self, value: &str) -> String {
        let array = self.array();
        let value = &self.with_room(value, 64.0);
        let start = self.bound;
        let (result, carried, count) = (self.fresh(), self.fresh(), self.fresh());
        self.open(&format!(
            "{result} = scf.for {count} = %c0 to %c2 step %c1 iter_args({carried} = {value}) -> ({array}) {{"
        ));
        let inner = self.bounded_step(&carried, start);
        self.line(&format!("scf.yield {inner} : {array}"));
        self.close();
        result
    }

    /// An op on an array that a loop carries, whose result is no larger than what it started with.
    pub(super) fn bounded_step(&mut self, carried: &str, start: f64) -> String {
        let inner = self.elementwise(carried);
        if !self.elem.is_float() {
            return inner;
        }
        let inner = self.clamped(&inner, start as i32);
        self.bound = start;
        inner
    }

    fn branched(&mut self, value: &str, index: &str) -> String {
        let array = self.array();
        let condition = self.op(&format!("arith.cmpi ult, {index}, %c1 : index"));
        let before = self.bound;
        let result = self.fresh();
        self.open(&format!("{result} = scf.if {condition} -> ({array}) {{"));
        let inner = self.elementwise(value);
        self.line(&format!("scf.yield {inner} : {array}"));
        self.indent -= 1;
        self.open("} else {");
        self.line(&format!("scf.yield {value} : {array}"));
        self.close();
        self.bound = self.bound.max(before);
        result
    }

    /// Whether `count` elements may be added up: an order is as good as another.
    fn may_add(&self, count: usize) -> bool {
        !self.elem.is_float() || self.bound * (count as f64) <= self.elem.exact()
    }

    /// The sum (or an extreme) of the array, subtracted from each element.
    fn reduced(&mut self, value: &str) -> String {
        let (array, elem) = (self.array(), self.elem.name());
        let count: usize = self.shape.iter().product();
        let flat_type = format!("vector<{count}x{elem}>");
        let value = &self.with_room(value, count as f64);
        let flat = if self.shape.len() == 1 {
            value.to_owned()
        } else {
            self.op(&format!("vector.shape_cast {value} : {array} to {flat_type}"))
        };
        let kind = self.kind(count);
        let total = self.op(&format!("vector.reduction <{kind}>, {flat} : {flat_type} into {elem}"));
        let spread = self.op(&format!("vector.broadcast {total} : {elem} to {array}"));
        self.bound *= if kind == "add" { count as f64 + 1.0 } else { 2.0 };
        let op = if self.elem.is_float() { "arith.subf" } else { "arith.subi" };
        self.op(&format!("{op} {value}, {spread} : {array}"))
    }

    /// A reduction that has one result in whatever order it is done.
    pub(super) fn kind(&mut self, count: usize) -> &'static str {
        let floats = ["add", "maximumf", "minimumf", "maxnumf"];
        let integers = ["add", "maxsi", "minsi", "minui", "xor", "and"];
        let kinds: &[&str] = if self.elem.is_float() { &floats } else { &integers };
        let first = usize::from(!self.may_add(count));
        kinds[self.rng.usize(first..kinds.len())]
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
        let compare = match (self.elem.is_float(), self.rng.bool()) {
            (true, true) => "arith.cmpf olt",
            (true, false) => "arith.cmpf une",
            (false, true) => "arith.cmpi slt",
            (false, false) => "arith.cmpi uge",
        };
        let flags = self.op(&format!("{compare}, {value}, {other} : {array}"));
        let dims = self.dims();
        self.bound = self.bound.max(4.0);
        self.op(&format!("arith.select {flags}, {value}, {other} : vector<{dims}i1>, {array}"))
    }

    /// To another element type and back.
    pub(super) fn cast(&mut self, value: &str) -> String {
        let (array, dims) = (self.array(), self.dims());
        let (out, back, others): (_, _, &[&str]) = match self.elem {
            Elem::F32 => ("arith.truncf", "arith.extf", &["f16", "bf16", "f8E4M3FN", "f8E5M2"]),
            Elem::F16 | Elem::Bf16 if self.rng.bool() => ("arith.extf", "arith.truncf", &["f32", "f64"]),
            Elem::F16 | Elem::Bf16 => ("arith.truncf", "arith.extf", &["f8E4M3FN", "f8E5M2"]),
            Elem::I32 | Elem::I16 if self.rng.bool() => ("arith.sitofp", "arith.fptosi", &["f32", "f16"]),
            Elem::I64 => ("arith.trunci", "arith.extsi", &["i32", "i16", "i8"]),
            Elem::I32 => ("arith.trunci", "arith.extui", &["i16", "i8", "i1"]),
            Elem::I16 => ("arith.extsi", "arith.trunci", &["i32", "i64"]),
            Elem::I8 => ("arith.extui", "arith.trunci", &["i32", "i16"]),
        };
        let other = others[self.rng.usize(..others.len())];
        let value = match (out, other) {
            // What is rounded to bf16 may get a little larger; f16 ends at 65504.
            ("arith.truncf" | "arith.sitofp", _) => self.clamped(value, 100),
            _ => value.to_owned(),
        };
        let other = format!("vector<{dims}{other}>");
        let there = self.op(&format!("{out} {value} : {array} to {other}"));
        self.bound *= 1.25;
        self.op(&format!("{back} {there} : {other} to {array}"))
    }
}

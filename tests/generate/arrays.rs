//! Work on arrays that moves elements, changes their type or goes through `scf.while`; and what is for people.

use super::{Elem, Generator};

impl Generator {
    /// Dimensions of the kernel's shape in reverse, and back again.
    pub(super) fn transposed(&mut self, value: &str) -> String {
        if self.shape.len() < 2 {
            return self.cast(value);
        }
        let (array, elem) = (self.array(), self.elem.name());
        let order: Vec<String> = (0..self.shape.len()).rev().map(|dim| dim.to_string()).collect();
        let order = order.join(", ");
        let dims: String = self.shape.iter().rev().map(|dim| format!("{dim}x")).collect();
        let turned_type = format!("vector<{dims}{elem}>");
        let turned = self.op(&format!("vector.transpose {value}, [{order}] : {array} to {turned_type}"));
        let op = if self.elem.is_float() { "arith.addf" } else { "arith.addi" };
        let sum = self.op(&format!("{op} {turned}, {turned} : {turned_type}"));
        self.op(&format!("vector.transpose {sum}, [{order}] : {turned_type} to {array}"))
    }

    /// The rows combined, subtracted from each row.
    pub(super) fn normalised(&mut self, value: &str) -> String {
        if self.shape.len() < 2 {
            return self.cast(value);
        }
        let (array, elem) = (self.array(), self.elem.name());
        let dims: String = self.shape[1..].iter().map(|dim| format!("{dim}x")).collect();
        let row_type = format!("vector<{dims}{elem}>");
        let literal = self.elem.literal(&mut self.rng);
        let start = self.op(&format!("arith.constant dense<{literal}> : {row_type}"));
        let kind = match (self.elem.is_float(), self.rng.bool()) {
            (_, true) => "add",
            (true, false) => "minimumf",
            (false, false) => "minsi",
        };
        let row = self
            .op(&format!("vector.multi_reduction <{kind}>, {value}, {start} [0] : {array} to {row_type}"));
        let spread = self.op(&format!("vector.broadcast {row} : {row_type} to {array}"));
        let op = if self.elem.is_float() { "arith.subf" } else { "arith.subi" };
        self.op(&format!("{op} {value}, {spread} : {array}"))
    }

    /// To another element type and back.
    pub(super) fn cast(&mut self, value: &str) -> String {
        let (array, dims) = (self.array(), self.dims());
        let (out, back, others): (_, _, &[&str]) = match self.elem {
            Elem::F32 => ("arith.truncf", "arith.extf", &["f16", "bf16", "f8E4M3FN", "f8E5M2"]),
            Elem::F16 | Elem::Bf16 if self.rng.bool() => ("arith.extf", "arith.truncf", &["f32", "f64"]),
            Elem::F16 | Elem::Bf16 => ("arith.truncf", "arith.extf", &["f8E4M3FN", "f8E5M2"]),
            Elem::I32 if self.rng.bool() => ("arith.sitofp", "arith.fptosi", &["f32", "f16"]),
            Elem::I32 => ("arith.trunci", "arith.extui", &["i16", "i8", "i1"]),
        };
        let other = format!("vector<{dims}{}>", others[self.rng.usize(..others.len())]);
        let there = self.op(&format!("{out} {value} : {array} to {other}"));
        self.op(&format!("{back} {there} : {other} to {array}"))
    }

    /// An array and a number through a loop that ends when the number says so.
    pub(super) fn repeated(&mut self, value: &str) -> String {
        let array = self.array();
        let (result, first, second) = (self.fresh(), self.fresh(), self.fresh());
        let (count, again) = (self.fresh(), self.fresh());
        self.open(&format!(
            "{result}:2 = scf.while ({first} = {value}, {count} = %c0) : ({array}, index) -> ({array}, index) {{"
        ));
        self.line(&format!("{again} = arith.cmpi ult, {count}, %c2 : index"));
        self.line(&format!("scf.condition({again}) {first}, {count} : {array}, index"));
        self.indent -= 1;
        self.open("} do {");
        let (number, next) = (self.fresh(), self.fresh());
        self.line(&format!("^bb0({second}: {array}, {number}: index):"));
        let inner = self.elementwise(&second);
        self.line(&format!("{next} = arith.addi {number}, %c1 : index"));
        self.line(&format!("scf.yield {inner}, {next} : {array}, index"));
        self.close();
        format!("{result}#0")
    }

    /// A line for people, and something that holds.
    pub(super) fn told(&mut self, index: &str) {
        let elem = self.elem.name();
        if self.rng.bool() {
            self.line(&format!("tg.debug_print \"step {{}} of {{}}\", {index}, %alpha : index, {elem}"));
        }
        let holds = self.op(&format!("arith.cmpi ult, {index}, %steps : index"));
        self.line(&format!("tg.assert {holds}, \"a step of the kernel\""));
    }
}

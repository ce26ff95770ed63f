//! Work on arrays that moves elements or goes through `scf.while`; and what is for people.

use super::Generator;

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
        let op = if self.elem.is_float() { "arith.maximumf" } else { "arith.addi" };
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
        let number = self.rng.i32(-4..5);
        let literal = self.elem.literal(number);
        let start = self.op(&format!("arith.constant dense<{literal}> : {row_type}"));
        self.bound = self.bound.max(4.0);
        let kind = self.kind(self.shape[0] + 1);
        self.bound *= if kind == "add" { self.shape[0] as f64 + 2.0 } else { 2.0 };
        let row = self
            .op(&format!("vector.multi_reduction <{kind}>, {value}, {start} [0] : {array} to {row_type}"));
        let spread = self.op(&format!("vector.broadcast {row} : {row_type} to {array}"));
        let op = if self.elem.is_float() { "arith.subf" } else { "arith.subi" };
        self.op(&format!("{op} {value}, {spread} : {array}"))
    }

    /// An array and a number through a loop that ends when the number says so.
    pub(super) fn repeated(&mut self, value: &str) -> String {
        let array = self.array();
        let start = self.bound;
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
        let inner = self.bounded_step(&second, start);
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

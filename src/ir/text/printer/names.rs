//! The names that values get in the text.

use std::fmt::Write;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::entity::{Op, SideTable, Value};
use crate::module::{Module, ValueDef};
use crate::ops::Traits;
use crate::text::is_bare_identifier;

/// A value's name.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Label {
    /// Not defined inside what is printed.
    #[default]
    Unknown,
    /// `%3`.
    Number(u32),
    /// `%arg3`.
    Arg(u32),
    /// A name of its own.
    Named(u32),
    /// `%3#1`, after the first result of its op.
    Part(u32),
}

#[derive(Default, Debug)]
pub(super) struct Labels {
    labels: SideTable<Value, Label>,
    texts: Vec<String>,
    used: FxHashSet<String>,
    suffixes: FxHashMap<String, u32>,
    numbers: u32,
    args: u32,
    /// Whether isolated ops share the names of what is around them.
    whole_module: bool,
}

impl Labels {
    /// Names for everything inside `root`: down to nested isolated ops, which name their own, or all of it.
    pub(super) fn of_region_op(module: &Module, root: Op, whole_module: bool) -> Self {
        let mut labels = Self { whole_module, ..Self::default() };
        labels.regions(module, root);
        labels
    }

    pub(super) fn get(&self, value: Value) -> Label {
        self.labels[value]
    }

    fn regions(&mut self, module: &Module, op: Op) {
        for &region in module.regions(op) {
            for &block in module.region_blocks(region) {
                for &arg in module.block_args(block) {
                    self.name(module, arg, true);
                }
            }
            for &block in module.region_blocks(region) {
                for op in module.block_ops(block) {
                    self.op(module, op);
                }
            }
        }
    }

    fn op(&mut self, module: &Module, op: Op) {
        let mut results = module.results(op);
        if let Some(first) = results.next() {
            self.name(module, first, false);
            for (number, value) in (1u32..).zip(results) {
                if module.value_name(value).is_some_and(is_usable) {
                    self.name(module, value, false);
                } else if number > 1 && !matches!(self.labels[previous(value)], Label::Part(_)) {
                    // After a result with a name of its own, the count would start anew.
                    self.name(module, value, false);
                } else {
                    self.labels.set(value, Label::Part(number));
                }
            }
        }
        if !module.regions(op).is_empty() && (self.whole_module || !module.opcode(op).has(Traits::ISOLATED)) {
            self.regions(module, op);
        }
    }

    fn name(&mut self, module: &Module, value: Value, arg: bool) {
        let label = match module.value_name(value).filter(|name| is_usable(name)) {
            Some(name) => {
                let text = self.unique(name);
                self.texts.push(text);
                Label::Named(u32::try_from(self.texts.len() - 1).unwrap_or(u32::MAX))
            }
            None if arg => {
                self.args += 1;
                Label::Arg(self.args - 1)
            }
            None => {
                self.numbers += 1;
                Label::Number(self.numbers - 1)
            }
        };
        self.labels.set(value, label);
    }

    fn unique(&mut self, name: &str) -> String {
        if self.used.insert(name.to_owned()) {
            return name.to_owned();
        }
        // A name that was made unique before keeps its stem: `x_0` becomes `x_1`, not `x_0_0`.
        let stem = match name.rsplit_once('_') {
            Some((stem, digits))
                if is_usable(stem) && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) =>
            {
                stem
            }
            _ => name,
        };
        let next = self.suffixes.entry(stem.to_owned()).or_default();
        loop {
            let candidate = format!("{stem}_{next}");
            *next += 1;
            if self.used.insert(candidate.clone()) {
                return candidate;
            }
        }
    }

    pub(super) fn write(&self, out: &mut String, module: &Module, value: Value) {
        match self.labels[value] {
            Label::Number(number) => {
                out.push('%');
                write_number(out, number);
            }
            Label::Arg(number) => {
                out.push_str("%arg");
                write_number(out, number);
            }
            Label::Named(text) => {
                out.push('%');
                out.push_str(&self.texts[text as usize]);
            }
            Label::Part(number) => {
                if let ValueDef::Result { op, index } = module.def(value) {
                    let first = (index - number) as usize;
                    self.write(out, module, module.result(op, first));
                }
                let _ = write!(out, "#{number}");
            }
            Label::Unknown => {
                let _ = write!(out, "%undefined_{value:?}");
            }
        }
    }
}

fn previous(value: Value) -> Value {
    use crate::entity::EntityId;
    Value::from_index(value.index().saturating_sub(1))
}

/// Whether a name can be printed and cannot be mistaken for a number of the printer's.
fn is_usable(name: &str) -> bool {
    let digits = name.strip_prefix("arg").unwrap_or(name);
    !digits.bytes().all(|b| b.is_ascii_digit()) && is_bare_identifier(name)
}

fn write_number(out: &mut String, number: u32) {
    // `write!` goes through the formatting machinery; operands are what most of the text is made of.
    let mut digits = [0u8; 10];
    let mut at = digits.len();
    let mut left = number;
    loop {
        at -= 1;
        digits[at] = b'0' + u8::try_from(left % 10).unwrap_or(0);
        left /= 10;
        if left == 0 {
            break;
        }
    }
    out.push_str(std::str::from_utf8(&digits[at..]).unwrap_or("0"));
}

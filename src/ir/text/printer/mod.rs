//! The printer.
//!
//! An op is printed in its short form when that reads back to the same op, and in the generic form otherwise: for
//! opaque ops, on request, and for ops so malformed that the short form could not say what is wrong with them.

mod custom;
mod fits;
mod formatted;
mod names;

use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

use self::names::{Label, Labels};
use crate::attr::AttrKind;
use crate::diag::Span;
use crate::entity::{Attr, Block, Loc, Op, Region, SideTable, Type, Value};
use crate::module::{Module, ValueDef};
use crate::ops::{BuiltinOp, Format, Opcode, Traits};
use crate::types::TypeKind;

/// How to print.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct PrintOptions {
    /// Every op in the generic form.
    pub generic: bool,
    /// With `loc(...)` on every op and block argument.
    pub locations: bool,
}

/// Where something stands in the printed text, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrintedOp {
    /// An op's first line, from its results to its type.
    Op(Op, Range<usize>),
    /// The name of a result or block argument where it is defined.
    Value(Value, Range<usize>),
}

/// The text of the module.
pub fn print(module: &Module, options: PrintOptions) -> String {
    let mut out = String::new();
    print_to(module, options, &mut out, None);
    out
}

/// Appends the text of the module to `out` and, when asked, notes where everything stands.
pub fn print_to(module: &Module, options: PrintOptions, out: &mut String, map: Option<&mut Vec<PrintedOp>>) {
    out.reserve(module.num_ops() * 48);
    let mut printer = Printer {
        module,
        options,
        out,
        labels: Labels::default(),
        types: SideTable::new(),
        indent: 0,
        map,
        parent: None,
        whole_module: options.generic,
        foreign: false,
    };
    let start = printer.out.len();
    let first = printer.map.as_ref().map_or(0, |map| map.len());
    printer.top();
    if printer.foreign && !printer.whole_module {
        // A kernel uses values of its surroundings, which only the verifier may refuse: their names must differ.
        printer.out.truncate(start);
        if let Some(map) = &mut printer.map {
            map.truncate(first);
        }
        printer.whole_module = true;
        printer.top();
    }
}

/// Gives ops and values that have no place in a text a place: the module is printed, and the text becomes a source
/// file called `name`. Diagnostics about built modules then point into it.
pub fn add_printed_source(module: &mut Module, name: &str) {
    let mut text = String::new();
    let mut map = Vec::new();
    print_to(module, PrintOptions::default(), &mut text, Some(&mut map));
    let Ok(file) = module.sources.try_add_file(name, Arc::from(text)) else { return };
    for entry in map {
        match entry {
            PrintedOp::Op(op, range) => {
                if module.span(op) == Span::NONE {
                    let span = module.sources.span(file, range);
                    module.set_span(op, span);
                }
            }
            PrintedOp::Value(value, range) => {
                if module.value_span(value) == Span::NONE || module.defining_op(value).is_some() {
                    let span = module.sources.span(file, range);
                    if module.own_value_span(value) == Span::NONE {
                        module.set_value_span(value, span);
                    }
                }
            }
        }
    }
}

struct Printer<'m, 'o> {
    module: &'m Module,
    options: PrintOptions,
    out: &'o mut String,
    labels: Labels,
    /// The texts of the types printed so far.
    types: SideTable<Type, Option<Box<str>>>,
    indent: usize,
    map: Option<&'o mut Vec<PrintedOp>>,
    /// The op whose region is being printed in the short form.
    parent: Option<Opcode>,
    /// Whether isolated ops share the names of what is around them: MLIR knows no isolated ops but its own.
    whole_module: bool,
    /// Whether a value was met that is defined outside of the isolated op being printed.
    foreign: bool,
}

impl Printer<'_, '_> {
    fn top(&mut self) {
        let top = self.module.top();
        self.labels = Labels::of_region_op(self.module, top, self.whole_module);
        if self.is_bare(top) {
            for op in self.module.block_ops(self.module.body()) {
                self.op(op);
            }
        } else {
            self.op(top);
        }
    }

    /// Whether the top op goes without saying: it has nothing of its own to show, and its only op would not be taken
    /// for it.
    fn is_bare(&self, top: Op) -> bool {
        let module = self.module;
        let mut ops = module.block_ops(module.body());
        let only_a_module =
            ops.next().is_some_and(|op| self.is_top_module(module.opcode(op))) && ops.next().is_none();
        !self.options.generic
            && module.attrs.entries(module.inherent(top)).is_empty()
            && module.attrs.entries(module.discardable(top)).is_empty()
            && (!self.options.locations || module.locs.is_unknown(module.loc(top)))
            && !only_a_module
    }

    fn pad(&mut self) {
        const BLANKS: &str = "                                                                ";
        let mut left = self.indent * 2;
        while left > 0 {
            let part = left.min(BLANKS.len());
            self.out.push_str(&BLANKS[..part]);
            left -= part;
        }
    }

    /// One op with its indentation and line end.
    fn op(&mut self, op: Op) {
        self.pad();
        let start = self.out.len();
        let entry = self.map.as_mut().map(|map| {
            map.push(PrintedOp::Op(op, start..start));
            map.len() - 1
        });
        self.results(op);
        let opcode = self.module.opcode(op);
        let short = !self.options.generic
            && fits::fits(self.module, op)
            && !(self.options.locations && fits::hides_a_location(self.module, op));
        match opcode.def().map(|def| (def, def.format)) {
            Some((def, Format::Text(_))) if short => {
                self.out.push_str(def.name);
                self.formatted(op, def);
            }
            Some((_, Format::Custom)) if short => self.custom(op, opcode),
            _ => self.generic(op),
        }
        if self.options.locations {
            self.trailing_loc(self.module.loc(op), self.module.span(op));
        }
        if let (Some(entry), Some(map)) = (entry, self.map.as_mut()) {
            let text = &self.out[start..];
            let head = text
                .find('\n')
                .map_or(text.len(), |line| text[..line].trim_end_matches([' ', '{', '(']).len());
            map[entry] = PrintedOp::Op(op, start..start + head);
        }
        self.out.push('\n');
    }

    fn results(&mut self, op: Op) {
        let mut results = self.module.results(op).peekable();
        if results.peek().is_none() {
            return;
        }
        let mut first = true;
        while let Some(value) = results.next() {
            if !first {
                self.out.push_str(", ");
            }
            first = false;
            let start = self.out.len();
            self.value(value);
            let mut count = 1;
            while results.peek().is_some_and(|&next| matches!(self.labels.get(next), Label::Part(_))) {
                results.next();
                count += 1;
            }
            let end = self.out.len();
            if let Some(map) = &mut self.map {
                map.push(PrintedOp::Value(value, start..end));
            }
            if count > 1 {
                let _ = write!(self.out, ":{count}");
            }
        }
        self.out.push_str(" = ");
    }

    /// Names what is inside an isolated op anew, and returns the names of what is around it.
    fn isolate(&mut self, op: Op) -> Option<Labels> {
        let isolated =
            !self.whole_module && op != self.module.top() && self.module.opcode(op).has(Traits::ISOLATED);
        isolated.then(|| {
            let inner = Labels::of_region_op(self.module, op, false);
            std::mem::replace(&mut self.labels, inner)
        })
    }

    fn value(&mut self, value: Value) {
        if self.labels.get(value) == Label::Unknown && self.module.def(value) != ValueDef::Undefined {
            self.foreign = true;
        }
        self.labels.write(self.out, self.module, value);
    }
    fn values(&mut self, values: impl Iterator<Item = Value>) {
        for (index, value) in values.enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            self.value(value);
        }
    }
    fn ty(&mut self, ty: Type) {
        if let Some(text) = &self.types[ty] {
            self.out.push_str(text);
            return;
        }
        let start = self.out.len();
        self.module.types.write(self.out, ty);
        self.types.set(ty, Some(self.out[start..].into()));
    }
    fn types(&mut self, values: impl Iterator<Item = Value>) {
        for (index, value) in values.enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            self.ty(self.module.ty(value));
        }
    }
    fn attr(&mut self, attr: Attr) {
        self.module.attrs.write(self.out, &self.module.types, &self.module.names, attr);
    }
    /// ` {a = 1}`, or nothing for an empty dictionary.
    fn dict(&mut self, dict: Attr) {
        if !self.module.attrs.entries(dict).is_empty() {
            self.out.push(' ');
            self.attr(dict);
        }
    }

    fn trailing_loc(&mut self, loc: Loc, span: Span) {
        self.out.push_str(" loc(");
        match self.module.sources.locate(span).filter(|_| loc == self.module.locs.unset()) {
            Some(place) => {
                let file = self.module.sources.file(place.file).name();
                super::quote(self.out, file);
                let _ = write!(self.out, ":{}:{}", place.start.line, place.start.column);
            }
            None => self.module.locs.write(self.out, &self.module.names, loc),
        }
        self.out.push(')');
    }

    // ---- the generic form ----

    fn generic(&mut self, op: Op) {
        let module = self.module;
        super::quote(self.out, module.op_name(op));
        self.out.push('(');
        self.values(module.operands(op));
        self.out.push(')');
        if let [first, rest @ ..] = module.successors(op) {
            self.out.push('[');
            self.block_name(*first);
            for &block in rest {
                self.out.push_str(", ");
                self.block_name(block);
            }
            self.out.push(']');
        }
        let inherent = module.inherent(op);
        if !module.attrs.entries(inherent).is_empty() {
            self.out.push_str(" <");
            self.attr(inherent);
            self.out.push('>');
        }
        if !module.regions(op).is_empty() {
            self.out.push_str(" (");
            let outer = self.isolate(op);
            let parent = self.parent.replace(module.opcode(op));
            for (index, &region) in module.regions(op).iter().enumerate() {
                if index > 0 {
                    self.out.push_str(", ");
                }
                self.region(region, true);
            }
            self.parent = parent;
            if let Some(outer) = outer {
                self.labels = outer;
            }
            self.out.push(')');
        }
        self.dict(module.discardable(op));
        self.out.push_str(" : (");
        self.types(module.operands(op));
        self.out.push_str(") -> ");
        let mut results = module.results(op);
        match (results.next(), results.next()) {
            (Some(only), None)
                if !matches!(module.types.kind(module.ty(only)), TypeKind::Function { .. }) =>
            {
                self.ty(module.ty(only));
            }
            _ => {
                self.out.push('(');
                self.types(module.results(op));
                self.out.push(')');
            }
        }
    }

    /// `{`, the blocks, `}`. With `heads`, the first block shows its arguments.
    fn region(&mut self, region: Region, heads: bool) {
        self.out.push('{');
        self.out.push('\n');
        self.indent += 1;
        let blocks = self.module.region_blocks(region);
        for (index, &block) in blocks.iter().enumerate() {
            let args = !self.module.block_args(block).is_empty();
            let empty = self.module.first_op(block).is_none();
            let targeted = index == 0 && blocks.iter().any(|&other| self.branches_to(other, block));
            if index > 0 || targeted || (heads && (args || (empty && blocks.len() == 1))) {
                self.block_head(block);
            }
            for op in self.module.block_ops(block) {
                self.op(op);
            }
        }
        self.indent -= 1;
        self.pad();
        self.out.push('}');
    }

    fn branches_to(&self, block: Block, target: Block) -> bool {
        // Most modules have no branches, and need no search.
        self.module.has_branches()
            && self.module.block_ops(block).any(|op| self.module.successors(op).contains(&target))
    }

    fn block_head(&mut self, block: Block) {
        self.indent -= 1;
        self.pad();
        self.block_name(block);
        let args = self.module.block_args(block);
        if !args.is_empty() {
            self.out.push('(');
            for (index, &arg) in args.iter().enumerate() {
                if index > 0 {
                    self.out.push_str(", ");
                }
                self.argument(arg);
            }
            self.out.push(')');
        }
        self.out.push_str(":\n");
        self.indent += 1;
    }
    /// `%x: i32`, with its location when asked.
    fn argument(&mut self, arg: Value) {
        let start = self.out.len();
        self.value(arg);
        let end = self.out.len();
        if let Some(map) = &mut self.map {
            map.push(PrintedOp::Value(arg, start..end));
        }
        self.out.push_str(": ");
        self.ty(self.module.ty(arg));
        if self.options.locations {
            self.trailing_loc(self.module.value_loc(arg), self.module.value_span(arg));
        }
    }
    fn block_name(&mut self, block: Block) {
        let position = self
            .module
            .block_region(block)
            .and_then(|region| self.module.region_blocks(region).iter().position(|&other| other == block));
        match position {
            Some(position) => {
                let _ = write!(self.out, "^bb{position}");
            }
            None => self.out.push_str("^detached"),
        }
    }

    /// Discardable attributes, and inherent ones that the short form has no other place for.
    fn rest_attrs(&mut self, op: Op, shown: &dyn Fn(&str) -> bool, lead: &str) {
        let module = self.module;
        let inherent = module.attrs.entries(module.inherent(op));
        let discardable = module.attrs.entries(module.discardable(op));
        let hidden = inherent.iter().filter(|entry| !shown(module.names.get(entry.0)));
        let mut entries: Vec<_> = hidden.chain(discardable).collect();
        if entries.is_empty() {
            return;
        }
        entries.sort_by(|a, b| module.names.get(a.0).cmp(module.names.get(b.0)));
        self.out.push_str(lead);
        self.out.push('{');
        for (index, &&(name, value)) in entries.iter().enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            let name = module.names.get(name);
            if super::is_bare_identifier(name) {
                self.out.push_str(name)
            } else {
                super::quote(self.out, name)
            }
            if !matches!(module.attrs.kind(value), AttrKind::Unit) {
                self.out.push_str(" = ");
                self.attr(value);
            }
        }
        self.out.push('}');
    }

    fn is_top_module(&self, opcode: Opcode) -> bool {
        opcode == Opcode::Builtin(BuiltinOp::Module)
    }
}

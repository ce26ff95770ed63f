//! Structural equality of modules, which may have been made in any order and hold any garbage of erased entities.

use std::fmt;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Module, ValueDef};
use crate::entity::{Attr, Block, Loc, Op, Type, Value};

/// The first place where two modules differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The op of the first module.
    pub left: Op,
    /// The op of the second module that stands at the same place.
    pub right: Op,
    /// What differs, with both sides.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} and {:?} differ in {}", self.left, self.right, self.what)
    }
}

impl Module {
    /// Whether the two modules are the same but for names and places: the same ops in the same blocks, with the same
    /// operands, types, attributes and successors. Locations are left out; see [`Module::difference`].
    pub fn structurally_equal(&self, other: &Module) -> bool {
        self.difference(other, false).is_none()
    }

    /// The first difference from `other`, in the order of [`Module::walk`]. With `locations`, those count too, by
    /// their text; what is not known ([`LocKind::Unset`](crate::loc::LocKind)) equals `loc(unknown)`.
    pub fn difference(&self, other: &Module, locations: bool) -> Option<Difference> {
        let mut comparison = Comparison {
            left: self,
            right: other,
            locations,
            values: FxHashMap::default(),
            blocks: FxHashMap::default(),
            types: FxHashSet::default(),
            attrs: FxHashSet::default(),
            locs: FxHashSet::default(),
        };
        let ops = match comparison.match_shapes() {
            Ok(ops) => ops,
            Err(difference) => return Some(difference),
        };
        ops.into_iter().find_map(|(left, right)| {
            comparison.op(left, right).err().map(|what| Difference { left, right, what })
        })
    }
}

struct Comparison<'m> {
    left: &'m Module,
    right: &'m Module,
    locations: bool,
    values: FxHashMap<Value, Value>,
    blocks: FxHashMap<Block, Block>,
    /// Pairs found equal. Ids of two modules say nothing about each other, so texts are compared, once each.
    types: FxHashSet<(Type, Type)>,
    attrs: FxHashSet<(Attr, Attr)>,
    locs: FxHashSet<(Loc, Loc)>,
}

impl Comparison<'_> {
    /// Pairs up ops, blocks and values by position: an operand may be defined further down than its use.
    fn match_shapes(&mut self) -> Result<Vec<(Op, Op)>, Difference> {
        let mut pairs = Vec::new();
        let mut open = vec![(self.left.top(), self.right.top())];
        while let Some((left, right)) = open.pop() {
            let mut inner = Vec::new();
            match self.shape(left, right, &mut inner) {
                Ok(()) => {}
                Err(what) => return Err(Difference { left, right, what }),
            }
            pairs.push((left, right));
            open.extend(inner.into_iter().rev());
        }
        Ok(pairs)
    }

    fn shape(&mut self, left: Op, right: Op, inner: &mut Vec<(Op, Op)>) -> Result<(), String> {
        let (a, b) = (self.left, self.right);
        if a.op_name(left) != b.op_name(right)
            || a.opcode(left).def().is_some() != b.opcode(right).def().is_some()
        {
            return Err(format!("name: `{}` and `{}`", a.op_name(left), b.op_name(right)));
        }
        same("number of results", &a.num_results(left), &b.num_results(right))?;
        self.values.extend(a.results(left).zip(b.results(right)));
        same("number of regions", &a.regions(left).len(), &b.regions(right).len())?;
        for (&left, &right) in a.regions(left).iter().zip(b.regions(right)) {
            let (left, right) = (a.region_blocks(left), b.region_blocks(right));
            same("number of blocks in a region", &left.len(), &right.len())?;
            for (&left, &right) in left.iter().zip(right) {
                self.blocks.insert(left, right);
                let (args, other_args) = (a.block_args(left), b.block_args(right));
                same("number of arguments of a block", &args.len(), &other_args.len())?;
                for (&left, &right) in args.iter().zip(other_args) {
                    self.values.insert(left, right);
                    self.ty("type of a block argument", a.ty(left), b.ty(right))?;
                    self.loc("location of a block argument", a.value_loc(left), b.value_loc(right))?;
                }
                let (mut ops, mut other_ops) = (a.block_ops(left), b.block_ops(right));
                loop {
                    match (ops.next(), other_ops.next()) {
                        (Some(left), Some(right)) => inner.push((left, right)),
                        (None, None) => break,
                        (Some(more), None) => {
                            return Err(format!(
                                "number of ops in a block: only one side has a `{}`",
                                a.op_name(more)
                            ));
                        }
                        (None, Some(more)) => {
                            return Err(format!(
                                "number of ops in a block: only one side has a `{}`",
                                b.op_name(more)
                            ));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn op(&mut self, left: Op, right: Op) -> Result<(), String> {
        let (a, b) = (self.left, self.right);
        same("number of operands", &a.num_operands(left), &b.num_operands(right))?;
        for (index, (mine, theirs)) in a.operands(left).zip(b.operands(right)).enumerate() {
            let undefined = a.def(mine) == ValueDef::Undefined && b.def(theirs) == ValueDef::Undefined;
            if self.values.get(&mine) != Some(&theirs) && !undefined {
                return Err(format!("operand {index}"));
            }
        }
        for (mine, theirs) in a.results(left).zip(b.results(right)) {
            self.ty("result type", a.ty(mine), b.ty(theirs))?;
        }
        same("number of successors", &a.successors(left).len(), &b.successors(right).len())?;
        for (mine, theirs) in a.successors(left).iter().zip(b.successors(right)) {
            let detached = a.block_region(*mine).is_none() && b.block_region(*theirs).is_none();
            if self.blocks.get(mine) != Some(theirs) && !detached {
                return Err("successors".into());
            }
        }
        self.attr("inherent attributes", a.inherent(left), b.inherent(right))?;
        self.attr("discardable attributes", a.discardable(left), b.discardable(right))?;
        self.loc("location", a.loc(left), b.loc(right))
    }

    fn ty(&mut self, what: &str, left: Type, right: Type) -> Result<(), String> {
        if !self.types.contains(&(left, right)) {
            same(what, &self.left.types.display(left), &self.right.types.display(right))?;
            self.types.insert((left, right));
        }
        Ok(())
    }
    fn attr(&mut self, what: &str, left: Attr, right: Attr) -> Result<(), String> {
        if !self.attrs.contains(&(left, right)) {
            let text = |module: &Module, attr| module.attrs.display(&module.types, &module.names, attr);
            same(what, &text(self.left, left), &text(self.right, right))?;
            self.attrs.insert((left, right));
        }
        Ok(())
    }
    fn loc(&mut self, what: &str, left: Loc, right: Loc) -> Result<(), String> {
        if self.locations && !self.locs.contains(&(left, right)) {
            let text = |module: &Module, loc| {
                let mut out = String::new();
                module.locs.write(&mut out, &module.names, loc);
                out
            };
            same(what, &text(self.left, left), &text(self.right, right))?;
            self.locs.insert((left, right));
        }
        Ok(())
    }
}

fn same<T: PartialEq + fmt::Display>(what: &str, left: &T, right: &T) -> Result<(), String> {
    if left == right { Ok(()) } else { Err(format!("{what}: `{left}` and `{right}`")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Diagnostics;

    fn read(text: &str) -> Module {
        let (module, result) = crate::text::parse("test.mlir", text, &mut Diagnostics::new());
        assert!(result.is_ok());
        module
    }
    fn difference(left: &str, right: &str) -> Option<String> {
        read(left).difference(&read(right), true).map(|difference| difference.what)
    }

    #[test]
    fn names_and_spelling_do_not_count() {
        let short = "%a = arith.constant 1 : i32 loc(\"x\")\n%b = arith.addi %a, %a : i32";
        let generic = "%0 = \"arith.constant\"() <{value = 1 : i32}> : () -> i32 loc(\"x\")\n\
            %1 = \"arith.addi\"(%0, %0) : (i32, i32) -> i32 loc(unknown)";
        assert_eq!(difference(short, generic), None);
        assert!(read(short).structurally_equal(&read(generic)));
    }

    #[test]
    fn everything_else_does() {
        let base =
            "%a = \"x.a\"() {k = 1} : () -> i32\n%b = \"x.a\"() : () -> i32\n\"x.b\"(%a) : (i32) -> ()";
        for (from, to, what) in [
            ("k = 1", "k = 2", "discardable attributes: `{k = 1 : i64}` and `{k = 2 : i64}`"),
            ("x.b", "x.c", "name: `x.b` and `x.c`"),
            ("\"(%a)", "\"(%b)", "operand 0"),
            ("\"(%a) : (i32)", "\"(%a, %a) : (i32, i32)", "number of operands: `1` and `2`"),
            ("-> ()", "-> () loc(\"l\")", "location: `unknown` and `\"l\"`"),
            ("-> ()", "-> i1", "number of results: `0` and `1`"),
            ("-> ()", "-> ()\n\"x.d\"() : () -> ()", "number of ops in a block: only one side has a `x.d`"),
        ] {
            assert_eq!(difference(base, &base.replace(from, to)).as_deref(), Some(what));
        }
    }
}

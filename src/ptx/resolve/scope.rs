//! Names of a function's body: scopes, ranges of registers (`%r<100>`), labels.
//!
//! A name has a stack of meanings, one for each scope that declares it; a scope takes its own off when it ends. So a
//! lookup is one step however deep the scopes nest, and `%r17` costs no more when there are a billion of them.

use rustc_hash::FxHashMap;

use crate::ast::ScalarType;
use crate::program::SymbolId;

/// What a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A register, or a range of them: the number of the declaration.
    Register(Register),
    /// A variable in memory.
    Symbol(SymbolId),
    /// The index of an instruction.
    Label(u32),
    /// `.branchtargets`, `.calltargets`, `.callprototype`: an index in the function's lists.
    List(u32),
}

/// A declaration of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Register {
    /// Counts the declarations of the function.
    pub(super) declaration: u32,
    /// The type of each component.
    pub(super) ty: ScalarType,
    /// Components.
    pub(super) vector: u8,
}

/// A meaning and the scope it is from.
#[derive(Clone, Copy, Debug)]
struct Bound<T> {
    depth: u32,
    value: T,
}

/// A range of registers.
#[derive(Clone, Copy, Debug)]
struct Range {
    register: Register,
    count: u32,
}

/// What a scope takes off when it ends.
#[derive(Clone, Copy, Debug)]
enum Undo<'a> {
    Name(&'a str),
    Range(&'a str),
    Lowest(&'a str),
}

/// All scopes that are open.
#[derive(Debug, Default)]
pub(super) struct Scopes<'a> {
    depth: u32,
    names: FxHashMap<&'a str, Vec<Bound<Meaning>>>,
    ranges: FxHashMap<&'a str, Vec<Bound<Range>>>,
    /// Of single names that end in digits: the lowest number behind each prefix, to find those that a range repeats.
    lowest: FxHashMap<&'a str, Vec<Bound<u32>>>,
    undo: Vec<Vec<Undo<'a>>>,
}

impl<'a> Scopes<'a> {
    pub(super) fn enter(&mut self) {
        self.depth += 1;
        self.undo.push(Vec::new());
    }

    pub(super) fn leave(&mut self) {
        for undo in self.undo.pop().unwrap_or_default().into_iter().rev() {
            match undo {
                Undo::Name(name) => drop(self.names.get_mut(name).and_then(Vec::pop)),
                Undo::Range(name) => drop(self.ranges.get_mut(name).and_then(Vec::pop)),
                Undo::Lowest(name) => drop(self.lowest.get_mut(name).and_then(Vec::pop)),
            }
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn undo(&mut self, undo: Undo<'a>) {
        if let Some(list) = self.undo.last_mut() {
            list.push(undo);
        }
    }

    /// Declares a name in the innermost scope. False: the scope has it already.
    pub(super) fn declare(&mut self, name: &'a str, meaning: Meaning) -> bool {
        let depth = self.depth;
        let twice =
            self.names.get(name).and_then(|stack| stack.last()).is_some_and(|bound| bound.depth == depth)
                || self.in_range(name).is_some_and(|(bound, _)| bound.depth == depth);
        if twice {
            return false;
        }
        self.names.entry(name).or_default().push(Bound { depth, value: meaning });
        self.undo(Undo::Name(name));
        for (prefix, number) in splits(name) {
            let stack = self.lowest.entry(prefix).or_default();
            match stack.last_mut() {
                Some(bound) if bound.depth == depth => bound.value = bound.value.min(number),
                _ => {
                    stack.push(Bound { depth, value: number });
                    self.undo(Undo::Lowest(prefix));
                }
            }
        }
        true
    }

    /// Declares `prefix0` to `prefix(count-1)`. False: the scope has one of them, or the range, already.
    pub(super) fn declare_range(&mut self, prefix: &'a str, register: Register, count: u32) -> bool {
        let depth = self.depth;
        let here = |bound: &Bound<u32>| bound.depth == depth && bound.value < count;
        let twice = self.lowest.get(prefix).and_then(|stack| stack.last()).is_some_and(here)
            || self
                .ranges
                .get(prefix)
                .and_then(|stack| stack.last())
                .is_some_and(|bound| bound.depth == depth);
        if twice {
            return false;
        }
        self.ranges.entry(prefix).or_default().push(Bound { depth, value: Range { register, count } });
        self.undo(Undo::Range(prefix));
        true
    }

    /// The innermost range that holds a name, and the name's number.
    fn in_range(&self, name: &str) -> Option<(Bound<Range>, u32)> {
        let mut best: Option<(Bound<Range>, u32)> = None;
        for (prefix, number) in splits(name) {
            // Outer ranges can be longer than inner ones of the same prefix.
            let stack = self.ranges.get(prefix).map(Vec::as_slice).unwrap_or_default();
            let found = stack.iter().rev().find(|bound| number < bound.value.count);
            if let Some(&found) = found
                && best.is_none_or(|(best, _)| best.depth < found.depth)
            {
                best = Some((found, number));
            }
        }
        best
    }

    /// What a name means here; of a range, which of its registers.
    pub(super) fn find(&self, name: &str) -> Option<(Meaning, u32)> {
        let single = self.names.get(name).and_then(|stack| stack.last());
        match (single, self.in_range(name)) {
            (Some(single), Some((range, _))) if single.depth >= range.depth => Some((single.value, 0)),
            (_, Some((range, number))) => Some((Meaning::Register(range.value.register), number)),
            (Some(single), None) => Some((single.value, 0)),
            (None, None) => None,
        }
    }

    /// The range that a name would belong to if it were longer: its prefix and count.
    pub(super) fn short_range(&self, name: &'a str) -> Option<(&'a str, u32)> {
        splits(name).find_map(|(prefix, _)| {
            self.ranges.get(prefix).and_then(|stack| stack.last()).map(|bound| (prefix, bound.value.count))
        })
    }

    /// Names that are declared here, in no order.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.names.iter().filter(|(_, stack)| !stack.is_empty()).map(|(name, _)| *name)
    }

    /// Prefixes of ranges that are declared here, with their counts.
    pub(super) fn ranges(&self) -> impl Iterator<Item = (&'a str, u32)> {
        self.ranges
            .iter()
            .filter_map(|(prefix, stack)| stack.last().map(|bound| (*prefix, bound.value.count)))
    }
}

/// The ways to cut a name into a prefix and a number of a range: `%r10` is `%r` 10 and `%r1` 0, not `%r1` 00.
fn splits(name: &str) -> impl Iterator<Item = (&str, u32)> {
    // More digits than a u32 has are no number of a range.
    const DIGITS: usize = 10;
    let digits = name.bytes().rev().take(DIGITS).take_while(u8::is_ascii_digit).count();
    (1..=digits).filter_map(move |length| {
        let (prefix, number) = name.split_at_checked(name.len() - length)?;
        if prefix.is_empty() || (length > 1 && number.starts_with('0')) {
            return None;
        }
        Some((prefix, number.parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn register(declaration: u32) -> Register {
        Register { declaration, ty: ScalarType::B32, vector: 1 }
    }

    #[test]
    fn inner_names_hide_outer_ones() {
        let mut scopes = Scopes::default();
        scopes.enter();
        assert!(scopes.declare_range("%r", register(0), u32::MAX));
        assert!(!scopes.declare("%r7", Meaning::Label(1)));
        assert_eq!(scopes.find("%r7"), Some((Meaning::Register(register(0)), 7)));
        scopes.enter();
        assert!(scopes.declare("%r7", Meaning::Label(1)));
        assert_eq!(scopes.find("%r7"), Some((Meaning::Label(1), 0)));
        assert!(!scopes.declare_range("%r", register(1), 8));
        assert!(scopes.declare_range("%r", register(1), 7));
        assert_eq!(scopes.find("%r6"), Some((Meaning::Register(register(1)), 6)));
        assert_eq!(scopes.find("%r8"), Some((Meaning::Register(register(0)), 8)));
        scopes.leave();
        assert_eq!(scopes.find("%r7"), Some((Meaning::Register(register(0)), 7)));
        assert_eq!(scopes.find("%r007"), None);
        assert_eq!(scopes.find("%r99999999999"), None);
    }

    #[test]
    fn a_range_may_have_a_prefix_with_digits() {
        let mut scopes = Scopes::default();
        scopes.enter();
        assert!(scopes.declare_range("%f1_", register(0), 4));
        assert!(scopes.declare_range("%q1", register(1), 12));
        assert_eq!(scopes.find("%q110"), Some((Meaning::Register(register(1)), 10)));
        assert_eq!(scopes.find("%f1_3"), Some((Meaning::Register(register(0)), 3)));
        assert_eq!(scopes.find("%f1_4"), None);
        assert_eq!(scopes.short_range("%f1_4"), Some(("%f1_", 4)));
    }
}

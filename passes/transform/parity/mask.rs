//! Masks: one bit for each barrier, which is the number of completions seen modulo 2, carried in registers through the
//! control flow.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use tidegate_ir::builder::OpBuilder;
use tidegate_ir::ops::{Opcode, ScfOp, TgOp};
use tidegate_ir::{Block, Module, Op, OpSpec, Type, Value};

use super::super::rewrite::{copy_names, rebuild};
use super::count::{Counts, Parity, State};
use super::slot::Slot;
use super::{Wait, Waits, bool_constant, replace};

/// Bits of a word.
const WORD: i64 = 32;

/// Waits that share a mask.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// The kernel or role at whose start the mask begins.
    home: Op,
    root: Value,
    /// The only barrier that is waited on, when the mask is for one.
    slot: Option<i64>,
    /// What has been seen at the start: one entry for each barrier of the mask.
    start: Vec<bool>,
    /// The same behind each `tg.warp_specialize` whose roles wait on the barriers.
    resets: FxHashMap<Op, Vec<bool>>,
}

impl Group {
    /// The mask for the waits of `scope` on barrier `slot` of `root`, or on any of them.
    pub(super) fn new(
        module: &Module,
        waits: &Waits,
        counts: &Counts,
        scope: Op,
        root: Value,
        slot: Option<i64>,
    ) -> Self {
        let known = |state: Option<&State>, slot: Option<i64>| -> Option<Vec<bool>> {
            let parities = state?.get(&root)?;
            let chosen: &[Parity] = match slot.map(usize::try_from) {
                None => parities,
                Some(Ok(slot)) => std::slice::from_ref(parities.get(slot)?),
                Some(Err(_)) => return None,
            };
            chosen
                .iter()
                .map(|parity| match parity {
                    Parity::Even => Some(false),
                    Parity::Odd => Some(true),
                    Parity::Unknown => None,
                })
                .collect()
        };
        let group = module.types.as_barrier(module.ty(root)).map_or(1, |group| group.num_barriers());
        let (home, slot, start) = match known(counts.entries.get(&scope), slot) {
            Some(start) => (scope, slot, start),
            // The kernel's own waits left it unknown: the mask begins with the kernel.
            None => {
                let dynamic =
                    waits.list.iter().any(|wait| wait.root == root && wait.slot.constant().is_none());
                let slot = slot.filter(|_| !dynamic);
                let count = if slot.is_some() { 1 } else { usize::try_from(group).unwrap_or(1) };
                let start =
                    known(counts.entries.get(&waits.kernel), slot).unwrap_or_else(|| vec![false; count]);
                (waits.kernel, slot, start)
            }
        };
        let mut resets = FxHashMap::default();
        for (&op, state) in &counts.exits {
            let waited = waits
                .list
                .iter()
                .any(|wait| wait.root == root && module.ancestors(wait.op).any(|outer| outer == op));
            if let (true, Some(seen)) = (waited, known(Some(state), slot)) {
                resets.insert(op, seen);
            }
        }
        Self { home, root, slot, start, resets }
    }

    fn holds(&self, module: &Module, wait: &Wait) -> bool {
        wait.root == self.root
            && (self.slot.is_none() || wait.slot.constant() == self.slot)
            && module.is_alive(wait.op)
            && (wait.scope == self.home || module.ancestors(wait.op).any(|outer| outer == self.home))
    }
    /// One bit, held in an `i1`.
    fn is_bit(&self) -> bool {
        self.start.len() == 1
    }
    fn words(&self) -> usize {
        self.start.len().div_ceil(32).max(1)
    }
    /// The values of the words that say `seen`.
    fn constants(&self, builder: &mut OpBuilder<'_>, seen: &[bool]) -> Vec<Value> {
        if self.is_bit() {
            return vec![bool_constant(builder, seen.first().copied().unwrap_or(false))];
        }
        let ty = builder.module.types.int(32);
        let words = seen.chunks(32).map(|bits| {
            bits.iter().enumerate().fold(0u32, |word, (index, &bit)| word | u32::from(bit) << index)
        });
        words.map(|word| builder.int(i64::from(word.cast_signed()), ty)).collect()
    }
    fn types(&self, module: &mut Module) -> Vec<Type> {
        let ty = if self.is_bit() { module.types.i1() } else { module.types.int(32) };
        vec![ty; self.words()]
    }
}

/// The waits that the groups hold.
pub(super) fn members(module: &Module, waits: &Waits, groups: &[Group]) -> Vec<Op> {
    let held = |wait: &&Wait| groups.iter().any(|group| group.holds(module, wait));
    waits.list.iter().filter(held).map(|wait| wait.op).collect()
}

/// Replaces the waits of the groups.
pub(super) fn thread(module: &mut Module, waits: &Waits, mut groups: Vec<Group>) {
    let mut seen: Vec<(Op, Value, Option<i64>)> = Vec::new();
    groups.retain(|group| {
        let key = (group.home, group.root, group.slot);
        let new = !seen.contains(&key);
        seen.push(key);
        new
    });
    let mut homes: Vec<Op> = Vec::new();
    for group in &groups {
        if !homes.contains(&group.home) {
            homes.push(group.home);
        }
    }
    for home in homes {
        let own: Vec<Group> = groups.iter().filter(|group| group.home == home).cloned().collect();
        Threader::new(module, waits, own).run(home);
    }
}

struct Threader<'a> {
    module: &'a mut Module,
    groups: Vec<Group>,
    /// The group of each wait.
    member: FxHashMap<Op, usize>,
    /// The groups that an op, or something in it, reads or changes.
    touched: FxHashMap<Op, BTreeSet<usize>>,
}

/// The words of each group.
type Words = Vec<Vec<Value>>;

impl<'a> Threader<'a> {
    fn new(module: &'a mut Module, waits: &Waits, groups: Vec<Group>) -> Self {
        let mut member = FxHashMap::default();
        let mut touched: FxHashMap<Op, BTreeSet<usize>> = FxHashMap::default();
        for (index, group) in groups.iter().enumerate() {
            let mut ops: Vec<Op> = Vec::new();
            for wait in &waits.list {
                if group.holds(module, wait) {
                    member.insert(wait.op, index);
                    ops.push(wait.op);
                }
            }
            let inits = waits.inits.iter().filter(|(_, (root, _))| *root == group.root);
            ops.extend(
                inits.map(|(&op, _)| op).filter(|&op| module.ancestors(op).any(|outer| outer == group.home)),
            );
            ops.extend(group.resets.keys());
            for op in ops {
                touched.entry(op).or_default().insert(index);
                for outer in module.ancestors(op) {
                    touched.entry(outer).or_default().insert(index);
                }
            }
        }
        Self { module, groups, member, touched }
    }

    fn run(&mut self, home: Op) {
        let Some(block) = self.module.region_block(home, 0) else { return };
        let at = tidegate_ir::InsertionPoint::Start(block);
        let loc = self.module.loc(home);
        let mut words = Words::new();
        let mut builder = OpBuilder::new(self.module, at);
        builder.set_loc(Some(loc));
        for group in &self.groups {
            words.push(group.constants(&mut builder, &group.start));
        }
        self.block(block, &mut words);
    }

    fn block(&mut self, block: Block, words: &mut Words) {
        let ops: Vec<Op> = self.module.block_ops(block).collect();
        for op in ops {
            let Some(touched) = self.touched.get(&op).cloned() else { continue };
            match self.module.opcode(op) {
                Opcode::Tg(TgOp::BarrierWait) => self.wait(op, words),
                Opcode::Tg(TgOp::InitBarrier) => self.init(op, &touched, words),
                Opcode::Tg(TgOp::WarpSpecialize) => self.roles(op, &touched, words),
                Opcode::Scf(ScfOp::For) => self.visit_for(op, &touched, words),
                Opcode::Scf(ScfOp::If) => self.visit_if(op, &touched, words),
                Opcode::Scf(ScfOp::While) => self.visit_while(op, &touched, words),
                // Waits in other ops were refused before.
                _ => {}
            }
        }
    }

    fn wait(&mut self, op: Op, words: &mut Words) {
        let Some(&index) = self.member.get(&op) else { return };
        // Loops around it have been rebuilt, and what was an argument of one is now one of the other.
        let Some((_, slot)) = super::slot::resolve(self.module, op) else { return };
        let group = &self.groups[index];
        let own = &mut words[index];
        replace(self.module, op, |builder| {
            if group.is_bit() {
                let seen = own[0];
                let one = bool_constant(builder, true);
                own[0] = xor(builder, seen, one);
                return seen;
            }
            match slot.constant() {
                Some(slot) => flip_constant(builder, own, slot),
                None if own.len() == 1 => {
                    let index = slot.build(builder);
                    let bit = to_i32(builder, index);
                    flip(builder, &mut own[0], bit)
                }
                None => flip_among(builder, own, &slot),
            }
        });
    }

    fn init(&mut self, op: Op, touched: &BTreeSet<usize>, words: &mut Words) {
        let Some((_, slot)) = super::slot::resolve_init(self.module, op) else { return };
        for &index in touched {
            let group = &self.groups[index];
            let own = &mut words[index];
            let mut builder = OpBuilder::after(self.module, op);
            let fits = match (group.slot, &slot) {
                (Some(wanted), Some(slot)) => match slot.constant() {
                    Some(slot) => slot == wanted,
                    None => {
                        // The one barrier of the mask, or another: known only when it is executed.
                        let index = slot.build(&mut builder);
                        let wanted = builder.index(wanted);
                        let predicate = builder.module.i64_attr(1);
                        let other = builder.arith_cmpi(index, wanted, predicate);
                        let other = builder.module.result(other, 0);
                        let kept = builder.arith_andi(own[0], other);
                        own[0] = builder.module.result(kept, 0);
                        continue;
                    }
                },
                _ => true,
            };
            if !fits {
                continue;
            }
            match slot.as_ref().filter(|_| !group.is_bit()) {
                None => *own = group.constants(&mut builder, &vec![false; group.start.len()]),
                Some(slot) => clear(&mut builder, own, slot),
            }
        }
    }

    fn roles(&mut self, op: Op, touched: &BTreeSet<usize>, words: &mut Words) {
        if let Some(block) = self.module.region_block(op, 0) {
            let roles: Vec<Op> = self.module.block_ops(block).collect();
            for role in roles {
                if let Some(body) = self.module.region_block(role, 0) {
                    self.block(body, &mut words.clone());
                }
            }
        }
        for &index in touched {
            if let Some(seen) = self.groups[index].resets.get(&op).cloned() {
                let mut builder = OpBuilder::after(self.module, op);
                words[index] = self.groups[index].constants(&mut builder, &seen);
            }
        }
    }

    /// The words of some groups in a row, with their types.
    fn flat(&mut self, touched: &BTreeSet<usize>, words: &Words) -> (Vec<Value>, Vec<Type>) {
        let values = touched.iter().flat_map(|&index| words[index].iter().copied()).collect();
        let mut types = Vec::new();
        for &index in touched {
            types.extend(self.groups[index].types(self.module));
        }
        (values, types)
    }

    /// The reverse of [`Self::flat`]: names the values and makes them the current words.
    fn take(&mut self, touched: &BTreeSet<usize>, values: &[Value], words: &mut Words) {
        let mut rest = values;
        for &index in touched {
            let (own, others) = rest.split_at(words[index].len().min(rest.len()));
            words[index] = own.to_vec();
            rest = others;
            let base = self.module.value_name(self.groups[index].root).unwrap_or("barrier").to_owned();
            for &value in own {
                self.module.set_value_name(value, &format!("{base}_seen"));
            }
        }
    }

    fn append_to_end(&mut self, block: Block, touched: &BTreeSet<usize>, words: &Words) {
        let (values, _) = self.flat(touched, words);
        match self.module.terminator(block) {
            Some(end) => {
                let mut operands: Vec<Value> = self.module.operands(end).collect();
                operands.extend(values);
                self.module.set_operands(end, &operands);
            }
            None => {
                self.module.insert(
                    tidegate_ir::InsertionPoint::End(block),
                    OpSpec::new(ScfOp::Yield).operands(values),
                );
            }
        }
    }

    /// Rebuilds `op` with the words as further operands and results, and arguments of each region in `args`.
    fn widen(
        &mut self,
        op: Op,
        touched: &BTreeSet<usize>,
        words: &mut Words,
        operands: bool,
        args: usize,
    ) -> Op {
        let (values, types) = self.flat(touched, words);
        let mut all: Vec<Value> = self.module.operands(op).collect();
        if operands {
            all.extend(values);
        }
        let old: Vec<Value> = self.module.results(op).collect();
        let mut result_types: Vec<Type> = old.iter().map(|&value| self.module.ty(value)).collect();
        result_types.extend(&types);
        let new = rebuild(self.module, op, &all, &result_types, &|_, _| true, &vec![types.clone(); args]);
        let results: Vec<Value> = self.module.results(new).collect();
        for (&old, &new) in old.iter().zip(&results) {
            copy_names(self.module, old, new);
            self.module.replace_all_uses(old, new);
        }
        let erased = self.module.erase(op);
        debug_assert!(erased.is_ok(), "all uses were replaced");
        new
    }

    fn last_args(&self, block: Block, count: usize) -> Vec<Value> {
        let args = self.module.block_args(block);
        args[args.len().saturating_sub(count)..].to_vec()
    }

    fn visit_for(&mut self, op: Op, touched: &BTreeSet<usize>, words: &mut Words) {
        let old_results = self.module.num_results(op);
        let new = self.widen(op, touched, words, true, 1);
        let results: Vec<Value> = self.module.results(new).skip(old_results).collect();
        if let Some(body) = self.module.region_block(new, 0) {
            let mut inner = words.clone();
            let args = self.last_args(body, results.len());
            self.take(touched, &args, &mut inner);
            self.block(body, &mut inner);
            self.append_to_end(body, touched, &inner);
        }
        self.take(touched, &results, words);
    }

    fn visit_if(&mut self, op: Op, touched: &BTreeSet<usize>, words: &mut Words) {
        let old_results = self.module.num_results(op);
        let new = self.widen(op, touched, words, false, 0);
        let results: Vec<Value> = self.module.results(new).skip(old_results).collect();
        for index in 0..2 {
            let block = match self.module.region_block(new, index) {
                Some(block) => block,
                None => {
                    let region = self.module.regions(new)[index];
                    self.module.append_block(region)
                }
            };
            let mut inner = words.clone();
            self.block(block, &mut inner);
            self.append_to_end(block, touched, &inner);
        }
        self.take(touched, &results, words);
    }

    fn visit_while(&mut self, op: Op, touched: &BTreeSet<usize>, words: &mut Words) {
        let old_results = self.module.num_results(op);
        let new = self.widen(op, touched, words, true, 2);
        let results: Vec<Value> = self.module.results(new).skip(old_results).collect();
        for index in 0..2 {
            if let Some(block) = self.module.region_block(new, index) {
                let mut inner = words.clone();
                let args = self.last_args(block, results.len());
                self.take(touched, &args, &mut inner);
                self.block(block, &mut inner);
                self.append_to_end(block, touched, &inner);
            }
        }
        self.take(touched, &results, words);
    }
}

// ---- bits ----

fn xor(builder: &mut OpBuilder<'_>, a: Value, b: Value) -> Value {
    let op = builder.arith_xori(a, b);
    builder.module.result(op, 0)
}

fn i32_constant(builder: &mut OpBuilder<'_>, value: i64) -> Value {
    let ty = builder.module.types.int(32);
    builder.int(value, ty)
}

fn to_i32(builder: &mut OpBuilder<'_>, index: Value) -> Value {
    let ty = builder.module.types.int(32);
    let op = builder.arith_index_cast(index, ty);
    builder.module.result(op, 0)
}

/// Bit `bit` of `word` as an `i1`; the word gets the other bit.
fn flip(builder: &mut OpBuilder<'_>, word: &mut Value, bit: Value) -> Value {
    let seen = bit_of(builder, *word, bit);
    let one = i32_constant(builder, 1);
    let mask = builder.arith_shli(one, bit, None);
    let mask = builder.module.result(mask, 0);
    *word = xor(builder, *word, mask);
    seen
}

fn bit_of(builder: &mut OpBuilder<'_>, word: Value, bit: Value) -> Value {
    let shifted = builder.arith_shrui(word, bit, None);
    let shifted = builder.module.result(shifted, 0);
    let ty = builder.module.types.i1();
    let seen = builder.arith_trunci(shifted, None, ty);
    builder.module.result(seen, 0)
}

fn flip_constant(builder: &mut OpBuilder<'_>, words: &mut [Value], slot: i64) -> Value {
    // A slot beyond the group is a fault that the verifier reports; any bit will do.
    let word = usize::try_from(slot / WORD).unwrap_or(0).min(words.len() - 1);
    let bit = i32_constant(builder, slot.rem_euclid(WORD));
    flip(builder, &mut words[word], bit)
}

/// Word and bit of a slot that is known when it is executed.
fn word_and_bit(builder: &mut OpBuilder<'_>, slot: &Slot) -> (Value, Value) {
    let index = slot.build(builder);
    let slot = to_i32(builder, index);
    let (five, low) = (i32_constant(builder, 5), i32_constant(builder, WORD - 1));
    let word = builder.arith_shrui(slot, five, None);
    let word = builder.module.result(word, 0);
    let bit = builder.arith_andi(slot, low);
    (word, builder.module.result(bit, 0))
}

fn is_word(builder: &mut OpBuilder<'_>, word: Value, number: usize) -> Value {
    let number = i32_constant(builder, i64::try_from(number).unwrap_or(i64::MAX));
    let equal = builder.module.i64_attr(0);
    let op = builder.arith_cmpi(word, number, equal);
    builder.module.result(op, 0)
}

fn select(builder: &mut OpBuilder<'_>, condition: Value, yes: Value, no: Value) -> Value {
    let op = builder.arith_select(condition, yes, no);
    builder.module.result(op, 0)
}

/// The bit of a slot among several words.
fn flip_among(builder: &mut OpBuilder<'_>, words: &mut [Value], slot: &Slot) -> Value {
    let (number, bit) = word_and_bit(builder, slot);
    let one = i32_constant(builder, 1);
    let mask = builder.arith_shli(one, bit, None);
    let mask = builder.module.result(mask, 0);
    let zero = i32_constant(builder, 0);
    let mut current = words[0];
    for (index, word) in words.iter_mut().enumerate() {
        let here = is_word(builder, number, index);
        if index > 0 {
            current = select(builder, here, *word, current);
        }
        let change = select(builder, here, mask, zero);
        *word = xor(builder, *word, change);
    }
    bit_of(builder, current, bit)
}

/// Clears the bit of a slot.
fn clear(builder: &mut OpBuilder<'_>, words: &mut [Value], slot: &Slot) {
    let (number, bit) = word_and_bit(builder, slot);
    let one = i32_constant(builder, 1);
    let mask = builder.arith_shli(one, bit, None);
    let mask = builder.module.result(mask, 0);
    let all = i32_constant(builder, -1);
    let rest = xor(builder, mask, all);
    for (index, word) in words.iter_mut().enumerate() {
        let here = is_word(builder, number, index);
        let kept = select(builder, here, rest, all);
        let op = builder.arith_andi(*word, kept);
        *word = builder.module.result(op, 0);
    }
}

//! `cse`: of equal pure ops, keeps the one that dominates the others.
//!
//! Values of a block are seen in the regions of its later ops, except in isolated ones. Blocks of an unstructured
//! region see what is outside of the region and their own values, not each other's.

use rustc_hash::FxHashMap;
use tidegate_ir::diag::Reported;
use tidegate_ir::ops::{Opcode, Traits};
use tidegate_ir::{Attr, Block, Module, Op, Type, Value};

use crate::pass::{Changed, OptionValues, PassContext};

/// Runs the pass.
///
/// # Errors
/// Never.
pub fn run(module: &mut Module, _: &OptionValues, ctx: &mut PassContext<'_>) -> Result<Changed, Reported> {
    let merged = eliminate(module);
    ctx.count("ops merged", merged);
    Ok((merged > 0).into())
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    opcode: Opcode,
    operands: Vec<Value>,
    results: Vec<Type>,
    inherent: Attr,
    discardable: Attr,
}

enum Step {
    /// Go through the rest of a block from this op on.
    Op(Op),
    Block(Block),
    /// Forget what was learned since the table had this many entries.
    Leave(usize),
    /// An isolated op: nothing from outside is seen until the matching `Restore`.
    Hide,
    Restore,
}

/// Merges equal pure ops and returns how many were erased.
pub fn eliminate(module: &mut Module) -> u64 {
    let mut merged = 0;
    // Each key's ops, the innermost last; `order` is the sequence of insertions.
    let mut known: Vec<FxHashMap<Key, Vec<Op>>> = vec![FxHashMap::default()];
    let mut order: Vec<Vec<Key>> = vec![Vec::new()];
    let mut steps = vec![Step::Op(module.top())];
    while let Some(step) = steps.pop() {
        match step {
            Step::Leave(length) => {
                let (Some(known), Some(order)) = (known.last_mut(), order.last_mut()) else { continue };
                while order.len() > length {
                    if let Some(ops) = order.pop().and_then(|key| known.get_mut(&key)) {
                        ops.pop();
                    }
                }
            }
            Step::Hide => {
                known.push(FxHashMap::default());
                order.push(Vec::new());
            }
            Step::Restore => {
                known.pop();
                order.pop();
            }
            Step::Block(block) => {
                steps.push(Step::Leave(order.last().map_or(0, Vec::len)));
                steps.extend(module.first_op(block).map(Step::Op));
            }
            Step::Op(op) => {
                let next = module.next_op(op);
                steps.extend(next.map(Step::Op));
                if module.regions(op).is_empty() {
                    if module.opcode(op).is_pure() && module.num_results(op) > 0 {
                        let key = key_of(module, op);
                        let (Some(known), Some(order)) = (known.last_mut(), order.last_mut()) else {
                            continue;
                        };
                        let ops = known.entry(key.clone()).or_default();
                        match ops.last() {
                            Some(&same) => {
                                merge(module, op, same);
                                merged += 1;
                            }
                            None => {
                                ops.push(op);
                                order.push(key);
                            }
                        }
                    }
                    continue;
                }
                let opcode = module.opcode(op);
                let isolated = opcode.has(Traits::ISOLATED) || opcode.def().is_none();
                if isolated {
                    steps.push(Step::Restore);
                }
                for &region in module.regions(op).iter().rev() {
                    steps.extend(module.region_blocks(region).iter().rev().map(|&block| Step::Block(block)));
                }
                if isolated {
                    steps.push(Step::Hide);
                }
            }
        }
    }
    merged
}

fn key_of(module: &Module, op: Op) -> Key {
    let mut operands: Vec<Value> = module.operands(op).collect();
    let opcode = module.opcode(op);
    if opcode.has(Traits::COMMUTATIVE) && operands.len() >= 2 && operands[0] > operands[1] {
        operands.swap(0, 1);
    }
    Key {
        opcode,
        operands,
        results: module.results(op).map(|value| module.ty(value)).collect(),
        inherent: module.inherent(op),
        discardable: module.discardable(op),
    }
}

fn merge(module: &mut Module, op: Op, same: Op) {
    for (old, new) in module.results(op).zip(module.results(same)) {
        if module.value_name(new).is_none()
            && let Some(name) = module.value_name(old).map(str::to_owned)
        {
            module.set_value_name(new, &name);
        }
        module.replace_all_uses(old, new);
    }
    let erased = module.erase(op);
    debug_assert!(erased.is_ok(), "all uses were replaced");
}

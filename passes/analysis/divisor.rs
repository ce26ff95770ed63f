//! Known divisors of index values: which accesses are aligned.

use tidegate_ir::ops::{ArithOp, Opcode, ScfOp};
use tidegate_ir::{Module, Value};

/// Chains of ops longer than this are taken for unknown.
const MAX_DEPTH: usize = 16;

/// A number that divides every value that `value` may have; 0 when it is always 0.
pub fn known_divisor(module: &Module, value: Value) -> i64 {
    divisor(module, value, 0)
}

fn constant(module: &Module, value: Value) -> Option<i64> {
    let op = module.defining_op(value)?;
    (module.opcode(op) == Opcode::Arith(ArithOp::Constant)).then(|| module.attr_i64(op, "value")).flatten()
}

fn divisor(module: &Module, value: Value, depth: usize) -> i64 {
    if let Some(number) = constant(module, value) {
        return number.checked_abs().unwrap_or(1);
    }
    if depth > MAX_DEPTH {
        return 1;
    }
    let Some(op) = module.defining_op(value) else {
        // The counter of a loop is the lower bound plus steps.
        let Some(block) = module.defining_block(value) else { return 1 };
        let Some(parent) = module.block_parent(block) else { return 1 };
        let counter = module.opcode(parent) == Opcode::Scf(ScfOp::For)
            && module.block_args(block).first() == Some(&value);
        if !counter {
            return 1;
        }
        let bound = |index: usize| divisor(module, module.operand(parent, index), depth + 1);
        return gcd(bound(0), bound(2));
    };
    let operand =
        |index: usize| module.get_operand(op, index).map_or(1, |operand| divisor(module, operand, depth + 1));
    match module.opcode(op) {
        Opcode::Arith(ArithOp::AddI | ArithOp::SubI) => gcd(operand(0), operand(1)),
        // Wrapping keeps powers of two only.
        Opcode::Arith(ArithOp::MulI) => operand(0).checked_mul(operand(1)).unwrap_or(1),
        Opcode::Arith(ArithOp::ShLI) => match module.get_operand(op, 1).and_then(|by| constant(module, by)) {
            Some(by @ 0..=32) => operand(0).checked_mul(1 << by).unwrap_or(1),
            _ => 1,
        },
        Opcode::Arith(ArithOp::AndI) => {
            // A mask that ends in zeros.
            let power =
                |divisor: i64| if divisor == 0 { 0 } else { 1i64 << divisor.trailing_zeros().min(62) };
            let (a, b) = (power(operand(0)), power(operand(1)));
            if a == 0 || b == 0 { 0 } else { a.max(b) }
        }
        Opcode::Arith(ArithOp::RemUI | ArithOp::RemSI) => gcd(operand(0), operand(1)),
        Opcode::Arith(ArithOp::Select) => gcd(operand(1), operand(2)),
        Opcode::Arith(ArithOp::IndexCast | ArithOp::IndexCastUI | ArithOp::ExtSI | ArithOp::ExtUI) => {
            // Widening keeps divisors; narrowing keeps powers of two.
            let divisor = operand(0);
            if divisor == 0 { 0 } else { 1 << divisor.trailing_zeros().min(32) }
        }
        _ => 1,
    }
}

/// The greatest common divisor; that of 0 and x is x.
pub fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

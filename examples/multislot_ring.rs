//! A ring of four slots filled by TMA: the sum of sixteen rows.
//!
//! `cargo run --example multislot_ring` prints the module; `multislot_ring.mlir` is the same kernel as text.
#![allow(clippy::print_stdout, reason = "printing is what the example does")]

use tidegate::frontend::*;
use tidegate::ir::Module;
use tidegate::ir::text::{PrintOptions, print};

/// The kernel.
///
/// # Errors
/// None, unless the example is wrong.
pub fn build() -> Result<Module, BuildErrors> {
    const ROWS: i64 = 16;
    const SLOTS: i64 = 4;
    let k = KernelBuilder::new("multislot_ring");
    let x = k.input("x", [ROWS, 128], F32);
    let o = k.output("o", [128], F32);
    let buf = k.scratch(Smem::new([SLOTS, 128], F32)).named("buf");
    let full = k.scratch(Barrier::new().num_barriers(SLOTS)).named("full");
    // Fill the ring.
    for row in 0..SLOTS {
        k.copy_gmem_to_smem(x.at(row), buf.at(row), full.at(row));
    }
    let sum = k.for_carry(0, ROWS, 1, k.zeros([128], F32), |b, row, sum| {
        let slot = (row % SLOTS).named("slot");
        b.barrier_wait(full.at(slot));
        let sum = sum + b.load(buf.at(slot));
        // The slot is read: fill it with the row that is due next.
        let next = (row + SLOTS).named("next");
        b.when(next.lt(ROWS), |b| b.copy_gmem_to_smem(x.at(next), buf.at(slot), full.at(slot)));
        sum
    });
    k.store(sum, o);
    k.finish()
}

fn main() -> Result<(), BuildErrors> {
    print!("{}", print(&build()?, PrintOptions::default()));
    Ok(())
}

//! One barrier, two arrivals: two TMA loads complete one phase. `o = x + y`.
//!
//! `cargo run --example two_arrivals` prints the module; `two_arrivals.mlir` is the same kernel as text.
#![allow(clippy::print_stdout, reason = "printing is what the example does")]

use tidegate::frontend::*;
use tidegate::ir::Module;
use tidegate::ir::text::{PrintOptions, print};

/// The kernel.
///
/// # Errors
/// None, unless the example is wrong.
pub fn build() -> Result<Module, BuildErrors> {
    let k = KernelBuilder::new("two_arrivals");
    let x = k.input("x", [128], F32);
    let y = k.input("y", [128], F32);
    let o = k.output("o", [128], F32);
    let a = k.scratch(Smem::new([128], F32)).named("a");
    let b = k.scratch(Smem::new([128], F32)).named("b");
    // Each copy makes one arrival and announces its own bytes.
    let bar = k.scratch(Barrier::new().num_arrivals(2)).named("bar");
    k.copy_gmem_to_smem(x, a, bar);
    k.copy_gmem_to_smem(y, b, bar);
    k.barrier_wait(bar);
    k.store(k.load(a) + k.load(b), o);
    k.finish()
}

fn main() -> Result<(), BuildErrors> {
    print!("{}", print(&build()?, PrintOptions::default()));
    Ok(())
}

//! TMA in, compute, TMA out: `o = x + 1` for one tile.
//!
//! `cargo run --example tma_copy` prints the module; `tma_copy.mlir` is the same kernel as text.
#![allow(clippy::print_stdout, reason = "printing is what the example does")]

use tidegate::frontend::*;
use tidegate::ir::Module;
use tidegate::ir::text::{PrintOptions, print};

/// The kernel.
///
/// # Errors
/// None, unless the example is wrong.
pub fn build() -> Result<Module, BuildErrors> {
    let k = KernelBuilder::new("tma_copy");
    let x = k.input("x", [128, 64], F32);
    let o = k.output("o", [128, 64], F32);
    let a = k.scratch(Smem::new([128, 64], F32)).named("a");
    let b = k.scratch(Smem::new([128, 64], F32)).named("b");
    let bar = k.scratch(Barrier::new()).named("bar");
    // The copy announces its 32768 bytes on the barrier and makes the one arrival.
    k.copy_gmem_to_smem(x, a, bar);
    k.barrier_wait(bar);
    k.store(k.load(a) + 1.0, b);
    // TMA reads `b` through the asynchronous proxy: what was stored must be published to it.
    k.commit_smem();
    k.copy_smem_to_gmem(b, o);
    k.wait_smem_to_gmem(0);
    k.finish()
}

fn main() -> Result<(), BuildErrors> {
    print!("{}", print(&build()?, PrintOptions::default()));
    Ok(())
}

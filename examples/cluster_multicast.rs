//! Two blocks of a cluster fetch half a tile each and both get the whole of it.
//!
//! `cargo run --example cluster_multicast` prints the module; `cluster_multicast.mlir` is the same kernel as text.
#![allow(clippy::print_stdout, reason = "printing is what the example does")]

use tidegate::frontend::*;
use tidegate::ir::Module;
use tidegate::ir::text::{PrintOptions, print};

/// The kernel.
///
/// # Errors
/// None, unless the example is wrong.
pub fn build() -> Result<Module, BuildErrors> {
    let k = KernelBuilder::new("cluster_multicast").grid([("g", 1)]).cluster([("c", 2)]);
    let x = k.input("x", [128, 64], F32);
    let o = k.output("o", [2, 128, 64], F32);
    let a = k.scratch(Smem::new([128, 64], F32)).named("a");
    let bar = k.scratch(Barrier::new()).named("bar");
    // Arrivals reach every block along "c": a phase takes one from each of the two.
    let ready = k.scratch(ClusterBarrier::new("c")).named("ready");
    // Nobody writes to a block before it runs and its barriers are initialised.
    k.barrier_arrive(ready);
    k.barrier_wait(ready);
    k.copy_gmem_to_smem_with(x, a, bar, CopyOptions::new().collective("c"));
    k.barrier_wait(bar);
    let c = k.axis_index("c");
    k.copy_smem_to_gmem(a, o.at(c));
    k.wait_smem_to_gmem(0);
    k.finish()
}

fn main() -> Result<(), BuildErrors> {
    print!("{}", print(&build()?, PrintOptions::default()));
    Ok(())
}

//! Two warpgroups meet at one barrier and swap halves: `o = [x[128..], x[..128]]`.
//!
//! `cargo run --example rendezvous` prints the module; `rendezvous.mlir` is the same kernel as text.
#![allow(clippy::print_stdout, reason = "printing is what the example does")]

use tidegate::frontend::*;
use tidegate::ir::Module;
use tidegate::ir::text::{PrintOptions, print};

/// The kernel.
///
/// # Errors
/// None, unless the example is wrong.
pub fn build() -> Result<Module, BuildErrors> {
    let k = KernelBuilder::new("rendezvous").threads("wg", 2);
    let x = k.input("x", [256], F32);
    let o = k.output("o", [256], F32);
    let buf = k.scratch(Smem::new([256], F32)).named("buf");
    // Both arrive, both wait: a phase completes when the second one has come.
    let bar = k.scratch(Barrier::new().num_arrivals(2)).named("bar");
    let wg = k.axis_index("wg");
    let own = (wg * 128).named("own");
    let other = (128 - own).named("other");
    k.store(k.load(x.at(own).sized([128])), buf.at(own));
    k.barrier_arrive(bar);
    k.barrier_wait(bar);
    k.store(k.load(buf.at(other).sized([128])), o.at(own));
    k.finish()
}

fn main() -> Result<(), BuildErrors> {
    print!("{}", print(&build()?, PrintOptions::default()));
    Ok(())
}

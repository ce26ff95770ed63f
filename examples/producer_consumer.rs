//! Two warpgroups hand a buffer to each other: `o = 2 * x + 1`, half of it in each.
//!
//! `cargo run --example producer_consumer` prints the module; `producer_consumer.mlir` is the same kernel as text.
#![allow(clippy::print_stdout, reason = "printing is what the example does")]

use tidegate::frontend::*;
use tidegate::ir::Module;
use tidegate::ir::text::{PrintOptions, print};

/// The kernel.
///
/// # Errors
/// None, unless the example is wrong.
pub fn build() -> Result<Module, BuildErrors> {
    let k = KernelBuilder::new("producer_consumer");
    let x = k.input("x", [128], F32);
    let o = k.output("o", [128], F32);
    let buf = k.scratch(Smem::new([128], F32)).named("buf");
    // One barrier for each direction, one arrival each: a warpgroup arrives as one thread.
    let full = k.scratch(Barrier::new()).named("full");
    let done = k.scratch(Barrier::new()).named("done");
    k.warp_specialize(|ws| {
        ws.role("producer", |b| {
            b.store(b.load(x) * 2.0, buf);
            b.barrier_arrive(full);
            // From here on the buffer would be free again.
            b.barrier_wait(done);
        });
        ws.role("consumer", |b| {
            b.barrier_wait(full);
            b.store(b.load(buf) + 1.0, o);
            b.barrier_arrive(done);
        });
    });
    k.finish()
}

fn main() -> Result<(), BuildErrors> {
    print!("{}", print(&build()?, PrintOptions::default()));
    Ok(())
}

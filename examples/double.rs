//! A warp-specialised ring: one warp loads tiles by TMA, a warpgroup doubles them.
//!
//! `cargo run --example double` prints the module; `double.mlir` is the same kernel as text.
#![allow(clippy::print_stdout, reason = "printing is what the example does")]

use tidegate::frontend::*;
use tidegate::ir::Module;
use tidegate::ir::text::{PrintOptions, print};

/// The kernel.
///
/// # Errors
/// None, unless the example is wrong.
pub fn build() -> Result<Module, BuildErrors> {
    const TILE: i64 = 128;
    const STEPS: i64 = 8;
    const SLOTS: i64 = 2;
    let k = KernelBuilder::new("double").grid([("i", 4)]);
    let x = k.input("x", [4 * STEPS * TILE], F32);
    let y = k.output("y", [4 * STEPS * TILE], F32);
    let buf = k.scratch(Smem::new([SLOTS, TILE], F32)).named("buf");
    let full = k.scratch(Barrier::new().num_barriers(SLOTS)).named("full");
    let empty = k.scratch(Barrier::new().num_barriers(SLOTS)).named("empty");
    let base = (k.axis_index("i") * (STEPS * TILE)).named("base");
    k.warp_specialize(|ws| {
        ws.role(Role::new("producer").warps(1), |b| {
            b.for_range(0, STEPS, 1, |b, step| {
                let slot = (step % SLOTS).named("slot");
                // The first lap finds every slot free.
                b.when(step.ge(SLOTS), |b| b.barrier_wait(empty.at(slot)));
                let offset = (base + step * TILE).named("offset");
                b.copy_gmem_to_smem(x.at(offset), buf.at(slot), full.at(slot));
            });
        });
        ws.role("consumer", |b| {
            b.for_range(0, STEPS, 1, |b, step| {
                let slot = (step % SLOTS).named("slot");
                b.barrier_wait(full.at(slot));
                let tile = b.load(buf.at(slot));
                b.barrier_arrive(empty.at(slot));
                let offset = (base + step * TILE).named("offset");
                b.store(tile * 2.0, y.at(offset));
            });
        });
    });
    k.finish()
}

fn main() -> Result<(), BuildErrors> {
    print!("{}", print(&build()?, PrintOptions::default()));
    Ok(())
}

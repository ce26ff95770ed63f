//! A barrier cannot be carried by a loop.
use tidegate::frontend::*;

fn main() {
    let k = KernelBuilder::new("k").cluster([("c", 2)]);
    let x = k.input("x", [128], F32);
    let buf = k.scratch(Smem::new([128], F32));
    let full = k.scratch(Barrier::new().num_barriers(2));
    let ready = k.scratch(ClusterBarrier::new("c"));
    k.for_carry(0, 4, 1, full, |_, _, full| full);
    let _ = (x, buf, full, ready);
}

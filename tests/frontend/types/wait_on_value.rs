//! An array value is no barrier to wait for.
use tidegate::frontend::*;

fn main() {
    let k = KernelBuilder::new("k").cluster([("c", 2)]);
    let x = k.input("x", [128], F32);
    let buf = k.scratch(Smem::new([128], F32));
    let full = k.scratch(Barrier::new().num_barriers(2));
    let ready = k.scratch(ClusterBarrier::new("c"));
    k.barrier_wait(k.load(x));
    let _ = (x, buf, full, ready);
}

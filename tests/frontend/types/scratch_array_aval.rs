//! An array aval is no spec.
use tidegate::frontend::*;

fn main() {
    let k = KernelBuilder::new("k").cluster([("c", 2)]);
    let x = k.input("x", [128], F32);
    let buf = k.scratch(Smem::new([128], F32));
    let full = k.scratch(Barrier::new().num_barriers(2));
    let ready = k.scratch(ClusterBarrier::new("c"));
    let _ = k.scratch(ShapedArray::new([128], F32));
    let _ = (x, buf, full, ready);
}

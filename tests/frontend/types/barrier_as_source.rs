//! A barrier is no source of a copy.
use tidegate::frontend::*;

fn main() {
    let k = KernelBuilder::new("k").cluster([("c", 2)]);
    let x = k.input("x", [128], F32);
    let buf = k.scratch(Smem::new([128], F32));
    let full = k.scratch(Barrier::new().num_barriers(2));
    let ready = k.scratch(ClusterBarrier::new("c"));
    k.copy_smem_to_gmem(full.at(0), x);
    let _ = (x, buf, full, ready);
}

//! Handles belong to the thread that builds their kernel.
use tidegate::frontend::*;

fn main() {
    let k = KernelBuilder::new("k");
    let full = k.scratch(Barrier::new());
    std::thread::spawn(move || full.at(0));
}

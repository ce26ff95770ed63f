//! The tidegate command line.
fn main() {}

//! What typed handles make a compile error, with the text that the compiler gives.
//!
//! Only without feature `mlir`: the compiler writes `tidegate::frontend::Scalar` for `Scalar` as soon as any crate in
//! sight has a type of that name, and the texts are compared exactly. After such a change, or a new compiler,
//! `TRYBUILD=overwrite cargo test --no-default-features --test frontend types` writes them anew, to be read in the diff.

#[test]
#[cfg(not(feature = "mlir"))]
fn barriers_are_no_arrays_and_arrays_no_barriers() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/frontend/types/*.rs");
}

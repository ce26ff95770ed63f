//! The README shows what its commands print. `TRYCMD=overwrite cargo test --test readme` writes the outputs anew.
#![cfg(feature = "mlir")]

#[test]
fn the_readme_is_true() {
    trycmd::TestCases::new().case("README.md").env("NO_COLOR", "1");
}

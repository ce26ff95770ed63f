//! What typed handles make a compile error, with the text that the compiler gives.

#[test]
fn barriers_are_no_arrays_and_arrays_no_barriers() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/frontend/types/*.rs");
}

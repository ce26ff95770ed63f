//! The generated pages of `docs/` say what the tables say. `UPDATE_DOCS=1` (or `cargo xtask gen`) writes them anew.

use std::path::Path;

fn check(page: &str, wanted: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(page);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, wanted).expect("docs/ can be written");
        return;
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "docs/{page} is out of date; run `cargo xtask gen`");
}

#[test]
fn ops() {
    check("ops.md", &tidegate::reference::ops());
}

#[test]
fn diagnostics() {
    check("diagnostics.md", &tidegate::reference::diagnostics());
}

#[test]
fn passes() {
    check("passes.md", &tidegate::reference::passes());
}

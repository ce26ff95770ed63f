//! Every op of every table has a lit file of its own, and every file an op.

use std::collections::BTreeSet;
use std::path::Path;

use tidegate_ir::ops::Opcode;

/// The kernels of `lit/ops`.
pub(crate) fn texts() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lit/ops");
    let dialects = folder.read_dir().unwrap().map(|dialect| dialect.unwrap().path());
    let files = dialects.flat_map(|dialect| dialect.read_dir().unwrap()).map(|file| file.unwrap().path());
    let mut files: Vec<_> = files.filter(|file| file.extension().is_some_and(|end| end == "mlir")).collect();
    files.sort();
    files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect()
}

#[test]
fn every_op_has_a_lit_file() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lit/ops");
    assert!(folder.is_dir(), "{} is missing", folder.display());
    let mut wanted: BTreeSet<String> = Opcode::all()
        .filter_map(Opcode::def)
        .map(|def| format!("{}/{}.mlir", def.dialect, def.mnemonic()))
        .collect();
    let mut problems = Vec::new();
    for dialect in folder.read_dir().unwrap() {
        let dialect = dialect.unwrap().path();
        let files = dialect.read_dir().unwrap().map(|file| file.unwrap().path());
        for file in files.filter(|file| file.extension().is_some_and(|extension| extension == "mlir")) {
            let name = file.strip_prefix(&folder).unwrap().to_string_lossy().replace('\\', "/");
            let text = std::fs::read_to_string(&file).unwrap();
            if !wanted.remove(&name) {
                problems.push(format!("lit/ops/{name} is about no op"));
            }
            let op = name.trim_end_matches(".mlir").replace('/', ".");
            let spellings = match op.as_str() {
                "builtin.module" => ["module", "module"],
                "tg.role" => ["role", "tg.role"],
                op => [op, op],
            };
            let checked = |line: &str| {
                line.trim_start().starts_with("// CHECK") && spellings.iter().any(|name| line.contains(name))
            };
            if !text.lines().any(checked) {
                problems.push(format!("lit/ops/{name} checks no `{op}`"));
            }
        }
    }
    problems.extend(wanted.iter().map(|name| format!("lit/ops/{name} is missing")));
    assert!(problems.is_empty(), "{}\nlit/README.md says how to write one", problems.join("\n"));
}

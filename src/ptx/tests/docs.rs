//! `docs/ptx.md` says what is executed: every opcode has its row, and every row an opcode.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::PathBuf;

use tidegate_ptx::isa::OPCODES;

/// The rows of the page: opcode, what is executed, what is refused, files.
fn rows(text: &str) -> Vec<[String; 4]> {
    let mut rows = Vec::new();
    for line in text.lines().filter(|l| l.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        assert_eq!(cells.len(), 4, "{line}");
        rows.push([cells[0].trim_matches('`'), cells[1], cells[2], cells[3]].map(str::to_owned));
    }
    rows
}

#[test]
fn every_opcode_has_its_row() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("../../docs/ptx.md")).unwrap();
    let rows = rows(&text);
    let missing: Vec<&&str> = OPCODES.iter().filter(|o| !rows.iter().any(|r| r[0] == **o)).collect();
    assert!(missing.is_empty(), "docs/ptx.md has no row for {missing:?}");
    for [opcode, executed, refused, files] in &rows {
        assert!(OPCODES.contains(&opcode.as_str()), "no family decodes `{opcode}`");
        assert!(!(executed.is_empty() && refused.is_empty()), "`{opcode}`: neither executed nor refused");
        for file in files.split(", ") {
            assert!(root.join("isa").join(file).exists(), "`{opcode}`: there is no {file} in isa");
        }
    }
    // What the page says is refused as a whole is in no family.
    for section in ["Textures and surfaces", "Video"] {
        let (_, rest) = text.split_once(&format!("## {section}")).unwrap();
        let body = rest.split("\n## ").next().unwrap();
        let refused: Vec<&str> = body.split('`').skip(1).step_by(2).collect();
        assert!(refused.len() >= 8, "{section}: {refused:?}");
        for opcode in refused {
            assert!(!OPCODES.contains(&opcode), "`{opcode}` is executed, {section} says it is not");
        }
    }
}

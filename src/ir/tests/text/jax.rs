//! Modules that JAX Pallas Mosaic GPU dumped: MLIR of many dialects, most of which tidegate does not know.
//!
//! They lie beside the repository where the project is developed, and are not part of it.

use std::path::{Path, PathBuf};

use tidegate_ir::text::{PrintOptions, print};

use crate::round_trip::{check, read, same_lines};

/// The files, or none when they are not here.
pub(crate) fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/jax/modules");
    // A git worktree lies one level further down.
    let deeper = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/jax/modules");
    let folder = if folder.is_dir() { folder } else { deeper };
    let mut files: Vec<PathBuf> = [folder.clone(), folder.join("loc")]
        .iter()
        .filter_map(|folder| folder.read_dir().ok())
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "mlir"))
        .collect();
    files.sort();
    files
}

#[test]
fn modules_of_jax_read_back() {
    let files = files();
    if files.is_empty() {
        println!("skipped: ../shared is not here");
        return;
    }
    for path in &files {
        let name = path.file_name().unwrap().to_string_lossy();
        let text = std::fs::read_to_string(path).unwrap();
        let module = read(&name, &text);
        for (generic, locations) in [(false, false), (true, false), (false, true), (true, true)] {
            let options = PrintOptions { generic, locations };
            let first = print(&module, options);
            let second = print(&read(&name, &first), options);
            same_lines(&first, &second);
        }
        check(&module, false);
    }
    println!("{} modules", files.len());
}

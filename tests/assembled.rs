//! `ptxas` takes each PTX text that the tests keep and run, for the target that it names.
#![cfg(feature = "mlir")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use tidegate::passes::lower::tools::Ptxas;

fn texts(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            texts(&path, out);
        } else if path.extension().is_some_and(|e| e == "ptx")
            && path.file_name().is_some_and(|n| n != "sample.ptx")
        {
            out.push(path);
        }
    }
}

#[test]
fn each_ptx_of_the_tests_is_assembled() {
    let Ok(ptxas) = Ptxas::find() else {
        assert!(std::env::var_os("CI").is_none(), "ptxas is missing");
        eprintln!("skipped: there is no ptxas here");
        return;
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    texts(&root.join("src/ptx/tests"), &mut all);
    texts(&root.join("examples"), &mut all);
    assert!(all.len() > 80, "only {} texts", all.len());
    let next = Mutex::new(all.iter());
    let failed = Mutex::new(Vec::new());
    let work = || {
        while let Some(path) = { next.lock().unwrap().next() } {
            let text = std::fs::read_to_string(path).unwrap();
            let target = text.lines().find_map(|l| l.trim().strip_prefix(".target")).unwrap();
            let target = target.split(',').next().unwrap().trim();
            let result = Command::new(ptxas.program())
                .arg(format!("-arch={target}"))
                .args(["-o", "/dev/null"])
                .arg(path)
                .output()
                .unwrap();
            if !result.status.success() {
                let said = String::from_utf8_lossy(&result.stderr).into_owned();
                failed.lock().unwrap().push((path.clone(), said));
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{failed:#?}");
}

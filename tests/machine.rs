//! Our lowering is right: every committed kernel is lowered, executed on the PTX machine under schedules that hold
//! asynchronous operations back or let them happen at once, with races and unwritten memory looked for, and compared with
//! a direct walk over the IR.
#![cfg(feature = "mlir")]

mod execute;
mod walk;

use std::path::Path;

use execute::{Order, bytes, compare, is_output, lower, params};
use tidegate::driver;
use tidegate::passes::lower::target::Chip;
use walk::{Arg, Elem};

/// Runs all kernels of the files of a folder; returns how many.
fn folder(folder: &str) -> usize {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<_> = std::fs::read_dir(root)
        .expect("a folder of the repository")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "mlir"))
        .collect();
    files.sort();
    let (mut count, mut failures) = (0, Vec::new());
    for path in files {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let text = std::fs::read_to_string(&path).expect("a file of the repository");
        let lowered = lower(&name, &text, Chip::Sm90a).unwrap_or_else(|error| panic!("{name}: {error}"));
        for (kernel, symbol) in driver::kernels(&lowered.module) {
            let mut rng = fastrand::Rng::with_seed(7);
            let args: Vec<Arg> = params(&lowered.module, kernel, 256)
                .into_iter()
                .enumerate()
                .map(|(number, (param, shape, elem))| {
                    let output = is_output(&lowered, symbol, number);
                    argument(symbol, &param, shape, elem, output, &mut rng)
                })
                .collect();
            let grid: &[i64] = if symbol == "dynamic" { &[256] } else { &[] };
            if let Err(error) = compare(&lowered, symbol, &args, grid, &Order::ALL) {
                failures.push(format!("{name}, @{symbol}: {error}"));
            }
            count += 1;
        }
    }
    assert!(failures.is_empty(), "{} of {count} kernels:\n{}", failures.len(), failures.join("\n\n"));
    count
}

/// Numbers small and whole enough that every sum is exact, and of the kind that the kernel takes.
fn argument(
    kernel: &str,
    param: &str,
    shape: Option<Vec<i64>>,
    elem: Elem,
    output: bool,
    rng: &mut fastrand::Rng,
) -> Arg {
    let mut number = |_: usize| match (kernel, param, elem) {
        // Steps of the Collatz sequence.
        ("control", "n", _) => 27.0,
        // Logarithms and powers of what is not negative.
        ("functions", "y", _) => f64::from(rng.i32(1..40)) / 4.0,
        ("dynamic", "limit", _) => 200.0,
        // None is zero: they divide.
        (_, _, Elem::Int(_)) => f64::from(rng.i32(1..50)) * if rng.bool() { 1.0 } else { -1.0 },
        (_, _, Elem::Float(_)) => f64::from(rng.i32(-32..33)) / 4.0,
    };
    match shape {
        Some(shape) if output => Arg::Array { shape, bytes: None },
        Some(shape) => {
            let count = shape.iter().product::<i64>() as usize;
            Arg::Array { shape, bytes: Some(bytes(elem, count, number)) }
        }
        None => Arg::Number(match elem {
            Elem::Int(_) => elem.int(number(0) as i128),
            Elem::Float(_) => elem.float(number(0)),
        }),
    }
}

#[test]
fn examples() {
    assert!(folder("examples") >= 7);
}

#[test]
fn kernels_of_the_lowering() {
    assert!(folder("passes/tests/kernels") >= 25);
}
